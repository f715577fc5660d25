"""Recognizes rows of totals, and the foot of a printed list."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from petstore_frame.schema.words import written_words


def _one_of(topic: str) -> str:
    """Return a pattern of all words of a topic; those with several parts may have more spaces."""
    words = sorted(written_words(topic), key=len, reverse=True)
    return "(?:" + "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in words) + ")"


_PREFIXES = rf"{_one_of('total_before')}[\s-]*"
_ANIMAL = _one_of("count")
_OF = r"(?:(?:of|the|all|de|des|der|di|dei|los|las|les|dos|van|av)\s+){0,2}"
_NUMBER = r"\(?[0-9][0-9.,]*\)?"
# What may follow the name of a total: "of all", then a number, or what was counted.
_ALL = rf"(?:\s+(?:total|{_one_of('total_after')}))?"
_COUNT = rf"(?:\s*(?:{_OF}{_ANIMAL}\s*)?(?:[:=：].*|{_NUMBER}(?:\s+{_ANIMAL})?)?|\s*{_OF}{_ANIMAL})"
_TOTAL = re.compile(rf"(?:{_PREFIXES})?{_one_of('total')}{_ALL}{_COUNT}", re.IGNORECASE)
# As a name these are likely totals; in another column they may describe an animal.
_TOTAL_AS_NAME = re.compile(
    rf"{_NUMBER}\s+{_ANIMAL}|{_one_of('only_as_name')}{_COUNT}", re.IGNORECASE
)
# When and by which program a list was printed, and the number of the page.
_FOOTER = re.compile(
    rf"(?:{_one_of('printed')}\b.*\d.*|{_one_of('page')}\s+\d+(?:\s*\S{{1,4}}\s*\d+)?)",
    re.IGNORECASE,
)
_LONGEST = 60
# The first two letters of such texts, to rule out most cells quickly.
TOTAL_STARTS = frozenset(
    word[:2].casefold()
    for topic in ("total", "total_before", "only_as_name")
    for word in written_words(topic)
)


def is_total(text: str) -> bool:
    """Return True if a name is that of a total, as in the last row of a list.

    Example:
        >>> is_total("Grand total: 67"), is_total("67 animals"), is_total("Summer")
        (True, True, False)
    """
    text = _comparable(text)
    if not _may_be_total(text):
        return False
    return _TOTAL.fullmatch(text) is not None or _TOTAL_AS_NAME.fullmatch(text) is not None


def is_total_row(cells: Sequence[str]) -> bool:
    """Return True if a row has an empty cell, and another cell that clearly names a total.

    Example:
        >>> is_total_row(["Total", "", "67"]), is_total_row(["Luna", "", "average"])
        (True, False)
    """
    return any(map(_is_clear_total, cells)) and any(not cell.strip() for cell in cells)


def is_footer_row(cells: Sequence[str]) -> bool:
    """Return True if the only text of a row says when a list was printed, or counts its pages.

    Example:
        >>> is_footer_row(["Printed on 27/11/2026", ""]), is_footer_row(["Page 1 of 3", "", ""])
        (True, True)
        >>> is_footer_row(["Printed on 27/11/2026", "3"]), is_footer_row(["Page", ""])
        (False, False)
    """
    texts = [cell.strip() for cell in cells if cell.strip()]
    return len(texts) == 1 < len(cells) and _FOOTER.fullmatch(texts[0][:200]) is not None


def _is_clear_total(text: str) -> bool:
    text = _comparable(text)
    return _may_be_total(text) and _TOTAL.fullmatch(text) is not None


def _comparable(text: str) -> str:
    """Return a text without outer spaces, its accents and syllables composed."""
    text = text.strip()
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _may_be_total(text: str) -> bool:
    """Return False for most texts, by their length and first letters."""
    if not 0 < len(text) <= _LONGEST:
        return False
    return text[:2].casefold() in TOTAL_STARTS or text[0].isdecimal() or text[0] == "("
