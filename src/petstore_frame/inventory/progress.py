"""Progress, shown by a bar of tqdm or by the caller's function."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar

from petstore_frame.schema.arguments import refuse

Fact = TypeVar("Fact")


def open_progress(
    option: bool | Callable[[Fact], None] | None,
    label: str,
    total: int | None = None,
    **look: Any,
) -> Display[Fact]:
    """Return the display of progress; nothing appears before its first ``show``.

    Args:
        option: The caller's ``progress=``: True for a bar, False for nothing, None for a bar if a
            person is watching; or a function, called with each fact.
        label: What is counted, for the bar.
        total: Where it ends, or None where nobody knows.
        look: Further options of ``tqdm.tqdm``.

    Raises:
        ArgumentError: The option is something else.
    """
    checked_progress(option)
    function = option if callable(option) else None
    has_bar = is_watched() if option is None else option is True
    return Display(function, {"desc": label, "total": total, **look} if has_bar else None)


def checked_progress(option: Any) -> None:
    """Refuse what cannot be a ``progress=`` option."""
    if not (callable(option) or option is None or option is True or option is False):
        refuse(f"progress is a function, True, False or None, got {option!r}")


class Display(Generic[Fact]):
    """The caller's function, a bar, or neither; made by ``open_progress``."""

    def __init__(
        self, function: Callable[[Fact], None] | None, look: dict[str, Any] | None
    ) -> None:
        self._function, self._look = function, look
        self._bar: Any = None

    def show(self, fact: Fact, done: int, **notes: object) -> None:
        """Call the function with a fact, or move the bar to a number, with notes behind it."""
        if self._function is not None:
            self._function(fact)
        elif (bar := self._shown_bar()) is not None:
            bar.set_postfix(notes, refresh=False)  # also without notes, to remove earlier ones
            bar.update(done - bar.n)

    def _shown_bar(self) -> Any:
        if self._bar is None and self._look is not None:
            from tqdm import tqdm

            look = {"unit": " pets", "mininterval": 0.2, **self._look}
            if is_in_notebook():
                look |= {"file": _Output(), "leave": False, "dynamic_ncols": False}
            self._bar = tqdm(**look)
        return self._bar

    def close(self) -> None:
        """Take the bar down; a later ``show`` puts up another."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Output:
    """A line in the output of a notebook's cell, of which nothing is saved once it is empty.

    A bar of widgets would stay in the saved notebook as the text that it began with.
    """

    encoding = "utf-8"

    def __init__(self) -> None:
        import IPython.display

        show: Any = IPython.display.display
        self._shown = show({"text/plain": ""}, raw=True, display_id=True)

    def write(self, text: str) -> None:
        if line := text.strip("\r\n"):
            self._shown.update({"text/plain": line.strip()}, raw=True)

    def flush(self) -> None: ...


def is_in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def is_watched() -> bool:
    """Return whether a person sees the output live: in a terminal or a notebook."""
    return is_in_notebook() or (sys.stderr is not None and sys.stderr.isatty())
