"""The pages of the three statuses, and what they vouch for.

In: a Reader. Out: the pages that kept to their filter, and what follows from their lengths. Pets
without a status match no filter, so these pages alone never cover a store.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from petstore_frame.inventory.hints import names_next
from petstore_frame.inventory.reader import Reader
from petstore_frame.models import PET_STATUSES
from petstore_frame.page import Page


@dataclass
class StatusPages:
    """One page of each status.

    Attributes:
        usable: Pages that hold pets of their status alone.
        conflicts: What did not fit, in words.
    """

    usable: dict[str, Page] = field(default_factory=dict)
    conflicts: list[str] = field(default_factory=list)

    @property
    def longest(self) -> int:
        """The length of the longest page."""
        return max(map(len, self.usable.values()), default=0)

    def vouch_for(self, first: Page) -> bool:
        """Tell whether these pages show that no pet with a status is missing from a first page.

        They do when they hold the same pets and each is shorter: whatever length the store cuts
        pages at, it is at least that of the first page, so none of the shorter ones was cut.
        """
        if len(self.exact(len(first))) < len(PET_STATUSES):
            return False
        pairs = zip(first.columns.id, first.columns.status, strict=True)
        listed = {pet_id for pet_id, status in pairs if status in PET_STATUSES}
        found = {pet_id for page in self.usable.values() for pet_id in page.columns.id}
        return listed == found

    def exact(self, longest_page: int) -> frozenset[str]:
        """Return the statuses whose page names no next one and is shorter than the longest seen."""
        return frozenset(
            status
            for status, page in self.usable.items()
            if len(page) < longest_page and not names_next(page.headers, page.address)
        )


def read_status_pages(reader: Reader) -> StatusPages:
    """Ask for one page of each status, side by side."""
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
        pages.usable[status] = page
    return pages
