"""Reads an Inventory back from a file or a frame, and writes its rows as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from petstore_frame.errors import ArgumentError
from petstore_frame.inventory.files.file_coverage import with_coverage
from petstore_frame.inventory.frame.coverage import Provenance, provenance_of
from petstore_frame.inventory.frame.inventory import Inventory
from petstore_frame.schema import FIELDS, PetColumns, as_type
from petstore_frame.storage import without_guard
from petstore_frame.tables import (
    TableFile,
    marked_encoding,
    pandas_from_arrow,
    read_frame,
    refuse_wrong_numbers,
)
from petstore_frame.validation import checked_path

if TYPE_CHECKING:
    import pandas as pd

_CORRECT = "correct it, or export the inventory again"
_SAVE_AGAIN = "save it as CSV (UTF-8), or export the inventory again"
_WHOLE_NUMBERS = tuple(field.name for field in FIELDS if field.dtype == "int64")
_LABELS = "category"


def read_listing(value: object) -> Inventory | None:
    """Return an Inventory from any form that a user may have; None for any other value.

    Args:
        value: An Inventory, the path of its file, or a frame of any library with the columns of a
            pet.

    Raises:
        InputError: An id of a frame is missing or not a whole number, or a file cannot be read.
    """
    if isinstance(value, Inventory):
        return value
    if isinstance(value, str) or hasattr(value, "__fspath__"):
        return read_inventory(cast("str", value))
    frame = _as_pandas(value)
    if frame is None:
        return None
    provenance = provenance_of(frame)
    if provenance is None and not _missing_columns(frame):
        provenance = Provenance("", datetime.now(UTC))  # the store is unknown
    if provenance is None:
        return None
    if "id" in frame and frame["id"].dtype.kind not in "iu":
        hint = "correct it, or drop the row, and pass the ids as int64"
        refuse_wrong_numbers(TableFile(frame[["id"]]), ["id"], hint)
    return Inventory(frame, provenance)


def describe_value(value: object) -> str:
    """Describe a value that is not a listing, for an error message."""
    type_name = type(value).__name__
    frame = _as_pandas(value)
    if frame is None:
        return type_name
    return f"a {type_name} without {', '.join(_missing_columns(frame))}"


def _as_pandas(value: object) -> pd.DataFrame | None:
    """Return a frame of any library as a pandas frame, None if the value is not a frame."""
    import pandas as pd

    if isinstance(value, pd.DataFrame):
        return value
    if not hasattr(value, "__arrow_c_stream__"):  # polars, pyarrow and DuckDB have it
        return None
    return pandas_from_arrow(value)


def _missing_columns(frame: pd.DataFrame) -> list[str]:
    return [name for name in FIELDS.names if name not in frame]


def read_inventory(path: str | PathLike[str]) -> Inventory:
    """Read an Inventory back from a file that this package wrote.

    The coverage of a CSV or JSON lines file is in a second file, ``<file>.coverage.json``. If that
    file is missing, or if ids, categories or statuses were changed, the verdict is ``unknown``.

    Args:
        path: File that ``pf.write_report``, ``petstore-frame fetch`` or
            ``inventory.frame.to_parquet()`` wrote: CSV, JSON lines or Parquet, also packed by gzip.
            A CSV that a spreadsheet saved, with semicolons or as Unicode text, can be read, too. A
            workbook is a report for people, and is not read.

    Raises:
        InputError: The file does not exist or cannot be opened, is a folder or empty, is not text
            in UTF-8 or UTF-16, or has an id that is not a whole number; names the line and the
            column.
        ArgumentError: The file is a workbook, or lacks a column of the pets.
    """
    file = TableFile(checked_path("path", path))
    with file.naming(_SAVE_AGAIN):
        if file.kind == "workbook":
            raise ArgumentError(
                f"{path}: a workbook is a report for people; save the inventory as .parquet, .csv "
                "or .jsonl, too, and read that"
            )
        if not file.data and ".jsonl" in file.name.lower():  # of a store without pets
            cells = PetColumns.of_rows([]).to_frame()
        else:
            cells = read_frame(file, _WHOLE_NUMBERS, _CORRECT)
    if missing := _missing_columns(cells):
        raise ArgumentError(
            f"{path} is not an inventory: it lacks {', '.join(missing)}; export one from the store"
        )
    cells = _without_labels(cells)
    frame = cells if file.kind == "parquet" else _pet_frame(cells, file, Path(path))
    provenance = provenance_of(frame)
    if provenance is None and file.kind != "parquet":
        provenance = Provenance("", datetime.fromtimestamp(Path(path).stat().st_mtime, UTC))
    if provenance is None:
        raise ArgumentError(
            f"{path} does not record which store it is from; export one from the store"
        )
    return Inventory(frame, provenance)


def _pet_frame(cells: pd.DataFrame, file: TableFile, path: Path) -> pd.DataFrame:
    """Return the columns of a pet with their dtypes and coverage, then the user's own."""
    import pandas as pd

    is_marked = marked_encoding(file.data) is not None
    if file.kind == "csv" and is_marked:  # written as a report, or by a spreadsheet
        texts = cells.columns.difference([*_WHOLE_NUMBERS])
        cells[texts] = cells[texts].map(without_guard)
        cells = cells.rename(columns=without_guard)
    columns = list[Sequence[Any]]()
    for field in FIELDS:
        values: Any = cells[field.name].to_numpy()
        columns.append(values if field.is_required else [value or None for value in values])
    own = cells.drop(columns=[*FIELDS.names])
    if file.kind == "csv":
        own = as_type(own.where(own != ""), dict.fromkeys(own.columns, "str"))
    else:
        own = own.infer_objects()
    frame = pd.concat([PetColumns(columns).to_frame(), own], axis=1)
    return with_coverage(frame, path)


def json_lines(frame: pd.DataFrame) -> Iterator[str]:
    """Yield each row of a frame of pets as one line of JSON; a missing value is null.

    Example:
        >>> import pandas as pd
        >>> list(json_lines(pd.DataFrame({"id": [2**63 - 1], "status": [None]})))
        ['{"id":9223372036854775807,"status":null}']
    """
    names = [str(name) for name in frame.columns]
    columns = (frame[name].astype("object").where(frame[name].notna(), None) for name in names)
    for values in zip(*(column.tolist() for column in columns), strict=True):
        row = dict(zip(names, values, strict=True))
        yield json.dumps(row, ensure_ascii=False, separators=(",", ":"), default=str)


def _without_labels(cells: pd.DataFrame) -> pd.DataFrame:
    """Drop the column of category names that a report inserts."""
    position = list(cells.columns).index("category_id") + 1
    names = [str(name) for name in cells.columns[position : position + 2]]
    if len(names) == 2 and names[0].startswith(_LABELS) and names[1] == "status":
        return cells.drop(columns=names[0])
    return cells
