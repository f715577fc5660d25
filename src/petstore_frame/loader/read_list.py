"""Reads a user's list as a frame that can be compared with a store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.journal.database import find_journal, reading
from petstore_frame.loader.journal.row_counts import NotedRows
from petstore_frame.loader.journal.rows import read_keys
from petstore_frame.loader.journal.staging import key_and_core
from petstore_frame.loader.matching.key_texts import order_of, shown_key
from petstore_frame.loader.matching.repeated_keys import Keep, select_rows
from petstore_frame.loader.matching.values import Plan, Row
from petstore_frame.loader.next_steps import likely_key_step
from petstore_frame.loader.results.import_facts import count_notes
from petstore_frame.loader.results.result_files import frame_of_keys
from petstore_frame.loader.row_state import SourceRow, State
from petstore_frame.loader.source import Recipe, Source, open_source
from petstore_frame.questions import PLACEHOLDER, Reader, to_add
from petstore_frame.schema import FIELDS, as_type, line_ranges

if TYPE_CHECKING:
    import pandas as pd


class ListData(NamedTuple):
    """The rows of a list, and the warnings from reading it.

    ``frame`` has ``row`` and ``line`` (int64), ``key`` (str), the fields of a pet (nullable
    dtypes), ``problem`` (str), which is missing if the row can be compared, and ``is_excluded``
    (bool).
    """

    name: str
    frame: pd.DataFrame
    warnings: list[str]


def read_list(data: Any, recipe: Recipe) -> ListData:
    """Read a list as the loader would read it, without blank rows.

    Rows that the recipe excludes are marked; they have the fields that can be read.
    """
    import pandas as pd

    source = open_source(data, recipe)
    rows = [row for row in source if row.state is not State.EXCLUDED or _has_excluded_cells(row)]
    order = order_of(source.key)
    keys = [shown_key(key_and_core(row, order)[0]) for row in rows]
    superseded, conflicts = _select_rows(rows, order, Keep(recipe.keep, recipe.order_by))
    compared_keys = {key for row, key in zip(rows, keys, strict=True) if not row.is_excluded}
    compared_keys.discard(None)

    compared_rows = [
        (row, key)
        for row, key in zip(rows, keys, strict=True)
        if row.number not in superseded and not (row.is_excluded and key in compared_keys)
    ]
    problems = [
        None if row.is_excluded else conflicts.get(row.number, _problem_text(row))
        for row, _ in compared_rows
    ]
    columns: dict[str, Any] = {
        "row": pd.array([row.number for row, _ in compared_rows], "int64"),
        "line": pd.array([row.line for row, _ in compared_rows], "int64"),
        "key": as_type([key for _, key in compared_rows], "str"),
    }
    # One JSON document for all payloads is parsed faster than many.
    payloads = b",".join(row.payload or b"{}" for row, _ in compared_rows)
    bodies = [
        _readable_fields(source, row) if row.is_excluded else body
        for (row, _), body in zip(compared_rows, json.loads(b"[" + payloads + b"]"), strict=True)
    ]
    for field in FIELDS.sent:
        values = [body.get(field.wire_name) for body in bodies]
        columns[field.name] = as_type(values, field.nullable)
    columns["problem"] = as_type(problems, "str")
    columns["is_excluded"] = pd.array([row.is_excluded for row, _ in compared_rows], dtype="bool")
    notes = [
        NotedRows(row.notes, line_ranges([row.line]), 1)
        for row in rows
        if row.notes and not row.problems and not row.is_excluded
    ]
    warnings = [*source.warnings(), *map(str, count_notes(notes))]
    return ListData(source.name, pd.DataFrame(columns), warnings)


def ways_to_match(data: Any, recipe: Recipe, reader: Reader = "python") -> str:
    """Return how the columns of a list may match its rows and pets, as the end of an error.

    A column that is only likely to be the key is named next to a placeholder. The text is empty if
    the list cannot be read without an answer.
    """
    try:
        source = open_source(data, recipe)
    except InputError:
        return ""
    options = []
    if keys := source.likely_columns():
        step = likely_key_step(keys)
        facts = "" if step.add["key"] != PLACEHOLDER else f" (is it {'; '.join(map(str, keys))}?)"
        options.append(to_add("key", step.add["key"], reader) + facts)
    fields: list[str] = [name for name in ("name", "category_id") if name in source.mapping]
    if "id" in source.columns:
        fields = ["id"]
    if fields:
        options.append(to_add("on", fields, reader))
    return f". By its columns: {' or '.join(options)}" if options else ""


def _has_excluded_cells(row: SourceRow) -> bool:
    """Return whether a row is excluded and not blank."""
    return row.is_excluded and bool("".join(row.cells).strip())


def _readable_fields(source: Source, row: SourceRow) -> dict[str, Any]:
    """Return the fields of an excluded row that can be read.

    Excluded rows often have a value that the store does not allow, such as a status.
    """
    body: dict[str, Any] = {}
    for field_name, column in source.mapping.items():
        position = source.columns.index(column)
        text = row.cells[position] if position < len(row.cells) else ""
        meaning = source.readers[field_name][text]
        if meaning.problem is None:
            body |= json.loads(b"{%b}" % meaning.part)
    return body


def _problem_text(row: SourceRow) -> str | None:
    if not row.problems:
        return None
    problem = row.problems[0]
    return problem.message if problem.column is None else f"{problem.column}: {problem.message}"


def _select_rows(
    rows: Iterable[SourceRow], order: Sequence[int] | None, keep: Keep
) -> tuple[set[int], dict[int, str]]:
    """Select one row of each key that several rows have.

    Returns:
        The numbers of the rows that another row of their key replaces, and the problem of each
        row whose key has rows that conflict.
    """
    plan = Plan()
    compared = [_compared_row(row, order) for row in rows if row.state is not State.EXCLUDED]
    select_rows(compared, keep, plan)
    conflicts = {number: problem.message for number, problem in plan.conflicts.items()}
    return {*plan.same_as}, conflicts


def _compared_row(row: SourceRow, order: Sequence[int] | None) -> Row:
    key, core = key_and_core(row, order)
    return Row(
        number=row.number,
        line=row.line,
        content=row.content,
        payload=row.payload,
        key=key,
        core=core,
        is_excluded=row.is_excluded,
        has_default_name=row.has_default_name,
        order_value=row.order_value,
        unsent_hash=row.unsent_hash,
    )


def read_ids(
    store: Any, *, store_id: str | None = None, journal: str | PathLike[str] | None = None
) -> pd.DataFrame:
    """Return the pet of each key, from all loads with ``key=`` into a store.

    Args:
        store: A client of the store, or its address.
        store_id: Id of the store, if several stores have used the same address.
        journal: Folder of the journal; None is the user's state folder.

    Returns:
        One row per key, in the order in which the animals were loaded: ``key`` str (a JSON list if
        the key has several columns), ``id`` Int64, ``state`` category (such as ``created``,
        ``matched``, ``unconfirmed`` or ``pending``), ``source`` str (the file).

    Raises:
        JournalError: The journal is damaged or incomplete.

    Example:
        >>> import petstore_frame as pf
        >>> with pf.serve() as server:
        ...     pf.read_ids(server.base_url, journal="no-such-folder").columns.tolist()
        ['key', 'id', 'state', 'source']
    """
    address = store if isinstance(store, str) else getattr(store, "base_url", None)
    if not isinstance(address, str):
        raise ArgumentError(f"store must be a Client or an address, got {type(store).__name__}")
    path = find_journal(journal, address, lambda: store_id)
    if not path.exists():
        return frame_of_keys([])
    with reading(path) as sql:
        return frame_of_keys(read_keys(sql))
