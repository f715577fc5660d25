"""Writes and reads one snapshot, a Parquet file; a damaged one is never read.

Parquet has a checksum for each page of rows. What the listing covers is in the footer,
under the key ``petstore_frame``, with a digest next to it, because Parquet has no checksum for the
footer. Other readers need neither.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from petstore_frame.errors import HistoryError
from petstore_frame.extras import import_extra
from petstore_frame.inventory import (
    Completeness,
    HasProvenance,
    Inventory,
    Provenance,
    inventory_of,
)
from petstore_frame.schema import FIELDS, as_type
from petstore_frame.validation import checked_frame

FILE_NAME = "pets.parquet"
NEXT_STEP = "move it away, or add that day again"
_RECORD, _DIGEST = b"petstore_frame", b"petstore_frame.sha256"
_ARROW_TYPES = {"int64": "int64", "Int64": "int64", "Float64": "float64", "boolean": "bool"}
_FORMAT = 1


@dataclass(frozen=True, repr=False)
class Snapshot(HasProvenance):
    """The inventory of one day, as a file.

    Attributes:
        date: The day of ``fetched_at`` in the time zone of the History that wrote it.
        path: The Parquet file, of ``size`` bytes, with ``rows`` pets in ``columns``.
        completeness: What the listing covers.
        provenance: The store's address and id, and the time of the reading; also available as
            ``.base_url``, ``.store_id`` and ``.fetched_at``.
    """

    date: date
    path: Path
    rows: int
    size: int
    completeness: Completeness
    provenance: Provenance
    columns: tuple[str, ...]

    def read(self) -> Inventory:
        """Load the inventory into memory, with what it covers; a damaged file is a HistoryError."""
        dtypes = {field.name: field.dtype for field in FIELDS}
        names = [name for name in dtypes if name in self.columns]
        categorical = [field.name for field in FIELDS if field.dtype == "category"]
        table = read_table(self.path, names)
        frame: pd.DataFrame = table.to_pandas(
            categories=[name for name in categorical if name in names], ignore_metadata=True
        )
        # A field that the snapshot lacks is missing in every row.
        frame = as_type(frame.reindex(columns=list(dtypes)), dtypes)
        for name in categorical:
            frame[name] = _in_order_of_a_fetch(frame[name], FIELDS.named(name).values)
        return inventory_of(frame, self.completeness, self.provenance)

    def __repr__(self) -> str:
        return f"<Snapshot of {self.date}: {self.completeness}>"


def _in_order_of_a_fetch(column: pd.Series[Any], values: Sequence[str]) -> pd.Series[Any]:
    """Put the categories of a column in the order of a fetch: the usual values, then others."""
    present = column.cat.categories.astype("str").tolist()
    other_values = sorted({*present} - {*values})
    return column.cat.rename_categories(present).cat.set_categories([*values, *other_values])


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
    """Write the rows of an inventory sorted by id, and what they cover in the footer."""
    parquet, arrow = _pyarrow()
    checked_frame("inventory.frame", inventory.frame, FIELDS.names, "the pets of a reading")
    frame = inventory.frame.sort_values("id", kind="stable")
    is_repeated = frame["id"].duplicated()
    if is_repeated.any():
        repeated_id = frame["id"][is_repeated].iloc[0]
        raise HistoryError(f"id {repeated_id} appears more than once; a snapshot has each pet once")
    types = {
        field.name: getattr(arrow, _ARROW_TYPES.get(field.dtype, "string"))() for field in FIELDS
    }
    record = {
        "format": _FORMAT,
        "rows": len(inventory),
        "columns": {name: str(kind) for name, kind in types.items()},
        **inventory.to_dict(),
    }
    record_json = json.dumps(record, ensure_ascii=False).encode()
    columns = [arrow.Array.from_pandas(frame[name]).cast(kind) for name, kind in types.items()]
    table = arrow.Table.from_arrays(columns, schema=arrow.schema(types.items()))
    options = {"compression": "zstd", "write_page_checksum": True, "store_schema": False}
    with parquet.ParquetWriter(path, table.schema, **options) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({_RECORD: record_json, _DIGEST: _digest(record_json)})


def open_snapshot(path: Path, day: date) -> Snapshot | SnapshotProblem:
    """Read the footer of one file, which must be the snapshot of this day."""
    if path.name != FILE_NAME:
        return SnapshotProblem(path, f"not a file of this history, which writes only {FILE_NAME}")
    parquet, arrow = _pyarrow()
    try:
        footer = parquet.read_metadata(path)
        snapshot = _read_record(path, day, footer)
    except (arrow.ArrowException, OSError) as problem:
        return SnapshotProblem(path, f"damaged: {_first_line(problem)}", day)
    except _RecordError as problem:
        return SnapshotProblem(path, str(problem), day)
    except (KeyError, ValueError, TypeError, AttributeError) as problem:
        reason = f"damaged: its completeness record cannot be read: {problem!r}"
        return SnapshotProblem(path, reason, day)
    fetched_on = snapshot.fetched_at.astimezone(UTC).date()
    # Anywhere on earth the day is that of UTC, the one before or the one after.
    if abs(fetched_on - day) > timedelta(days=1):
        return SnapshotProblem(path, f"fetched on {fetched_on}, but stored under another date")
    return snapshot


class _RecordError(Exception):
    """The completeness record of a file is missing, or does not fit the file."""


def _read_record(path: Path, day: date, footer: Any) -> Snapshot:
    metadata = footer.metadata or {}
    if _RECORD not in metadata:
        raise _RecordError("has no completeness record: damaged, or not written by a history")
    record = json.loads(metadata[_RECORD])
    columns = {column.name: str(column.type) for column in footer.schema.to_arrow_schema()}
    recorded = (record["format"], record["rows"], record["columns"])
    if recorded != (_FORMAT, footer.num_rows, columns):
        raise _RecordError("damaged: its footer does not match its completeness record")
    if metadata.get(_DIGEST) != _digest(metadata[_RECORD]):
        raise _RecordError("damaged: its completeness record does not match its digest")
    return Snapshot(
        date=day,
        path=path,
        rows=footer.num_rows,
        size=path.stat().st_size,
        completeness=Completeness.from_dict(record["completeness"]),
        provenance=Provenance.from_dict(record),
        columns=tuple(footer.schema.names),
    )


def read_table(path: Path, columns: Sequence[str]) -> Any:
    """Return columns of one file as a pyarrow Table, with ``status`` as a dictionary.

    Raises:
        HistoryError: The rows do not match their checksums, or some are missing.
    """
    parquet, arrow = _pyarrow()
    try:
        with parquet.ParquetFile(
            path, page_checksum_verification=True, read_dictionary=["status"]
        ) as file:
            table, rows = file.read(list(columns)), file.metadata.num_rows
        reason = "" if table.num_rows == rows else f"{rows - table.num_rows:,} rows are missing"
    except (arrow.ArrowException, OSError) as problem:
        reason = _first_line(problem)
    if reason:
        raise HistoryError(
            f"{path} is damaged: its rows do not match their checksums ({reason}); {NEXT_STEP}"
        )
    return table


def dated_table(
    snapshots: Sequence[Snapshot], columns: Sequence[str], of_last_only: Sequence[str] = ()
) -> Any:
    """Return columns of several snapshots as one pyarrow Table, with the column ``date`` (date32).

    Args:
        snapshots: One or more, in order of their dates.
        columns: The columns to read from each.
        of_last_only: Further columns to read from the last snapshot. They are missing in the rows
            of the others, which saves memory.
    """
    _, arrow = _pyarrow()
    tables = []
    for snapshot in snapshots:
        is_last = snapshot is snapshots[-1]
        table = read_table(snapshot.path, [*columns, *of_last_only] if is_last else columns)
        day = arrow.scalar(snapshot.date, arrow.date32())
        tables.append(table.append_column("date", arrow.repeat(day, table.num_rows)))
    return arrow.concat_tables(tables, promote_options="default")


def _pyarrow() -> tuple[Any, Any]:
    """Import pyarrow.parquet and pyarrow."""
    parquet = import_extra("pyarrow.parquet", "a history", "history")
    return parquet, import_extra("pyarrow", "a history", "history")


def _digest(record: bytes) -> bytes:
    return sha256(record).hexdigest().encode()


def _first_line(problem: Exception) -> str:
    sentence, _, _ = str(problem).partition(". ")
    return sentence.splitlines()[0] if sentence else type(problem).__name__
