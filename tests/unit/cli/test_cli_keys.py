"""``petstore-frame keys``: make, list and revoke, and no key on screen but the new one."""

from __future__ import annotations

from typer.testing import Result

from journey.shell import typed
from petstore_frame.service.keys import new_key, revoke_key
from petstore_frame.service.store import open_database


def run(*arguments: str) -> Result:
    return typed("petstore-frame keys", *arguments)


def test_a_key_is_made_listed_and_revoked(tmp_path, monkeypatch) -> None:
    """It is shown once, then its beginning, label and state; without a database there are none."""
    monkeypatch.chdir(tmp_path)
    assert run("revoke", "psk_a1b2c3").exit_code == 2
    assert run("list").stdout == "no keys in petstore.sqlite3\n"
    assert list(tmp_path.iterdir()) == []
    database = f"--database={tmp_path / 'store.sqlite3'}"
    key = run("new", "till", database).stdout.strip()
    listed = run("list", database)
    assert key[:10] in listed.stdout and "till" in listed.stdout and "good" in listed.stdout
    assert key not in listed.stdout and "--api-key-file" not in listed.stdout
    assert "the key in its --api-key-file, which is not listed" in listed.stderr
    assert run("revoke", key[:10] + "...", database).stdout == "1 revoked\n"
    assert "revoked" in run("list", database).stdout
    again = run("revoke", key[:10], database)
    assert (again.exit_code, again.stdout) == (2, "")
    assert run("list", f"--database={tmp_path / 'none' / 'store.sqlite3'}").exit_code == 2


def test_only_the_key_that_was_named_is_revoked(tmp_path) -> None:
    """The whole key or its listed beginning names it; less, or more that differs, names none."""
    book = open_database(str(tmp_path / "store.sqlite3"))
    first, second = new_key(book, "till"), new_key(book, "van")
    wrong = (first[:9], first[:10] + "x", first[:-1], "psk_")
    assert [revoke_key(book, each) for each in (*wrong, first[:10], second)] == [0] * 4 + [1, 1]
    book.dispose()
