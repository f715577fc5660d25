"""Turns the text of a cell into the value of a field, or explains why it cannot be sent.

A value is text until proven otherwise: only an empty cell is missing; ``NA``, ``null`` and
``TRUE`` are names like any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.row_state import SUSPICIOUS, RowProblem, Suspicion, short_text
from petstore_frame.loader.source.spreadsheet_text import (
    MISSING_TEXTS,
    NAME_NOTES,
    is_missing_text,
    is_spreadsheet_fault,
    unwrap_name,
    without_invisible,
)
from petstore_frame.loader.source.totals import TOTAL_STARTS, is_total
from petstore_frame.schema import NO_STATUS, NewPet, PetField, fold
from petstore_frame.storage import harmless
from petstore_frame.validation import INT64, closest_match

MAX_CELL = 1024 * 1024
# Stands in a recipe for a value that a person still has to fill in.
PLACEHOLDER = "?"
# The name of a column in a default.
IN_BRACES = re.compile(r"\{([^{}]+)\}")
# Returns a text as a JSON string.
quoted: Callable[[str], str] = json.encoder.encode_basestring

# How many texts of a column are cached, and the length from which a text is not.
_MAX_CACHED, _MAX_CACHED_LENGTH = 32_768, 100
_MAX_DIGITS = 4000  # Python refuses to read longer numbers
_DECIMAL = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?")
_GROUPED = {sign: re.compile(rf"[+-]?[0-9]{{1,3}}(\{sign}[0-9]{{3}})+") for sign in ",."}
# Control characters and lone surrogates.
_UNSENDABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
# The characters of nearly all names; such a name has no note.
_PLAIN_NAME = re.compile(r"[A-Za-z](?:[A-Za-z0-9 .,'()-]*[A-Za-z0-9.)])?")
# How a total or a text for a missing value begins.
_CHECKED_STARTS = TOTAL_STARTS | {text[:2] for text in MISSING_TEXTS}


def folded_text(text: str) -> str:
    """Return a text as values are compared: `` In Stock `` is ``in stock``."""
    return without_invisible(text).strip().casefold()


def _is_plain_name(text: str) -> bool:
    """Return True for a name that needs no further checks: it cannot get a note or a problem."""
    if len(text) >= _MAX_CACHED_LENGTH or not _PLAIN_NAME.fullmatch(text):
        return False
    return text[:2].lower() not in _CHECKED_STARTS or not (is_missing_text(text) or is_total(text))


def unsendable_character(text: str) -> str | None:
    """Return the first character of a text that cannot be sent, as ``U+0000``, or None."""
    match = _UNSENDABLE.search(text)
    return None if match is None else f"U+{ord(match[0]):04X} at position {match.start() + 1}"


def suspicious(kind: Suspicion, message: str) -> RowProblem:
    """Return the problem of a row that is sent only if a person confirms it."""
    hint = "check it; if it is right, accept it, or write yes in a fix file"
    return RowProblem(SUSPICIOUS, message, hint=hint, add=("allow", [str(kind)]), allow=str(kind))


class Meaning(NamedTuple):
    """What a text adds to the request body (empty to leave the field out), notes, a problem.

    ``compared`` is the form in which rows are compared: the folded name, or the number.
    """

    part: bytes = b""
    notes: tuple[str, ...] = ()
    problem: RowProblem | None = None
    compared: str = ""


NOTHING = Meaning()
# A placeholder in the recipe; the reader adds the message, which names the value.
OPEN = Meaning(problem=RowProblem("open_word", ""))
_LIKE_A_TOTAL = suspicious(Suspicion.TOTAL_ROW, "this looks like a total, not like an animal")


class FieldReader(dict[str, Meaning]):
    """Reads the texts of one field, and caches the short ones."""

    def __init__(self, field: PetField, thousands: str | None, *, keep_spaces: bool) -> None:
        super().__init__()
        self.field, self.thousands, self.keep_spaces = field, thousands, keep_spaces
        # The meanings that the recipe states, by ``folded_text``, and the one of all other values
        # that the field does not allow.
        self.meanings = dict[str, Meaning]()
        self.fallback: Meaning | None = None
        self.category_ids = set[int]()  # of the categories in the recipe; empty if it has none
        # Whether quotes before formulas were added when the file was written, and whether quotes
        # around names are removed.
        self.has_guards = self.unwraps = False

    def __missing__(self, text: str) -> Meaning:
        meaning = self._read(text)
        if len(self) < _MAX_CACHED and len(text) < _MAX_CACHED_LENGTH:
            self[text] = meaning
        return meaning

    def means_nothing(self, text: str) -> bool:
        """Return True if a cell is empty, or if the recipe maps its text to an empty one."""
        return not text.strip() or self.meanings.get(folded_text(text)) == NOTHING

    def needs_meaning(self, text: str) -> bool:
        """Return True for a value whose meaning only a person can tell."""
        problem = self._read(text).problem
        return problem is not None and (problem.add or ("",))[0] in ("categories", "value_map")

    def uses_fallback(self, text: str) -> bool:
        """Return True for a value that has a meaning only by the recipe's fallback."""
        if self.fallback is None or self.means_nothing(text):
            return False
        fallback, self.fallback = self.fallback, None
        try:
            return self.needs_meaning(text)
        finally:
            self.fallback = fallback

    def nearest(self, text: str) -> str | None:
        """Return the value or label with the most similar spelling, or None."""
        return closest_match(text[:60], [*(self.field.values or self.meanings)])

    def add_label(self, label: str, number: int) -> None:
        """Map a label to its category; a label of several categories is rejected in a cell."""
        self.category_ids.add(number)
        meaning = self._meaning_of_json(str(number))
        if self.meanings.setdefault(folded_text(label), meaning) != meaning:
            message = f"{short_text(label)} is the label of several categories"
            ambiguous = _rejected("ambiguous_category", message, "use the category's number")
            self.meanings[folded_text(label)] = ambiguous

    def meaning(self, option: str, value: Any) -> Meaning:
        """Return the meaning of a value in the recipe; NOTHING if empty, OPEN for a placeholder.

        Raises:
            ArgumentError: The value cannot be sent; the message names the option.
        """
        if value == "":
            return NOTHING
        if value == PLACEHOLDER:
            return OPEN
        meaning = self._read(str(value))
        if meaning.problem is not None and meaning.problem.allow is None:
            values = self.field.values
            allowed = f"one of {', '.join(values)}" if values else "a whole number"
            label = self.field.label.lower()
            raise ArgumentError(
                f'{option} gives {value!r} as a {label}; it is {allowed}, or "" for none'
            )
        return Meaning(meaning.part, compared=meaning.compared)

    def _meaning_of_json(
        self, value: str, notes: Sequence[str] = (), compared: str = ""
    ) -> Meaning:
        part = f'"{self.field.wire_name}":{value}'.encode()
        return Meaning(part, tuple(notes), None, compared or value)

    def _read(self, text: str) -> Meaning:
        """Read a text as the recipe maps it; otherwise by its field or dtype."""
        is_name = self.field.name == "name"
        if is_name and not self.meanings and _is_plain_name(text):
            return Meaning(f'"name":"{text}"'.encode(), (), None, fold(text))
        if not text.isprintable() and (character := unsendable_character(text)):
            message = f"{character} is not a character that can be sent"
            return _rejected("control_character", message, "remove it, or type it again")
        if self.means_nothing(text):
            return self._read_empty()
        return self._read_name(text) if is_name else self._read_value(text)

    def _read_empty(self) -> Meaning:
        """Return the meaning of an empty cell: nothing, or a problem if the field is required."""
        if not self.field.is_required:
            return NOTHING
        message = f"the {self.field.label.lower()} is missing"
        add = ("defaults", {self.field.name: PLACEHOLDER})
        return _rejected(f"missing_{self.field.name}", message, "fill it in", add)

    def _read_value(self, text: str) -> Meaning:
        """Read a value of any field but the name; invisible characters are removed with a note."""
        value = without_invisible(text).strip()
        if stated := self.meanings.get(folded_text(text)):
            return self._reject_if_open(stated, value)
        if self.field.name == "category_id":
            meaning = self._read_category(value)
        elif self.field.values:
            meaning = self._read_choice(value)
        else:
            meaning = self._read_by_dtype(value)
        if meaning.problem and meaning.problem.allow is None and self.fallback is not None:
            return self._reject_if_open(self.fallback, value)
        if value == text or not meaning.part:
            return meaning
        note = "trimmed" if value == text.strip() else "invisible_characters"
        return meaning._replace(notes=(note, *meaning.notes))

    def _reject_if_open(self, stated: Meaning, text: str) -> Meaning:
        """Return a meaning from the recipe, or a problem if it is a placeholder there."""
        if stated is not OPEN:
            return stated
        message = f"what {short_text(text)} means is a placeholder in the recipe"
        return _rejected("open_word", message, f"say which {self.field.label.lower()} it is")

    def _read_name(self, text: str) -> Meaning:
        if stated := self.meanings.get(folded_text(text)):
            return self._reject_if_open(stated, text.strip())
        if self.has_guards and text.startswith("'") and harmless(text) != text:
            text = text[1:]
        if self.unwraps:
            text = unwrap_name(text)
        name = text if self.keep_spaces else text.strip()
        notes = ["trimmed"] if name != text else []
        if not name.startswith("'") and harmless(name) != name:
            notes.append("formula")
        notes += [note for note, is_noted in NAME_NOTES if is_noted(name)]
        if is_spreadsheet_fault(name.strip()) and "missing_word" not in notes:
            kind = "a spreadsheet error" if name.strip()[0] == "#" else "a rounded number"
            message = f"{short_text(name)} is {kind}, not a name"
            return _rejected("spreadsheet_fault", message, "type the name again, as text")
        meaning = self._meaning_of_json(quoted(name), notes, fold(name))
        return meaning._replace(problem=_LIKE_A_TOTAL) if is_total(name) else meaning

    def _read_category(self, text: str) -> Meaning:
        is_grouped = self.thousands and _GROUPED[self.thousands].fullmatch(text)
        digits = text.replace(self.thousands or "", "") if is_grouped else text
        number = _integer_of(digits)
        if number is None:
            return self._reject_category(text)
        if number not in INT64:
            message = f"{short_text(text)} does not fit into 64 bits"
            hint = f"use a number from {INT64[0]} to {INT64[-1]}"
            return _rejected("int64_overflow", message, hint)
        notes = () if str(number) == digits else (f"{text}→{number}",)
        meaning = self._meaning_of_json(str(number), notes)
        if self.category_ids and number not in self.category_ids:
            message = f"category {number} is not among the categories of the recipe"
            return meaning._replace(problem=suspicious(Suspicion.UNLISTED_CATEGORY, message))
        return meaning

    def _reject_category(self, text: str) -> Meaning:
        """Return the problem of a text that is neither a number nor a label."""
        hint = "enter the number of the category"
        add: tuple[str, Any] | None = None
        signs = [sign for sign, pattern in _GROUPED.items() if pattern.fullmatch(text)]
        if signs:
            number = text.replace(signs[0], "")
            hint = f"thousands={signs[0]!r} reads {number}; without it, {text} is a decimal number"
            add = ("thousands", PLACEHOLDER)
        elif not text[:1].isdigit():
            if self.meanings:
                return self._unknown_value(text, "category", "say which number it is")
            hint = "state the number of each label"
            add = ("categories", {text[:60]: PLACEHOLDER})
        message = f"{short_text(text)} is not the number of a category"
        return _rejected("not_a_whole_number", message, hint, add)

    def _read_choice(self, text: str) -> Meaning:
        """Read one of a field's fixed values, such as a status, in any case."""
        value = text.casefold()
        if value in self.field.values:
            notes = () if value == text else (f"{self.field.name}_case",)
            return self._meaning_of_json(quoted(value), notes)
        if self.field.name == "status" and value == NO_STATUS:
            return NOTHING
        hint = f"one of {', '.join(self.field.values)}, or empty"
        return self._unknown_value(text, self.field.name, hint)

    def _unknown_value(self, text: str, kind: str, hint: str) -> Meaning:
        """Return the problem of a value whose meaning the recipe must state."""
        if likely := self.nearest(text):
            hint = f"did you mean {likely!r}? If not, {hint}"
        add = ("value_map", {self.field.name: {text[:60]: PLACEHOLDER}})
        return _rejected(f"unknown_{kind}", f"unknown {kind} {short_text(text)}", hint, add)

    def _read_by_dtype(self, text: str) -> Meaning:
        field = NewPet.model_fields[self.field.name]
        kind: Any = Annotated[field.annotation, *field.metadata]
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        try:
            value = adapter.dump_json(adapter.validate_python(text)).decode()
        except ValidationError:
            value = "null"
        if value != "null":
            return self._meaning_of_json(value)
        message = f"{short_text(text)} is not a valid {self.field.label.lower()}"
        return _rejected(f"not_a_{self.field.name}", message, "correct it")


def _rejected(code: str, message: str, hint: str, add: tuple[str, Any] | None = None) -> Meaning:
    return Meaning(problem=RowProblem(code, message, hint=hint, add=add))


def _integer_of(text: str) -> int | None:
    """Return the whole number that a text such as 3 or 3.0 states; None for any other text."""
    # By its digits, because a float would turn 9007199254740993.0 into ...992.
    digits, _, fraction = text.partition(".")
    if not _DECIMAL.fullmatch(text) or fraction.strip("0") or _GROUPED["."].fullmatch(text):
        return None
    return int(digits) if len(digits) <= _MAX_DIGITS else INT64[-1] + 1
