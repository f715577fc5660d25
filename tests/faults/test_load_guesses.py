"""Reading back where a pet, or its absence, would only be a guess: the record stays in doubt."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from faults.flaky_store import FlakyStore

LUNA = {"name": "Luna", "categoryId": 3}


@pytest.fixture
def luna_csv(tmp_path: Path) -> Callable[..., Path]:
    """Write a file of so many pets, Luna behind the first ``before`` of them."""

    def write(count: int, *, before: int, name: str = "Luna") -> Path:
        lines = [f"Pet {number},1," for number in range(count)]
        lines.insert(before, f"{name},3,")
        path = tmp_path / "luna.csv"
        path.write_text("\n".join(["name,categoryId,status", *lines, ""]), encoding="utf-8")
        return path

    return write


def lunas(store: FlakyStore) -> int:
    return sum(pet["name"] in ("Luna", "Zoë") for pet in store.pets.values())


def test_a_gap_of_ids_proves_no_absence(luna_csv, stores, run_load, settle) -> None:
    """A store whose ids jump at a restart hides a pet from a search that ends at empty ids."""
    store = stores(
        lambda number: "fin_after" if number == 21 else None,
        next_id=lambda last: last + (1000 if last == 320 else 1),
    )
    for number in range(300):
        store.add({"name": f"Old {number}", "categoryId": 1})
    result = run_load(luna_csv(20, before=20), store, workers=1)
    assert settle(result, store).absent == 0
    settle(result, store, resend_absent=True)
    assert lunas(store) == 1


def test_a_store_that_tidies_names_does_not_make_a_pet_absent(
    luna_csv, stores, run_load, settle
) -> None:
    """A pet that differs only in the form of its letters keeps its record in doubt."""
    store = stores(lambda number: "500_after" if number == 3 else None)
    name = unicodedata.normalize("NFD", "Zoë")
    result = run_load(luna_csv(20, before=2, name=name), store, workers=1)
    (pet,) = [pet for pet in store.pets.values() if pet["categoryId"] == 3]
    pet["name"] = unicodedata.normalize("NFC", name)
    done = settle(result, store, resend_absent=True)
    assert (done.absent, done.unknown, done.resent) == (0, 1, 0)
    assert lunas(store) == 1


def test_a_pet_sold_since_does_not_make_its_record_absent(
    pets_csv, stores, run_load, settle
) -> None:
    """A pet that differs only in its status may be the one, changed by someone."""
    store = stores(lambda number: "500_after" if number == 5 else None)
    result = run_load(pets_csv(20), store, workers=1)
    store.pets[5]["status"] = "sold"
    done = settle(result, store, resend_absent=True)
    assert (done.absent, done.unknown, len(store.pets)) == (0, 1, 20)


def test_a_pet_that_appears_after_all_is_not_sent_again(luna_csv, stores, run_load, settle) -> None:
    """A record that was called absent is in doubt again as soon as there is an equal pet."""
    store = stores(lambda number: "500_before" if number == 3 else None, has_links=True)
    result = run_load(luna_csv(30, before=2), store, workers=1)
    assert settle(result, store).absent == 1
    store.add(LUNA)
    done = settle(result, store, sole_writer=False, resend_absent=True)
    assert (done.unknown, done.resent, lunas(store)) == (1, 0, 1)


def test_a_pet_that_a_later_load_saw_is_no_older_one(
    luna_csv, pets_csv, stores, run_load, settle
) -> None:
    """What the store had when a later file was loaded may be of a record in doubt before that."""
    store = stores(lambda number: "fin_after" if number == 3 else None, has_links=True)
    result = run_load(luna_csv(30, before=2), store, workers=1)
    for first in (500, 600):
        run_load(pets_csv(5, name=f"{first}.csv", first=first), store)
    done = settle(result, store, sole_writer=False, resend_absent=True)
    assert (done.absent, done.candidates) == (0, {3: (3,)})
    assert (settle(result, store).created, lunas(store)) == (1, 1)
