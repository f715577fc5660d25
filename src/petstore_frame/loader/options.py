"""What a caller may ask of the loader: each option typed once, and checked before anything is sent.

Options that people bring from pandas and other loaders are taken where they can mean one thing; any
other is answered with the option that is meant, before anything is read. How a source is read is
``reading.options.Reading``, which checks itself.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import wraps
from numbers import Real
from os import PathLike
from typing import Any, Literal, ParamSpec, TypedDict, TypeVar, get_args

from petstore_frame._internal.arguments import (
    before_sending,
    checked_client,
    checked_id,
    one_of,
    refuse,
    true_or_false,
    whole_number,
)
from petstore_frame._internal.progress import checked_progress
from petstore_frame.errors import ArgumentError
from petstore_frame.loader.journal.question import CASES
from petstore_frame.loader.progress import ProgressOption
from petstore_frame.loader.reading.mapping import Mapped
from petstore_frame.loader.reading.options import Reading, ValueMap
from petstore_frame.schema.categories import Categories

P = ParamSpec("P")
R = TypeVar("R")

Answer = Literal["refuse", "skip", "send"]
# One answer, or one for each case of the question.
Duplicates = Answer | Mapping[str, Answer]
OnInvalid = Literal["keep", "raise"]
DEFAULT_WORKERS, MOST_WORKERS = 16, 32
# Twice the timeout of a Client that was given none: a request is awaited for one, and a proxy
# in between may hold it as long again.
GRACE_S = 240.0
MOST_GETS = 5000


@dataclass(frozen=True)
class Limits:
    """How far a session goes.

    Attributes:
        workers: The largest number of requests in flight; None for 16, and up to 32 as far as these
            wait for the journal's disk.
        max_errors: How many records may be invalid, and how many rejected; None for any number.
        patience_s: Seconds without an answer after which an outage ends the session.
        first_patience_s: The same before the first answer of the session.
        has_canary: Send one record alone first, and compare its pet.
    """

    workers: int | None = None
    max_errors: int | None = None
    patience_s: float = 900.0
    first_patience_s: float = 10.0
    has_canary: bool = True


class RecordOptions(TypedDict, total=False):
    """How records are read, wherever they are."""

    mapping: Mapped | None
    value_map: ValueMap | None
    categories: Categories
    key: str | Sequence[str]
    accept: Collection[str]
    keep_spaces: bool
    thousands: str | None


class LayoutOptions(RecordOptions, total=False):
    """The same of a file."""

    columns: Sequence[str] | None
    header_row: int | None


class TextOptions(LayoutOptions, total=False):
    """The same of a text file."""

    encoding: str | None
    delimiter: str | None
    quoting: str


class ListOptions(TextOptions, total=False):
    """The same of anything that the loader reads."""

    sheet: str | None


class SendingOptions(TypedDict, total=False):
    """How records are sent."""

    dry_run: bool
    max_errors: int | None
    again: bool
    duplicates: Duplicates
    send_lines: Collection[int]
    leave_lines: Collection[int]
    check_store: bool
    on_invalid: OnInvalid
    progress: ProgressOption
    journal: str | PathLike[str] | None
    workers: int | None


class FrameOptions(RecordOptions, SendingOptions, total=False):
    """The options of ``load_frame``."""


class ExcelOptions(LayoutOptions, SendingOptions, total=False):
    """The options of ``load_excel``."""

    sheet: str | None


class CsvOptions(TextOptions, SendingOptions, total=False):
    """The options of ``load_csv``."""


READING_NAMES = frozenset(field.name for field in fields(Reading))
_DEFAULTS: dict[str, Any] = {
    **{field.name: field.default for field in (*fields(Reading), *fields(Limits))},
    "dry_run": False,
    "again": False,
    "duplicates": "refuse",
    "send_lines": (),
    "leave_lines": (),
    "check_store": True,
    "on_invalid": "keep",
    "progress": None,
    "journal": None,
}
_TEXT = "cells are read as text and only the empty cell is missing, so it is not needed"
_ALL = "all records are read, in constant memory"
_KEY = "the column that identifies an animal is named by key="
# By the word that is brought along, what it is called here, or what is to be said of it.
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


def takes(options: type) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Show each option of a TypedDict in a function's signature, for help and completion.

    Options by the names that other libraries have for them are taken too.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        own = inspect.signature(function)
        named = [each for each in own.parameters.values() if each.kind is not each.VAR_KEYWORD]
        for name, hint in options.__annotations__.items():
            named.append(
                inspect.Parameter(
                    name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=_DEFAULTS[name],
                    annotation=getattr(hint, "__forward_arg__", hint),
                )
            )
        function.__signature__ = own.replace(parameters=named)  # type: ignore[attr-defined]
        known = [each.name for each in named]

        @wraps(function)
        def call(*args: P.args, **options: P.kwargs) -> R:
            if not options.keys() <= set(known):
                options = _translated(function.__name__, known, dict(options))  # type: ignore[assignment]
            return function(*args, **options)

        return call

    return decorate


def _translated(caller: str, known: list[str], options: dict[str, Any]) -> dict[str, Any]:
    """Return options by our names.

    Raises:
        ArgumentError: One has no meaning here; it names the right word.
    """
    taken: dict[str, Any] = {}
    for name, value in options.items():
        ours = name if name in known else _SAME.get(name)
        if name == "header" and "header_row" in known:
            _check_header(value, has_names="names" in options)
        elif ours not in known:
            raise _refused(f"{caller} has no option {name}{_answer(name, known)}")
        elif ours in taken:
            raise _refused(f"{caller}: {ours}= is given twice, once as {name}=")
        elif name == "sheet_name" and not isinstance(value, str):
            raise _refused(f"sheet= is the name of a sheet, got sheet_name={value!r}")
        else:
            taken[str(ours)] = value
    return taken


def _check_header(value: Any, *, has_names: bool) -> None:
    """Refuse a ``header=`` that says anything but what holds anyway."""
    if value == 0 or value == "infer" or (value is None and has_names):
        return
    if isinstance(value, int) and not isinstance(value, bool):
        raise _refused(f"header={value} is header_row={value + 1} here: rows count from 1")
    raise _refused("a file without a header needs columns=['name', 'category_id', 'status']")


def _answer(name: str, known: list[str]) -> str:
    """Return what is meant by an option that we do not have."""
    if name in _ANSWERS:
        return f": {_ANSWERS[name]}"
    near = get_close_matches(name, known, 1, 0.7)
    return f"; did you mean {near[0]}=?" if near else f"; it has {', '.join(known[2:])}"


def _refused(what: str) -> ArgumentError:
    return ArgumentError(f"{what}; nothing was sent")


@before_sending()
def check_sending(
    client: Any,
    limits: Limits,
    *,
    journal: Any,
    progress: Any,
    duplicates: Any = "refuse",
    send_lines: Any = (),
    leave_lines: Any = (),
    **switches: Any,
) -> None:
    """Refuse wrong arguments that concern the sending; ``switches`` are True or False.

    Raises:
        ArgumentError: One of them cannot be used; nothing was sent.
    """
    checked_client(client, "post_pet")
    if limits.workers is not None:
        whole_number("workers", limits.workers, 1, MOST_WORKERS)
    if limits.max_errors is not None:
        whole_number("max_errors", limits.max_errors, 0)
    if journal is not None:
        check_folder("journal", journal)
    checked_progress(progress)
    for case, word in duplicates.items() if isinstance(duplicates, Mapping) else ():
        one_of("a case of duplicates", case, CASES)
        one_of(f"duplicates[{case!r}]", word, get_args(Answer))
    if not isinstance(duplicates, Mapping):
        one_of("duplicates", duplicates, get_args(Answer))
    for name, lines in (("send_lines", send_lines), ("leave_lines", leave_lines)):
        if isinstance(lines, str) or not isinstance(lines, Collection):
            refuse(f"{name}= is a list of line numbers, got {lines!r}")
        for line in lines:
            whole_number(name, line, 1)
    for name, value in switches.items():
        true_or_false(name, value)


def answers_of(duplicates: Duplicates) -> dict[str, str]:
    """Return the answer to each case that has one."""
    said = duplicates if isinstance(duplicates, Mapping) else dict.fromkeys(CASES, duplicates)
    return {case: word for case, word in said.items() if word != "refuse"}


@before_sending()
def check_folder(name: str, value: Any) -> None:
    """Refuse what is not a path."""
    if not isinstance(value, str | PathLike):
        refuse(f"{name}= is a folder's path, got {value!r}")


@before_sending()
def check_settling(client: Any, *, grace_s: Any, most_gets: Any, **switches: Any) -> None:
    """Refuse wrong arguments of ``reconcile``; ``switches`` are True or False.

    Raises:
        ArgumentError: One of them cannot be used; nothing was sent.
    """
    checked_client(client, "ask_page")
    is_number = isinstance(grace_s, Real) and not isinstance(grace_s, bool)
    if not is_number or not 0 <= grace_s < math.inf:
        refuse(f"grace_s= is a number of seconds, 0 or more, got {grace_s!r}")
    whole_number("most_gets", most_gets, 0)
    for name, value in switches.items():
        true_or_false(name, value)


def checked_resolution(record: Any, *, pet_id: Any, not_created: Any) -> tuple[int, int | None]:
    """Return the record and the pet of ``resolve``, as plain numbers.

    Raises:
        ArgumentError: One of its arguments cannot be used; nothing was changed.
    """
    true_or_false("not_created", not_created)
    if (pet_id is None) == (not not_created):
        refuse("give either pet_id= or not_created=True; nothing was changed")
    return whole_number("record", record, 1), None if pet_id is None else checked_id(pet_id)
