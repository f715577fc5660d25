"""What every verdict is held to last: totals, pets that left, and caps just met."""

from __future__ import annotations

import httpx
import pytest

from petstore_frame.inventory import Fact
from zoo.answers import (
    Query,
    client_of,
    exact_counts,
    known_of,
    numbered,
    of,
    pets,
    refusal,
    served,
    told,
)


def test_a_pet_beyond_the_pages_is_not_absent() -> None:
    """No search ends at the longest page while the stated total leaves room for the pet."""
    rows = pets(900, "sold")

    def answer(query: Query) -> httpx.Response:
        total = {"X-Total-Count": str(len(of(rows, query)))}
        return served(rows, query, "" if query["limit"] == "100" else "links", **total)

    with client_of(answer) as client:
        search = client.find_pet(850)
    assert (search.state, search.assumptions) == ("unknown", ())


@told("unknown", 300, exact=set())
def test_a_total_whose_test_was_refused_proves_nothing(query: Query) -> httpx.Response:
    """A total that may be the length of the page makes no listing whole."""
    if query["limit"] == "50":
        return refusal(429)
    count = len(of(pets(500), query)[: int(query["limit"])])
    return served(pets(500), query, **{"X-Total-Count": str(count)})


def test_of_two_totals_the_larger_counts() -> None:
    """Where totals differ the larger one refutes."""
    headers = {"X-Total-Count": "100", "X-Total": "500", "Content-Range": "items 0-99/500"}
    known = known_of(lambda query: served(pets(500), query, **headers))
    assert (known.verdict, known.advertised_total) == ("incomplete", 500)


@told("unknown", 200, Fact.TOTAL_OF_ALL, status="sold")
def test_a_total_of_all_pets_may_be_that_of_the_status(query: Query) -> httpx.Response:
    """The same total with and without the filter leaves a filtered listing unknown."""
    return served(pets(200, "sold"), query, "links", **{"X-Total-Count": "250"})


def test_a_total_beside_a_filter_that_is_not_kept_counts_nothing() -> None:
    """Pets of other statuses are in it, so it is not called that of the status."""

    def growing(_: Query, number: int) -> httpx.Response:
        return served(
            pets(130, "available"), {"limit": "100"}, **{"X-Total-Count": str(130 + number)}
        )

    known = known_of(numbered(growing), status="sold")
    assert (known.verdict, known.advertised_total) == ("unknown", None)
    total = {"X-Total-Count": "300"}
    capped = known_of(lambda q: served(pets(300), q, **total), status="sold", max_pets=5)
    assert str(capped) == "incomplete: at least 5 sold pets"


@pytest.mark.parametrize("count", [150, 200, 250])
@pytest.mark.parametrize("way", ["links", "offset", "page", "after"])
def test_a_cap_that_is_just_met_cuts_nothing(way: str, count: int) -> None:
    """With as many pets as ``max_pets`` the end is looked for, and one more pet is a cut."""
    whole, cut = (
        known_of(lambda query, held=held: served(pets(held), query, way), max_pets=count)
        for held in (count, count + 1)
    )
    assert whole.covers_all
    assert (cut.verdict, cut.rows, exact_counts(cut)) == ("incomplete", count, set())


@pytest.mark.parametrize(
    ("count", "way", "left", "leave_at", "options"),
    [
        (250, "links", 1, 3, {"status": "sold"}),
        (250, "links", 120, 3, {"status": "sold"}),
        (60, "", 1, 2, {"limit": 20}),  # a narrow first page is held to the wider one behind it
        (250, "page", 250, 10, {}),  # a page read again may hold nothing at all
    ],
)
def test_pets_that_left_end_every_count(
    count: int, way: str, left: int, leave_at: int, options: dict[str, str | int]
) -> None:
    """Where pets that came do not come again, nothing is exact."""
    rows = pets(count, "sold")
    store = numbered(lambda query, n: served(rows[left * (n >= leave_at) :], query, way))
    known = known_of(store, **options)
    assert (known.verdict, exact_counts(known)) == ("unstable", set())


def test_a_total_that_falls_shows_that_a_pet_left() -> None:
    """A listing that lost a pet before its page was read is not called complete."""
    rows = pets(250)

    def answer(query: Query) -> httpx.Response:
        if "at" in query and len(rows) == 250:
            del rows[149]
        return served(rows, query, "links", **{"X-Total-Count": str(len(of(rows, query)))})

    known = known_of(answer)
    assert (known.verdict, known.advertised_total) == ("unstable", 249)
