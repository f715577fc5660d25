"""Removes the API key from what a store sends back."""

from __future__ import annotations

import re

from pydantic import SecretStr

_STARS = b"***"


class KeyRedactor:
    """Replaces a key by stars, in each spelling that JSON allows, such as ``\\/`` for ``/``."""

    def __init__(self, key: SecretStr) -> None:
        self._key = key
        spellings = (_spellings(character) for character in key.get_secret_value())
        self._pattern = SecretPattern(re.compile(b"".join(spellings)))

    def redact(self, content: bytes) -> bytes:
        """Return a text without the key."""
        content = content.replace(self._key.get_secret_value().encode(), _STARS)
        if b"\\" in content:
            content = self._pattern.replace(content)
        return content


class SecretPattern:
    """A pattern of the key, which must not show it in a traceback."""

    def __init__(self, pattern: re.Pattern[bytes]) -> None:
        self._replace = pattern.sub

    def replace(self, content: bytes) -> bytes:
        """Replace what matches by stars."""
        return self._replace(_STARS, content)

    def __repr__(self) -> str:
        return "<SecretPattern>"


def _spellings(character: str) -> bytes:
    """Return a pattern of a character and of its escapes in JSON."""
    plain = re.escape(character.encode())
    code = f"{ord(character):04x}"
    digits = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in code)
    escapes = [plain, rb"\\u" + digits.encode()]
    if character in '"\\/':
        escapes.append(rb"\\" + plain)
    return b"(?:" + b"|".join(escapes) + b")"
