"""Imports that are in a journal, and were never sent."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from petstore_frame.loader.journal.database import holding
from petstore_frame.loader.journal.imports import find_store, open_import
from petstore_frame.loader.journal.rows import Run
from petstore_frame.loader.journal.writer import Writer
from petstore_frame.loader.reading.read import Source
from petstore_frame.loader.record import Record
from petstore_frame.loader.results.results import LoadResult

STORE = "http://127.0.0.1:8000/v1"
RUN = Run("ab" * 16, STORE, "x.csv", None, "", ("name",), {"name": "name"})


def run_of(source: Source, run_id: str = "ab" * 16) -> Run:
    """Return the facts of an import of a source."""
    path = None if source.path is None else str(source.path)
    return Run(run_id, STORE, source.name, path, "", source.columns, source.mapping)


def stage(
    path: Path, run: Run, records: Iterable[Record], *, is_rehearsal: bool = False
) -> LoadResult:
    """Put an import into a journal, and return its result."""
    now = time.time()
    with holding(path), Writer(path, run.base_url) as writer:
        store, _ = find_store(writer, lambda: None)
        run = replace(run, store=store, created_at=now)
        opened = open_import(writer, run, [list(records)], is_rehearsal=is_rehearsal, now=now)
    result = LoadResult(path, opened.run.run_id)
    if not is_rehearsal:
        change(result, "UPDATE imports SET ended_at = ? WHERE import = :import", now)
    return result


def change(result: LoadResult, statement: str, *values: Any) -> None:
    """Change something in the journal as its writer would; ``:import`` stands for the import."""
    statement = statement.replace(":import", str(result.run.number))
    with holding(result.path), Writer(result.path, STORE) as writer, writer.transaction() as sql:
        sql.execute(
            "INSERT OR IGNORE INTO fates (import, record, store, state)"
            " SELECT import, record, 1, 'pending' FROM contents"
        )
        sql.execute(statement, list(values))
    result.forget()


def records_of(bodies: Sequence[bytes]) -> Iterable[Record]:
    """Return pending records of these request bodies."""
    from petstore_frame.loader.record import State

    return [Record(n, n + 1, ("A",), State.PENDING, body) for n, body in enumerate(bodies, 1)]
