"""Reads one listing: tries each strategy in turn to find its end, and gathers the evidence.

A store may cut its pages at a length of its own without a word, so a short page alone is believed
only where nothing that was asked beside it speaks against it. A stated total may refute a listing,
and never proves one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from petstore_frame.inventory.evidence import Assumption, Evidence, Fact, Shows
from petstore_frame.inventory.page_fetcher import MAX_LIMIT, MOST_PROBES, OF_ALL, Requests, Rows
from petstore_frame.inventory.pagination import LinkWalk, Walk, WindowWalk, find_parameter
from petstore_frame.rendering import NO_STATUS
from petstore_frame.schema import PET_STATUSES, PetColumns
from petstore_frame.transport import Page

# Fewer pets than this on a page are no page that a program would choose.
SMALLEST_CAP = 10
# Lengths that stores give a page where they pass over the limit, or cut at less.
USUAL_LENGTHS = frozenset((20, 25, 50))
# What a listing that was read over several pages rests on, and pages of the statuses.
_HOLDS_STILL = (Assumption.KEEPS_ORDER, Assumption.NONE_LEAVES, Assumption.NONE_CHANGES)
_OF_STATUSES = (Assumption.ONE_CAP, Assumption.FILTER_IS_TRUE, Assumption.NONE_CHANGES)
# Ages are whole seconds, and a reading takes a moment.
_TOLERANCE_S = 2.0


class StatusPages:
    """One page of each status that came, beside ``first``, the first page of all pets.

    Pets without a status match no filter, so these pages alone never cover a store.

    Attributes:
        pages: All that came, by status, and ``ids`` of their pets.
        notes: What contradicts the filter; each is about its status alone. A page that holds other
            statuses, too, says as little as a refusal.
        usable: The pages that kept to their filter.
        left_out: How many of these pets are not on the first page.
        is_filtered_first: Whether the lengths of the pages say anything: all are usable, and the
            filter comes before the limit. ``whole`` asks, where that is open.
    """

    def __init__(self, first: Page, pages: Mapping[str, Page]) -> None:
        self.first, self.pages = first, pages
        self.ids = {pet_id for page in pages.values() for pet_id in page.columns.id}
        kept = {name: page for name, page in pages.items() if not page.mismatches(name)}
        self.notes = [e for name, page in kept.items() for e in check_filter(page, first, name)]
        refuted = {each.scope for each in self.notes}
        self.usable = {name: page for name, page in kept.items() if name not in refuted}
        self.left_out = len(self.ids - {*first.columns.id})
        self._are_usable = len(self.usable) == len(PET_STATUSES)
        self.is_filtered_first = self._are_usable and (self.left_out > 0 or passes_over(first))

    def whole(self, ask: Requests) -> list[str]:
        """Return the statuses whose page is short, and states neither a next page nor more pets."""
        if self._are_usable and not self.left_out:
            self.is_filtered_first = filters_first(ask, self.first)
        found = []
        for status, page in sorted(self.usable.items() if self.is_filtered_first else ()):
            total, first = page.total or 0, self.first
            is_of_all = total == first.total and first.mismatches(status) > 0
            is_outnumbered = total > len(page) and not is_of_all
            is_short = len(page) < min(ask.max_page, page.limit or MAX_LIMIT)
            if is_short and not page.may_name_next and not is_outnumbered:
                found.append(status)
        return found

    def confirm_first(self, ask: Requests) -> bool:
        """Return whether no pet with a status is missing from the first page.

        So it is where they hold the same pets and each is shorter: whatever length the store cuts
        pages at, it is at least that of the first page, so none of the shorter ones was cut.
        Empty pages confirm nothing.
        """
        is_longest = all(len(page) < len(self.first) for page in self.pages.values())
        if not is_longest or len(self.whole(ask)) < len(PET_STATUSES):
            return False
        with_status = (ids_with(self.first.columns, status) for status in PET_STATUSES)
        return bool(self.ids) and self.ids == set().union(*with_status)


def passes_over(whole: Page) -> bool:
    """Return whether a store gave more than the limit: then it cuts nothing."""
    return len(whole) > (whole.limit or MAX_LIMIT)


def filters_first(ask: Requests, whole: Page) -> bool:
    """Return whether the filter comes before the limit: after it, it sees one page alone.

    Two limits are tried that fewer pets of a status meet among as many rows of all pets. A store
    that cut first would give fewer than were asked for; one that raises small limits to a length
    of its own would give the same number twice.
    """
    if passes_over(whole):
        return True
    for status in PET_STATUSES:
        rows = [row for row, found in enumerate(whole.columns.status, 1) if found == status]
        sizes = [size for size, row in enumerate(rows, 1) if row > size][-2:]
        if len(sizes) == 2:
            pages = (ask.probe(ask.params(limit=size, status=status)) for size in sizes)
            return all(
                page is not None and len(page) == size and not page.mismatches(status)
                for page, size in zip(pages, sizes, strict=True)
            )
    return False


def check_filter(page: Page, whole: Page, status: str) -> Iterator[Evidence]:
    """Yield what shows that a page of a status did not keep to it, beside a page of all pets."""
    missing = ids_with(whole.columns, status) - {*page.columns.id}
    has_room = len(page) < len(whole) and not page.may_name_next
    if mismatches := page.mismatches(status):
        yield Evidence(Fact.FILTER_NOT_KEPT, status, count=mismatches)
    elif missing and has_room:
        yield Evidence(Fact.FILTER_LEFT_OUT, status, count=len(missing))


def ids_with(pets: PetColumns, status: str) -> set[int]:
    """Return the ids of the pets with a status."""
    return {pet_id for pet_id, found in zip(pets.id, pets.status, strict=True) if found == status}


class Reading:
    """One listing as far as it was read; ``run`` reads it.

    Attributes:
        rows: The pets of the listing; at the end those too that only other pages showed.
        evidence: All that was learned so far.
        walk: The walk through the listing that was begun, or None.
    """

    first: Page

    def __init__(self, ask: Requests) -> None:
        self.ask, self.rows = ask, Rows()
        self.evidence: list[Evidence] = []
        self.walk: Walk | None = None
        self._statuses: StatusPages | None = None

    @property
    def pages(self) -> int:
        """Pages read of the listing itself."""
        return self.walk.pages if self.walk is not None else min(1, len(self.rows))

    def run(self) -> None:
        """Read what can be read, by each strategy until one finds the end or that there is none."""
        first = self.first = self.ask.page(self.ask.params(), number=1)
        self.rows.add(first.columns)
        self.ask.on_rows(len(self.rows))
        if mismatches := first.mismatches(self.ask.status):
            self.evidence.append(Evidence(Fact.FILTER_NOT_KEPT, count=mismatches))
        try:
            for strategy in (
                self._follow_links,
                self._confirm_page,
                self._follow_parameter,
                self._believe_short_page,
                self._count_statuses,
            ):
                if self.ask.has_enough(self.rows):
                    break
                self.evidence += strategy()
                is_whole = self._has(Shows.END) and not self._count_left_out()
                if is_whole or self._has(Shows.MOVED):
                    break
        finally:  # where it breaks off, too, their pets were read
            left_out = self._count_left_out()
            for page in {} if self._statuses is None else self._statuses.pages.values():
                self.rows.add(page.columns, is_earlier=True)
        self.evidence += self._of_all(left_out)

    def _has(self, shows: Shows) -> bool:
        return any(each.scope is None and each.shows is shows for each in self.evidence)

    # The strategies: each yields what it shows.

    def _follow_links(self) -> Iterator[Evidence]:
        """Go on as the first page links it, to the end."""
        if self.first.next_address is not None:
            yield from self._read_through(LinkWalk(self.ask, self.first, self.rows))

    def _confirm_page(self) -> Iterator[Evidence]:
        """Believe a short page that the pages of the statuses, or that of all pets, confirm."""
        ask, first = self.ask, self.first
        if not self._may_be_whole() or (ask.status and len(first) > MAX_LIMIT):
            return
        if ask.status is not None:
            whole = ask.probe(OF_ALL)
            if whole is not None:
                for contradiction in check_filter(first, whole, ask.status):
                    yield Evidence(contradiction.fact, count=contradiction.count)
                if len(whole) > len(first) and filters_first(ask, whole):
                    yield self._end(Fact.PAGE_CONFIRMED, Assumption.ONE_CAP)
            return
        statuses = self._ask_statuses()
        if statuses is not None and statuses.confirm_first(ask):
            known = (Assumption.FILLS_PAGES_WITHOUT_STATUS, *_OF_STATUSES)
            yield self._end(Fact.PAGE_CONFIRMED, *known)

    def _follow_parameter(self) -> Iterator[Evidence]:
        """Look for a parameter that moves a window over the listing, and read through it."""
        if self.walk is None and len(self.first) <= MAX_LIMIT:
            found = find_parameter(self.ask, self.first)
            if found is not None:
                yield from self._read_through(WindowWalk(self.ask, self.first, self.rows, found))

    def _believe_short_page(self) -> Iterator[Evidence]:
        """Believe a short page where nothing speaks against it, and it is no usual length."""
        ask, first = self.ask, self.first
        is_refuted = any(each.is_contradiction for each in self.evidence)
        is_one_page = self.walk is None and len(first) < MAX_LIMIT and self._may_be_whole()
        if is_refuted or not is_one_page:
            return
        statuses = self._ask_statuses()
        if statuses is not None and statuses.notes:
            return  # a page shows that the filter does not hold
        is_usual = len(first) in USUAL_LENGTHS and ask.max_page <= len(first)
        if not is_usual and not self._may_be_cut():
            yield self._end(Fact.PAGE_HAD_ROOM, Assumption.FILLS_PAGES)

    def _count_statuses(self) -> Iterator[Evidence]:
        """Say which statuses were read whole, where the listing itself shows no end."""
        statuses = self._ask_statuses()
        if statuses is None:
            return
        listed = self.rows.columns()
        for status in statuses.whole(self.ask):
            left_out = ids_with(listed, status) - {*statuses.usable[status].columns.id}
            if left_out:
                yield Evidence(Fact.FILTER_LEFT_OUT, status, count=len(left_out))
            else:
                yield self._end(Fact.STATUS_PAGE_WHOLE, *_OF_STATUSES, scope=status)

    # What they rest on.

    def _read_through(self, walk: Walk) -> Iterator[Evidence]:
        """Walk to the end of the listing; yield what was met, and the end if all fits."""
        ask, self.walk = self.ask, walk
        # Before the walk: it then cannot miss a pet that came after they were read. A reading that
        # may stop early asks them only at its end.
        if ask.is_enough is None and ask.spent + len(PET_STATUSES) < MOST_PROBES:
            self._ask_statuses()
        walk.run()
        if not walk.is_over:
            return
        met = list(walk.look_back())
        yield from met
        if not met:
            over_time = _HOLDS_STILL if walk.pages > 1 else ()
            self._ask_statuses()
            yield self._end(walk.fact, walk.reach, *over_time, detail=walk.detail)

    def _ask_statuses(self) -> StatusPages | None:
        """Ask once for a page of each status; None where one is read, or the budget too small."""
        ask = self.ask
        has_budget = ask.spent + len(PET_STATUSES) <= MOST_PROBES
        if self._statuses is None and ask.status is None and has_budget:
            asked = [(name, ask.probe(ask.params(status=name))) for name in PET_STATUSES]
            pages = {str(name): page for name, page in asked if page is not None}
            self._statuses = StatusPages(self.first, pages) if pages else None
        return self._statuses

    def _may_be_whole(self) -> bool:
        """Return whether the first page may be the whole listing."""
        first = self.first
        return len(first) != MAX_LIMIT and not first.may_name_next and not self._states_more()

    def _may_be_cut(self) -> bool:
        """Return whether the page beside it is as long, or shows that the store cut this one."""
        ask, first, statuses = self.ask, self.first, self._statuses
        whole = None if ask.status is None else ask.probe(OF_ALL)
        if whole is not None:
            is_longer = len(whole) > len(first)
            return len(whole) >= MAX_LIMIT if is_longer else len(first) >= SMALLEST_CAP
        if statuses is None:
            return False
        longest = max(map(len, statuses.usable.values()), default=0)
        return longest >= len(first) >= SMALLEST_CAP or statuses.left_out > 0

    def _end(self, fact: Fact, *assumptions: Assumption, **values: Any) -> Evidence:
        """Return evidence of an end, with what any end rests on besides its own assumptions."""
        known = dict.fromkeys(assumptions)
        if self.ask.status is not None:
            known[Assumption.FILTER_IS_TRUE] = None
        elif "scope" not in values:
            has_asked = self._statuses is not None and self._statuses.is_filtered_first
            without_status = Assumption.LISTS_PETS_WITHOUT_STATUS
            known[without_status if has_asked else Assumption.LISTS_EVERY_STATUS] = None
        if self.ask.requests > 1:
            known[Assumption.NO_OLD_ANSWER] = None
        return Evidence(fact, assumptions=tuple(known), **values)

    def total(self) -> int | None:
        """Return the total that the store stated last for this listing, or None."""
        first, walk = self.first, self.walk
        if first.mismatches(self.ask.status):
            return None  # a page that holds other pets too counts those as well
        last = walk.last.total if walk is not None and walk.is_over else None
        return first.total if last is None else last

    def _states_more(self) -> bool:
        return (self.total() or 0) > len(self.rows)

    def _count_left_out(self) -> int:
        """Return how many pets only the pages of the statuses have, where the listing ended."""
        is_open = len(self.first) == MAX_LIMIT if self.walk is None else not self.walk.is_over
        if self._statuses is None or is_open:
            return 0
        return sum(pet_id not in self.rows for pet_id in self._statuses.ids)

    def _of_all(self, left_out: int) -> Iterator[Evidence]:
        """Yield what the totals, the statuses and the ages show at last."""
        ask, first = self.ask, self.first
        if self.walk is None and not ask.has_enough(self.rows):
            if first.may_name_next:
                yield Evidence(Fact.NEXT_NOT_READ)
            elif not self._has(Shows.END) and len(first) >= MAX_LIMIT:
                yield Evidence(Fact.PAGE_FULL)
            elif not self._has(Shows.END):
                yield Evidence(Fact.PAGE_MAY_BE_CUT, count=len(first))
        if left_out:
            yield Evidence(Fact.STATUSES_HOLD_MORE, count=left_out)
        if self._statuses is not None:
            yield from self._statuses.notes
        if self._states_more() and ask.status is None:
            assumptions = (Assumption.TOTAL_IS_TRUE, Assumption.NO_OLD_ANSWER)
            yield Evidence(Fact.TOTAL_LARGER, assumptions=assumptions, count=self.total() or 0)
        elif self._states_more():
            yield Evidence(Fact.TOTAL_OF_ALL, count=self.total() or 0)
        # Answers of two ages show the store at two times.
        if (apart_s := ask.oldest_s - ask.newest_s) > _TOLERANCE_S:
            yield Evidence(Fact.OLD_ANSWER, detail=f"{apart_s:,.0f} s")

    def of_rows(self) -> Iterator[Evidence]:
        """Yield what the rows that came twice show, and the names of two stores."""
        if self.ask.two_names:
            yield Evidence(Fact.OTHER_STORE, detail=self.ask.two_names)
        for status in self.rows.disputed:
            yield Evidence(Fact.STATUS_MOVED, status or NO_STATUS)
        if self.rows.ambiguous_id is not None:
            yield Evidence(Fact.ONE_ID_TWICE, count=self.rows.ambiguous_id)
