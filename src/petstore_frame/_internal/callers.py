"""Which line of a caller's own code a warning belongs to.

In: the stack of calls. Out: the ``stacklevel`` of the first frame outside this package. It knows
no warning.
"""

from __future__ import annotations

import sys

# Libraries through which this package calls itself: their frames are nobody's own code.
_BETWEEN = frozenset({"petstore_frame", "httpx", "httpcore", "contextlib"})


def callers_level() -> int:
    """Return the ``stacklevel`` at which ``warnings.warn`` names the caller's own line.

    Call it in the same function as ``warnings.warn``.
    """
    level, frame = 1, sys._getframe(1)
    while frame.f_back and _part(frame.f_globals.get("__name__")) in _BETWEEN:
        level, frame = level + 1, frame.f_back
    return level


def _part(module: str | None) -> str:
    return (module or "").partition(".")[0]
