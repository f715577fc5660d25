"""Which of several rows of one key stands, and how two bodies of one key differ."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import IntEnum
from itertools import combinations
from typing import NamedTuple

from petstore_frame.loader.record import RecordProblem
from petstore_frame.schema.text import folded_name

KEY_REPEATED, KEY_MISSING = "key_repeated", "key_missing"
# A record with one of these problems may get another key when it is fixed.
KEY_PROBLEMS = frozenset({KEY_REPEATED, KEY_MISSING})


class Differs(IntEnum):
    """In what two bodies differ; the status does not count."""

    NOTHING = 0
    CATEGORY = 1
    NAME = 2
    BOTH = 3


class KeyedRow(NamedTuple):
    """One of several rows of a key."""

    key: str
    id: int
    line: int
    payload: bytes | None
    cells: str | bytes
    rank: str | None
    is_unnamed: bool

    @property
    def content(self) -> bytes | str:
        """All that is sent, or the cells of a row that cannot be."""
        return self.payload or self.cells


def name_of(payload: bytes | None) -> str | None:
    """Return the name of a request body, as names are compared."""
    return None if payload is None else folded_name(json.loads(payload)["name"])


def difference(one: bytes | None, other: bytes | None, *, is_unnamed: bool = False) -> Differs:
    """Return in what two bodies differ; a name from ``defaults`` is no other name."""
    if one is None or other is None or one == other:
        return Differs.NOTHING
    mine, theirs = json.loads(one), json.loads(other)
    is_named = is_unnamed or folded_name(mine["name"]) == folded_name(theirs["name"])
    is_filed = mine["categoryId"] == theirs["categoryId"]
    return Differs((0 if is_named else Differs.NAME) + (0 if is_filed else Differs.CATEGORY))


def differences(rows: Sequence[KeyedRow]) -> set[Differs]:
    """Return in what any two of some rows differ."""
    bodies = {row.payload: row for row in rows if row.payload is not None}.values()
    return {
        difference(one.payload, other.payload, is_unnamed=one.is_unnamed or other.is_unnamed)
        for one, other in combinations(bodies, 2)
    }


def row_that_stands(rows: Sequence[KeyedRow], keep: str | None) -> KeyedRow | RecordProblem:
    """Return the row of a key that stands, or why none does."""
    key = rows[0].key
    if len(rows) > 1 and key.startswith("[") and "" in json.loads(key):
        what = "a part of the key is empty, and the rest names several rows"
        return RecordProblem(KEY_MISSING, what, value=key, hint="fill it in")
    if len({row.content for row in rows}) == 1:
        return rows[0]
    if Differs.BOTH in differences(rows):
        return other_animals(rows)
    if keep in ("first", "last"):
        return rows[0] if keep == "first" else rows[-1]
    if keep is None:
        hint = "leave one of these rows, or say which one counts"
        return RecordProblem(KEY_REPEATED, _differ(rows), hint=hint, add=("keep", "?"))
    newest = max(row.rank or "" for row in rows)
    best = [row for row in rows if row.rank == newest]
    unclear = [row for row in rows if not row.rank]
    if len({row.content for row in best}) > 1:
        unclear = sorted({*unclear, *best}, key=lambda row: row.id)
    if not unclear:
        return best[0]
    hint = "which of them is the newest is not clear; leave the row that counts"
    return RecordProblem(KEY_REPEATED, _differ(rows), hint=hint)


def other_animals(rows: Sequence[KeyedRow]) -> RecordProblem:
    """Return the problem of rows of one key that are other animals."""
    hint = "they seem to be other animals: a further key column, such as the shelter, would help"
    return RecordProblem(KEY_REPEATED, _differ(rows), hint=hint)


def _differ(rows: Sequence[KeyedRow]) -> str:
    lines = [str(row.line) for row in rows]
    shown = ", ".join(lines[:5]) + (", …" if len(lines) > 5 else "")
    return f"rows of this key differ, in the lines {shown}"
