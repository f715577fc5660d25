"""One importer at a time.

In: the path of a thing to hold. Out: a hold on it, which ends with the process however that
ends. It knows nothing of what is held.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Self

from petstore_frame.errors import JournalLockedError


class Lock:
    """Holds a small database beside a file exclusively; the system lets go when we die.

    Args:
        path: The file to hold; the lock's own file has ``.lock`` added to its name.
        wait_s: Seconds to wait for another holder.

    Raises:
        JournalLockedError: Another process, or another thread of this one, holds it.
    """

    def __init__(self, path: Path, *, wait_s: float = 0.0) -> None:
        self._sql = sqlite3.connect(
            path.with_name(path.name + ".lock"),
            timeout=wait_s,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            self._sql.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as problem:
            self._sql.close()
            raise JournalLockedError(
                f"{path}: another import is at work here; wait for it to end, "
                "or stop it: whatever it has begun can be resumed"
            ) from problem

    def close(self) -> None:
        """Let go."""
        with closing(self._sql):
            if self._sql.in_transaction:
                self._sql.execute("ROLLBACK")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
