"""``petstore-frame keys``: make, list and revoke, and no key on screen but the new one."""

from __future__ import annotations

import subprocess
import sys

from typer.testing import CliRunner

from petstore_frame.cli import app


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["keys", *arguments])
    return result.exit_code, result.stdout


def test_a_key_is_made_listed_and_revoked(tmp_path) -> None:
    """It is shown once; the list has its first characters, its label and its state."""
    database = f"--database={tmp_path / 'store.sqlite3'}"
    _, made = run("new", "till", database)
    key = made.strip()
    _, listed = run("list", database)
    assert key[:10] in listed and "till" in listed and "good" in listed
    assert key not in listed
    assert run("revoke", key[:10], database) == (0, "1 revoked\n")
    assert "revoked" in run("list", database)[1]
    assert run("revoke", key[:10], database) == (2, "")


def test_only_the_key_that_was_named_is_revoked(tmp_path) -> None:
    """The whole key or its listed beginning names it; less, or more that differs, names none."""
    database = f"--database={tmp_path / 'store.sqlite3'}"
    first, second = (run("new", label, database)[1].strip() for label in ("till", "van"))
    for wrong in (first[:9], first[:10] + "x", first[:-1], "psk_"):
        assert run("revoke", wrong, database) == (2, "")
    assert run("list", database)[1].count("good") == 2
    assert run("revoke", first[:10] + "...", database) == (0, "1 revoked\n")
    assert run("revoke", second, database) == (0, "1 revoked\n")


def test_the_list_says_that_a_key_file_counts_too(tmp_path) -> None:
    """The key of --api-key-file is in no database; stdout stays the bare list."""
    listed = CliRunner().invoke(app, ["keys", "list", f"--database={tmp_path / 'store.sqlite3'}"])
    assert "the key in its --api-key-file, which is not listed" in listed.stderr
    assert "--api-key-file" not in listed.stdout


def test_a_database_that_cannot_be_opened_is_said(tmp_path) -> None:
    """One line and exit code 2, no trace."""
    code, _ = run("list", f"--database={tmp_path / 'no such folder' / 'store.sqlite3'}")
    assert code == 2


def test_a_missing_extra_is_named(tmp_path) -> None:
    """Without the libraries of the service its commands end with the line that installs them."""
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout == "2\n" * 4
    told = done.stderr.splitlines()
    assert len(told) == 4
    assert all("python -m pip install 'petstore-frame[service]'" in line for line in told)


_WITHOUT = """
import sys
from petstore_frame.__main__ import main
commands = (["serve", "--port", "0"], ["keys", "list"], ["keys", "new"])
for library, words in [("uvicorn", commands[0]), *(("sqlalchemy", each) for each in commands)]:
    sys.modules[library] = None
    sys.argv[1:] = words
    try:
        main()
    except SystemExit as end:
        print(end.code)
    sys.modules.pop(library)
"""
