"""What every verdict is held to last: totals, pets that left, and caps just met."""

from __future__ import annotations

import httpx
import pytest

import petstore_frame as pf
from petstore_frame.inventory import Assumption, Fact
from server_variants.answers import (
    Query,
    client_of,
    completeness_of,
    exact_counts,
    facts,
    listed,
    numbered,
    of,
    pets,
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
        search = pf.find_pet(client, 850)
    assert (search.state, search.assumptions) == ("unknown", ())


def test_a_total_beside_a_filter_that_is_not_kept_counts_nothing() -> None:
    """Pets of other statuses are in it, so it is not called that of the status."""

    def growing(_: Query, number: int) -> httpx.Response:
        return served(
            pets(130, "available"), {"limit": "100"}, **{"X-Total-Count": str(130 + number)}
        )

    completeness = completeness_of(numbered(growing), status="sold")
    assert (completeness.verdict, completeness.advertised_total) == ("unknown", None)
    total = {"X-Total-Count": "300"}
    capped = completeness_of(lambda q: served(pets(300), q, **total), status="sold", max_pets=5)
    assert str(capped) == "incomplete: at least 5 sold pets"


@pytest.mark.parametrize("count", [150, 200, 250])
@pytest.mark.parametrize("way", ["links", "offset", "page", "after"])
def test_a_cap_that_is_just_met_cuts_nothing(way: str, count: int) -> None:
    """With as many pets as ``max_pets`` the end is looked for, and one more pet is a cut."""
    whole, cut = (
        completeness_of(lambda query, held=held: served(pets(held), query, way), max_pets=count)
        for held in (count, count + 1)
    )
    assert whole.covers_all
    assert (cut.verdict, cut.rows, exact_counts(cut)) == ("incomplete", count, set())


@pytest.mark.parametrize(
    ("count", "way", "left", "leave_at", "options"),
    [
        (250, "links", 1, 3, {"status": "sold"}),
        (250, "links", 120, 3, {"status": "sold"}),
        (250, "page", 250, 10, {}),  # a page read again may hold nothing at all
    ],
)
def test_pets_that_left_end_every_count(
    count: int, way: str, left: int, leave_at: int, options: dict[str, str | int]
) -> None:
    """Where pets that came do not come again, nothing is exact."""
    rows = pets(count, "sold")
    store = numbered(lambda query, n: served(rows[left * (n >= leave_at) :], query, way))
    completeness = completeness_of(store, **options)
    assert (completeness.verdict, exact_counts(completeness)) == ("unstable", set())


def test_a_total_that_falls_shows_that_a_pet_left() -> None:
    """A listing that lost a pet before its page was read is not called complete."""
    rows = pets(250)

    def answer(query: Query) -> httpx.Response:
        if "at" in query and len(rows) == 250:
            del rows[149]
        return served(rows, query, "links", **{"X-Total-Count": str(len(of(rows, query)))})

    completeness = completeness_of(answer)
    assert (completeness.verdict, completeness.advertised_total) == ("unstable", 249)


@told("unstable", 5, Fact.ONE_ID_TWICE)
def test_two_animals_under_one_id_are_unstable(query: Query) -> httpx.Response:
    """One of the two is lost, so nothing is complete."""
    rows = pets(5)
    return listed(of([*rows, rows[2] | {"name": "Another"}], query))


@told("unknown", 220, exact=set())
def test_a_page_as_long_as_its_own_limit_is_never_short(query: Query) -> httpx.Response:
    """Linked pages of 120 do not show that a page of a status of 100 is whole."""
    rows, at = pets(150, "available") + pets(70, None, first=900), int(query.get("at", "0"))
    if "status" in query:
        return listed(of(rows, query)[: int(query["limit"])])
    link = {"Link": f'<?limit=100&at={at + 120}>; rel="next"'} if at + 120 < len(rows) else {}
    return listed(rows[at : at + 120], **(link or {"X-Next-Page": "x"}))


@told("complete", 6, Assumption.LISTS_PETS_WITHOUT_STATUS)
def test_one_page_may_leave_out_pets_without_a_status_too(query: Query) -> httpx.Response:
    """The assumption is stated on one page as it is on many."""
    return served(pets(6), query)


def test_a_store_that_grows_with_each_request_is_read_to_an_end() -> None:
    """After the first pass a fetch reads as many pages again, or fifty, and says so."""
    asked: list[Query] = []

    def growing(query: Query) -> httpx.Response:
        asked.append(query)
        at = int(query.get("at", "0"))
        rows = pets(250 + len(asked), "available")[at : at + 100]
        link = f'<?limit=100&at={at + len(rows)}>; rel="next"'
        return listed(rows, Link=link)

    completeness = completeness_of(growing)
    assert (completeness.verdict, len(asked) < 70) == ("unstable", True)
    assert Fact.STILL_GROWS in facts(completeness)


def test_what_left_meanwhile_makes_no_minimum() -> None:
    """Where pets left while they were read, a count is about so many, not at least."""
    rows = pets(250)

    def leaving(query: Query, number: int) -> httpx.Response:
        total = {"X-Total-Count": str(250 - number)}
        return served(rows, query, "links", **total)

    completeness = completeness_of(numbered(leaving))
    assert not completeness.is_complete
    text = f"{completeness} {completeness.count('sold')} {completeness.total}"
    assert "at least" not in text and "≥" not in text


@pytest.mark.parametrize("leaves_at", range(2, 8))
@pytest.mark.parametrize("arrives_at", range(2, 8))
@pytest.mark.parametrize("count", [40, 250])
def test_a_minimum_is_never_above_the_truth(count: int, leaves_at: int, arrives_at: int) -> None:
    """One pet leaves and one arrives while a store without paging is read."""
    rows, truth = pets(count), [count]

    def answer(query: Query, number: int) -> httpx.Response:
        if number == leaves_at:
            del rows[7]
        if number == arrives_at:
            rows.append(pets(1, first=9_000)[0])
        truth.append(len(rows))
        return served(rows, query)

    completeness = completeness_of(numbered(answer))
    assert completeness.total.bound != "at_least" or completeness.rows <= max(truth)
    if completeness.rows > max(truth):
        assert completeness.verdict == "unstable" and "changed" in completeness.reason


def test_a_lasting_contradiction_leaves_a_minimum() -> None:
    """Pages that are the same when they are read again do not show a change."""
    completeness = completeness_of(lambda query: served(pets(250), query))
    assert (str(completeness), completeness.verdict) == ("unknown: at least 250 pets", "unknown")


@pytest.mark.parametrize("status", [None, "sold"])
def test_no_next_step_leads_back_to_the_same_answer(status: str | None) -> None:
    """A store with one full page for everything has no other page for a status."""
    completeness = completeness_of(lambda query: served(pets(900), query), status=status)
    assert "operator" in completeness.next_step


def test_a_store_that_ignores_the_limit_is_named_before_its_full_page() -> None:
    """A page of 30,000 pets was not full: the store does not look at the limit."""
    rows = pets(30_000)
    completeness = completeness_of(lambda query: listed(of(rows, query)))
    assert "ignores the limit" in completeness.reason
    assert "operator" in completeness.next_step


def test_a_verdict_that_rests_on_full_pages_says_so() -> None:
    """A store whose own page length is 48 returns 48 of any number of pets."""
    completeness = completeness_of(lambda query: served(pets(500, None), query, cap=48))
    assert str(completeness) == "complete: 48 pets, if the store fills its pages"


def test_the_reason_for_a_part_is_the_evidence_for_that_part() -> None:
    """A status whose count is exact is not explained by the full page of all pets."""
    rows = pets(170, "available") + pets(38, "sold", first=900)
    client = client_of(lambda query: served(rows, query))
    sold = pf.fetch_inventory(client, progress=False).where(status="sold").completeness
    assert (str(sold), sold.part) == ("complete: 38 pets with status sold", "status sold")
    assert sold.reason.startswith("The page of sold pets is shorter")
    assert sold.assumptions
