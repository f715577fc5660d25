"""Shows progress as one line that is written anew, or by the caller's function."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Generic, Self, TypeAlias, TypeVar

from petstore_frame.errors import ArgumentError

Fact = TypeVar("Fact")
ProgressOption: TypeAlias = bool | Callable[[Fact], object] | None
EVERY_S = 0.2


def checked_progress(option: Any) -> None:
    """Refuse what cannot be a ``progress=`` option."""
    if not (callable(option) or option is None or option is True or option is False):
        raise ArgumentError(f"progress is a function, True, False or None, got {option!r}")


class Display(Generic[Fact]):
    """The caller's function, a line of which nothing stays, or neither; use it in a ``with``.

    Args:
        option: The caller's ``progress=``: True for a line, False for nothing, None for a line if
            a person is watching; or a function, called with each fact.
        label: What is counted.
        total: Where it ends, or None where nobody knows.
        delay_s: How long nothing is shown, for what is mostly done in a moment.

    Raises:
        ArgumentError: The option is something else.
    """

    def __init__(
        self,
        option: ProgressOption[Fact],
        label: str,
        total: int | None = None,
        *,
        delay_s: float = 0.0,
    ) -> None:
        checked_progress(option)
        self._function = option if callable(option) else None
        self._has_line = is_watched() if option is None else option is True
        self._label, self._of = label, "" if total is None else f" of {total:,}"
        self._began, self._next = time.monotonic(), time.monotonic() + delay_s
        self._width = 0
        self._cell: Any = None  # a display of IPython

    def show(self, fact: Fact, done: int, **notes: object) -> None:
        """Call the function with a fact, or write the number done, with notes behind it."""
        now = time.monotonic()
        if self._function is not None:
            self._function(fact)
        elif self._has_line and now >= self._next:
            self._next = now + EVERY_S
            rate = f"{done / max(now - self._began, 1e-3):,.0f}/s"
            words = [f"{self._label}: {done:,}{self._of}", rate]
            self._write(", ".join([*words, *(f"{name} {value}" for name, value in notes.items())]))

    def _write(self, text: str) -> None:
        if is_in_notebook():
            if self._cell is None:
                display: Any = sys.modules["IPython"].display.display
                self._cell = display({"text/plain": ""}, raw=True, display_id=True)
            self._cell.update({"text/plain": text}, raw=True)
        else:
            end = "" if text else "\r"
            print(f"\r{text:{self._width}}", end=end, file=sys.stderr, flush=True)  # noqa: T201 # progress
        self._width = len(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._width:
            self._write("")


def is_in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def is_watched() -> bool:
    """Return whether a person sees the output live: in a terminal or a notebook."""
    return is_in_notebook() or (sys.stderr is not None and sys.stderr.isatty())
