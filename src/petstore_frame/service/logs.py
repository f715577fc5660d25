"""What the service reports to its operator: one JSON object per line, on stderr."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

from petstore_frame.service.options import LogLevel

_logger = logging.getLogger("petstore_frame.service")
_OFF = logging.CRITICAL + 1


def set_up_logging(level: LogLevel) -> None:
    """Choose the least severe level; the libraries' warnings take the same way."""
    number = _OFF if level == "off" else logging.getLevelNamesMapping()[level.upper()]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLine())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(max(number, logging.WARNING))
    _logger.setLevel(number)


def log(event: str, *, level: int = logging.INFO, **facts: object) -> None:
    """Write one line of facts; keys and bodies are never among them."""
    if _logger.isEnabledFor(level):
        _logger.log(level, event, extra={"facts": facts})


def log_failure(failure: BaseException, request_id: str) -> None:
    """Report an unexpected failure by its class and place."""
    log("request failed", level=logging.ERROR, request_id=request_id, **_facts_of(failure))


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
        if record.exc_info and record.exc_info[1] is not None:
            line |= _facts_of(record.exc_info[1])
        return json.dumps(line | getattr(record, "facts", {}))


def _facts_of(failure: BaseException) -> dict[str, object]:
    # Never the text: a database's message may quote what was sent.
    cause = failure.__cause__ or failure
    trace, place = cause.__traceback__, ""
    while trace is not None:
        place = f"{trace.tb_frame.f_code.co_name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return {"error": type(cause).__name__, "place": place}
