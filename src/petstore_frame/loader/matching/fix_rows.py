"""Checks that a row of a fix file is a correction of the row that it names (rule 2)."""

from __future__ import annotations

import json
from typing import NamedTuple

from petstore_frame.loader.matching.repeated_keys import key_texts
from petstore_frame.loader.matching.values import Animal, Row
from petstore_frame.loader.row_state import RowProblem

WRONG_ROW = "wrong_row"
_EMPTY_IT = (
    "if this is another animal, empty its cell _pf_row; otherwise copy the row from fix.csv again"
)
_TELL_THE_STORE = (
    "if this is another animal, empty its cell _pf_row; if the values of {} are wrong, tell the "
    "people who run the store, because a load changes no pet, and remove this row"
)


class Original(NamedTuple):
    """The row of an earlier import that a row of a fix file names."""

    line: int
    source: str  # the file that it came from
    key: str | None
    core: str | None
    content: str | None  # its content at that time, if it could be sent
    has_key_problem: bool
    is_to_fix: bool
    animal: Animal | None  # its animal, if it has one
    fixed_by: str | None = None  # the file that fixed it


def fix_row_problem(row: Row, original: Original, owner: Animal | None) -> RowProblem | None:
    """Return why a row cannot be a correction of the row that it names; None if it can.

    For example, dragging a cell down in a spreadsheet increments the number of the named row.
    ``owner`` is the animal with the key of the row, if there is one.
    """
    has_its_key = row.key is not None and row.key == original.key
    if row.key and original.key and not has_its_key and not original.has_key_problem:
        return _problem(
            row,
            original,
            f"has the key {_key_label(original.key)}, and this row {_key_label(row.key)}",
        )
    animal = original.animal
    if animal is not None and owner is not None and owner.id != animal.id and animal.is_sent:
        return _problem(
            row, original, f"was sent, and the key {_key_label(row.key)} is another animal's"
        )
    if original.is_to_fix or has_its_key or row.content is None:
        return None
    contents = {original.content, animal.content if animal is not None else None}
    if row.content in contents:
        return None
    if original.fixed_by is not None:
        return _problem(
            row,
            original,
            f"was already fixed by {original.fixed_by}, with other values",
            _TELL_THE_STORE.format(original.fixed_by),
        )
    return _problem(row, original, "needed no fix, and has other values")


def _problem(row: Row, original: Original, difference: str, hint: str = _EMPTY_IT) -> RowProblem:
    message = (
        f"this row names line {original.line} of {original.source}, "
        f"which {difference}{_name_label(original)}"
    )
    return RowProblem(WRONG_ROW, message, value=_name(row.payload), hint=hint)


def _name_label(original: Original) -> str:
    name = _name(original.animal.payload) if original.animal is not None else None
    return f" (it is {name!r})" if name else ""


def _name(payload: bytes | None) -> str | None:
    return None if payload is None else str(json.loads(payload)["name"])


def _key_label(key: str | None) -> str:
    return repr(" ".join(key_texts(key)))
