"""How far an import goes, and the numbers that hold unless a caller gives others."""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_WORKERS, MOST_WORKERS = 16, 32
# Twice the timeout of a Client that was given none: a request is awaited for one, and a proxy
# in between may hold it as long again.
GRACE_S = 240.0
MOST_GETS = 5000


@dataclass(frozen=True)
class Limits:
    """How far a session goes.

    Attributes:
        workers: The largest number of requests in flight.
        max_errors: How many records may be invalid, and how many rejected; None for any number.
        patience_s: Seconds without an answer after which an outage ends the session.
        first_patience_s: The same before the first answer of the session.
        has_canary: Send one record alone first, and read it back.
    """

    workers: int = DEFAULT_WORKERS
    max_errors: int | None = None
    patience_s: float = 900.0
    first_patience_s: float = 10.0
    has_canary: bool = True
