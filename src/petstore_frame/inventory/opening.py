"""The first page of a listing, under the widest limit that is worth asking for.

In: the evidence of a listing, still empty. Out: the first page, its pets held and its total noted.
It does not ask how the listing goes on.
"""

from __future__ import annotations

from collections.abc import Callable

from petstore_frame._internal.arguments import MAX_LIMIT
from petstore_frame.errors import APIStatusError
from petstore_frame.inventory.hints import names_next
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.shortness import Evidence
from petstore_frame.schema.models import pets_text


class Opening:
    """The first page; ``read`` again gives the same one, or goes on after a failure.

    Args:
        known: Takes the pets and what was met.
        may_probe: Whether a header that states a total may be believed.
        is_enough: Whether the pets held are all that the caller wants.
    """

    def __init__(self, known: Evidence, *, may_probe: bool, is_enough: Callable[[], bool]) -> None:
        self._known = known
        self._reader = known.reader
        self._may_probe = may_probe
        self._is_enough = is_enough
        self._page: Page | None = None

    def read(self) -> Page:
        """Return the first page, read as widely as allowed where nothing leads beyond it."""
        if self._page is None:
            page = self._take(self._reader.page(number=1))
            if self._reader.limit < MAX_LIMIT and self._is_bare_and_full(page):
                page = self._wider(page) or page
            self._page = page  # not before: the narrow page is not the listing of the wider limit
        return self._page

    def replace(self, page: Page) -> None:
        """Begin the listing with another page, under the limit by which that one came."""
        self._page, self._reader.limit = page, page.limit or len(page)

    def _wider(self, narrow: Page) -> Page | None:
        """Ask for the widest page that the interface allows, which may be a whole listing."""
        asked = self._reader.limit
        self._reader.limit = MAX_LIMIT
        try:
            wide = self._take(self._reader.page(number=1))
        except APIStatusError as problem:
            self._reader.limit = asked
            if problem.status_code not in (400, 422):
                raise
            self._reader.probes[f"limit={MAX_LIMIT}"] = f"failed: {problem}"
            return None
        if gone := len(set(narrow.columns.id) - set(wide.columns.id)):
            self._known.gone.append(f"pets of a page that a wider one left out: {gone}")
        return wide

    def _is_bare_and_full(self, page: Page) -> bool:
        return (
            len(page) >= (page.limit or 0)
            and not names_next(page.headers, page.address)
            and not self._is_enough()
        )

    def _take(self, page: Page) -> Page:
        known, status = self._known, self._reader.status
        stray = sum(found != status for found in page.columns.status)
        if status is not None and stray:
            known.conflicts.append(
                f"a page filtered by {status} has {pets_text(stray)} of another status "
                f"among {len(page)}"
            )
            known.total.drop()  # it counts those as well
        known.rows.add(page.columns)
        self._reader.note(known.rows)
        if self._may_probe:
            known.total.take(page.headers)
        return page
