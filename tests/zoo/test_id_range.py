"""Ids asked one by one: what they add to a verdict, and what they take from it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest

import petstore_frame as pf
from petstore_frame.inventory import Assumption, Fact
from zoo.answers import pets
from zoo.facts import count_of, detail_of

pytestmark = pytest.mark.filterwarnings("ignore::petstore_frame.EndpointDeprecatedWarning")


ByID = Callable[[int], httpx.Response | None]


def known_of(
    rows: list[dict[str, Any]], listed: set[int], by_id: ByID | None = None, **options: Any
) -> pf.Completeness:
    """Fetch from a store that lists some of its pets and answers to the ids of all."""
    return pf.fetch_inventory(
        client_of(rows, listed, by_id), progress=False, **options
    ).completeness


def client_of(rows: list[dict[str, Any]], listed: set[int], by_id: ByID | None = None) -> pf.Client:
    held = {pet["id"]: pet for pet in rows}

    def plainly(pet_id: int) -> httpx.Response:
        return httpx.Response(200 if pet_id in held else 404, json=held.get(pet_id, {}))

    def answer(request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/pets"):
            pet_id = int(request.url.path.rpartition("/")[2])
            return (by_id and by_id(pet_id)) or plainly(pet_id)
        query = dict(request.url.params)
        found = [pet for pet in rows if pet["id"] in listed]
        found = [pet for pet in found if query.get("status") in (None, pet["status"])]
        return httpx.Response(200, json=found[: int(query["limit"])])

    transport = httpx.MockTransport(answer)
    return pf.Client("http://127.0.0.1:1/v1", "a-key", transport=transport, max_retries=0)


def test_only_the_ids_of_the_range_are_counted() -> None:
    """The sentence counts the pets of the range, and the others apart."""
    known = known_of(pets(500), set(range(1, 501)), id_range=(200, 210))
    assert str(known) == "unknown: at least 300 pets"
    assert pf.Completeness.from_dict(known.to_dict()) == known


def test_a_stronger_verdict_is_kept() -> None:
    """Three whole statuses are more than a range of ids."""
    known = known_of(pets(150), set(range(1, 151)), id_range=(1, 5))
    assert (known.verdict, known.count("sold").is_exact) == ("unknown", True)


def test_a_pet_that_its_status_page_left_out_takes_the_count_back() -> None:
    """A count is not exact once a pet answers that the page of its status does not have."""
    rows = pets(150)
    known = known_of(rows, set(range(1, 150)), id_range=(140, 150))
    status = rows[149]["status"]
    assert not known.count(status).is_exact
    assert known.count("available" if status != "available" else "sold").is_exact
    assert count_of(known, Fact.IDS_LEFT_OUT) == 1
    assert {Assumption.ONE_CAP, Assumption.FILTER_IS_TRUE} <= set(known.assumptions)


def only(pet_id: int, answer: httpx.Response) -> ByID:
    """Answer in another way for one id."""
    return lambda asked: answer if asked == pet_id else None


@pytest.mark.parametrize("status_code", [404, 405, 410, 501, 403, 500])
def test_an_operation_that_is_gone_changes_no_verdict(status_code: int) -> None:
    """However the store says that get_pet is gone, the finding of the listing is kept."""
    rows, asked = pets(400), list[int]()

    def gone(pet_id: int) -> httpx.Response:
        asked.append(pet_id)
        return httpx.Response(status_code, json={})

    plain = known_of(rows, set(range(1, 151)))
    known = known_of(rows, set(range(1, 151)), gone, id_range=(1, 400))
    assert (known.verdict, known.basis, known.by_status) == (
        plain.verdict,
        plain.basis,
        plain.by_status,
    )
    assert detail_of(known, Fact.IDS_NOT_TRUSTED) == str(status_code)
    assert len(asked) == 1


def test_a_deleted_pet_is_proven_absent() -> None:
    """410 for one id, while a listed pet still answers, is as good as 404."""
    rows = [pet for pet in pets(400) if pet["id"] != 350]
    known = known_of(rows, set(range(1, 401)), only(350, httpx.Response(410)), id_range=(1, 400))
    assert (str(known.verdict), known.rows) == ("unknown", 399)


@pytest.mark.parametrize(
    "broken", [httpx.Response(500), httpx.Response(200, json={"id": 350, "name": "x"})]
)
def test_an_id_that_cannot_be_read_leaves_the_range_unproven(broken: httpx.Response) -> None:
    """The walk goes on to the pets behind it, and the verdict names the id."""
    known = known_of(pets(400), set(range(1, 401)), only(350, broken), id_range=(1, 400))
    assert (str(known.verdict), known.rows) == ("unknown", 399)
    assert count_of(known, Fact.ID_UNREAD) == 350


def test_a_store_without_readable_answers_is_not_asked_for_ever() -> None:
    """After twenty unreadable ids the walk ends; what the listing proved stays."""
    asked: list[int] = []

    def broken(pet_id: int) -> httpx.Response | None:
        asked.append(pet_id)
        return httpx.Response(500) if pet_id > 150 else None

    known = known_of(pets(400), set(range(1, 401)), broken, id_range=(1, 5_000))
    assert str(known.verdict) == "unknown"
    assert len(set(asked)) < 150


def test_max_pets_ends_the_ids_too() -> None:
    """No id is asked for that would be thrown away."""
    asked: list[int] = []

    def note(pet_id: int) -> httpx.Response | None:
        asked.append(pet_id)
        return None

    for max_pets in (50, 100, 310):
        options = {"id_range": (1, 400), "max_pets": max_pets}
        known = known_of(pets(400), set(range(1, 401)), note, **options)
        assert (str(known.verdict), known.rows) == ("incomplete", min(max_pets, 310))
    assert len(set(asked)) < 30


def test_ids_are_asked_side_by_side() -> None:
    """Four answers are awaited at a time, and every pet of the range is held."""
    gate = threading.Barrier(4, timeout=10)

    def together(pet_id: int) -> httpx.Response | None:
        if pet_id > 100:
            gate.wait()
        return None

    known = known_of(pets(108, "sold"), set(range(1, 109)), together, id_range=(101, 108))
    assert known.rows == 108


def test_a_walk_of_ids_goes_on_where_it_broke_off() -> None:
    """A refused key ends it; ``resume`` asks for the ids that are left."""
    rows, asked, is_refused = pets(400), list[int](), [True]

    def refusing(pet_id: int) -> httpx.Response | None:
        asked.append(pet_id)
        return httpx.Response(401) if pet_id == 330 and is_refused[0] else None

    client = client_of(rows, set(range(1, 401)), refusing)
    with pytest.raises(pf.IncompleteInventoryError) as caught:
        pf.fetch_inventory(client, id_range=(301, 400), progress=False)
    before, is_refused[0] = len(asked), False
    known = caught.value.resume().completeness
    assert known.rows == 400
    assert min(pet_id for pet_id in asked[before:] if pet_id != asked[0]) == 330


def test_pets_found_by_id_are_not_taken_for_those_of_a_page() -> None:
    """A fetch that goes on after its ids broke off contradicts nothing that it concluded before."""
    has_failed: list[int] = []

    def busy_once(pet_id: int) -> httpx.Response | None:
        if pet_id != 50 or has_failed:
            return None
        has_failed.append(pet_id)
        return httpx.Response(429, json={})

    client = client_of(pets(60, "sold"), set(range(1, 21)), busy_once)
    with pytest.raises(pf.IncompleteInventoryError) as caught:
        pf.fetch_inventory(client, id_range=(1, 70))
    known = caught.value.resume().completeness
    assert (known.verdict, known.rows) == ("unknown", 60)
    assert known.contradictions == ()
