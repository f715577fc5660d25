"""One snapshot as one Parquet file: written whole, and never read where it is damaged.

The footer's key ``petstore_frame`` has what is known of the listing, so that rows and what they
cover never come apart; a second key has a checksum of the rows and one of the footer. Others ignore
both.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from petstore_frame.errors import HistoryError, MissingExtraError
from petstore_frame.inventory import Inventory
from petstore_frame.inventory.origin import ListingRecord, stamp
from petstore_frame.schema.frame import PetColumns, as_dtype, status_categories, to_frame
from petstore_frame.schema.models import FIELDS, PET_COLUMNS

ROWS_PER_GROUP = 1_000_000
_RECORD, _SUMS = b"petstore_frame", b"petstore_frame.crc32"
_ARROW_TYPES = {"int64": "int64", "Int64": "int64", "Float64": "float64", "boolean": "bool"}
_FORMAT = 2  # 1 had no checksums
_BLOCK = 1 << 20
_SUM = re.compile(rb"rows ([0-9a-f]{8}) footer ([0-9a-f]{8})")
_NO_SUMS = b"rows 00000000 footer 00000000"
NEXT_STEP = "move it away, or add that day again"


class UnreadableError(Exception):
    """A file is not what was written, or was not written by a history; says which."""


def write_file(path: Path, inventory: Inventory) -> None:
    """Write an inventory's rows sorted by id, a group of rows at a time, then the checksums.

    Raises:
        HistoryError: An id repeats.
        MissingExtraError: pyarrow is not installed.
    """
    parquet, arrow = _pyarrow()
    known = ListingRecord(inventory.completeness, inventory.origin)
    record = {"format": _FORMAT, **known.to_dict()}
    schema = arrow.schema(
        [
            (field.name, getattr(arrow, _ARROW_TYPES.get(field.dtype, "string"))())
            for field in FIELDS
        ],
        metadata={_RECORD: json.dumps(record, ensure_ascii=False).encode()},
    )
    # Sorted ids differ by little: as differences they take a fifth of the room.
    with parquet.ParquetWriter(
        path, schema, compression="zstd", write_statistics=True,
        use_dictionary=[field.name for field in FIELDS if field.name != "id"],
        column_encoding={"id": "DELTA_BINARY_PACKED"},
    ) as writer:  # fmt: skip
        for part in _parts_by_id(inventory.frame):
            columns = [arrow.Array.from_pandas(part[each.name]).cast(each.type) for each in schema]
            writer.write_table(arrow.Table.from_arrays(columns, schema=schema), ROWS_PER_GROUP)
        writer.add_key_value_metadata({_SUMS: _NO_SUMS})
    _write_sums(path)


def read_footer(path: Path) -> tuple[ListingRecord, int, tuple[str, ...]]:
    """Return what was known of the listing, the number of pets and the columns.

    Raises:
        UnreadableError: The file is damaged, or is none that this version understands.
        MissingExtraError: pyarrow is not installed.
    """
    parquet, arrow = _pyarrow()
    try:
        has_sums = _check_footer(path)
        footer = parquet.read_metadata(path)
        record = (footer.metadata or {}).get(_RECORD)
        if record is None:
            raise UnreadableError(
                "holds no completeness record: damaged, or not written by a history"
            )
        known = json.loads(record)
        if known["format"] > _FORMAT:
            raise UnreadableError("written by a newer petstore_frame than this one")
        if known["format"] == _FORMAT and not has_sums:
            raise UnreadableError("damaged: its checksums are not there")
        return ListingRecord.from_dict(known), footer.num_rows, tuple(footer.schema.names)
    except (arrow.ArrowException, OSError) as problem:
        raise UnreadableError(f"damaged: {_first_line(problem)}") from problem
    except (KeyError, ValueError, TypeError, AttributeError) as problem:
        raise UnreadableError(
            f"damaged: its completeness record cannot be read: {problem!r}"
        ) from problem


def check_rows(path: Path) -> None:
    """Refuse a file whose rows are not those that were written; each file is read for it once.

    Raises:
        HistoryError: The file is damaged or gone; names it.
    """
    try:
        state = path.stat()
        _check_rows(path, state.st_mtime_ns, state.st_size)
    except (UnreadableError, OSError) as problem:
        raise _refused(path, problem) from problem


def read_table(path: Path, columns: tuple[str, ...]) -> Any:
    """Return columns of one file as a pyarrow Table, without the key of its folder.

    Raises:
        HistoryError: The file is damaged; names it.
    """
    parquet, arrow = _pyarrow()
    check_rows(path)
    try:
        # A partition key would be read off the path and added as a column.
        return parquet.read_table(path, columns=list(columns), partitioning=None)
    except (arrow.ArrowException, OSError) as problem:
        raise _refused(path, problem) from problem


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


def _write_sums(path: Path) -> None:
    """Put the checksums in the place that the footer keeps for them."""
    with path.open("r+b") as file:
        start, footer = _footer_of(file)
        at = footer.rindex(_NO_SUMS)
        rows = b"rows %08x" % _sum_up_to(file, start)
        footer = footer[:at] + rows + footer[at + len(rows) :]
        # The footer's own sum is that of the footer with zeros in its place.
        sums = b"%s footer %08x" % (rows, zlib.crc32(footer))
        file.seek(start + at)
        file.write(sums)


def _check_footer(path: Path) -> bool:
    """Return whether a file has checksums; refuse a footer that its own does not fit."""
    with path.open("rb") as file:
        _, footer = _footer_of(file)
    found = _last_sums(footer)
    if found is None:
        return False
    plain = footer[: found.start(2)] + b"0" * 8 + footer[found.end(2) :]
    if zlib.crc32(plain) != int(found[2], 16):
        raise UnreadableError("damaged: its footer does not fit its checksum")
    return True


@lru_cache(maxsize=10_000)
def _check_rows(path: Path, changed_ns: int, size: int) -> None:
    """Compare the rows of a file, as it was at that moment, with their checksum."""
    with path.open("rb") as file:
        start, footer = _footer_of(file)
        found = _last_sums(footer)
        if found is not None and _sum_up_to(file, start) != int(found[1], 16):
            raise UnreadableError("its rows do not fit their checksum")


def _last_sums(footer: bytes) -> re.Match[bytes] | None:
    # A name may read like checksums; those of the file stand after all names.
    found = [*_SUM.finditer(footer)]
    return found[-1] if found else None


def _footer_of(file: BinaryIO) -> tuple[int, bytes]:
    """Return where a Parquet file's footer begins, and its bytes to the end of the file."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - 8, 0))
    length = int.from_bytes(file.read(4), "little")
    start = size - 8 - length
    if start < 4:
        raise UnreadableError("damaged: cut short, or no Parquet file")
    file.seek(start)
    return start, file.read()


def _sum_up_to(file: BinaryIO, end: int) -> int:
    """Return the checksum of the bytes before a place."""
    file.seek(0)
    crc = 0
    while (left := end - file.tell()) > 0:
        crc = zlib.crc32(file.read(min(_BLOCK, left)), crc)
    return crc


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise MissingExtraError("a history", "history") from None
    return parquet, arrow


def _refused(path: Path, problem: Exception) -> HistoryError:
    return HistoryError(f"{path} is damaged ({_first_line(problem)}); {NEXT_STEP}")


def _first_line(problem: Exception) -> str:
    return str(problem).splitlines()[0] if str(problem) else type(problem).__name__
