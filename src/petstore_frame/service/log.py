"""The log of the service: one JSON object per line on stderr."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from datetime import UTC, datetime

_logger = logging.getLogger("petstore_frame.service")
_OFF = logging.CRITICAL + 1


def set_up_logging(level: str) -> None:
    """Choose the least severe level, or off; the libraries' warnings take the same way."""
    number = _OFF if level == "off" else logging.getLevelNamesMapping()[level.upper()]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLine())
    logging.basicConfig(handlers=[handler], level=max(number, logging.WARNING), force=True)
    _logger.setLevel(number)


def log(event: str, **facts: object) -> None:
    """Write one line of facts; keys and bodies are never among them."""
    _logger.info(event, extra={"facts": facts})


def log_failure(failure: BaseException, request_id: str) -> None:
    """Report an unexpected failure by its class and place."""
    _logger.error("request failed", exc_info=failure, extra={"facts": {"request_id": request_id}})


class _JsonLine(logging.Formatter):
    """JSON escapes control and non-ASCII characters, so that no name can forge a line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage().strip(),
        }
        if record.name != _logger.name:
            line["logger"] = record.name
        if record.exc_info and (failure := record.exc_info[1]) is not None:
            # Never its text: a database's message may quote what was sent.
            cause = failure.__cause__ or failure
            place = traceback.extract_tb(cause.__traceback__)[-1:]
            line["error"] = type(cause).__name__
            line["place"] = "".join(f"{frame.name}:{frame.lineno}" for frame in place)
        return json.dumps(line | getattr(record, "facts", {}))
