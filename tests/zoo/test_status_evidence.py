"""What the pages of the statuses show of a listing, and what they cannot."""

from __future__ import annotations

from threading import Event, Lock
from typing import Any

import httpx
import pytest

from petstore_frame.inventory import Assumption, Fact
from zoo.answers import BASE_URL, Answer, Query, client_of, known_of, of, pets
from zoo.facts import count_of, facts


def cut(rows: list[dict[str, Any]], query: Query) -> httpx.Response:
    return httpx.Response(200, json=rows[: int(query.get("limit", "20"))])


def linked(rows: list[dict[str, Any]], query: Query, **headers: str) -> httpx.Response:
    """Answer with a page and a next link that keeps the filter."""
    at, limit = int(query.get("offset", "0")), int(query.get("limit", "20"))
    status = f"&status={query['status']}" if "status" in query else ""
    if at + limit < len(rows):
        link = f"{BASE_URL}/pets?limit={limit}&offset={at + limit}{status}"
        headers["Link"] = f'<{link}>; rel="next"'
    return httpx.Response(200, json=rows[at : at + limit], headers=headers)


def moving(source: str, target: str, moved_id: int) -> Answer:
    """A store in which a pet moves between the pages of two statuses, before its new page is read
    or after it, whichever makes it missing or double."""
    rows, lock, has_moved = pets(150), Lock(), Event()
    waits = source if target == "available" else target

    def answer(query: Query) -> httpx.Response:
        is_page = query["limit"] == "100" and "status" in query
        if is_page and query["status"] == waits:
            has_moved.wait(5)
        with lock:
            found = cut(of(rows, query), query)
            if is_page and query["status"] == target and not has_moved.is_set():
                rows[moved_id - 1]["status"] = target
                has_moved.set()
        return found

    return answer


def test_a_pet_that_moves_between_two_pages_is_missed_without_a_verdict() -> None:
    """A pet on neither page of its two statuses may be missed: exact counts assume that none
    moved, and nothing is called complete."""
    known = known_of(moving("pending", "available", 130))
    assert known.verdict == "unknown"
    assert Assumption.NONE_CHANGES in known.assumptions


def test_a_pet_with_two_statuses_leaves_neither_count_exact() -> None:
    """Rows that conflict clear the counts of both statuses."""
    rows, asked = pets(150), []

    def answer(query: Query) -> httpx.Response:
        asked.append(query)
        found = of(rows, query)
        if query.get("status") == "sold":  # the page still lists a pet that is available by now
            found.append(rows[129] | {"status": "sold"})
        return cut(found, query)

    known = known_of(answer)
    assert not known.is_complete
    assert not known.count("sold").is_exact
    assert Fact.PETS_CHANGED in facts(known)


def hiding(way: str) -> Answer:
    """A store whose unfiltered listing leaves out sold pets."""
    shown, sold = pets(250, "available", "pending"), pets(120, "sold", first=1001)

    def answer(query: Query) -> httpx.Response:
        rows = sold if query.get("status") == "sold" else of(shown, query)
        if way == "links":
            return linked(rows, query)
        if way == "offset":
            at = int(query.get("offset", "0"))
            return cut(rows[at:], query)
        return cut([] if query.get("status") != "sold" else rows, query)

    return answer


@pytest.mark.parametrize("way", ["links", "offset"])
def test_a_status_that_the_listing_leaves_out_is_noticed(way: str) -> None:
    """Pets that only the page of their status brings are held, and nothing is called complete."""
    known = known_of(hiding(way))
    assert (known.rows, known.verdict) == (350, "unknown")
    assert str(known.count("sold")) == "at least 100"
    assert count_of(known, Fact.STATUSES_HOLD_MORE) == 100


@pytest.mark.parametrize("way", ["links", "offset"])
@pytest.mark.parametrize("order", ["mixed", "by status"])
@pytest.mark.parametrize("window", [200, 1000])
def test_a_window_on_each_listing_is_no_end(way: str, order: str, window: int) -> None:
    """Where every listing ends at one row, no walk to such an end counts its pets."""
    rows = pets(1000)
    if order == "by status":
        rows.sort(key=lambda pet: pet["status"])

    def answer(query: Query) -> httpx.Response:
        found = of(rows, query)[:window]
        if way == "links":
            return linked(found, query)
        return cut(found[int(query.get("offset", "0")) :], query)

    known = known_of(answer)
    assert known.covers_all == known.count("sold").is_exact == (window == 1000)


def test_a_way_that_ends_early_takes_no_count_from_short_pages() -> None:
    """Pages of the statuses that are whole by themselves stay whole, wherever the listing ends."""

    def answer(query: Query) -> httpx.Response:
        found = of(pets(250), query)
        return cut(found, query) if query.get("limit") == "100" else linked(found, query)

    known = known_of(answer)
    assert (known.is_complete, known.rows) == (False, 250)
    assert Fact.STATUSES_HOLD_MORE in facts(known)


def test_an_empty_page_is_no_empty_store() -> None:
    """Where the unfiltered listing is empty, the statuses are asked."""
    known = known_of(hiding("empty"))
    assert not known.is_complete
    assert known.rows >= 100


def test_a_pet_of_a_status_left_out_is_not_absent() -> None:
    """A search ends at the statuses, not at a listing that hides one."""
    with client_of(hiding("links")) as client:
        assert client.find_pet(1001).state == "found"
        assert client.find_pet(1115).state == "unknown"
        assert client.find_pet(7777).state == "unknown"


@pytest.mark.parametrize(("budget", "assumption"), [
    (2, Assumption.LISTS_EVERY_STATUS), (12, Assumption.LISTS_PETS_WITHOUT_STATUS),
])  # fmt: skip
def test_what_the_statuses_leave_open_is_assumed(budget: int, assumption: Assumption) -> None:
    """A walk without a budget to ask the statuses says so; with one, pets without a status stay
    open."""
    rows = pets(250)
    known = known_of(lambda query: linked(of(rows, query), query), max_probes=budget)
    assert known.covers_all
    assert assumption in known.assumptions


def test_a_larger_total_on_a_status_page_refutes_its_length() -> None:
    """A status page is not whole when its own header states more pets."""
    rows = pets(300)

    def answer(query: Query) -> httpx.Response:
        found = of(rows, query)
        size = min(int(query["limit"]), 60 if "status" in query else 100)
        return httpx.Response(200, json=found[:size], headers={"X-Total-Count": str(len(found))})

    known = known_of(answer)
    assert (known.verdict, known.advertised_total) == ("incomplete", 300)
    assert not any(count.is_exact for count in known.by_status.values())


def test_a_total_of_all_pets_may_be_that_of_the_status() -> None:
    """The same total with and without the filter leaves a filtered listing unknown; it is dropped
    only where pets differ in status."""
    rows = pets(250, "sold")

    def answer(query: Query) -> httpx.Response:
        return linked(of(rows, query)[:200], query, **{"X-Total-Count": "250"})

    known = known_of(answer, status="sold")
    assert (known.verdict, known.rows, known.advertised_total) == ("unknown", 200, None)
    assert Fact.TOTAL_OF_ALL in facts(known)


@pytest.mark.parametrize("vice", ["link drops the filter", "filter ignores case"])
def test_pets_of_other_statuses_end_a_verdict(vice: str) -> None:
    """A filtered listing that held other pets is not called whole."""
    rows = pets(250)

    def answer(query: Query) -> httpx.Response:
        if vice == "filter ignores case":
            found = [pet | {"status": pet["status"].upper()} for pet in of(rows, query)]
            return linked(found, query)
        is_first = "status" in query
        at = int(query.get("at", "0"))
        found = (of(rows, query) if is_first else rows[::-1])[at : at + 10]
        link = f'<{BASE_URL}/pets?limit=10&at={at + 10}>; rel="next"'
        return httpx.Response(200, json=found, headers={"Link": link} if at < 240 else {})

    known = known_of(answer, status="sold")
    assert known.verdict == "unknown"
    assert Fact.FILTER_NOT_KEPT in facts(known)
