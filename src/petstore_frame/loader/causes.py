"""Why records cannot be sent, and the notes on others: each kind once, with its count."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from petstore_frame.loader.reading.tables import DATE_NOTE, NUMBER_NOTE
from petstore_frame.loader.record import RecordProblem, short_text
from petstore_frame.markup import count_text
from petstore_frame.schema import FIELDS

# A problem, the lines of some records that have it, and how many do.
Found = tuple[RecordProblem, Iterable[int], int]
SHOWN_EXAMPLES, SHOWN_VALUES = 2, 8
_LEAST = 3
_MOST_PROPOSED = 40


@dataclass(frozen=True)
class Cause:
    """Why a number of records cannot be sent.

    Attributes:
        problem: The first of their problems, with the word that would help all of them.
        records: How many they are.
        of: How many rows name an animal, known ones too.
        lines: Those of the first two.
        values: What the cells hold, each once with its count, the commonest first.
    """

    problem: RecordProblem
    records: int
    of: int
    lines: tuple[int, ...]
    values: tuple[tuple[str, int], ...]

    @property
    def is_common(self) -> bool:
        """Whether most records fail for it: then the file was probably read the wrong way."""
        return self.records >= _LEAST and 2 * self.records > self.of

    def __str__(self) -> str:
        problem = self.problem
        place = f"{problem.column}: " if problem.column else ""
        text = f"{count_text(self.records, 'row')}: {place}{problem.message}"
        if len(self.values) > 1:
            listed = [f"{short_text(value)} ({count:,})" for value, count in self.values]
            more = f" and {len(listed) - SHOWN_VALUES:,} more" if listed[SHOWN_VALUES:] else ""
            return f"{text}; in all {', '.join(listed[:SHOWN_VALUES])}{more}"
        lines = ", ".join(map(str, self.lines))
        lines += ", …" if self.records > len(self.lines) else ""
        text += f" ({'line' if self.records == 1 else 'lines'} {lines})"
        return f"{text}; {problem.hint}" if problem.hint else text


def find_causes(
    found: Iterable[Found], of: int, mapping: Mapping[str, str], key: Sequence[str] = ()
) -> list[Cause]:
    """Return why records cannot be sent, each cause once, the commonest first.

    Args:
        found: Problems, each with the lines of some records that have it, and their number.
        of: How many rows name an animal, known ones too.
        mapping, key: The column of each field, and those that identify an animal.
    """
    kinds = defaultdict[tuple[str, ...], list[Found]](list)
    for each in found:
        problem, *_ = each
        # One kind of suspicion is one cause, in whatever column.
        word = problem.add[0] if problem.add else ""
        kinds[problem.code, problem.accept or problem.column or "", word].append(each)
    fields = {column: name for name, column in mapping.items()}
    causes = list[Cause]()
    for alike in kinds.values():
        first, values = alike[0][0], Counter[str]()
        for problem, _, records in alike:
            values[(problem.value or "").strip()] += records
        ordered = values.most_common()
        add = _to_add(first, [text for text, _ in ordered[:_MOST_PROPOSED]], fields, key)
        lines = sorted({line for _, lines, _ in alike for line in lines})[:SHOWN_EXAMPLES]
        filled = tuple((text, count) for text, count in ordered if text)
        causes.append(Cause(replace(first, add=add), values.total(), of, tuple(lines), filled))
    return sorted(causes, key=lambda cause: -cause.records)


def _to_add(
    problem: RecordProblem, values: Sequence[str], fields: Mapping[str, str], key: Sequence[str]
) -> tuple[str, Any] | None:
    """Return the word that answers a problem for all records that have one of the values."""
    missing = problem.code.removeprefix("missing_")
    if missing == "name":
        named = "".join(f" {{{column}}}" for column in key)
        return "defaults", {"name": f"Unnamed{named}" if named else "?"}
    if missing in FIELDS.names:
        return "defaults", {missing: "?"}
    word = "" if problem.add is None else problem.add[0]
    each = dict.fromkeys(values, "?")
    if word == "categories":
        return word, each
    if word == "value_map":
        return word, {fields.get(problem.column or "", "status"): each}
    return problem.add


NOTES: dict[str, str] = {
    DATE_NOTE: "a date was read as text",
    NUMBER_NOTE: "a number was read as text",
    "normalised": "a category id was read as a plain number",
    "trimmed": "spaces around a cell were cut",
    "status_case": "a status was spelled with other capitals",
    "short_row": "the record ends too early, so the cells that it lacks are empty",
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
}


class Note(NamedTuple):
    """A kind of note: how many rows have it, and the first with what its name cell holds."""

    records: int
    kind: str
    record: int
    line: int
    name: str

    def __str__(self) -> str:
        meaning = NOTES.get(self.kind, self.kind)
        first = f"first in line {self.line}"
        name = f": {short_text(self.name)}" if self.name else ""
        return f"{count_text(self.records, 'row')}: {meaning}, {first}{name}"


def kind_of(note: str) -> str:
    """Return what kind of note it is: ``3.0→3`` and ``007→7`` are both ``normalised``."""
    if note in NOTES:
        return note
    if note.startswith("also "):
        return "further_problem"
    return "normalised" if "→" in note else note.partition(":")[0]
