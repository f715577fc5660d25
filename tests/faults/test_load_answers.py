"""Each way in which a POST can end, and what becomes of the record."""

from __future__ import annotations

import json

import pytest

import petstore_frame as pf
from faults.flaky_store import CUT_201, DOUBTFUL, HARMLESS
from faults.hostile import http
from faults.load_harness import check_promises
from petstore_frame.loader import view_of
from petstore_frame.loader.row_state import Ending, State
from petstore_frame.loader.sending.pool import SessionClocks
from petstore_frame.transport import IdempotencyKey
from plain_http import wait_until

KEYS = IdempotencyKey(3600)


@pytest.fixture
def load_third(load_with):
    """Load a file, the third POST of which fails; return the result and the store."""

    def run(fault: str, *, rows: int = 8, **options):
        # Few seconds only where no answer will come.
        options |= {"timeout": 0.3 if "stall" in fault else 10.0, "workers": 1}
        store = {"stall_s": 1, "honors_keys": "idempotency" in options}
        result, made = load_with(rows, {3: fault}, store=store, **options)
        check_promises(result, made)
        return result, made

    return run


ENDS = [
    # Without a key, a request without a usable answer is made once and its record is unknown;
    *[(fault, {}, State.UNCONFIRMED, 8) for fault in DOUBTFUL],
    # under a key that the store honors, the same request again settles the record.
    *[(fault, {"idempotency": KEYS}, State.CREATED, 9) for fault in DOUBTFUL],
    # A 201 whose body is lost proves the pet, not its id; the record is never sent again.
    *[(fault, {}, State.CREATED, 8) for fault in CUT_201],
    # After 408, 425 and 429 the record is pending again and is sent once more.
    *[(fault, {}, State.CREATED, 9) for fault in HARMLESS],
    # An Error about the record is final for it and for no other.
    *[(fault, {}, State.REJECTED, 8) for fault in ("400", "409", "413", "422")],
]


@pytest.mark.parametrize(("fault", "options", "state", "posts"), ENDS, ids=str)
def test_each_end_of_a_request_has_its_state(load_third, fault, options, state, posts) -> None:
    """What became of the third request decides its record, and no other one."""
    result, store = load_third(fault, **options)
    others = list(view_of(result).rows())
    third = others.pop(2)
    assert (third.state, store.posts) == (state, posts)
    assert {row.state for row in others} == {State.CREATED}
    assert (third.pet_id is None) == (fault in CUT_201 or state is not State.CREATED)
    assert not options or max(store.keys_seen.values()) == 2
    assert state is not State.REJECTED or third.error_code == "from_frame"


def test_an_error_in_the_place_of_an_answer_proves_nothing(stores, run_load, monkeypatch) -> None:
    """A client that raises stops the import; its record is unconfirmed, and is not sent again."""
    store, post = stores(), pf.Client.post_pet

    def fail_once(client: pf.Client, *args, **options):
        is_odd, answer = store.posts == 3, post(client, *args, **options)
        if is_odd:
            raise ZeroDivisionError("odd")
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(pf.Client, "post_pet", fail_once)
        result = run_load(8, store, workers=1)
    assert view_of(result).facts.run.ending is Ending.STOPPED
    assert "ZeroDivisionError('odd')" in view_of(result).facts.run.ending_detail
    again = run_load(8, store)
    assert [row.number for row in view_of(again).rows(State.UNCONFIRMED)] == [4]
    assert (again.counts[State.CREATED], store.posts) == (7, 8)
    check_promises(again, store)


STOPS = ["401", "403", "404", "405", "410", "415", "html_404", "redirect"]


@pytest.mark.parametrize("fault", STOPS)
def test_what_concerns_every_record_stops_the_import(fault: str, load_third, run_load) -> None:
    """A refusal of the key, the address or the form leaves the rest pending, and can go on."""
    result, store = load_third(fault, rows=20)
    unknown = int(fault == "redirect")
    assert (view_of(result).facts.run.ending, store.posts) == (Ending.STOPPED, 3)
    assert (result.counts[State.UNCONFIRMED], result.counts[State.PENDING]) == (
        unknown,
        18 - unknown,
    )
    again = run_load(20, store)
    assert (again.counts[State.CREATED], store.posts) == (20 - unknown, 21 - unknown)
    check_promises(again, store)


def test_a_refusal_of_a_repeat_leaves_the_first_attempt_in_doubt(load_with) -> None:
    """A store may have kept what was sent first, so its later refusal makes nothing to fix."""
    faults = {3: "fin_after", 9: "400"}
    result, store = load_with(8, faults, store={"honors_keys": True}, idempotency=KEYS)
    assert (result.counts[State.UNCONFIRMED], result.counts[State.REJECTED]) == (1, 0)
    assert (store.posts, len(store.pets)) == (9, 8)
    assert [row.error_code for row in view_of(result).rows(State.UNCONFIRMED)] == ["from_frame"]


def test_a_key_sent_in_the_future_is_not_repeated(load_with, run_load) -> None:
    """A clock that was ahead makes no forgotten key look fresh."""
    ahead = {"s": 86_400.0}
    timing = SessionClocks(now=lambda: 1_800_000_000.0 + ahead["s"])
    options = {"idempotency": KEYS, "timing": timing, "first_patience_s": 0.5}
    first, store = load_with(1, dict.fromkeys(range(99), "fin_after"), **options)
    assert first.counts[State.UNCONFIRMED] == 1
    sent = store.posts
    store.fault_of = lambda number: None
    ahead["s"] = 5 * 3600.0
    again = run_load(1, store, **options)
    assert again.counts[State.UNCONFIRMED] == 1 and store.posts == sent


FIRST = {"name": "Pet 0", "categoryId": 1, "status": "available"}  # of pets_csv


def pet_answer(**pet) -> bytes:
    return http("201 Created", json.dumps(pet))


def refusal(**facts) -> bytes:
    error = {"code": "bad", "message": "not this one", "status": 400} | facts
    return http("400 Bad Request", json.dumps(error))


@pytest.mark.parametrize(
    "pet",
    [
        {"id": 3, "name": "Pet 2", "categoryId": 3, "status": "sold"},
        {"id": 99, "name": "Rex", "categoryId": 8},
        {"id": 99, "name": "Pet 2", "categoryId": 3, "status": "sold"},
    ],
    ids=["an id that another record has", "another animal", "the pet of the request before"],
)
def test_an_answer_to_another_request_creates_none(load_with, pet: dict) -> None:
    """An answer that comes twice, or out of step, leaves its unconfirmed row."""
    result, _ = load_with(6, {4: pet_answer(**pet)}, workers=1)
    assert [row.number for row in view_of(result).rows(State.UNCONFIRMED)] == [4]
    assert result.exit_code == 3 and result.counts[State.CREATED] == 5


def test_of_two_answers_at_once_with_one_id_one_counts(load_with) -> None:
    """Answers that are read together are held against each other, too; no commit is refused."""

    def wait_for_both(inbox, timeout_s):
        wait_until(lambda: inbox.qsize() > 1, 0.3)
        return inbox.get(timeout=0.3)

    answers = dict.fromkeys((2, 3), pet_answer(id=77, **FIRST))
    options = {"workers": 2, "timing": SessionClocks(wait=wait_for_both)}
    result, _ = load_with(3, answers, copies=3, **options)
    assert (result.counts[State.CREATED], result.counts[State.UNCONFIRMED]) == (2, 1)


def test_a_store_that_changes_names_is_believed(load_with) -> None:
    """A name that comes back otherwise, under its category and a new id, is noted and created."""
    changed = pet_answer(id=6, name="PET-0006", categoryId=6, status="pending")
    result, _ = load_with(6, {6: changed}, workers=1)
    assert result.counts[State.CREATED] == 6
    assert list(view_of(result).rows())[5].notes == ("the store returned name 'PET-0006'",)


@pytest.mark.parametrize("copies", [1, 200], ids=["pets of many names", "of one name"])
def test_a_store_that_repeats_one_pet_is_left_alone(load_with, copies: int) -> None:
    """Answers that prove nothing stop an import as an outage does; the id alone may show it."""
    answers = dict.fromkeys(range(1, 300), pet_answer(id=1, **FIRST))
    options = {"workers": 1, "first_patience_s": 1.0, "patience_s": 1.0}
    result, _ = load_with(200, answers, copies=copies, **options)
    assert result.counts[State.CREATED] == 1 and result.counts[State.PENDING] > 150


@pytest.mark.parametrize(
    "facts",
    [{"field": ["name"]}, {"field": 3, "message": "m" * 3_000_000}, {"status": 400.0}],
)
def test_an_error_with_an_extension_of_its_own_rejects_one_record(load_with, facts: dict) -> None:
    """The Error of the interface is read whatever else a store puts beside it, and shortened."""
    result, _ = load_with(6, {2: refusal(**facts)})
    assert (result.counts[State.REJECTED], result.counts[State.CREATED]) == (1, 5)
    assert len(result.fix["error_message"][0]) < 3000


def test_the_record_that_stops_an_import_is_named(load_with) -> None:
    """Where an answer seems to concern every record, the text says to which one it came."""
    result, _ = load_with(6, {2: http("413 Too Large", "<html>413</html>")}, workers=1)
    assert "row 2, line 3" in view_of(result).facts.run.ending_detail
    assert result.counts[State.PENDING] == 5
