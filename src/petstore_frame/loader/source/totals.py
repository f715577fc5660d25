"""Recognizes rows of totals, in the languages of the recognized headers."""

from __future__ import annotations

import re
import unicodedata
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
    "ukupno zbroj svega skupaj vsota σύνολο итого всего сумма toplam "
    # Chinese, Japanese, Korean
    "合計 合计 總計 总计 総計 小計 小计 합계 총계 소계"
)
_ANIMALS = (
    "animals? pets? dogs? cats? records? rows tiere? hunde katzen animaux animales mascotas "
    "animali animais dieren djur dyr eläintä zwierząt zvířat zvierat állat životinja živali ζώα "
    "животных hayvan"
)
_ANIMAL = rf"(?:{'|'.join(_ANIMALS.split())})"
_OF = r"(?:(?:of|the|all|de|des|der|di|dei|los|las|les|dos|van|av)\s+){0,2}"
_NUMBER = r"\(?[0-9][0-9.,]*\)?"
# What may follow the name of a total: "of all", then a number, or what was counted.
_ALL = r"(?:\s+(?:total|general|generale|générale?|geral|końcowa|ogólna|finale?))?"
_COUNT = rf"(?:\s*(?:{_OF}{_ANIMAL}\s*)?(?:[:=：].*|{_NUMBER}(?:\s+{_ANIMAL})?)?|\s*{_OF}{_ANIMAL})"
_NAMES = "|".join(sorted(set(_TOTAL_NAMES.split()), key=len, reverse=True))
_TOTAL = re.compile(
    rf"(?:{_PREFIXES})?(?:i\s+alt|(?:record|row)s?\s+count|{_NAMES}){_ALL}{_COUNT}", re.IGNORECASE
)
# As a name these are likely totals; in another column they may describe an animal.
_TOTAL_AS_NAME = re.compile(
    rf"{_NUMBER}\s+{_ANIMAL}|(?:count|average|ensemble){_COUNT}", re.IGNORECASE
)
# When and by which program a list was printed, and the number of the page.
_FOOTER = re.compile(
    r"(?:(?:printed|exported|generated|created|downloaded|updated|report|as of|as at|gedruckt|"
    r"exportiert|erstellt|stand|imprimé|édité|exporté|généré|impreso|exportado|generado|stampato|"
    r"esportato|afgedrukt|impresso)\b.*\d.*|"
    r"(?:page|seite|página|pagina|sida|side|strona)\s+\d+(?:\s*\S{1,4}\s*\d+)?)",
    re.IGNORECASE,
)
_LONGEST = 60
# The first two letters of such texts, to rule out most cells quickly.
TOTAL_STARTS = frozenset(
    name[:2].casefold()
    for name in [
        *_TOTAL_NAMES.split(),
        *[
            "i ",
            "record",
            "row",
            "count",
            "average",
            "ensemble",
            "grand",
            "general",
            "sub",
            "sous",
            "zwischen",
            "del",
            "genel",
            "ara",
            "об",
            "про",
        ],
    ]
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
