"""Fetches every pet that can be read, or finds one pet."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import compress
from typing import Literal, NoReturn

from petstore_frame.errors import FetchInterrupted, IncompleteInventoryError, PetstoreError
from petstore_frame.inventory.completeness import Completeness, count_statuses
from petstore_frame.inventory.evidence import Evidence, Fact, Shows, Verdict, weigh
from petstore_frame.inventory.inventory import Inventory
from petstore_frame.inventory.page_fetcher import ReadingClient, Requests
from petstore_frame.inventory.provenance import Provenance
from petstore_frame.inventory.strategies import Reading
from petstore_frame.rendering import count_text
from petstore_frame.schema import PET_STATUSES, Pet, PetColumns, PetStatus
from petstore_frame.storage.progress import ProgressBar
from petstore_frame.validation import before_sending, checked_client, one_of, whole_number

log = logging.getLogger("petstore_frame.inventory")


def fetch_inventory(
    client: ReadingClient,
    *,
    status: PetStatus | None = None,
    max_pets: int | None = None,
    progress: bool | Callable[[int], None] | None = None,
) -> Inventory:
    """Read every pet that can be read, and say what that covers.

    The interface shows no way past 100 pets. This goes on where a store offers one (next links,
    headers, a parameter that reproduces rows already read), and says no more than it read.

    Args:
        client: A Client: ``pf.Client(base_url, api_key)``, or ``server.client()`` for a store of
            ``pf.serve()``.
        status: Only pets with this status: available, pending or sold; None for all.
        max_pets: Keep at most so many; None for no cap. A cap that cuts makes the verdict
            incomplete.
        progress: None shows a bar only where a person is watching, True always, False never; or
            a function that is called with the number of pets read.

    Returns:
        An Inventory: ``.frame`` has one row per pet (``id`` int64, ``name`` str, ``category_id``
        int64, ``status`` category), ``.completeness`` says what it covers.

    Raises:
        ArgumentError: An argument is not one of those above; nothing was sent.
        IncompleteInventoryError: The reading broke off with pets read; ``.partial`` has them.
        FetchInterrupted: Ctrl-C ended it with pets read; a KeyboardInterrupt with the same.
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
    checked_client(client, "ask_page")
    with before_sending():
        if status is not None:
            one_of("status", status, PET_STATUSES)
        cap = None if max_pets is None else whole_number("max_pets", max_pets, 1)
        display = ProgressBar(progress, "Pets read")
        ask = Requests(
            client,
            status=status,
            is_enough=None if cap is None else lambda rows: len(rows) > cap,
            on_rows=lambda rows: display.show(rows, rows),
        )
    reading = Reading(ask)
    try:
        with display:
            reading.run()
    except KeyboardInterrupt:
        _raise_if_any(FetchInterrupted, reading, cap, None)
        raise
    except PetstoreError as problem:
        _raise_if_any(IncompleteInventoryError, reading, cap, problem)
        raise
    return _inventory(reading, reading.evidence, cap)


def _raise_if_any(
    kind: type[FetchInterrupted | IncompleteInventoryError],
    reading: Reading,
    max_pets: int | None,
    cause: PetstoreError | None,
) -> None:
    """Raise what broke off with the pets that were read; return where none were."""
    if not len(reading.rows.columns().id):
        return
    left = [each for each in reading.evidence if each.shows is not Shows.END]
    partial = _inventory(reading, [Evidence(Fact.BROKE_OFF, count=reading.pages), *left], max_pets)
    raise kind(
        f"broke off after page {reading.pages} with {count_text(len(reading.rows), 'pet')} "
        f"read: {cause or 'interrupted'}",
        partial=partial,
    ) from cause


def _inventory(reading: Reading, evidence: list[Evidence], max_pets: int | None) -> Inventory:
    """Return the pets that were asked for, with what all the evidence comes to."""
    ask, columns = reading.ask, reading.rows.columns()
    evidence = [*evidence, *reading.of_rows()]
    matches = [status == ask.status for status in columns.status] if ask.status else []
    if mismatches := len(matches) - sum(matches):
        columns = PetColumns(*(list(compress(column, matches)) for column in columns))
        evidence.append(Evidence(Fact.FILTER_NOT_KEPT, count=mismatches))
    if max_pets is not None and len(columns.id) > max_pets:
        columns = columns.part(0, max_pets)
        left = [each for each in evidence if each.shows is not Shows.END]
        evidence = [Evidence(Fact.CUT_BY_MAX_PETS), *left]
    finding = weigh(evidence)
    counts, exact = count_statuses(Counter(columns.status)), finding.exact
    if finding.verdict is Verdict.COMPLETE:
        exact = frozenset(counts if ask.status is None else [ask.status]) - finding.inexact
    total = reading.total()
    if ask.status is not None and (total or 0) > len(reading.rows):
        total = None  # it may be that of all pets
    known = Completeness.of_counts(
        counts,
        finding.verdict,
        "" if finding.reason is None else str(finding.reason),
        exact,
        requests=ask.requests,
        status=ask.status,
        assumptions=finding.assumptions,
        evidence=tuple(dict.fromkeys(evidence)),
        advertised_total=total,
    )
    log.info("%s: %s, %d requests", ask.store.base_url, known, known.requests)
    made_at = datetime.fromtimestamp(time.time() - ask.oldest_s, UTC)
    provenance = Provenance(ask.store.base_url, made_at, ask.store_id)
    return Inventory.of_rows(columns.to_frame(), known, provenance)


@dataclass(frozen=True, repr=False)
class PetSearch:
    """What became of a search for a pet; ``find_pet`` makes it.

    ``pet`` is None unless it was found, ``reason`` the evidence as text. It is absent if the
    ``assumptions`` hold.
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
        raise TypeError("a search has three ends; ask .state or .pet")


@before_sending()
def find_pet(client: ReadingClient, pet_id: int) -> PetSearch:
    """Look for a pet by id, without the deprecated ``get_pet``.

    It reads the inventory until it meets the pet. A pet is absent only if everything was read.

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
    checked_client(client, "ask_page")
    pet_id = whole_number("pet_id", pet_id)
    ask = Requests(client, is_enough=lambda rows: pet_id in rows)
    reading = Reading(ask)
    reading.run()
    if pet_id in reading.rows:
        columns = reading.rows.columns()
        at = columns.id.index(pet_id)
        pet = columns.part(at, at + 1).pets()[0]
        return PetSearch("found", pet, "the store listed it", ask.requests)
    finding = weigh([*reading.evidence, *reading.of_rows()])
    reason = f"not among {count_text(len(reading.rows), 'pet')}: {finding.reason}"
    if finding.verdict is Verdict.COMPLETE:
        return PetSearch("absent", None, reason, ask.requests, finding.assumptions)
    return PetSearch("unknown", None, reason, ask.requests)
