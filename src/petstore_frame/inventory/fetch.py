"""Every pet that can be read, with what is known of it.

In: a client. Out: an Inventory, or an IncompleteInventoryError that keeps what was read and can
go on. It knows the ladder's verdict and no page of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, NoReturn

from petstore_frame._internal.arguments import (
    MAX_LIMIT,
    before_sending,
    checked_client,
    checked_id,
    checked_limit,
    checked_status,
    one_of,
    refuse,
    whole_number,
)
from petstore_frame.errors import (
    CrossOriginError,
    ForeignLinkError,
    IncompleteInventoryError,
    PaginationLoopError,
    PetstoreError,
)
from petstore_frame.inventory.completeness import (
    DAMAGED_TEXTS,
    Assumption,
    Completeness,
    StatusCount,
    Verdict,
)
from petstore_frame.inventory.finding import ALL_PETS, Finding
from petstore_frame.inventory.ids import IdWalk
from petstore_frame.inventory.progress import Meter
from petstore_frame.inventory.reader import DEFAULT_PROBE_BUDGET, PageReader, ReadingClient
from petstore_frame.inventory.result import Inventory
from petstore_frame.inventory.seal import seal
from petstore_frame.inventory.source import Source
from petstore_frame.inventory.strategies import CUT_BY_MAX_PETS, Ladder
from petstore_frame.schema.columns import PetColumns
from petstore_frame.schema.frame import to_frame
from petstore_frame.schema.models import NO_STATUS, PET_STATUSES, pets_text

MAX_IDS = 10_000


def fetch_inventory(
    client: ReadingClient,
    *,
    status: str | None = None,
    max_pets: int | None = None,
    progress: bool | Callable[[int], None] | None = None,
    limit: int = MAX_LIMIT,
    strategy: Literal["auto", "documented"] = "auto",
    probe_budget: int = DEFAULT_PROBE_BUDGET,
    id_range: tuple[int, int] | None = None,
) -> Inventory:
    """Read every pet that can be read, and say what that covers.

    The interface shows no way past 100 pets. This goes on where a store offers one (next links,
    headers, a parameter that reproduces rows already held), and claims no more than it read.

    Args:
        client: A Client: ``pf.Client(base_url, api_key)``, or ``server.client()`` for a store of
            ``pf.serve()``.
        status: Only pets with this status: available, pending or sold; None for all.
        max_pets: Keep at most so many; None for no cap. A cap that cuts makes the claim
            incomplete; one that is just met cuts nothing, and one more page is read to find out.
        progress: None shows a bar only where a person is watching, True always, False never; or
            a function that is called with the number of pets held.
        limit: Pets to ask for in a page, 1 to 100.
        strategy: ``auto``, or ``documented`` to use and believe only what the interface states.
        probe_budget: Requests allowed beyond the listing itself; what they brought is in
            ``.completeness.probes``.
        id_range: First and last id to ask for one by one with the deprecated ``get_pet`` where
            nothing else proves the listing whole, at most 10,000 and not with a status; None
            asks for none.

    Returns:
        An Inventory: ``.frame`` has one row per pet (``id`` int64, ``name`` str, ``category_id``
        int64, ``status`` category), ``.completeness`` says what it covers.

    Raises:
        ArgumentError: An argument is not one of those above; nothing was sent.
        IncompleteInventoryError: The reading broke off (also by Ctrl-C) with pets held; it has
            ``.partial`` and ``.resume()``.
        PaginationLoopError: The store's way on leads back; also an IncompleteInventoryError.
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
        fetch = _Fetch(
            client,
            status=checked_status(status),
            limit=checked_limit(limit),
            max_pets=None if max_pets is None else whole_number("max_pets", max_pets, 1),
            may_probe=one_of("strategy", strategy, ("auto", "documented")) == "auto",
            probe_budget=whole_number("probe_budget", probe_budget, 0),
            id_range=_checked_range(id_range),
            meter=Meter(progress),
        )
    return fetch.run()


class _Fetch:
    """One fetch, which can be run again after it broke off and then goes on where it was."""

    def __init__(
        self,
        store: ReadingClient,
        *,
        status: str | None,
        limit: int,
        max_pets: int | None,
        may_probe: bool,
        probe_budget: int,
        id_range: tuple[int, int] | None,
        meter: Meter,
    ) -> None:
        self._store = store
        self._status = status
        self._max_pets = max_pets
        self._id_range = id_range
        self._id_walk: IdWalk | None = None
        self._meter = meter
        self._reader = PageReader(
            store, status=status, limit=limit, budget=probe_budget, on_rows=meter
        )
        self._ladder = Ladder(self._reader, may_probe=may_probe, max_pets=max_pets)

    def run(self) -> Inventory:
        # A resumed fetch asks the same questions again, so it gets their budget again.
        self._reader.spent = 0
        try:
            with self._reader.interrupts as interrupts:
                finding = self._with_ids(self._ladder.climb())
            interrupts.deliver()
        except (PetstoreError, KeyboardInterrupt) as problem:
            if not len(self._ladder.rows):
                raise
            self._raise_incomplete(problem)
        finally:
            self._meter.close()
        return self._inventory(finding)

    def _with_ids(self, finding: Finding) -> Finding:
        """Ask for single ids where nothing else proved the listing whole."""
        rows = self._ladder.rows
        whole = finding.verdict is Verdict.COMPLETE and finding.scope == ALL_PETS
        is_full = self._max_pets is not None and len(rows) >= self._max_pets
        if self._id_range is None or whole or is_full:
            return finding
        first, last = self._id_range
        if self._id_walk is None:
            control_id = rows.last_id if len(rows) else None
            self._id_walk = IdWalk(
                self._reader, rows, first, last, control_id=control_id, max_pets=self._max_pets
            )
        self._id_walk.run()
        finding = self._without(finding, self._id_walk.found)
        if not self._id_walk.is_whole or finding.verdict is Verdict.COMPLETE:
            return finding
        return Finding(
            Verdict.COMPLETE,
            "asked one by one, while a pet that is listed still answered",
            f"ids {first} to {last}",
            (*finding.assumptions, Assumption.IDS_ANSWER_TRULY),
            finding.exact,
            sum(first <= pet_id <= last for pet_id in rows.columns().id),
        )

    def _without(self, finding: Finding, found: Counter[str | None]) -> Finding:
        """Take back what a pet refutes that answers to its id and was on no page of its status."""
        refuted = finding.exact & set(found)
        if not refuted:
            return finding
        count = sum(found[status] for status in refuted)
        self._ladder.conflicts.append(
            f"the pages of their status left out {pets_text(count)} found by id"
        )
        exact = finding.exact - refuted
        if finding.verdict is not Verdict.COMPLETE:
            return replace(finding, exact=exact)
        basis = f"{finding.basis}, but they left out pets"
        return Finding(Verdict.UNKNOWN, basis, assumptions=finding.assumptions, exact=exact)

    def _inventory(self, finding: Finding) -> Inventory:
        columns = self._ladder.rows.columns()
        if self._status is not None:
            held = len(columns.id)
            columns = _only(columns, self._status)
            finding = self._with_strays(finding, held - len(columns.id))
        if self._max_pets is not None and len(columns.id) > self._max_pets:
            columns, finding = columns.part(0, self._max_pets), CUT_BY_MAX_PETS
        frame = to_frame(columns)
        claim = self._claim(finding, columns)
        read_at = self._reader.ages.read_at()
        source = Source(claim, read_at, self._store.base_url, self._reader.store_id)
        return Inventory(seal(frame, source), source)

    def _with_strays(self, finding: Finding, strays: int) -> Finding:
        """Claim nothing whole of a filtered listing that held pets of other statuses."""
        if not strays:
            return finding
        self._ladder.conflicts.append(
            f"the listing filtered by {self._status} has {pets_text(strays)} of another status"
        )
        # Where a cap ended the reading, the pets that filled it may be those of other statuses.
        if finding.verdict is not Verdict.COMPLETE and finding is not CUT_BY_MAX_PETS:
            return finding
        return Finding(Verdict.UNKNOWN, f"{finding.basis}, but the filter was not kept to")

    def _claim(self, finding: Finding, columns: PetColumns) -> Completeness:
        verdict = finding.verdict
        if finding.scope != ALL_PETS and verdict is Verdict.COMPLETE:
            verdict = Verdict.UNKNOWN  # a part is whole: ``by_status`` has it
        is_whole = verdict is Verdict.COMPLETE
        seen = Counter(columns.status)
        counts: dict[str, int] = {status: seen.pop(status, 0) for status in PET_STATUSES}
        without = seen.pop(None, 0)
        counts |= {str(status): seen[status] for status in sorted(map(str, seen))}
        counts[NO_STATUS] = counts.get(NO_STATUS, 0) + without
        exact = finding.exact
        if is_whole:
            exact = frozenset(counts) if self._status is None else frozenset({self._status})
        # A count is of one moment, and a pet that came with two statuses is of two.
        exact -= {status or NO_STATUS for status in self._ladder.rows.disputed}
        return Completeness(
            verdict,
            finding.basis,
            rows=len(columns.id),
            requests=self._reader.requests,
            status=self._status,
            assumptions=tuple(str(assumption) for assumption in finding.assumptions),
            by_status={name: StatusCount(n, name in exact) for name, n in counts.items()},
            advertised_total=self._ladder.total,
            conflicts=tuple(self._conflicts(columns)),
            probes=dict(self._reader.probes),
            probe_budget=self._reader.budget,
        )

    def _conflicts(self, columns: PetColumns) -> list[str]:
        changed = len(set(self._ladder.rows.changed_ids))
        conflicts = [*self._ladder.conflicts, self._reader.ages.conflict()]
        if changed:
            conflicts.append(
                f"{pets_text(changed)} came twice with other values; the later is kept"
            )
        if damaged := self._reader.damaged and self._reader.damaged.intersection(columns.id):
            conflicts.append(f"{DAMAGED_TEXTS} {pets_text(len(damaged))}")
        return list(dict.fromkeys(filter(None, conflicts)))

    def _raise_incomplete(self, problem: BaseException) -> NoReturn:
        """Raise what happened, with the pages read and the way to go on."""
        pages, held = self._ladder.pages, len(self._ladder.rows)
        is_interrupt = isinstance(problem, KeyboardInterrupt)
        cause = "interrupted" if is_interrupt else str(problem)
        partial = self._inventory(Finding(Verdict.INCOMPLETE, f"broke off after page {pages}"))
        kinds: dict[type[BaseException], type[IncompleteInventoryError]] = {
            PaginationLoopError: PaginationLoopError,
            CrossOriginError: ForeignLinkError,
        }
        kind = kinds.get(type(problem), IncompleteInventoryError)
        raise kind(
            f"broke off after page {pages} with {pets_text(held)} held: {cause}; "
            "they are in this error's .partial, and .resume() goes on",
            partial=partial,
            cause=problem,
            resume=self.run,
        ) from (None if is_interrupt else problem)


def _only(columns: PetColumns, status: str) -> PetColumns:
    """Leave out pets that a store lists in spite of the filter."""
    if all(found == status for found in columns.status):
        return columns
    rows = [row for row in zip(*columns, strict=True) if row[3] == status]
    return PetColumns(*map(list, zip(*rows, strict=True))) if rows else PetColumns([], [], [], [])


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
