"""What speaks against one reading of a listing.

In: the rows that pages repeat, seams that do not fit, doubts about the end. Out: the reason why the
reading proves nothing, as text, or None. It asks nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Flaws:
    """What speaks against a reading, as text.

    Attributes:
        breaks: Seams between pages that did not fit.
        doubt: Why the end that was met proves nothing, or None.
        overlaps: For each page after the first, how many rows of the one before it repeats.
    """

    breaks: list[str] = field(default_factory=list)
    doubt: str | None = None
    overlaps: list[int] = field(default_factory=list)

    @property
    def reason(self) -> str | None:
        """Why the reading proves nothing, or None."""
        if self.doubt or self.breaks:
            return self.doubt or self.breaks[0]
        if not any(self.overlaps):
            return None
        # A store may overlap its pages, and then does so each time. Rows that come twice now and
        # then have moved, and others have moved to where nobody looks.
        is_regular = len(self.overlaps) > 1 and len(set(self.overlaps)) == 1
        return None if is_regular else "some pages repeat rows of the page before and others do not"

    def note_overlap(
        self, page: int, ids: Sequence[int], before: Sequence[int], count: int
    ) -> None:
        """Note how many rows a page repeats, and where.

        Args:
            page: The page's number.
            ids: Its ids.
            before: The ids of the page before.
            count: How many of its pets were held already.
        """
        self.overlaps.append(count)
        if count and (count == len(ids) or list(ids[:count]) != list(before[-count:])):
            self.doubt = f"page {page} repeats pets that were not at the end of the page before"

    def explain(self) -> None:
        """Forget what new pets in front of the listing explain."""
        self.breaks.clear()
        self.overlaps.clear()
