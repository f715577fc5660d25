"""Finds a parameter that the interface does not state and that moves a window over the listing."""

from __future__ import annotations

from typing import Literal, NamedTuple

from petstore_frame.inventory.page_fetcher import PageFetcher
from petstore_frame.transport import OFFSET_NAMES, Page

# Rows of the first page with which a parameter is tried.
TRIED_ROWS = 10

# What the value of a parameter counts: rows to skip, pages, or the id before the window.
Kind = Literal["offset", "page", "after"]
# Parameters that the interface does not state, the more common ones first. Those of one line are
# asked for together, as a program ignores those that it does not know; then each by itself.
PARAMETERS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    ("offset", OFFSET_NAMES),
    ("page", ("page", "_page", "page[number]")),
    ("after", ("after", "starting_after", "cursor", "since_id", "last_id")),
    ("after", ("before",)),  # of a listing that begins with the newest
)


class Parameter(NamedTuple):
    """A parameter that moves a window over the listing, and the number of page one."""

    name: str
    kind: Kind
    first_page: int = 1


def smaller_limit(first: Page) -> int:
    """Return a limit below the length of the first page, with which to try what a store does."""
    return min(TRIED_ROWS, max(1, len(first) // 3))


def find_parameter(fetcher: PageFetcher, first: Page) -> Parameter | None:
    """Return the first parameter that moves as it should over rows already read, or None."""
    ids = list(first.columns.id)
    limit = smaller_limit(first)
    if len(ids) < 2 or limit == len(ids):
        return None
    # The beginning has to come again; it may be longer than the limit.
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
    """Return the parameter among ``names`` that brings an expected window, or None."""
    value, windows = _expected_windows(kind, ids, size)
    attempts = [names, *([name] for name in names)]
    for attempt in attempts:
        query = dict.fromkeys(attempt, str(value))
        page = fetcher.probe(fetcher.params(query, limit=size))
        if page is None:
            continue  # one by one, as they may have been refused together
        index = _matching_window(page, windows, size)
        if index is not None and len(attempt) == 1:
            return Parameter(attempt[0], kind, 1 - index)
        if index is None and attempt is names:
            return None
    return None


def _expected_windows(kind: Kind, ids: list[int], size: int) -> tuple[int, list[list[int]]]:
    """Return a value to try, and the windows of which one should come."""
    if kind == "page":
        # The second page of a store that counts from 1 is the third of one that counts from 0.
        return 2, [ids[size : 2 * size], ids[2 * size : 3 * size]]
    if kind == "offset":
        # Half a window: a store that counts pages, not rows, would land elsewhere.
        return size // 2, [ids[size // 2 : size // 2 + size]]
    start = size if len(ids) >= 2 * size else size // 2
    return ids[start - 1], [ids[start : start + size]]


def _matching_window(page: Page, windows: list[list[int]], size: int) -> int | None:
    """Return which window came; it continues only if it reaches beyond the rows read."""
    received = list(page.columns.id)
    for index, ids in enumerate(windows):
        # At the end of the rows read a window is shorter than the page, which reaches beyond them.
        comparable = received[: len(ids)] if len(ids) < size else received
        if ids and comparable == ids:
            return index
    return None
