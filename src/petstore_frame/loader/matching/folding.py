"""Normalizes texts that look the same to a person, to decide whether to ask about them.

Spreadsheets change text invisibly: a typographic apostrophe, an invisible space, a dash of
another width. Folded texts and cores are used for comparison only; the original text is sent.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable

from petstore_frame.schema.text import INVISIBLE_CHARACTERS, replace_surrogates

SEPARATOR = "\x1f"  # between the parts of a content, and between the columns of a composite core

# Lowercase letters of other alphabets that look like a Latin letter, or whose capitals do.
_SIMILAR_LETTERS = {
    # Cyrillic
    "а": "a", "в": "b", "е": "e", "к": "k", "м": "m", "н": "h", "о": "o", "р": "p",
    "с": "c", "т": "t", "у": "y", "х": "x", "і": "i", "ј": "j", "ѕ": "s", "ԁ": "d", "ԛ": "q",
    "ԝ": "w", "һ": "h", "ӏ": "i", "ү": "y", "ԍ": "g", "ѵ": "v",
    # Greek
    "α": "a", "β": "b", "ε": "e", "ζ": "z", "η": "h", "ι": "i", "κ": "k", "μ": "m", "ν": "n",
    "ο": "o", "ρ": "p", "τ": "t", "υ": "y", "χ": "x",
    # Latin
    "ı": "i", "ɡ": "g", "ɑ": "a",
}  # fmt: skip
_DASHES = "־‐‑‒–—―⸺⸻֊᠆﹘﹣－˗⁃−⁻₋"
_SINGLE_QUOTES = "‘’‚‛‹›′‵`´ʹʻʼʽʾʿˈˊˋ΄ՙ՚׳＇＀｀꞊ꞌ"
_DOUBLE_QUOTES = "“”„‟«»″‶〝〞〟ʺˮ״＂"
_SIGNS = str.maketrans(
    dict.fromkeys(_DASHES, "-")
    | dict.fromkeys(_SINGLE_QUOTES, "'")
    | dict.fromkeys(_DOUBLE_QUOTES, '"')
)
_LETTERS = str.maketrans(_SIMILAR_LETTERS)
# Characters that change their neighbors, as in an emoji.
_SHAPING = (
    "\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180b-\u180d\u180f\u200c\u200d"
    "\ufe00-\ufe0f\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_NOT_COMPARED = re.compile(f"[{INVISIBLE_CHARACTERS}{_SHAPING}]")
# The marks of Latin, Greek and Cyrillic letters are removed. In other scripts, such as
# Japanese or Hindi, a mark makes a different letter.
_MARKED_LETTER = re.compile(
    "[A-Za-z\u00aa-\u02af\u0370-\u0482\u048a-\u052f\u1c80-\u1c8f\u1d00-\u1dbf\u1e00-\u1fff"
    "\u2c60-\u2c7f\ua640-\ua66e\ua680-\ua69d\ua720-\ua7ff\uab30-\uab6f]"
)
# A number that a spreadsheet writes without the zeros at the end of its decimals.
_DECIMAL_NUMBER = re.compile(r"(?P<whole>[+-]?[0-9]+)[.,](?P<decimals>[0-9]+)")
# The pattern of most keys: letters, an optional dash, and a number without its leading zeros.
_LETTERS_AND_NUMBERS = re.compile(r"([A-Za-z]*)[- ]?0*([0-9]+)(?:-0*([0-9]+))?")
_ASCII_GROUPS = re.compile(r"[a-z]+|[0-9]+")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,31}[0-9]{0,2});", re.IGNORECASE)
# Characters that change the groups of a printable ASCII text.
_NEEDS_FOLDING = re.compile(r"[&.,:]")
# Programs put a few quotes around a text; a text of thousands of quotes would take very long.
_MOST_LAYERS = 8
# An ASCII text without these characters needs only lower case and single spaces.
_NEEDS_WORK = re.compile(r"[\"'`=&\x00-\x08\x0e-\x1b\x7f]")
# An instant, without the T, the zeros and the Z that programs write in different ways.
_INSTANT = re.compile(
    r"(?P<date>\d{4}-\d{1,2}-\d{1,2})[t ](?P<minute>\d{1,2}:\d{2})"
    r"(?::(?P<second>\d{2})(?:[.,](?P<part>\d+))?)? ?(?:z|[+-]00:?00)?",
    re.ASCII,
)
# Signs with which shelters mark a name, such as one that the staff chose: ``*Luna``, ``Luna (*)``.
_DECORATION = " *~\u2022\u00b7\u2219\u25cf\u25cb\u2605\u2606\u2726\u2731\u2020\u2021"
_BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_QUOTED = re.compile(r"=?\s*(?P<quote>[\"'])(?P<text>.*)(?P=quote)", re.DOTALL)


def fold(text: str) -> str:
    """Return a text without invisible characters and the changes that spreadsheets make.

    Texts with the same folded form may be the same text. This is a reason to ask, never to merge.

    Example:
        >>> fold(" Zoe\u0308  O\u2019Brien") == fold("ZOË O'BRIEN")
        True
        >>> fold('="A\u2011 17"'), fold("\u0410-17\u200b"), fold("A-17&nbsp;")
        ('a- 17', 'a-17', 'a-17')
    """
    if text.isascii() and not _NEEDS_WORK.search(text):
        text = text.lower()
        return " ".join(text.split()) if " " in text or not text.isprintable() else text
    for _ in range(_MOST_LAYERS):
        folded = _fold_once(text)
        if folded == text:
            break
        text = folded
    return text


def _fold_once(text: str) -> str:
    if "&" in text:
        text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    text = text.translate(_SIGNS)  # before NFKC, which splits an accent into a space and a mark
    if not text.isascii():
        text = unicodedata.normalize("NFKC", replace_surrogates(text))
        text = unicodedata.normalize("NFKC", _without_marks(text).casefold())
        text = text.translate(_SIGNS).translate(_LETTERS)
    else:
        text = text.lower()
    return _without_quotes(" ".join(_NOT_COMPARED.sub("", text).split()))


def _without_marks(text: str) -> str:
    """Return a text without the marks of Latin, Greek and Cyrillic letters."""
    characters: list[str] = []
    has_plain_letter = False
    for sign in unicodedata.normalize("NFD", text):
        is_mark = unicodedata.category(sign) in ("Mn", "Me")
        if is_mark and has_plain_letter:
            continue
        if not (is_mark or _NOT_COMPARED.match(sign)):
            has_plain_letter = _MARKED_LETTER.match(sign) is not None
        characters.append(sign)
    return unicodedata.normalize("NFC", "".join(characters))


def _without_quotes(text: str) -> str:
    """Return a text without surrounding quotes or the leading apostrophe of spreadsheets."""
    quoted = _QUOTED.fullmatch(text)
    if quoted is not None and quoted["text"].strip():
        return quoted["text"].strip()
    if text.startswith("'"):
        return text.lstrip("'").strip() or text
    return text


def core(text: str) -> str:
    """Return the groups of letters and digits in a key, joined by ``-``.

    Leading zeros are ignored, and zeros at the end of a decimal number. The core of a key without
    letters and digits is its folded text, so that it matches only equal keys.

    Example:
        >>> core("AUS-0017*"), core("aus 17"), core("7.0"), core("A7"), core("90.750")
        ('aus-17', 'aus-17', '7', 'a-7', '90-75')
    """
    simple = _LETTERS_AND_NUMBERS.fullmatch(text)
    if simple is not None:
        letters, number, second_number = simple.groups()
        groups = f"{letters.lower()}-{number}" if letters else number
        return f"{groups}-{second_number}" if second_number else groups
    is_plain = text.isascii() and (
        text.isalnum() or (text.isprintable() and not _NEEDS_FOLDING.search(text))
    )
    groups = _ASCII_GROUPS.findall(text.lower()) if is_plain else []
    if not groups:
        folded = _without_zero_decimals(_without_instant_signs(fold(text)))
        groups = _ASCII_GROUPS.findall(folded) if folded.isascii() else [*_groups_of(folded)]
        if not groups:
            return f"={folded}" if folded else ""
    return "-".join([group.lstrip("0") or "0" if group[0] <= "9" else group for group in groups])


def _without_zero_decimals(folded: str) -> str:
    """Return a decimal number without the zeros at its end; other texts as they are."""
    number = _DECIMAL_NUMBER.fullmatch(folded)
    if number is None:
        return folded
    decimals = number["decimals"].rstrip("0")
    return f"{number['whole']}.{decimals}" if decimals else number["whole"]


def _without_instant_signs(folded: str) -> str:
    """Return an instant in the one form that all its spellings share; other texts as they are."""
    instant = _INSTANT.fullmatch(folded) if ":" in folded else None
    if instant is None:
        return folded
    part = (instant["part"] or "").rstrip("0")
    seconds = f"{instant['second'] or '00'}{'.' if part else ''}{part}"
    return f"{instant['date']} {instant['minute']}:{seconds}"


def _groups_of(folded: str) -> Iterable[str]:
    """Yield the groups of letters (with their marks) and of ASCII digits in a folded text."""
    group, group_kind = "", ""
    for sign in folded:
        kind = unicodedata.category(sign)[0]
        if kind == "M" and group_kind == "L":
            kind = "L"
        is_digit = sign.isdecimal()
        kind = "N" if is_digit else ("L" if kind in "LN" else "")
        if kind != group_kind and group:
            yield group
            group = ""
        if kind:
            group += str(unicodedata.decimal(sign)) if is_digit else sign
        group_kind = kind
    if group:
        yield group


def fold_name(name: str) -> str:
    """Return a folded name without the signs around it that mark a name, or one pair of brackets.

    A name that has nothing else keeps them.

    Example:
        >>> fold_name("*Luna"), fold_name("~ Luna ~"), fold_name("(LUNA)*"), fold_name("***")
        ('luna', 'luna', 'luna', '***')
        >>> fold_name("Luna (2)")
        'luna (2)'
    """
    folded = fold(name)
    for _ in range(_MOST_LAYERS):
        if folded[:1].isalnum() and folded[-1:].isalnum():
            break
        plain = fold(_without_decoration(folded))
        if plain in ("", folded):
            break
        folded = plain
    return folded


def _without_decoration(name: str) -> str:
    """Return a folded name without decoration at its ends, or without brackets around it."""
    plain = name.strip(_DECORATION)
    closing = _BRACKETS.get(plain[:1])
    inner = plain[1:-1]
    is_in_brackets = closing is not None and plain.endswith(closing) and closing not in inner
    return inner if is_in_brackets else plain


def content_of(name: str, category_id: object) -> str:
    """Return the content of an animal for comparison: category and folded name, without status.

    Example:
        >>> content_of("Zoe\u0308", 3) == content_of("ZOË ", 3)
        True
    """
    return f"{category_id}{SEPARATOR}{fold_name(name)}"


def name_in(content: str) -> str:
    """Return the folded name of a content."""
    return content.partition(SEPARATOR)[2]


def category_in(content: str) -> str:
    """Return the category of a content."""
    return content.partition(SEPARATOR)[0]
