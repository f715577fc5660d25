"""The tests of the promises notice when a promise is broken on purpose.

Each case spoils one line in a copy of the package and expects the named test to fail on it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import petstore_frame

PACKAGE = Path(petstore_frame.__file__).parent
HERE = Path(__file__).parent

PYTEST = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
MUTATIONS = {
    "a request is sent before its intent is on disk": (
        "journal/database.py",
        [
            (
                '            self.sql.execute("BEGIN IMMEDIATE")\n',
                '            self.sql.in_transaction and self.sql.execute("COMMIT")\n'
                '            self.sql.execute("BEGIN IMMEDIATE")\n',
            ),
            ('            self.sql.execute("COMMIT")\n        except', "        except"),
        ],
        "test_load_journal.py::test_each_request_finds_its_intent_on_disk",
    ),
    "a request is repeated after a read timeout": (
        "sending/judge.py",
        [
            (
                "if end.proof is Proof.NOT_APPLIED",
                'if end.proof is Proof.NOT_APPLIED or end.reason == "read_timeout"',
            )
        ],
        "test_load_verdicts.py::test_a_lost_answer_is_unknown_and_never_sent_again[stall_after]",
    ),
    "a later refusal ends an earlier doubt": (
        "sending/judge.py",
        [("    if intent.is_in_doubt:\n", "    if False:\n")],
        "test_load_verdicts.py::test_a_refusal_of_a_repeat_leaves_the_first_attempt_in_doubt",
    ),
    "what was in flight becomes pending on opening": (
        "journal/outcomes.py",
        [("SET state = 'unknown', is_in_doubt = 1", "SET state = 'pending'")],
        "test_load_kills.py::test_killed_on_the_wire[applied-no_keys]",
    ),
    "a commit does not reach the disk": (
        "journal/database.py",
        [("synchronous = FULL", "synchronous = NORMAL")],
        "test_load_power.py::test_a_power_cut_never_forgets_a_request",
    ),
    "someone else's twin is claimed": (
        "settling/readback.py",
        [("    return pets <= records\n", "    return True\n")],
        "test_load_reconcile.py::test_someone_elses_twin_is_not_claimed",
    ),
    "a known key is sent again": (
        "journal/identity.py",
        [("        known_keys(animals)\n", "")],
        "test_stories_keys.py::test_a_few_new_names_are_changed_values",
    ),
    "a journal that has lost its log is believed": (
        "journal/database.py",
        [("    if commits < counted:\n", "    if False:\n")],
        "test_load_damage.py::test_whatever_is_lost_is_noticed_and_nothing_is_doubled",
    ),
    "a file that repeats another is sent without a question": (
        "journal/equal.py",
        [('    if animals.ask("equal", equal, records) == "skip":\n', "    if False:\n")],
        "test_stories_equal.py::test_yesterdays_two_and_a_third_are_asked_about",
    ),
    "what a later load saw is taken for older": (
        "journal/store_pets.py",
        [("    elif _seen(", "    elif False and _seen(")],
        "test_load_guesses.py::test_a_pet_that_a_later_load_saw_is_no_older_one",
    ),
    "the breaker never opens": (
        "sending/pace.py",
        [("        if self.is_open:\n            return\n", "        return\n")],
        "test_load_stops.py::test_posts_that_never_succeed_are_given_up",
    ),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", list(MUTATIONS))
def test_a_broken_promise_is_noticed(name: str, tmp_path: Path) -> None:
    """A package with this mistake in it fails the test that guards against it."""
    file, changes, test = MUTATIONS[name]
    copy = tmp_path / "petstore_frame"
    shutil.copytree(PACKAGE, copy)  # with what is compiled already
    path = copy / "loader" / file
    text = path.read_text(encoding="utf-8")
    for right, wrong in changes:
        assert text.count(right) == 1, f"{file} no longer has {right!r} once"
        text = text.replace(right, wrong)
    path.write_text(text, encoding="utf-8")
    outcome = subprocess.run(
        [*PYTEST, HERE / test],
        env=os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=HERE.parents[1],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert outcome.returncode == 1, f"{name}: {outcome.stdout[-2000:]}"
    assert "1 failed" in outcome.stdout
