"""What one record of a file is, and the states that its fate moves through.

In: nothing. Out: the values that reading, checking, journal, sending and results pass on.
It reads no file and sends nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """The fate of a record; each is in exactly one."""

    INVALID = "invalid"
    SKIPPED = "skipped"
    PENDING = "pending"
    IN_FLIGHT = "in_flight"
    CREATED = "created"
    REJECTED = "rejected"
    UNKNOWN = "unknown"
    ABSENT = "absent"


# Every move that a record may make; a journal refuses any other.
MOVES: dict[State, frozenset[State]] = {
    State.PENDING: frozenset({State.IN_FLIGHT}),
    State.IN_FLIGHT: frozenset({State.CREATED, State.REJECTED, State.PENDING, State.UNKNOWN}),
    State.UNKNOWN: frozenset({State.CREATED, State.ABSENT}),
    State.ABSENT: frozenset({State.PENDING}),
    State.INVALID: frozenset(),
    State.SKIPPED: frozenset(),
    State.CREATED: frozenset(),
    State.REJECTED: frozenset(),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a record was refused before sending.

    Attributes:
        code: One word for the cause, for example ``int64_overflow``.
        message: What is wrong, in words.
        column: The file's own name of the column, or None for the whole record.
        value: What the cell held.
        hint: How to mend it.
    """

    code: str
    message: str
    column: str | None = None
    value: str | None = None
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """One record, read and checked, before any request.

    Attributes:
        number: 1 for the first record after the header.
        line: First physical line; 1 is the first of the file (for Excel: the sheet's row).
        cells: The cells verbatim, in the order of the source's header; a short row is shorter,
            a long one longer.
        state: invalid, skipped or pending.
        payload: The bytes of the request body, or None unless pending.
        problem: The first problem, or None.
        warnings: What was normalised on the way, for example ``trimmed``.
    """

    number: int
    line: int
    cells: tuple[str, ...]
    state: State
    payload: bytes | None = None
    problem: Problem | None = None
    warnings: tuple[str, ...] = ()
