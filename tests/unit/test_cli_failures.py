"""Every command that cannot do what it was asked says so in one line, with a number."""

from __future__ import annotations

import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

import petstore_frame as pf
from petstore_frame.cli import app
from petstore_frame.cli.commands import exit_code

STORE = ("--base-url", "http://[::1]:9/v1", "--api-key", "a-key-of-twenty-signs")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sample", "--output", "nope/a.csv"], "the folder nope does not exist; make it first"),
        (["fetch", "--output", "nope/x.csv"], "the folder nope does not exist; make it first"),
        (["demo", "--folder", "a.csv"], "is a file"),
        (["report", "--output", "x.xlsx", "--history", "nohist"], "does not exist"),
        (["load", "a.csv", "--categories", "nocat.csv"], "does not exist"),
        (["fetch", "--output", "x.csv"], "pass --base-url or set PETSTORE_BASE_URL"),
        (["load", "a.csv", "--base-url", "http://[::1]:9/v1"], "or pass --api-key"),
        (["load", "a.csv", *STORE, "--column", "colour=x"], "--column names the field 'colour'"),
        (
            ["report", "-o", "x.html", "--base-url", "http://store.lan", "--api-key", "abcdefgh"],
            "use https, or --allow-insecure if",
        ),
        (["report", "--output", "."], "'.' is a folder; add a file's name, such as 'pets.csv'"),
    ],
)
def test_a_wrong_name_is_one_line(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong is named before anything starts, in the words of a shell, with exit code 2."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PETSTORE_API_KEY", raising=False)
    Path("a.csv").write_text("name,categoryId\n", encoding="utf-8")
    result = CliRunner().invoke(app, arguments)
    assert (result.exit_code, words in result.stderr) == (2, True), result.output
    assert not isinstance(result.exception, (OSError, pf.PetstoreError))
    assert "base_url=" not in result.stderr and "api_key=" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["load", "a.csv", "--sheet", "Fix"], "--sheet is for a workbook, which a.csv is not"),
        (["load", "x.xlsx", "--delimiter", ";"], "--delimiter is for a text file, which x.xlsx"),
        (["load", "x.xlsx", "--quoting", "none"], "--quoting is for a text file"),
        (["load", "x.xlsx", "--encoding", "cp1252"], "--encoding is for a text file"),
        (["load", "x.xlsm", "--quoting", "none"], "--quoting is for a text file"),
        (["load", "a.csv", "--quoting", "bogus"], "'bogus' is not one of 'strict', 'none'"),
        (["load", "a.csv", "--grace", "1"], "--grace needs --reconcile"),
        (["load", "a.csv", "--reconcile", "--grace", "inf"], "a finite number of seconds"),
        (["load", "a.csv", "--resend-absent"], "--resend-absent needs --reconcile"),
        (["load", "a.csv", "--reconcile", "--dry-run"], "exclude each other"),
        (["load", "a.csv", "--columns", ""], "--columns names no column"),
        (["load", "a.csv", "--idempotency-lifetime", "0"], "'--idempotency-lifetime'"),
        (["report", "--output", "a.csv", "--history", "."], "--history is for a workbook (.xlsx)"),
        (["dashboard", "--sample", "5"], "--sample shows a store of its own"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_option_without_effect_is_refused(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An option is obeyed or refused, never ignored; nothing is staged."""
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("name,categoryId\nRex,3\n", encoding="utf-8")
    place = ["--journal", "journal"] if arguments[0] == "load" else []
    result = CliRunner().invoke(app, [*arguments, *place, *STORE], env={"COLUMNS": "200"})
    assert (result.exit_code, words in result.stderr) == (2, True), result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_a_port_in_use_is_refused() -> None:
    """Another program's address is never announced as the dashboard's."""
    if find_spec("voila") is None:
        pytest.skip("needs the extra lab")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = CliRunner().invoke(app, ["dashboard", "--no-browser", "--port", str(port)])
    assert result.exit_code == 2
    assert f"error: port {port} is in use; leave out --port" in result.stderr


def test_listing_keys_makes_no_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no database, there are no keys, and none is made, nor by revoking one."""
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["keys", "revoke", "psk_a1b2c3"]).exit_code == 2
    result = CliRunner().invoke(app, ["keys", "list"])
    assert result.stdout == "no keys in petstore.sqlite3\n"
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_told_at_once() -> None:
    """--version needs no command, and nothing that takes long to import."""
    told = subprocess.run(
        [sys.executable, "-c", _VERSION], capture_output=True, text=True, check=True
    )
    assert told.stdout == f"petstore-frame {pf.__version__}\n[]\n"


_VERSION = """
import sys
from petstore_frame.__main__ import main
sys.argv[1:] = ["--version"]
try:
    main()
except SystemExit:
    print([name for name in ("pandas", "pydantic", "httpx", "fastapi") if name in sys.modules])
"""


def test_a_mistyped_command_is_answered_with_the_nearest() -> None:
    """What a newcomer types leads to the command that was meant."""
    for typed, right in (("fetc", "fetch"), ("import", "load")):
        result = CliRunner().invoke(app, [typed])
        assert result.exit_code == 2 and right in result.stderr


def test_a_wrong_argument_is_named(tmp_path: Path) -> None:
    """A missing file, a label as a key, swapped arguments and a frame are each told apart."""
    from petstore_frame.schema.categories import category_labels
    from petstore_frame.schema.frame import PetColumns, to_frame

    frame = to_frame(PetColumns([1], ["Luna"], [3], ["sold"]))
    with pytest.raises(pf.InputError, match="cannot open the categories file"):
        category_labels(tmp_path / "nocat.csv")
    with pytest.raises(pf.ArgumentError, match="labels by id"):
        category_labels({"Dog": "Cat"})
    with pytest.raises(pf.ArgumentError, match="swapped"):
        pf.write_report("x.xlsx", frame)
    with pytest.raises(pf.errors.ReportError, match="is a folder"):
        pf.write_report(frame, ".")
    with pytest.raises(pf.ArgumentError, match="not its frame"):
        pf.History(tmp_path).add(frame)
    with pytest.raises(pf.InputError, match="date, pets, count_is"):
        pf.charts.trend_chart(frame)


@pytest.mark.parametrize("kind", [pf.errors.ReportError, pf.errors.HistoryError])
@pytest.mark.parametrize(
    ("cause", "code"), [(OSError(28, "No space left on device"), 6), (PermissionError(13, "x"), 2)]
)
def test_a_full_disk_is_the_disks_fault(kind, cause, code) -> None:
    """A report or a snapshot that a full disk refuses ends as a data file does; a file that is
    open elsewhere is refused."""
    problem = kind("stock.xlsx cannot be written")
    problem.__cause__ = cause
    assert exit_code(problem) == code
