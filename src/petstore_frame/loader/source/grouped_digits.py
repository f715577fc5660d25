"""Reads whole numbers with thousands separators, and shows how else they can be read."""

from __future__ import annotations

import re

# The signs that each value of the option ``thousands`` stands for: a space may be a no-break space,
# a narrow no-break space or a thin space, as in French and Polish exports.
_SIGNS = {",": ",", ".": ".", " ": " \u00a0\u202f\u2009", "'": "'\u2019"}
_GROUPED = {
    thousands: re.compile(rf"[+-]?[0-9]{{1,3}}([{re.escape(signs)}][0-9]{{3}})+")
    for thousands, signs in _SIGNS.items()
}
_WITHOUT = {thousands: str.maketrans("", "", signs) for thousands, signs in _SIGNS.items()}


def separator_of(text: str) -> str | None:
    """Return the value of ``thousands`` that reads a text as a whole number, or None.

    Example:
        >>> separator_of("1.024"), separator_of("1\\u202f024"), separator_of("1.5")
        ('.', ' ', None)
    """
    return next((sign for sign, groups in _GROUPED.items() if groups.fullmatch(text)), None)


def is_grouped(text: str, thousands: str) -> bool:
    """Return True if a text is a whole number with this separator."""
    return _GROUPED[thousands].fullmatch(text) is not None


def without_separators(text: str, thousands: str | None) -> str:
    """Return a text without the separators of ``thousands``.

    Example:
        >>> without_separators("1'024.50", "'")
        '1024.50'
    """
    return text if thousands is None else text.translate(_WITHOUT[thousands])


def starts_with_groups(text: str, thousands: str) -> bool:
    """Return True if the digits before the decimal sign are grouped, or without separators."""
    match = _GROUPED[thousands].match(text)
    has_separator = without_separators(text, thousands) != text
    return not has_separator or (match is not None and not text[match.end() :][:1].isdigit())


def both_readings(text: str) -> str | None:
    """Return how a number with separators is read with and without ``thousands``, or None.

    Example:
        >>> both_readings("1.024")
        "thousands '.' reads 1024; without it, 1.024 is a decimal number"
        >>> both_readings("1 024")
        "thousands ' ' reads 1024; without it, this is not a number"
    """
    thousands = separator_of(text)
    if thousands is None:
        return None
    otherwise = f"{text} is a decimal number" if thousands in ",." else "this is not a number"
    number = without_separators(text, thousands)
    return f"thousands {thousands!r} reads {number}; without it, {otherwise}"
