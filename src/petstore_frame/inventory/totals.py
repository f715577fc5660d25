"""What a stated total is worth.

In: header lines that state how many pets there are. Out: a number that may refute, and may
prove only after a test. Some programs state the length of the page and call it the total.
"""

from __future__ import annotations

from petstore_frame.http.headers import Headers
from petstore_frame.inventory.hints import advertised_total, advertised_totals
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.reader import PageReader
from petstore_frame.inventory.statuses import shows_others


class StatedTotal:
    """The total of one listing.

    Args:
        reader: Asks for pages.
        conflicts: Takes what did not fit, as text.

    Attributes:
        value: The total stated last, or None.
    """

    def __init__(self, reader: PageReader, conflicts: list[str]) -> None:
        self.value: int | None = None
        self._reader = reader
        self._conflicts = conflicts
        self._largest = 0
        self._is_kept = False
        self._is_filtered = False
        self._is_dropped = False

    def take(self, headers: Headers) -> None:
        """Read the total out of a page's headers; the largest on a page counts."""
        stated = advertised_totals(headers)
        if self._is_dropped or not stated:
            return
        self.value = stated[0]
        self._largest = max(self._largest, stated[0])
        if len(stated) > 1:
            self._conflicts.append(
                f"the store states different totals, {stated[0]:,} and {stated[-1]:,}"
            )

    def take_reading(self, first: Headers, last: Headers) -> None:
        """Read the totals of a reading, which replace those of an earlier one.

        The last page's is the number held at the end; a larger one before it leaves a doubt.
        """
        self._largest = 0
        self.take(first)
        self.take(last)

    def test(self, first: Page) -> None:
        """Ask with a smaller limit, and drop a total that is only the length of the page."""
        if self.value is None or self.value != len(first) or len(first) < 2:
            return
        half = len(first) // 2
        page = self._reader.probe("total", self._reader.params(limit=half))
        if page is None:
            return
        if advertised_total(page.headers) != self.value:
            self._reader.probes["total"] = "changes"
            self._conflicts.append("the stated total is the length of the page")
            self.drop()
        elif len(page) == half:
            self._is_kept = True
            self._reader.probes["total"] = "kept under a smaller limit"
        else:
            self._reader.probes["total"] = "not tried: the store does not keep to a smaller limit"

    def refutes(self, held: int) -> bool:
        """Tell whether the store states more pets of this listing than are held."""
        if self.value is None or self.value <= held:
            return False
        return self._is_of_listing()

    def of_listing(self, held: int) -> int | None:
        """Return the total, unless it may be that of all pets, where one status was asked for."""
        is_own = self._reader.status is None or self._is_filtered
        return self.value if is_own or (self.value or 0) <= held else None

    def doubt(self, held: int) -> str | None:
        """Return the doubt that a total leaves although it refutes nothing, or None."""
        if self.value is not None and self.value > held:
            return "its own total, which may be that of all pets, is larger"
        return "an earlier page stated more pets" if self._largest > held else None

    def proves(self, held: int) -> bool:
        """Tell whether the total is the number held, and surely not a mere page's length."""
        return self.value == held and (self._is_kept or held > self._reader.max_page)

    def is_stated_again(self) -> bool:
        """Ask once more after other pages brought pets: a store that grew states another total."""
        page = self._reader.probe("total again", self._reader.params())
        if page is None:
            return False
        is_same = advertised_total(page.headers) == self.value
        self._reader.probes["total again"] = "the same" if is_same else "changes"
        return is_same

    def _is_of_listing(self) -> bool:
        """Tell whether a filtered listing's total is surely not that of the unfiltered one.

        Some programs state the number of all pets beside a filter, which then says nothing.
        """
        if self._reader.status is None or self._is_filtered:
            return True
        whole = self._reader.unfiltered()
        if whole is None:
            return False
        if advertised_total(whole.headers) != self.value:
            self._is_filtered = True
            return True
        if shows_others(whole, self._reader.status):  # else all pets may have this one status
            self._reader.probes["unfiltered page"] = f"states the same total, {self.value:,}"
            self.drop()
        return False

    def drop(self) -> None:
        """Ignore every total of this listing, those of later pages included."""
        self.value, self._largest, self._is_dropped = None, 0, True
