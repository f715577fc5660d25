"""What one record of a file is, and the states that its fate moves through.

In: nothing. Out: the values that reading, checking, journal, sending and results pass on.
It reads no file and sends nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


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


# Every move that a record may make; a journal refuses any other. Three are bound to more than
# the states: pending -> skipped hands a record that was never sent to the import of an edited
# file, skipped -> pending takes a caller's word that a record of an earlier import is another
# animal, and unknown -> in_flight repeats a request under an idempotency key still remembered.
MOVES: dict[State, frozenset[State]] = {
    State.PENDING: frozenset({State.IN_FLIGHT, State.SKIPPED}),
    State.IN_FLIGHT: frozenset({State.CREATED, State.REJECTED, State.PENDING, State.UNKNOWN}),
    State.UNKNOWN: frozenset({State.CREATED, State.ABSENT, State.IN_FLIGHT}),
    State.ABSENT: frozenset({State.PENDING, State.CREATED, State.UNKNOWN}),
    State.INVALID: frozenset(),
    State.SKIPPED: frozenset({State.PENDING}),
    State.CREATED: frozenset(),
    State.REJECTED: frozenset(),
}


# A record to fix is surely not in the store; one in doubt may be.
FIX_STATES = (State.INVALID, State.REJECTED)
DOUBT_STATES = (State.UNKNOWN, State.IN_FLIGHT, State.ABSENT)


class Ending(StrEnum):
    """Why a session of an import ended."""

    DONE = "done"
    BUDGET = "budget"
    STOPPED = "stopped"
    OUTAGE = "outage"
    JOURNAL = "journal"
    INTERRUPTED = "interrupted"


_ENDING_CODES = {
    Ending.BUDGET: 4,
    Ending.STOPPED: 5,
    Ending.OUTAGE: 5,
    Ending.JOURNAL: 6,
    Ending.INTERRUPTED: 130,
}


def exit_code(
    counts: Mapping[State, int], ending: Ending | None, *, has_doubt_elsewhere: bool = False
) -> int:
    """Return the exit code of an import; of several that apply, the worst.

    0 all created, 1 some invalid or rejected, 3 some in doubt, 4 too many errors, 5 stopped by
    the store or an outage (run it again), 6 journal or disk, 130 interrupted.
    """
    applying = [_ENDING_CODES[ending]] if ending in _ENDING_CODES else [0]
    if any(counts.get(state) for state in FIX_STATES):
        applying.append(1)
    if has_doubt_elsewhere or any(counts.get(state) for state in DOUBT_STATES):
        applying.append(3)
    return max(applying)


@dataclass(frozen=True, slots=True)
class RecordProblem:
    """Why a record was refused before sending.

    Attributes:
        code: A short name of the cause, for example ``int64_overflow``.
        message: What is wrong.
        column: The file's own name of the column, or None for the whole record.
        value: What the cell held.
        hint: How to fix it.
    """

    code: str
    message: str
    column: str | None = None
    value: str | None = None
    hint: str = ""


class Record(NamedTuple):
    """One record, read and checked, before any request.

    A tuple, because a million of them are made.

    Attributes:
        number: 1 for the first record after the header.
        line: First physical line; 1 is the first of the file (for Excel: the sheet's row).
        cells: The cells verbatim, in the order of the source's header; a short row is shorter,
            a long one longer.
        state: invalid, skipped or pending.
        payload: The bytes of the request body, or None unless pending.
        problem: The first problem, or None.
        warnings: What was normalised on the way, for example ``trimmed``.
        lineage: Run and record that it was fixed from, as ``run:record``, or None.
    """

    number: int
    line: int
    cells: tuple[str, ...]
    state: State
    payload: bytes | None = None
    problem: RecordProblem | None = None
    warnings: tuple[str, ...] = ()
    lineage: str | None = None
