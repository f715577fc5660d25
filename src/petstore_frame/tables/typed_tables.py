"""Reads sources whose values have types: data frames, Parquet files and JSON lines."""

from __future__ import annotations

import codecs
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.extras import import_extra
from petstore_frame.limits import CELLS, COLUMNS, ROWS, UNPACKED_BYTES, EmptyCells
from petstore_frame.schema.text import short_text
from petstore_frame.tables.arrow_tables import attrs_in, damaged_parquet, pandas_from_arrow
from petstore_frame.tables.file_kinds import JSON_LINES_HINT, check_lines
from petstore_frame.tables.table import (
    EMPTY_CELL,
    EXACT_FLOATS,
    Cell,
    Table,
    TableRow,
    cell_of_value,
    reject_repeated,
    row_of_cells,
)

if TYPE_CHECKING:
    import pandas as pd

PARQUET_HINT = "write it again, or save it as CSV (UTF-8)"


def frame_table(frame: Any) -> Table:
    """Return a DataFrame of any library as a table; the line of a row is its position, from 1."""
    import narwhals as nw

    names = getattr(frame, "column_names", None)  # of pyarrow, whose columns are data
    if names is None:
        names = getattr(frame, "columns", ())
    is_unique = getattr(names, "is_unique", False)  # of pandas
    if isinstance(names, Iterable) and not is_unique:
        reject_repeated(map(str, names), "frame")
    native = nw.from_native(frame, pass_through=True)
    if isinstance(native, nw.LazyFrame):
        native = native.collect()
    if not isinstance(native, nw.DataFrame):
        raise ArgumentError(
            f"source must be a DataFrame or the path of a file, got {type(frame).__name__}"
        )

    def rows() -> Iterator[TableRow]:
        for line, values in enumerate(native.iter_rows(), 1):
            yield row_of_cells(line, map(_cell_of_frame, values))

    # The index of pandas is no column.
    index = getattr(getattr(frame, "index", None), "names", ())
    facts = {"index": tuple(str(name) for name in index if name is not None)}
    return Table(tuple(map(str, native.columns)), rows, facts=facts)


def _cell_of_frame(value: Any) -> Cell:
    import pandas as pd

    if isinstance(value, str):
        return Cell(str(value))
    if value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value))):
        return EMPTY_CELL
    return cell_of_value(value, EXACT_FLOATS, has_exact_integers=True)


def parquet_table(data: bytes) -> Table:
    """Return the bytes of a Parquet file as a table."""
    with _naming_damage():
        return frame_table(_arrow_table(data)[0])


def parquet_frame(data: bytes) -> pd.DataFrame:
    """Return the bytes of a Parquet file as a pandas frame, with its attrs."""
    with _naming_damage():
        table, schema = _arrow_table(data)
        frame = pandas_from_arrow(table.cast(schema))
    frame.attrs = attrs_in(schema)  # pyarrow 18 does not read them
    return frame


@contextmanager
def _naming_damage() -> Iterator[None]:
    pyarrow = import_extra("pyarrow", "reading a Parquet file", "history")
    try:
        yield
    except (pyarrow.ArrowException, OSError) as problem:
        raise InputError(damaged_parquet(problem), hint=PARQUET_HINT) from None


def _arrow_table(data: bytes) -> tuple[Any, Any]:
    """Return a Parquet file as an Arrow table, and its schema."""
    parquet = import_extra("pyarrow.parquet", "reading a Parquet file", "history")
    file = parquet.ParquetFile(io.BytesIO(data))
    _check_metadata(file.metadata)
    schema = file.schema_arrow
    reject_repeated(schema.names, "file")
    # As a dictionary, a text that is repeated a million times is in memory once.
    texts = [field.name for field in schema if _is_text(field.type)]
    table = parquet.read_table(io.BytesIO(data), read_dictionary=texts)
    table.validate(full=True)  # rejects text that is not UTF-8, which would fail row by row
    _check_texts(table)
    return table, schema


def _check_metadata(metadata: Any) -> None:
    """Refuse a Parquet file whose data would not fit into memory, before any of it is read."""
    ROWS.check(metadata.num_rows)
    COLUMNS.check(metadata.num_columns)
    CELLS.check(metadata.num_rows * metadata.num_columns)
    groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
    UNPACKED_BYTES.check(sum(group.total_byte_size for group in groups))
    # A list in a cell has more values than rows.
    columns = range(metadata.num_columns)
    CELLS.check(sum(group.column(at).num_values for group in groups for at in columns))


def _is_text(kind: Any) -> bool:
    return str(kind) in ("string", "large_string", "binary", "large_binary")


def _check_texts(table: Any) -> None:
    """Refuse a table whose texts are long and repeated, which the file stores only once."""
    types = import_extra("pyarrow.types", "reading a Parquet file", "history")
    compute = import_extra("pyarrow.compute", "reading a Parquet file", "history")
    size = 0
    for column in table.columns:
        for part in column.chunks:
            if types.is_dictionary(part.type) and _is_text(part.type.value_type):
                lengths = compute.binary_length(part.dictionary)
                size += compute.sum(lengths.take(part.indices)).as_py() or 0
                UNPACKED_BYTES.check(size)


def json_lines_table(data: bytes) -> Table:
    """Return a file of one JSON object per line as a table.

    The columns are the keys of all objects, in the order of their first use.
    """
    columns = [name for _, new_names in _objects_of_table(data) for name in new_names]

    def rows() -> Iterator[TableRow]:
        for line, values in _objects(data):
            yield row_of_cells(line, [_cell_of_json(values.get(name)) for name in columns])

    return Table(tuple(columns), rows)


def json_lines_frame(data: bytes) -> pd.DataFrame:
    """Return a file of one JSON object per line as a pandas frame of objects."""
    import pandas as pd

    columns = dict[str, list[Any]]()
    for number, (values, new_names) in enumerate(_objects_of_table(data)):
        for name in new_names:
            columns[name] = [None] * number
        for name, cells in columns.items():
            cells.append(values.get(name))
    return pd.DataFrame({name: pd.Series(cells, dtype="object") for name, cells in columns.items()})


def _objects_of_table(data: bytes) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Yield the values of each object, and the keys that no object before it has.

    Too many keys, or too few values of them, are refused.
    """
    names, filled = set[str](), 0
    for number, (line, values) in enumerate(_objects(data), 1):
        new_names = [name for name in values if name not in names]
        names.update(new_names)
        COLUMNS.check(len(names), line=line)
        filled += len(values)
        EmptyCells.check(number * len(names) - filled, filled, f"line {line}", line)
        yield values, new_names


def list_within(data: bytes) -> tuple[str, int] | None:
    """Return the key and length of a list of objects within the first object, or None.

    Example:
        >>> list_within(b'{"total": 2, "pets": [{"name": "Rex"}, {"name": "Bo"}]}')
        ('pets', 2)
    """
    _, values = next(_objects(data), (0, dict[str, Any]()))
    for key, value in values.items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            return key, len(value)
    return None


def _objects(data: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line and the values of each object."""
    check_lines(data)
    # json.loads would build a decoder for each line.
    decoder = json.JSONDecoder(object_pairs_hook=_object_of)
    for line, text in enumerate(io.BytesIO(data.removeprefix(codecs.BOM_UTF8)), 1):
        if not text.strip():
            continue
        try:
            values = decoder.decode(text.decode("utf-8", "surrogatepass"))
        except _RepeatedNameError as repeated:
            raise InputError(
                f"the object has {short_text(repeated.name)} twice",
                line=line,
                column=repeated.name,
                hint="remove or rename one of the two",
            ) from None
        except (ValueError, RecursionError) as problem:
            reason = "nested too deeply" if isinstance(problem, RecursionError) else problem
            message = f"not a JSON object: {reason}"
            raise InputError(message, line=line, hint=JSON_LINES_HINT) from None
        if not isinstance(values, dict):
            kind = type(values).__name__
            raise InputError(f"a {kind}, not a JSON object", line=line, hint=JSON_LINES_HINT)
        yield line, values


class _RepeatedNameError(Exception):
    """An object has a name twice."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the values of an object by name; of a repeated name, json would use the last one."""
    values = dict(pairs)
    if len(values) < len(pairs):
        times = Counter(name for name, _ in pairs)
        raise _RepeatedNameError(next(name for name, count in times.items() if count > 1))
    return values


def _cell_of_json(value: Any) -> Cell:
    if value is None:
        return EMPTY_CELL
    return cell_of_value(value, EXACT_FLOATS, has_exact_integers=True)
