"""A power cut: only what was synced to the disk is left of the journal.

A small library is loaded into the importing process; it keeps a copy of the write-ahead log as of
each sync. The store looks at that copy at the first bytes of a request.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from faults.load_harness import journal_in, start_child

COMPILER = shutil.which("cc") or shutil.which("gcc")


@pytest.fixture(scope="module")
def keeper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the library that keeps what was synced."""
    if COMPILER is None:
        pytest.skip("needs a C compiler")
    library = tmp_path_factory.mktemp("keeper") / "keep_synced.so"
    source = Path(__file__).parent / "keep_synced.c"
    built = subprocess.run(
        [COMPILER, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], capture_output=True
    )
    if built.returncode:
        pytest.skip("the C compiler has no headers here")
    return library


def test_a_power_cut_never_forgets_a_request(
    keeper: Path, tmp_path: Path, pets_csv, stores
) -> None:
    """At the first bytes of each request its intent is in what a power cut would leave."""
    store = stores()
    found: list[tuple[int, int]] = []

    def look(number: int, stage: str) -> None:
        if stage != "headers":
            return
        journal = journal_in(tmp_path)
        left = tmp_path / f"left{number}"
        left.mkdir()
        shutil.copy(journal, left / journal.name)
        synced = journal.with_name(journal.name + "-wal.synced")
        if synced.exists():
            shutil.copy(synced, left / (journal.name + "-wal"))
        with closing(sqlite3.connect(left / journal.name)) as sql:
            query = "SELECT state, count(*) FROM records GROUP BY state"
            counts = Counter(dict(sql.execute(query).fetchall()))
        found.append((number, counts["in_flight"] + counts["created"]))

    store.on_post = look
    child = start_child(tmp_path, pets_csv(40), store, preload=str(keeper))
    assert child.wait(60) == 0
    assert len(found) == 40
    assert all(known >= number for number, known in found), found
