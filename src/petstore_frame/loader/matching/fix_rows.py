"""Whether a row of a fix file is the row that it names (rule 2)."""

from __future__ import annotations

import json
from typing import NamedTuple

from petstore_frame.loader.matching.repeated_keys import key_texts
from petstore_frame.loader.matching.values import Animal, Row
from petstore_frame.loader.row_state import RowProblem

WRONG_ROW = "wrong_row"
_EMPTY_IT = (
    "if this is another animal, empty its cell _pf_row; else take the row from fix.csv again"
)


class Original(NamedTuple):
    """The row of an earlier import that a row of a fix file names."""

    line: int
    source: str  # the file that it stood in
    key: str | None
    core: str | None
    content: str | None  # as it could be sent then
    has_key_problem: bool
    is_to_fix: bool
    animal: Animal | None  # the animal that it is, if it is one


def fix_row_problem(row: Row, original: Original, owner: Animal | None) -> RowProblem | None:
    """Return why a row cannot be the row that it names; None if it can.

    A row that was dragged down in a spreadsheet names the row after the one that it came from.
    ``owner`` is the animal that has the key of the row.
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
        return _problem(row, original, f"was sent, and the key {_key_label(row.key)} is another's")
    if original.is_to_fix or has_its_key or row.content is None:
        return None
    contents = {original.content, animal.content if animal is not None else None}
    if row.content in contents:
        return None
    return _problem(row, original, "needed no fix, and reads otherwise")


def _problem(row: Row, original: Original, what: str) -> RowProblem:
    message = (
        f"this row names line {original.line} of {original.source}, which {what}{_named(original)}"
    )
    return RowProblem(WRONG_ROW, message, value=_name(row.payload), hint=_EMPTY_IT)


def _named(original: Original) -> str:
    name = _name(original.animal.payload) if original.animal is not None else None
    return f" (it is {name!r})" if name else ""


def _name(payload: bytes | None) -> str | None:
    return None if payload is None else str(json.loads(payload)["name"])


def _key_label(key: str | None) -> str:
    return repr(" ".join(key_texts(key)))
