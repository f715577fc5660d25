"""What the text of one cell means, field by field: the value to send, or why it cannot be sent.

A value is text until proven otherwise: only the empty cell is missing; ``NA``, ``null`` and
``TRUE`` are names like any other.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

from petstore_frame.loader.record import SUSPICIOUS, RecordProblem, Suspicion
from petstore_frame.schema.models import FIELD_BY_NAME, INT64_MAX, INT64_MIN, NO_STATUS, PetField

MAX_CELL = 1024 * 1024
quoted: Callable[[str], str] = json.encoder.encode_basestring

_WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?", re.ASCII)
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
_MAX_DIGITS = 4000  # Python refuses to read longer numbers
_GROUPED = {
    ",": re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})+"),
    ".": re.compile(r"[+-]?[0-9]{1,3}(\.[0-9]{3})+"),
}
_UNSENDABLE = (
    (re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"),
     "control_character", "control character", "remove it"),
    (re.compile(r"[\ud800-\udfff]"),
     "lone_surrogate", "half a character", "type the character again"),
)  # fmt: skip
_HINTS_OF_MISSING = {"name": "give the animal a name", "category_id": "give its number"}
# What a spreadsheet would run when the name is opened in one.
RUNNABLE = tuple("=+-@\t\r\n＝＋－＠")
_TRUTH = dict.fromkeys(("true", "yes", "1"), "true") | dict.fromkeys(("false", "no", "0"), "false")
# Nothing can be noted of such a name but that it is a total's, so it needs no closer look.
_PLAIN = re.compile(r"[A-Za-z]+([ '-][A-Za-z0-9]+)*", re.ASCII)
_TOTAL = re.compile(
    r"(grand\s*|sub-?\s*|zwischen|gesamt)?"
    r"(totals?|totale|totaal|totalt|summe|gesamt|insgesamt|gesamtsumme|somme|suma|somma|sum|razem)"
    r"(\s*([:=].*|\(?[0-9][0-9.,]*\)?|animals?|pets?|tiere|records?|rows))?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Rules:
    """What a caller says of the cells.

    Attributes:
        keep_spaces, thousands, accept: As of ``Options``.
        values: By field and word, the JSON text that is sent; "" leaves the field out, and None is
            the label of several categories.
        otherwise: By field, the JSON text of all words that mean nothing else.
        listed: The ids of the categories that were given; empty where none were.
    """

    keep_spaces: bool = False
    thousands: str | None = None
    accept: frozenset[str] = frozenset()
    values: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    otherwise: Mapping[str, str] = field(default_factory=dict)
    listed: frozenset[int] = frozenset()

    def means_nothing(self, name: str, text: str) -> bool:
        """Tell whether a cell is empty, or holds a word that is to mean so."""
        return not text.strip() or self.values.get(name, {}).get(word_of(text)) == ""


def word_of(text: str) -> str:
    """Return a text as words are compared.

    Example:
        >>> word_of(" In Stock ")
        'in stock'
    """
    return text.strip().casefold()


class CellError(Exception):
    """A cell cannot be sent; ``problem`` says why, but not in which cell."""

    def __init__(
        self,
        code: str,
        message: str,
        hint: str,
        option: tuple[str, Any] | None = None,
        accept: str | None = None,
    ) -> None:
        super().__init__(code, message)
        self.problem = RecordProblem(code, message, None, None, hint, option, accept)


def suspicious(kind: Suspicion, message: str) -> CellError:
    """Return the refusal of what could be sent, and is not until a person confirms it."""
    hint = "check it; {} sends such records as they are"
    return CellError(SUSPICIOUS, message, hint, ("accept", [str(kind)]), str(kind))


# The JSON text of a value, None to leave the field out; and notes.
_Value = tuple[str | None, list[str]]


def read_cell(column: PetField, text: str, rules: Rules) -> _Value:
    """Return what a field's cell is, by what is special about the field or by its dtype.

    Raises:
        CellError: It cannot be sent.
    """
    _refuse_unsendable(text)
    if rules.means_nothing(column.name, text):
        if not column.is_required:
            return None, []
        hint = _HINTS_OF_MISSING.get(column.name, "fill it in")
        raise CellError(f"missing_{column.name}", f"the {column.label.lower()} is missing", hint)
    meant = rules.values.get(column.name, {})
    if (word := word_of(text)) in meant:
        sent = meant[word]
        if sent is None:
            what = f"{_short(text.strip())} is the label of several categories"
            raise CellError("ambiguous_category", what, "give the category's number")
        return sent, []
    try:
        return _read_value(column, text, rules)
    except CellError as refused:
        if column.name not in rules.otherwise or refused.problem.accept is not None:
            raise
        return rules.otherwise[column.name] or None, []


def _read_value(column: PetField, text: str, rules: Rules) -> _Value:
    word = text.strip()
    if column.name == "name":
        return _read_name(text, rules)
    if column.name == "category_id":
        return _read_category(text, word, rules)
    if column.values:
        return _read_choice(column, text, word, rules)
    value_of, code, what, hint = _BY_DTYPE.get(column.dtype, (quoted, "", "", ""))
    value = value_of(word)
    if value is None:
        raise CellError(code, f"{_short(word)} {what}", hint)
    return value, ["trimmed"] if word != text else []


def _refuse_unsendable(text: str) -> None:
    """Refuse what no JSON text should hold: control characters and lone surrogates."""
    if len(text) > MAX_CELL:
        what = f"the cell holds more than {MAX_CELL:,} characters"
        raise CellError("cell_too_large", what, "shorten it")
    for kind, code, what, hint in () if text.isprintable() else _UNSENDABLE:
        if found := kind.search(text):
            place = f"(U+{ord(found[0]):04X}) at position {found.start() + 1}"
            raise CellError(code, f"{what} {place}", hint)


def _read_name(text: str, rules: Rules) -> _Value:
    if len(text) < 100 and _PLAIN.fullmatch(text) and not _TOTAL.fullmatch(text):
        return f'"{text}"', []
    name = text if rules.keep_spaces else text.strip()
    notes = ["trimmed"] if name != text else []
    return quoted(name), [*notes, *(note for note, is_so in _NAME_NOTES if is_so(name))]


def _looks_misread(name: str) -> bool:
    """Tell whether UTF-8 was once read as cp1252: ``ZoÃ«`` for ``Zoë``."""
    try:
        return not name.isascii() and name.encode("cp1252").decode("utf-8") != name
    except UnicodeError:
        return False


# What is noted of a name that is sent.
_NAME_NOTES: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("quotes_kept", lambda name: len(name) > 1 and name[0] == name[-1] == '"'),
    ("formula", lambda name: name.startswith(RUNNABLE)),
    ("url", re.compile(r"[a-z][a-z0-9+.-]*://|www\.", re.IGNORECASE).match),
    ("mojibake", _looks_misread),
    ("html_entity", re.compile(r"&(#[0-9]+|#x[0-9a-f]+|[a-z]+[0-9]*);", re.IGNORECASE).search),
    ("invisible_characters", re.compile(
        r"[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\x80-\x9f]").search),
    ("line_break", re.compile(r"[\t\r\n]").search),
    (Suspicion.TOTAL_ROW, lambda name: _TOTAL.fullmatch(name.strip())),
)  # fmt: skip


def _read_category(text: str, word: str, rules: Rules) -> _Value:
    number = _whole_number(word, rules)
    notes = ["trimmed"] if word != text else []
    if str(number) != word and not (rules.thousands and rules.thousands in word):
        notes.append(f"{word}→{number}")
    is_listed = number in rules.listed
    low, unlisted = "ids are numbers above 0", "is not among the categories given"
    for kind, is_so, what in (
        (Suspicion.LOW_CATEGORY_ID, number <= 0 and not is_listed, f"category {number}; {low}"),
        (
            Suspicion.UNLISTED_CATEGORY,
            rules.listed and not is_listed,
            f"category {number} {unlisted}",
        ),
    ):
        if is_so and kind not in rules.accept:
            raise suspicious(kind, what)
        if is_so:
            notes.append(str(kind))
    return str(number), notes


def _whole_number(word: str, rules: Rules) -> int:
    if rules.thousands and _GROUPED[rules.thousands].fullmatch(word):
        word = word.replace(rules.thousands, "")
    number = _whole(word)
    if number is not None:
        return _within_bounds(number, word)
    message, hint, option = f"{_short(word)} is not a whole number", "give the number", None
    if _GROUPED[","].fullmatch(word):
        hint, option = "if the comma groups digits: {}", ("thousands", ",")
    elif _GROUPED["."].fullmatch(word):
        message = f"{word!r} may be {word.replace('.', '')} or {Decimal(word)}"
        hint = "write it without the point, or say that it groups digits: {}"
        option = ("thousands", ".")
    elif word.isdigit() and not word.isascii():
        hint = "write it in the digits 0 to 9"
    elif not word[:1].isdigit():
        raise _unknown_category(word, rules)
    raise CellError("not_a_whole_number", message, hint, option)


def _whole(word: str) -> int | None:
    """Return the whole number that a text is, also as 3.0; None for any other text."""
    if len(word) > _MAX_DIGITS and _DECIMAL.fullmatch(word):
        return INT64_MAX + 1
    if _WHOLE.fullmatch(word):
        return int(word)
    # By its digits, because a float would turn 9007199254740993.0 into ...992.
    whole, _, fraction = word.partition(".")
    is_whole = _DECIMAL.fullmatch(word) and not fraction.strip("0")
    return int(whole) if is_whole and not _GROUPED["."].fullmatch(word) else None


def _within_bounds(number: int, word: str) -> int:
    if INT64_MIN <= number <= INT64_MAX:
        return number
    what = f"{_short(word)} is too {'large' if number > 0 else 'small'}"
    bound = f"the {'largest' if number > 0 else 'smallest'} number is "
    raise CellError("int64_overflow", what, f"{bound}{INT64_MAX if number > 0 else INT64_MIN}")


def _unknown_category(word: str, rules: Rules) -> CellError:
    if not rules.values.get("category_id"):
        what = f"{_short(word)} is not a category's number"
        hint = "give the number of each label: {}"
        return CellError("not_a_whole_number", what, hint, ("categories", {word[:60]: "…"}))
    likely = nearest(FIELD_BY_NAME["category_id"], word, rules)
    meant = "" if likely is None else f"did you mean {likely!r}? else "
    hint = meant.replace("{", "{{").replace("}", "}}") + "say which number it is: {}"
    option = ("value_map", {"category_id": {word[:60]: "…"}})
    return CellError("unknown_category", f"unknown category {_short(word)}", hint, option)


def nearest(column: PetField, word: str, rules: Rules) -> str | None:
    """Return the value or label of a field that is spelled much like a word, or None."""
    allowed = list(column.values or rules.values.get(column.name, ()))
    return next(iter(get_close_matches(word.casefold()[:60], allowed, 1, 0.6)), None)


def _read_choice(column: PetField, text: str, word: str, rules: Rules) -> _Value:
    """Read one of a field's known values, such as a status, however it is spelled."""
    value = word.casefold()
    if text in column.values:
        return quoted(text), []
    if value in column.values:
        return quoted(value), [f"{column.name}_case" if value != word else "trimmed"]
    if column.name == "status" and value == NO_STATUS:
        return None, ["no_status"]
    likely = nearest(column, word, rules)
    allowed = f"one of {', '.join(column.values)}, or empty"
    hint = allowed if likely is None else f"did you mean {likely}?"
    what = f"unknown {column.label.lower()} {_short(word)}"
    option = ("value_map", {column.name: {word[:60]: "…"}})
    raise CellError(f"unknown_{column.name}", what, hint, option)


def _whole_text(word: str) -> str | None:
    number = _whole(word)
    return None if number is None else str(_within_bounds(number, word))


def _number(word: str) -> str | None:
    is_number = _NUMBER.fullmatch(word) and math.isfinite(float(word))
    return repr(float(word)) if is_number else None


def _truth(word: str) -> str | None:
    return _TRUTH.get(word.casefold())


# The JSON text of a value, or None; and what is said then.
_BY_DTYPE: Mapping[str, tuple[Callable[[str], str | None], str, str, str]] = {
    "int64": (_whole_text, "not_a_whole_number", "is not a whole number", "correct it"),
    "Int64": (_whole_text, "not_a_whole_number", "is not a whole number", "correct it"),
    "Float64": (_number, "not_a_number", "is not a number", "write it as 3.25"),
    "boolean": (_truth, "not_true_or_false", "is neither true nor false", "say which"),
}


def _short(word: str) -> str:
    return repr(word if len(word) <= 60 else word[:57] + "...")
