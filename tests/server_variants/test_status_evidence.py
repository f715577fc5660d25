"""What the pages of the statuses show of a listing, and what they cannot."""

from __future__ import annotations

import httpx
import pytest

import petstore_frame as pf
from petstore_frame.inventory import Assumption, Fact
from server_variants import answers
from server_variants.answers import (
    Query,
    client_of,
    completeness_of,
    evidence_of,
    listed,
    of,
    pets,
    served,
    told,
)


@told("unknown", 150, Fact.STATUS_MOVED, exact={"available"})
def test_a_pet_with_two_statuses_leaves_neither_count_exact(query: Query) -> httpx.Response:
    """Rows that conflict clear the counts of both statuses."""
    rows = pets(150)
    late = rows[129] | {"status": "sold"}  # the page of sold still lists it
    return served(rows + [late] * (query.get("status") == "sold"), query)


@pytest.mark.parametrize("way", ["links", ""])
def test_a_pet_of_a_status_left_out_is_not_absent(way: str) -> None:
    """A fetch and a search end at the statuses, not at a listing that hides one, or is empty."""
    shown, sold = pets(250, "available", "pending"), pets(120, "sold", first=1001)

    def answer(query: Query) -> httpx.Response:
        is_sold = query.get("status") == "sold"
        return served(sold if is_sold else shown if way else [], query, way)

    completeness = completeness_of(answer)
    assert (completeness.verdict, str(completeness.count("sold"))) == ("unknown", "≥ 100")
    assert evidence_of(completeness, Fact.STATUSES_HOLD_MORE).count == 100
    with client_of(answer) as client:
        states = [pf.find_pet(client, pet_id).state for pet_id in (1001, 1115, 7777)]
    assert states == ["found", "unknown", "unknown"]


@pytest.mark.parametrize("way", ["links", "offset"])
@pytest.mark.parametrize("order", ["id", "status"])
@pytest.mark.parametrize("window", [200, 1000])
def test_a_window_on_each_listing_is_no_end(way: str, order: str, window: int) -> None:
    """Where every listing ends at one row, no walk to such an end counts its pets."""
    rows = sorted(pets(1000), key=lambda pet: pet[order])
    completeness = completeness_of(lambda query: served(of(rows, query)[:window], query, way))
    assert completeness.covers_all == completeness.count("sold").is_exact == (window == 1000)


@pytest.mark.parametrize("status", [None, "sold"])
def test_a_filter_that_finds_nothing_counts_nothing(status: str | None) -> None:
    """Filtered pages that lack pets which a page of all pets holds are no counts."""
    rows = pets(500)
    completeness = completeness_of(
        lambda q: served([] if "status" in q else rows, q), status=status
    )
    assert not completeness.is_complete
    assert evidence_of(completeness, Fact.FILTER_LEFT_OUT).count == 33


@told("complete", 5, Assumption.FILLS_PAGES, Assumption.LISTS_EVERY_STATUS)
def test_a_filter_that_takes_a_missing_status_for_one_says_nothing(query: Query) -> httpx.Response:
    """A filter that returns too much is as good as one that is refused, and no better."""
    rows = pets(5, "available", "pending", "sold", None)
    wanted = query.get("status")
    matches = [pet for pet in rows if wanted in (None, pet.get("status", "available"))]
    return listed(matches[: int(query["limit"])])


def test_statuses_that_moved_after_their_pages_have_no_exact_count() -> None:
    """Where a walk meets a pet with another status than its own page had, both counts are open."""
    rows = pets(300)

    def answer(query: Query) -> httpx.Response:
        if query.get("at") == "200":  # one is behind the reader by now, one is still to come
            rows[149]["status"], rows[250]["status"] = "sold", "available"
        return served(rows, query, "links")

    completeness = completeness_of(answer)
    assert (completeness.verdict, completeness.count("sold").count) == ("complete", 99)
    assert answers.exact_counts(completeness) == {"pending", "no status"}


@told("unknown", 181, Fact.FILTER_LEFT_OUT, exact={"available", "pending"})
def test_a_status_of_which_more_is_held_is_not_exact(query: Query) -> httpx.Response:
    """Where the plain listing has a sold pet that the filter passes over, the filter fails."""
    shown = pets(150, "available", "pending") + pets(1, "sold", first=999)
    sold = pets(30, "sold", first=1001)
    return served(sold if query.get("status") == "sold" else shown, query, "links")
