"""What one row of a file is, and the states that it can be in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from typing import Any, NamedTuple, Self


def short_text(text: str) -> str:
    """Return a text of a user in few characters, quoted."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


class State(StrEnum):
    """The states of a row, in the order in which they are shown; a row is in exactly one."""

    text: str

    def __new__(cls, value: str, text: str = "") -> Self:
        state = str.__new__(cls, value)
        state._value_, state.text = value, text
        return state

    CREATED = "created", "in the store"
    MATCHED = "matched", "in the store before the load"
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
        """Whether the row may be in the store although it was not seen there."""
        return self in UNCONFIRMED_STATES


# Every move of an animal; the journal's database refuses any other. None is the state of an animal
# of which nothing is to be sent. unconfirmed -> in_flight repeats a request because the store still
# remembers its idempotency key.
MOVES: dict[State | None, frozenset[State | None]] = {
    None: frozenset({State.PENDING, State.MATCHED}),
    State.PENDING: frozenset({State.IN_FLIGHT, None, State.MATCHED, State.GONE}),
    State.IN_FLIGHT: frozenset({State.CREATED, State.REJECTED, State.UNCONFIRMED, State.PENDING}),
    State.REJECTED: frozenset({State.PENDING, State.MATCHED, None}),
    State.UNCONFIRMED: frozenset({State.CREATED, State.NOT_FOUND, State.IN_FLIGHT}),
    State.NOT_FOUND: frozenset({State.PENDING, State.CREATED, State.MATCHED, None}),
    State.CREATED: frozenset({State.GONE}),
    State.MATCHED: frozenset({State.GONE, State.PENDING}),
    State.GONE: frozenset({State.PENDING, State.CREATED, State.MATCHED}),
}

# The reason of a row whose answer showed another row's pet.
OTHERS_ANSWER = "answer_of_another"
# An animal in one of these is in the store, was, may be, or will be.
_NOT_LIVE = (State.INVALID, State.REJECTED, State.EXCLUDED)
LIVE_STATES: tuple[State, ...] = tuple(state for state in State if state not in _NOT_LIVE)
# A row to fix is surely not in the store; an unconfirmed one may be.
FIX_STATES: tuple[State, ...] = (State.INVALID, State.REJECTED)
UNCONFIRMED_STATES: tuple[State, ...] = (State.UNCONFIRMED, State.IN_FLIGHT, State.NOT_FOUND)


class Reason(StrEnum):
    """Why a row is excluded: it is blank, excluded by the user, or its animal was loaded."""

    BLANK = "blank"
    LEFT_OUT = "left_out"
    KNOWN = "known"
    CHANGED = "changed"

    @property
    def is_plain(self) -> bool:
        """Whether no known animal is the reason."""
        return self not in (Reason.KNOWN, Reason.CHANGED)


class Ending(StrEnum):
    """Why a session of an import ended."""

    DONE = "done"
    MAX_ROWS = "max_rows"
    BUDGET = "budget"
    STOPPED = "stopped"
    OUTAGE = "outage"
    JOURNAL = "journal"
    INTERRUPTED = "interrupted"


class Suspicion(StrEnum):
    """Why a row is not sent until a person confirms it; ``allow=`` accepts these values."""

    TOTAL_ROW = "total_row"
    UNLISTED_CATEGORY = "unlisted_category"
    SWALLOWED_ROWS = "swallowed_rows"
    HIDDEN_ROW = "hidden_row"
    LARGE_QUANTITY = "large_quantity"
    WRAPPED_NAMES = "wrapped_names"


class RowFacts(NamedTuple):
    """What the state of a row depends on, apart from its animal."""

    is_left_out: bool = False  # the user excluded it, or one row per key was chosen and not this
    has_problem: bool = False
    is_matched: bool = False  # a rule, a key or an answer says which animal it is
    has_new_values: bool = False  # other values than its animal has


class AnimalFacts(NamedTuple):
    """What the state of a row depends on, of the animal that it is."""

    state: State | None  # None if nothing of the animal will be sent
    has_this_row: bool = False  # the animal is sent with the values of this row
    is_of_import: bool = False  # with the values of a row of the same import
    reason: str | None = None  # why it is in its state


def state_of(row: RowFacts, animal: AnimalFacts | None) -> State:
    """Return the state that a row shows.

    Example:
        >>> state_of(RowFacts(has_problem=True), None).value
        'invalid'
    """
    if animal is None or animal.state is None:
        if row.has_problem and not row.is_left_out:
            return State.INVALID
        return State.EXCLUDED
    if animal.has_this_row:
        return animal.state
    if animal.is_of_import or animal.state in (State.CREATED, State.MATCHED):
        return State.EXCLUDED
    return animal.state


def reason_of(row: RowFacts, animal: AnimalFacts | None) -> str | None:
    """Return why a row is in the state that it shows."""
    has_animal = animal is not None and animal.state is not None
    if animal is not None and has_animal and animal.has_this_row:
        return animal.reason
    if row.is_left_out:
        return Reason.LEFT_OUT
    if state_of(row, animal) is not State.EXCLUDED:
        return animal.reason if animal is not None and has_animal else None
    if not row.is_matched:
        return Reason.BLANK
    return Reason.CHANGED if row.has_new_values else Reason.KNOWN


SUSPICIOUS = "suspicious"


@dataclass(frozen=True, slots=True)
class RowProblem:
    """Why a row was refused before sending."""

    code: str  # a short name of the cause, such as ``int64_overflow``
    message: str
    column: str | None = None  # the file's own name; None for the whole row
    value: str | None = None
    hint: str = ""
    add: tuple[str, Any] | None = None  # a word that helps and its value, "?" where it is open
    allow: str | None = None  # the word of ``allow=`` that lets a suspicious row through


class RowOrigin(NamedTuple):
    """Which row of an earlier import, or of one whose id begins so, a row of a fix file is."""

    import_id: str
    row: int


class SourceRow(NamedTuple):
    """One animal of a file or frame, read and checked, before any request.

    A row with ``is_excluded`` still takes part in the choice of one row per key (``keep``,
    ``order_by``); if it is the chosen one, the animal is not sent.
    """

    number: int  # 1 for the first row after the header
    line: int  # 1 for the first of the file, or the row of a sheet
    cells: tuple[str, ...]  # verbatim; a short row has fewer than there are columns
    state: State  # invalid, pending, or excluded if no later choice can send it
    payload: bytes | None = None  # the request body of a row that can be sent, or was excluded
    content: str | None = None  # category and folded name of a row with a payload
    problems: tuple[RowProblem, ...] = ()  # all of them, in the order of the columns sent
    notes: tuple[str, ...] = ()  # what was normalized, such as ``trimmed``
    key: tuple[str, ...] | None = None  # the texts of the key columns, in the recipe's order
    origin: RowOrigin | None = None  # the row that a row of a fix file corrects
    order_value: str | None = None  # sorts as ``order_by``; "" if empty, "?" if unreadable
    is_excluded: bool = False  # by ``include``, ``exclude`` or ``exclude_lines``
    has_default_name: bool = False  # the name is from ``defaults``
    # Of the texts that would be sent, for a row that cannot be: rows with the same are
    # interchangeable, whatever their other columns hold.
    unsent_hash: bytes | None = None


def digest_of(body: bytes) -> bytes:
    """Return a short digest of what a row sends, or would send."""
    return blake2b(body, digest_size=12).digest()
