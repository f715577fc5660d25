"""Defines a row of a file, and the states that it can be in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from typing import Any, NamedTuple, Self

from petstore_frame.exit_codes import ExitCode
from petstore_frame.tables.table import RowOrigin


class State(StrEnum):
    """The states of a row, in the order of reports; a row is in exactly one of them."""

    text: str

    def __new__(cls, value: str, text: str = "") -> Self:
        state = str.__new__(cls, value)
        state._value_, state.text = value, text
        return state

    CREATED = "created", "in the store"
    MATCHED = "matched", "in the store before the load"
    POSSIBLE_DUPLICATE = "possible_duplicate", "not sent, may be loaded already"
    INVALID = "invalid", "not sent, needs fixing"
    REJECTED = "rejected", "rejected by the store, needs fixing"
    UNCONFIRMED = "unconfirmed", "unconfirmed, may be in the store"
    NOT_FOUND = "not_found", "not found in the store"
    IN_FLIGHT = "in_flight", "being sent"
    PENDING = "pending", "not sent yet"
    GONE = "gone", "no longer in the store"
    EXCLUDED = "excluded", "excluded"

    @property
    def is_unconfirmed(self) -> bool:
        """Whether the row may be in the store without confirmation."""
        return self in UNCONFIRMED_STATES


# The allowed changes of an animal's state; a trigger in the journal rejects all others. None is a
# row without an animal. unconfirmed -> in_flight sends a request again while the store still
# remembers its idempotency key. Whether an animal is gone is a flag, not a state.
MOVES: dict[State | None, frozenset[State | None]] = {
    None: frozenset({State.PENDING}),
    State.PENDING: frozenset({State.IN_FLIGHT, None, State.MATCHED}),
    State.IN_FLIGHT: frozenset({State.CREATED, State.REJECTED, State.UNCONFIRMED, State.PENDING}),
    State.REJECTED: frozenset({State.PENDING, State.MATCHED, None}),
    State.UNCONFIRMED: frozenset({State.CREATED, State.NOT_FOUND, State.IN_FLIGHT}),
    State.NOT_FOUND: frozenset({State.PENDING, State.CREATED, State.MATCHED, None}),
    State.CREATED: frozenset(),
    State.MATCHED: frozenset(),
}

# The reason of a row if its response contained the pet of another row.
OTHERS_ANSWER = "answer_of_another"
# What was sent and is not proven absent, or was matched with a pet: the rules know only these.
ANIMAL_STATES: tuple[State, ...] = (
    State.CREATED, State.MATCHED, State.IN_FLIGHT, State.UNCONFIRMED,
)  # fmt: skip
# A row that needs fixing is certainly not in the store; an unconfirmed row may be.
FIX_STATES: tuple[State, ...] = (State.INVALID, State.REJECTED)
UNCONFIRMED_STATES: tuple[State, ...] = (State.UNCONFIRMED, State.IN_FLIGHT, State.NOT_FOUND)


class Reason(StrEnum):
    """Why a row is excluded, or how it differs from its animal, which another row sent."""

    BLANK = "blank"
    LEFT_OUT = "left_out"
    KNOWN = "known"
    CHANGED = "changed"


class Ending(StrEnum):
    """Why a session of an import ended."""

    DONE = "done"
    MAX_ROWS = "max_rows"
    BUDGET = "budget"
    STOPPED = "stopped"
    OUTAGE = "outage"
    JOURNAL = "journal"
    INTERRUPTED = "interrupted"

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of a session that ended like this, whatever the states of its rows."""
        return _EXIT_CODES.get(self, ExitCode.DONE)


_EXIT_CODES = {
    Ending.BUDGET: ExitCode.TOO_MANY_ERRORS,
    Ending.STOPPED: ExitCode.STORE,
    Ending.OUTAGE: ExitCode.STORE,
    Ending.JOURNAL: ExitCode.DISK,
    Ending.INTERRUPTED: ExitCode.INTERRUPTED,
}


class Suspicion(StrEnum):
    """Why a row is not sent until a person confirms it; ``allow=`` accepts these values."""

    TOTAL_ROW = "total_row"
    UNLISTED_CATEGORY = "unlisted_category"
    SWALLOWED_ROWS = "swallowed_rows"
    HIDDEN_ROW = "hidden_row"
    LARGE_QUANTITY = "large_quantity"
    WRAPPED_NAMES = "wrapped_names"


SUSPICIOUS = "suspicious"


@dataclass(frozen=True, slots=True)
class RowProblem:
    """Why a row cannot be sent."""

    code: str  # a short name of the cause, such as ``int64_overflow``
    message: str
    column: str | None = None  # as the file spells it; None if the whole row is the problem
    value: str | None = None
    hint: str = ""
    add: tuple[str, Any] | None = None  # an option to add, and its value; "?" for an open one
    allow: str | None = None  # the value of ``allow=`` with which a suspicious row is sent

    @property
    def is_missing(self) -> bool:
        """Whether the cell of a required field is empty; the message then says what is missing."""
        return self.code.startswith("missing_")


class SourceRow(NamedTuple):
    """One animal of a file or frame, read and checked, before any request.

    A row with ``is_excluded`` still takes part in the choice of one row per key (``keep``,
    ``order_by``); if it is the chosen one, the animal is not sent.
    """

    number: int  # 1 for the first row after the header
    line: int  # 1 for the first line of the file; for a workbook, the row of the sheet
    cells: tuple[str, ...]  # unchanged; fewer than the columns if the row is short
    state: State  # invalid, pending, or excluded if no later choice can send it
    payload: bytes | None = None  # the request body of a valid row
    content: str | None = None  # category and folded name of a row with a payload
    problems: tuple[RowProblem, ...] = ()  # in the order of the fields
    notes: tuple[str, ...] = ()  # codes of what was normalized, such as ``trimmed``
    key: tuple[str, ...] | None = None  # the texts of the key columns, in the order of the recipe
    origin: RowOrigin | None = None  # the row that a row of a fix file corrects
    order_value: str | None = None  # sorts as ``order_by``; "" if empty, "?" if unreadable
    is_excluded: bool = False  # by ``include``, ``exclude`` or ``exclude_lines``
    has_default_name: bool = False  # the name is from ``defaults``
    # For an invalid row, a hash of the texts of its fields. Invalid rows with the same hash are
    # interchangeable, even if their other columns differ.
    unsent_hash: bytes | None = None


def digest_of(body: bytes) -> bytes:
    """Return a short hash of a request body, or of the texts of an invalid row."""
    return blake2b(body, digest_size=12).digest()
