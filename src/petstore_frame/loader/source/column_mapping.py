"""Finds the column of each field of a pet.

A column that is named like a field is used, whatever its case and spaces. A column with a synonym
is only proposed to the user.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.file_questions import column_question
from petstore_frame.loader.source.spreadsheet_text import without_invisible
from petstore_frame.loader.source.status_columns import (
    is_status_header,
    may_be_status,
    values_by_column,
)
from petstore_frame.schema import FIELDS, PetField
from petstore_frame.schema.text import join_names, short_text
from petstore_frame.schema.words import comparable, words_for

OWN_PREFIX = "_pf_"
REQUIRED: tuple[str, ...] = tuple(field.name for field in FIELDS.sent if field.is_required)
# Maximum number of columns that may be the status in a message, and of values of each.
_MAX_STATUS_COLUMNS, _MAX_STATUS_VALUES = 2, 3
# Without brackets inside, so that a header of many open brackets takes time of its length.
_BRACKETS = re.compile(r"[(\[][^()\[\]]*[)\]]")
_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")
# The sign for "number" after a name or alone; a header that begins with "#" is often a comment.
_NUMBER_SIGN = re.compile(r"#\s*$|№|\b[Nn][°º]")

_WORDS_OF = {"category_id": "category"}  # the topic of a field, if it has another name


def normalize_header(name: str) -> str:
    """Return a column name in the form for comparisons: `` Category ID `` is ``categoryid``."""
    text = unicodedata.normalize("NFKC", without_invisible(name)).casefold()
    return "".join(sign for sign in text if not sign.isspace() and sign not in "_-")


def name_parts(column: str) -> set[str]:
    """Return the parts of a column name: ``OWNER_ID`` has owner, id; ``PetName`` has pet, name."""
    things = words_for("identified") | words_for("identified_else")
    text = _NUMBER_SIGN.sub(" no ", unicodedata.normalize("NFC", column))
    parts = {comparable(part) for part in _NAME_PART.findall(text)}
    for part in list(parts):  # German writes them as one: Tiernummer
        for end in ("nummer", "nr", "number", "id"):
            if part.endswith(end) and part.removesuffix(end) in things:
                parts |= {part.removesuffix(end), end}
    return parts


class RecognizedColumns(NamedTuple):
    """The columns of a header that hold fields, or that may hold them."""

    mapping: dict[str, str]  # certain columns, by field
    likely: dict[str, list[str]]  # columns that may hold a field, the most likely one first
    proposed: dict[str, str]  # the only likely column with an unambiguous name, by field
    missing: tuple[str, ...]  # required fields without a certain column
    status_values: Mapping[str, Sequence[str]] = {}  # of each likely status column that has any


def recognize_columns(
    header: Sequence[str],
    mapping: Mapping[str, str],
    filled: Collection[str],
    cells: Iterable[Sequence[str]] = (),
) -> RecognizedColumns:
    """Return which columns of a header hold which fields; ``mapping`` has priority.

    Fields in ``filled`` have a default and need no column. ``cells`` are those of the rows; a
    column with words for statuses may be the status, whatever its name.

    Raises:
        InputError: A column occurs twice, or two columns fit one field.
    """
    _reject_repeated(header)
    used = {
        field: match_column("mapping", column, header)
        for field, column in mapping.items()
        if column
    }
    if len({*used.values()}) < len(used):
        hint = "choose a column for each field"
        raise InputError("mapping uses one column for two fields", hint=hint)
    free = [name for name in header if name.strip() and name not in used.values()]
    unclaimed = [field for field in FIELDS.sent if field.name not in mapping]
    for field in unclaimed:
        matches = [name for name in free if normalize_header(name) in field.headers]
        own_header = normalize_header(field.name)
        matches = [name for name in matches if normalize_header(name) == own_header] or matches
        if len(matches) > 1:
            message = f"the columns {join_names(matches)} both look like {field.name}"
            hint = "say which one to use"
            question = column_question(field.name, message, matches, hint)
            raise InputError(message, column=matches[1], hint=hint, questions=(question,))
        if matches:
            used[field.name] = matches[0]
            free.remove(matches[0])
    likely, proposed = dict[str, list[str]](), dict[str, str]()
    is_status_open = "status" not in used and "status" not in mapping
    values = values_by_column(header, cells) if is_status_open else {}
    with_statuses = [name for name in free if may_be_status(name, values.get(name, ()))]
    for field in reversed(unclaimed):  # the name last, because "Category name" is a category
        clear, vague = _matching_columns(field, free) if field.name not in used else ([], [])
        if field.name == "status" and is_status_open:
            vague = [name for name in dict.fromkeys([*with_statuses, *vague]) if name not in clear]
        if clear or vague:
            likely[field.name] = [*clear, *vague]
        if len(clear) == 1:
            proposed[field.name] = clear[0]
        free = [name for name in free if name not in clear]
    missing = tuple(field for field in REQUIRED if field not in used and field not in filled)
    status_values = {name: values[name] for name in likely.get("status", ()) if values.get(name)}
    return RecognizedColumns(used, likely, proposed, missing, status_values)


def _reject_repeated(header: Sequence[str]) -> None:
    """Reject a header with two columns of the same name."""
    for name, times in Counter(name for name in header if name.strip()).items():
        if times > 1:
            hint = "rename one of the two columns"
            message = f"the header has the column {name!r} twice"
            raise InputError(message, column=name, hint=hint)


def _matching_columns(field: PetField, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the columns whose name clearly means a field, and those whose name may mean it."""
    topic = _WORDS_OF.get(field.name, field.name)
    own, vague_names = words_for(topic), words_for(f"{topic}_maybe")
    identifiers, of_animals = words_for("identifier"), words_for("identified")
    of_others = words_for(f"not_{field.name}")
    clear, vague = list[str](), list[str]()
    for name in names:
        bare = comparable(_BRACKETS.sub("", name)) or comparable(name)
        parts = name_parts(name)
        is_name_of_animals = {"name"} < parts <= {"name", *of_animals} and field.name == "name"
        if bare in own or comparable(name) in own or is_name_of_animals:
            clear.append(name)
        elif any(part in bare for part in of_others):
            continue
        elif (
            bare in vague_names
            or (any(text in bare for text in field.likely) and not parts & identifiers)
            or (field.name == "status" and is_status_header(name))
        ):
            vague.append(name)
    return clear, vague


def may_be_header(
    names: Sequence[str], mapping: Mapping[str, str], filled: Collection[str]
) -> bool:
    """Return True if each required field has a certain or likely column among these."""
    try:
        columns = recognize_columns(names, mapping, filled)
    except InputError:
        return False
    return {*columns.missing} <= {*columns.likely}


def find_columns(
    header: Sequence[str],
    mapping: Mapping[str, str],
    filled: Collection[str],
    cells: Iterable[Sequence[str]] = (),
) -> RecognizedColumns:
    """Return the columns of a header, if each required field has a certain one.

    Raises:
        InputError: A required field has no column, or a likely column is not mapped.
    """
    columns = recognize_columns(header, mapping, filled, cells)
    if columns.missing:
        raise _without_columns(header, mapping, filled, columns)
    for field, column in columns.proposed.items():
        raise unsent(field, column, header)
    return columns


def _without_columns(
    header: Sequence[str],
    mapping: Mapping[str, str],
    filled: Collection[str],
    columns: RecognizedColumns,
) -> InputError:
    """Return the error that asks for the columns of the required fields, and for the status."""
    message = f"no column for {' and '.join(columns.missing)} among {join_names(header)}"
    perhaps = [f"the {field} may be {' or '.join(map(repr, columns.likely[field][:3]))}"
               for field in columns.missing if field in columns.likely]  # fmt: skip
    if not perhaps and columns.mapping:
        perhaps = [f"or state one {field} for all rows with defaults"
                   for field in columns.missing]  # fmt: skip
    perhaps = perhaps or ["a file without a header needs the option columns"]
    wanted: dict[str, str | None] = dict.fromkeys(columns.missing) | columns.proposed
    statuses = [] if {"status"} & {*mapping, *filled, *wanted} else [*columns.status_values]
    if statuses:
        wanted["status"] = statuses[0]
        perhaps.append(f'{status_facts(columns)}; "" leaves it out')
    hint = f"name the column; {'; '.join(perhaps)}"
    questions = [
        column_question(
            field,
            message,
            header,
            hint,
            likely=wanted[field],
            is_certain=field in columns.proposed,
        )
        for field in FIELDS.sent.names
        if field in wanted
    ]
    return InputError(message, hint=hint, questions=tuple(questions))


def status_facts(columns: RecognizedColumns) -> str:
    """Return which columns may be the status, with their first values, as a clause."""
    facts = []
    for column, values in [*columns.status_values.items()][:_MAX_STATUS_COLUMNS]:
        examples = ", ".join(map(short_text, values[:_MAX_STATUS_VALUES]))
        facts.append(f"{column!r}, with {examples}")
    return f"the status may be {' or '.join(facts)}"


def unsent(
    field: str, column: str, header: Sequence[str], *, is_certain: bool = True
) -> InputError:
    """Return the error that asks whether to send a column that looks like a field."""
    message = f"the column {column!r} looks like the {field}, but would not be sent"
    hint = 'map the field to this column to send it, or to "" to leave it out'
    question = column_question(field, message, header, hint, likely=column, is_certain=is_certain)
    return InputError(message, column=column, hint=hint, questions=(question,))


def match_column(option: str, column: str, header: Sequence[str]) -> str:
    """Return the column that an option names, as the file spells it."""
    matches = [name for name in header if normalize_header(name) == normalize_header(column)]
    if column in header or len(matches) == 1:
        return column if column in header else matches[0]
    message = f"{option} names the column {column!r}, which is not among {join_names(header)}"
    raise InputError(message, hint="use the spelling of the file")


def field_name(text: str) -> str | None:
    """Return the field that a name means (``categoryId`` is ``category_id``), or None."""
    header = normalize_header(text)
    return next((field.name for field in FIELDS.sent if header in field.headers), None)
