"""Turns the text of a cell into the value of a field, or explains why it cannot be sent.

A value is text until proven otherwise: only an empty cell is missing; ``NA``, ``null`` and
``TRUE`` are names like any other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.matching.folding import fold_name
from petstore_frame.loader.row_state import SUSPICIOUS, RowProblem, Suspicion
from petstore_frame.loader.source.grouped_digits import (
    both_readings,
    is_grouped,
    without_separators,
)
from petstore_frame.loader.source.spreadsheet_text import (
    MISSING_TEXTS,
    NAME_NOTES,
    SPREADSHEET_ERROR,
    is_missing_text,
    is_spreadsheet_fault,
    unwrap_name,
    without_invisible,
)
from petstore_frame.loader.source.totals import TOTAL_STARTS, is_total
from petstore_frame.schema import FIELDS, NO_STATUS, NewPet, PetField
from petstore_frame.schema.text import short_text
from petstore_frame.schema.words import animal_kinds, animal_of, status_of
from petstore_frame.storage import harmless
from petstore_frame.tables import Labels
from petstore_frame.tables.quotes import unwrap_formula
from petstore_frame.validation import INT64, closest_match

if TYPE_CHECKING:
    from petstore_frame.loader.source.recipe import Recipe

# The table of value_map with texts in key columns that mean "no key".
KEY = "key"
# The value of an option in a recipe that a person still has to fill in.
PLACEHOLDER = "?"
# A column name in a default, such as ``{Tag}``.
IN_BRACES = re.compile(r"\{([^{}]+)\}")
# Quotes a text as a JSON string.
quoted: Callable[[str], str] = json.encoder.encode_basestring

# Maximum number of cached texts per column; texts of this length or more are not cached.
_MAX_CACHED, _MAX_CACHED_LENGTH = 32_768, 100
_MIN_SIMILARITY = 0.7  # of a word to a status: "avail" is similar, and "stolen" is not
_MAX_DIGITS = 4000  # Python refuses to read longer numbers
_DECIMAL = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?")
# A whole number with a decimal comma, as in 3,0: three zeros may also be thousands.
_ZEROS_AFTER_COMMA = re.compile(r"([+-]?[0-9]+),(?:00?|0000+)")
# Control characters and lone surrogates.
_UNSENDABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
# Matches nearly all names; a name that matches has no note.
_PLAIN_NAME = re.compile(r"[A-Za-z](?:[A-Za-z0-9 .,'()-]*[A-Za-z0-9.)])?")
# The first two letters of totals and of texts for missing values.
_CHECKED_STARTS = TOTAL_STARTS | {text[:2] for text in MISSING_TEXTS}


def folded_text(text: str) -> str:
    """Return a value in the form for comparisons: `` In Stock `` becomes ``in stock``."""
    return without_invisible(text).strip().casefold()


def _is_plain_name(text: str) -> bool:
    """Return True for a name that cannot get a note or a problem, so needs no further checks."""
    if len(text) >= _MAX_CACHED_LENGTH or not _PLAIN_NAME.fullmatch(text):
        return False
    return text[:2].lower() not in _CHECKED_STARTS or not (is_missing_text(text) or is_total(text))


def unsendable_character(text: str) -> str | None:
    """Return the first character of a text that cannot be sent, as ``U+0000``, or None."""
    match = _UNSENDABLE.search(text)
    return None if match is None else f"U+{ord(match[0]):04X} at position {match.start() + 1}"


def suspicious(kind: Suspicion, message: str) -> RowProblem:
    """Return the problem of a row that is sent only if a person confirms it."""
    hint = f"check it; if it is correct, allow '{kind}', or write yes in the fix file"
    return RowProblem(SUSPICIOUS, message, hint=hint, add=("allow", PLACEHOLDER), allow=str(kind))


class Meaning(NamedTuple):
    """What a cell means: its part of the request body, and notes or a problem.

    ``part`` is empty if the field is left out. ``compared`` is the form for comparing rows: the
    folded name, or the number.
    """

    part: bytes = b""
    notes: tuple[str, ...] = ()
    problem: RowProblem | None = None
    compared: str = ""


NOTHING = Meaning()
# A placeholder in the recipe; the message is added when the value is known.
OPEN = Meaning(problem=RowProblem("open_word", ""))
_LIKE_A_TOTAL = suspicious(Suspicion.TOTAL_ROW, "this looks like a total, not like an animal")


class FieldReader(dict[str, Meaning]):
    """Reads the texts of one field, and caches the short ones."""

    def __init__(self, field: PetField, thousands: str | None, *, keep_spaces: bool) -> None:
        super().__init__()
        self.field, self.thousands, self.keep_spaces = field, thousands, keep_spaces
        # The meanings from the recipe, by ``folded_text``; ``fallback`` is the meaning of all other
        # values that the field does not allow.
        self.meanings = dict[str, Meaning]()
        self.fallback: Meaning | None = None
        self._ids_of_label = dict[str, dict[int, None]]()  # by ``folded_text``
        self.category_ids = set[int]()  # of the categories in the recipe; empty if it has none
        # Whether the file may have a quote before a formula that is not part of the name, and
        # whether quotes around names are removed.
        self.has_guards = self.unwraps = False

    def __missing__(self, text: str) -> Meaning:
        meaning = self._read(text)
        if len(self) < _MAX_CACHED and len(text) < _MAX_CACHED_LENGTH:
            self[text] = meaning
        return meaning

    @property
    def _noun(self) -> str:
        """The name of the field in a message: ``category`` for ``category_id``."""
        return self.field.label.lower().removesuffix(" id")

    def means_nothing(self, text: str) -> bool:
        """Return True if a cell is empty, or if the recipe maps its text to an empty one."""
        return not text.strip() or self.meanings.get(folded_text(text)) == NOTHING

    def needs_meaning(self, text: str) -> bool:
        """Return True for a value whose meaning a person must state."""
        problem = self._read(text).problem
        return problem is not None and (problem.add or ("",))[0] in ("categories", "value_map")

    def uses_fallback(self, text: str) -> bool:
        """Return True for a value that only the fallback of the recipe maps."""
        if self.fallback is None or self.means_nothing(text):
            return False
        fallback, self.fallback = self.fallback, None
        try:
            return self.needs_meaning(text)
        finally:
            self.fallback = fallback

    def nearest(self, text: str) -> str | None:
        """Return the value or label that a text probably means, or None: a suggestion.

        It is the status of a word in another language, the animal or its next broader kind, or the
        most similar spelling.
        """
        text = text[:60]
        if self.field.values:
            return status_of(text) or closest_match(text, self.field.values, _MIN_SIMILARITY)
        kinds = animal_kinds(text)
        if not kinds:
            return closest_match(text, [*self.meanings])
        for kind in kinds:
            labels = [label for label in self.meanings if animal_of(label) == kind]
            if labels:
                return labels[0] if len(labels) == 1 else None
        return None

    def add_label(self, label: str, number: int) -> None:
        """Map a label to its category; cells with a label of several categories are rejected."""
        self.category_ids.add(number)
        meaning, folded = self._meaning_of_json(str(number)), folded_text(label)
        ids = self._ids_of_label.setdefault(folded, {})
        ids[number] = None
        if self.meanings.setdefault(folded, meaning) != meaning:
            listed = " and ".join(map(str, ids))
            message = f"{short_text(label)} is the label of the categories {listed}"
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
            raise ArgumentError(
                f'{option}: {value!r} is not a {self._noun}; it must be {allowed}, or "" for none'
            )
        return Meaning(meaning.part, compared=meaning.compared)

    def _meaning_of_json(
        self, value: str, notes: Sequence[str] = (), compared: str = ""
    ) -> Meaning:
        part = f'"{self.field.wire_name}":{value}'.encode()
        return Meaning(part, tuple(notes), None, compared or value)

    def _read(self, text: str) -> Meaning:
        """Read a text by the recipe if that maps it, otherwise by the field or its dtype."""
        is_name = self.field.name == "name"
        if is_name and not self.meanings and _is_plain_name(text):
            return Meaning(f'"name":"{text}"'.encode(), (), None, fold_name(text))
        if not text.isprintable() and (character := unsendable_character(text)):
            message = f"the character {character} cannot be sent"
            return _rejected("control_character", message, "remove it, or type it again")
        if self.means_nothing(text):
            return self._read_empty()
        return self._read_name(text) if is_name else self._read_value(text)

    def _read_empty(self) -> Meaning:
        """Return the meaning of an empty cell: nothing, or a problem if the field is required."""
        if not self.field.is_required:
            return NOTHING
        add = ("defaults", {self.field.name: PLACEHOLDER})
        return _rejected(f"missing_{self.field.name}", f"no {self._noun}", "fill it in", add)

    def _read_value(self, text: str) -> Meaning:
        """Read a value of any field except the name; removed invisible characters give a note."""
        value = without_invisible(text).strip()
        if stated := self.meanings.get(folded_text(text)):
            return self._reject_if_open(stated, value)
        if SPREADSHEET_ERROR.fullmatch(value):
            message = f"{short_text(value)} is a spreadsheet error, not a {self._noun}"
            return _rejected("spreadsheet_fault", message, "fix the formula, or type the value")
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
        note = "trimmed" if value == text.strip() else f"invisible_{self.field.name}"
        return meaning._replace(notes=(note, *meaning.notes))

    def _reject_if_open(self, stated: Meaning, text: str) -> Meaning:
        """Return a meaning from the recipe, or a problem if it is a placeholder."""
        if stated is not OPEN:
            return stated
        message = f"the recipe has a placeholder for {short_text(text)}"
        return _rejected("open_word", message, f"replace it with the {self._noun}")

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
        meaning = self._meaning_of_json(quoted(name), notes, fold_name(name))
        if is_total(name):
            return meaning._replace(problem=_LIKE_A_TOTAL)
        inner = unwrap_name(name)
        return meaning if inner == name.strip() else meaning._replace(problem=_wrapped(inner))

    def _read_category(self, text: str) -> Meaning:
        digits = plain = unwrap_formula(text)
        if self.thousands is not None and is_grouped(plain, self.thousands):
            digits = without_separators(plain, self.thousands)
        elif self.thousands is None and (match := _ZEROS_AFTER_COMMA.fullmatch(plain)):
            digits = match[1]
        number = _integer_of(digits)
        if number is None:
            return self._reject_category(text)
        if number not in INT64:
            message = f"{short_text(text)} does not fit into 64 bits"
            hint = f"use a number from {INT64[0]} to {INT64[-1]}"
            return _rejected("int64_overflow", message, hint)
        is_plain = str(number) == digits and (digits == text or self.thousands is not None)
        notes = () if is_plain else (f"{text}→{number}",)
        meaning = self._meaning_of_json(str(number), notes)
        if self.category_ids and number not in self.category_ids:
            message = f"category {number} is not among the categories of the recipe"
            return meaning._replace(problem=suspicious(Suspicion.UNLISTED_CATEGORY, message))
        return meaning

    def _reject_category(self, text: str) -> Meaning:
        """Reject a text that is neither a number nor a label."""
        hint = "enter the number of the category"
        add: tuple[str, Any] | None = None
        if is_missing_text(text) and not self.meanings:
            message = f"no category: the cell has {short_text(text)}"
            return _rejected("missing_category_id", message, "fill it in")
        if readings := both_readings(text):
            hint, add = readings, ("thousands", PLACEHOLDER)
        elif not text[:1].isdigit() and any(map(str.isalpha, text)):
            if self.meanings:
                return self._unknown_value(text, "category", "say which number it is")
            hint = "state the number of each label"
            add = ("categories", {text[:60]: PLACEHOLDER})
        message = f"{short_text(text)} is not the number of a category"
        return _rejected("not_a_whole_number", message, hint, add)

    def _read_choice(self, text: str) -> Meaning:
        """Read one of the fixed values of a field, such as a status, in upper or lower case."""
        value = text.casefold()
        if value in self.field.values:
            notes = () if value == text else (f"{self.field.name}_case",)
            return self._meaning_of_json(quoted(value), notes)
        if self.field.name == "status" and value == NO_STATUS:
            return NOTHING
        hint = f"one of {', '.join(self.field.values)}, or empty"
        return self._unknown_value(text, self.field.name, hint)

    def _unknown_value(self, text: str, kind: str, hint: str) -> Meaning:
        """Reject a value whose meaning the recipe must state."""
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


def readers_of(recipe: Recipe) -> dict[str, FieldReader]:
    """Return the reader of each field; this reads the category file, if the recipe has one."""
    readers = {
        field.name: FieldReader(field, recipe.thousands, keep_spaces=recipe.keep_spaces)
        for field in FIELDS.sent
    }
    labels, category_reader = recipe.categories, readers["category_id"]
    if isinstance(labels, Mapping):
        open_labels = {
            folded_text(label) for label, number in labels.items() if number == PLACEHOLDER
        }
        category_reader.meanings |= dict.fromkeys(open_labels, OPEN)
        labels = {label: number for label, number in labels.items() if number != PLACEHOLDER}
    for number, label in Labels.ids_and_labels(labels):
        category_reader.add_label(label, number)
    for name, value in recipe.defaults.items():
        if not IN_BRACES.search(str(value)):
            readers[name].meaning("defaults", value)  # rejects a value that cannot be sent
    for name, value in recipe.fallback.items():
        readers[name].fallback = readers[name].meaning("fallback", value)
    for name, table in recipe.value_map.items():
        if name != KEY:
            meaning = readers[name].meaning
            meanings = {
                folded_text(text): meaning("value_map", value) for text, value in table.items()
            }
            readers[name].meanings |= meanings
        elif any(value not in ("", PLACEHOLDER) for value in table.values()):
            raise ArgumentError(
                'value_map: the table "key" has texts that mean no key, so its values must be ""'
            )
    return readers


def _rejected(code: str, message: str, hint: str, add: tuple[str, Any] | None = None) -> Meaning:
    return Meaning(problem=RowProblem(code, message, hint=hint, add=add))


def _wrapped(inner: str) -> RowProblem:
    """Return the problem of a name in quotes, in ``="…"`` or with an HTML entity."""
    message = f"the name is in quotes or has HTML entities; without them it is {short_text(inner)}"
    problem = suspicious(Suspicion.WRAPPED_NAMES, message)
    hint = f"quoting 'unwrap' removes them; allow '{problem.allow}' sends the name as it is"
    return replace(problem, hint=hint, add=("quoting", PLACEHOLDER))


def _integer_of(text: str) -> int | None:
    """Return the value of a whole number such as 3 or 3.0; None for any other text."""
    # Not by a float, which would turn 9007199254740993.0 into ...992.
    digits, _, fraction = text.partition(".")
    if not _DECIMAL.fullmatch(text) or fraction.strip("0") or is_grouped(text, "."):
        return None
    return int(digits) if len(digits) <= _MAX_DIGITS else INT64[-1] + 1
