"""Every command that cannot do what it was asked says so in one line, with a number."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import petstore_frame as pf
from petstore_frame.cli import app
from petstore_frame.cli.commands import exit_code

STORE = "--base-url http://[::1]:9/v1 --api-key a-key-of-twenty-signs"
REFUSED = {
    # What is named is not there.
    "sample --output nope/a.csv": "the folder nope does not exist; make it first",
    "fetch --output nope/x.csv": "the folder nope does not exist; make it first",
    "demo --folder a.csv": "is a file",
    "report --output x.xlsx --history nohist": "does not exist",
    "load a.csv --categories nocat.csv": "does not exist",
    "report --output .": "'.' is a folder; add a file's name, such as 'pets.csv'",
    f"report --output stock.ods {STORE}": "LibreOffice",
    f"report --output nope/stock.xlsx {STORE}": "the folder nope does not exist; make it first",
    # Which store is not said, or must not be asked so.
    "fetch --output x.csv": "pass --base-url or set PETSTORE_BASE_URL",
    "load a.csv --base-url http://[::1]:9/v1": "or pass --api-key",
    "report -o x.html --base-url http://store.lan --api-key abcdefgh": (
        "use https, or --allow-insecure if"
    ),
    # An option would have no effect, or cannot be read.
    f"fetch --output pets.txt {STORE}": "nothing was sent",
    f"fetch --output pets.csv --status lost {STORE}": "'lost' is not one of 'available', 'pending'",
    f"fetch --output pets.xlsx --delimiter ; {STORE}": "delimiter",
    f"fetch --output pets.csv --delimiter x {STORE}": "delimiter",
    f"load a.csv --column colour=x {STORE}": "--column names the field 'colour'",
    f"load a.csv --sheet Fix {STORE}": "--sheet is for a workbook, which a.csv is not",
    f"load x.xlsx --delimiter ; {STORE}": "--delimiter is for a text file, which x.xlsx",
    f"load x.xlsx --encoding cp1252 {STORE}": "--encoding is for a text file",
    f"load x.xlsm --quoting none {STORE}": "--quoting is for a text file",
    f"load a.csv --quoting bogus {STORE}": "'bogus' is not one of 'strict', 'none'",
    f"load a.csv --grace 1 {STORE}": "--grace needs --reconcile",
    f"load a.csv --reconcile --grace inf {STORE}": "a finite number of seconds",
    f"load a.csv --resend-absent {STORE}": "--resend-absent needs --reconcile",
    f"load a.csv --reconcile --dry-run {STORE}": "exclude each other",
    f"load a.csv --columns= {STORE}": "--columns names no column",
    f"load a.csv --idempotency-lifetime 0 {STORE}": "'--idempotency-lifetime'",
    f"report --output a.csv --history . {STORE}": "--history is for a workbook (.xlsx)",
    f"dashboard --sample 5 {STORE}": "--sample shows a store of its own",
    # What a newcomer types leads to the command that was meant.
    "fetc": "fetch",
    "import": "load",
}


@pytest.mark.parametrize(("typed", "words"), REFUSED.items(), ids=REFUSED)
def test_what_cannot_be_done_is_refused(typed: str, words: str, tmp_path, monkeypatch) -> None:
    """What is wrong is named in one line, in the words of a shell, before anything starts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PETSTORE_API_KEY", raising=False)
    Path("a.csv").write_text("name,categoryId\n", encoding="utf-8")
    place = ["--journal", "journal"] if typed.startswith("load") else []
    result = CliRunner().invoke(app, [*typed.split(), *place], env={"COLUMNS": "200"})
    assert (result.exit_code, words in result.stderr) == (2, True), result.output
    assert not isinstance(result.exception, (OSError, pf.PetstoreError))
    assert not any(word in result.stderr for word in ("base_url=", "api_key=", "Value error"))
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
    told = subprocess.run(words, capture_output=True, text=True, check=True)
    assert told.stdout == f"petstore-frame {pf.__version__}\n[]\n"


@pytest.mark.parametrize("kind", [pf.errors.ReportError, pf.errors.HistoryError])
def test_a_full_disk_is_the_disks_fault(kind) -> None:
    """A full disk ends a report or a snapshot with 6, a file that is open elsewhere with 2."""
    problem = kind("stock.xlsx cannot be written")
    for cause, code in ((OSError(28, "No space left"), 6), (PermissionError(13, "x"), 2)):
        problem.__cause__ = cause
        assert exit_code(problem) == code
