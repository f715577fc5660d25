"""Recognizes rows of totals, in the languages of the recognized headers."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PREFIXES = r"(?:grand|general|sub|sous|zwischen|gesamt|del|genel|ara|общ\w*|промежуточн\w*)[\s-]*"
_TOTAL_NAMES = (
    # English, German, French, Spanish, Italian, Portuguese
    "total totals sum summe gesamt insgesamt gesamtsumme gesamtzahl anzahl totaux somme suma "
    "totale somma soma subtotal subtotale "
    # Dutch, Swedish, Norwegian, Danish, Finnish
    "totaal som subtotaal totalt summa delsumma ialt yhteensä "
    # Polish, Czech, Slovak, Hungarian, Romanian
    "razem ogółem łącznie celkem součet spolu súčet spolu összesen összeg "
    # Croatian, Serbian, Slovenian, Greek, Russian, Turkish
    "ukupno zbroj svega skupaj vsota σύνολο итого всего сумма toplam"
)
_ANIMALS = (
    "animals? pets? dogs? cats? records? rows tiere? hunde katzen animaux animales mascotas "
    "animali animais dieren djur dyr eläintä zwierząt zvířat zvierat állat životinja živali ζώα "
    "животных hayvan"
)
_TOTAL_PATTERN = (
    rf"(?i:(?:{_PREFIXES})?(?:i\s+alt|{'|'.join(sorted(set(_TOTAL_NAMES.split()), key=len)[::-1])})"
    rf"(?:\s*(?:[:=].*|\(?[0-9][0-9.,]*\)?(?:\s+(?:{'|'.join(_ANIMALS.split())}))?|"
    rf"{'|'.join(_ANIMALS.split())}))?)"
)
_TOTAL = re.compile(_TOTAL_PATTERN)
_LONGEST = 60
# The first two letters of such texts, to rule out most cells quickly.
TOTAL_STARTS = frozenset(
    name[:2].casefold()
    for name in [
        *_TOTAL_NAMES.split(),
        *["i", "grand", "general", "sub", "sous", "zwischen", "del", "genel", "ara", "об", "про"],
    ]
)


def is_total(text: str) -> bool:
    """Return True if a text names a total, as in the last row of a list.

    Example:
        >>> is_total("Grand total: 67"), is_total("Zwischensumme"), is_total("Summer")
        (True, True, False)
    """
    text = text.strip()
    if text[:2].casefold() not in TOTAL_STARTS:
        return False
    return 0 < len(text) <= _LONGEST and _TOTAL.fullmatch(text) is not None


def is_total_row(cells: Sequence[str]) -> bool:
    """Return True if a row has an empty cell, and another cell that names a total."""
    return any(map(is_total, cells)) and any(not cell.strip() for cell in cells)
