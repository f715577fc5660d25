"""Finding a way on that a store does not announce, and trusting it only after a rehearsal.

In: a first page already held. Out: a Stride that has reproduced rows of it exactly, or None.
A parameter that a store ignores, misreads or counts in other units never passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from petstore_frame.inventory.hints import next_value
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.reader import PageReader

REHEARSED_ROWS = 10
OFFSET_NAMES = ("offset", "skip")
AFTER_NAMES = ("after", "starting_after", "cursor")


@dataclass(frozen=True)
class Stride:
    """A parameter that is known to move a window over the listing.

    Attributes:
        name: The parameter.
        kind: What its value counts: rows to pass over, pages, or the id before the window.
        first_page: The number of the first page, for pages.
    """

    name: str
    kind: Literal["offset", "page", "after"]
    first_page: int = 1

    def __str__(self) -> str:
        if self.kind == "page":
            return f"{self.name}= (counted from {self.first_page})"
        return f"{self.name}="


def short_page(reader: PageReader, first: Page) -> Page | None:
    """Ask for the beginning of a page already held, to see whether it comes again.

    Returns:
        The short page, which may be longer than was asked for, or None when it cannot be had or
        holds other pets: then the listing keeps no order, and no window over it can be rehearsed.
    """
    ids = list(first.columns.id)
    size = min(REHEARSED_ROWS, len(ids) // 3)
    if size < 2:
        reader.probes["order"] = f"not tried: too few rows to rehearse on ({len(ids)})"
        return None
    page = reader.probe("order", reader.params(limit=size))
    if page is None:
        return None
    count = len(page)
    if not size <= count <= len(ids) or list(page.columns.id) != ids[:count]:
        reader.probes["order"] = f"not kept: the first {size} were not the first {size} again"
        return None
    reader.probes["order"] = "kept" if count == size else f"kept, but {count} came for limit={size}"
    return page


def rehearse(reader: PageReader, first: Page, short: Page) -> Stride | None:
    """Try parameters on rows that are already held and return the first that moves as it should.

    Args:
        reader: Asks, within the budget, and keeps the outcomes.
        first: The first page, as long as the store would give it.
        short: Its beginning, asked for with a smaller limit.
    """
    ids, size = list(first.columns.id), len(short)
    tries: Iterable[Callable[[], Stride | None]] = (
        lambda: _offset(reader, OFFSET_NAMES[0], ids, size),
        lambda: _page(reader, ids, size),
        *(lambda name=name: _after(reader, name, ids, size) for name in AFTER_NAMES),
        lambda: _offset(reader, OFFSET_NAMES[1], ids, size),
    )
    return next((stride for attempt in tries if (stride := attempt()) is not None), None)


def rehearse_value(reader: PageReader, first: Page, short: Page) -> str | None:
    """Return the parameter that takes the value of a header such as ``X-Next-Page``.

    A short page names its own next one; that next one must be the rows that follow it.
    """
    named = next_value(short.headers)
    if named is None:
        return None
    ids, size = list(first.columns.id), len(short)
    for name in named.parameters:
        params = reader.params({name: named.value}, limit=size)
        outcome = _compare(reader, name, params, {"understood": ids[size : 2 * size]}, ids[:size])
        if outcome == "understood":
            return name
    return None


def _offset(reader: PageReader, name: str, ids: list[int], size: int) -> Stride | None:
    # Half a window: a store that counts pages, not rows, would land elsewhere.
    at = size // 2
    params = reader.params({name: str(at)}, limit=size)
    outcome = _compare(reader, name, params, {"counts rows": ids[at : at + size]}, ids[:size])
    return Stride(name, "offset") if outcome else None


def _page(reader: PageReader, ids: list[int], size: int) -> Stride | None:
    wanted = {
        "counts pages from 1": ids[size : 2 * size],
        "counts pages from 0": ids[2 * size : 3 * size],
    }
    params = reader.params({"page": "2"}, limit=size)
    outcome = _compare(reader, "page", params, wanted, ids[:size])
    return Stride("page", "page", int(outcome[-1])) if outcome else None


def _after(reader: PageReader, name: str, ids: list[int], size: int) -> Stride | None:
    at = size if len(ids) >= 2 * size else size // 2
    params = reader.params({name: str(ids[at - 1])}, limit=size)
    wanted = {"goes on after an id": ids[at : at + size]}
    return Stride(name, "after") if _compare(reader, name, params, wanted, ids[:size]) else None


def _compare(
    reader: PageReader,
    name: str,
    params: dict[str, str],
    wanted: dict[str, list[int]],
    unmoved: list[int],
) -> str | None:
    """Ask, and return which of the expected windows came; anything else is not understood."""
    page = reader.probe(name, params)
    if page is None:
        return None
    got, size = list(page.columns.id), len(unmoved)
    outcome = next((meaning for meaning, ids in wanted.items() if _begins(got, ids, size)), None)
    reader.probes[name] = outcome or ("ignored" if got == unmoved else "not understood")
    return outcome


def _begins(got: list[int], wanted: list[int], size: int) -> bool:
    """Tell whether a window came; only one that reaches beyond the rows held may go on."""
    is_cut = 0 < len(wanted) < size
    return bool(wanted) and (got[: len(wanted)] if is_cut else got) == wanted
