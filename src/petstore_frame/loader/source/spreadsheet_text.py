"""Recognizes texts that a spreadsheet or a program wrote instead of a person."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from petstore_frame.schema.text import INVISIBLE
from petstore_frame.schema.words import written_words
from petstore_frame.tables.quotes import unwrap_formula

# What a spreadsheet may write instead of a key: an error, or the rounded form of a long number.
SPREADSHEET_ERROR = re.compile(
    rf"#({'|'.join(map(re.escape, written_words('excel_error')))})|#{{4,}}", re.IGNORECASE
)
# 1E5 may be a key; with decimals or a plus sign it is a number.
ROUNDED_NUMBER = re.compile(r"[+-]?\d([.,]\d+ ?E ?\+?|E\+)\d+", re.IGNORECASE)
_QUOTES = {"'": "'", '"': '"', "“": "”", "„": "“", "«": "»", "»": "«", "‘": "’", "‚": "‘", "`": "`"}
ENTITY = re.compile(r"&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,31}[0-9]{0,2});", re.IGNORECASE)


def is_spreadsheet_fault(text: str) -> bool:
    """Return True for a spreadsheet error or a rounded number.

    Example:
        >>> is_spreadsheet_fault("#REF!"), is_spreadsheet_fault("1.23E+14")
        (True, True)
        >>> is_spreadsheet_fault("9,81e14"), is_spreadsheet_fault("1E5")
        (True, False)
    """
    return bool(SPREADSHEET_ERROR.fullmatch(text) or ROUNDED_NUMBER.fullmatch(text))


def unwrap_name(name: str) -> str:
    """Return a name without quotes or ``="…"`` around it, and without HTML entities.

    Example:
        >>> unwrap_name("'Luna'"), unwrap_name('="007"'), unwrap_name("Tom &amp; Jerry")
        ('Luna', '007', 'Tom & Jerry')
    """
    text = html.unescape(name) if ENTITY.search(name) else name
    text = text.strip()
    if (plain := unwrap_formula(text)) != text:
        return plain
    closing = _QUOTES.get(text[:1])
    inner = text[1:-1]
    if closing is None or len(text) < 3 or not text.endswith(closing) or closing in inner:
        return text
    return inner.strip() or text


# Texts that programs write for a missing value.
MISSING_TEXTS = frozenset(written_words("missing"))
_LONGEST_MISSING = max(map(len, MISSING_TEXTS))


def is_missing_text(text: str) -> bool:
    """Return True for a text that programs write for a missing value, such as ``NaN``.

    Example:
        >>> is_missing_text("NULL"), is_missing_text("Nancy")
        (True, False)
    """
    return len(text) <= _LONGEST_MISSING and text.casefold() in MISSING_TEXTS


def without_invisible(text: str) -> str:
    """Return a text without invisible characters, such as a zero-width space.

    Example:
        >>> without_invisible("avail\\u200bable\\u200e")
        'available'
    """
    return text if text.isascii() else INVISIBLE.sub("", text)


def is_misread(name: str) -> bool:
    """Return True if UTF-8 was once read as cp1252: ``ZoÃ«`` for ``Zoë``."""
    try:
        return not name.isascii() and name.encode("cp1252").decode("utf-8") != name
    except UnicodeError:
        return False


# The possible notes on a name, each with its test.
NAME_NOTES: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("mojibake", is_misread),
    ("invisible_characters", INVISIBLE.search),
    ("line_break", re.compile(r"[\t\r\n]").search),
    ("missing_word", is_missing_text),
)
