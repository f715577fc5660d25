"""Ids asked one by one: what they add to a verdict, and what they take from it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest

import petstore_frame as pf
from petstore_frame.inventory import Assumption, Fact
from zoo.answers import BASE_URL, Rows, evidence_of, pets, refusal, served

pytestmark = pytest.mark.filterwarnings("ignore::petstore_frame.EndpointDeprecatedWarning")
ByID = Callable[[int], httpx.Response | None]
BROKEN = httpx.Response(200, json={"id": 350, "name": "x"})


class Listed:
    """A store that lists some of its pets, and answers to the ids of all, or as ``by_id`` says."""

    def __init__(self, rows: Rows, listed: int, by_id: ByID = lambda _: None) -> None:
        self.shown = [pet for pet in rows if pet["id"] <= listed]
        self.held = {pet["id"]: pet for pet in rows}
        self.by_id, self.asked = by_id, list[int]()
        transport = httpx.MockTransport(self.answer)
        self.client = pf.Client(BASE_URL, "a-key", transport=transport, max_retries=0)

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/pets"):
            return served(self.shown, dict(request.url.params))
        pet_id = int(request.url.path.rpartition("/")[2])
        self.asked.append(pet_id)
        pet = self.held.get(pet_id)
        plain = refusal(404) if pet is None else httpx.Response(200, json=pet)
        return self.by_id(pet_id) or plain

    def known(self, first: int, last: int, **options: Any) -> pf.Completeness:
        options["id_range"] = (first, last)
        return pf.fetch_inventory(self.client, progress=False, **options).completeness


def test_only_the_ids_of_the_range_are_counted() -> None:
    """The other pets are counted apart; what the pages of the statuses proved stays."""
    known = Listed(pets(500), 500).known(200, 210)
    assert str(known) == "unknown: at least 300 pets"
    assert pf.Completeness.from_dict(known.to_dict()) == known
    assert Listed(pets(150), 150).known(1, 5).count("sold").is_exact


def test_a_pet_that_its_status_page_left_out_takes_the_count_back() -> None:
    """A count is not exact once a pet answers that the page of its status does not have."""
    known = Listed(pets(150), 149).known(140, 150)
    assert [known.count(name).is_exact for name in ("available", "pending")] == [False, True]
    assert evidence_of(known, Fact.FILTER_LEFT_OUT).count == 1
    assert {Assumption.ONE_CAP, Assumption.FILTER_IS_TRUE} <= set(known.assumptions)


@pytest.mark.parametrize("status_code", [404, 405, 410, 501, 403, 500])
def test_an_operation_that_is_gone_changes_no_verdict(status_code: int) -> None:
    """However the store says that get_pet is gone, the finding of the listing is kept."""
    store = Listed(pets(400), 150, lambda _: httpx.Response(status_code, json={}))
    plain = pf.fetch_inventory(store.client).completeness
    known = store.known(1, 400)
    for name in ("verdict", "basis", "by_status"):
        assert getattr(known, name) == getattr(plain, name)
    assert evidence_of(known, Fact.IDS_NOT_TRUSTED).detail == str(status_code)
    assert len(store.asked) == 1


@pytest.mark.parametrize("odd", [httpx.Response(410), httpx.Response(500), BROKEN])
def test_one_id_that_gives_no_pet_ends_nothing(odd: httpx.Response) -> None:
    """A 410 is as good as a 404 while a listed pet answers; an unreadable answer is named."""
    store = Listed(pets(400), 400, lambda asked: odd if asked == 350 else None)
    known = store.known(1, 400)
    assert (str(known.verdict), known.rows) == ("unknown", 399)
    unread = [each.count for each in known.evidence if each.fact is Fact.ID_UNREAD]
    assert unread == ([] if odd.status_code == 410 else [350])


def test_a_walk_of_ids_has_an_end() -> None:
    """After twenty unreadable ids no more are asked for, and none that would be thrown away."""
    unreadable = Listed(pets(400), 400, lambda at: httpx.Response(500) if at > 300 else None)
    capped = Listed(pets(400), 400)
    assert unreadable.known(1, 5_000).verdict == "unknown"
    for max_pets in (50, 100, 310):
        known = capped.known(1, 400, max_pets=max_pets)
        assert (known.verdict, known.rows) == ("incomplete", max_pets)
    assert max(len(set(store.asked)) for store in (unreadable, capped)) < 40


def test_ids_are_asked_side_by_side() -> None:
    """Four answers are awaited at a time, and every pet of the range is held."""
    gate = threading.Barrier(4, timeout=10)

    def together(pet_id: int) -> None:
        if pet_id > 100:
            gate.wait()

    assert Listed(pets(108, "sold"), 108, together).known(101, 108).rows == 108


@pytest.mark.parametrize(
    ("rows", "listed", "stop", "status_code", "id_range"),
    [(pets(400), 400, 330, 401, (301, 400)), (pets(60, "sold"), 20, 50, 429, (1, 70))],
    ids=["refused key", "busy"],
)
def test_a_walk_of_ids_goes_on_where_it_broke_off(
    rows: Rows, listed: int, stop: int, status_code: int, id_range: tuple[int, int]
) -> None:
    """``resume`` asks for the ids that are left, and contradicts nothing concluded before."""
    once = iter([refusal(status_code)])
    store = Listed(rows, listed, lambda asked: next(once, None) if asked == stop else None)
    with pytest.raises(pf.IncompleteInventoryError) as caught:
        store.known(*id_range)
    before = len(store.asked)
    known = caught.value.resume().completeness
    assert (known.verdict, known.rows, known.contradictions) == ("unknown", len(rows), ())
    assert min(pet_id for pet_id in store.asked[before:] if pet_id != store.asked[0]) == stop
