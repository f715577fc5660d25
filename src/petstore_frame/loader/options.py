"""What a caller may ask of the loader, checked before anything is read, staged or sent.

In: the arguments of ``load_csv`` and its like, as they were passed. Out: nothing, or an
ArgumentError that states what the argument can be. It opens no file; whether the columns that it
names exist is seen when the file is read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from os import PathLike
from typing import Any, NoReturn

from petstore_frame._internal.arguments import (
    before_sending,
    checked_client,
    checked_id,
    true_or_false,
    whole_number,
)
from petstore_frame._internal.progress import checked_progress
from petstore_frame._internal.voice import Advice
from petstore_frame.errors import ArgumentError
from petstore_frame.loader.limits import MOST_WORKERS, Limits
from petstore_frame.loader.reading.mapping import FIELDS, field_name


@before_sending()
def check_sending(
    client: Any, limits: Limits, *, journal: Any, progress: Any, **switches: Any
) -> None:
    """Refuse wrong arguments that concern the sending.

    Args:
        client: The store.
        limits: How far to go.
        journal: Folder of the journals.
        progress: The caller's ``progress=``.
        switches: Arguments that are True or False, by name.

    Raises:
        ArgumentError: One of them cannot be used; nothing was sent.
    """
    checked_client(client, "post_pet")
    whole_number("workers", limits.workers, 1, MOST_WORKERS)
    if limits.max_errors is not None:
        whole_number("max_errors", limits.max_errors, 0)
    if journal is not None:
        check_folder("journal", journal)
    checked_progress(progress)
    for name, value in switches.items():
        true_or_false(name, value)


@before_sending()
def check_reading(
    *,
    mapping: Any = None,
    value_map: Any = None,
    encoding: Any = None,
    delimiter: Any = None,
    quoting: Any = "strict",
    columns: Any = None,
    header_row: Any = None,
    sheet: Any = None,
    keep_spaces: Any = False,
    thousands: Any = None,
) -> None:
    """Refuse wrong arguments that concern the reading; all are as in ``open_source``.

    Raises:
        ArgumentError: One of them cannot be used; nothing was sent.
    """
    _check_mapping(mapping)
    _check_value_map(value_map)
    _check_encoding(encoding)
    _check_delimiter(delimiter)
    _check_columns(columns)
    if header_row is not None:
        whole_number("header_row", header_row, 1)
        if columns is not None:
            _refuse("{} and {} exclude each other", ("header_row",), ("columns",))
    if quoting not in ("strict", "none"):
        _refuse("{} is 'strict' or 'none', got {}", ("quoting",), _shown(quoting))
    if thousands not in (None, ",", "."):
        _refuse("{} is ',' or '.', got {}", ("thousands",), _shown(thousands))
    if not isinstance(sheet, str | None):
        _refuse("{} is the name of a sheet, got {}", ("sheet",), _shown(sheet))
    true_or_false("keep_spaces", keep_spaces)


def check_folder(name: str, value: Any) -> None:
    """Refuse what is not a path."""
    if not isinstance(value, str | PathLike):
        _refuse("{} is a folder's path, got {}", (name,), _shown(value))


@before_sending()
def check_settling(
    client: Any, *, grace_s: Any, by_id: Any, most_gets: Any, resend_absent: Any
) -> None:
    """Refuse wrong arguments of ``reconcile``.

    Raises:
        ArgumentError: One of them cannot be used; nothing was sent.
    """
    checked_client(client, "ask_page")
    is_number = isinstance(grace_s, Real) and not isinstance(grace_s, bool)
    if not is_number or not 0 <= grace_s < math.inf:
        _refuse("{} is a number of seconds, 0 or more, got {}", ("grace_s",), _shown(grace_s))
    whole_number("most_gets", most_gets, 0)
    true_or_false("by_id", by_id)
    true_or_false("resend_absent", resend_absent)


def checked_resolution(row: Any, *, pet_id: Any, not_created: Any) -> tuple[int, int | None]:
    """Return the record and the pet of ``resolve``, as plain numbers.

    Raises:
        ArgumentError: One of its arguments cannot be used; nothing was changed.
    """
    true_or_false("not_created", not_created)
    if (pet_id is None) == (not not_created):
        raise ArgumentError("give either pet_id= or not_created=True; nothing was changed")
    return whole_number("row", row, 1), None if pet_id is None else checked_id(pet_id)


def _check_mapping(mapping: Any) -> None:
    example = ("mapping", {"name": "Animal"})
    if mapping is None:
        return
    if not isinstance(mapping, Mapping):
        _refuse(
            "{} goes from field to column, as in {}, got {}",
            ("mapping",),
            example,
            _shown(mapping),
        )
    fields = [field_name(word) if isinstance(word, str) else None for word in mapping]
    for word, field in zip(mapping, fields, strict=True):
        if field is None:
            _refuse(
                f"{{}} names the field {{}}; the fields are {', '.join(FIELDS)}, and it goes from "
                "field to column, as in {}",
                ("mapping",),
                _shown(word),
                example,
            )
        if fields.count(field) > 1:
            _refuse("{} names the field {} twice", ("mapping",), field)
    for column in mapping.values():
        if not isinstance(column, str):
            _refuse(
                "{} names the column {}, which is not text; columns are named as text: {}",
                ("mapping",),
                _shown(column),
                _shown(str(column)),
            )
    if len(set(mapping.values())) < len(mapping):
        _refuse(
            "{} gives one column to two fields; give each its own",
            ("mapping",),
            by_hand="one column was chosen for two fields; give each its own",
        )


def _check_value_map(value_map: Any) -> None:
    if value_map is None:
        return
    tables = value_map.values() if isinstance(value_map, Mapping) else [value_map]
    if not all(isinstance(table, Mapping) for table in tables):
        _refuse(
            "{} goes from field to values by word, as in "
            "{{'status': {{'in stock': 'available'}}}}, got {}",
            ("value_map",),
            _shown(value_map),
        )


def _check_encoding(encoding: Any) -> None:
    try:
        if encoding is not None:
            "".encode(encoding)
    except (LookupError, TypeError, ValueError):
        _refuse("{} is the name of a text encoding, got {}", ("encoding",), _shown(encoding))


def _check_delimiter(delimiter: Any) -> None:
    if delimiter is None:
        return
    is_sign = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter not in '"\r\n'
    if not is_sign:
        _refuse(
            "{} is one character, not a quote or a line end, got {}",
            ("delimiter",),
            _shown(delimiter),
        )


def _check_columns(columns: Any) -> None:
    if columns is None:
        return
    is_list = isinstance(columns, Sequence) and not isinstance(columns, str | bytes)
    if not is_list or not columns or not all(isinstance(name, str) for name in columns):
        _refuse("{} is a list of column names, got {}", ("columns",), _shown(columns))
    if not any(name.strip() for name in columns):
        _refuse("{} names no column", ("columns",))
    twice = [name for name in columns if name.strip() and columns.count(name) > 1]
    if twice:
        _refuse("{} names the column {} twice", ("columns",), repr(twice[0]))


def _shown(value: Any) -> str:
    """Return a value in few characters; of a long one, its type."""
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


def _refuse(text: str, *parts: str | tuple[Any, ...], by_hand: str | None = None) -> NoReturn:
    raise ArgumentError(Advice(f"{text}; nothing was sent", *parts, by_hand=by_hand))
