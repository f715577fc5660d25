"""Weighs single pages and stated totals: the first page, and a page of each status.

A store may cut its pages at a length of its own without a word, so a short page alone is believed
only where nothing that was asked beside it speaks against it. Pets without a status match no
filter, so the pages of the statuses alone never cover a store. A stated total may refute a listing,
and never proves one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from petstore_frame.inventory.evidence import Assumption, Evidence, Fact
from petstore_frame.inventory.requests import Requests
from petstore_frame.schema.models import MAX_LIMIT, PET_STATUSES
from petstore_frame.transport.page import Page

# Fewer pets than this on a page are no page that a program would choose.
SMALLEST_CAP = 10
# Lengths that stores give a page where they pass over the limit, or cut at less.
USUAL_LENGTHS = frozenset((20, 25, 50))
_OF_STATUSES = (Assumption.ONE_CAP, Assumption.FILTER_IS_TRUE, Assumption.NONE_CHANGES)


def confirmed_page(first: Page, ask: Requests) -> Iterator[Evidence]:
    """Believe a short page that the pages of the statuses, or that of all pets, confirm."""
    if not _ask_whether_whole(first, ask) or (ask.status and len(first) > ask.limit):
        return
    if ask.status is not None:
        whole = ask.probe(ask.params_of_all)
        if whole is not None:
            for contradiction in check_filter(first, whole, ask.status):
                yield Evidence(contradiction.fact, count=contradiction.count)
            if len(whole) > len(first) and filters_first(ask, whole, ask.probe):
                yield end_of(ask, None, Fact.PAGE_CONFIRMED, Assumption.ONE_CAP)
        return
    statuses = _hold_statuses(first, ask)
    if statuses is not None and statuses.are_usable and statuses.confirm_first():
        known = (Assumption.FILLS_PAGES_WITHOUT_STATUS, *_OF_STATUSES)
        yield end_of(ask, statuses, Fact.PAGE_CONFIRMED, *known)


def short_page(first: Page, ask: Requests) -> Iterator[Evidence]:
    """Believe a short page where nothing speaks against it, and it is no usual length of a page."""
    is_long = len(first) > ask.limit
    if is_long or ask.way is not None or not _ask_whether_whole(first, ask):
        return
    statuses = ask_statuses(first, ask)
    whole = None if ask.status is None else ask.probe(ask.params_of_all)
    if statuses is not None and len(statuses.usable) < len(statuses.answered):
        return  # a page shows that the filter does not hold
    is_usual = len(first) in USUAL_LENGTHS and ask.max_page <= len(first)
    if not is_usual and not _may_be_cut(first, ask.limit, statuses, whole):
        yield end_of(ask, statuses, Fact.PAGE_HAD_ROOM, Assumption.FILLS_PAGES)


def status_pages(first: Page, ask: Requests) -> Iterator[Evidence]:
    """Say which statuses were read whole, where the listing itself shows no end."""
    statuses = _hold_statuses(first, ask)
    if statuses is None:
        return
    held = Counter(ask.rows.columns().status)
    for status in sorted(statuses.whole(ask.max_page)):
        left_out = held[status] - len(statuses.usable[status])
        if left_out > 0:
            yield Evidence(Fact.FILTER_LEFT_OUT, status, count=left_out)
        else:
            yield end_of(ask, statuses, Fact.STATUS_PAGE_WHOLE, *_OF_STATUSES, scope=status)


def end_of(
    ask: Requests, statuses: StatusPages | None, fact: Fact, *assumptions: str, **values: Any
) -> Evidence:
    """Return evidence of an end, with what any end rests on besides its own assumptions."""
    known = dict.fromkeys(assumptions)
    if ask.status is not None:
        known[Assumption.FILTER_IS_TRUE] = None
    elif "scope" not in values:
        has_asked = statuses is not None and statuses.is_filtered_first
        rest = Assumption.LISTS_PETS_WITHOUT_STATUS if has_asked else Assumption.LISTS_EVERY_STATUS
        known[rest] = None
    if ask.requests > 1:
        known[Assumption.NO_OLD_ANSWER] = None
    return Evidence(fact, assumptions=tuple(known), **values)


def _ask_whether_whole(first: Page, ask: Requests) -> bool:
    """Ask whose a stated total is, and tell whether the first page may be the whole listing."""
    if len(first) == ask.limit or first.may_name_next:
        return False
    return not ask_whose_total(first, ask).refutes(len(ask.rows))


def _may_be_cut(first: Page, limit: int, statuses: StatusPages | None, whole: Page | None) -> bool:
    """Tell whether the page beside it is as long, or shows that the store cut the short one."""
    if whole is not None:
        return len(whole) >= limit if len(whole) > len(first) else len(first) >= SMALLEST_CAP
    if statuses is None:
        return False
    longest = max(map(len, statuses.usable.values()), default=0)
    return longest >= len(first) >= SMALLEST_CAP or statuses.left_out > 0


def ask_statuses(first: Page, ask: Requests) -> StatusPages | None:
    """Ask for a page of each status; None where one status is read, or the budget is too small."""
    asked = [ask.params(status=name) for name in PET_STATUSES]
    if ask.status is not None or not ask.has_budget_for(asked):
        return None
    ask.probe_all(asked)
    return known_statuses(first, ask)


def _hold_statuses(first: Page, ask: Requests) -> StatusPages | None:
    """Ask for them, hold their pets, and ask what their lengths say."""
    statuses = ask_statuses(first, ask)
    if statuses is None:
        return None
    statuses.hold(ask)  # before more is asked, which may break off
    if statuses.are_usable and not statuses.left_out:
        filters_first(ask, first, ask.probe)
    return known_statuses(first, ask)


def known_statuses(first: Page, ask: Requests) -> StatusPages | None:
    """Return the pages of the statuses that were asked for before, or None; nothing is sent."""
    known = {name: ask.known(ask.params(status=name)) for name in PET_STATUSES}
    pages: dict[str, Page] = {name: page for name, page in known.items() if page is not None}
    if ask.status is not None or not pages:
        return None
    return StatusPages(first, pages, filters_first(ask, first, ask.known))


@dataclass(frozen=True, eq=False)
class StatusPages:
    """One page of each status that came, compared to ``first``, the first page of all pets.

    ``filter_first`` says whether the store filters before it cuts to the limit; None where that
    was not asked. A page that holds other statuses, too, says as little as a refusal.
    """

    first: Page
    pages: Mapping[str, Page]
    filter_first: bool | None

    @cached_property
    def answered(self) -> dict[str, Page]:
        """The pages that hold no pet of another status."""
        return {name: page for name, page in self.pages.items() if not page.mismatches(name)}

    @cached_property
    def notes(self) -> list[Evidence]:
        """What contradicts the filter; each is about its status alone."""
        pages = self.answered.items()
        return [each for name, page in pages for each in check_filter(page, self.first, name)]

    @cached_property
    def usable(self) -> dict[str, Page]:
        """The pages that kept to their filter."""
        return {
            status: page
            for status, page in self.answered.items()
            if not any(check_filter(page, self.first, status))
        }

    @property
    def are_usable(self) -> bool:
        """Whether all three came and kept to their filter."""
        return len(self.usable) == len(PET_STATUSES)

    @property
    def is_filtered_first(self) -> bool:
        """Whether the lengths of the pages say anything: the filter comes before the limit."""
        return self.are_usable and (self.left_out > 0 or self.filter_first is True)

    @cached_property
    def left_out(self) -> int:
        """How many of these pets are not on the first page."""
        seen = {pet_id for page in self.pages.values() for pet_id in page.columns.id}
        return len(seen - {*self.first.columns.id})

    def hold(self, ask: Requests) -> None:
        """Keep their pets."""
        for page in self.pages.values():
            ask.rows.update(page.columns)

    def whole(self, longest_page: int) -> set[str]:
        """Return the statuses whose page is whole.

        It is shorter than the longest page seen, and states neither a next page nor a larger total.
        """
        if not self.is_filtered_first:
            return set()
        found = set()
        for status, page in self.usable.items():
            total, first = page.total or 0, self.first
            is_of_all = total == first.total and first.mismatches(status) > 0
            is_outnumbered = total > len(page) and not is_of_all
            is_short = len(page) < min(longest_page, page.limit or MAX_LIMIT)
            if is_short and not page.may_name_next and not is_outnumbered:
                found.add(status)
        return found

    def confirm_first(self) -> bool:
        """Tell whether these pages show that no pet with a status is missing from the first page.

        They do when they hold the same pets and each is shorter: whatever length the store cuts
        pages at, it is at least that of the first page, so none of the shorter ones was cut.
        Empty pages confirm nothing.
        """
        if len(self.whole(len(self.first))) < len(PET_STATUSES):
            return False
        ids = {pet_id for page in self.usable.values() for pet_id in page.columns.id}
        return bool(ids) and ids == set().union(*map(self.first.ids_with, PET_STATUSES))


def check_filter(page: Page, whole: Page, status: str) -> Iterator[Evidence]:
    """Yield what shows that a page of a status did not keep to it, beside a page of all pets."""
    missing = whole.ids_with(status) - {*page.columns.id}
    has_room = len(page) < len(whole) and not page.may_name_next
    if mismatches := page.mismatches(status):
        yield Evidence(Fact.FILTER_NOT_KEPT, status, count=mismatches)
    elif missing and has_room:
        yield Evidence(Fact.FILTER_LEFT_OUT, status, count=len(missing))


def filters_first(
    ask: Requests, whole: Page, answer: Callable[[Mapping[str, str]], Page | None]
) -> bool | None:
    """Tell whether the filter comes before the limit: the other way round it sees one page alone.

    Two limits are tried that fewer pets of a status meet among as many rows of all pets. A store
    that cut first would give fewer than were asked for; one that raises small limits to a length
    of its own would give the same number twice. A store that passes over limits cuts nothing.

    Args:
        ask: Who is asked.
        whole: A page of all pets.
        answer: ``ask.probe``, or ``ask.known`` to send nothing.

    Returns:
        None where one of the answers is missing.
    """
    if len(whole) > (whole.limit or MAX_LIMIT):
        return True
    for status in PET_STATUSES:
        rows = [row for row, found in enumerate(whole.columns.status, 1) if found == status]
        sizes = [size for size, row in enumerate(rows, 1) if row > size][-2:]
        if len(sizes) < 2:
            continue
        for size in sizes:
            page = answer(ask.params(limit=size, status=status))
            if page is None:
                return None
            if len(page) != size or page.mismatches(status):
                return False
        return True
    return False


class Total(NamedTuple):
    """The total of one listing, as it was stated last; ``value`` is None where there is none.

    ``is_own`` says that it is surely not that of all pets, where one status was asked for.
    """

    value: int | None = None
    is_own: bool = True

    def refutes(self, held: int) -> bool:
        """Tell whether the store states more pets of this listing than were read."""
        return self.value is not None and self.value > held and self.is_own

    def evidence(self, held: int) -> Iterator[Evidence]:
        """Yield what the total shows beside the number of pets read."""
        if self.refutes(held):
            assumptions = (Assumption.TOTAL_IS_TRUE, Assumption.NO_OLD_ANSWER)
            yield Evidence(Fact.TOTAL_LARGER, assumptions=assumptions, count=self.value or 0)
        elif self.value is not None and self.value > held:
            yield Evidence(Fact.TOTAL_OF_ALL, count=self.value)


def known_total(first: Page, ask: Requests) -> Total:
    """Return the total as the answers so far show it; nothing is sent."""
    pages = [first]
    if ask.way is not None and ask.way.is_over:
        pages += [ask.way.first, ask.way.last]
    stated = [page.total for page in pages if page.total is not None]
    # A page that holds other pets too counts those as well.
    if not ask.may_probe or not stated or first.mismatches(ask.status):
        return Total()
    value, whole = stated[-1], None if ask.status is None else ask.known(ask.params_of_all)
    is_of_all = whole is not None and whole.total == value
    if whole is not None and is_of_all and whole.mismatches(ask.status):
        return Total()  # else all pets may have this one status
    return Total(value, ask.status is None or (whole is not None and not is_of_all))


def ask_whose_total(first: Page, ask: Requests) -> Total:
    """Ask for all pets where it matters: some programs state their number beside a filter too."""
    total = known_total(first, ask)
    if not total.is_own and total.value is not None and total.value > len(ask.rows):
        ask.probe(ask.params_of_all)
    return known_total(first, ask)
