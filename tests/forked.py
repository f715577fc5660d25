"""Runs functions in child processes forked from one that has imported the package.

Such a start takes milliseconds, and that of a new interpreter a second. The child is a process of
its own: a test may kill it.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    ["petstore_frame.weekly.weekly_steps", "petstore_frame.cli", "petstore_frame.service.app"]
)


class Child:
    """A running child process.

    Args:
        function: A function of a module, which is imported in the child.
        arguments: Its arguments; they must be picklable.
    """

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._results, sender = _CONTEXT.Pipe(duplex=False)
        self._process = _CONTEXT.Process(
            target=_run, args=(sender, function, arguments), daemon=True
        )
        self._process.start()
        sender.close()
        self.pid = self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def kill(self) -> None:
        """End it with SIGKILL."""
        self._process.kill()

    def wait(self, timeout_s: float = 60) -> int:
        """Wait for its end, and return its exit code; -9 if it was killed."""
        self._process.join(timeout_s)
        code = self._process.exitcode
        assert code is not None, f"still running after {timeout_s:.0f} s"
        return code

    def result(self) -> Any:
        """Wait for its end, and return the function's result; None if the function failed."""
        result = None
        with suppress(EOFError):
            result = self._results.recv()
        self.wait()
        return result


def _run(sender: Connection, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    sender.send(function(*arguments))
