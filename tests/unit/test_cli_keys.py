"""``petstore-frame keys``: make, list and revoke, and no key on screen but the new one."""

from __future__ import annotations

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


def test_a_database_that_cannot_be_opened_is_said(tmp_path) -> None:
    """One line and exit code 2, no trace."""
    code, _ = run("list", f"--database={tmp_path / 'no such folder' / 'store.sqlite3'}")
    assert code == 2
