"""Imports that are in a journal, and were never sent."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from petstore_frame.loader import Recipe, view_of
from petstore_frame.loader.journal import staging
from petstore_frame.loader.journal.candidates import CandidateReader, ListedPets
from petstore_frame.loader.journal.database import Writer, holding
from petstore_frame.loader.journal.plan_writer import PlanWriter
from petstore_frame.loader.journal.row_answers import RowAnswers
from petstore_frame.loader.journal.rows import Import
from petstore_frame.loader.matching.folding import content_of
from petstore_frame.loader.matching.match import match
from petstore_frame.loader.matching.repeated_keys import Keep
from petstore_frame.loader.results.load_result import ImportView, LoadResult
from petstore_frame.loader.row_state import SourceRow, State
from petstore_frame.loader.source import open_source

STORE = "http://127.0.0.1:8000/v1"
SESSION = 1  # all rows are sent in this one
RUN = Import("", STORE, "x.csv", None, ("name",), {"name": "name"})


def result_of(path: Path, journal: Path, *, is_rehearsal: bool = False) -> LoadResult:
    """Put a file into a journal, and return its result."""
    source = open_source(path, Recipe())
    columns, mapping = tuple(source.columns), dict(source.mapping)
    run = Import("", STORE, source.name, str(path), columns, mapping)
    return stage(journal, run, source, is_rehearsal=is_rehearsal)


def stage(
    path: Path, run: Import, rows: Iterable[SourceRow], *, is_rehearsal: bool = False
) -> LoadResult:
    """Put an import into a journal, and return its result."""
    now = time.time()
    copy = path.with_name(f"{time.time_ns()}.copy") if is_rehearsal else path
    with holding(copy), Writer(copy, run.base_url) as writer, writer.transaction() as sql:
        run = replace(run, staged_at=now)
        staged = staging.find_import(sql, staging.stage_rows(sql, run, [list(rows)]), run)
        reader = CandidateReader(sql, staged, lambda: None)
        candidates = reader.read(RowAnswers(), ListedPets({}, {}), earlier_create=False)
        PlanWriter(sql, staged, now).write(match(candidates, Keep()), candidates)
        sql.execute("UPDATE animals SET session = ?", [SESSION])
        sql.execute("UPDATE imports SET session = ?", [SESSION])
    view = ImportView(path, staged.run.id, copy=copy if is_rehearsal else None)
    result = LoadResult(view)
    if not is_rehearsal:
        change(result, "UPDATE imports SET ended_at = ? WHERE import = :import", now)
    return result


def change(result: LoadResult, statement: str, *values: Any) -> None:
    """Change something in the journal as its writer would; ``:import`` stands for the import."""
    statement = statement.replace(":import", str(view_of(result).facts.run.number))
    with (
        holding(view_of(result).path),
        Writer(view_of(result).path, STORE) as writer,
        writer.transaction() as sql,
    ):
        sql.execute(statement, list(values))


def become(result: LoadResult, row: int, state: State | None, **facts: Any) -> None:
    """Take the animal of a row to a state, by the moves that there are."""
    if state is None:
        change(result, f"DELETE FROM animals WHERE {_OF_ROW}", row)
    for step in _WAYS[state]:
        change(result, f"UPDATE animals SET state = ? WHERE {_OF_ROW}", step, row)
    if state is State.GONE:
        change(result, f"UPDATE animals SET gone_at = 1 WHERE {_OF_ROW}", row)
    for name, value in facts.items():
        change(result, f"UPDATE animals SET {name} = ? WHERE {_OF_ROW}", value, row)


_OF_ROW = "import = :import AND row = ?"
_SENT = State.IN_FLIGHT
_WAYS: dict[State | None, list[State]] = {
    None: [],
    State.PENDING: [],
    State.MATCHED: [State.MATCHED],
    State.IN_FLIGHT: [_SENT],
    State.CREATED: [_SENT, State.CREATED],
    State.REJECTED: [_SENT, State.REJECTED],
    State.UNCONFIRMED: [_SENT, State.UNCONFIRMED],
    State.NOT_FOUND: [_SENT, State.UNCONFIRMED, State.NOT_FOUND],
    State.GONE: [_SENT, State.CREATED],
}


def rows_of(bodies: Sequence[bytes]) -> Iterable[SourceRow]:
    """Return pending rows of these request bodies."""
    return [
        SourceRow(n, n + 1, ("A",), State.PENDING, body, _content(body))
        for n, body in enumerate(bodies, 1)
    ]


def _content(body: bytes) -> str:
    values = json.loads(body)
    return content_of(values["name"], values["categoryId"])
