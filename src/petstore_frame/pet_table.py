"""Checks that a frame of any engine is a table of pets, and converts it to pandas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import narwhals as nw
import numpy as np
import pandas as pd

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.inventory import Inventory
from petstore_frame.schema import FIELDS, PetField, as_type
from petstore_frame.tables import pandas_from_arrow
from petstore_frame.validation import INT64, shown

EXACT_FLOATS = 2**53  # from here on, neighboring integers share one float


def open_frame(pets: Any, needed: Sequence[str]) -> Any:
    """Open a frame of any engine, eager or lazy, with narwhals, and check the dtypes of its ids.

    Float category ids of an engine other than pandas are checked by value where they are counted.
    """
    try:
        frame: Any = nw.from_native(pets.frame if isinstance(pets, Inventory) else pets)
        schema = frame.collect_schema()
    except TypeError:
        raise ArgumentError(
            f"pets must be a table of pets, got {shown(pets)}; pass an Inventory, or a frame "
            "of pandas, polars, pyarrow, DuckDB, Dask or Spark"
        ) from None
    except nw.exceptions.DuplicateError:
        hint = "drop or rename the second one"
        raise InputError("a column appears more than once", hint=hint) from None
    if missing := [name for name in needed if name not in schema.names()]:
        raise InputError(
            f"a table of pets needs {', '.join(needed)}; this one lacks {', '.join(missing)}",
            column=missing[0],
            hint="rename its columns to those of petstore_frame.PET_COLUMNS",
        )
    for name in {*needed} & {"id", "category_id"}:
        dtype, may_be_float = schema[name], name == "category_id"
        if frame.implementation.is_pandas():
            native = frame.to_native()
            integers = _as_integers(native[name], may_be_float=may_be_float)
            frame = nw.from_native(native.assign(**{name: integers}))
        elif not (dtype.is_integer() or dtype == nw.Unknown or (may_be_float and dtype.is_float())):
            _refuse_type(name, dtype)
    return frame


def pandas_frame(pets: Any, needed: Sequence[str] = FIELDS.names) -> pd.DataFrame:
    """Return the pandas table of an Inventory or of a frame of any engine.

    The checks are those of ``open_frame``. Columns of other engines keep their Arrow
    types, because the default types of pandas would turn integers with a missing value into floats.
    """
    frame = open_frame(pets, needed)
    if frame.implementation.is_pandas():
        native: pd.DataFrame = frame.to_native()
        return native
    collected = frame.lazy().collect()
    if collected.implementation.is_pandas():
        dask_result: pd.DataFrame = collected.to_native()
        return dask_result
    table = collected.to_arrow()
    arrow_types = {
        column.type: pd.ArrowDtype(column.type)
        for column in table.columns
        if not hasattr(column.type, "index_type")  # a dictionary becomes a pandas category
    }
    return pandas_from_arrow(table, arrow_types.get)


def typed_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of a pet with their dtypes, then those of the user, unchanged.

    ``category_id`` is Int64 if one is missing. A missing name becomes an empty text.
    """
    columns = {field.name: _typed(frame[field.name], field) for field in FIELDS}
    if columns["id"].dtype != "int64":
        raise InputError("an id is missing", column="id", hint="drop rows without an id")
    for name in frame.columns:
        if name in FIELDS.names:
            continue
        text = str(name)
        while text in columns:  # 1 and "1" are two columns
            text += " (2)"
        columns[text] = frame[name]
    return pd.DataFrame({name: column.array for name, column in columns.items()})


def _typed(column: pd.Series[Any], field: PetField) -> pd.Series[Any]:
    if field.name in ("id", "category_id"):
        return _as_integers(column, may_be_float=field.name == "category_id")
    typed = as_type(column, field.dtype)
    return typed.fillna("") if field.name == "name" else typed


def category_ids(categories: pd.Series[Any]) -> list[int | None]:
    """Return category ids as Python integers, None if one is missing."""
    integers = _as_integers(categories, may_be_float=True).astype("object")
    return integers.where(integers.notna(), None).tolist()


def _as_integers(column: pd.Series[Any], *, may_be_float: bool) -> pd.Series[Any]:
    """Return a column as int64, or as Int64 if a value is missing."""
    if column.dtype == "int64":
        return column
    if pd.api.types.is_signed_integer_dtype(column.dtype):
        integers = column.astype("Int64")
    else:
        codes, values = pd.factorize(column)  # the code of a missing value is -1, the last element
        numbers = [_integer(value, column, may_be_float=may_be_float) for value in values]
        categories = pd.array([*numbers, None], dtype="Int64")
        integers = pd.Series(categories[codes], index=column.index, name=column.name)
    return integers if integers.hasnans else integers.astype("int64")


def _integer(value: Any, column: pd.Series[Any], *, may_be_float: bool) -> int:
    """Return a value of a column as an integer, if the conversion is exact."""
    number, name = value.item() if isinstance(value, np.generic) else value, str(column.name)
    if isinstance(number, float) and may_be_float:
        if not number.is_integer():
            hint = "correct it, or drop its row"
            raise InputError(f"{number!r} is not a whole number", column=name, hint=hint)
        if abs(number) >= EXACT_FLOATS:
            text = f"{number!r} is a float of 2**53 or more, which may represent several ids"
            hint = "read the column as int64, or as Int64 where values are missing"
            raise InputError(text, column=name, hint=hint)
        number = int(number)
    if not isinstance(number, int) or isinstance(number, bool):
        _refuse_type(name, column.dtype)
    if number not in INT64:
        hint = f"an id must be between {INT64[0]} and {INT64[-1]}"
        raise InputError("a value does not fit int64", column=name, hint=hint)
    return number


def _refuse_type(name: str, dtype: Any) -> NoReturn:
    hint = "convert the column to int64, or to Int64 where values are missing"
    if name == "id":
        hint = "read ids as int64: floats cannot represent every id exactly"
    raise InputError(f"must be whole numbers, got {dtype}", column=name, hint=hint)
