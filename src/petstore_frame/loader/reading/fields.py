"""What the text of one cell means, field by field.

In: the text of a cell. Out: the value to send with notes on what was normalised, or the reason
why it cannot be sent. It knows nothing of files, columns or other cells.

A value is text until proven otherwise: only the empty cell is missing; ``NA``, ``null`` and
``TRUE`` are names like any other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches

from petstore_frame.schema.models import INT64_MAX, INT64_MIN, NO_STATUS, PET_STATUSES

MAX_CELL = 1024 * 1024
NUMBER_NOTE = "number→text"

_WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?", re.ASCII)
_MAX_DIGITS = 4000  # Python refuses to read longer numbers
_GROUPED = {
    ",": re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})+"),
    ".": re.compile(r"[+-]?[0-9]{1,3}(\.[0-9]{3})+"),
}
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_INVISIBLE = re.compile(r"[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\x80-\x9f]")


class CellError(Exception):
    """A cell cannot be sent: a code, what is wrong, and how to fix it."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(code, message, hint)
        self.code, self.message, self.hint = code, message, hint


@dataclass(frozen=True)
class Rules:
    """What the caller allows beyond the strict reading.

    Attributes:
        keep_spaces: Leave the outer spaces of a name as they are.
        thousands: The separator of thousands in a category id, or None.
        categories: Category ids by casefolded label; None for a label of several ids.
        statuses: Statuses by casefolded text; "" leaves the status out.
    """

    keep_spaces: bool = False
    thousands: str | None = None
    categories: Mapping[str, int | None] | None = None
    statuses: Mapping[str, str] | None = None


def read_name(text: str, rules: Rules) -> tuple[str, list[str]]:
    """Return the name to send, and notes."""
    refuse_unsendable(text)
    trimmed = text.strip()
    if not trimmed:
        raise CellError("missing_name", "the name is missing", "give the animal a name")
    name = text if rules.keep_spaces else trimmed
    notes = ["trimmed"] if name != text else []
    if name.isascii():
        return name, notes + (["quotes_kept"] if _is_quoted(name) else [])
    if _looks_misread(name):
        notes.append("mojibake")
    if _INVISIBLE.search(name):
        notes.append("invisible_characters")
    return name, notes


def refuse_unsendable(text: str) -> None:
    """Refuse what no JSON text should hold: control characters, lone surrogates, megabytes."""
    if len(text) > MAX_CELL:
        raise too_large()
    if text.isprintable():
        return
    control = _CONTROL.search(text)
    if control:
        raise CellError(
            "control_character",
            f"control character U+{ord(control[0]):04X} at position {control.start() + 1}",
            "remove it",
        )
    half = _SURROGATE.search(text)
    if half:
        raise CellError(
            "lone_surrogate",
            f"half a character (U+{ord(half[0]):04X}) at position {half.start() + 1}",
            "type the character again",
        )


def too_large() -> CellError:
    """Return the refusal of a cell beyond ``MAX_CELL``."""
    return CellError(
        "cell_too_large",
        f"the cell holds more than {MAX_CELL:,} characters",
        "shorten it; a quote that is never closed can cause this too",
    )


def is_plain(name: str) -> bool:
    """Tell quickly that a name needs no further check: printable ASCII, no outer spaces."""
    return (
        name.isascii()
        and name.isprintable()
        and name[:1] not in ("", " ", '"')
        and name[-1] != " "
        and len(name) <= MAX_CELL
    )


def read_category(text: str, rules: Rules) -> tuple[int, list[str]]:
    """Return the category id to send, and notes."""
    refuse_unsendable(text)
    word = text.strip()
    if not word:
        raise CellError("missing_category_id", "the category is missing", "give its number")
    if rules.categories is not None and word.casefold() in rules.categories:
        mapped = _mapped_category(word, rules.categories)
        return mapped, [f"{word}→{mapped}"]
    number = _whole_number(word, rules)
    if not INT64_MIN <= number <= INT64_MAX:
        raise CellError(
            "int64_overflow",
            f"{_short(word)} does not fit into 64 bits",
            f"the largest category id is {INT64_MAX}",
        )
    notes = ["trimmed"] if word != text else []
    if str(number) != word:
        notes.append(f"{word}→{number}")
    if number <= 0:
        notes.append("category_id_not_positive")
    return number, notes


def _mapped_category(word: str, categories: Mapping[str, int | None]) -> int:
    number = categories[word.casefold()]
    if number is None:
        raise CellError(
            "ambiguous_category",
            f"{_short(word)} is the label of several categories",
            "give the category's number",
        )
    return number


def _whole_number(word: str, rules: Rules) -> int:
    if rules.thousands and _GROUPED[rules.thousands].fullmatch(word):
        word = word.replace(rules.thousands, "")
    if len(word) > _MAX_DIGITS and _DECIMAL.fullmatch(word):
        return INT64_MAX + 1
    if _WHOLE.fullmatch(word):
        return int(word)
    if _DECIMAL.fullmatch(word):
        return _whole_decimal(word)
    raise CellError(
        "not_a_whole_number", f"{_short(word)} is not a whole number", _hint(word, rules)
    )


def _whole_decimal(word: str) -> int:
    # Through Decimal, because a float would turn 9007199254740993.0 into ...992.
    whole, _, fraction = word.partition(".")
    if _GROUPED["."].fullmatch(word):
        raise CellError(
            "not_a_whole_number",
            f"{word!r} may be {word.replace('.', '')} or {Decimal(word)}",
            "write it without the point, or name the point as separator (option thousands)",
        )
    if fraction.strip("0"):
        raise CellError(
            "not_a_whole_number",
            f"{_short(word)} is not a whole number",
            "give the category's number",
        )
    return int(whole)


def _hint(word: str, rules: Rules) -> str:
    if _GROUPED[","].fullmatch(word):
        return "write it without the comma, or name the comma as separator (option thousands)"
    if word.isdigit() and not word.isascii():
        return "write it in the digits 0 to 9"
    if word[:1].isdigit():
        return "give the category's number"
    if rules.categories is None:
        return "give the category's number, or its label in a categories file (option categories)"
    likely = get_close_matches(word.casefold()[:60], list(rules.categories), 1, 0.6)
    return f"did you mean {likely[0]!r}?" if likely else "no category has this label"


def read_status(text: str, rules: Rules) -> tuple[str | None, list[str]]:
    """Return the status to send, None to leave it out, and notes."""
    word = text.strip()
    status = word.casefold()
    if not word:
        return None, []
    if text in PET_STATUSES:
        return text, []
    if status in PET_STATUSES:
        return status, ["status_case" if status != word else "trimmed"]
    if rules.statuses is not None and status in rules.statuses:
        mapped = rules.statuses[status]
        return mapped or None, [f"{word}→{mapped or 'no status'}"]
    if status == NO_STATUS:
        return None, ["no_status"]
    refuse_unsendable(text)
    likely = get_close_matches(status[:60], PET_STATUSES, 1, 0.5)
    raise CellError(
        "unknown_status",
        f"{_short(word)} is not a status",
        f"did you mean {likely[0]}?" if likely else f"one of {', '.join(PET_STATUSES)}, or empty",
    )


def _short(word: str) -> str:
    return repr(word if len(word) <= 60 else word[:57] + "...")


def _is_quoted(name: str) -> bool:
    return len(name) > 1 and name[0] == name[-1] == '"'


def _looks_misread(name: str) -> bool:
    """Tell whether UTF-8 was once read as cp1252: ``ZoÃ«`` for ``Zoë``."""
    try:
        return name.encode("cp1252").decode("utf-8") != name
    except UnicodeError:
        return False
