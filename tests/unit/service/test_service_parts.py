"""The parts of the service that need no other process: its store, its keys, its options."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from petstore_frame.service import StartError
from petstore_frame.service.api_keys import key_from_file
from petstore_frame.service.store import shown_url


def test_a_key_file_is_made_once(tmp_path) -> None:
    """Readable by its owner alone; an existing one is taken as it is, an empty one refused."""
    path = tmp_path / "key"
    assert key_from_file(path) == key_from_file(path)
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("\n")
    with pytest.raises(StartError, match="holds no key"):
        key_from_file(path)


def test_a_password_is_not_shown() -> None:
    """Neither in a good address nor in a broken one."""
    assert "secret" not in shown_url("postgresql+psycopg://me:secret@host/db")
    assert "secret" not in shown_url("//me:secret@host")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", "70000"], "error: port: "),
        (["--sample", "-1"], "error: sample: "),
        (["--api-key-file", "nokey/x.key", "--port", "0"], "error: nokey/x.key: No such file"),
    ],
)
def test_a_wrong_option_is_refused(words: list[str], said: str, tmp_path: Path) -> None:
    """It ends with code 2 and one sentence, before a database or a socket is opened."""
    command = [sys.executable, "-m", "petstore_frame", "serve", *words]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, list(tmp_path.iterdir())) == (2, "", [])
    assert said in ended.stderr and len(ended.stderr.splitlines()) == 1
