"""The parts of the service that need no other process: its store, its keys, its options."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from petstore_frame.service import StartError
from petstore_frame.service.keys import key_from_file
from petstore_frame.service.models import NewPet, PetStatus
from petstore_frame.service.store import IDEMPOTENCY_KEEP_S, Store, open_database, shown_url

LUNA = NewPet(name="Luna", category_id=3)


def test_an_idempotency_key_is_remembered_for_a_week(tmp_path) -> None:
    """It gives the same pet, or a conflict for another body, and afterwards a new one."""
    now, database = [1_000_000.0], open_database(str(tmp_path / "store.sqlite3"))
    store = Store(database, clock=lambda: now[0])
    first, second = store.add(LUNA, "k"), store.add(LUNA, "k")
    others = [
        LUNA.model_copy(update=more) for more in ({"name": "Otis"}, {"status": PetStatus.SOLD})
    ]
    assert all(store.add(other, "k").conflict for other in others)
    assert (first.replayed, second.replayed) == (False, True)
    now[0] += IDEMPOTENCY_KEEP_S
    again = store.add(LUNA, "k")
    now[0] += 1
    new = store.add(LUNA, "k")
    assert first.pet == second.pet == again.pet and again.replayed
    assert not new.replayed and new.pet["id"] > first.pet["id"]
    database.dispose()


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
