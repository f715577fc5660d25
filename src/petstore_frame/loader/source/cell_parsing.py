"""Turns the text of one cell into the value of a field, or says why it cannot be sent.

A value is text until proven otherwise: only the empty cell is missing; ``NA``, ``null`` and
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
    NAME_NOTES,
    is_spreadsheet_fault,
    unwrap_name,
    without_invisible,
)
from petstore_frame.loader.source.totals import OF_TOTAL, is_total
from petstore_frame.rendering import NO_STATUS
from petstore_frame.schema import NewPet, PetField
from petstore_frame.storage import harmless
from petstore_frame.validation import INT64, closest_match

MAX_CELL = 1024 * 1024
# What a recipe has where a person still has to say something.
PLACEHOLDER = "?"
# A column that a default names.
IN_BRACES = re.compile(r"\{([^{}]+)\}")
# What a spreadsheet would run when the name is opened in one.
quoted: Callable[[str], str] = json.encoder.encode_basestring

# So many short texts of a column are remembered.
_REMEMBERED, _SHORT = 32_768, 100
_MAX_DIGITS = 4000  # Python refuses to read longer numbers
_DECIMAL = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?")
_GROUPED = {sign: re.compile(rf"[+-]?[0-9]{{1,3}}(\{sign}[0-9]{{3}})+") for sign in ",."}
# Control characters, and halves of a character.
_UNSENDABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
# A name of which there is nothing to note, so that it needs no closer look.
_PLAIN = re.compile(
    rf"(?!(?:{OF_TOTAL}|(?i:nan|none|null|n/a|nat|undefined))\Z)"
    r"[A-Za-z](?:[A-Za-z0-9 .,'()-]*[A-Za-z0-9.)])?"
)


def word_of(text: str) -> str:
    """Return a text as words are compared: `` In Stock `` is ``in stock``."""
    return without_invisible(text).strip().casefold()


def unsendable_character(text: str) -> str | None:
    """Return the first character of a text that cannot be sent, as ``U+0000``, or None."""
    match = _UNSENDABLE.search(text)
    return None if match is None else f"U+{ord(match[0]):04X} at position {match.start() + 1}"


def suspicious(kind: Suspicion, message: str) -> RowProblem:
    """Return the refusal of a record that is sent only if a person confirms it."""
    hint, word = "check it; if it is right, accept it, or write yes in a fix file", str(kind)
    return RowProblem(SUSPICIOUS, message, hint=hint, add=("allow", [word]), allow=word)


class Meaning(NamedTuple):
    """What a text adds to the request body, nothing to leave its field out; notes; a problem."""

    part: bytes = b""
    notes: tuple[str, ...] = ()
    problem: RowProblem | None = None


NOTHING = Meaning()
# A meaning that nobody has said yet; the refusal names the word.
OPEN = Meaning(problem=RowProblem("open_word", ""))
_LIKE_A_TOTAL = suspicious(Suspicion.TOTAL_ROW, "this looks like a total, not like an animal")


class FieldReader(dict[str, Meaning]):
    """What the texts of one field mean; each is read once, and a number of them is remembered."""

    def __init__(self, field: PetField, thousands: str | None, *, keep_spaces: bool) -> None:
        super().__init__()
        self.field, self.thousands, self.keep_spaces = field, thousands, keep_spaces
        # What the user says of words, by ``word_of``, and of all others that are not allowed.
        self.meanings = dict[str, Meaning]()
        self.fallback: Meaning | None = None
        self.listed = set[int]()  # the ids of the categories that were given
        # Whether a quote before a formula was put there when the file was written, and whether the
        # quotes around a name are taken off.
        self.has_guards = self.unwraps = False

    def __missing__(self, text: str) -> Meaning:
        found = self._read(text)
        if len(self) < _REMEMBERED and len(text) < _SHORT:
            self[text] = found
        return found

    def means_nothing(self, text: str) -> bool:
        """Tell whether a cell is empty, by itself or for the user."""
        return not text.strip() or self.meanings.get(word_of(text)) == NOTHING

    def asks(self, text: str) -> bool:
        """Tell whether a text is a word that only a person can say the meaning of."""
        problem = self._read(text).problem
        return problem is not None and (problem.add or ("",))[0] in ("categories", "value_map")

    def nearest(self, word: str) -> str | None:
        """Return the value or label that is spelled much like a word, or None."""
        return closest_match(word[:60], [*(self.field.values or self.meanings)])

    def add_label(self, label: str, number: int) -> None:
        """Let a label mean its category; one of several categories is refused in a cell."""
        self.listed.add(number)
        meant = self._meant(str(number))
        if self.meanings.setdefault(word_of(label), meant) != meant:
            what = f"{short_text(label)} is the label of several categories"
            twin = _refused("ambiguous_category", what, "give the category's number")
            self.meanings[word_of(label)] = twin

    def meaning(self, option: str, value: Any) -> Meaning:
        """Return what a word of the user means: NOTHING for an empty text, or what is to be said.

        Raises:
            ArgumentError: It cannot be sent; the text names the option.
        """
        if value in ("", PLACEHOLDER):
            return OPEN if value else NOTHING
        part, _, problem = self._read(str(value))
        if problem is not None and problem.allow is None:
            values = self.field.values
            allowed = f"one of {', '.join(values)}" if values else "a whole number"
            what = f"{value!r} as a {self.field.label.lower()}; it is {allowed}"
            raise ArgumentError(f'{option} gives {what}, or "" for none')
        return Meaning(part)

    def _meant(self, value: str, notes: Sequence[str] = ()) -> Meaning:
        """Return a meaning whose value is this JSON text."""
        return Meaning(f'"{self.field.wire_name}":{value}'.encode(), tuple(notes))

    def _read(self, text: str) -> Meaning:
        """Return what a text is: as the user says, else by its field or its dtype."""
        is_name = self.field.name == "name"
        if is_name and not self.meanings and len(text) < _SHORT and _PLAIN.fullmatch(text):
            return self._meant(f'"{text}"')
        if not text.isprintable() and (character := unsendable_character(text)):
            what = f"{character} is not a character that can be sent"
            return _refused("control_character", what, "remove it, or type it again")
        if self.means_nothing(text):
            return self._read_empty()
        return self._read_name(text) if is_name else self._read_word(text)

    def _read_empty(self) -> Meaning:
        """Return what an empty cell is: nothing, or a problem if the field is required."""
        if not self.field.is_required:
            return NOTHING
        message = f"the {self.field.label.lower()} is missing"
        add = ("defaults", {self.field.name: PLACEHOLDER})
        return _refused(f"missing_{self.field.name}", message, "fill it in", add)

    def _read_word(self, text: str) -> Meaning:
        """Read a text of any field but the name; what nobody sees is removed with a note."""
        word = without_invisible(text).strip()
        if meant := self.meanings.get(word_of(text)):
            return self._said(meant, word)
        if self.field.name == "category_id":
            found = self._read_category(word)
        elif self.field.values:
            found = self._read_choice(word)
        else:
            found = self._read_by_dtype(word)
        if found.problem and found.problem.allow is None and self.fallback is not None:
            return self._said(self.fallback, word)
        if word == text or not found.part:
            return found
        note = "trimmed" if word == text.strip() else "invisible_characters"
        return found._replace(notes=(note, *found.notes))

    def _said(self, meant: Meaning, word: str) -> Meaning:
        if meant is not OPEN:
            return meant
        what = f"what {short_text(word)} means is a placeholder in the recipe"
        return _refused("open_word", what, f"say which {self.field.label.lower()} it is")

    def _read_name(self, text: str) -> Meaning:
        if meant := self.meanings.get(word_of(text)):
            return self._said(meant, text.strip())
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
            return _refused("spreadsheet_fault", message, "type the name again, as text")
        found = self._meant(quoted(name), notes)
        return found._replace(problem=_LIKE_A_TOTAL) if is_total(name) else found

    def _read_category(self, word: str) -> Meaning:
        is_grouped = self.thousands and _GROUPED[self.thousands].fullmatch(word)
        plain = word.replace(self.thousands or "", "") if is_grouped else word
        number = _whole(plain)
        if number is None:
            return self._unknown_category(word)
        if number not in INT64:
            what = f"{short_text(word)} is past the bounds of a number"
            return _refused("int64_overflow", what, f"it is from {INT64[0]} to {INT64[-1]}")
        found = self._meant(str(number), () if str(number) == plain else (f"{word}→{number}",))
        if self.listed and number not in self.listed:
            what = f"category {number} is not among the categories given"
            return found._replace(problem=suspicious(Suspicion.UNLISTED_CATEGORY, what))
        return found

    def _unknown_category(self, word: str) -> Meaning:
        sign = next((each for each in _GROUPED if _GROUPED[each].fullmatch(word)), None)
        hint, add = "give the category's number", None  # type: str, tuple[str, Any] | None
        if sign is not None:
            number = word.replace(sign, "")
            hint = f"thousands={sign!r} reads {number}; without it, {word} is a decimal number"
            add = "thousands", PLACEHOLDER
        elif not word[:1].isdigit():
            if self.meanings:
                return self._unknown(word, "category", "say which number it is")
            hint, add = "give the number of each label", ("categories", {word[:60]: PLACEHOLDER})
        what = f"{short_text(word)} is not a category's number"
        return _refused("not_a_whole_number", what, hint, add)

    def _read_choice(self, word: str) -> Meaning:
        """Read one of a field's known values, such as a status, however it is spelled."""
        value = word.casefold()
        if value in self.field.values:
            notes = () if value == word else (f"{self.field.name}_case",)
            return self._meant(quoted(value), notes)
        if self.field.name == "status" and value == NO_STATUS:
            return NOTHING
        hint = f"one of {', '.join(self.field.values)}, or empty"
        return self._unknown(word, self.field.name, hint)

    def _unknown(self, word: str, what: str, hint: str) -> Meaning:
        """Return the refusal of a word that is to be said what it means."""
        if likely := self.nearest(word):
            hint = f"did you mean {likely!r}? else {hint}"
        add = ("value_map", {self.field.name: {word[:60]: PLACEHOLDER}})
        return _refused(f"unknown_{what}", f"unknown {what} {short_text(word)}", hint, add)

    def _read_by_dtype(self, word: str) -> Meaning:
        field = NewPet.model_fields[self.field.name]
        kind: Any = Annotated[field.annotation, *field.metadata]
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        try:
            value = adapter.dump_json(adapter.validate_python(word)).decode()
        except ValidationError:
            value = "null"
        if value != "null":
            return self._meant(value)
        what = f"{short_text(word)} is no value of the {self.field.label.lower()}"
        return _refused(f"not_a_{self.field.name}", what, "correct it")


def _refused(code: str, message: str, hint: str, add: tuple[str, Any] | None = None) -> Meaning:
    return Meaning(problem=RowProblem(code, message, hint=hint, add=add))


def _whole(word: str) -> int | None:
    """Return the whole number that a text is, also as 3.0; None for any other text."""
    # By its digits, because a float would turn 9007199254740993.0 into ...992.
    whole, _, fraction = word.partition(".")
    if not _DECIMAL.fullmatch(word) or fraction.strip("0") or _GROUPED["."].fullmatch(word):
        return None
    return int(whole) if len(whole) <= _MAX_DIGITS else INT64[-1] + 1
