"""What a page of each status shows of the first page of all pets.

Pets without a status match no filter, so these pages alone never cover a store.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from petstore_frame.inventory.evidence import Evidence, Fact
from petstore_frame.inventory.requests import MAX_LIMIT, MOST_PROBES, Requests
from petstore_frame.schema import PET_STATUSES
from petstore_frame.transport import Page


class StatusPages:
    """One page of each status that came, beside ``first``, the first page of all pets.

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
        """Return the statuses whose page is whole, in order.

        It is shorter than the longest page seen, and states neither a next page nor a larger total.
        """
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
        return bool(self.ids) and self.ids == set().union(*map(self.first.ids_with, PET_STATUSES))


def ask_statuses(ask: Requests, first: Page) -> StatusPages | None:
    """Ask for a page of each status; None where one status is read, or the budget is too small."""
    if ask.status is not None or ask.spent + len(PET_STATUSES) > MOST_PROBES:
        return None
    found: dict[str, Page | None] = {}
    for name in PET_STATUSES:
        found[name] = ask.probe(ask.params(status=name))
    pages = {name: page for name, page in found.items() if page is not None}
    return StatusPages(first, pages) if pages else None


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
    missing = whole.ids_with(status) - {*page.columns.id}
    has_room = len(page) < len(whole) and not page.may_name_next
    if mismatches := page.mismatches(status):
        yield Evidence(Fact.FILTER_NOT_KEPT, status, count=mismatches)
    elif missing and has_room:
        yield Evidence(Fact.FILTER_LEFT_OUT, status, count=len(missing))
