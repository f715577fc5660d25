"""What the service tells its operator: one JSON object a line, on stderr.

In: a level, an event and its facts. Out: a line without raw control characters.
Keys and bodies are never passed in.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime

_LEVELS = ("debug", "info", "warning", "error", "off")
_least = _LEVELS.index("info")


def set_log_level(level: str) -> None:
    global _least  # noqa: PLW0603 # one process, one log
    _least = _LEVELS.index(level)


def write_log(level: str, event: str, **facts: object) -> None:
    """Write one line; non-ASCII and control characters are escaped by JSON."""
    if _LEVELS.index(level) < _least:
        return
    line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "level": level}
    sys.stderr.write(json.dumps({**line, "event": event, **facts}) + "\n")
