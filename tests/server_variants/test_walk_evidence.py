"""What pages, headers and ages on the way show of a walk's end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

import httpx
import pytest

import petstore_frame as pf
from petstore_frame.inventory import Fact
from petstore_frame.inventory.reading.walks import describe_change
from server_variants import answers
from server_variants.answers import (
    Query,
    Rows,
    completeness_of,
    evidence_of,
    listed,
    of,
    pets,
    refusal,
    served,
    told,
)

PETS = pets(250, "sold")


def page(query: Query, rows: Rows = PETS, **headers: str) -> httpx.Response:
    """A page of the listing with a link to the next."""
    at, limit = int(query.get("at", "0")), int(query["limit"])
    if at + limit < len(rows) and "Link" not in headers:
        headers["Link"] = f'<?limit={limit}&at={at + limit}>; rel="next"'
    return served(rows, query, **headers)


@pytest.mark.parametrize(
    ("headers", "verdict"),
    [
        ({"Link": '/v1/pets?at=200; rel="next"'}, "unknown"),
        ({"Link": "", "X-Next-Page": "abc"}, "unknown"),
        ({"Link": "", "X-Total-Count": "250"}, "incomplete"),
    ],
)
def test_headers_of_later_pages_count(headers: dict[str, str], verdict: str) -> None:
    """A later page that names a next one in another way, or states a larger total, is no end."""
    completeness = completeness_of(lambda query: page(query, **headers if "at" in query else {}))
    assert (completeness.verdict, completeness.rows) == (verdict, 200)


def test_pages_of_another_store_are_not_merged() -> None:
    """A page that calls itself another store ends the fetch with what came before it."""
    message = "identified itself as a and then b"
    with pytest.raises(pf.IncompleteInventoryError, match=message) as caught:
        completeness_of(lambda query: page(query, **{"X-Store-Id": "ab"["at" in query]}))
    assert len(caught.value.partial) == 100


@told("unstable", 37, Fact.OTHER_STORE, exact=set())
def test_a_question_that_another_store_answers_ends_every_count(query: Query) -> httpx.Response:
    """What two stores hold is no whole of either, also where only a filtered page shows it."""
    return served(PETS[:37], query, **{"X-Store-Id": "ab"["status" in query]})


def test_an_inventory_is_as_old_as_its_oldest_answer() -> None:
    """A page older than the one before shows another state of the store, and when it was."""
    inventory = pf.fetch_inventory(answers.client_of(lambda query: page(query, Age="86400")))
    assert inventory.completeness.covers_all
    assert inventory.fetched_at < datetime.now(UTC) - timedelta(hours=23)
    completeness = completeness_of(
        lambda query: page(query, **({"Age": "3600"} if "at" in query else {}))
    )
    assert (completeness.verdict, evidence_of(completeness, Fact.OLD_ANSWER).detail) == (
        "unstable",
        "3,600 s",
    )


@pytest.mark.parametrize("number_of_pets", [0, 37, 100, 200, 250])
def test_a_last_page_that_names_itself_is_a_doubt(number_of_pets: int) -> None:
    """How many pets there are has no say in what a last page proves that links itself."""

    def answer(query: Query) -> httpx.Response:
        rows = PETS[:number_of_pets] if query.get("status") != "pending" else []
        number, last = int(query.get("page", "1")), max(1, -(-len(rows) // int(query["limit"])))
        link = f'<?limit={query["limit"]}&page={min(number + 1, last)}>; rel="next"'
        return served(rows, query, "page", Link=link)

    completeness = completeness_of(answer)
    assert (completeness.verdict, completeness.rows) == ("unknown", number_of_pets)
    assert Fact.NEXT_NOT_READ in answers.facts(completeness)


@told("unknown", 200, Fact.WINDOWS_STOPPED)
def test_page_numbers_that_begin_again_prove_no_end(query: Query) -> httpx.Response:
    """A reading by a parameter stops where a whole page is known, and proves nothing."""
    number = int(query.get("page", "1"))
    return served(PETS, query | {"page": str(2 - number % 2)}, "page")


@told("unknown", 199, Fact.WINDOWS_STOPPED)
def test_a_depth_that_is_refused_ends_the_reading_without_an_error(query: Query) -> httpx.Response:
    """Some stores refuse offsets beyond a depth; what came before is kept, and proves nothing."""
    is_deep = int(query.get("offset", "0")) > 150
    return refusal(400) if is_deep else served(PETS, query, "offset")


END_RESPONSES = {
    "204": httpx.Response(204),
    "404": refusal(404),
    "410": refusal(410),
    "500": refusal(500),
    "null": httpx.Response(200, json=None),
    "an object": httpx.Response(200, json={}),
}


@pytest.mark.parametrize("response", END_RESPONSES.values(), ids=END_RESPONSES)
@pytest.mark.parametrize("way", ["offset", "page"])
def test_no_response_past_the_end_fails_a_reading(way: str, response: httpx.Response) -> None:
    """All pets are kept; behind a short page a refusal is the end, a failure proves nothing."""

    def answer(query: Query) -> httpx.Response:
        page = served(PETS, query, way)
        is_past_the_end = int(query.get("page", "1")) > 3 or int(query.get("offset", "0")) > 248
        return response if is_past_the_end else page

    completeness = completeness_of(answer)
    has_failed = response.status_code == 500
    assert (completeness.is_complete, completeness.rows) == (not has_failed, 250)
    assert (Fact.WINDOWS_STOPPED in answers.facts(completeness)) == has_failed


@told("unknown", 200, Fact.WINDOWS_STOPPED)
def test_a_refusal_behind_a_full_page_proves_nothing(query: Query) -> httpx.Response:
    """A store that goes no deeper than two pages may have more."""
    is_deep = int(query.get("page", "1")) > 2
    return refusal(400) if is_deep else served(PETS, query, "page")


@told("unknown", 200, Fact.WINDOWS_STOPPED)
def test_a_full_last_page_that_repeats_is_a_doubt(query: Query) -> httpx.Response:
    """A store that stops counting at page 2 returns it for every higher number."""
    number = min(2, int(query.get("page", "1")))
    return served(PETS, query | {"page": str(number)}, "page")


@pytest.mark.parametrize("name", ["page", "_page"])
@pytest.mark.parametrize("first_number", [0, 1])
@pytest.mark.parametrize("length", [20, 120])
def test_pages_of_a_fixed_length_are_read(name: str, first_number: int, length: int) -> None:
    """A store that ignores the limit is read by page numbers that lead to other pets."""
    rows = pets(250)

    def answer(query: Query) -> httpx.Response:
        start = max(0, int(query.get(name, first_number)) - first_number) * length
        return listed(of(rows, query)[start : start + length])

    completeness = completeness_of(answer)
    assert (completeness.verdict, completeness.rows) == ("complete", 250)


def test_an_outage_on_the_way_is_no_end() -> None:
    """If the store no longer gives its first page either, the reading ended early."""
    calls = count(1)

    def answer(query: Query) -> httpx.Response:
        is_down = int(query.get("offset", "0")) > 150 or next(calls) > 40
        if int(query.get("offset", "0")) > 150:
            outage.append(True)
        return refusal(500) if is_down or outage else served(PETS, query, "offset")

    outage: list[bool] = []
    with pytest.raises(pf.IncompleteInventoryError) as caught:
        completeness_of(answer)
    assert len(caught.value.partial) == 199


def test_a_link_to_another_host_leaves_the_listing_to_the_other_strategies() -> None:
    """A proxy's wrong address is no end: the listing is read by its parameter all the same."""
    link = {"Link": '<https://inside.example/v1/pets?page=2>; rel="next"'}
    completeness = completeness_of(lambda query: served(PETS, query, "offset", **link))
    assert (completeness.verdict, completeness.rows) == ("complete", 250)
    blocked = completeness_of(lambda query: served(PETS, query, **link))
    assert blocked.verdict == "unknown"
    assert "https://inside.example" in blocked.reason and "base URL" in blocked.next_step


@told("unknown", 100, Fact.LINK_NOT_FOLLOWED)
def test_a_link_to_another_path_is_reported(query: Query) -> httpx.Response:
    """A listing whose next link leads to something else is not complete."""
    return served(PETS, query, Link='</v1/admin/delete?all=1>; rel="next"')


@told("complete", 250)
def test_a_link_without_the_prefix_of_a_proxy_is_followed(query: Query) -> httpx.Response:
    """The store behind the proxy does not know the prefix, so its query is sent to the listing."""
    at = int(query.get("at", "0"))
    link = {"Link": f'</pets?limit=100&at={at + 100}>; rel="next"'} if at < 200 else {}
    return listed(of(PETS, query)[at : at + 100], **link)


@pytest.mark.parametrize(
    ("before", "after", "fact"),
    [
        ([1, 2, 3], [9, 1, 2], Fact.PETS_ADDED),
        ([1, 2, 3], [1, 3, 4], Fact.PETS_LEFT),
        ([1, 2, 3], [1, 3], Fact.PETS_LEFT),
        ([1, 2, 3], [3, 2, 1], Fact.PAGE_CHANGED),
    ],
)
def test_a_change_is_named(before: list[int], after: list[int], fact: Fact) -> None:
    """A store that grew is not said to have lost pets."""
    assert describe_change(before, after).fact is fact


@told("unknown", 7, exact=set())
def test_a_link_line_that_cannot_be_read_is_a_doubt(query: Query) -> httpx.Response:
    """A short page with a broken Link line is not called whole."""
    return served(PETS, query, cap=7, Link="/v1/pets?page=2; rel=next")
