"""What the text of one cell means, field by field: the value to send, or why it cannot be sent.

A value is text until proven otherwise: only the empty cell is missing; ``NA``, ``null`` and
``TRUE`` are names like any other.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, NamedTuple

from petstore_frame.loader.record import SUSPICIOUS, RecordProblem, Suspicion
from petstore_frame.schema.models import FIELD_BY_NAME, INT64_MAX, INT64_MIN, NO_STATUS, PetField
from petstore_frame.schema.text import short_text

MAX_CELL = 1024 * 1024
# What a recipe has where a person still has to say something.
BLANK = "?"
quoted: Callable[[str], str] = json.encoder.encode_basestring

_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_MAX_DIGITS = 4000  # Python refuses to read longer numbers
_GROUPED = {sign: re.compile(rf"[+-]?[0-9]{{1,3}}(\{sign}[0-9]{{3}})+") for sign in ",."}
_UNSENDABLE = (
    (re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"),
     "control_character", "control character", "remove it"),
    (re.compile(r"[\ud800-\udfff]"),
     "lone_surrogate", "half a character", "type the character again"),
)  # fmt: skip
# A column that a default names.
IN_BRACES = re.compile(r"\{([^{}]+)\}")
# What a spreadsheet would run when the name is opened in one.
RUNNABLE = tuple("=+-@\t\r\n＝＋－＠")
_TRUTH = dict.fromkeys(("true", "yes", "1"), "true") | dict.fromkeys(("false", "no", "0"), "false")
_OF_TOTAL = (
    r"(?i:(grand\s*|sub-?\s*|zwischen|gesamt)?"
    r"(totals?|totale|totaal|totalt|summe|gesamt|insgesamt|gesamtsumme|somme|suma|somma|sum|razem)"
    r"(\s*([:=].*|\(?[0-9][0-9.,]*\)?|animals?|pets?|tiere|records?|rows))?)"
)
_TOTAL = re.compile(_OF_TOTAL)
# A name of which there is nothing to note, so that it needs no closer look.
_PLAIN = re.compile(rf"(?!(?:{_OF_TOTAL})\Z)[A-Za-z](?:[A-Za-z0-9 .,'()-]*[A-Za-z0-9.)])?")


@dataclass(frozen=True)
class CellRules:
    """What a caller says of the cells.

    Attributes:
        values: By field and word, the JSON text that is sent; "" leaves the field out, None is the
            label of several categories, and BLANK is a meaning that nobody has said yet.
        otherwise: By field, the JSON text of all words that mean nothing else.
        listed: The ids of the categories that were given; empty where none were.
        has_guards: Whether a quote before a formula was put there when the file was written, as in
            CSV reports, and is no part of the name.
    """

    keep_spaces: bool = False
    thousands: str | None = None
    values: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    otherwise: Mapping[str, str] = field(default_factory=dict)
    listed: frozenset[int] = frozenset()
    has_guards: bool = False

    def means_nothing(self, name: str, text: str) -> bool:
        """Tell whether a cell is empty, or holds a word that the user takes for empty."""
        return not text.strip() or self.values.get(name, {}).get(word_of(text)) == ""


class Meaning(NamedTuple):
    """The JSON text of a cell, None to leave its field out; notes; why it is not sent, or asked."""

    value: str | None = None
    notes: tuple[str, ...] = ()
    problem: RecordProblem | None = None


def word_of(text: str) -> str:
    """Return a text as words are compared.

    Example:
        >>> word_of(" In Stock ")
        'in stock'
    """
    return text.strip().casefold()


def filled_in(text: str, columns: Sequence[str], cells: Sequence[str]) -> str:
    """Return a default with the cells of the columns that it names; empty where one is empty."""
    places = {column: columns.index(column) for column in IN_BRACES.findall(text)}
    found = {column: "".join(cells[at : at + 1]).strip() for column, at in places.items()}
    return IN_BRACES.sub(lambda each: found[each[1]], text) if all(found.values()) else ""


def harmless(text: str) -> str:
    """Return text that no spreadsheet takes for a formula; reading a CSV gives the text again.

    Example:
        >>> harmless("=1+1"), harmless("'=1+1"), harmless("Luna")
        ("'=1+1", "''=1+1", 'Luna')
    """
    return f"'{text}" if text.lstrip("'").startswith(RUNNABLE) else text


def suspicious(kind: Suspicion, message: str) -> RecordProblem:
    """Return the refusal of a record that is sent only if a person confirms it."""
    hint, word = "check it; if such records are right as they are, accept them", str(kind)
    return RecordProblem(SUSPICIOUS, message, hint=hint, add=("accept", [word]), accept=word)


def read_cell(column: PetField, text: str, rules: CellRules) -> Meaning:
    """Return what a field's cell is, by what is special about the field or by its dtype."""
    meant = rules.values.get(column.name, {})
    if column.name == "name" and not meant and len(text) < 100 and _PLAIN.fullmatch(text):
        return Meaning(f'"{text}"')
    if problem := _unsendable(text):
        return Meaning(problem=problem)
    word = word_of(text)
    if rules.means_nothing(column.name, text):
        if not column.is_required:
            return Meaning()
        what = f"the {column.label.lower()} is missing"
        return _refused(f"missing_{column.name}", what, "fill it in")
    if word in meant:
        if meant[word] == BLANK:
            return _open(column, text)
        if meant[word] is not None:
            return Meaning(meant[word])
        what = f"{short_text(text.strip())} is the label of several categories"
        return _refused("ambiguous_category", what, "give the category's number")
    if column.name == "name":
        return _read_name(text, rules)
    if column.name == "category_id":
        found = _read_category(text, text.strip(), rules)
    elif column.values:
        found = _read_choice(column, text, text.strip(), rules)
    else:
        found = _read_by_dtype(column, text, text.strip())
    if found.problem and found.problem.accept is None and column.name in rules.otherwise:
        if rules.otherwise[column.name] == BLANK:
            return _open(column, text)
        return Meaning(rules.otherwise[column.name] or None)
    return found


def has_no_meaning(column: PetField, text: str, rules: CellRules) -> bool:
    """Tell whether a text is a word that only a person can say the meaning of."""
    problem = read_cell(column, text, rules).problem
    return problem is not None and (problem.add or ("",))[0] in ("categories", "value_map")


def _open(column: PetField, text: str) -> Meaning:
    """Return the refusal of a word whose meaning is a question mark in the recipe."""
    what = f"what {short_text(text.strip())} means is a question mark in the recipe"
    return _refused("open_word", what, f"say which {column.label.lower()} it is")


def _refused(code: str, message: str, hint: str, add: tuple[str, Any] | None = None) -> Meaning:
    return Meaning(problem=RecordProblem(code, message, hint=hint, add=add))


def _unsendable(text: str) -> RecordProblem | None:
    """Return what no JSON text should hold: control characters and lone surrogates."""
    if len(text) > MAX_CELL:
        what = f"the cell holds more than {MAX_CELL:,} characters"
        return RecordProblem("cell_too_large", what, hint="shorten it")
    for kind, code, what, hint in () if text.isprintable() else _UNSENDABLE:
        if found := kind.search(text):
            place = f"(U+{ord(found[0]):04X}) at position {found.start() + 1}"
            return RecordProblem(code, f"{what} {place}", hint=hint)
    return None


def _read_name(text: str, rules: CellRules) -> Meaning:
    if rules.has_guards and text.startswith("'") and harmless(text) != text:
        text = text[1:]
    name = text if rules.keep_spaces else text.strip()
    notes = ["trimmed"] if name != text else []
    notes += [note for note, is_so in _NAME_NOTES if is_so(name)]
    return Meaning(quoted(name), tuple(notes))


def _looks_misread(name: str) -> bool:
    """Tell whether UTF-8 was once read as cp1252: ``ZoÃ«`` for ``Zoë``."""
    try:
        return not name.isascii() and name.encode("cp1252").decode("utf-8") != name
    except UnicodeError:
        return False


# The notes on a name that is sent.
_NAME_NOTES: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("formula", lambda name: name.startswith(RUNNABLE)),
    ("mojibake", _looks_misread),
    ("invisible_characters", re.compile(
        r"[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\x80-\x9f]").search),
    ("line_break", re.compile(r"[\t\r\n]").search),
    (Suspicion.TOTAL_ROW, lambda name: _TOTAL.fullmatch(name.strip())),
)  # fmt: skip


def _read_category(text: str, word: str, rules: CellRules) -> Meaning:
    number = _category_number(word, rules)
    if isinstance(number, RecordProblem):
        return Meaning(problem=number)
    notes = ["trimmed"] if word != text else []
    if str(number) != word and not (rules.thousands and rules.thousands in word):
        notes.append(f"{word}→{number}")
    kind = None
    if number not in rules.listed and number <= 0:
        kind, what = Suspicion.LOW_CATEGORY_ID, "is no id, as ids are above 0"
    elif rules.listed and number not in rules.listed:
        kind, what = Suspicion.UNLISTED_CATEGORY, "is not among the categories given"
    doubt = None if kind is None else suspicious(kind, f"category {number} {what}")
    return Meaning(str(number), tuple(notes), doubt)


def _category_number(word: str, rules: CellRules) -> int | RecordProblem:
    if rules.thousands and _GROUPED[rules.thousands].fullmatch(word):
        word = word.replace(rules.thousands, "")
    number = _whole(word)
    if number is not None:
        if INT64_MIN <= number <= INT64_MAX:
            return number
        what = f"{short_text(word)} is too {'large' if number > 0 else 'small'}"
        hint = f"a number is from {INT64_MIN} to {INT64_MAX}"
        return RecordProblem("int64_overflow", what, hint=hint)
    what, hint, add = f"{short_text(word)} is not a whole number", "give the number", None
    for sign in ",.":
        if _GROUPED[sign].fullmatch(word):
            hint = f"write it without {sign!r}, or say that it groups digits"
            add = ("thousands", sign)
    if add is None and not word[:1].isdigit():
        return _unknown_category(word, rules)
    return RecordProblem("not_a_whole_number", what, hint=hint, add=add)


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


def _unknown_category(word: str, rules: CellRules) -> RecordProblem:
    if not rules.values.get("category_id"):
        what = f"{short_text(word)} is not a category's number"
        hint, add = "give the number of each label", ("categories", {word[:60]: "?"})
        return RecordProblem("not_a_whole_number", what, hint=hint, add=add)
    likely = nearest(FIELD_BY_NAME["category_id"], word, rules)
    meant = "" if likely is None else f"did you mean {likely!r}? else "
    hint = f"{meant}say which number it is"
    what, wanted = f"unknown category {short_text(word)}", {"category_id": {word[:60]: "?"}}
    return RecordProblem("unknown_category", what, hint=hint, add=("value_map", wanted))


def nearest(column: PetField, word: str, rules: CellRules) -> str | None:
    """Return the value or label of a field that is spelled much like a word, or None."""
    allowed = list(column.values or rules.values.get(column.name, ()))
    return next(iter(get_close_matches(word.casefold()[:60], allowed, 1, 0.6)), None)


def _read_choice(column: PetField, text: str, word: str, rules: CellRules) -> Meaning:
    """Read one of a field's known values, such as a status, however it is spelled."""
    value = word.casefold()
    if value in column.values:
        note = f"{column.name}_case" if value != word else "trimmed"
        return Meaning(quoted(value), () if value == text else (note,))
    if column.name == "status" and value == NO_STATUS:
        return Meaning()
    likely = nearest(column, word, rules)
    hint = f"did you mean {likely}?" if likely else f"one of {', '.join(column.values)}, or empty"
    what = f"unknown {column.label.lower()} {short_text(word)}"
    add = ("value_map", {column.name: {word[:60]: "?"}})
    return _refused(f"unknown_{column.name}", what, hint, add)


def _read_by_dtype(column: PetField, text: str, word: str) -> Meaning:
    value: str | None = quoted(word)
    kind = "text"
    if column.dtype in ("int64", "Int64"):
        number, kind = _whole(word), "a whole number"
        value = str(number) if number is not None and INT64_MIN <= number <= INT64_MAX else None
    elif column.dtype == "Float64":
        kind, is_number = "a number", _NUMBER.fullmatch(word) and math.isfinite(float(word))
        value = repr(float(word)) if is_number else None
    elif column.dtype == "boolean":
        value, kind = _TRUTH.get(word.casefold()), "true or false"
    if value is None:
        what = f"{short_text(word)} is not {kind}"
        return _refused(f"not_{kind.replace(' ', '_')}", what, "correct it")
    return Meaning(value, ("trimmed",) if word != text else ())
