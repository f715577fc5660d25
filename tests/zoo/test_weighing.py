"""What every verdict is held to last: totals, old answers, pets that left, and caps just met."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

import petstore_frame as pf
from petstore_frame.inventory import Assumption, Fact
from zoo.answers import Answer, Query, Rows, client_of, known_of, of, pets
from zoo.facts import detail_of, facts


def linked(rows: Rows, query: Query, **headers: str) -> httpx.Response:
    at, limit = int(query.get("at", "0")), int(query["limit"])
    status = f"&status={query['status']}" if "status" in query else ""
    if at + limit < len(rows):
        headers["Link"] = f'<?limit={limit}&at={at + limit}{status}>; rel="next"'
    return httpx.Response(200, json=rows[at : at + limit], headers=headers)


def silent_at_the_maximum(rows: Rows) -> Answer:
    """A store that states a true total, and names a next page unless the limit is the largest."""

    def answer(query: Query) -> httpx.Response:
        found = of(rows, query)
        total = {"X-Total-Count": str(len(found))}
        if query["limit"] == "100":
            return httpx.Response(200, json=found[:100], headers=total)
        return linked(found, query, **total)

    return answer


@pytest.mark.parametrize("status", [None, "sold"])
def test_a_larger_total_refutes_whatever_the_verdict_rests_on(status: str | None) -> None:
    """No next link after the longest page is not an end where the store itself states more pets."""
    answer = silent_at_the_maximum(pets(900))
    known = known_of(answer, status=status)
    assert (known.verdict, known.advertised_total) == ("incomplete", 300 if status else 900)
    assert Assumption.TOTAL_IS_TRUE in known.assumptions


def test_a_pet_beyond_the_pages_is_not_absent() -> None:
    """A search does not call a pet absent that the stated total leaves room for."""
    with client_of(silent_at_the_maximum(pets(900, "sold"))) as client:
        search = client.find_pet(850)
    assert search.state == "unknown"
    assert search.assumptions == ()


def lagging(age: str | None) -> Answer:
    """A store without a way on, whose page of ``sold`` lacks the newest pet."""
    rows = pets(250, "available", "pending") + pets(30, "sold", first=1001)

    def answer(query: Query) -> httpx.Response:
        is_old = query.get("status") == "sold"
        found = of(rows[:-1] if is_old else rows, query)
        headers = {"Age": age} if age and is_old else {}
        return httpx.Response(200, json=found[: int(query["limit"])], headers=headers)

    return answer


def test_an_exact_count_rests_on_no_answer_being_old() -> None:
    """A count that is exact beside an unknown whole states what a lagging copy breaks."""
    known = known_of(lagging(None))
    assert (known.verdict, str(known.count("sold"))) == ("unknown", "29")
    assert Assumption.NO_OLD_ANSWER in known.assumptions


def test_an_old_answer_ends_an_exact_count() -> None:
    """Where a header shows that answers are of two times, nothing is exact."""
    known = known_of(lagging("3600"))
    assert not any(count.is_exact for count in known.by_status.values())
    assert Fact.OLD_AND_NEW in facts(known)


def with_total(rows: Rows, total: int) -> Answer:
    """A store without a way on that states one total beside each filter."""

    def answer(query: Query) -> httpx.Response:
        found = of(rows, query)[: int(query["limit"])]
        return httpx.Response(200, json=found, headers={"X-Total-Count": str(total)})

    return answer


@pytest.mark.parametrize("every", [20, 27])
def test_the_total_of_the_whole_store_refutes_no_filtered_listing(every: int) -> None:
    """A total that is the same without the filter says nothing about one status."""
    rows = pets(1000, *["available"] * (every - 1), "sold")
    known = known_of(with_total(rows, 1000), status="sold")
    assert (known.verdict, known.rows) == ("complete", 1000 // every)
    assert known.advertised_total is None


def offset(query: Query, rows: Rows) -> httpx.Response:
    at = int(query.get("offset", "0"))
    return httpx.Response(200, json=rows[at : at + int(query["limit"])])


def page(query: Query, rows: Rows) -> httpx.Response:
    limit, number = int(query["limit"]), int(query.get("page", "1"))
    return httpx.Response(200, json=rows[(number - 1) * limit : number * limit])


def after(query: Query, rows: Rows) -> httpx.Response:
    rows = [pet for pet in rows if pet["id"] > int(query.get("after", "0"))]
    return httpx.Response(200, json=rows[: int(query["limit"])])


@pytest.mark.parametrize("count", [100, 200, 250])
@pytest.mark.parametrize("way", [offset, page, after])
def test_a_cap_that_is_just_met_cuts_nothing(way: Callable[..., Any], count: int) -> None:
    """With as many pets as ``max_pets`` the end is looked for, and one more pet is a cut."""

    def known(held: int) -> pf.Completeness:
        rows = pets(held)
        return known_of(lambda query: way(query, of(rows, query)), max_pets=count)

    assert known(count).covers_all
    assert (known(count + 1).verdict, known(count + 1).rows) == ("incomplete", count)


@pytest.mark.parametrize("left", [1, 120])
def test_a_pet_that_left_ends_every_count(left: int) -> None:
    """Where the first page lacks pets when it is read again, nothing is exact."""
    rows, asked = pets(250, "sold"), []

    def answer(query: Query) -> httpx.Response:
        asked.append(query)
        return linked(of(rows[left:] if len(asked) > 2 else rows, query), query)

    known = known_of(answer, status="sold")
    assert (known.verdict, known.count("sold").is_exact) == ("unstable", False)


def test_a_pet_that_left_before_a_wider_page_ends_every_count() -> None:
    """A narrow first page is held to the wider one that follows it."""
    rows, asked = pets(60, "sold", "pending"), []

    def answer(query: Query) -> httpx.Response:
        asked.append(query)
        found = of(rows[len(asked) > 1 :], query)
        return httpx.Response(200, json=found[: int(query["limit"])])

    known = known_of(answer, limit=20)
    assert (known.verdict, known.rows) == ("unstable", 60)
    assert not any(count.is_exact for count in known.by_status.values())


def test_a_store_that_is_emptied_while_it_is_read_is_no_error() -> None:
    """A page read again may hold nothing at all."""
    rows, asked = pets(250), []

    def answer(query: Query) -> httpx.Response:
        asked.append(query)
        if len(asked) > 9:
            rows.clear()
        return page(query, of(rows, query))

    known = known_of(answer)
    assert not known.is_complete
    assert not any(count.is_exact for count in known.by_status.values())


def test_a_total_that_falls_shows_that_a_pet_left() -> None:
    """A listing that lost a pet before its page was read is not called complete."""
    rows, asked = pets(250), []

    def answer(query: Query) -> httpx.Response:
        asked.append(query)
        if "at" in query and len(rows) == 250:
            del rows[149]
        found = of(rows, query)
        return linked(found, query, **{"X-Total-Count": str(len(found))})

    known = known_of(answer)
    assert (known.verdict, known.advertised_total) == ("unstable", 249)


def test_a_filter_that_fails_is_the_reason() -> None:
    """Where a missing status counts as available, no page was cut, and the verdict says so."""
    rows = pets(5, "available", "pending", "sold", None)

    def answer(query: Query) -> httpx.Response:
        found = [
            pet for pet in rows if query.get("status") in (None, pet.get("status", "available"))
        ]
        return httpx.Response(200, json=found[: int(query["limit"])])

    known = known_of(answer)
    assert known.verdict == "unknown"
    assert known.basis == str(next(each for each in known.contradictions))
    assert Fact.FILTER_NOT_KEPT in facts(known)


@pytest.mark.parametrize("least", [20, 50])
def test_a_limit_that_is_raised_hides_no_way_on(least: int) -> None:
    """A store that gives at least so many pets, whatever the limit, is rehearsed on those."""
    rows = pets(250)

    def answer(query: Query) -> httpx.Response:
        limit = 50 if least == 50 else max(least, int(query["limit"]))
        return offset(query | {"limit": str(limit)}, of(rows, query))

    known = known_of(answer)
    assert (known.covers_all, known.rows) == (True, 250)
    assert detail_of(known, Fact.PARAMETER_WORKS) == "offset"


def test_a_total_beside_a_filter_that_is_not_kept_counts_nothing() -> None:
    """The pets of other statuses are in it, and a store that grows states another one each time."""
    rows, asked = pets(130, "available"), []

    def answer(query: Query) -> httpx.Response:
        asked.append(query)
        total = str(len(rows) + len(asked))
        return httpx.Response(200, json=rows[:100], headers={"X-Total-Count": total})

    known = known_of(answer, status="sold")
    assert (known.verdict, known.advertised_total) == ("unknown", None)


def test_a_page_that_is_no_shorter_names_no_end() -> None:
    """Where a smaller limit brings as many pets, and a next link, the first page ended nothing."""
    rows = pets(250, "sold")

    def answer(query: Query) -> httpx.Response:
        headers = {"Link": '<?page=2>; rel="next"'} if int(query["limit"]) < 100 else {}
        return httpx.Response(200, json=of(rows, query)[:60], headers=headers)

    known = known_of(answer)
    assert (known.verdict, known.rows) == ("unknown", 60)


def test_a_cap_filled_with_other_statuses_shows_nothing_missing() -> None:
    """Where the filter is not kept to, a cap ends the reading and says nothing of the status, and
    the total of all pets is not called that of the status."""
    rows = pets(300, "available")
    known = known_of(lambda query: linked(rows, query), status="sold", max_pets=5)
    capped = known_of(with_total(pets(300), 300), status="sold", max_pets=5)
    assert (known.verdict, known.rows) == ("unknown", 0)
    assert str(capped) == "incomplete: at least 5 sold pets"


def test_a_status_of_which_more_is_held_is_not_exact() -> None:
    """Where the plain listing has a sold pet that the filter passes over, the filter fails."""
    shown = pets(150, "available", "pending") + pets(1, "sold", first=999)
    sold = pets(30, "sold", first=1001)

    def answer(query: Query) -> httpx.Response:
        return linked(sold if query.get("status") == "sold" else of(shown, query), query)

    known = known_of(answer)
    assert (known.verdict, known.rows) == ("unknown", 181)
    assert (str(known.count("sold")), str(known.count("pending"))) == ("at least 31", "75")
