"""A store that answers twice, late, or for another request: no record is believed created."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from faults.flaky_store import FlakyStore, answer_of
from faults.load_harness import check_promises
from petstore_frame.loader.record import State

HEADER = "name,categoryId,status\n"


class EchoingStore(FlakyStore):
    """Answers some POSTs with the pet of another."""

    def __init__(self, answers: dict[int, dict], **options) -> None:
        super().__init__(**options)
        self._answers = answers

    def _misbehave(self, connection, number, fault, headers, body) -> bool:
        if number not in self._answers:
            return super()._misbehave(connection, number, fault, headers, body)
        connection.sendall(answer_of(201, json.dumps(self._answers[number]).encode()))
        return True


@pytest.fixture
def six_csv(tmp_path: Path) -> Path:
    path = tmp_path / "six.csv"
    lines = "".join(f"Pet {number},1,\n" for number in range(1, 7))
    path.write_text(HEADER + lines, encoding="utf-8")
    return path


def load_six(path: Path, run_load, answers: dict[int, dict]):
    with EchoingStore(answers) as store:
        result = run_load(path, store, workers=1)
        check_promises(result, store)
        return result


def test_an_id_that_another_record_has_creates_none(six_csv, run_load) -> None:
    """The answer to an earlier request, come a second time, leaves its record in doubt."""
    result = load_six(six_csv, run_load, {4: {"id": 3, "name": "Pet 3", "categoryId": 1}})
    assert [row.record for row in result.rows(State.UNKNOWN)] == [4]
    assert result.exit_code == 3 and result.counts[State.CREATED] == 5


def test_a_pet_of_another_name_and_category_creates_none(six_csv, run_load) -> None:
    """An answer that shows neither what was sent proves nothing."""
    result = load_six(six_csv, run_load, {4: {"id": 99, "name": "Rex", "categoryId": 8}})
    assert [row.record for row in result.rows(State.UNKNOWN)] == [4]


def test_the_pet_of_the_request_before_creates_none(six_csv, run_load) -> None:
    """Once answers are out of step, a new id does not make them right."""
    result = load_six(six_csv, run_load, {4: {"id": 99, "name": "Pet 3", "categoryId": 1}})
    assert [row.record for row in result.rows(State.UNKNOWN)] == [4]


def test_a_store_that_changes_names_is_believed(tmp_path: Path, run_load) -> None:
    """A name that comes back otherwise, under its category and a new id, is noted and created."""
    answers = {4: {"id": 4, "name": "LUNA-0004", "categoryId": 1}}
    path = tmp_path / "luna.csv"
    path.write_text(HEADER + "Ada,1,\nBo,1,\nCy,1,\nLuna,1,\n", encoding="utf-8")
    with EchoingStore(answers) as echoing:
        result = run_load(path, echoing, workers=1)
    assert result.counts[State.CREATED] == 4
    *_, luna = result.rows()
    assert luna.notes == ("the store returned name 'LUNA-0004'",)


def test_a_store_that_repeats_one_pet_is_left_alone(pets_csv, run_load) -> None:
    """Answers that prove nothing stop an import as an outage does."""
    answers = {number: {"id": 1, "name": "Pet 0", "categoryId": 0} for number in range(1, 300)}
    with EchoingStore(answers) as store:
        result = run_load(pets_csv(200), store, first_patience_s=2.0, patience_s=2.0)
    assert result.counts[State.CREATED] == 1 and result.counts[State.PENDING] > 150
