"""Stores that cut their listing, and say in a header of some kind that there is more."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from petstore_frame.inventory import Fact
from zoo.answers import BASE_URL, Query, known_of, of, pets
from zoo.facts import detail_of

SOLD, MIXED = pets(250, "sold"), pets(37)
Lines = Callable[[int, int, int], dict[str, str]]

# What a store states of a page: of its first row, its length asked for, and the rows there are.
SPELLINGS: dict[str, Lines] = {
    "has more": lambda at, size, of: {"X-Has-More": str(at + size < of).lower()},
    "pages": lambda at, size, of: {"X-Total-Pages": str(-(-of // size))},
    "last page": lambda at, size, of: {
        "Link": f'<?seite={-(-of // size)}>; rel="last", <?seite=1>; rel="first"'
    },
    "last offset": lambda at, size, of: {
        "Link": f'<{BASE_URL}/pets?offset={(of - 1) // size * size}>; rel="last"'
    },
    "JSON": lambda at, size, of: {
        "X-Pagination": f'{{"TotalPages":{-(-of // size)},"HasNext":{str(at + size < of).lower()}}}'
    },
}
NEXT_VALUES: dict[str, Lines] = {
    "token": lambda at, size, of: {"X-Continuation-Token": "abc"} if at + size < of else {},
    "page token": lambda at, size, of: {"X-Next-Page-Token": "abc"} if at + size < of else {},
    "offset": lambda at, size, of: {"X-Next-Offset": str(at + size)} if at + size < of else {},
}


@pytest.mark.parametrize("lines", (SPELLINGS | NEXT_VALUES).values(), ids=SPELLINGS | NEXT_VALUES)
@pytest.mark.parametrize("status", [None, "sold"])
def test_a_cut_page_that_says_so_is_not_whole(lines: Lines, status: str | None) -> None:
    """Nine of thirty pets, with a header that tells of more, are not called complete."""

    def answer(query: Query) -> httpx.Response:
        rows, size = of(SOLD[:30], query), min(9, int(query["limit"]))
        return httpx.Response(200, json=rows[:size], headers=lines(0, size, len(rows)))

    known = known_of(answer, status=status)
    assert (known.verdict, known.rows) == ("unknown", 9)
    assert not known.count("sold").is_exact


@pytest.mark.parametrize("lines", SPELLINGS.values(), ids=SPELLINGS)
def test_a_small_store_that_says_so_is_whole(lines: Lines) -> None:
    """The same headers of an honest store of one page cast no doubt, and cost no request."""

    def answer(query: Query, lines: Lines = lines) -> httpx.Response:
        rows, size = of(MIXED, query), int(query["limit"])
        return httpx.Response(200, json=rows[:size], headers=lines(0, size, len(rows)))

    known, silent = known_of(answer), known_of(lambda q: answer(q, lambda *_: {}))
    assert known.covers_all
    assert known.requests == silent.requests


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("way", ["links", "cursor links", "offset", "page"])
@pytest.mark.parametrize("stop", [250, 200], ids=["honest", "window"])
def test_the_end_of_a_walk_is_held_to_what_it_states(spelling: str, way: str, stop: int) -> None:
    """A walk that ends where the headers tell of more proves nothing; an honest end is one."""

    def answer(query: Query) -> httpx.Response:
        rows, size = of(SOLD, query), int(query["limit"])
        at = int(query.get("at", query.get("offset", "0") if way in ("links", "offset") else "0"))
        if way == "page":
            at = (int(query.get("page", "1")) - 1) * size
        headers = SPELLINGS[spelling](at, size, max(1, len(rows)))
        if "links" in way and at + size < min(stop, len(rows)):
            name = "offset" if way == "links" else "at"
            link = f'<{BASE_URL}/pets?limit={size}&{name}={at + size}>; rel="next"'
            headers["Link"] = ", ".join(filter(None, [headers.get("Link"), link]))
        return httpx.Response(200, json=rows[:stop][at : at + size], headers=headers)

    known = known_of(answer)
    # A page behind the end was asked for, and took back that there is more.
    is_taken_back = spelling == "has more" and way in ("offset", "page")
    assert known.rows == stop
    assert known.covers_all == (stop == 250 or is_taken_back)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_way_that_only_full_pages_name_is_still_found(spelling: str) -> None:
    """A cut page that says that there is more is asked for by its own length, as a silent one."""

    def answer(query: Query) -> httpx.Response:
        rows, limit, at = of(SOLD, query), int(query["limit"]), int(query.get("at", "0"))
        size = min(50, limit)
        headers = SPELLINGS[spelling](at, size, max(1, len(rows)))
        if size == limit and at + size < len(rows):
            link = f'<{BASE_URL}/pets?limit={size}&at={at + size}>; rel="next"'
            headers["Link"] = ", ".join(filter(None, [headers.get("Link"), link]))
        return httpx.Response(200, json=rows[at : at + size], headers=headers)

    known = known_of(answer)
    assert (known.covers_all, known.rows) == (True, 250)


def test_a_next_value_that_is_not_understood_hides_no_parameter() -> None:
    """Where a header names the next page in an unknown way, a parameter still leads to the end."""

    def answer(query: Query) -> httpx.Response:
        rows, size, at = of(SOLD, query), int(query["limit"]), int(query.get("skip", "0"))
        headers = {"X-Next-Offset": str(at + size)} if at + size < len(rows) else {}
        return httpx.Response(200, json=rows[at : at + size], headers=headers)

    known = known_of(answer)
    assert (known.covers_all, known.rows) == (True, 250)
    assert detail_of(known, Fact.PARAMETER_WORKS) == "skip"
