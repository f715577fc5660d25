"""Shows progress with tqdm on a terminal or in a notebook, or calls a function of the user."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from petstore_frame.errors import ArgumentError
from petstore_frame.validation import shown

if TYPE_CHECKING:
    from tqdm import tqdm

Value = TypeVar("Value")
ProgressOption: TypeAlias = bool | Callable[[Value], object] | None
REDRAW_S = 0.2
# A shorter wait is over before anybody has read about it.
_LEAST_WAIT_S = 1.0


def checked_progress(option: Any) -> None:
    """Reject anything that cannot be a ``progress=`` argument."""
    if not (callable(option) or option is None or option is True or option is False):
        raise ArgumentError(
            f"progress must be a function, True, False or None, got {shown(option)}"
        )


class ProgressBar(AbstractContextManager["ProgressBar[Value]"], Generic[Value]):
    """A context manager that shows a progress bar, or calls a function of the user.

    Args:
        option: The argument ``progress``: True shows a bar, False shows nothing, None shows a bar
            on a terminal or in a notebook. A function is called with each value.
        label: What is counted.
        total: The final number, or None if it is unknown.
        delay_s: Seconds before the bar appears, for work that usually takes a moment.

    Raises:
        ArgumentError: The option is none of these.
    """

    def __init__(
        self,
        option: ProgressOption[Value],
        label: str,
        total: int | None = None,
        *,
        delay_s: float = 0.0,
    ) -> None:
        checked_progress(option)
        self._callback = option if callable(option) else None
        is_visible = is_watched() if option is None else option is True
        self._bar = _new_bar(label, total, delay_s) if is_visible else None

    def show(self, value: Value, done: int, **notes: object) -> None:
        """Call the function of the user with a value, or show the number done and notes."""
        if self._callback is not None:
            self._callback(value)
            return
        if self._bar is None:
            return
        self._bar.set_postfix_str(
            ", ".join(f"{name} {note}" for name, note in notes.items()), refresh=False
        )
        self._bar.update(done - self._bar.n)

    def note(self, text: str) -> None:
        """Show a text after the number at once, until the next number."""
        if self._bar is not None:
            self._bar.set_postfix_str(text, refresh=True)

    def note_wait(self, seconds: float, is_requested: bool) -> None:
        """Show that the store asked to wait, or that it is not answering."""
        if is_requested:
            self.note(f"the store asked us to wait {seconds:,.0f} s")
        elif seconds >= _LEAST_WAIT_S:
            self.note(f"the store is not answering; trying again in {seconds:,.0f} s")

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _new_bar(label: str, total: int | None, delay_s: float) -> tqdm[Any]:
    from tqdm import tqdm  # takes a while to load, and most programs show no bar

    return tqdm(
        desc=label,
        total=total,
        delay=delay_s,
        file=_CellStream() if is_in_notebook() else sys.stderr,
        leave=False,
        miniters=0,  # the time alone decides when the bar is drawn again
        mininterval=REDRAW_S,
        unit=" pets",
    )


class _CellStream:
    """Shows the last line written to it below the running cell.

    tqdm's own notebook bar is a widget, which a saved notebook shows as an error once the kernel is
    gone. Text in a display of the cell leaves nothing behind, with or without ipywidgets.
    """

    encoding = "utf-8"

    def __init__(self) -> None:
        self._display: Any = None

    def write(self, text: str) -> None:
        line = text.strip("\r\n")
        if self._display is None:
            display: Any = sys.modules["IPython"].display.display
            self._display = display({"text/plain": ""}, raw=True, display_id=True)
        if text != "\r":  # tqdm's last write moves the cursor back and shows nothing
            self._display.update({"text/plain": line.rstrip()}, raw=True)

    def flush(self) -> None:
        """Do nothing: the display is updated at once."""


def is_in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def is_watched() -> bool:
    """Return whether a person sees the output live: on a terminal or in a notebook."""
    return is_in_notebook() or (sys.stderr is not None and sys.stderr.isatty())
