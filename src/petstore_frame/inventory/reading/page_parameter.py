"""Finds a query parameter for paging that works although the interface does not state it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from petstore_frame.inventory.reading.page_fetcher import PageFetcher
from petstore_frame.transport import OFFSET_NAMES, Page

# Maximum limit when a parameter is tried.
TRIED_ROWS = 10
# A window of one row cannot overlap the next one, so it would prove nothing.
_LEAST_ROWS = 2

# The unit of a parameter: rows to skip, pages, or the id before the window.
Kind = Literal["offset", "page", "after"]
# Common paging parameters, the most common first. The parameters of one line are tried together,
# because programs ignore unknown parameters; then one by one.
PARAMETERS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    ("offset", OFFSET_NAMES),
    ("page", ("page", "_page", "page[number]")),
    ("after", ("after", "starting_after", "cursor", "since_id", "last_id")),
)


class Parameter(NamedTuple):
    """A parameter that moves a window over the listing, and its value for the first page."""

    name: str
    kind: Kind
    first_page: int = 1


def smaller_limit(first: Page) -> int:
    """Return a limit below the length of the first page, to test how a store handles limits."""
    return min(TRIED_ROWS, max(_LEAST_ROWS, len(first) // 3))


def find_parameter(fetcher: PageFetcher, first: Page) -> Parameter | None:
    """Return the first parameter that pages through the rows read so far correctly, or None."""
    ids = list(first.columns.id)
    limit = smaller_limit(first)
    if len(ids) < 2 or limit == len(ids):
        return None
    # The store must return the same first rows, possibly more than the limit.
    start = fetcher.probe(fetcher.params(limit=limit))
    if start is None or not limit <= len(start) <= len(ids):
        return None
    size = len(start)
    if size < 2 or list(start.columns.id) != ids[:size]:
        return None
    for kind, names in PARAMETERS:
        parameter = _try_parameters(fetcher, kind, names, ids, size)
        if parameter is not None:
            return parameter
    return None


def _try_parameters(
    fetcher: PageFetcher, kind: Kind, names: tuple[str, ...], ids: list[int], size: int
) -> Parameter | None:
    """Return the parameter among ``names`` that returns an expected window, or None."""
    if kind == "page" and size == len(ids):
        return _try_page_numbers(fetcher, names, ids)
    value, windows = _expected_windows(kind, ids, size)
    all_names = fetcher.probe(fetcher.params(dict.fromkeys(names, str(value)), limit=size))
    # The store may refuse only the combination, so a refusal rules out no name.
    if all_names is not None and _matching_window(all_names, windows, size) is None:
        return None
    for name in names:
        page = fetcher.probe(fetcher.params({name: str(value)}, limit=size))
        window = None if page is None else _matching_window(page, windows, size)
        if window is not None:
            return Parameter(name, kind, window.first_page)
    return None


def _try_page_numbers(
    fetcher: PageFetcher, names: tuple[str, ...], ids: list[int]
) -> Parameter | None:
    """Return the page parameter of a store whose pages have a fixed length, or None.

    No window of the rows read can be expected: page 1 must be the first page, and page 2 another.
    """

    def ids_of(number: int, *tried_names: str) -> list[int]:
        query = dict.fromkeys(tried_names, str(number))
        page = fetcher.probe(fetcher.params(query))
        return [] if page is None else list(page.columns.id)

    if ids_of(2, *names) == ids:
        return None
    for name in names:
        second_page = ids_of(2, name)
        if not second_page or not set(ids).isdisjoint(second_page):
            continue
        for first_number in (1, 0):
            if ids_of(first_number, name) == ids:
                return Parameter(name, "page", first_number)
    return None


class Window(NamedTuple):
    """Ids that a store should return, and the number of its first page if it does."""

    ids: list[int]
    first_page: int = 1


def _expected_windows(kind: Kind, ids: list[int], size: int) -> tuple[int, list[Window]]:
    """Return a value to try, and the windows of which the store should return one."""
    if kind == "page":
        # Page 2 is the second page of a store that counts from 1, and the third of one from 0.
        second, third = ids[size : 2 * size], ids[2 * size : 3 * size]
        return 2, [Window(second, first_page=1), Window(third, first_page=0)]
    if kind == "offset":
        # Half a window: a store that counts pages, not rows, would land elsewhere.
        start = size // 2
        return start, [Window(ids[start : start + size])]
    start = size if len(ids) >= 2 * size else size // 2
    return ids[start - 1], [Window(ids[start : start + size])]


def _matching_window(page: Page, windows: list[Window], size: int) -> Window | None:
    """Return the window that a page matches, or None."""
    received = list(page.columns.id)
    for window in windows:
        # At the end of the rows read a window is shorter than the page, which reaches beyond them.
        has_all_rows = len(window.ids) == size
        comparable = received if has_all_rows else received[: len(window.ids)]
        if window.ids and comparable == window.ids:
            return window
    return None
