"""Writes and reads one snapshot, a Parquet file; a damaged one is never read.

Parquet checks each page of rows. What is known of the listing stands in the footer, under the key
``petstore_frame``, with a digest beside it, as Parquet does not check that. Other readers need
neither.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from petstore_frame.errors import HistoryError
from petstore_frame.extras import import_extra
from petstore_frame.inventory import Completeness, HasProvenance, Inventory, Provenance
from petstore_frame.schema import FIELDS, as_type

FILE_NAME = "pets.parquet"
NEXT_STEP = "move it away, or add that day again"
_RECORD, _DIGEST = b"petstore_frame", b"petstore_frame.sha256"
_ARROW_TYPES = {"int64": "int64", "Int64": "int64", "Float64": "float64", "boolean": "bool"}
_FORMAT = 1


@dataclass(frozen=True, repr=False)
class Snapshot(HasProvenance):
    """One dated inventory on disk.

    Attributes:
        date: The day of ``fetched_at`` in the time zone of the History that kept it.
        path: The Parquet file, of ``size`` bytes, with ``rows`` pets in ``columns``.
        completeness: What the listing covers.
        provenance: The store's address, when it was read, and what it calls itself; ``.base_url``,
            ``.fetched_at`` and ``.store_id`` of a snapshot are those of its provenance.
    """

    date: date
    path: Path
    rows: int
    size: int
    completeness: Completeness
    provenance: Provenance
    columns: tuple[str, ...]

    def read(self) -> Inventory:
        """Load it into memory, with what it covers; a HistoryError names a damaged file."""
        dtypes = {field.name: field.dtype for field in FIELDS}
        held = tuple(name for name in dtypes if name in self.columns)
        words = [name for name, dtype in dtypes.items() if dtype == "category"]
        kept = {"categories": [name for name in words if name in held], "ignore_metadata": True}
        frame: pd.DataFrame = read_table(self.path, held).to_pandas(**kept)
        # A field that the snapshot lacks is missing in every row.
        frame = as_type(frame.reindex(columns=list(dtypes)), dtypes)
        for name in words:  # in the order that a fetch gives
            seen = frame[name].cat.categories.astype("str").tolist()
            column, known = frame[name].cat.rename_categories(seen), FIELDS.named(name).values
            frame[name] = column.cat.set_categories([*known, *sorted({*seen} - {*known})])
        return Inventory.of_rows(frame, self.completeness, self.provenance)

    def __repr__(self) -> str:
        return f"<Snapshot of {self.date}: {self.completeness}>"


@dataclass(frozen=True)
class SnapshotProblem:
    """A path that is not a readable snapshot of this store, and why.

    ``date`` is the day whose snapshot is lost; None for a path that does not belong here.
    """

    path: Path
    reason: str
    date: date | None = None

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


def write_file(path: Path, inventory: Inventory) -> None:
    """Write an inventory's rows sorted by id, and in the footer what they cover."""
    parquet, arrow = _pyarrow()
    frame = inventory.frame.sort_values("id", kind="stable")
    if (is_repeated := frame["id"].duplicated()).any():
        twice = frame["id"][is_repeated].iloc[0]
        raise HistoryError(f"id {twice} appears more than once; a snapshot holds each pet once")
    types = {each.name: getattr(arrow, _ARROW_TYPES.get(each.dtype, "string"))() for each in FIELDS}
    record = {
        "format": _FORMAT,
        "rows": len(inventory),
        "columns": {name: str(kind) for name, kind in types.items()},
        **inventory.to_dict(),
    }
    text = json.dumps(record, ensure_ascii=False).encode()
    columns = [arrow.Array.from_pandas(frame[name]).cast(kind) for name, kind in types.items()]
    table = arrow.Table.from_arrays(columns, schema=arrow.schema(types.items()))
    options = {"compression": "zstd", "write_page_checksum": True, "store_schema": False}
    with parquet.ParquetWriter(path, table.schema, **options) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({_RECORD: text, _DIGEST: _digest(text)})


def open_snapshot(path: Path, day: date) -> Snapshot | SnapshotProblem:
    """Read the end of one file, which must be the snapshot of this day."""
    if path.name != FILE_NAME:
        return SnapshotProblem(path, f"not a file of this history, which writes {FILE_NAME} only")
    parquet, arrow = _pyarrow()
    try:
        footer = parquet.read_metadata(path)
        kept = footer.metadata or {}
        if _RECORD not in kept:
            text = "holds no completeness record: damaged, or not written by a history"
            return SnapshotProblem(path, text, day)
        known = json.loads(kept[_RECORD])
        columns = {each.name: str(each.type) for each in footer.schema.to_arrow_schema()}
        stated = (known["format"], known["rows"], known["columns"])
        is_whole = stated == (_FORMAT, footer.num_rows, columns)
        if not is_whole or kept.get(_DIGEST) != _digest(kept[_RECORD]):
            return SnapshotProblem(path, "damaged: its footer does not fit its digest", day)
        completeness = Completeness.from_dict(known["completeness"])
        provenance, size = Provenance.from_dict(known), path.stat().st_size
    except (arrow.ArrowException, OSError) as problem:
        return SnapshotProblem(path, f"damaged: {_first_line(problem)}", day)
    except (KeyError, ValueError, TypeError, AttributeError) as problem:
        text = f"damaged: its completeness record cannot be read: {problem!r}"
        return SnapshotProblem(path, text, day)
    read_on = provenance.fetched_at.astimezone(UTC).date()
    # Anywhere on earth the day is that of UTC, the one before or the one after.
    if abs(read_on - day) > timedelta(days=1):
        return SnapshotProblem(path, f"fetched on {read_on}, but kept under another date")
    names = tuple(footer.schema.names)
    return Snapshot(day, path, footer.num_rows, size, completeness, provenance, names)


def read_table(path: Path, columns: tuple[str, ...]) -> Any:
    """Return columns of one file as a pyarrow Table; a HistoryError names a damaged file."""
    parquet, arrow = _pyarrow()
    try:
        with parquet.ParquetFile(path, page_checksum_verification=True) as file:
            table, rows = file.read(list(columns)), file.metadata.num_rows
        reason = "" if table.num_rows == rows else f"{rows - table.num_rows:,} are not there"
    except (arrow.ArrowException, OSError) as problem:
        reason = _first_line(problem)
    if reason:
        what = f"its rows do not fit their checksums ({reason})"
        raise HistoryError(f"{path} is damaged: {what}; {NEXT_STEP}")
    return table


def dated_table(snapshot: Snapshot, columns: tuple[str, ...]) -> Any:
    """Return columns of a snapshot, with its day as the last one, ``date``."""
    table, (_, arrow) = read_table(snapshot.path, columns), _pyarrow()
    day = arrow.scalar(pd.Timestamp(snapshot.date), arrow.timestamp("us"))
    return table.append_column("date", arrow.repeat(day, table.num_rows))


def _pyarrow() -> tuple[Any, Any]:
    names = ("pyarrow.parquet", "pyarrow")
    parquet, arrow = (import_extra(name, "a history", "history") for name in names)
    return parquet, arrow


def _digest(record: bytes) -> bytes:
    return sha256(record).hexdigest().encode()


def _first_line(problem: Exception) -> str:
    return str(problem).splitlines()[0] if str(problem) else type(problem).__name__
