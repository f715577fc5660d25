"""The sizes, styles and number formats of all workbooks."""

from __future__ import annotations

from typing import Any

from petstore_frame.rendering import palette

FONT = "Calibri"
EXACT_DIGITS = 15  # Excel keeps 15 digits; from EXACT_NUMBERS on it may round a whole number
EXACT_NUMBERS = 10**EXACT_DIGITS
SHEET_ROWS = 1_048_575  # data rows below one header row
# Points: quiet text, headings of sections, key figures, titles of sheets.
QUIET_SIZE, SECTION_SIZE, FIGURE_SIZE, TITLE_SIZE = 10, 13, 18, 22
TITLE_POINTS = 30  # the height of a row

TEXT, INTEGER, COUNT = "@", "0", "#,##0"
DAY, MOMENT = "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"
AT_LEAST = '"≥ "#,##0'
ABOUT = '"≈ "#,##0'
SHARE = '[=0]"–";[<0.0005]"< 0.1%";0.0%'

TITLE: dict[str, Any] = {"font_size": TITLE_SIZE, "bold": True}
QUIET: dict[str, Any] = {"font_color": palette.MUTED, "font_size": QUIET_SIZE}
SECTION: dict[str, Any] = {"font_size": SECTION_SIZE, "bold": True}
HEAD: dict[str, Any] = {"bold": True, "bottom": 2, "bottom_color": palette.INK}
BODY: dict[str, Any] = {"bottom": 1, "bottom_color": palette.RULE}
TOTAL: dict[str, Any] = {"bold": True, "top": 2, "top_color": palette.INK, "bg_color": palette.BAND}
ID: dict[str, Any] = {"num_format": INTEGER, "align": "left"}
LIST: dict[str, Any] = {**BODY, "font_size": QUIET_SIZE}
HEAD_POINTS = 18
LIST_POINTS = 12.4  # the height of a row, so that a page of A4 has 60
RIGHT: dict[str, Any] = {"align": "right"}
DIFFERENT: dict[str, Any] = {"bg_color": "#FFF3CD", "bold": True}


def lines(text: str, width: int) -> int:
    """Return how many lines of ``width`` characters a text takes.

    Example:
        >>> lines("a long text\\nin lines", 8)
        3
    """
    return sum(max(1, -(-len(line) // width)) for line in text.split("\n"))
