"""What one run of the service is asked to be.

In: values from a command line or one JSON line. Out: a checked, frozen ``Options``.
It opens nothing and knows no library.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from petstore_frame.service.rules import HEAD_S

LimitPolicy = Literal["refuse", "clamp"]
AfterSunset = Literal["serve", "gone"]
LogLevel = Literal["debug", "info", "warning", "error", "off"]


@dataclass(frozen=True, kw_only=True)
class Options:
    """Settings of one service run.

    Args:
        host: Address to listen on.
        port: Port to listen on; 0 picks a free one.
        database: SQLAlchemy URL or path of a SQLite file; None is a fresh one that ends
            with the run.
        api_key: A key to accept beside those in the database.
        sample: Number of made-up pets to put into an empty store.
        seed: Seed of those pets; the same seed gives the same pets.
        public_url: Address under which clients reach ``/v1``, where it is not the own one.
        spec_only: Leave out every extension of the interface.
        strict: Refuse unknown body fields and query parameters.
        limit_policy: What becomes of a limit outside 1 to 100.
        rate: Requests per second and key; None is no limit.
        after_sunset: Whether getPet goes on after its removal date.
        patience_s: Seconds that a request's head may take; its body, and the reading of an answer,
            may take twice as long.
        workers: Number of processes; more than one needs PostgreSQL.
        listen_fd: An inherited socket that listens already; host and port are then its own.
        log_level: Least severe log line that is written; ``off`` writes none.

    Raises:
        ValueError: A setting is outside its bounds; the text names it and what it can be.
    """

    host: str = "127.0.0.1"
    port: int = 0
    database: str | None = None
    api_key: str | None = field(default=None, repr=False)
    sample: int = 0
    seed: int = 0
    public_url: str | None = None
    spec_only: bool = False
    strict: bool = False
    limit_policy: LimitPolicy = "refuse"
    rate: float | None = None
    after_sunset: AfterSunset = "serve"
    patience_s: float = HEAD_S
    workers: int = 1
    listen_fd: int | None = None
    log_level: LogLevel = "info"

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ValueError(f"port is 0 to 65535, got {self.port}")
        if self.sample < 0:
            raise ValueError(f"sample is 0 or more, got {self.sample}")
        _check_choice("limit_policy", self.limit_policy, LimitPolicy)
        _check_choice("after_sunset", self.after_sunset, AfterSunset)
        _check_choice("log_level", self.log_level, LogLevel)
        for name in ("rate", "patience_s"):
            value = getattr(self, name)
            if value is not None and not (value > 0 and math.isfinite(value)):
                raise ValueError(f"{name} is a finite number above 0, got {value}")
        if self.workers < 1:
            raise ValueError(f"workers is 1 or more, got {self.workers}")
        if self.workers > 1 and not (self.database or "").startswith("postgresql"):
            raise ValueError(
                "more than one worker needs PostgreSQL: --database postgresql+psycopg://..."
            )

    @classmethod
    def from_mapping(cls, values: dict[str, Any]) -> Options:
        """Build Options from a JSON object, refusing names that it does not know."""
        known = {entry.name for entry in fields(cls)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise ValueError(f"unknown option: {', '.join(unknown)}")
        return cls(**values)


class StartError(Exception):
    """The service cannot start as it was asked to; the text gives the reason."""


def _check_choice(name: str, value: object, choices: Any) -> None:
    allowed = get_args(choices)
    if value not in allowed:
        listed = f"{', '.join(allowed[:-1])} or {allowed[-1]}"
        raise ValueError(f"{name} is {listed}, got {value!r}")


def database_url(database: str) -> str:
    """Return a SQLAlchemy URL for a URL or the path of a SQLite file."""
    if "://" in database:
        return database
    return f"sqlite:///{Path(database).absolute()}"
