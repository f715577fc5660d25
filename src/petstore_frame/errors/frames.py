"""Which lines of a stack are a caller's own: those that a warning or a notebook should show."""

from __future__ import annotations

import linecache
import sys
import traceback
from inspect import currentframe
from itertools import takewhile
from types import FrameType

_US = "petstore_frame"
# Libraries through which this package calls itself: their frames are nobody's own code.
_BETWEEN = frozenset({_US, "httpx", "httpcore", "contextlib"})
_NOTEBOOK = frozenset({"IPython", "ipykernel"})


class ShortTraceback:
    """An error that a notebook shows as its sentence and the caller's own lines."""

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows; the rest is one call away."""
        assert isinstance(self, BaseException)  # noqa: S101 # it is mixed into exceptions only
        cause = self.__cause__
        return [
            f"{type(self).__name__}: {self}",
            *getattr(self, "__notes__", ()),
            *([] if cause is None else [f"(because of {type(cause).__name__}: {cause})"]),
            *own_lines(self),
            "The calls inside petstore_frame: petstore_frame.errors.print_traceback()",
        ]


def own_lines(problem: BaseException) -> list[str]:
    """Return the lines of the caller's own code that led to an error, outermost first."""
    stack = list(traceback.walk_tb(problem.__traceback__))
    own = takewhile(lambda at: _part(at[0]) != _US, stack)
    return [_shown(frame, line) for frame, line in own if _part(frame) not in _NOTEBOOK]


def print_traceback(problem: BaseException | None = None) -> None:
    """Print every call that led to an error, those inside petstore_frame included.

    Args:
        problem: The error; None is the last one that a notebook or a prompt has shown.
    """
    if problem is None:
        problem = getattr(sys, "last_value", None)
    if problem is not None:
        traceback.print_exception(problem)


def callers_level() -> int:
    """Return the ``stacklevel`` at which ``warnings.warn`` names the caller's own line.

    Call it in the same function as ``warnings.warn``.
    """
    frame, level = currentframe(), 0
    while frame and frame.f_back and _part(frame) in _BETWEEN:
        frame, level = frame.f_back, level + 1
    return level


def _part(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]


def _shown(frame: FrameType, line: int) -> str:
    file = frame.f_code.co_filename
    is_cell = "ipykernel" in file or file.startswith("<")
    code = linecache.getline(file, line, frame.f_globals).strip()
    return f"  {'this cell' if is_cell else file}, line {line}: {code}"
