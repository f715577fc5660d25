"""Fetches every pet that can be read, or finds one pet."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import compress
from typing import Literal, NoReturn

from petstore_frame.errors import (
    PARTIAL_NOTE,
    ArgumentError,
    IncompleteInventoryError,
    PetstoreError,
)
from petstore_frame.inventory.frame.coverage import (
    Provenance,
    status_counts,
    with_bounds,
)
from petstore_frame.inventory.frame.inventory import Inventory, inventory_of
from petstore_frame.inventory.reading.page_fetcher import PageFetcher, ReadingClient
from petstore_frame.inventory.reading.strategies import ReadingState, read_pets
from petstore_frame.inventory.verdict.completeness import Completeness
from petstore_frame.inventory.verdict.facts import Evidence, Fact, Shows, Verdict, weigh
from petstore_frame.schema import PET_STATUSES, Pet, PetColumns, PetStatus, count_text
from petstore_frame.storage.progress import ProgressBar
from petstore_frame.validation import (
    before_sending,
    checked_choice,
    checked_integer,
    nothing_sent,
    wrong_client,
)

log = logging.getLogger("petstore_frame.inventory")


def fetch_inventory(
    client: ReadingClient,
    *,
    status: PetStatus | None = None,
    max_pets: int | None = None,
    progress: bool | Callable[[int], None] | None = None,
) -> Inventory:
    """Read all pets of a store, and state whether these are really all.

    The interface does not say how to get more than 100 pets. If the store offers a way (next
    links, headers, or a parameter that works), all pages are read. The evidence for the end of the
    listing is in ``.completeness``.

    Args:
        client: ``pf.Client(base_url, api_key)``, or ``server.client()`` for ``pf.serve()``.
        status: Only pets with this status: available, pending or sold; None reads all.
        max_pets: Maximum number of pets to read; None reads all. If the store has more, the
            verdict is incomplete.
        progress: True shows a progress bar, False does not, None does in a terminal or notebook;
            or a function that gets the number of pets read so far.

    Returns:
        An Inventory: ``.frame`` has one row per pet (``id`` int64, ``name`` str, ``category_id``
        int64, ``status`` category), and ``.completeness`` says what it covers.

    Raises:
        ArgumentError: An argument is invalid. Nothing was sent.
        IncompleteInventoryError: The reading failed after the first page; ``.partial`` has the
            pets that were read.
        KeyboardInterrupt: Ctrl-C ended the reading; ``.partial`` has the pets that were read, or is
            None.
        PetstoreError: The first page could not be read, as for ``Client.list_pets``.

    Example:
        >>> import petstore_frame as pf
        >>> with pf.serve(sample=250, seed=7) as server, server.client() as client:
        ...     inventory = pf.fetch_inventory(client)
        >>> print(inventory.completeness)
        complete: 250 pets
        >>> inventory.frame.columns.tolist()
        ['id', 'name', 'category_id', 'status']

    Interface: Endpoints, List all animals (pagination mechanism: not shown).
    """
    try:
        if not isinstance(client, ReadingClient):
            raise wrong_client(client)
        if status is not None:
            checked_choice("status", status, PET_STATUSES)
        cap = None if max_pets is None else checked_integer("max_pets", max_pets, 1)
        progress_bar = ProgressBar(progress, "Pets read")
    except ArgumentError as error:
        raise nothing_sent(error) from None
    fetcher = PageFetcher(client, status, progress_bar.note_wait)
    with progress_bar:
        state = ReadingState(
            fetcher,
            fetcher.page(fetcher.params(), number=1),
            is_enough=None if cap is None else lambda rows: len(rows) > cap,
            on_rows=lambda rows: progress_bar.show(rows, rows),
        )
        try:
            read_pets(state)
        except KeyboardInterrupt as interrupt:
            _keep_partial(interrupt, state, cap)
            raise
        except PetstoreError as problem:
            partial = _partial_inventory(state, cap)
            if partial is None:
                raise
            raise IncompleteInventoryError(_broke_off(state, problem), partial=partial) from problem
    return _to_inventory(state, cap)


def fetch_or_raise(
    client: ReadingClient,
    *,
    max_pages: float,
    on_rows: Callable[[int], object],
    on_wait: Callable[[float, bool], None] | None = None,
) -> Inventory:
    """Read every pet, or raise; for other parts of this package.

    Args:
        client: Sends the requests.
        max_pages: Maximum number of pages; a listing that reaches it is incomplete.
        on_rows: Called with the number of pets after each page; an error that it raises ends the
            reading.
        on_wait: Called before a retry with the seconds, and whether the store asked for them.

    Raises:
        PetstoreError: A page could not be read.
    """
    fetcher = PageFetcher(client, on_wait=on_wait)
    first = fetcher.page(fetcher.params(), number=1)
    state = ReadingState(fetcher, first, max_pages=max_pages, on_rows=on_rows)
    read_pets(state)
    return _to_inventory(state, broke_off=state.has_enough)


def _keep_partial(interrupt: KeyboardInterrupt, state: ReadingState, max_pets: int | None) -> None:
    """Let Ctrl-C carry the pets that were read; it stays a plain KeyboardInterrupt."""
    partial = _partial_inventory(state, max_pets)
    interrupt.partial = partial  # type: ignore[attr-defined]
    if partial is not None:
        interrupt.add_note(PARTIAL_NOTE)


def _broke_off(state: ReadingState, cause: object) -> str:
    pets = count_text(len(state.rows), "pet")
    return f"the reading ended early, after page {state.pages_read} with {pets} read: {cause}"


def _partial_inventory(state: ReadingState, max_pets: int | None) -> Inventory | None:
    """Return the pets that were read before the reading ended early; None if there are none."""
    if len(state.rows) == 0:
        return None
    return _to_inventory(state, max_pets, broke_off=True)


def _without_ends(evidence: Iterable[Evidence]) -> list[Evidence]:
    return [item for item in evidence if item.shows is not Shows.END]


def _to_inventory(
    state: ReadingState, max_pets: int | None = None, *, broke_off: bool = False
) -> Inventory:
    """Return the requested pets, with the completeness that the evidence gives.

    Args:
        state: The reading.
        max_pets: Maximum number of pets, or None.
        broke_off: Whether the reading ended early, so that no evidence shows an end.
    """
    fetcher, columns = state.fetcher, state.rows.columns
    evidence = [*state.evidence]
    if broke_off:
        broken = Evidence(Fact.BROKE_OFF, count=state.pages_read)
        evidence = [broken, *_without_ends(evidence)]
    if fetcher.status is not None:
        columns, mismatches = _select_status(columns, fetcher.status)
        if mismatches:
            evidence.append(Evidence(Fact.FILTER_NOT_KEPT, count=mismatches))
    if max_pets is not None and len(columns.id) > max_pets:
        columns = columns.part(0, max_pets)
        evidence = [Evidence(Fact.CUT_BY_MAX_PETS), *_without_ends(evidence)]
    finding = weigh(evidence)
    total = state.stated_total()
    if fetcher.status is not None and total is not None and total > len(state.rows):
        total = None  # it may count pets of all statuses
    frame = columns.to_frame()
    counts, exact = status_counts(frame), finding.exact
    if finding.verdict is Verdict.COMPLETE:
        requested_statuses = counts if fetcher.status is None else [fetcher.status]
        exact = frozenset(requested_statuses) - finding.inexact
    unique_evidence = tuple(dict.fromkeys(evidence))
    completeness = Completeness(
        finding.verdict,
        "" if finding.reason is None else str(finding.reason),
        len(columns.id),
        fetcher.requests,
        status=fetcher.status,
        assumptions=finding.assumptions,
        evidence=unique_evidence,
        by_status=with_bounds(counts, exact, unique_evidence),
        advertised_total=total,
    )
    base_url = fetcher.client.base_url
    log.info("%s: %s, %d requests", base_url, completeness, completeness.requests)
    read_at = datetime.fromtimestamp(time.time() - fetcher.oldest_s, UTC)
    provenance = Provenance(base_url, read_at, fetcher.store_id)
    return inventory_of(frame, completeness, provenance)


def _select_status(columns: PetColumns, status: str) -> tuple[PetColumns, int]:
    """Return the pets with a status, and the number of pets with another status."""
    matches = [name == status for name in columns.status]
    mismatches = len(matches) - sum(matches)
    if mismatches == 0:
        return columns, 0
    return PetColumns(list(compress(column, matches)) for column in columns), mismatches


@dataclass(frozen=True, repr=False)
class PetSearch:
    """The outcome of a search for a pet; ``find_pet`` returns it.

    ``pet`` is the pet, or None if it was not found. ``reason`` is the evidence as text. If
    ``state`` is ``absent``, that is true if the ``assumptions`` hold.
    """

    state: Literal["found", "absent", "unknown"]
    pet: Pet | None
    reason: str
    requests: int
    assumptions: tuple[str, ...] = ()

    def __repr__(self) -> str:
        what = self.state if self.pet is None else f"{self.state}: {self.pet!r}"
        return f"<PetSearch: {what} ({self.reason})>"

    def __bool__(self) -> NoReturn:
        raise TypeError("a search has three outcomes; use .state or .pet")


@before_sending()
def find_pet(client: ReadingClient, pet_id: int) -> PetSearch:
    """Look for a pet by id, without the deprecated ``get_pet``.

    The store is read until the pet is found. The pet is ``absent`` only if all pets were read.

    Args:
        client: A Client.
        pet_id: The id, an int64.

    Returns:
        A PetSearch; its ``state`` is ``found``, ``absent`` or ``unknown``.

    Raises:
        ArgumentError: The id is not a whole number; nothing was sent.
        PetstoreError: As for ``Client.list_pets``.

    Example:
        >>> import petstore_frame as pf
        >>> with pf.serve(sample=3, seed=7) as server, server.client() as client:
        ...     pf.find_pet(client, 17).state
        'absent'

    Interface: Endpoints, List all animals.
    """
    if not isinstance(client, ReadingClient):
        raise wrong_client(client)
    pet_id = checked_integer("pet_id", pet_id)
    fetcher = PageFetcher(client)
    first = fetcher.page(fetcher.params(), number=1)
    state = ReadingState(fetcher, first, is_enough=lambda rows: pet_id in rows)
    read_pets(state)
    position = state.rows.position(pet_id)
    if position is not None:
        pet = state.rows.columns.part(position, position + 1).pets()[0]
        return PetSearch("found", pet, "the store listed it", fetcher.requests)
    finding = weigh(state.evidence)
    reason = f"not among {count_text(len(state.rows), 'pet')}: {finding.reason}"
    if finding.verdict is Verdict.COMPLETE:
        return PetSearch("absent", None, reason, fetcher.requests, finding.assumptions)
    return PetSearch("unknown", None, reason, fetcher.requests)
