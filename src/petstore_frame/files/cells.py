"""The limits of a workbook's cell, and how a text that breaks them is changed."""

from __future__ import annotations

import re
from collections.abc import Sequence

CELL_LIMIT = 32_767  # UTF-16 units, as Excel counts
EXACT_NUMBERS = 10**15  # Excel keeps 15 digits; from here on it may round what is typed or saved

# XML 1.0 forbids these. Other control characters are written as _x0001_ and come back.
_UNFIT = re.compile("[\ud800-\udfff\ufffe\uffff]")


def is_exact_number(value: float) -> bool:
    """Return whether a number stays what it is in a cell; a longer id must be text.

    Example:
        >>> is_exact_number(10**15 - 1), is_exact_number(10**15)
        (True, False)
    """
    return not isinstance(value, int) or abs(value) < EXACT_NUMBERS


def fits(texts: Sequence[str]) -> bool:
    """Return whether all texts fit into cells as they are."""
    longest = max(map(len, texts), default=0)
    if longest > CELL_LIMIT // 2 and max(map(_utf16_units, texts)) > CELL_LIMIT:
        return False
    return not _UNFIT.search("".join(texts))


def fit(text: str) -> tuple[str, str | None]:
    """Return a text that a cell can hold, and what was done to it, or None.

    Example:
        >>> fit("Luna")
        ('Luna', None)
    """
    done = []
    if _UNFIT.search(text):
        text = _UNFIT.sub("\ufffd", text)
        done.append("characters that no workbook can hold were replaced by \ufffd")
    size = _utf16_units(text)
    if size > CELL_LIMIT:
        mark = f" … [cut: {len(text):,} characters]"
        room = (CELL_LIMIT - len(mark)) * 2
        text = text.encode("utf-16-le")[:room].decode("utf-16-le", "ignore") + mark
        done.append(f"cut to the {CELL_LIMIT:,} characters that a cell can hold")
    return text, "; ".join(done) or None


def _utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
