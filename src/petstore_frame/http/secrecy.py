"""Keeps the key out of what a store sends back, and out of every log."""

from __future__ import annotations

import json
import logging
import threading

from pydantic import SecretStr

from petstore_frame.http.answer import RawLines

# A shorter key may be a word of the store's own data; it is starred only after its scheme.
_LEAST_UNUSUAL_KEY = 16
_LEAST_KEY_IN_LOGS = 4  # a log holds no data that could be spoilt
# The engine's own loggers, which print header lines at DEBUG, and ours.
_LOGGERS = (
    "httpcore.connection",
    "httpcore.http11",
    "httpcore.http2",
    "httpcore.proxy",
    "httpcore.socks",
    "petstore_frame.http",
)


def without_key(
    content: bytes, lines: RawLines, key: SecretStr, *, is_refusal: bool
) -> tuple[bytes, RawLines]:
    """Star the key out of the body and the header lines of an answer.

    The body of a refusal is an error's text, in which a key of any length is starred.
    """
    for secret, stars in _spellings(key, 0 if is_refusal else _LEAST_UNUSUAL_KEY):
        spelt, starred = secret.encode(), stars.encode()
        content = content.replace(spelt, starred)
        if any(spelt in value for _, value in lines):
            lines = [(name, value.replace(spelt, starred)) for name, value in lines]
    return content, lines


def _spellings(key: SecretStr, least: int) -> list[tuple[str, str]]:
    """Return the key plain, in JSON and as Python prints it, and the stars in its place.

    A key shorter than ``least`` counts as one only after its scheme.
    """
    plain = key.get_secret_value()
    scheme, quoted = "" if len(plain) >= least else "Bearer ", json.dumps(plain)[1:-1]
    escaped = quoted.replace("/", "\\/")
    spelt = {plain, quoted, escaped, repr(plain)[1:-1], repr(plain.encode())[2:-1]}
    return [(scheme + secret, scheme + "***") for secret in spelt]


class KeyFilter(logging.Filter):
    """Stars the key of the request that a thread has under way out of what that thread logs."""

    def __init__(self) -> None:
        super().__init__()
        self._threads = threading.local()

    def hide(self, key: SecretStr | None) -> None:
        """Star this key from now on in the records of this thread; None ends that."""
        self._threads.key = key

    def filter(self, record: logging.LogRecord) -> bool:
        key: SecretStr | None = getattr(self._threads, "key", None)
        if key is not None:
            text = record.getMessage()
            for secret, stars in _spellings(key, _LEAST_KEY_IN_LOGS):
                text = text.replace(secret, stars)
            if text != record.getMessage():
                record.msg, record.args = text, ()
        return True


KEY_FILTER = KeyFilter()
for _name in _LOGGERS:
    logging.getLogger(_name).addFilter(KEY_FILTER)
