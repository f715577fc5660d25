"""What a cell of a workbook can hold, and what is done to a value that it cannot."""

from __future__ import annotations

import re
from collections.abc import Sequence

CELL_LIMIT = 32_767  # UTF-16 units, as Excel counts
EXACT_NUMBERS = 10**15  # Excel keeps 15 digits; from here on it may round what is typed or saved

# No XML 1.0 document may hold these. Other control characters travel as _x0001_ and come back.
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
    if max(map(len, texts), default=0) > CELL_LIMIT // 2 and any(
        _utf16_units(text) > CELL_LIMIT for text in texts
    ):
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
        text = _UNFIT.sub("\N{REPLACEMENT CHARACTER}", text)
        done.append(
            "characters that no workbook can hold were replaced by \N{REPLACEMENT CHARACTER}"
        )
    size = _utf16_units(text)
    if size > CELL_LIMIT:
        mark = f" … [cut: {len(text):,} characters]"
        room = (CELL_LIMIT - len(mark)) * 2
        text = text.encode("utf-16-le")[:room].decode("utf-16-le", "ignore") + mark
        done.append(f"cut to the {CELL_LIMIT:,} characters that a cell can hold")
    return text, "; ".join(done) or None


def _utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
