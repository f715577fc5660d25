"""Why records cannot be sent, and the notes on others: each kind once, with its count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from petstore_frame.loader.reading.tables import DATE_NOTE, NUMBER_NOTE
from petstore_frame.loader.record import RecordProblem
from petstore_frame.schema.models import FIELD_BY_NAME
from petstore_frame.schema.text import records_text

SHOWN_EXAMPLES, SHOWN_VALUES = 2, 8
_LEAST = 3
_MOST_PROPOSED = 40


@dataclass(frozen=True)
class Cause:
    """Why a number of records cannot be sent.

    Attributes:
        code, message: Those of the first of their problems.
        column: The file's column, or None for whole records.
        records: How many they are.
        of: How many rows name an animal, known ones too.
        lines: Those of the first two.
        values: What the cells hold, each once with its count, the commonest first.
        option: The option that would help, with its value; ``…`` stands where a person decides.
    """

    code: str
    message: str
    column: str | None
    records: int
    of: int
    lines: tuple[int, ...]
    values: tuple[tuple[str, int], ...]
    option: tuple[str, Any] | None

    @property
    def is_common(self) -> bool:
        """Whether most records fail for it: then the file was probably read the wrong way."""
        return self.records >= _LEAST and 2 * self.records > self.of

    def as_dict(self) -> dict[str, Any]:
        """Return the facts, ready for JSON."""
        names = ("code", "column", "records", "message")
        return {name: getattr(self, name) for name in names} | {"lines": [*self.lines]}

    def __str__(self) -> str:
        place = f"{self.column}: " if self.column else ""
        text = f"{records_text(self.records)}: {place}{self.message}"
        if len(self.values) > 1:
            listed = self.values[:SHOWN_VALUES]
            more = len(self.values) - len(listed)
            shown = ", ".join(f"{short_text(value)} ({count:,})" for value, count in listed)
            return f"{text}; in all {shown}" + (f" and {more:,} more" if more else "")
        word = "line" if self.records == 1 else "lines"
        more_lines = ", …" if self.records > len(self.lines) else ""
        return f"{text} ({word} {', '.join(map(str, self.lines))}{more_lines})"


class Causes:
    """Counts why records cannot be sent.

    Args:
        mapping, key: The column of each field, and those that identify an animal.
    """

    def __init__(self, mapping: Mapping[str, str], key: Sequence[str] = ()) -> None:
        self._fields, self._key = {column: name for name, column in mapping.items()}, tuple(key)
        self._first: dict[tuple[str, ...], RecordProblem] = {}
        self._lines: dict[tuple[str, ...], set[int]] = {}
        self._records: Counter[tuple[str, ...]] = Counter()
        self._values: dict[tuple[str, ...], Counter[str]] = {}
        self._leave = set[int]()

    def add(self, problem: RecordProblem, lines: Iterable[int], records: int = 1) -> None:
        """Count records with a problem; ``lines`` has the lines of some."""
        # One kind of suspicion is one cause, in whatever column.
        option: tuple[str, Any] = problem.option or ("", None)
        cause = problem.code, problem.accept or problem.column or "", option[0]
        if option[0] == "leave_lines":
            self._leave.update(option[1])
        self._first.setdefault(cause, problem)
        self._records[cause] += records
        self._values.setdefault(cause, Counter())[(problem.value or "").strip()] += records
        known = self._lines.get(cause, set())
        self._lines[cause] = {*sorted(known.union(lines))[:SHOWN_EXAMPLES]}

    def found(self, of: int) -> list[Cause]:
        """Return the causes of so many records, the commonest first."""
        causes = [
            Cause(
                problem.code,
                problem.message,
                problem.column,
                self._records[cause],
                of,
                tuple(sorted(self._lines[cause])),
                tuple((text, n) for text, n in self._values[cause].most_common() if text),
                self._option(problem, self._values[cause]),
            )
            for cause, problem in self._first.items()
        ]
        return sorted(causes, key=lambda cause: -cause.records)

    def _option(self, problem: RecordProblem, values: Counter[str]) -> tuple[str, Any] | None:
        """Return the option that answers a problem for all records that have it."""
        missing = problem.code.removeprefix("missing_")
        if missing == "name":
            named = "".join(f" {{{column}}}" for column in self._key)
            return "defaults", {"name": f"Unnamed{named}"}
        if missing in FIELD_BY_NAME:
            return "defaults", {missing: "…"}
        each = {text[:60]: "…" for text, _ in values.most_common(_MOST_PROPOSED)}
        kind = None if problem.option is None else problem.option[0]
        if kind == "leave_lines":
            return kind, sorted(self._leave)
        if kind == "categories":
            return "categories", each
        if kind == "value_map":
            return "value_map", {self._fields.get(problem.column or "", "status"): each}
        return problem.option


def short_text(text: str) -> str:
    """Return the content of a cell in few characters, quoted."""
    return repr(text if len(text) <= 40 else text[:37] + "...")


NOTES: dict[str, str] = {
    DATE_NOTE: "a date was read as text",
    NUMBER_NOTE: "a number was read as text",
    "normalised": "a category id was read as a plain number",
    "trimmed": "spaces around a cell were cut",
    "status_case": "a status was spelled with other capitals",
    "no_status": "the words 'no status' were read as none",
    "short_row": "the record ends before its status, so it has none",
    "empty_extra_cells": "the record has more cells than the header, all empty",
    "quotes_kept": "quotes are part of the name",
    "mojibake": "the name looks like text read in a wrong encoding",
    "invisible_characters": "the name holds characters that are not seen",
    "formula": "a spreadsheet would run the name as a formula",
    "url": "the name is an address of the web",
    "line_break": "the name holds a line break or a tab",
    "total_row": "the name looks like that of a total",
    "swallowed_rows": "accepted although a cell seems to hold other rows",
    "unlisted_category": "accepted although the category is not among those given",
    "low_category_id": "accepted although the category id is not above 0",
    "hidden_row": "accepted although the row is hidden",
    "large_count": "accepted although the row stands for very many animals",
    "default_name": "the name is empty, and has the default",
    "default_category_id": "the category is empty, and has the default",
    "default_status": "the status is empty, and has the default",
    "identical_row": "a row above it is the same in all its cells",
    "html_entity": "the name holds signs as web pages write them, such as &amp;",
}


class Note(NamedTuple):
    """A kind of note.

    Attributes:
        records: How many records have it.
        kind: A short name, as in ``summary``.
        record: The first of these records.
        line: Its first physical line.
        name: What its name cell holds.
    """

    records: int
    kind: str
    record: int
    line: int
    name: str

    def __str__(self) -> str:
        meaning = NOTES.get(self.kind, self.kind)
        first = f"first in record {self.record}, line {self.line}"
        name = f": {short_text(self.name)}" if self.name else ""
        return f"{self.records:,} × {meaning}, {first}{name}"


def kind_of(note: str) -> str:
    """Return what kind of note it is: ``3.0→3`` and ``007→7`` are both ``normalised``."""
    if note in NOTES:
        return note
    if note.startswith("also "):
        return "further_problem"
    return "normalised" if "→" in note else note.partition(":")[0]
