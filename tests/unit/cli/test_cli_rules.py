"""What holds of every command alike, so that whoever knows one knows the others."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import petstore_frame as pf
from end_to_end.shell import python_words, typed
from petstore_frame import errors
from petstore_frame.cli import app
from petstore_frame.errors import exit_code_of
from petstore_frame.exit_codes import ExitCode
from petstore_frame.storage import locked

COMMANDS = get_command(app).commands
READERS = {"fetch": "pets.csv", "report": "stock.html", "snapshot": "history"}


def options(name: str) -> dict[str, Any]:
    return {
        parameter.opts[0]: parameter
        for parameter in COMMANDS[name].params
        if parameter.opts[0][:2] == "--"
    }


def having(option: str) -> set[str]:
    return {name for name in COMMANDS if option in options(name)}


def test_who_knows_one_command_knows_the_others() -> None:
    """Each shows a line to type, and an option that several share says the same on each."""
    words: dict[str, set[str]] = {}
    for name, command in COMMANDS.items():
        assert f"Example: petstore-frame {name}" in command.help
        for option, made in options(name).items():
            words.setdefault(option, set()).add(made.help)
    # These name what differs: the file, the folder or the pets of that very command.
    own = {"--output", "--history", "--sample", "--seed", "--rows", "--categories", "--dry-run"}
    assert {name for name, said in words.items() if len(said) > 1} <= own | {"--recipe"}
    asking = {"load", "compare", "fetch", "report", "snapshot", "dashboard"}
    assert having("--base-url") == having("--timeout") == asking
    assert having("--json") == {*COMMANDS} - {"demo", "recipe", "sample", "dashboard"}
    assert all("-o" in options(name)["--output"].opts for name in having("--output"))


def test_the_exit_codes_stand_in_the_help() -> None:
    """Each with its one meaning, for all commands."""
    shown = typed("petstore-frame --help", COLUMNS="120").stdout
    lines = [f"{code:>3}  {code.meaning}" for code in ExitCode]
    assert all(line in shown for line in lines)


@pytest.mark.usefixtures("sample_here")
@pytest.mark.parametrize(("name", "output"), READERS.items(), ids=READERS)
def test_a_listing_is_told_with_the_same_keys(name: str, output: str) -> None:
    """What was written, how many, from where, when, and what it covers."""
    place = "--history" if name == "snapshot" else "--output"
    ended = typed(f"petstore-frame {name} {place} {output} --json")
    facts = json.loads(ended.stdout)
    assert len(ended.stdout.splitlines()) == 1
    assert {"output", "rows", "base_url", "fetched_at", "completeness", "exit_code"} <= set(facts)
    assert (facts["rows"], facts["exit_code"], ended.exit_code) == (250, 0, 0)
    assert Path(facts["output"]).is_file()


# The code of a load that was not finished depends on its result, or on why it stopped.
WITH_RESULT = (errors.LoadStoppedError, errors.LoadFailedError)


def error_classes(kind: type[Exception] = errors.PetstoreError) -> Iterator[type[Exception]]:
    yield kind
    for sub in kind.__subclasses__():
        yield from error_classes(sub)


@pytest.mark.parametrize(
    "kind",
    [kind for kind in (*error_classes(), OSError) if not issubclass(kind, WITH_RESULT)],
    ids=lambda kind: kind.__name__,
)
def test_every_error_has_its_number(kind: type[Exception]) -> None:
    """The store's faults are 5, a lock 7, the journal and the disk 6, and all else was refused."""
    stores = (
        pf.APIStatusError, pf.APIConnectionError, pf.ContractError, errors.CrossOriginError,
        pf.IncompleteInventoryError,
    )  # fmt: skip
    code = exit_code_of(kind.__new__(kind))
    assert (code == 5) == issubclass(kind, stores)
    assert (code == 7) == kind.__name__.endswith("LockedError")
    assert (code == 6) == (issubclass(kind, (errors.JournalError, OSError)) and code != 7)


def test_a_fault_of_ours_has_a_code_of_its_own(tmp_path, monkeypatch) -> None:
    """Python would end with 1, which says that rows are to fix; the trace is for a report."""

    def fails(*_: object, **__: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pf.sample_data, "write_sample_csv", fails)
    ended = typed("petstore-frame sample")
    assert (ended.exit_code, ended.stdout) == (ExitCode.INTERNAL, "")
    assert "Traceback" in ended.stderr
    assert ended.stderr.splitlines()[-1].startswith("error: RecursionError: too deep")


@pytest.mark.usefixtures("server_here")
def test_another_writer_is_7() -> None:
    """A load whose journal is at work elsewhere sends nothing."""
    Path("a.csv").write_text("tag,name,categoryId\n1,Ada,1\n", encoding="utf-8")
    line = "petstore-frame load a.csv --key tag --journal journal"
    assert typed(line).exit_code == 0
    (journal,) = [path for path in Path("journal").rglob("*") if path.suffix == ".sqlite3"]
    with locked(journal.with_name(f"{journal.name}.lock")):
        ended = typed(f"{line} --as-new")
    assert ended.exit_code == ExitCode.LOCKED, ended.output


STORE = "--base-url http://[::1]:9/v1"
REFUSED = {
    # What is named is not there.
    "sample --output nope/a.csv": "the folder nope does not exist",
    "fetch --output a.csv/x.csv": "a.csv is not a folder",
    "weekly e/nofile.toml": "e/nofile.toml --init",
    "fetch --output nope/x.csv": "the folder nope does not exist; create it first",
    "demo --folder a.csv": "is a file",
    "load a.csv --categories nocat.csv": "does not exist",
    "report --output .": "'.' is a folder; add a file's name, such as 'pets.csv'",
    # Which store is not said.
    "fetch --output x.csv": "PETSTORE_BASE_URL",
    f"load a.csv {STORE}": "PETSTORE_API_KEY",
    f"dashboard {STORE}": "PETSTORE_API_KEY" if find_spec("voila") else "petstore-frame[lab]",
    f"dashboard {STORE} --categories a.csv": "a category list has the columns id and name"
    if find_spec("voila")
    else "petstore-frame[lab]",
    # A word would have no effect, or cannot be read.
    "fetch --output pets.txt": ".csv, .jsonl, .parquet or .xlsx",
    "fetch --output pets.csv --status lost": "'lost' is not one of 'available', 'pending'",
    "load a.csv --set encodng=cp1252": "'encoding'",
    "load a.csv --set encoding": "--set must be OPTION=VALUE, such as encoding=cp1252",
    "load a.csv --kye name": "--key",
    "load a.csv --reconcile --dry-run": "cannot be combined",
    "load a.csv --resolve two": "LINE=PET_ID",
    **{
        f"load a.csv {option} {lines}": f"{option} must be line numbers from 1, such as 17,23, got "
        f"{lines}; nothing was sent"
        for option in ("--as-new", "--exclude-lines")
        for lines in ("3,x", "3x", "x", "0", "3-5")
    },
    "load a.csv --exclude-lines -3": "such as 17,23, got -3; nothing was sent",
    "load a.csv --exclude-lines=": "such as 17,23, got ''",
    "load a.csv --max-rows -1": "--max-rows must be 1 or more, got -1; nothing was sent",
    "load a.csv --max-rows x": "--max-rows must be a whole number, got x; nothing was sent",
    "load a.csv --max-errors -1": "--max-errors must be 0 or more, got -1",
    "load a.csv --workers 99": "--workers must be 32 or less, got 99",
    "load a.csv --grace x": "--grace must be a number, got x",
    "load a.csv --grace inf": "--grace must be a number of seconds, 0 or more, got inf",
    "load a.csv --duplicates x": "'x' is not one of 'skip', 'create'; nothing was sent",
    "load a.csv --recipe none.toml": "--recipe: file 'none.toml' does not exist",
    "trend --every-days 0": "--every-days must be 1 or more, got 0",
    "load": "name a file to load, or use --resume without a file",
    f"dashboard --sample 5 {STORE}": "--sample shows a sample store",
    "dashboard 5": "add --sample",
    "fetch": "--output is missing; petstore-frame fetch --help shows an example",
    "recipe": "FILE is missing",
    "compare": "LIST is missing",
    "serve --faults lost-replies=0.1": "'lost-reply'",
    "serve --faults late=2": "late must be a rate from 0 to 1",
    "serve --upstream http://[::1]:9/v1": "needs --faults",
    "serve --port 99999": "--port must be 65535 or less, got 99999",
    "serve --sample -3": "--sample must be 0 or more, got -3",
    "api-keys --new till --revoke psk_a1b2c3": "pass only one of --new and --revoke",
    "api-keys --revoke psk_a1b2c3": "nothing was revoked; without options, petstore-frame api-keys",
    "sample --output b.csv --categories b.csv": "--output and --categories both name b.csv",
    "sample --output .": "'.' is a folder; add a file's name",
    "sample --output b.xlsx": "the extension must be .csv",
    "trend --history a.csv": "must be a folder, and 'a.csv' is a file",
    f"snapshot --history a.csv {STORE}": "must be a folder, and 'a.csv' is a file",
    "trend --history e": "petstore-frame snapshot --history e",
    "trend --since 2026-11-30 --until 2026-11-01": "since must not be after until, got 2026-11-30",
    "trend --since today": "since must be a date, or a text such as 2026-11-01, got 'today'",
    "weekly .": "cannot open the settings: Is a directory; name a file",
    "weekly . --init": "is a folder; add a file's name",
    "weekly a.csv --init": "not changed; edit it, or name another file",
    # What a newcomer types leads to the command that was meant.
    "fetc": "fetch",
}


@pytest.mark.parametrize(("line", "words"), REFUSED.items(), ids=REFUSED)
def test_what_cannot_be_done_is_refused(line: str, words: str, tmp_path, monkeypatch) -> None:
    """What is wrong is named in one line, in the words of a shell, before anything starts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PETSTORE_API_KEY", raising=False)
    Path("a.csv").write_text("name,categoryId\n", encoding="utf-8")
    place = ["--journal", "journal"] if line.startswith("load") else []
    result = typed(f"petstore-frame {line}", *place, COLUMNS="200")
    assert (result.exit_code, words in result.stderr) == (2, True), result.output
    assert len(result.stderr.splitlines()) == 1 and result.stderr.startswith("error: ")
    assert "Value error" not in result.stderr and python_words(result.stderr) == []
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_the_version_is_told_at_once() -> None:
    """--version needs no command, and nothing that takes long to import."""
    code = """
import sys
from petstore_frame.__main__ import main
sys.argv[1:] = ["--version"]
try:
    main()
except SystemExit:
    print([name for name in ("pandas", "pydantic", "httpx", "fastapi") if name in sys.modules])
"""
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == f"petstore-frame {pf.__version__}\n[]\n"


@pytest.mark.parametrize("kind", [pf.errors.ReportError, pf.errors.HistoryError])
def test_a_full_disk_is_the_disks_fault(kind) -> None:
    """A full disk ends a report or a snapshot with 6, a file that is open elsewhere with 2."""
    problem = kind("stock.xlsx cannot be written")
    for cause, code in ((OSError(28, "No space left"), 6), (PermissionError(13, "x"), 2)):
        problem.__cause__ = cause
        assert exit_code_of(problem) == code


@pytest.mark.usefixtures("server_here")
@pytest.mark.parametrize(
    "command",
    [
        "fetch --output x.csv", "report --output x.xlsx", "snapshot --history days", "weekly",
        "compare list.csv --on name --output x.xlsx",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("number", "remedy"),
    [(errno.ENOSPC, "free some space"), (errno.EIO, "write to another disk, and run")],
)
def test_a_fault_of_the_disk_says_how_much_was_read(
    command: str, number: int, remedy: str, monkeypatch
) -> None:
    """The command ends with 6, and its error names the number of pets and what helps."""

    def fill_up(_: int) -> None:
        raise OSError(number, os.strerror(number))

    Path("list.csv").write_text("name,category_id\nRex,1\n")
    Path("weekly.toml").write_text("")
    monkeypatch.setattr(os, "fsync", fill_up)
    ended = typed(f"petstore-frame {command}")
    assert ended.exit_code == 6, ended.output
    assert re.search(rf"complete: \d+ pets read, and not written: {remedy}", ended.output)
    assert not [*Path().glob("x.*"), *Path().rglob("*.parquet")]


@pytest.mark.usefixtures("server_here")
def test_an_empty_key_answers_that_no_column_identifies_an_animal() -> None:
    """The question offers it next to a column, and the answer is taken."""
    rows = ["Animal ID,name,categoryId", *(f"A{n % 9},Pet {n % 9},1" for n in range(18))]
    Path("a.csv").write_text("\n".join([*rows, ""]), encoding="utf-8")
    asked = typed("petstore-frame load a.csv --journal journal")
    offered = [line.strip() for line in asked.stderr.splitlines() if "--key" in line]
    assert (asked.exit_code, offered) == (9, ["add --key '?'", "add --key ''"])
    loaded = typed("petstore-frame load a.csv --key '' --journal journal")
    assert (loaded.exit_code, "18 animals added" in loaded.output) == (0, True)


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("weekly --report x.xlsx", "weekly"),
        ("weekly https://host/v1 list.csv", "weekly"),
        ("fetch --nope", "fetch"),
        ("nope", ""),
    ],
)
def test_a_word_that_a_command_lacks_leads_to_its_help(words: str, command: str) -> None:
    """An unknown option, argument or command ends with the command that shows the right ones."""
    ended = typed(f"petstore-frame {words}")
    program = f"petstore-frame {command}".rstrip()
    assert ended.exit_code == 2
    assert ended.stderr.rstrip().endswith(f"; {program} --help shows what it takes")


@pytest.mark.usefixtures("server_here")
def test_compare_suggests_how_to_match_by_the_columns() -> None:
    """Without --key and --on, the error names the options that fit the columns of the list."""
    rows = [f"A{n},Pet {n},1" for n in range(9)]
    Path("list.csv").write_text("\n".join(["animal_id,name,categoryId", *rows, ""]))
    Path("export.csv").write_text("id,name,categoryId\n1,Rex,1\n")
    asked = typed("petstore-frame compare list.csv")
    assert asked.exit_code == 2
    assert "--key animal_id or --on name --on category_id" in asked.stderr
    assert "--on id" in typed("petstore-frame compare export.csv").stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has other errors for a closed pipe")
@pytest.mark.usefixtures("sample_here")
def test_a_closed_pipe_ends_a_command_without_a_message() -> None:
    """If the reader of the output ends first, the exit code is 141, and stderr is empty."""
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, "-m", "petstore_frame", "fetch", "--output", "-"]
    ended = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (ExitCode.PIPE_CLOSED, "")
