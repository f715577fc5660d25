"""What keeps records from being sent: each cause once, with its count and its answer."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from petstore_frame.loader.journal.imports import Import
from petstore_frame.loader.journal.rows import JournalRow, read_problem, read_rows
from petstore_frame.loader.reading.mapping import field_name
from petstore_frame.loader.record import RecordProblem, State
from petstore_frame.schema.text import records_text

SHOWN_EXAMPLES, SHOWN_VALUES = 2, 8


class Fate(NamedTuple):
    """What a state means to a reader, what is to be done about it, and how."""

    meaning: str
    action: str = "none"
    hint: str = ""


# In the order in which they are shown.
FATES: dict[State, Fate] = {
    State.CREATED: Fate("in the store"),
    State.ADOPTED: Fate("in the store already, found there"),
    State.INVALID: Fate("not sent: to fix", "fix"),
    State.REJECTED: Fate("refused by the store: to fix", "fix"),
    State.UNKNOWN: Fate(
        "in doubt: may be in the store",
        "check",
        "it may be in the store already: do not send it again by hand",
    ),
    State.ABSENT: Fate(
        "not found in the store",
        "resend",
        "its pet was not found: send it again only if you are sure",
    ),
    State.IN_FLIGHT: Fate(
        "on the way",
        "check",
        "it is on its way, or was when its import was killed; load the file again",
    ),
    State.PENDING: Fate("not sent yet", "resend"),
    State.SKIPPED: Fate("not sent: blank, known already, or left out"),
}
_INVALID = """
SELECT problem, count(*), min(line), max(line) FROM records
WHERE import = ? AND state = 'invalid' AND problem IS NOT NULL GROUP BY problem
ORDER BY min(record)
"""


@dataclass
class Cause:
    """What keeps records from being sent, named once for all of them.

    Attributes:
        message: What is wrong, as the first record has it.
        column: The file's column, or None for the whole record.
        records: How many records have it.
        lines: Where the first of them stand.
        values: What their cells hold, with the number of records.
        hint: How to fix it; ``{}`` stands where the option is named.
        option: The option that answers it for all, with its value as far as that is known.
    """

    code: str
    message: str
    column: str | None
    hint: str = ""
    records: int = 0
    lines: list[int] = field(default_factory=list)
    values: Counter[str] = field(default_factory=Counter)
    option: tuple[str, Any] | None = None

    def add(self, problem: RecordProblem, records: int, lines: Iterable[int]) -> None:
        """Count further records with this cause."""
        self.records += records
        self.lines = sorted({*self.lines, *lines})[:SHOWN_EXAMPLES]
        if problem.value:
            self.values[problem.value] += records
        if problem.option is not None:
            self._add_option(*problem.option)

    def _add_option(self, name: str, value: Any = None) -> None:
        """Put what answers each value together into one answer."""
        known = None if self.option is None else self.option[1]
        if isinstance(known, Mapping) and isinstance(value, Mapping):
            for key, more in value.items():
                both = isinstance(more, Mapping) and isinstance(known.get(key), Mapping)
                known[key] = {**known[key], **more} if both else more  # type: ignore[index]
        elif self.option is None:
            self.option = (name, dict(value) if isinstance(value, Mapping) else value)

    def as_dict(self) -> dict[str, Any]:
        """Return the facts, ready for JSON."""
        names = ("code", "column", "records", "message", "lines")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        place = f"{self.column}: " if self.column else ""
        text = f"{records_text(self.records)}: {place}{self.message}"
        if len(self.values) > 1:
            listed = self.values.most_common(SHOWN_VALUES)
            more = len(self.values) - len(listed)
            shown = ", ".join(f"{short_text(value)} ({count:,})" for value, count in listed)
            return f"{text}; in all {shown}" + (f" and {more:,} more" if more else "")
        word = "line" if self.records == 1 else "lines"
        more_lines = ", …" if self.records > len(self.lines) else ""
        return f"{text} ({word} {', '.join(map(str, self.lines))}{more_lines})"


def problem_of(row: JournalRow, run: Import) -> RecordProblem:
    """Return what is wrong with a record, by our own checks or by the store's answer."""
    if row.problem is not None:
        return row.problem
    if row.state is State.REJECTED:
        column = run.mapping.get(field_name(row.error_field or "") or "")
        at = run.header.index(column) if column in run.header else len(row.cells)
        value = row.cells[at] if at < len(row.cells) else None
        return RecordProblem(
            row.error_code or row.reason or "",
            row.error_message or "the store refused it",
            column,
            value,
            "the store refused it; correct what its message names",
        )
    hint = FATES[row.state].hint
    return RecordProblem(row.error_code or "", row.error_message or "", hint=hint)


def read_causes(sql: sqlite3.Connection, run: Import) -> list[Cause]:
    """Return what keeps records from being sent, the commonest cause first."""
    causes: dict[tuple[str, str | None], Cause] = {}
    for problem, records, lines in _problems(sql, run):
        # The lines of one key differ from those of the next, and the cause is the same.
        named = (problem.code, problem.column if problem.accept is None else problem.accept)
        cause = causes.setdefault(
            named, Cause(problem.code, problem.message, problem.column, problem.hint)
        )
        cause.add(problem, records, lines)
    return sorted(causes.values(), key=lambda cause: -cause.records)


def _problems(
    sql: sqlite3.Connection, run: Import
) -> Iterator[tuple[RecordProblem, int, list[int]]]:
    """Yield each problem with its number of records, and the lines of two of them."""
    for text, records, first, last in sql.execute(_INVALID, [run.number]):
        yield read_problem(text), records, [first, last]
    for row in read_rows(sql, run.id, State.REJECTED):
        yield problem_of(row, run), 1, [row.line]


def short_text(text: str) -> str:
    """Return the content of a cell in few characters, quoted."""
    return repr(text if len(text) <= 40 else text[:37] + "...")
