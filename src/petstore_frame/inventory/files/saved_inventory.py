"""Reads an Inventory back from a file or a frame, and writes its rows as JSON lines."""

from __future__ import annotations

import csv
import json
from codecs import BOM_UTF8
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.extras import import_extra
from petstore_frame.inventory.files.file_coverage import with_coverage
from petstore_frame.inventory.files.unreadable_file import (
    EXPORT_AGAIN,
    find_csv_mistake,
    is_int64,
    not_utf8,
    not_whole_number,
    refuse_wrong_ids,
)
from petstore_frame.inventory.frame.coverage import Provenance, provenance_of
from petstore_frame.inventory.frame.inventory import Inventory
from petstore_frame.schema import FIELDS, PetColumns
from petstore_frame.storage import without_guard
from petstore_frame.tables import damaged_parquet, pandas_from_arrow

if TYPE_CHECKING:
    import pandas as pd

_DELIMITERS = (",", ";", "\t", "|")
_EXTENSIONS = {
    ".csv": "CSV",
    ".jsonl": "file of JSON lines",
    ".parquet": "Parquet file",
}
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
    if "id" in frame:
        refuse_wrong_ids(frame["id"])
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
            ``inventory.frame.to_parquet()`` wrote: ``.csv``, ``.jsonl`` or ``.parquet``.
            A CSV that a spreadsheet saved with semicolons can be read, too. A workbook is a report
            for people, and is not read.

    Raises:
        InputError: The file does not exist or cannot be opened, is a folder or empty, is not UTF-8
            text, or has an id that is not a whole number; names the line and the column.
        ArgumentError: The extension is not supported, or the file lacks a column of the pets.
    """
    file = Path(path)
    extension = _readable_extension(file)
    readers: dict[str, Callable[[Path], pd.DataFrame]] = {
        ".csv": _read_csv,
        ".jsonl": _read_json_lines,
        ".parquet": _read_parquet,
    }
    try:
        frame = readers[extension](file)
    except OSError as problem:
        reason = f"cannot open the file: {problem.strerror or problem}"
        raise InputError(reason, path=str(path), hint="check its name") from None
    except InputError:
        raise
    except UnicodeDecodeError:
        raise not_utf8(file) from None
    except (ValueError, OverflowError) as problem:
        kind = _EXTENSIONS[extension]
        raise ArgumentError(
            f"{path} is not a {kind} of an inventory: {problem}; {EXPORT_AGAIN}"
        ) from None
    if missing := _missing_columns(frame):
        raise ArgumentError(
            f"{path} is not an inventory: it lacks {', '.join(missing)}; export one from the store"
        )
    provenance = provenance_of(frame)
    if provenance is None and extension != ".parquet":
        provenance = Provenance("", datetime.fromtimestamp(file.stat().st_mtime, UTC))
    if provenance is None:
        raise ArgumentError(
            f"{path} does not record which store it is from; export one from the store"
        )
    return Inventory(frame, provenance)


def _readable_extension(file: Path) -> str:
    """Return the extension of a file, which selects its reader."""
    extension = file.suffix.lower()
    if file.is_dir():
        raise InputError("this is a folder", path=str(file), hint="name a file in it")
    if extension == ".xlsx":
        raise ArgumentError(
            f"{file}: a workbook is a report for people; save the inventory as .parquet, .csv or "
            ".jsonl, too, and read that"
        )
    if extension not in _EXTENSIONS:
        reason = f"unsupported extension {file.suffix!r}" if extension else "no extension"
        raise ArgumentError(f"{file}: {reason}; use .csv, .jsonl or .parquet")
    if extension == ".parquet":
        import_extra("pyarrow", "reading Parquet", "history")
    return extension


def _read_csv(file: Path) -> pd.DataFrame:
    """Return the pets of a CSV with its coverage, then the user's own columns as text."""
    import pandas as pd

    dtypes: dict[str, Any] = defaultdict(lambda: "str")
    dtypes |= {field.name: "int64" for field in FIELDS if field.dtype == "int64"}
    delimiter = _delimiter_of(file)
    try:
        cells = pd.read_csv(
            file,
            dtype=dtypes,
            keep_default_na=False,
            encoding="utf-8-sig",
            sep=delimiter,
        )
    except (UnicodeDecodeError, OSError):
        raise
    except (ValueError, OverflowError) as problem:
        raise find_csv_mistake(file, delimiter) or problem from None
    # If rows have more cells than the header, pandas uses the first cells as an index.
    has_more_cells = not isinstance(cells.index, pd.RangeIndex)
    if has_more_cells:
        reason = "its rows have more cells than its header"
        raise find_csv_mistake(file, delimiter) or ValueError(reason)
    if _missing_columns(cells):
        return cells
    if _starts_with_bom(file):  # written as a report or by a spreadsheet
        text_columns = [name for name in map(str, cells) if dtypes[name] == "str"]
        for name in text_columns:
            cells[name] = cells[name].map(without_guard)
        cells = _without_labels(cells.rename(columns=without_guard))
    own = cells.drop(columns=[*FIELDS.names])
    frame = _pet_frame(cells, own.where(own != ""))
    return with_coverage(frame, file)


def _read_json_lines(file: Path) -> pd.DataFrame:
    """Return the pets of a file with one object per line, then the user's own columns."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    numbers: list[int] = []
    with file.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                rows.append(_json_object(line, file, number))
                numbers.append(number)
    header = list(dict.fromkeys(name for row in rows for name in row)) or [*FIELDS.names]
    cells = pd.DataFrame({name: [row.get(name) for row in rows] for name in header}, dtype="object")
    if _missing_columns(cells):
        return cells
    for name in ("id", "category_id"):
        cells[name] = _whole_numbers(cells[name], file, name, numbers)
    own = cells.drop(columns=[*FIELDS.names]).infer_objects()
    return with_coverage(_pet_frame(cells, own), file)


def _delimiter_of(file: Path) -> str:
    """Return the delimiter that splits the first line into the columns of a pet."""
    with file.open(encoding="utf-8-sig", newline="") as opened:
        first_line = opened.readline()
    for delimiter in _DELIMITERS:
        header = next(csv.reader([first_line], delimiter=delimiter), [])
        if {*FIELDS.names} <= {*header}:
            return delimiter
    return ","


def _starts_with_bom(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(len(BOM_UTF8)) == BOM_UTF8


def _read_parquet(file: Path) -> pd.DataFrame:
    """Return the pets of a Parquet file without the report's column of labels."""
    import pandas as pd

    file.stat()  # its error has the reason, that of pandas has not
    try:
        frame = pd.read_parquet(file)
    except (ValueError, OSError) as problem:
        if getattr(problem, "errno", None) is not None:  # of the file system, and not of pyarrow
            raise
        raise ValueError(damaged_parquet(problem)) from None
    return frame if _missing_columns(frame) else _without_labels(frame)


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


def _json_object(line: str, file: Path, number: int) -> dict[str, Any]:
    """Return the row of a line of JSON."""
    try:
        row = json.loads(line)
    except ValueError as problem:
        reason = f"this is not JSON: {getattr(problem, 'msg', problem)}"
        raise InputError(reason, path=str(file), line=number, hint=EXPORT_AGAIN) from None
    if not isinstance(row, dict):
        reason = "the line is not a JSON object"
        raise InputError(reason, path=str(file), line=number, hint=EXPORT_AGAIN)
    return row


def _whole_numbers(
    values: Iterable[Any], file: Path, column: str, lines: Iterable[int | None]
) -> list[int]:
    """Return the ids of a column."""
    numbers = []
    for value, line in zip(values, lines, strict=True):
        if not is_int64(value):
            raise not_whole_number(file, line, column, value)
        numbers.append(int(value))
    return numbers


def _without_labels(cells: pd.DataFrame) -> pd.DataFrame:
    """Drop the column of category names that a report inserts."""
    position = list(cells.columns).index("category_id") + 1
    names = [str(name) for name in cells.columns[position : position + 2]]
    if len(names) == 2 and names[0].startswith(_LABELS) and names[1] == "status":
        return cells.drop(columns=names[0])
    return cells


def _pet_frame(cells: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of a pet with their dtypes, then the user's own."""
    import pandas as pd

    columns = []
    for field in FIELDS:
        values = cells[field.name]
        columns.append([value if field.is_required else value or None for value in values])
    return pd.concat([PetColumns(columns).to_frame(), own], axis=1)
