"""Which line of a caller's own code a warning belongs to."""

from __future__ import annotations

from inspect import currentframe

# Libraries through which this package calls itself: their frames are nobody's own code.
_BETWEEN = frozenset({"petstore_frame", "httpx", "httpcore", "contextlib"})


def callers_level() -> int:
    """Return the ``stacklevel`` at which ``warnings.warn`` names the caller's own line.

    Call it in the same function as ``warnings.warn``.
    """
    frame, level = currentframe(), 0
    while frame and frame.f_back and _part(frame.f_globals.get("__name__")) in _BETWEEN:
        frame, level = frame.f_back, level + 1
    return level


def _part(module: str | None) -> str:
    return (module or "").partition(".")[0]
