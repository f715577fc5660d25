"""What pages, headers and ages on the way show of a walk's end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import md5
from typing import Any

import httpx
import pytest

import petstore_frame as pf
from petstore_frame.inventory import Assumption, Fact
from zoo import answers
from zoo.answers import Answer, Query
from zoo.facts import detail_of, facts

BASE_URL = "http://127.0.0.1:1/tenant/v1"
client_of = partial(answers.client_of, base_url=BASE_URL)
known_of = partial(answers.known_of, base_url=BASE_URL)
PETS = answers.pets(250, "sold")


def window(query: Query) -> tuple[int, int]:
    return int(query.get("at", "0")), min(int(query["limit"]), 100)


def page(
    query: Query, rows: list[dict[str, Any]], path: str = "/tenant/v1/pets", **headers: str
) -> httpx.Response:
    at, limit = window(query)
    if query.get("status") not in (None, "sold"):
        rows = []
    if at + limit < len(rows) and "Link" not in headers:
        headers["Link"] = f'<{path}?limit={limit}&at={at + limit}>; rel="next"'
    return httpx.Response(200, json=rows[at : at + limit], headers=headers)


def test_ties_that_each_query_orders_anew_are_no_whole() -> None:
    """Rows repeated in other places than the end of the page before prove that rows are lost."""

    def answer(query: Query) -> httpx.Response:
        at, _ = window(query)

        def key(pet: dict[str, Any]) -> tuple[int, bytes]:
            return pet["id"] % 3, md5(f"{pet['id']}/{at}".encode()).digest()

        return page(query, sorted(PETS, key=key))

    known = known_of(answer)
    assert known.verdict == "unknown"
    assert known.rows < 250


@pytest.mark.parametrize(
    ("headers", "verdict"),
    [
        ({"Link": '/tenant/v1/pets?at=200; rel="next"'}, "unknown"),
        ({"Link": "", "X-Next-Cursor": "abc", "X-Total-Count": "250"}, "incomplete"),
    ],
)
def test_headers_of_later_pages_count(headers: dict[str, str], verdict: str) -> None:
    """A later page that names a next one in another way, or states a larger total, is no end."""
    known = known_of(lambda query: page(query, PETS, **headers if "at" in query else {}))
    assert (known.verdict, known.rows) == (verdict, 200)


def test_links_that_leave_the_address_of_the_store_are_not_followed() -> None:
    """Behind a gateway, a link without the store's own prefix may lead to another store."""
    asked: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return page(dict(request.url.params), PETS, path="/v1/pets")

    client = pf.Client(BASE_URL, "a-key", transport=httpx.MockTransport(handle))
    known = pf.fetch_inventory(client).completeness
    assert set(asked) == {"/tenant/v1/pets"}
    assert (known.verdict, known.rows) == ("unknown", 100)
    assert detail_of(known, Fact.NEXT_OUTSIDE) == "/tenant"


def test_links_to_another_path_of_the_store_are_followed() -> None:
    """A path of a store's own making is assumed to go on with the listing, as any next link is."""
    known = known_of(lambda query: page(query, PETS, path="/stores/1/pets"))
    assert (known.covers_all, known.rows) == (True, 250)
    assert Assumption.LINKS_REACH_ALL in known.assumptions


def test_pages_of_another_store_are_not_merged() -> None:
    """A page that calls itself another store ends the fetch with what came before it."""
    with pytest.raises(pf.IncompleteInventoryError, match="called itself a and then b") as caught:
        known_of(lambda query: page(query, PETS, **{"X-Store-Id": "ab"["at" in query]}))
    assert len(caught.value.partial) == 100


def test_a_page_older_than_the_one_before_ends_the_verdict() -> None:
    """Pages out of a cache show another state of the store, and when it was."""
    known = known_of(lambda query: page(query, PETS, **({"Age": "3600"} if "at" in query else {})))
    assert known.verdict == "unstable"
    assert detail_of(known, Fact.OLD_ANSWER) == "1 hour"


def test_an_inventory_is_as_old_as_its_oldest_answer() -> None:
    """Where all answers are a day old, so is the inventory."""
    client = client_of(lambda query: page(query, PETS, Age="86400"))
    inventory = pf.fetch_inventory(client)
    assert inventory.completeness.covers_all
    assert inventory.fetched_at < datetime.now(UTC) - timedelta(hours=23)
    assert detail_of(inventory.completeness, Fact.OLD_ANSWER) == "1 day"


def clamped(query: Query) -> httpx.Response:
    """A store whose ``page`` stays at the last one."""
    limit = int(query["limit"])
    number = min(int(query.get("page", "1")), -(-len(PETS) // limit))
    return httpx.Response(200, json=PETS[(number - 1) * limit : number * limit])


def test_a_store_that_repeats_its_last_page_ends_there() -> None:
    """Where every page number behind the last gives the last page again, that one is the end."""
    known = known_of(clamped)
    assert (known.verdict, known.rows) == ("complete", len(PETS))


def endless(query: Query) -> httpx.Response:
    """A store that links a next page on every page, the empty one too."""
    at, limit = window(query)
    return page(query, PETS, Link=f'<{BASE_URL}/pets?limit={limit}&at={at + limit}>; rel="next"')


def skipping(query: Query) -> httpx.Response:
    """A store that cuts its pages at 50 and links as if they had the length asked for."""
    at = int(query.get("offset", "0"))
    link = f'<{BASE_URL}/pets?limit=100&offset={at + 100}>; rel="next"'
    return httpx.Response(200, json=PETS[at : at + 50], headers={"Link": link} if at < 200 else {})


@pytest.mark.parametrize("answer", [endless, skipping])
def test_an_unusual_end_is_a_doubt_and_no_error(answer: Answer) -> None:
    """What merely proves nothing gives an Inventory that says so."""
    known = known_of(answer)
    assert known.verdict == "unknown"
    assert known.rows == (150 if answer is skipping else 250)


@pytest.mark.parametrize("count", [0, 37, 100, 200, 250])
def test_a_last_page_that_names_itself_is_a_doubt(count: int) -> None:
    """How many pets there are has no say in what a last page proves that links itself."""

    def answer(query: Query) -> httpx.Response:
        limit, rows = int(query["limit"]), PETS[:count] if query.get("status") != "pending" else []
        last = max(1, -(-len(rows) // limit))
        number = int(query.get("page", "1"))
        link = f"?limit={limit}&page={min(number + 1, last)}"
        found = rows[(number - 1) * limit : number * limit]
        return httpx.Response(200, json=found, headers={"Link": f'<{link}>; rel="next"'})

    known = known_of(answer)
    assert (known.verdict, known.rows) == ("unknown", count)
    assert Fact.NEXT_IS_ITSELF in facts(known)


def test_empty_pages_of_a_filter_are_passed() -> None:
    """A store that filters each page after it was cut gives many empty pages before the pets."""
    rows = [{**pet, "status": "sold" if pet["id"] > 220 else "pending"} for pet in PETS]

    def answer(query: Query) -> httpx.Response:
        at = int(query.get("at", "0"))
        found = [pet for pet in rows[at : at + 10] if query.get("status") in (None, pet["status"])]
        status = f"&status={query['status']}" if "status" in query else ""
        link = f"?limit={query['limit']}&at={at + 10}{status}"
        headers = {"Link": f'<{link}>; rel="next"'} if at < 240 else {}
        return httpx.Response(200, json=found, headers=headers)

    known = known_of(answer, status="sold")
    assert (known.verdict, known.rows) == ("complete", 30)


@pytest.mark.parametrize("default", [10, 20])
def test_a_link_that_forgets_the_limit_leads_on(default: int) -> None:
    """Pages shorter than the first repeat its pets before new ones come, and lead to the end."""

    def answer(query: Query) -> httpx.Response:
        limit, number = int(query.get("limit", default)), int(query.get("page", "1"))
        status = f"&status={query['status']}" if "status" in query else ""
        rows = PETS if query.get("status", "sold") == "sold" else []
        link = {"Link": f'<?page={number + 1}{status}>; rel="next"'}
        found = rows[(number - 1) * limit : number * limit]
        return httpx.Response(200, json=found, headers=link if number * limit < len(rows) else {})

    known = known_of(answer)
    assert (known.verdict, known.rows) == ("unknown", 250)


@pytest.mark.parametrize("value", ["null", "None", "0", "-1", "false", "undefined"])
def test_words_for_nothing_name_no_next_page(value: str) -> None:
    """A header that says in some program's way that there is no next page is heard."""
    short = known_of(lambda query: page(query, PETS[:37], **{"X-Next-Cursor": value}))

    def numbered(query: Query) -> httpx.Response:
        if not query.get("page", "1").isdigit():
            return httpx.Response(400, json={"code": "page", "message": "page", "status": 400})
        number, limit = int(query.get("page", "1")), int(query["limit"])
        following = str(number + 1) if number * limit < 250 else value
        rows = PETS[(number - 1) * limit : number * limit]
        return httpx.Response(200, json=rows, headers={"X-Next-Page": following})

    is_number = value in ("0", "-1")  # which a cursor may be
    assert short.verdict == ("unknown" if is_number else "complete")
    assert known_of(numbered).covers_all


def test_a_wider_page_that_is_refused_leaves_the_narrow_one() -> None:
    """A store that takes no more than 50 is read with 50."""

    def answer(query: Query) -> httpx.Response:
        if int(query["limit"]) > 50:
            return httpx.Response(400, json={"code": "limit", "message": "limit", "status": 400})
        return httpx.Response(200, json=PETS[: int(query["limit"])])

    known = known_of(answer, limit=50)
    assert (known.verdict, known.rows) == ("unknown", 50)


def test_an_expired_place_is_left_for_a_new_beginning() -> None:
    """Where the store has forgotten a cursor, ``resume`` reads from the start."""
    asked: list[str] = []

    def answer(query: Query) -> httpx.Response:
        cursor = query.get("cursor", query.get("status", "0"))
        asked.append(cursor)
        if cursor == "200" and asked.count("0") < 2:
            return httpx.Response(410, json={"code": "old", "message": "old", "status": 410})
        at = int(cursor) if cursor.isdigit() else 0
        headers = {"Link": f'<{BASE_URL}/pets?cursor={at + 100}>; rel="next"'} if at < 200 else {}
        return httpx.Response(200, json=PETS[at : at + 100], headers=headers)

    with pytest.raises(pf.IncompleteInventoryError) as caught:
        pf.fetch_inventory(client_of(answer))
    assert len(caught.value.partial) == 200
    assert caught.value.resume().completeness.covers_all


def test_a_number_of_rows_does_not_pass_for_an_id() -> None:
    """Where ids run from 1 without a gap, a cursor that counts rows looks like one after an id,
    until a gap comes: then the last row does not come again."""
    gap = [{**pet, "id": pet["id"] + 10 * (pet["id"] > 150)} for pet in PETS]

    def answer(query: Query) -> httpx.Response:
        at = int(query.get("cursor", "0"))
        rows = gap if query.get("status") in (None, "sold") else []
        return httpx.Response(200, json=rows[at : at + int(query["limit"])])

    known = known_of(answer)
    assert detail_of(known, Fact.PARAMETER_WORKS) == "cursor"
    assert not known.covers_all or known.rows == 250
