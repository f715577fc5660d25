"""The one property: no verdict of completeness is false, whatever a store does with the gaps.

``PYTHONPATH=tests python tests/campaigns/census.py 60000`` runs the same by hand on more stores.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

import petstore_frame as pf
from petstore_frame.inventory import Assumption, Fact
from petstore_frame.inventory.reading.page_fetcher import MAX_PROBES
from petstore_frame.inventory.reading.page_parameter import PARAMETERS
from server_variants import answers, drawn_stores, habits
from server_variants.answers import Rows, exact_counts, facts
from server_variants.habits import Habits
from server_variants.stores import ZooStore


def pets(count: int, *statuses: str | None) -> Rows:
    chosen = answers.pets(count, *(statuses or ("available", "pending", None, "sold")))
    return [pet | {"id": 7 * pet["id"]} for pet in chosen]


def by(*parameters: str, **more: Any) -> Habits:
    """A store that announces nothing and understands these parameters."""
    return Habits(parameters=frozenset(parameters), **more)


def completeness_of(habits: Habits, count: int, **options: Any) -> pf.Completeness:
    return fetch(habits, count, **options).completeness


def fetch(habits: Habits, count: int, **options: Any) -> pf.Inventory:
    return pf.fetch_inventory(ZooStore(pets(count), habits).client(), **options)


def test_no_verdict_is_false(draw: random.Random, times: int) -> None:
    """No verdict is false, unless an assumption that it states is broken, and no minimum is."""
    stores = 300 * times
    tally = drawn_stores.run(stores, draw)
    assert (tally.false, tally.needless, tally.tried) == ([], [], stores)
    assert tally.too_high == []
    assert tally.minimums > stores
    assert tally.naive_failures > stores / 5


# Every way on that the ladder knows.
UNDERSTOOD = {"x-next page": frozenset({"page 1"}), "x-next cursor": frozenset({"cursor"})}
HONEST = {
    way: Habits(way, UNDERSTOOD.get(way, frozenset()))
    for way in habits.LINK_WAYS + habits.HEADER_WAYS
} | {name: by(name) for name in habits.DRAWN_PARAMETERS + habits.OTHER_PARAMETERS}


@pytest.mark.parametrize("count", [101, 250, 1000])
@pytest.mark.parametrize("order", habits.ORDERS[:3])
@pytest.mark.parametrize("kind", HONEST.values(), ids=HONEST)
def test_every_honest_way_on_is_found(kind: Habits, order: str, count: int) -> None:
    """Where a store has a way on, announced or not, the whole of it is read and called whole."""
    store = ZooStore(pets(count), Habits(kind.way, kind.parameters, order))
    inventory = pf.fetch_inventory(store.client())
    assert inventory.completeness.covers_all, str(inventory.completeness)
    assert sorted(inventory.frame["id"]) == sorted(pet["id"] for pet in store.pets)


def test_each_parameter_that_is_tried_has_a_store() -> None:
    """A name that the client tries as a page parameter is the parameter of a store of the tests."""
    tried = {name for _, names in PARAMETERS for name in names}
    stores = {name.partition(" ")[0] for name in habits.DRAWN_PARAMETERS + habits.OTHER_PARAMETERS}
    assert tried == stores


@pytest.mark.parametrize("name", habits.DRAWN_PARAMETERS)
def test_no_cut_hides_a_way_on(name: str) -> None:
    """A cut that the status pages gave away is got past."""
    completeness = completeness_of(by(name, cap=50), 250)
    assert (completeness.covers_all, completeness.rows) == (True, 250), str(completeness)
    assert Fact.ROWS_TWICE not in facts(completeness)


class Claim(NamedTuple):
    """What a store does and holds, and what a fetch comes to; None asks for nothing."""

    habits: Habits
    pets: Rows
    verdict: str
    rows: int | None
    learned: frozenset[Fact | Assumption] | set[Fact | Assumption] = frozenset()
    exact: set[str] | None = None
    options: Mapping[str, Any] = MappingProxyType({})


NONE: set[str] = set()
EACH = {"available", "pending", "sold"}
ALL = EACH | {"no status"}
SOLD, MIXED = answers.pets(250, "sold"), answers.pets(900)
NEWEST_SOLD = answers.pets(250, "available", "pending") + answers.pets(30, "sold", first=1001)
LATE_SOLD = [pet | {"status": "sold" if pet["id"] > 150 else "pending"} for pet in SOLD]
GAP = [pet | {"id": pet["id"] + 10 * (pet["id"] > 150)} for pet in SOLD]
ONE_SOLD = {"status": "sold"}
# fmt: off
CLAIMS = {
    # One page.
    "a store of just one page's length looks like a longer one":
        Claim(by(), pets(100), "unknown", 100, {Fact.PAGE_FULL}, EACH),
    "past one page, three short status pages still make three exact counts":
        Claim(by(), pets(250), "unknown", 212, {Fact.STATUS_PAGE_WHOLE}, EACH),
    "a limit cut without a word is found out":
        Claim(by(cap=50), pets(250), "unknown", 163, {Fact.STATUSES_HOLD_MORE}, NONE),
    "pages of the statuses as long as the limit confirm no page that passed over it":
        Claim(by(ignores_limit=True), pets(400), "unknown", 400, {Fact.LIMIT_IGNORED}, NONE),
    "a page that passed over the limit is whole where the pages of the statuses are short":
        Claim(by(total="page length", ignores_limit=True), pets(200), "complete", 200,
              {Assumption.FILLS_PAGES_WITHOUT_STATUS, Assumption.ONE_CAP}, ALL),
    "a short page of one status is the whole if the store fills its pages":
        Claim(by(), answers.pets(21, "sold"), "complete", 21, {Assumption.FILLS_PAGES}, ALL),
    "a short page of a store that ignores a smaller limit may be cut":
        Claim(by(cap=30, floor=30, ignores_filter=True), answers.pets(67), "unknown", 30,
              {Fact.LIMIT_IGNORED}, NONE),
    "a short page without statuses is the whole if the store fills its pages":
        Claim(by(cap=60), pets(500, None), "complete", 60, {Assumption.FILLS_PAGES}, ALL),
    # Next links.
    "an empty page is no end while the store points on":
        Claim(Habits("link offset", lie="empty pages"), pets(450), "complete", 450),
    "a store that links a next page on every page, the empty one too, proves no end":
        Claim(Habits("link offset", lie="points on"), SOLD, "unknown", 250, {Fact.NEXT_NOT_READ}),
    "a store that links past rows is a doubt and no error":
        Claim(Habits("link offset", lie="skips rows", cap=50), SOLD, "unknown", 150,
              {Fact.NEXT_NOT_READ}),
    "pages that each repeat a row of the page before leave a doubt":
        Claim(Habits("link offset", lie="overlaps"), pets(450), "unknown", 450,
              {Fact.PAGES_REPEAT}, NONE),
    "a link that drops the filter ends a verdict":
        Claim(Habits("link offset", lie="drops filter", cap=10), answers.pets(250), "unknown", 83,
              {Fact.FILTER_NOT_KEPT}, NONE, ONE_SOLD),
    "a cursor that nobody understands leads nowhere behind a cut page":
        Claim(Habits("x-next cursor", cap=60, names_when_full=True), answers.pets(500), "unknown",
              180, {Fact.STATUSES_HOLD_MORE}, NONE),
    "status pages that are whole by themselves stay whole, wherever the links end":
        Claim(Habits("link offset", lie="stops early"), pets(250), "unknown", 237,
              {Fact.STATUSES_HOLD_MORE, Assumption.NONE_CHANGES}, EACH),
    "pets without a status stay open where the statuses were asked":
        Claim(Habits("link cursor"), pets(250), "complete", 250,
              {Assumption.LISTS_PETS_WITHOUT_STATUS}, ALL),
    # Parameters.
    "a next value that is not understood hides no parameter":
        Claim(Habits("x-next cursor", frozenset({"skip"})), pets(250), "complete", 250),
    "a last page for every number behind it is the end":
        Claim(by("page 1", repeats_last_page=True), pets(230), "complete", 230),
    "a limit that is raised hides no way on":
        Claim(by("offset", floor=20), pets(250), "complete", 250),
    "an empty window where the last row held should have come again proves nothing":
        Claim(by("offset", depth_cap=500), pets(950), "unknown", 595, {Fact.WINDOWS_STOPPED}),
    "a number of rows does not pass for an id once a gap comes":
        Claim(by(habits.ROWS_CURSOR), GAP, "unstable", 241, {Fact.ROWS_TWICE}, NONE),
    "a status that the listing leaves out is noticed on every way":
        Claim(by("offset", hides=frozenset({"sold"})), answers.pets(370), "unknown", 347,
              {Fact.STATUSES_HOLD_MORE}, NONE),
    # Totals.
    "a total above what the links gave refutes":
        Claim(Habits("link cursor", total="too high"), pets(250), "incomplete", 250,
              {Fact.TOTAL_LARGER, Assumption.TOTAL_IS_TRUE}, NONE),
    "a status page is not whole when its own header states more pets":
        Claim(by(filtered_cap=60, total="true"), answers.pets(300), "incomplete", 180,
              {Fact.TOTAL_LARGER}, NONE),
    "a larger total beside a filter may be that of all pets, and leaves the listing open":
        Claim(by(total="unfiltered"), answers.pets(1000, *["available"] * 26, "sold"), "unknown",
              37, {Fact.TOTAL_OF_ALL}, NONE, ONE_SOLD),
    "a total that may be the length of the page makes nothing whole":
        Claim(by(total="page length"), answers.pets(500), "unknown", 300, set(), NONE),
    # The filter, and copies that lag.
    "pages that only part the first page are no counts":
        Claim(by(filters_last=True), answers.pets(500), "unknown", 100, {Fact.PAGE_FULL}, NONE),
    "a part of the first page is not the whole of its status":
        Claim(by(filters_last=True), answers.pets(500), "unknown", 33, set(), NONE, ONE_SOLD),
    "a filter that is ignored is found out":
        Claim(by(ignores_filter=True), pets(80), "unknown", 20, {Fact.FILTER_NOT_KEPT}, NONE,
              ONE_SOLD),
    "an exact count beside an unknown whole states what a lagging copy breaks":
        Claim(by(lag="filtered"), NEWEST_SOLD, "unknown", 229, {Assumption.NO_OLD_ANSWER},
              {"sold"}),
    "a count ends where a header shows that answers are of two times":
        Claim(by(lag="filtered", tells_age=True), NEWEST_SOLD, "unstable", 229,
              {Fact.OLD_ANSWER}, NONE),
}
# fmt: on


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_what_a_store_does_decides_the_verdict(claim: Claim) -> None:
    """Each row is a rule: what a fetch from such a store comes to, and what it has learned."""
    store = ZooStore(claim.pets, claim.habits)
    inventory = pf.fetch_inventory(store.client(), **claim.options)
    completeness = inventory.completeness
    assert (completeness.verdict, inventory.frame["id"].is_unique) == (claim.verdict, True)
    assert claim.rows in (None, completeness.rows)
    assert claim.learned <= facts(completeness) | {*completeness.assumptions}
    assert claim.exact in (None, exact_counts(completeness))


@pytest.mark.parametrize("count", [0, 1, 7, 20, 50, 99])
def test_a_short_page_is_the_whole(count: int) -> None:
    """Below a page's limit no way on is needed and the status pages vouch."""
    completeness = completeness_of(Habits(), count)
    assert completeness.covers_all and completeness.requests <= 6


@pytest.mark.parametrize("count", [20, 21, 50])
@pytest.mark.parametrize("status", [None, "sold"])
def test_a_store_that_ignores_a_limit_proves_nothing_by_a_short_page(
    count: int, status: str | None
) -> None:
    """Its page may be as long as it makes all its pages, whatever their number."""
    chosen = answers.pets(count, "sold")
    for ignores_limit, verdict in ((True, "unknown"), (False, "complete")):
        habits = Habits(cap=count, floor=count if ignores_limit else None)
        completeness = pf.fetch_inventory(
            ZooStore(chosen, habits).client(), status=status
        ).completeness
        assert completeness.verdict == verdict


def test_a_search_in_a_store_that_ignores_a_limit_proves_no_absence() -> None:
    """A pet on a later page, which nobody can ask for, is not called absent."""
    store = ZooStore(answers.pets(67), Habits(cap=30, floor=30, ignores_filter=True))
    assert pf.find_pet(store.client(), 60).state == "unknown"


def test_a_status_that_its_page_cannot_prove_leads_to_all_pets() -> None:
    """The next step of a page that may have been cut is to read all pets, which gives the count."""
    rows = answers.pets(130, "available")
    client = answers.client_of(lambda query: answers.served(rows, query, "offset"))
    sold = pf.fetch_inventory(client, status="sold", progress=False).completeness
    assert (sold.verdict, sold.rows) == ("unknown", 0)
    assert "Fetch all pets" in sold.next_step
    part = pf.fetch_inventory(client, progress=False).where(status="sold")
    assert (part.completeness.verdict, len(part)) == ("complete", 0)


@pytest.mark.parametrize("lie", ["goes round", "endless repeats"])
def test_going_round_is_a_doubt(lie: str) -> None:
    """A listing that leads back is read no further, and nothing shows that it ends there."""
    completeness = completeness_of(Habits("link offset", lie=lie), 450)
    assert (completeness.verdict, exact_counts(completeness)) == ("unknown", NONE)
    assert Fact.NEXT_NOT_READ in facts(completeness)


@pytest.mark.parametrize("without_status", [1, 2, 3, 4])
def test_a_total_from_before_makes_no_listing_whole(without_status: int) -> None:
    """It does not count the pets that came since, though as many pets may be held."""
    kept = answers.pets(without_status, None) + answers.pets(112 - without_status, first=5)
    store = ZooStore(kept, by(order="newest", drift="grows in front", total="true"))
    assert not pf.fetch_inventory(store.client()).completeness.covers_all


def test_few_questions_are_asked_beyond_a_listing() -> None:
    """A store that shows no way on is asked no more than it takes, and less than the budget."""
    assert completeness_of(Habits(), 250).requests <= 1 + MAX_PROBES
