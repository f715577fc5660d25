"""``petstore-frame load``: files, words and exit codes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from faults.flaky_store import KEY, FlakyStore
from faults.load_harness import journal_in
from petstore_frame.cli import app
from petstore_frame.errors import InputError
from petstore_frame.loader.journal.database import holding

Run = Callable[..., Result]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command on a file against a store."""

    def run(path: Path, store: FlakyStore, *more: str, key: str = KEY) -> Result:
        monkeypatch.setenv("PETSTORE_API_KEY", key)
        place = ["--base-url", store.base_url, "--journal", str(tmp_path / "journal")]
        return CliRunner().invoke(app, ["load", str(path), *place, "--timeout", "10", *more])

    return run


def test_all_created_is_0_and_files_are_named(
    tmp_path: Path, pets_csv, stores, command: Run
) -> None:
    """A clean file ends with 0, its result files are named; once more, nothing is sent."""
    store = stores()
    done = command(pets_csv(9), store, "--output", str(tmp_path / "out"))
    again = command(pets_csv(9), store)
    assert (done.exit_code, again.exit_code, store.posts) == (0, 0, 9)
    assert {"results.csv", "fix.csv", "unknown.csv", "summary.json"} <= {
        path.name for path in (tmp_path / "out").iterdir()
    }
    assert "9 of 9 records created" in done.output and "results.csv" in done.output


def test_a_rehearsal_sends_nothing(pets_csv, stores, command: Run) -> None:
    """--dry-run reads and plans."""
    store = stores()
    done = command(pets_csv(9), store, "--dry-run", "--json")
    assert (done.exit_code, store.posts) == (0, 0)
    assert json.loads(done.stdout)["states"]["pending"] == 9


@pytest.mark.parametrize(
    ("fault", "options", "code", "words"),
    [
        ("400", [], 1, "rejected"),
        ("fin_after", [], 3, "in doubt"),
        ("fin_before", ["--reconcile", "--grace", "0"], 3, "not found"),
        ("fin_before", ["--reconcile", "--grace", "0", "--resend-absent"], 0, "9 of 9"),
        ("400", ["--max-errors", "0"], 4, "allowed"),
        ("401", [], 5, "401"),
        ("html_404", [], 5, "404"),
        (None, ["--journal", __file__], 6, "nothing was sent"),
    ],
)
def test_each_ending_has_its_exit_code(
    fault: str | None, options: list[str], code: int, words: str, pets_csv, stores, command: Run
) -> None:
    """What the store does decides the code, and the text says why."""
    done = command(pets_csv(9), stores({3: fault}.get), *options)
    assert done.exit_code == code
    assert words in flat(done.output)


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("animal,kind\nLuna,4\n", ["--column", "name=animal", "--column", "category_id=kind"]),
        ("name,category_id\nLuna,Dragon\n", ["--value", "category_id:Dragon=4"]),
        ("name,category_id,status\nLuna,4,held\n", ["--value", "status:held=pending"]),
        ("name\tcategoryId\nLuna\t4\n", ["--delimiter", r"\t"]),  # no shell types a tab easily
    ],
)
def test_options_say_how_a_file_is_read(
    tmp_path: Path, stores, command: Run, content: str, options: list[str]
) -> None:
    """Columns, words and delimiters are given as the hints of a refusal name them."""
    store = stores()
    (tmp_path / "pets.csv").write_text(content, encoding="utf-8")
    assert command(tmp_path / "pets.csv", store, *options).exit_code == 0
    assert [(pet["name"], pet["categoryId"]) for pet in store.pets.values()] == [("Luna", 4)]


def test_a_wrong_key_is_5_and_sends_one_request(pets_csv, stores, command: Run) -> None:
    """A key that the store does not know costs one request, and nothing is lost."""
    store = stores()
    done = command(pets_csv(9), store, key="not-the-key")
    assert (done.exit_code, store.posts) == (5, 1)
    first = done.output.splitlines()[0]
    assert "the store refused the key" in first and "nothing was created, 9 of 9" in first
    assert command(pets_csv(9), store).exit_code == 0


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("name,categoryId\nZo\xeb,1\n", [], "--encoding cp1252 reads 'Zoë,1'"),
        ("Title,category\nAda,1\n", [], "--column name=Title"),
        (
            "Pet Name,Category,State\nAda,1,sold\n",
            [],
            "--column 'name=Pet Name' --column status=State",
        ),
        ("name,category\nAda,1\n", ["--column", "nam=name"], "as in --column name=Animal;"),
        ("name,category,State\nAda,1,Sold\n", ["--dry-run"], "--column status=State sends it"),
        ("Ada,1\n", ["--columns", "name,category_id"], "1 of 1 record created"),
        ("name,category\nAda,1.024\n", ["--thousands", "."], "1 of 1 record created"),
        ('name,category\nAda "x,1\n', ["--quoting", "none"], "1 of 1 record created"),
        ("name,category\nAda,1\n", ["--dry-run"], "nothing was sent yet\n  petstore-frame load "),
        ("name,category\nAda,x\n", [], "--output results\n  petstore-frame load results/fix.csv"),
        ("name,category\nAda,x\n", ["--output", "o"], "correct o/fix.csv, then load it"),
    ],
)
def test_a_shell_is_told_what_to_type_there(
    tmp_path: Path, monkeypatch, stores, command: Run, content: str, options: list[str], words: str
) -> None:
    """Next steps name options of the command, never arguments of Python."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pets.csv").write_text(content, encoding="latin-1")
    done = command(tmp_path / "pets.csv", stores(), *options)
    assert words in done.output
    assert "result." not in done.output and "mapping=" not in done.output


def test_python_is_told_what_to_type_there(tmp_path: Path, stores, run_load) -> None:
    """The same result names arguments and methods to who reads it in Python."""
    (tmp_path / "pets.csv").write_text("name,category\nAda,x\n")
    result = run_load(tmp_path / "pets.csv", stores())
    assert "  result.write('results')\n  pf.load_csv('results/fix.csv', client" in str(result)
    with pytest.raises(InputError, match=r"mapping=\{'category_id'"):
        (tmp_path / "odd.csv").write_text("name,b\nAda,1\n")
        run_load(tmp_path / "odd.csv", stores())


def test_an_unreadable_file_is_2(tmp_path: Path, stores, command: Run) -> None:
    """A file that is none, or has no such columns, is a usage error; nothing is sent."""
    store = stores()
    (tmp_path / "odd.csv").write_text("a,b\n1,2\n")
    for path in (tmp_path / "odd.csv", tmp_path / "missing.csv"):
        done = command(path, store)
        assert done.exit_code == 2 and "error: " in done.output
    assert store.posts == 0


def test_an_import_at_work_is_7(tmp_path: Path, pets_csv, stores, command: Run) -> None:
    """A journal that someone holds is refused."""
    store = stores(lambda number: "401" if number == 3 else None)
    command(pets_csv(9), store)
    with holding(journal_in(tmp_path)):
        done = command(pets_csv(9), store)
    assert done.exit_code == 7 and "another import is at work" in done.output


def test_a_known_key_lifetime_settles_lost_answers(pets_csv, stores, command: Run) -> None:
    """--idempotency-lifetime repeats a doubtful request under its key."""
    store = stores(lambda number: "fin_after" if number == 3 else None, honours_keys=True)
    done = command(pets_csv(9), store, "--idempotency-lifetime", "3600")
    assert (done.exit_code, len(store.pets)) == (0, 9)


def test_doubt_can_be_settled_from_the_shell(pets_csv, stores, command: Run) -> None:
    """--reconcile reads back what the same command left in doubt, and sends no POST for it."""
    store = stores(lambda number: "fin_after" if number == 30 else None)
    assert command(pets_csv(60), store).exit_code == 3
    settle = ["--reconcile", "--sole-writer", "--grace", "0"]
    done = command(pets_csv(60), store, *settle, "--json")
    assert (done.exit_code, store.posts) == (0, 60)
    assert json.loads(done.stdout)["states"]["created"] == 60


def test_a_wait_before_reading_back_is_announced(
    pets_csv, stores, command: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--reconcile says until when it waits, and for which option, before it does."""
    waits: list[float] = []
    monkeypatch.setattr(sys.modules["petstore_frame.cli.load"], "sleep", waits.append)
    store = stores(lambda number: "fin_before" if number == 3 else None)
    assert "4 minutes after the last request" in command(pets_csv(9), store).stdout
    done = command(pets_csv(9), store, "--reconcile", "--grace", "60")
    assert re.search(
        r"waiting until \d\d:\d\d:\d\d before reading back \(--grace 60\)", done.stderr
    )
    assert len(waits) == 1 and 50 < waits[0] < 66


def test_ctrl_c_is_130_and_writes_what_is_known(tmp_path: Path, pets_csv, stores) -> None:
    """An interrupted command awaits its answers, writes its files and ends with 130."""
    store = stores(latency_s=0.02)
    started = threading.Event()
    store.on_post = lambda number, stage: started.set() if number > 10 else None
    place = ["--base-url", store.base_url, "--journal", str(tmp_path / "journal")]
    child = subprocess.Popen(
        [sys.executable, "-m", "petstore_frame", "load", str(pets_csv(2000)), "--json", *place],
        env=os.environ | {"PETSTORE_API_KEY": KEY},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert started.wait(60)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 130
    assert json.loads(out)["states"]["created"] == len(store.pets)


def test_a_corrected_fix_file_survives_the_same_command(
    tmp_path: Path, stores, command: Run
) -> None:
    """A corrected file is kept, with a note, when the command is repeated or the file is loaded."""
    store, out = stores(), tmp_path / "results"
    (tmp_path / "a.csv").write_text("name,category\nAda,1\nBo,x\n")
    to_out = ["--output", str(out)]
    assert command(tmp_path / "a.csv", store, *to_out).exit_code == 1
    corrected = (out / "fix.csv").read_text(encoding="utf-8-sig").replace("Bo,x", "Bo,2")
    (out / "fix.csv").write_text(corrected)
    kept = {path.name: path.read_bytes() for path in out.iterdir()}
    again = command(tmp_path / "a.csv", store, *to_out)
    assert f"note: {out}/fix.csv was changed since" in again.stderr
    assert f"correct {out}-2/fix.csv" in again.stdout
    fixed = command(out / "fix.csv", store, *to_out, "--json")
    assert (fixed.exit_code, json.loads(fixed.stdout)["output"]) == (0, f"{out}-3")
    assert {path.name: path.read_bytes() for path in out.iterdir()} == kept
    assert len(store.pets) == 2


def test_doubt_that_reading_back_leaves_is_explained_and_settled_by_hand(
    pets_csv, stores, command: Run
) -> None:
    """The notes are printed and in the JSON, the next step is --resolve, and that settles it."""
    store = stores(lambda number: "fin_after" if number == 2 else None)
    path = pets_csv(4)
    command(path, store, "--workers", "1")
    left = command(path, store, "--reconcile", "--grace", "0")
    assert (left.exit_code, len(store.pets)) == (3, 4)
    assert "What reading the store back has shown" in left.output
    assert "--resolve 2=2" in left.output and "record 2 may be pet 2" in left.output
    told = json.loads(command(path, store, "--json").stdout)
    assert told["candidates"] == {"2": [2]}
    done = command(path, store, "--resolve", "2=2")
    assert (done.exit_code, store.posts) == (0, 4)
    assert "4 of 4 records created" in done.output


def test_a_record_that_was_not_created_is_sent_by_the_next_command(
    pets_csv, stores, command: Run
) -> None:
    """--resolve ROW=none makes a record pending; a pair that cannot be read changes nothing."""
    store = stores(lambda number: "fin_before" if number == 2 else None)
    path = pets_csv(4)
    assert command(path, store, "--workers", "1").exit_code == 3
    assert command(path, store, "--resolve", "two").exit_code == 2
    released = command(path, store, "--resolve", "2=none")
    assert "1 record still to send" in released.output and len(store.pets) == 3
    assert (command(path, store).exit_code, len(store.pets)) == (0, 4)


def test_a_folder_that_cannot_be_made_is_refused_before_anything_is_sent(
    tmp_path: Path, pets_csv, stores, command: Run
) -> None:
    """--output is looked at first, because afterwards the pets are in the store."""
    store = stores()
    (tmp_path / "notes").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for folder in (tmp_path / "notes", tmp_path / "notes" / "deeper", tmp_path / "link"):
        done = command(pets_csv(3), store, "--output", str(folder))
        assert done.exit_code == 2 and "is not a folder; nothing was sent" in flat(done.stderr)
    assert store.posts == 0


def test_what_was_sent_is_told_where_its_files_cannot_be_written(
    tmp_path: Path, pets_csv, stores, command: Run
) -> None:
    """A folder that becomes a file during the import costs the files, not the result."""
    store, out = stores(), tmp_path / "out"
    store.on_post = lambda number, stage: out.write_text("mine") if number == 2 else None
    done = command(pets_csv(3), store, "--output", str(out), "--workers", "1")
    assert done.exit_code == 6 and "3 of 3 records created" in done.stdout


def flat(text: str) -> str:
    """A message without the frame that the shell's library draws around it."""
    return " ".join(text.replace("\u2502", " ").split())
