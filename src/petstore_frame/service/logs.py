"""What the service reports to its operator: one JSON object per line, on stderr.

In: a level, an event and its facts. Out: a line without raw control characters.
Keys and bodies are never passed in.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

from petstore_frame.service.options import LogLevel

_RANKS: dict[LogLevel, int] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "off": logging.CRITICAL + 1,
}
# One process has one log; this holds the least severe level that is written.
_OWN = logging.getLogger("petstore_frame.service")
_OWN.setLevel(logging.INFO)


def set_log_level(level: LogLevel) -> None:
    """Choose the least severe level, and let the libraries' own lines take the same way."""
    _OWN.setLevel(_RANKS[level])
    root = logging.getLogger()
    root.handlers = [_JsonHandler()]
    root.setLevel(logging.WARNING)


def write_log(level: LogLevel, event: str, **facts: object) -> None:
    """Write one line; JSON escapes control and non-ASCII characters."""
    if not _OWN.isEnabledFor(_RANKS[level]):
        return
    time = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = json.dumps({"time": time, "level": level, "event": event, **facts})
    sys.stderr.write(line + "\n")


class _JsonHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        level: LogLevel = "error" if record.levelno >= logging.ERROR else "warning"
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else None
        write_log(level, "library", logger=record.name, text=record.getMessage(), error=error)
