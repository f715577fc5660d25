"""The pages of the three statuses, and what they confirm.

In: a PageReader. Out: the pages that kept to their filter, and what their lengths prove. Pets
without a status match no filter, so these pages alone never cover a store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from petstore_frame._internal.arguments import MAX_LIMIT
from petstore_frame.inventory.completeness import Assumption
from petstore_frame.inventory.hints import advertised_total, may_go_on
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.reader import PageReader
from petstore_frame.schema.models import PET_STATUSES, pets_text

# Page lengths that programs like to choose.
USUAL_CAPS = frozenset((10, 12, 15, 16, 20, 24, 25, 30, 32, 40, 50, 60, 64, 75, 80, 90))
SMALLEST_CAP = min(USUAL_CAPS)


@dataclass
class StatusPages:
    """One page of each status.

    Attributes:
        first: The unfiltered first page, to which they are compared.
        answered: Every page that came, whatever its pets.
        usable: Pages that hold pets of their status alone.
        conflicts: What did not fit, as text.
        filters_first: Whether the store was seen to filter before it cuts to the limit; None
            until that was asked.
        moved: Statuses whose page was another one when it was read again; None if none was.
    """

    first: Page
    answered: list[Page] = field(default_factory=list)
    usable: dict[str, Page] = field(default_factory=dict)
    conflicts: list[str] = field(default_factory=list)
    filters_first: bool | None = None
    moved: frozenset[str] | None = None

    @property
    def reserve(self) -> Assumption:
        """What these pages leave open of whether the unfiltered listing leaves out pets."""
        if len(self.usable) < len(PET_STATUSES) or not self._look_beyond_first:
            return Assumption.LISTS_EVERY_STATUS
        return Assumption.LISTS_PETS_WITHOUT_STATUS

    @property
    def _look_beyond_first(self) -> bool:
        """Whether the filter was seen to look at more than the pets of an unfiltered page."""
        found = {pet_id for page in self.usable.values() for pet_id in page.columns.id}
        return bool(self.filters_first) or not found.issubset(self.first.columns.id)

    @property
    def longest(self) -> int:
        """The length of the longest page."""
        return max(map(len, self.usable.values()), default=0)

    def confirm_first(self) -> bool:
        """Tell whether these pages show that no pet with a status is missing from the first page.

        They do when they hold the same pets and each is shorter: whatever length the store cuts
        pages at, it is at least that of the first page, so none of the shorter ones was cut.
        Empty pages confirm nothing.
        """
        if not self.longest or len(self.exact(len(self.first))) < len(PET_STATUSES):
            return False
        pairs = zip(self.first.columns.id, self.first.columns.status, strict=True)
        listed = {pet_id for pet_id, status in pairs if status in PET_STATUSES}
        found = {pet_id for page in self.usable.values() for pet_id in page.columns.id}
        return listed == found

    def exact(self, longest_page: int) -> frozenset[str]:
        """Return the statuses whose page is whole: shorter than the longest page seen, and neither
        a next page nor a larger total is stated with it."""
        if not self.filters_first:
            return frozenset()
        return frozenset(
            status
            for status, page in self.usable.items()
            if len(page) < longest_page
            and not may_go_on(page)
            and not self.is_outnumbered(page, len(page))
        )

    def is_outnumbered(self, page: Page, held: int) -> bool:
        """Tell whether the store states more pets of a page's status than are held."""
        total = advertised_total(page.headers)
        if total is None or total <= held:
            return False
        is_of_all = total == advertised_total(self.first.headers)
        return not (is_of_all and shows_others(self.first, page.status))


def shows_others(page: Page, status: str | None) -> bool:
    """Tell whether a page holds a pet of another status."""
    return any(found != status for found in page.columns.status)


def read_status_pages(reader: PageReader, first: Page) -> StatusPages:
    """Ask for one page of each status, side by side, and compare them to the first page."""
    pages = StatusPages(first)
    for status, page in _ask_all(reader, "status={}").items():
        name = f"status={status}"
        pages.answered.append(page)
        stray = sum(found != status for found in page.columns.status)
        if stray:
            reader.probes[name] = "the filter was not kept to"
            pages.conflicts.append(
                f"the page filtered by {status} has {pets_text(stray)} of another status "
                f"among {len(page)}"
            )
            continue
        reader.probes[name] = pets_text(len(page))
        if left_out := missed(page, first, status):
            pages.conflicts.append(left_out)
            continue
        pages.usable[status] = page
    return pages


def settle_filter(reader: PageReader, pages: StatusPages) -> None:
    """Find out, once, whether the lengths of the pages say anything."""
    if pages.filters_first is None:
        pages.filters_first = not pages.conflicts and filters_first(reader, pages.first)


def read_again(reader: PageReader, pages: StatusPages) -> list[Page]:
    """Read the pages a second time, where the budget allows, and note which are not the same.

    A pet that changes its status between two pages may be on neither. Between two readings that
    agree there was a moment at which every pet was on the page of its status.
    """
    if not reader.has_budget(len(PET_STATUSES)):
        return []
    again = _ask_all(reader, "status={} again")
    for status, page in again.items():
        is_same = _statuses(page) == _statuses(pages.usable[status])
        reader.probes[f"status={status} again"] = "the same" if is_same else "moved"
    pages.moved = frozenset(
        status
        for status in PET_STATUSES
        if reader.probes.get(f"status={status} again") != "the same"
    )
    if pages.moved:
        names = ", ".join(sorted(pages.moved))
        pages.conflicts.append(f"not the same when it was read again: the page of {names}")
    return list(again.values())


def _statuses(page: Page) -> set[tuple[int, str | None]]:
    return set(zip(page.columns.id, page.columns.status, strict=True))


def _ask_all(reader: PageReader, name: str) -> dict[str, Page]:
    """Ask for the page of each status; one that does not come is left out."""
    answers = reader.probe_all(
        {name.format(status): reader.params(status=status) for status in PET_STATUSES}
    )
    pages = zip(PET_STATUSES, answers.values(), strict=True)
    return {status: replace(page, status=status) for status, page in pages if page is not None}


def missed(page: Page, whole: Page, status: str) -> str | None:
    """Return how many pets of its status a filtered page left out, though it had room, as text."""
    if len(page) >= len(whole) or may_go_on(page):
        return None
    pairs = zip(whole.columns.id, whole.columns.status, strict=True)
    missing = {pet_id for pet_id, found in pairs if found == status} - set(page.columns.id)
    if not missing:
        return None
    return f"the page filtered by {status} left out {pets_text(len(missing))} of an unfiltered page"


def filters_first(reader: PageReader, whole: Page) -> bool:
    """Ask whether the filter comes before the limit: the other way round it sees one page alone."""
    for status in PET_STATUSES:
        rows = [at for at, found in enumerate(whole.columns.status, 1) if found == status]
        sizes = (
            at for at in range(1, len(rows) + 1) if rows[at - 1] > at and _tells(at, rows, whole)
        )
        size = next(sizes, None)
        if size is None:
            continue
        page = reader.probe("filter", reader.params(limit=size, status=status))
        if page is None:
            return False
        is_kept = set(page.columns.status) == {status}
        is_first = is_kept and len(page) >= size and _tells(len(page), rows, whole)
        reader.probes["filter"] = (
            "before the limit" if is_first else "not seen to come before the limit"
        )
        return is_first
    reader.probes["filter"] = "not tried: the statuses of the first page are too much alike"
    return False


def _tells(count: int, rows: Sequence[int], whole: Page) -> bool:
    """Tell whether that many pets of a status show that a page was filtered before it was cut.

    The cut would lie between the last of them and the next. A store may cut there that raises
    every smaller limit to a usual length, or gives pages of one fixed length.

    Args:
        count: Pets that came.
        rows: The rows of the status in an unfiltered page, counted from 1.
        whole: That page.
    """
    if count > len(rows):
        return True
    following = rows[count] if count < len(rows) else len(whole) + 1
    return (USUAL_CAPS | {MAX_LIMIT}).isdisjoint(range(rows[count - 1], following))
