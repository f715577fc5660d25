"""The parts of the service that need no other process: its store, its keys, its options."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from end_to_end.shell import typed_in
from petstore_frame.service import StartError
from petstore_frame.service.api_keys import key_from_file
from petstore_frame.service.database import safe_url
from petstore_frame.transport import checked_key


def test_a_key_file_is_made_once(tmp_path) -> None:
    """Readable by its owner only; after that its key is read."""
    path = tmp_path / "key"
    assert key_from_file(path) == key_from_file(path)
    assert path.stat().st_mode & 0o777 == 0o600


KEY = "0123456789abcdef"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "at least 16 characters, got 0"),
        (b"\n", "at least 16 characters, got 0"),
        (KEY[:15].encode(), "at least 16 characters, got 15"),
        (f"{KEY}\n{KEY}\n".encode(), "one key on one line"),
        (f"{KEY} {KEY}".encode(), "one key on one line"),
        (f"{KEY}\u00e9".encode(), "one key on one line"),
        (b"\xff\xfe0\x001\x00" * 9, "one key on one line"),
        (bytes(range(256)) * 40, "one key on one line"),
    ],
)
def test_a_key_file_has_one_key_that_a_client_can_send(tmp_path, content, reason) -> None:
    """Anything else is an error that names the file and not its content, whoever may read it."""
    path = tmp_path / "key"
    path.write_bytes(content)
    path.chmod(0o644)
    with pytest.raises(StartError, match=reason) as caught:
        key_from_file(path)
    assert str(path) in str(caught.value) and KEY[:9] not in str(caught.value)


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_line_end_of_a_key_file_is_not_part_of_the_key(tmp_path, end) -> None:
    """A client accepts every key that the service takes from a file."""
    path = tmp_path / "key"
    path.write_bytes((KEY + end).encode())
    path.chmod(0o600)
    assert key_from_file(path) == KEY == checked_key(KEY).get_secret_value()


@pytest.mark.skipif(os.name != "posix", reason="Windows has access lists")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644])
def test_a_key_file_of_others_is_refused(tmp_path, mode) -> None:
    """A key that other users can read or replace is not a secret; the error says what to run."""
    path = tmp_path / "key"
    path.write_text(KEY)
    path.chmod(mode)
    with pytest.raises(StartError, match=f"chmod 600 {path}"):
        key_from_file(path)


def test_a_password_is_not_shown() -> None:
    """Neither in a good address nor in a broken one."""
    assert "secret" not in safe_url("postgresql+psycopg://me:secret@host/db")
    assert "secret" not in safe_url("//me:secret@host")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--port", "70000"], "--port must be 65535 or less, got 70000"),
        (["--sample", "-1"], "--sample must be 0 or more, got -1"),
        (
            ["--api-key-file", "nokey/x.key", "--port", "0"],
            "nokey/x.key' cannot be read or",
        ),
        (["--api-key-file", "k" * 300, "--port", "0"], "File name too long"),
        (
            ["--api-key-file", ".", "--port", "0"],
            "created: Is a directory; name a file",
        ),
        (["--database", "mysql://me@host/db", "--port", "0"], "unsupported database 'mysql'"),
        (["--database", "sqlite+nodriver:///x", "--port", "0"], "nodriver"),
        (["--database", "sqlite+aiosqlite:///x", "--port", "0"], "driver of sqlite+aiosqlite"),
        (["--database", "d" * 300, "--port", "0"], "cannot open the database"),
        (["--database", ".", "--port", "0"], "cannot open the database"),
        (["--host", "h" * 300, "--port", "0"], "cannot listen on"),
        (["--faults", "busy=0.1", "--port", "70000"], "--port must be 65535 or less, got"),
        (["--faults", "busy=0.1", "--upstream", "ftp://host/v1", "--port", "0"], "error: upstream"),
        (["--faults", "busy=0.1", "--upstream", "http://host:x/v1", "--port", "0"], "error: upstr"),
    ],
)
def test_a_wrong_option_is_refused(options: list[str], reason: str, tmp_path: Path) -> None:
    """It ends with code 2 and one sentence, and writes no file."""
    code, out, error = typed_in(tmp_path, "petstore-frame serve", *options)
    assert (code, out, list(tmp_path.iterdir())) == (2, "", []), error
    assert reason in error and len(error.splitlines()) == 1
