"""Progress, shown as one line that is written anew, or by the caller's function."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar

from petstore_frame.schema.arguments import refuse

Fact = TypeVar("Fact")
EVERY_S = 0.2


def open_progress(
    option: bool | Callable[[Fact], None] | None,
    label: str,
    total: int | None = None,
    *,
    delay_s: float = 0.0,
) -> Display[Fact]:
    """Return the display of progress; nothing appears before its first ``show``.

    Args:
        option: The caller's ``progress=``: True for a line, False for nothing, None for a line if
            a person is watching; or a function, called with each fact.
        label: What is counted.
        total: Where it ends, or None where nobody knows.
        delay_s: How long nothing is shown, for what is mostly done in a moment.

    Raises:
        ArgumentError: The option is something else.
    """
    checked_progress(option)
    function = option if callable(option) else None
    has_line = is_watched() if option is None else option is True
    return Display(function, _ProgressLine(label, total, delay_s) if has_line else None)


def checked_progress(option: Any) -> None:
    """Refuse what cannot be a ``progress=`` option."""
    if not (callable(option) or option is None or option is True or option is False):
        refuse(f"progress is a function, True, False or None, got {option!r}")


class Display(Generic[Fact]):
    """The caller's function, a line, or neither; made by ``open_progress``."""

    def __init__(self, function: Callable[[Fact], None] | None, line: _ProgressLine | None) -> None:
        self._function, self._line = function, line

    def show(self, fact: Fact, done: int, **notes: object) -> None:
        """Call the function with a fact, or write the number done, with notes behind it."""
        if self._function is not None:
            self._function(fact)
        elif self._line is not None:
            self._line.show(done, notes)

    def close(self) -> None:
        """Take the line away; a later ``show`` writes another."""
        if self._line is not None:
            self._line.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _ProgressLine:
    """A line in a terminal or in the output of a notebook's cell, of which nothing stays."""

    def __init__(self, label: str, total: int | None, delay_s: float) -> None:
        self._label, self._of = label, "" if total is None else f" of {total:,}"
        self._began, self._next = time.monotonic(), time.monotonic() + delay_s
        self._width = 0
        self._cell: Any = None  # a display of IPython

    def show(self, done: int, notes: dict[str, object]) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + EVERY_S
        rate = f"{done / max(now - self._began, 1e-3):,.0f}/s"
        words = [f"{self._label}: {done:,}{self._of}", rate]
        self._write(", ".join([*words, *(f"{name} {value}" for name, value in notes.items())]))

    def clear(self) -> None:
        if self._width:
            self._write("")

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


def is_in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def is_watched() -> bool:
    """Return whether a person sees the output live: in a terminal or a notebook."""
    return is_in_notebook() or (sys.stderr is not None and sys.stderr.isatty())
