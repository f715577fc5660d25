"""Why records cannot be sent, and the notes on others: each kind once, with its count."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from petstore_frame.loader.reading.tables import DATE_NOTE, NUMBER_NOTE
from petstore_frame.loader.record import RecordProblem
from petstore_frame.schema.models import FIELD_BY_NAME
from petstore_frame.schema.text import count_text, short_text

# A problem, the lines of some records that have it, and how many do.
_Found = tuple[RecordProblem, Iterable[int], int]
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
        add: The word that would help, with its value; ``"?"`` stands where a person decides.
    """

    code: str
    message: str
    column: str | None
    records: int
    of: int
    lines: tuple[int, ...]
    values: tuple[tuple[str, int], ...]
    add: tuple[str, Any] | None

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
        text = f"{count_text(self.records, 'record')}: {place}{self.message}"
        if len(self.values) > 1:
            listed = self.values[:SHOWN_VALUES]
            more = len(self.values) - len(listed)
            shown = ", ".join(f"{short_text(value)} ({count:,})" for value, count in listed)
            return f"{text}; in all {shown}" + (f" and {more:,} more" if more else "")
        word = "line" if self.records == 1 else "lines"
        more_lines = ", …" if self.records > len(self.lines) else ""
        return f"{text} ({word} {', '.join(map(str, self.lines))}{more_lines})"


def holding_cause(causes: Iterable[Cause], *, was_created: bool) -> Cause | None:
    """Return the cause for which nothing of a file is sent, or None.

    Nothing can be deleted, so a file that was probably read the wrong way is kept back while no
    row of its header was ever created; ``max_errors=`` says to go on.
    """
    common = (cause for cause in causes if cause.is_common)
    return None if was_created else next(common, None)


def find_causes(
    found: Iterable[_Found],
    of: int,
    mapping: Mapping[str, str],
    key: Sequence[str] = (),
) -> list[Cause]:
    """Return why records cannot be sent, each cause once, the commonest first.

    Args:
        found: Problems, each with the lines of some records that have it, and their number.
        of: How many rows name an animal, known ones too.
        mapping, key: The column of each field, and those that identify an animal.
    """
    kinds = defaultdict[tuple[str, ...], list[_Found]](list)
    for problem, lines, records in found:
        # One kind of suspicion is one cause, in whatever column.
        word = problem.add[0] if problem.add else ""
        kind = problem.code, problem.accept or problem.column or "", word
        kinds[kind].append((problem, lines, records))
    fields = {column: name for name, column in mapping.items()}
    causes = (_cause_of(alike, of, fields, key) for alike in kinds.values())
    return sorted(causes, key=lambda cause: -cause.records)


def _cause_of(
    alike: Sequence[_Found], of: int, fields: Mapping[str, str], key: Sequence[str]
) -> Cause:
    """Return the cause of problems of one kind."""
    problem, values = alike[0][0], Counter[str]()
    for each, _, records in alike:
        values[(each.value or "").strip()] += records
    counted = values.most_common()
    return Cause(
        problem.code,
        problem.message,
        problem.column,
        values.total(),
        of,
        tuple(sorted({line for _, lines, _ in alike for line in lines})[:SHOWN_EXAMPLES]),
        tuple((text, n) for text, n in counted if text),
        _to_add(problem, [text for text, _ in counted[:_MOST_PROPOSED]], fields, key),
    )


def _to_add(
    problem: RecordProblem, values: Sequence[str], fields: Mapping[str, str], key: Sequence[str]
) -> tuple[str, Any] | None:
    """Return the word that answers a problem for all records that have one of the values."""
    missing = problem.code.removeprefix("missing_")
    if missing == "name":
        named = "".join(f" {{{column}}}" for column in key)
        return "defaults", {"name": f"Unnamed{named}" if named else "?"}
    if missing in FIELD_BY_NAME:
        return "defaults", {missing: "?"}
    each = dict.fromkeys(values, "?")
    blanks = {"categories": each, "value_map": {fields.get(problem.column or "", "status"): each}}
    word = "" if problem.add is None else problem.add[0]
    return (word, blanks[word]) if word in blanks else problem.add


NOTES: dict[str, str] = {
    DATE_NOTE: "a date was read as text",
    NUMBER_NOTE: "a number was read as text",
    "normalised": "a category id was read as a plain number",
    "trimmed": "spaces around a cell were cut",
    "status_case": "a status was spelled with other capitals",
    "short_row": "the record ends before its status, so it has none",
    "mojibake": "the name looks like text read in a wrong encoding",
    "invisible_characters": "the name holds characters that are not seen",
    "formula": "a spreadsheet would run the name as a formula",
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
