"""Finds the line of the caller, which a warning names."""

from __future__ import annotations

from inspect import currentframe
from types import FrameType

_US = "petstore_frame"
# Libraries through which this package calls itself: their frames are nobody's own code.
_BETWEEN = frozenset({_US, "httpx", "httpcore", "contextlib"})


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
