"""What a journal is asked to write about a record, and what it gives back.

In: nothing. Out: the values that pass between sending, reading back and the journal's writer. It
writes nothing itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from petstore_frame.loader.record import State


@dataclass(frozen=True, slots=True)
class Intent:
    """A request that may now be sent: it is on disk.

    Attributes:
        number: The record.
        payload: The request body.
        key: Its idempotency key, or None.
        attempt: 1 for the first.
        is_in_doubt: An earlier attempt may have been applied.
        claimed_at: When it was written, before the first byte; seconds since 1970.
        line: The record's first line in the file.
    """

    number: int
    payload: bytes
    key: str | None
    attempt: int
    is_in_doubt: bool
    claimed_at: float
    line: int = 0


@dataclass(frozen=True, slots=True)
class Settlement:
    """What the end of a request made of a record."""

    intent: Intent
    state: State
    verdict: str
    reason: str
    pet_id: int | None = None
    http_status: int | None = None
    error_code: str | None = None
    error_message: str | None = None
    error_field: str | None = None
    request_id: str | None = None
    elapsed_ms: float | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Resettlement:
    """A later change of a record: found in the store, not found, or to be sent again."""

    number: int
    old: State
    state: State
    reason: str
    pet_id: int | None = None
    id_source: str | None = None
