"""Options that people bring from pandas and other loaders, taken where they can mean one thing.

Any other is answered with the option that is meant, before anything is read.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from petstore_frame.errors import ArgumentError

P = ParamSpec("P")
R = TypeVar("R")

_TEXT = "cells are read as text and only the empty cell is missing, so it is not needed"
_ALL = "all records are read, in constant memory"
_KEY = "the column that identifies an animal is named by key="
# By the word that is brought along, what it is called here and where it may have another value.
_SAME: dict[str, str] = {"sep": "delimiter", "sheet_name": "sheet", "names": "columns"}
_ANSWERS: dict[str, str] = {
    **dict.fromkeys(("dtype", "converters", "na_values", "keep_default_na", "na_filter"), _TEXT),
    **dict.fromkeys(("nrows", "chunksize", "iterator", "low_memory", "engine"), _ALL),
    **dict.fromkeys(("external_id", "primary_key", "pk", "merge_key", "on", "id_column"), _KEY),
    "usecols": "columns that are no field of a pet are not sent; mapping= names those that are",
    "index_col": "an index is no field; mapping= names the columns that are",
    "skiprows": "the row of the header is header_row=, 1 for the first of the file",
    "compression": "a gzip file is known by its content",
    "quotechar": "quotes are read as letters with quoting='none'",
    "rename": "the column of each field is named by mapping={'name': 'Animal'}",
    "column_mapping": "the column of each field is named by mapping={'name': 'Animal'}",
    "validate_only": "a rehearsal is dry_run=True",
    "ignore_earlier": "what to do with records equal to earlier ones is "
    "duplicates='refuse', 'skip' or 'send'",
}


def takes_habits(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function take options by the names that other libraries have for them."""
    known = list(signature(function).parameters)

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        if not options.keys() <= set(known):
            options = _translated(function.__name__, known, dict(options))  # type: ignore[assignment]
        return function(*args, **options)

    return call


def _translated(caller: str, known: list[str], options: dict[str, Any]) -> dict[str, Any]:
    """Return options by our names.

    Raises:
        ArgumentError: One has no meaning here; it names the right word.
    """
    taken: dict[str, Any] = {}
    for name, value in options.items():
        ours, kept = (name, value) if name in known else _ours(caller, known, name, value, options)
        if ours in taken:
            raise _refused(f"{caller}: {ours}= is given twice, once as {name}=")
        if ours:
            taken[ours] = kept
    return taken


def _ours(
    caller: str, known: list[str], name: str, value: Any, options: dict[str, Any]
) -> tuple[str, Any]:
    """Return an option by our name; an empty one where it says what holds anyway."""
    ours = _SAME.get(name)
    if name == "header" and "header_row" in known:
        if value == 0 or value == "infer" or (value is None and "names" in options):
            return "", None
        if isinstance(value, int) and not isinstance(value, bool):
            raise _refused(f"header={value} is header_row={value + 1} here: rows count from 1")
        raise _refused("a file without a header needs columns=['name', 'category_id', 'status']")
    if ours == "sheet" and "sheet" in known and not isinstance(value, str):
        raise _refused(f"sheet= is the name of a sheet, got sheet_name={value!r}")
    if ours in known:
        return str(ours), value
    if name in _ANSWERS:
        raise _refused(f"{caller} has no option {name}: {_ANSWERS[name]}")
    near = get_close_matches(name, known, 1, 0.7)
    hint = f"; did you mean {near[0]}=?" if near else f"; it has {', '.join(known[2:])}"
    raise _refused(f"{caller} has no option {name}{hint}")


def _refused(what: str) -> ArgumentError:
    return ArgumentError(f"{what}; nothing was sent")
