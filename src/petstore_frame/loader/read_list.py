"""Reads a list as a frame, for whoever compares it with a store."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.journal.database import find_journal, reading
from petstore_frame.loader.journal.rows import KeyOfPet, read_keys, shown_key
from petstore_frame.loader.journal.staging import content_of_body, key_text
from petstore_frame.loader.matching.repeated_keys import choose_rows
from petstore_frame.loader.matching.values import Row
from petstore_frame.loader.results.import_facts import count_notes
from petstore_frame.loader.row_state import SourceRow, State
from petstore_frame.loader.source import Recipe, open_source
from petstore_frame.schema import FIELDS, as_type, core_of_key

if TYPE_CHECKING:
    import pandas as pd


class Listed(NamedTuple):
    """The records of a list, with what was noticed while it was read.

    ``frame`` has ``record`` and ``line`` (int64), ``key`` (str), the fields of a pet (nullable
    dtypes), and ``problem`` (str): missing where the record can be compared.
    """

    name: str
    frame: pd.DataFrame
    warnings: list[str]


def read_list(data: Any, recipe: Recipe) -> Listed:
    """Read a list as the loader would; blank rows, and those left out, are no records."""
    import pandas as pd

    source = open_source(data, recipe)
    rows, noted = list[tuple[Any, ...]](), list[tuple[Any, int, int]]()
    fields: dict[str, list[Any]] = {field.name: [] for field in FIELDS.sent}
    for batch in source.batches():
        records = [record for record in batch if record.state is not State.EXCLUDED]
        for record in records:
            text = None
            if record.problems:
                problem = record.problems[0]
                text = ": ".join(filter(None, (problem.column, problem.message)))
            key = None if record.key is None else shown_key(key_text(record.key))
            rows.append((record.number, record.line, key, text, record.is_excluded))
            if record.notes and not record.problems:
                noted.append((record.notes, 1, record.line))
        # Their payloads are decoded at once.
        bodies = json.loads(b"[" + b",".join(each.payload or b"{}" for each in records) + b"]")
        for field in FIELDS.sent:
            fields[field.name] += [body.get(field.wire_name) for body in bodies]
    numbers, lines, keys, texts, left_out = zip(*rows, strict=True) if rows else [()] * 5
    columns: dict[str, Any] = {
        "record": pd.array(numbers, "int64"),
        "line": pd.array(lines, "int64"),
        "key": as_type(keys, "str"),
    }
    for name, values in fields.items():
        columns[name] = as_type(values, FIELDS.named(name).nullable)
    whole = pd.DataFrame(columns)
    repeated = {*whole["key"][whole["key"].notna() & whole["key"].duplicated()]}
    others, differ = _repeats(source, repeated, recipe.keep)
    problems = [differ.get(number, text) for number, text in zip(numbers, texts, strict=True)]
    is_listed = ~whole["record"].isin(others) & ~pd.Series(left_out, dtype="bool")
    frame = whole.assign(problem=as_type(problems, "str"))[is_listed].reset_index(drop=True)
    return Listed(source.name, frame, list(map(str, count_notes(noted))))


def _repeats(
    source: Iterable[SourceRow], repeated: set[str], keep: str | None
) -> tuple[set[int], dict[int, str]]:
    """Return the rows that another row of their key stands for, and those that differ."""
    rows_of_key = defaultdict[str, list[Row]](list)
    for row in source if repeated else ():
        if row.key is None or row.state is State.EXCLUDED:
            continue
        key = key_text(row.key)
        if shown_key(key) in repeated:
            rows_of_key[key].append(
                Row(
                    number=row.number,
                    line=row.line,
                    content=None if row.payload is None else content_of_body(row.payload),
                    payload=row.payload,
                    key=key,
                    core=core_of_key(row.key),
                    is_excluded=row.is_excluded,
                    has_default_name=row.has_default_name,
                    order_value=row.order_value,
                    unsent_hash=row.unsent_hash,
                )
            )
    chosen = choose_rows(rows_of_key.values(), keep, may_rename=True)
    differ = {number: problem.message for number, problem in chosen.problems.items()}
    return {*chosen.same_as}, differ


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
