"""Reads a list as a frame, to compare it with a store."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.journal.database import find_journal, reading
from petstore_frame.loader.journal.repeated_keys import KeyedRow, row_that_stands
from petstore_frame.loader.journal.rows import KeyOfPet, read_keys
from petstore_frame.loader.journal.staging import key_text
from petstore_frame.loader.results.import_facts import count_notes
from petstore_frame.loader.row_state import RecordProblem, SourceRow, State
from petstore_frame.loader.source import Recipe, Source, open_source
from petstore_frame.schema import FIELDS, as_type

if TYPE_CHECKING:
    import pandas as pd


class Listed(NamedTuple):
    """The rows of a list, with what was noticed while it was read.

    ``frame`` has ``row`` and ``line`` (int64), ``key`` (str), the fields of a pet (nullable
    dtypes), ``problem`` (str; missing if the row can be compared), and ``is_excluded`` (bool).
    """

    name: str
    frame: pd.DataFrame
    warnings: list[str]


def read_list(data: Any, recipe: Recipe) -> Listed:
    """Read a list as the loader would.

    Blank rows are left out. Rows that the recipe excludes stay, marked, with the fields that can be
    read.
    """
    import pandas as pd

    source = open_source(data, recipe)
    places: list[tuple[int, int, str | None, str | None, bool]] = []
    bodies: list[dict[str, Any]] = []
    notes: list[tuple[Any, int, int]] = []
    for batch in source.batches():
        rows = [row for row in batch if row.state is not State.EXCLUDED or _is_excluded(row)]
        # Their payloads are decoded at once.
        payloads = json.loads(b"[" + b",".join(row.payload or b"{}" for row in rows) + b"]")
        for row, body in zip(rows, payloads, strict=True):
            key = None if row.key is None else key_text(row.key)
            places.append((row.number, row.line, key, _problem_text(row), row.is_excluded))
            bodies.append(_readable_fields(source, row) if row.is_excluded else body)
            if row.notes and not row.problems and not row.is_excluded:
                notes.append((row.notes, 1, row.line))
    frame = pd.DataFrame(places, columns=["row", "line", "key", "problem", "is_excluded"])
    dtypes = {"row": "int64", "line": "int64", "is_excluded": "bool", "key": "str"}
    frame = as_type(frame, dtypes)
    for field in FIELDS.sent:
        values = [body.get(field.wire_name) for body in bodies]
        frame[field.name] = as_type(values, field.nullable)
    keys = frame["key"].dropna()
    others, differ = _repeats(source, {*keys[keys.duplicated()]}, recipe.keep)
    problems = [
        differ.get(number, text)
        for number, text in zip(frame["row"], frame["problem"], strict=True)
    ]
    frame["problem"] = as_type(problems, "str")
    compared_keys = frame.loc[~frame["is_excluded"], "key"].dropna()
    is_repeat = frame["row"].isin(others)
    is_repeat |= frame["is_excluded"] & frame["key"].isin(compared_keys)
    frame = frame[~is_repeat].reset_index(drop=True)
    return Listed(source.name, frame, list(map(str, count_notes(notes))))


def _is_excluded(row: SourceRow) -> bool:
    """Return whether the recipe excludes a row that is not blank."""
    return row.is_excluded and bool("".join(row.cells).strip())


def _problem_text(row: SourceRow) -> str | None:
    if not row.problems or row.is_excluded:
        return None
    problem = row.problems[0]
    return ": ".join(filter(None, (problem.column, problem.message)))


def _readable_fields(source: Source, row: SourceRow) -> dict[str, Any]:
    """Return the fields of an excluded row that can be read.

    The value for which it is excluded is often none that a store has.
    """
    body: dict[str, Any] = {}
    for field_name, column in source.mapping.items():
        place = source.columns.index(column)
        text = row.cells[place] if place < len(row.cells) else ""
        meaning = source.readers[field_name][text]
        if meaning.problem is None:
            body |= json.loads(b"{%b}" % meaning.part)
    return body


def _repeats(
    source: Iterable[Any], repeated: set[str], keep: str | None
) -> tuple[set[int], dict[int, str]]:
    """Return the records that another row of their key stands for, and those that differ."""
    keyed, others, differ = defaultdict[str, list[KeyedRow]](list), set[int](), dict[int, str]()
    for record in source if repeated else ():
        if record.key is None or record.state is State.EXCLUDED:
            continue
        key = key_text(record.key)
        if key in repeated:
            cells, is_unnamed = "\x1f".join(record.cells), record.has_default_name
            row = (
                record.number,
                record.line,
                record.payload,
                cells,
                record.order_value,
                is_unnamed,
            )
            keyed[key].append(KeyedRow(key, *row))
    for alike in keyed.values():
        stands = row_that_stands(alike, keep)
        if isinstance(stands, RecordProblem):
            differ |= dict.fromkeys((row.id for row in alike), stands.message)
        else:
            others.update(row.id for row in alike if row is not stands)
    return others, differ


def read_ids(
    store: Any, *, store_id: str | None = None, journal: str | PathLike[str] | None = None
) -> pd.DataFrame:
    """Return which pet each key is, over all imports with ``key=`` into a store.

    Args:
        store: A client of the store, or its address.
        store_id: The id that the store states, where several stores had one address.
        journal: Folder of the journals; None is the user's state directory.

    Returns:
        One row for each key that was ever given, in the order of the animals: ``key`` str (of
        several columns a JSON list of their texts), ``id`` Int64, ``state`` category (``created``
        or ``matched``, one of doubt, or ``pending``), ``source`` str.

    Raises:
        JournalError: The journal has lost something.

    Example:
        >>> import petstore_frame as pf
        >>> with pf.serve() as server:
        ...     pf.read_ids(server.base_url, journal="no-such-folder").columns.tolist()
        ['key', 'id', 'state', 'source']
    """
    address = store if isinstance(store, str) else getattr(store, "base_url", None)
    if not isinstance(address, str):
        raise ArgumentError(f"store is a Client or an address, got {type(store).__name__}")
    path = find_journal(journal, address, lambda: store_id)
    if not path.exists():
        return frame_of_keys([])
    with reading(path) as sql:
        return frame_of_keys(read_keys(sql))


def frame_of_keys(keys: Sequence[KeyOfPet]) -> pd.DataFrame:
    """Return the frame of ``read_ids``."""
    import pandas as pd

    states = [*map(str, State)]
    return pd.DataFrame(
        {
            "key": as_type([each.key for each in keys], "str"),
            "id": pd.array([each.pet_id for each in keys], dtype="Int64"),
            "state": pd.Categorical([each.state for each in keys], categories=states),
            "source": as_type([each.source for each in keys], "str"),
        }
    )
