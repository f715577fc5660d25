"""Stores that cut their listing, and say in a header of some kind that there is more."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from zoo.answers import BASE_URL, Query, Rows, known_of, of, pets, served

SOLD = pets(250, "sold")

# What a store states of a page: of its first row, its length asked for, and the rows there are.
SPELLINGS: dict[str, Callable[[int, int, int], dict[str, str]]] = {
    "has more": lambda at, size, of: {"X-Has-More": str(at + size < of).lower()},
    "pages": lambda at, size, of: {"X-Total-Pages": str(-(-of // size))},
    "last offset": lambda at, size, of: {
        "Link": f'<{BASE_URL}/pets?offset={(of - 1) // size * size}>; rel="last"'
    },
    "next offset": lambda at, size, of: {"X-Next-Offset": str(at + size)} if at + size < of else {},
}
each_spelling = pytest.mark.parametrize("spelling", SPELLINGS)


def stating(
    spelling: str, query: Query, rows: Rows, by: str = "", cap: int = 100, stop: int = 250
) -> httpx.Response:
    """A page of a listing that ends at row ``stop``, with what is stated of all its rows."""
    count = max(1, len(of(rows, query)))
    lines = SPELLINGS[spelling]
    return served(rows[:stop], query, by, cap, lambda at, size: lines(at, size, count))


@each_spelling
@pytest.mark.parametrize("status", [None, "sold"])
def test_a_cut_page_that_says_so_is_not_whole(spelling: str, status: str | None) -> None:
    """Nine of thirty pets, with a header that tells of more, are not called complete."""
    known = known_of(lambda q: stating(spelling, q, SOLD[:30], cap=9), status=status)
    assert (known.verdict, known.rows) == ("unknown", 9)
    assert not known.count("sold").is_exact


@each_spelling
@pytest.mark.parametrize("way", ["links", "offset", "page"])
@pytest.mark.parametrize("stop", [250, 200], ids=["honest", "window"])
def test_the_end_of_a_walk_is_held_to_what_it_states(spelling: str, way: str, stop: int) -> None:
    """A walk that ends where the headers tell of more proves nothing; an honest end is one."""
    known = known_of(lambda q: stating(spelling, q, SOLD, way, stop=stop))
    # A page behind the end was asked for, and took back that there is more.
    is_taken_back = spelling in ("has more", "next offset") and way in ("offset", "page")
    assert known.rows == stop
    assert known.covers_all == (stop == 250 or is_taken_back)


@pytest.mark.parametrize("spelling", sorted(SPELLINGS.keys() - {"next offset"}))
def test_a_way_that_only_full_pages_name_is_still_found(spelling: str) -> None:
    """A cut page that says that there is more is asked for by its own length, as a silent one."""

    def answer(query: Query) -> httpx.Response:
        return stating(spelling, query, SOLD, "links" if int(query["limit"]) <= 50 else "", cap=50)

    known = known_of(answer)
    assert (known.covers_all, known.rows) == (True, 250)
