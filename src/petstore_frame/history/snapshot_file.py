"""One snapshot as one Parquet file: written whole, and never read where it is damaged.

The footer's key ``petstore_frame`` has what is known of the listing, so that rows and what they
cover never come apart, and a second key the digest of it. Each page of rows has the checksum that
Parquet provides for. Other readers need neither.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

from petstore_frame.errors import HistoryError, MissingExtraError
from petstore_frame.inventory import Inventory
from petstore_frame.inventory.origin import ListingRecord, stamp
from petstore_frame.schema.frame import PetColumns, as_dtype, status_categories, to_frame
from petstore_frame.schema.models import FIELDS, PET_COLUMNS

ROWS_PER_GROUP = 1_000_000
NEXT_STEP = "move it away, or add that day again"
_RECORD, _DIGEST = b"petstore_frame", b"petstore_frame.sha256"
_ARROW_TYPES = {"int64": "int64", "Int64": "int64", "Float64": "float64", "boolean": "bool"}
_FORMAT = 3  # 1 had no checksums, 2 had its own


class UnreadableError(Exception):
    """A file is not what was written, or was not written by a history; says which."""


def write_file(path: Path, inventory: Inventory) -> None:
    """Write an inventory's rows sorted by id, a group of rows at a time.

    Raises:
        HistoryError: An id repeats.
        MissingExtraError: pyarrow is not installed.
    """
    parquet, arrow = _pyarrow()
    types = {each.name: getattr(arrow, _ARROW_TYPES.get(each.dtype, "string"))() for each in FIELDS}
    known = ListingRecord(inventory.completeness, inventory.origin).to_dict()
    shape = {"rows": len(inventory), "columns": {name: str(kind) for name, kind in types.items()}}
    record = json.dumps({"format": _FORMAT, **shape, **known}, ensure_ascii=False).encode()
    kept = {_RECORD: record, _DIGEST: _digest(record)}
    schema = arrow.schema(types.items())
    # Sorted ids differ by little: as differences they take a fifth of the room.
    with parquet.ParquetWriter(
        path, schema, compression="zstd", write_page_checksum=True, store_schema=False,
        use_dictionary=[name for name in types if name != "id"],
        column_encoding={"id": "DELTA_BINARY_PACKED"},
    ) as writer:  # fmt: skip
        for part in _parts_by_id(inventory.frame):
            columns = [arrow.Array.from_pandas(part[each.name]).cast(each.type) for each in schema]
            writer.write_table(arrow.Table.from_arrays(columns, schema=schema), ROWS_PER_GROUP)
        writer.add_key_value_metadata(kept)


def read_footer(path: Path) -> tuple[ListingRecord, int, tuple[str, ...]]:
    """Return what was known of the listing, the number of pets and the columns.

    Raises:
        UnreadableError: The file is damaged, or is none that this version understands.
        MissingExtraError: pyarrow is not installed.
    """
    parquet, arrow = _pyarrow()
    try:
        footer = parquet.read_metadata(path)
        kept = footer.metadata or {}
        if _RECORD not in kept:
            text = "holds no completeness record: damaged, or not written by a history"
            raise UnreadableError(text)
        known = json.loads(kept[_RECORD])
        if known["format"] > _FORMAT:
            raise UnreadableError("written by a newer petstore_frame than this one")
        if known["format"] == _FORMAT:
            schema = footer.schema.to_arrow_schema()
            columns = {each.name: str(each.type) for each in schema}
            is_whole = (known["rows"], known["columns"]) == (footer.num_rows, columns)
            if not is_whole or kept.get(_DIGEST) != _digest(kept[_RECORD]):
                raise UnreadableError("damaged: its footer does not fit its digest")
        return ListingRecord.from_dict(known), footer.num_rows, tuple(footer.schema.names)
    except (arrow.ArrowException, OSError) as problem:
        raise UnreadableError(f"damaged: {_first_line(problem)}") from problem
    except (KeyError, ValueError, TypeError, AttributeError) as problem:
        text = f"damaged: its completeness record cannot be read: {problem!r}"
        raise UnreadableError(text) from problem


def check_rows(path: Path, columns: tuple[str, ...]) -> None:
    """Refuse a file whose rows are not those that were written, for engines that do not look.

    Each file is read for it once.

    Raises:
        HistoryError: The file is damaged or gone; names it.
    """
    try:
        state = path.stat()
    except OSError as problem:
        raise _refused(path, problem) from problem
    _check_rows(path, columns, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=10_000)
def _check_rows(path: Path, columns: tuple[str, ...], changed_ns: int, size: int) -> None:
    """Read columns of a file, as it was at that moment, and hold them against their checksums."""
    for _ in read_groups(path, columns):
        pass


def read_groups(path: Path, columns: tuple[str, ...]) -> Iterator[Any]:
    """Yield columns of one file, a pyarrow Table for each group of rows.

    Raises:
        HistoryError: The file is damaged; names it.
    """
    parquet, arrow = _pyarrow()
    try:
        with parquet.ParquetFile(path, page_checksum_verification=True) as file:
            left = file.metadata.num_rows
            for at in range(file.num_row_groups):
                group = file.read_row_group(at, columns=list(columns))
                left -= group.num_rows
                yield group
    except (arrow.ArrowException, OSError) as problem:
        raise _refused(path, problem) from problem
    if left:
        raise _refused(path, OSError(f"{left:,} of its rows are not there"))


def read_table(path: Path, columns: tuple[str, ...]) -> Any:
    """Return columns of one file as a pyarrow Table; errors as ``read_groups``."""
    return _pyarrow()[1].concat_tables(read_groups(path, columns))


def read_inventory(path: Path, record: ListingRecord, columns: tuple[str, ...]) -> Inventory:
    """Load a file with the dtypes of a fetched inventory; a field it lacks is missing.

    Raises:
        HistoryError: The file is damaged; names it.
    """
    held = [field.name for field in FIELDS if field.name in columns]
    categories = [field.name for field in FIELDS if field.dtype == "category"]
    table, empty = read_table(path, tuple(held)), to_frame(PetColumns())
    frame: pd.DataFrame = table.to_pandas(
        categories=[name for name in categories if name in held], ignore_metadata=True
    )
    for field in FIELDS:
        if field.name not in held:
            frame[field.name] = empty[field.name].reindex(frame.index)
        elif field.dtype == "category":
            frame[field.name] = _as_fetched(frame[field.name])
        else:
            frame[field.name] = as_dtype(frame[field.name], field.dtype)
    frame = frame[list(PET_COLUMNS)]
    return Inventory(stamp(frame, *record), record.origin)


def _as_fetched(column: pd.Series[Any]) -> pd.Series[Any]:
    """Put a column's categories in the order that a fetch gives them."""
    words = column.cat.categories.astype("str").tolist()
    return column.cat.rename_categories(words).cat.set_categories(status_categories(words))


def _parts_by_id(frame: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Cut a frame into groups of rows in the order of id, one at a time to spare memory."""
    ids = frame["id"].to_numpy()
    order = ids.argsort(kind="stable")
    is_repeated = ids[order[1:]] == ids[order[:-1]]
    if is_repeated.any():
        twice = int(ids[order[1:]][is_repeated][0])
        raise HistoryError(f"id {twice} appears more than once; a snapshot holds each pet once")
    for start in range(0, max(len(order), 1), ROWS_PER_GROUP):
        yield frame.iloc[order[start : start + ROWS_PER_GROUP]]


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise MissingExtraError("a history", "history") from None
    return parquet, arrow


def _digest(record: bytes) -> bytes:
    return sha256(record).hexdigest().encode()


def _refused(path: Path, problem: Exception) -> HistoryError:
    reason = f"its rows do not fit their checksums ({_first_line(problem)})"
    return HistoryError(f"{path} is damaged: {reason}; {NEXT_STEP}")


def _first_line(problem: Exception) -> str:
    return str(problem).splitlines()[0] if str(problem) else type(problem).__name__
