"""The pages of the three statuses, and what they confirm.

In: a PageReader. Out: the pages that kept to their filter, and what follows from their lengths.
Pets without a status match no filter, so these pages alone never cover a store.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from petstore_frame.inventory.hints import may_name_next
from petstore_frame.inventory.reader import PageReader
from petstore_frame.models import PET_STATUSES
from petstore_frame.page import Page

# Page lengths that programs like to choose.
USUAL_CAPS = frozenset((10, 12, 15, 16, 20, 24, 25, 30, 32, 40, 50, 60, 64, 75, 80, 90))
SMALLEST_CAP = min(USUAL_CAPS)


@dataclass
class StatusPages:
    """One page of each status.

    Attributes:
        usable: Pages that hold pets of their status alone.
        conflicts: What did not fit, as text.
        filters_first: Whether the store was seen to filter before it cuts to the limit.
    """

    usable: dict[str, Page] = field(default_factory=dict)
    conflicts: list[str] = field(default_factory=list)
    filters_first: bool = False

    @property
    def longest(self) -> int:
        """The length of the longest page."""
        return max(map(len, self.usable.values()), default=0)

    def confirm(self, first: Page) -> bool:
        """Tell whether these pages show that no pet with a status is missing from a first page.

        They do when they hold the same pets and each is shorter: whatever length the store cuts
        pages at, it is at least that of the first page, so none of the shorter ones was cut.
        Empty pages confirm nothing.
        """
        if not self.longest or len(self.exact(len(first))) < len(PET_STATUSES):
            return False
        pairs = zip(first.columns.id, first.columns.status, strict=True)
        listed = {pet_id for pet_id, status in pairs if status in PET_STATUSES}
        found = {pet_id for page in self.usable.values() for pet_id in page.columns.id}
        return listed == found

    def exact(self, longest_page: int) -> frozenset[str]:
        """Return the statuses whose page names no next one and is shorter than the longest seen."""
        if not self.filters_first:
            return frozenset()
        return frozenset(
            status
            for status, page in self.usable.items()
            if len(page) < longest_page and not may_name_next(page.headers, page.address)
        )


def read_status_pages(reader: PageReader, first: Page) -> StatusPages:
    """Ask for one page of each status, side by side, and hold them to the unfiltered first page."""
    names = {f"status={status}": status for status in PET_STATUSES}
    answers = reader.probe_all(
        {name: reader.params(status=status) for name, status in names.items()}
    )
    pages = StatusPages()
    for name, page in answers.items():
        if page is None:
            continue
        status = names[name]
        stray = sum(found != status for found in page.columns.status)
        if stray:
            reader.probes[name] = "the filter was not kept to"
            pages.conflicts.append(
                f"{stray} of {len(page)} pets on the page filtered by {status} have another status"
            )
            continue
        reader.probes[name] = f"{len(page)} pets"
        if left_out := missed(page, first, status):
            pages.conflicts.append(left_out)
            continue
        pages.usable[status] = page
    pages.filters_first = not pages.conflicts and filters_first(reader, first)
    return pages


def missed(page: Page, whole: Page, status: str) -> str | None:
    """Return how many pets of its status a filtered page left out, though it had room, as text."""
    if len(page) >= len(whole) or may_name_next(page.headers, page.address):
        return None
    pairs = zip(whole.columns.id, whole.columns.status, strict=True)
    missing = {pet_id for pet_id, found in pairs if found == status} - set(page.columns.id)
    if not missing:
        return None
    return f"the page filtered by {status} left out {len(missing)} pets of an unfiltered page"


def filters_first(reader: PageReader, whole: Page) -> bool:
    """Ask whether the filter comes before the limit: the other way round it sees one page alone.

    The limit asked for is one at which the listing's own beginning holds a pet of another status,
    so a store that cuts first gives a row too few.
    """
    statuses = list(whole.columns.status)
    for status in PET_STATUSES:
        size = next((at for at, found in enumerate(statuses) if found != status), len(statuses)) + 1
        if statuses.count(status) < size:
            continue
        page = reader.probe("filter", reader.params(limit=size, status=status))
        if page is None:
            return False
        is_first = len(page) >= size and set(page.columns.status) == {status}
        reader.probes["filter"] = (
            "before the limit" if is_first else "not seen to come before the limit"
        )
        return is_first
    reader.probes["filter"] = "not tried: the statuses of the first page are too much alike"
    return False
