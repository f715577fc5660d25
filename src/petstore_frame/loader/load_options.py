"""Checks the arguments of a load, before anything is sent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, get_args

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.matching.values import Answer
from petstore_frame.loader.row_state import State
from petstore_frame.storage.progress import checked_progress
from petstore_frame.validation import (
    before_sending,
    checked_choice,
    checked_client,
    checked_integer,
    checked_integers,
)

# Whether a whole file has new animals, the number of the copy, or the lines with new animals.
AsNew = bool | int | Collection[int]
ProgressOption = bool | Callable[[Mapping[State, int]], None] | None
DEFAULT_WORKERS, MOST_WORKERS = 16, 32
# Twice the default timeout of a Client: once for the request itself, and once for a proxy that may
# pass it on late.
GRACE_S = 240.0


@dataclass(frozen=True)
class LoadOptions:
    """The arguments of one load, described in ``load``; those that read the file are a Recipe."""

    workers: int | None = None
    max_errors: int | None = None
    max_rows: int | None = None
    dry_run: bool = False
    duplicates: Answer | None = None
    as_new: AsNew = False
    exclude_lines: Collection[int] = ()
    rename_categories: Collection[int] = ()
    check_store: bool = True
    progress: ProgressOption = None
    journal: str | PathLike[str] | None = None
    patience_s: float = 900.0  # seconds without an answer until the session ends as an outage
    first_patience_s: float = 10.0  # the same, before the first answer of the session

    @before_sending()
    def check(self, client: Any) -> None:
        """Reject an invalid argument; the message has the allowed values."""
        checked_client(client, "post_pet")
        if self.workers is not None:
            checked_integer("workers", self.workers, 1, MOST_WORKERS)
        if self.max_errors is not None:
            checked_integer("max_errors", self.max_errors, 0)
        if self.max_rows is not None:
            checked_integer("max_rows", self.max_rows, 1)
        checked_progress(self.progress)
        if self.duplicates is not None:
            checked_choice("duplicates", self.duplicates, get_args(Answer))
        if not isinstance(self.as_new, (bool, Collection)):
            checked_integer("as_new", self.as_new, 1)
        checked_integers("as_new", self.new_lines, 1)
        checked_integers("exclude_lines", self.exclude_lines, 1)
        checked_integers("rename_categories", self.rename_categories)
        for name in ("dry_run", "check_store"):
            if not isinstance(getattr(self, name), bool):
                raise ArgumentError(f"{name} must be True or False, got {getattr(self, name)!r}")

    @property
    def copy(self) -> int:
        """The number of the copy that the whole file stands for; 0 for the original animals."""
        return 0 if isinstance(self.as_new, Collection) else int(self.as_new)

    @property
    def new_lines(self) -> Collection[int]:
        """The lines of new animals, even if they look like loaded ones."""
        return self.as_new if isinstance(self.as_new, Collection) else ()
