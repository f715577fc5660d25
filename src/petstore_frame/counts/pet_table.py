"""What may be counted as a table of pets, checked once for every verb and every engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, NoReturn

import narwhals as nw
import numpy as np
import pandas as pd

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.inventory import Inventory, StatusCount
from petstore_frame.schema.frame import as_dtype
from petstore_frame.schema.models import FIELDS, INT64_MAX, INT64_MIN, PET_COLUMNS, PetField
from petstore_frame.schema.text import whole_text

EXACT_FLOATS = 2**53  # from here on, neighbouring whole numbers share one float
_TWICE, _DROP_ONE = "a table of pets has each column once", "drop or rename the repeated one"


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
        raise InputError(_TWICE, hint=_DROP_ONE) from None
    _check_columns(schema.names(), needed)
    for name in ("id", "category_id"):
        if name not in needed or schema[name].is_integer():
            continue
        may_be_float = name == "category_id"
        if frame.implementation.is_pandas():
            native = frame.to_native()
            whole = _whole(native[name], may_be_float=may_be_float)
            frame = nw.from_native(native.assign(**{name: whole}))
        elif schema[name] != nw.Unknown and not (may_be_float and schema[name].is_float()):
            _refuse_type(name, schema[name])
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
    is_text = isinstance(column.dtype, pd.StringDtype)
    if field.name == "status":
        texts = column if is_text else column.map(whole_text, na_action="ignore")
        return texts.astype("category")
    if field.name == "name":
        texts = column.map(whole_text, na_action="ignore") if column.dtype == "object" else column
        return texts.reset_index(drop=True).fillna("").astype("str")
    return as_dtype(column, field.dtype)


def category_ids(categories: pd.Series[Any]) -> list[int | None]:
    """Return category ids as Python's numbers, None where one is missing."""
    whole = _whole(categories, may_be_float=True)
    if whole.hasnans:
        whole = whole.astype("object").where(whole.notna(), None)
    return whole.tolist()


def check_table(table: Any, needed: Sequence[str], source: str, kinds: str = "") -> None:
    """Refuse what is not the table that ``source`` returns.

    ``kinds`` are the kinds of dtypes of the first columns of ``needed``.
    """
    if not isinstance(table, pd.DataFrame):
        raise ArgumentError(f"expected what {source} returns, got {type(table).__name__}")
    missing = [name for name in needed if name not in table.columns]
    hint = f"pass what {source} returns"
    if missing:
        what = f"this drawing needs {', '.join(needed)}; the table lacks {', '.join(missing)}"
        raise InputError(what, column=missing[0], hint=hint)
    typed = needed[: len(kinds)]
    if [table[name].dtype.kind for name in typed] != [*kinds]:
        got = ", ".join(str(table[name].dtype) for name in typed)
        words = "whole numbers and truth values"
        raise InputError(f"{', '.join(typed)} are {words}, got {got}", hint=hint)


def dated_counts(trend: pd.DataFrame) -> list[tuple[date, StatusCount | None]]:
    """Return the day and the count of each row; None where no snapshot was kept."""
    try:
        days = pd.to_datetime(trend["date"]).dt.date
        counts = trend["pets"].astype("Int64")
    except (AttributeError, TypeError, ValueError) as problem:
        what = f"a date or a number of pets cannot be read: {problem}"
        raise InputError(what, hint="pass what history.trend() returns") from None
    return [
        (day, None if pd.isna(pets) else StatusCount(int(pets), count_is == "exact"))
        for day, pets, count_is in zip(days, counts, trend["count_is"], strict=True)
    ]


def _whole(column: pd.Series[Any], *, may_be_float: bool) -> pd.Series[Any]:
    """Return a column as int64, or as Int64 where a value is missing."""
    types, name, dtype = pd.api.types, str(column.name), column.dtype
    if dtype == "int64":
        return column
    if isinstance(dtype, pd.CategoricalDtype):
        meant = _whole(pd.Series(column.cat.categories, name=name), may_be_float=may_be_float)
        found = meant.astype("Int64").array.take(column.cat.codes.to_numpy(), allow_fill=True)
        column = pd.Series(found, index=column.index, name=column.name)
    elif types.is_float_dtype(dtype) and may_be_float:
        column = _from_floats(column)
    elif dtype == "object":
        if types.infer_dtype(column, skipna=True) not in ("integer", "empty"):
            _refuse_type(name, dtype)
    elif not types.is_integer_dtype(dtype):
        _refuse_type(name, dtype)
    if types.is_unsigned_integer_dtype(dtype):  # pandas would wrap the largest around
        column = column.astype("object")
    try:
        whole = column.astype("Int64")
    except OverflowError:
        hint = f"an id is a whole number of {INT64_MIN} to {INT64_MAX}"
        raise InputError("a value is beyond int64", column=name, hint=hint) from None
    return whole if whole.hasnans else whole.astype("int64")


def _from_floats(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return floats without a fraction as Int64; NaN is missing."""
    values = column.to_numpy("float64", na_value=np.nan)
    is_missing = np.isnan(values)
    is_wrong = ~is_missing & ((np.floor(values) != values) | (np.abs(values) >= EXACT_FLOATS))
    for value in values[is_wrong][:1].tolist():
        text, hint = f"{value!r} is not a whole number", "correct it, or drop its row"
        if value.is_integer():
            text = f"{value!r} is a float of 2**53 or more, which may stand for several ids"
            hint = "read the column as int64, or as Int64 where values are missing"
        raise InputError(text, column=str(column.name), hint=hint)
    whole = pd.arrays.IntegerArray(np.where(is_missing, 0, values).astype("int64"), is_missing)
    return pd.Series(whole, index=column.index, name=column.name)


def _check_columns(present: Iterable[str], needed: Sequence[str]) -> None:
    held = [name for name in present if name in needed]
    missing = [name for name in needed if name not in held]
    if len(held) > len(set(held)):
        raise InputError(_TWICE, hint=_DROP_ONE)
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
