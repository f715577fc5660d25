"""Stores that once talked the ladder into a verdict that the pets it held refuted."""

from __future__ import annotations

import json

import httpx
import pytest

import petstore_frame as pf
from petstore_frame.inventory import Assumption, Fact
from petstore_frame.schema.decoding import read_page, read_pet
from zoo.answers import BASE_URL, Query, Rows, known_of, of, pets
from zoo.facts import count_of


def limited(rows: Rows, query: Query, cap: int = 100, **headers: str) -> httpx.Response:
    """The first rows of those asked for, at most ``cap``."""
    found = of(rows, query)[: min(int(query["limit"]), cap)]
    return httpx.Response(200, json=found, headers=headers)


@pytest.mark.parametrize("cap", [50, 60])
@pytest.mark.parametrize("header", ["Link", "X-Next-Cursor"])
def test_silence_after_a_cut_page_is_no_end(header: str, cap: int) -> None:
    """A store that names a next page only after pages as long as asked is read on."""

    def answer(query: Query) -> httpx.Response:
        start, limit = int(query.get("at", "0")), int(query["limit"])
        rows = of(pets(500), query)[start : start + min(limit, cap)]
        place = str(start + len(rows))
        value = f'<{BASE_URL}/pets?limit={limit}&at={place}>; rel="next"'
        headers = {header: value if header == "Link" else place} if len(rows) == limit else {}
        return httpx.Response(200, json=rows, headers=headers)

    known = known_of(answer)
    assert known.rows == 500 if header == "Link" else not known.is_complete
    assert known.covers_all == (known.rows == 500)


@pytest.mark.parametrize("vice", ["no budget", "refused", "no limit"])
def test_an_untested_total_proves_nothing(vice: str) -> None:
    """A total that may be the length of the page makes no listing whole."""

    def answer(query: Query) -> httpx.Response:
        if vice == "refused" and query["limit"] == "50":
            return httpx.Response(429, json={"code": "x", "message": "m", "status": 429})
        rows = of(pets(500), query)[: 200 if vice == "no limit" else int(query["limit"])]
        return httpx.Response(200, json=rows, headers={"X-Total-Count": str(len(rows))})

    known = known_of(answer, max_probes=0 if vice == "no budget" else 12)
    assert not known.covers_all
    assert str(known.total).startswith("at least")


def test_of_two_totals_the_larger_counts() -> None:
    """Where totals differ the larger one refutes."""
    headers = {"X-Total-Count": "100", "X-Total": "500", "Content-Range": "items 0-99/500"}
    known = known_of(lambda query: limited(pets(500), query, **headers))
    assert (known.verdict, known.advertised_total) == ("incomplete", 500)


@pytest.mark.parametrize("status", [None, "sold"])
def test_a_filter_that_comes_after_the_limit_counts_nothing(status: str | None) -> None:
    """Filtered pages that only part the first page give no exact count."""
    known = known_of(
        lambda query: httpx.Response(200, json=of(pets(500)[: int(query["limit"])], query)),
        status=status,
    )
    assert not known.is_complete
    assert not any(count.is_exact for count in known.by_status.values())


@pytest.mark.parametrize("status", [None, "sold"])
def test_a_filter_that_finds_nothing_is_refuted(status: str | None) -> None:
    """An empty filtered page is a conflict where an unfiltered one holds such pets."""
    known = known_of(
        lambda query: limited([] if "status" in query else pets(500), query), status=status
    )
    assert not known.is_complete
    assert count_of(known, Fact.FILTER_LEFT_OUT) == 33


@pytest.mark.parametrize("status", ["sold", None])
@pytest.mark.parametrize("cap", [37, 60])
def test_a_short_page_of_one_status_may_be_cut(cap: int, status: str | None) -> None:
    """A short page is not the whole where a filtered page is as long; where none is, it is so only
    if the store fills its pages."""
    rows = pets(500, status)
    known = known_of(lambda query: limited(rows, query, cap))
    assert known.is_complete is (status is None)
    assert known.assumptions == () or Assumption.FILLS_PAGES in known.assumptions


def test_a_link_line_that_cannot_be_read_is_a_doubt() -> None:
    """A short page with a broken Link line is not called whole."""
    headers = {"Link": f"{BASE_URL}/pets?page=2; rel=next"}
    known = known_of(lambda query: limited(pets(500, "sold"), query, 7, **headers))
    assert known.verdict == "unknown"
    assert not any(count.is_exact for count in known.by_status.values())


def test_a_deep_body_is_no_pet() -> None:
    """A body of lists within lists leaves the interface as any other does."""
    body = b"[" * 100_000 + b"]" * 100_000
    with pytest.raises(pf.ContractError):
        read_page(body)
    with pytest.raises(pf.ContractError):
        read_pet(json.dumps({"id": 1}).encode()[:-1] + b',"x":' + body + b"}", operation="GET")
