"""``petstore-frame api-keys``: make, list and revoke, and no key on screen but the new one."""

from __future__ import annotations

from end_to_end.shell import typed
from petstore_frame.service.api_keys import new_key, revoke_key
from petstore_frame.service.database import open_database


def test_a_key_is_made_listed_and_revoked(tmp_path, monkeypatch) -> None:
    """It is shown once, then its beginning, label and state; without a database there are none."""
    monkeypatch.chdir(tmp_path)
    assert typed("petstore-frame api-keys").stdout == "no keys in petstore.sqlite3\n"
    assert list(tmp_path.iterdir()) == []
    key = typed("petstore-frame api-keys --new till").stdout.strip()
    listed = typed("petstore-frame api-keys").stdout
    assert key[:10] in listed and "till" in listed and "valid" in listed and key not in listed
    revoke = f"petstore-frame api-keys --revoke {key[:10]}..."
    assert typed(revoke).stdout == "1 revoked\n"
    assert "revoked" in typed("petstore-frame api-keys").stdout
    again = typed(revoke)
    assert (again.exit_code, again.stdout) == (2, "")
    assert typed("petstore-frame api-keys --database none/store.sqlite3").exit_code == 2


def test_an_empty_file_stays_empty(tmp_path) -> None:
    """Listing and revoking keys write nothing to a file that is no database yet."""
    file = tmp_path / "empty"
    file.touch()
    assert "no keys in" in typed(f"petstore-frame api-keys --database {file}").stdout
    assert file.stat().st_size == 0


def test_only_the_key_that_was_named_is_revoked(tmp_path) -> None:
    """The whole key or its listed beginning names it; less, or more that differs, names none."""
    book = open_database(str(tmp_path / "store.sqlite3"))
    first, second = new_key(book, "till"), new_key(book, "van")
    wrong = (first[:9], first[:10] + "x", first[:-1], "psk_")
    assert [revoke_key(book, key) for key in (*wrong, first[:10], second)] == [0] * 4 + [1, 1]
    book.dispose()
