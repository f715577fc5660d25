"""Makes the questions about a file: how to read it, what its columns hold, what its values mean.

Each function returns the Question of one option. A reader raises it in an InputError, and a preview
reads on with its likely answer. The questions about rows are those of a result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from petstore_frame.questions import PLACEHOLDER, Question, Step
from petstore_frame.schema import PET_STATUSES

_QUOTING = ("strict", "single", "none", "unwrap")
_SEPARATORS = (",", ".", " ", "'")
_DATE_ORDERS = ("DMY", "MDY", "YMD")
# The values of an option that has only a few.
_CHOICES: dict[tuple[str, ...], tuple[str, ...]] = {
    ("quoting",): _QUOTING,
    ("thousands",): _SEPARATORS,
    ("date_order",): _DATE_ORDERS,
    ("keep",): ("first", "last"),
    ("value_map", "status"): PET_STATUSES,
}


def encoding_question(text: str, codecs: Sequence[str], note: str) -> Question:
    """Ask for the encoding of a text file; ``codecs`` fit it, the most likely one first."""
    return Question(
        "encoding", text, option=("encoding",), choices=(*codecs,), note=note, likely=codecs[0]
    )


def sheet_question(
    text: str, titles: Sequence[str], note: str, *, is_certain: bool = False
) -> Question:
    """Ask which sheet of a workbook has the animals."""
    return Question(
        "sheet",
        text,
        option=("sheet",),
        choices=(*titles,),
        note=note,
        likely=titles[0],
        is_certain=is_certain,
    )


def quoting_question(text: str, note: str, likely: str | None = None) -> Question:
    """Ask what the quotes in a text file mean."""
    return Question(
        "quoting", text, option=("quoting",), choices=_QUOTING, note=note, likely=likely
    )


def delimiter_question(text: str, note: str) -> Question:
    """Ask for the character between the cells of a text file."""
    return Question("delimiter", text, option=("delimiter",), note=note)


def header_row_question(text: str, row: int, note: str) -> Question:
    """Ask whether a row below a title is the header."""
    return Question(
        "header_row", text, option=("header_row",), note=note, likely=row, is_certain=True
    )


def column_question(
    field: str,
    text: str,
    columns: Sequence[str],
    note: str,
    *,
    likely: str | None = None,
    is_certain: bool = False,
) -> Question:
    """Ask which column has a field."""
    return Question(
        ("mapping", field),
        text,
        option=("mapping", field),
        choices=tuple(column for column in columns if column.strip()),
        note=note,
        likely=likely,
        is_certain=is_certain,
    )


def date_order_question(text: str, orders: Sequence[str], note: str) -> Question:
    """Ask for the order of day, month and year."""
    return Question(
        "date_order", text, option=("date_order",), choices=(*orders,) or _DATE_ORDERS, note=note
    )


def thousands_question(text: str, note: str) -> Question:
    """Ask what separates the digits of a number."""
    return Question("thousands", text, option=("thousands",), choices=_SEPARATORS, note=note)


def key_question(text: str, columns: Sequence[str], likely: str | None) -> Question:
    """Ask which column identifies an animal; a likely answer is a proven one."""
    return Question(
        "key",
        text,
        answers=(
            Step("A column identifies each animal", {"key": likely or PLACEHOLDER}),
            Step("No column does; an animal could be added twice", {"key": ""}),
        ),
        option=("key",),
        choices=tuple(column for column in columns if column.strip()),
        likely=likely,
        is_certain=likely is not None,
    )


def row_questions(
    text: str, option: str, value: Any, note: str, choices: Sequence[str] = ()
) -> Iterator[Question]:
    """Ask for the option that solves a problem of rows: one question for each value to state.

    ``value`` is the option's value, with a placeholder for each answer that is not certain.
    """
    for path, leaf in _leaves(value, (option,)):
        is_certain = leaf != PLACEHOLDER
        yield Question(
            option if len(path) == 1 else path,
            text,
            option=path,
            choices=_CHOICES.get(path[:2]) or _CHOICES.get(path[:1]) or (*choices,),
            note=note,
            likely=leaf if is_certain else None,
            is_certain=is_certain,
        )


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each value of nested tables with the option and the keys that lead to it."""
    if not isinstance(value, Mapping):
        yield path, value
        return
    for name, inner in value.items():
        yield from _leaves(inner, (*path, str(name)))
