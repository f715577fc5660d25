"""Every pet that can be read, with what is known of it."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from petstore_frame._internal.arguments import (
    answered,
    before_sending,
    checked_client,
    checked_id,
    checked_limit,
    checked_status,
    one_of,
    refuse,
    renamed,
    whole_number,
)
from petstore_frame._internal.progress import Display, open_progress
from petstore_frame.errors import CrossOriginError, PetstoreError
from petstore_frame.errors.frames import callers_level
from petstore_frame.inventory.asker import DEFAULT_PROBE_BUDGET, Asker, ReadingClient
from petstore_frame.inventory.broken_off import (
    FetchInterrupted,
    ForeignLinkError,
    IncompleteInventoryError,
    PaginationLoopError,
)
from petstore_frame.inventory.completeness import (
    Completeness,
    StatusCount,
    Verdict,
    count_statuses,
)
from petstore_frame.inventory.evidence import Evidence, Fact, Shows
from petstore_frame.inventory.id_walk import IdWalk
from petstore_frame.inventory.origin import Origin, stamp
from petstore_frame.inventory.result import Inventory
from petstore_frame.inventory.stated_total import Total, known_total
from petstore_frame.inventory.strategies import Reading, evidence_of_rows
from petstore_frame.inventory.weigh import weigh
from petstore_frame.schema.frame import PetColumns, to_frame
from petstore_frame.schema.models import MAX_LIMIT, PetStatus
from petstore_frame.schema.text import pets_text

log = logging.getLogger("petstore_frame.inventory")
MAX_IDS = 10_000
_BY_CATEGORY = (
    ", because the store filters by status alone; "
    "write pf.fetch_inventory(client).where(category_id=3)"
)
Progress = bool | Callable[[int], None] | None


@answered(category=_BY_CATEGORY, category_id=_BY_CATEGORY)
@renamed(probe_budget="max_probes")
def fetch_inventory(
    client: ReadingClient,
    *,
    status: PetStatus | None = None,
    max_pets: int | None = None,
    progress: bool | Callable[[int], None] | None = None,
    limit: int = MAX_LIMIT,
    strategy: Literal["auto", "documented"] = "auto",
    max_probes: int = DEFAULT_PROBE_BUDGET,
    id_range: tuple[int, int] | None = None,
) -> Inventory:
    """Read every pet that can be read, and say what that covers.

    The interface shows no way past 100 pets. This goes on where a store offers one (next links,
    headers, a parameter that reproduces rows already read), and says no more than it read.

    Args:
        client: A Client: ``pf.Client(base_url, api_key)``, or ``server.client()`` for a store of
            ``pf.serve()``.
        status: Only pets with this status: available, pending or sold; None for all.
        max_pets: Keep at most so many; None for no cap. A cap that cuts makes the verdict
            incomplete; one that is just met cuts nothing, and one more page is read to find out.
        progress: None shows a bar only where a person is watching, True always, False never; or
            a function that is called with the number of pets read.
        limit: Pets to ask for in a page, 1 to 100.
        strategy: ``auto``, or ``documented`` to use and believe only what the interface states.
        max_probes: Requests allowed beyond the listing itself; what they brought is in
            ``.completeness.evidence``.
        id_range: First and last id to ask for one by one with the deprecated ``get_pet`` where
            the listing is not complete, at most 10,000 and not with a status; None asks for
            none. It brings rows that no page shows, and never makes a listing complete.

    Returns:
        An Inventory: ``.frame`` has one row per pet (``id`` int64, ``name`` str, ``category_id``
        int64, ``status`` category), ``.completeness`` says what it covers.

    Raises:
        ArgumentError: An argument is not one of those above; nothing was sent.
        IncompleteInventoryError: The reading broke off with pets read; it has ``.partial`` and
            ``.resume()``.
        FetchInterrupted: Ctrl-C ended it with pets read; a KeyboardInterrupt with the same.
        PaginationLoopError: The store's next links lead back; also an IncompleteInventoryError.
        APIStatusError: The store refused the first page.
        APIConnectionError: No answer to the first page, after the retries.
        ContractError: The first page is not a list of pets.

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
        if status is not None and id_range is not None:
            refuse("id_range asks for pets of every status; leave out the status, or the id_range")
        cap = None if max_pets is None else whole_number("max_pets", max_pets, 1)
        meter = FetchProgress(progress)
        ask = Asker(
            client,
            status=checked_status(status),
            limit=checked_limit(limit),
            budget=whole_number("max_probes", max_probes, 0),
            may_probe=one_of("strategy", strategy, ("auto", "documented")) == "auto",
            is_enough=None if cap is None else lambda rows: len(rows) > cap,
            on_rows=meter,
        )
        fetch = _Fetch(ask, max_pets=cap, id_range=_checked_range(id_range), meter=meter)
    return fetch.run()


class FetchProgress:
    """Shows the number of pets read; a failure to show it never ends a fetch.

    Raises:
        ArgumentError: The option is not a function, True, False or None.
    """

    def __init__(self, progress: Progress) -> None:
        self._display: Display[int] | None = open_progress(progress, "Pets read", leave=False)

    def __call__(self, held: int) -> None:
        if self._display is None:
            return
        try:
            self._display.show(held, held)
        except Exception as problem:  # noqa: BLE001 # the fetch matters more than its picture
            self._display = None
            text = f"progress is no longer shown: {problem}"
            warnings.warn(text, RuntimeWarning, stacklevel=callers_level())

    def close(self) -> None:
        """Close the bar; a resumed fetch opens another."""
        if self._display is not None:
            self._display.close()


@dataclass(eq=False)
class _Fetch:
    """One fetch, which can be run again after it broke off and then goes on where it was.

    ``evidence`` is collected once: after that, pets found by their ids would count as part of the
    listing.
    """

    ask: Asker
    max_pets: int | None
    id_range: tuple[int, int] | None
    meter: FetchProgress
    evidence: tuple[Evidence, ...] | None = None
    id_walk: IdWalk | None = None

    def __post_init__(self) -> None:
        self.reading = Reading(self.ask)

    def run(self) -> Inventory:
        # A resumed fetch repeats the questions without an answer, so it gets the budget again.
        self.ask.begin_again()
        try:
            with self.ask.interrupts as interrupts:
                evidence = self._read()
            interrupts.deliver()
        except (PetstoreError, KeyboardInterrupt) as problem:
            if not len(self.ask.rows):
                raise
            self._raise_incomplete(problem)
        finally:
            self.meter.close()
        return self._inventory(evidence)

    def _read(self) -> tuple[Evidence, ...]:
        if self.evidence is None:
            self.evidence = self.reading.run()
        finding = weigh(self.evidence)
        if self.ask.has_enough(self.ask.rows):
            is_of_others = len(self._columns().id) <= (self.max_pets or 0)
            cut = Evidence(Fact.CUT_BY_OTHERS if is_of_others else Fact.CUT_BY_MAX_PETS)
            return (*self.evidence, cut)
        if self.id_range is None or finding.verdict is Verdict.COMPLETE:
            return self.evidence
        if self.id_walk is None:
            self.id_walk = IdWalk(self.ask, *self.id_range)
        self.id_walk.run()
        return (*self.evidence, *self.id_walk.evidence(finding.exact))

    def _columns(self) -> PetColumns:
        """Return the pets without those that do not match the filter."""
        columns, status = self.ask.rows.columns(), self.ask.status
        if status is None or all(found == status for found in columns.status):
            return columns
        kept = [pet for pet in columns.pets() if pet.status == status]
        return PetColumns.of_pets(kept) if kept else columns.part(0, 0)

    def _inventory(self, evidence: tuple[Evidence, ...]) -> Inventory:
        columns = self._columns()
        evidence = (*evidence, *evidence_of_rows(self.ask))
        if mismatches := len(self.ask.rows) - len(columns.id):
            evidence += (Evidence(Fact.FILTER_NOT_KEPT, count=mismatches),)
        if self.max_pets is not None and len(columns.id) > self.max_pets:
            columns = columns.part(0, self.max_pets)
            left = (each for each in evidence if each.shows is not Shows.END)
            evidence = (Evidence(Fact.CUT_BY_MAX_PETS), *left)
        known = self._completeness(tuple(dict.fromkeys(evidence)), columns)
        log.info("%s: %s, %d requests", self.ask.store.base_url, known, known.requests)
        read_at = self.ask.ages.read_at()
        origin = Origin(self.ask.store.base_url, read_at, self.ask.store_id)
        return Inventory(stamp(to_frame(columns), known, origin), origin)

    def _completeness(self, evidence: tuple[Evidence, ...], columns: PetColumns) -> Completeness:
        finding, first = weigh(evidence), self.reading.first
        total = Total() if first is None else known_total(first, self.ask)
        counts, exact = count_statuses(columns.status), finding.exact
        if finding.verdict is Verdict.COMPLETE:
            asked = counts if self.ask.status is None else [self.ask.status]
            exact = frozenset(asked) - finding.inexact
        return Completeness(
            finding.verdict,
            "" if finding.basis is None else str(finding.basis),
            rows=len(columns.id),
            requests=self.ask.requests,
            status=self.ask.status,
            assumptions=finding.assumptions,
            evidence=evidence,
            by_status={name: StatusCount(n, name in exact) for name, n in counts.items()},
            advertised_total=total.of_listing(len(self.ask.rows)),
        )

    def _raise_incomplete(self, problem: BaseException) -> NoReturn:
        """Raise what happened, with the pages read and the way to go on."""
        pages, pets = self.ask.pages, len(self.ask.rows)
        is_interrupt = isinstance(problem, KeyboardInterrupt)
        cause = "interrupted" if is_interrupt else str(problem)
        left = (each for each in self.reading.evidence if each.shows is not Shows.END)
        partial = self._inventory((Evidence(Fact.BROKE_OFF, count=pages), *left))
        kind: type[IncompleteInventoryError | FetchInterrupted] = IncompleteInventoryError
        if is_interrupt:
            kind = FetchInterrupted
        elif isinstance(problem, PaginationLoopError):
            kind = PaginationLoopError
        elif isinstance(problem, CrossOriginError):
            kind = ForeignLinkError
        raise kind(
            f"broke off after page {pages} with {pets_text(pets)} read: {cause}; "
            "they are in this error's .partial, and .resume() goes on",
            partial=partial,
            cause=problem,
            resume=self.run,
        ) from (None if is_interrupt else problem)


def _checked_range(id_range: Any) -> tuple[int, int] | None:
    if id_range is None:
        return None
    try:
        first, last = map(checked_id, id_range)
    except (TypeError, ValueError):
        refuse(f"id_range is a first and a last id, such as (1, 500), got {id_range!r}")
    if not 0 <= last - first < MAX_IDS:
        refuse(f"id_range is at most {MAX_IDS:,} ids, the first one first, got {id_range!r}")
    return first, last
