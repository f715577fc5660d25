"""Decides what a spreadsheet cell holds: a number, a date, a truth value or text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal
from typing import Any, TypeAlias

from petstore_frame.storage import excel_styles as styles

CellValue: TypeAlias = "str | int | float | bool | date | datetime | None"
CELL_LIMIT = 32_767  # UTF-16 units, as Excel counts
# Excel treats 1900 as a leap year, so its day numbers are correct only after that February.
FIRST_DAY = date(1900, 3, 1)
LAST_YEAR = 9999

# Spreadsheets read text that begins with one of these as a formula.
FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")
# XML 1.0 forbids these. Other control characters are written as _x0001_ and read back.
_FORBIDDEN = re.compile("[\ud800-\udfff\ufffe\uffff]")


# Of the numbers other than 0, by their absolute values, those that Excel allows.
_LEAST, _MOST = 2.2251e-308, 9.99999999999999e307


def cell_value(value: Any) -> CellValue:
    """Return what a cell holds for a value of any library, without loss.

    Numbers of any type stay numbers if 15 digits are enough for them, and dates stay dates from
    1900-03-01 on. Everything else is text: longer numbers and those that are too large or too close
    to 0 for Excel, earlier dates, instants with a time zone, and values that a spreadsheet has no
    type for.

    Example:
        >>> cell_value(Decimal("12.50")), cell_value(10**15), cell_value(date(1899, 1, 31))
        (12.5, '1000000000000000', '1899-01-31')
    """
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int | float | Decimal):
        return _number_value(value)
    if isinstance(value, date):
        return _date_value(value)
    if type(value).__module__ == "numpy" and value.ndim == 0:
        return _numpy_value(value)
    return str(value)


def _numpy_value(scalar: Any) -> CellValue:
    value = scalar.item()
    has_no_plain_type = type(value) is type(scalar)  # a long double
    return str(scalar) if has_no_plain_type else cell_value(value)


def _number_value(value: float | Decimal) -> float | str:
    if isinstance(value, int):
        return value if abs(value) < styles.EXACT_NUMBERS else str(value)
    if isinstance(value, float):
        return value if _is_allowed(value) else str(value)
    if not value.is_finite():
        return str(value)
    digits = "".join(map(str, value.as_tuple().digits)).strip("0")
    number = float(value)
    is_exact = len(digits) <= styles.EXACT_DIGITS and (number != 0 or not digits)
    return number if is_exact and _is_allowed(number) else str(value)


def _is_allowed(number: float) -> bool:
    return number == 0 or _LEAST <= abs(number) <= _MOST


def _date_value(value: date) -> date | str:
    """Return a date or a local time that Excel can represent; otherwise its ISO text."""
    if isinstance(value, datetime):
        day: date = value.date() if value.year <= LAST_YEAR else date.max
        has_zone = value.tzinfo is not None
        has_nanoseconds = bool(getattr(value, "nanosecond", 0))  # of a pandas Timestamp
        if has_zone or has_nanoseconds or value.year > LAST_YEAR or day < FIRST_DAY:
            return str(value)
        return value
    return value if value >= FIRST_DAY else str(value)


def common_zone(values: list[Any]) -> tzinfo | None:
    """Return the time zone in which to show a column of instants.

    It is the zone of the values, UTC if they have several, and None if any of them is not an
    instant.
    """
    zones = {value.tzinfo for value in values if isinstance(value, datetime)}
    is_all_instants = all(isinstance(value, datetime) for value in values)
    if not zones or None in zones or not is_all_instants:
        return None
    names = {str(zone) for zone in zones}
    return zones.pop() if len(names) == 1 else UTC


def fit(text: str) -> str:
    """Return a text that fits a cell; a cut is marked, and U+FFFD replaces forbidden characters."""
    text = _FORBIDDEN.sub("\ufffd", text)
    if _utf16_units(text) > CELL_LIMIT:
        mark = f" … [cut: {len(text):,} characters]"
        room = (CELL_LIMIT - len(mark)) * 2
        text = text.encode("utf-16-le")[:room].decode("utf-16-le", "ignore") + mark
    return text


def fits(texts: Sequence[str]) -> bool:
    """Return whether cells can hold all texts unchanged."""
    longest = max(map(len, texts), default=0)
    if longest > CELL_LIMIT // 2 and max(map(_utf16_units, texts)) > CELL_LIMIT:
        return False
    return not _FORBIDDEN.search("".join(texts))


def _utf16_units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def harmless(text: str) -> str:
    """Return a text that no spreadsheet reads as a formula; ``without_guard`` reverses it.

    Example:
        >>> harmless("=1+1"), harmless("'=1+1"), harmless("Luna")
        ("'=1+1", "''=1+1", 'Luna')
    """
    return f"'{text}" if text.lstrip("'").startswith(FORMULA_STARTS) else text


def without_guard(text: str) -> str:
    """Return a text as it was before ``harmless``."""
    is_guarded = text.startswith("'") and text.lstrip("'").startswith(FORMULA_STARTS)
    return text[1:] if is_guarded else text
