"""What a result shows of a record that was tried very often."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from petstore_frame.loader.journal import journal
from petstore_frame.loader.journal.journal import Run
from petstore_frame.loader.record import Record, State
from petstore_frame.loader.results.results import LoadResult


def test_a_record_may_have_any_number_of_attempts(tmp_path: Path) -> None:
    """A store that asks for patience all night makes a frame like any other."""
    path = tmp_path / "x.journal"
    run = Run("ab" * 16, "http://127.0.0.1:1/v1", "x.csv", None, "0", "1", ("name",), {"name": "n"})
    body = b'{"name":"A","categoryId":1}'
    journal.create(path, run, [Record(1, 2, ("A",), State.PENDING, body)])
    with closing(sqlite3.connect(path)) as sql, sql:
        sql.execute("UPDATE rows SET attempts = 1000000")
    frame = LoadResult(path).frame
    assert frame["attempts"].tolist() == [1_000_000]
    assert str(frame["attempts"].dtype) == "Int32"
