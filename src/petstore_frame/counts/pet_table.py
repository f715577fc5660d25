"""What may be counted as a table of pets, checked once for every verb and every engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import narwhals as nw
import numpy as np
import pandas as pd

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.inventory import Inventory
from petstore_frame.schema.frame import as_dtype
from petstore_frame.schema.models import FIELDS, INT64_MAX, INT64_MIN, PET_COLUMNS, PetField
from petstore_frame.schema.text import whole_text

EXACT_FLOATS = 2**53  # from here on, neighbouring whole numbers share one float
_DROP_ONE = "drop or rename the repeated one"


def open_frame(pets: Any, needed: Sequence[str]) -> Any:
    """Open a frame of any engine, eager or lazy, as narwhals sees it, with ids checked by dtype.

    Float category ids of an engine other than pandas are checked by value where they are counted.
    """
    try:
        frame: Any = nw.from_native(pets.frame if isinstance(pets, Inventory) else pets)
        schema = frame.collect_schema()
    except TypeError:
        _refuse_kind(pets)
    except nw.exceptions.DuplicateError:
        raise InputError("a table of pets has each column once", hint=_DROP_ONE) from None
    _check_columns(schema.names(), needed)
    for name in {*needed} & {"id", "category_id"}:
        dtype, may_be_float = schema[name], name == "category_id"
        if frame.implementation.is_pandas():
            native = frame.to_native()
            whole = _whole(native[name], may_be_float=may_be_float)
            frame = nw.from_native(native.assign(**{name: whole}))
        elif not (dtype.is_integer() or dtype == nw.Unknown or (may_be_float and dtype.is_float())):
            _refuse_type(name, dtype)
    return frame


def pandas_frame(pets: Any, needed: Sequence[str] = PET_COLUMNS) -> pd.DataFrame:
    """Return the pandas table of an Inventory or of an eager frame; errors as ``open_frame``."""
    frame = pets.frame if isinstance(pets, Inventory) else pets
    if not isinstance(frame, pd.DataFrame):
        if not hasattr(frame, "to_pandas"):
            _refuse_kind(pets)
        frame = frame.to_pandas()
    _check_columns(frame.columns, needed)
    return frame


def typed_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of the pets with their dtypes, then a user's own as they are.

    ``category_id`` is Int64 where one is missing; a missing name is empty, as a store can send it.
    """
    columns = {field.name: _typed(frame[field.name], field) for field in FIELDS}
    if columns["id"].dtype != "int64":
        raise InputError("an id is missing", column="id", hint="drop rows without an id")
    added = [name for name in frame.columns if name not in PET_COLUMNS]
    if len({*map(str, added)}) < len(added):
        raise InputError("a table has each column once", hint=_DROP_ONE)
    columns |= {str(name): frame[name] for name in added}
    return pd.DataFrame({name: column.array for name, column in columns.items()})


def _typed(column: pd.Series[Any], field: PetField) -> pd.Series[Any]:
    if field.name in ("id", "category_id"):
        return _whole(column, may_be_float=field.name == "category_id")
    if field.name in ("name", "status") and not isinstance(column.dtype, pd.StringDtype):
        column = column.map(whole_text, na_action="ignore")
    typed = as_dtype(column, field.dtype)
    return typed.fillna("") if field.name == "name" else typed


def category_ids(categories: pd.Series[Any]) -> list[int | None]:
    """Return category ids as Python's numbers, None where one is missing."""
    whole = _whole(categories, may_be_float=True).astype("object")
    return whole.where(whole.notna(), None).tolist()


def _whole(column: pd.Series[Any], *, may_be_float: bool) -> pd.Series[Any]:
    """Return a column as int64, or as Int64 where a value is missing."""
    types, name, dtype = pd.api.types, str(column.name), column.dtype
    if dtype == "int64":
        return column
    held: Any = dtype.categories.dtype if isinstance(dtype, pd.CategoricalDtype) else dtype
    if held is not dtype or types.is_unsigned_integer_dtype(dtype):
        column = column.astype("object")  # pandas would wrap the largest around
    if types.is_float_dtype(held) and may_be_float:
        column = _from_floats(column)
    elif held == "object":
        if types.infer_dtype(column, skipna=True) not in ("integer", "empty"):
            _refuse_type(name, dtype)
    elif not types.is_integer_dtype(held):
        _refuse_type(name, dtype)
    try:
        whole = column.astype("Int64")
    except OverflowError:
        hint = f"an id is a whole number of {INT64_MIN} to {INT64_MAX}"
        raise InputError("a value is beyond int64", column=name, hint=hint) from None
    return whole if whole.hasnans else whole.astype("int64")


def _from_floats(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return floats without a fraction as Int64; NaN is missing."""
    values = column.astype("float64").to_numpy(na_value=np.nan)
    is_wrong = ~np.isnan(values) & ((np.floor(values) != values) | (abs(values) >= EXACT_FLOATS))
    for value in values[is_wrong][:1].tolist():
        text, hint = f"{value!r} is not a whole number", "correct it, or drop its row"
        if value.is_integer():
            text = f"{value!r} is a float of 2**53 or more, which may stand for several ids"
            hint = "read the column as int64, or as Int64 where values are missing"
        raise InputError(text, column=str(column.name), hint=hint)
    return pd.Series(values, index=column.index, name=column.name).astype("Int64")


def _check_columns(present: Iterable[str], needed: Sequence[str]) -> None:
    held = [name for name in present if name in needed]
    missing = [name for name in needed if name not in held]
    if len(held) > len(set(held)):
        raise InputError("a table of pets has each column once", hint=_DROP_ONE)
    if missing:
        raise InputError(
            f"a table of pets needs {', '.join(needed)}; this one lacks {', '.join(missing)}",
            column=missing[0],
            hint="rename its columns to those of petstore_frame.PET_COLUMNS",
        )


def _refuse_kind(pets: Any) -> NoReturn:
    kind = "None" if pets is None else type(pets).__name__
    raise ArgumentError(
        f"expected a table of pets, got {kind}; pass an Inventory, or a frame of an engine that "
        "the function supports: pandas, or polars, pyarrow, DuckDB, Dask, Spark"
    )


def _refuse_type(name: str, dtype: Any) -> NoReturn:
    hint = "convert the column to int64, or to Int64 where values are missing"
    if name == "id":
        hint = "read ids as int64: floats do not hold every id exactly"
    raise InputError(f"{dtype}, not whole numbers", column=name, hint=hint)
