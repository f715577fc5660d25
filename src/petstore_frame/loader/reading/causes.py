"""Why records cannot be sent, each cause once; and why a whole source cannot be read as it is.

What is recognised here only decides what to propose: a ``Cause`` has the option that helps, and
``InputError.answer`` the options to confirm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from petstore_frame.errors import InputError
from petstore_frame.loader.advice import Advice
from petstore_frame.loader.reading.mapping import Recognised, listed, recognise, unsent
from petstore_frame.loader.reading.options import Options
from petstore_frame.loader.reading.tables import Row, Table
from petstore_frame.loader.record import Record, RecordProblem, State
from petstore_frame.schema.models import FIELD_BY_NAME, SENT_FIELDS

# Rows in which a header below a title is looked for, and in which a status is looked for.
_LOOKED_AT, _SAMPLE = 20, 200
_LEAST = 3
_MOST_PROPOSED = 40


@dataclass(frozen=True)
class Cause:
    """Why a number of records cannot be sent.

    Attributes:
        code, message: As of the first of their problems.
        column: The file's column, or None for whole records.
        records: How many they are.
        of: Of how many that are not skipped.
        examples: Line and cell of the first two.
        values: What the cells hold, each once with its count, the commonest first.
        option: The option that would help, with its value; ``…`` stands where a person decides.
    """

    code: str
    message: str
    column: str | None
    records: int
    of: int
    examples: tuple[tuple[int, str], ...]
    values: tuple[tuple[str, int], ...]
    option: tuple[str, Any] | None

    @property
    def is_common(self) -> bool:
        """Whether most records fail for it, so that the file was likely read the wrong way."""
        return self.records >= _LEAST and 2 * self.records > self.of


class Causes:
    """Counts why records cannot be sent, one record after the other.

    Args:
        mapping, key: As of a ``Source``.
    """

    def __init__(self, mapping: Mapping[str, str], key: Sequence[str] = ()) -> None:
        self._fields, self._key = {column: name for name, column in mapping.items()}, tuple(key)
        self._total = 0
        self._first: dict[tuple[str, ...], RecordProblem] = {}
        self._examples: dict[tuple[str, ...], list[tuple[int, str]]] = {}
        self._values: dict[tuple[str, ...], Counter[str]] = {}

    def add(self, records: Iterable[Record]) -> None:
        """Count records; those that are skipped are none."""
        for record in records:
            self._total += record.state is not State.SKIPPED
            problem = record.problem
            if problem is None:
                continue
            cause = problem.code, problem.column or "", problem.accept or ""
            self._first.setdefault(cause, problem)
            self._values.setdefault(cause, Counter())[(problem.value or "").strip()] += 1
            examples = self._examples.setdefault(cause, [])
            if len(examples) < 2:
                examples.append((record.line, problem.value or ""))

    def found(self) -> tuple[Cause, ...]:
        """Return the causes, the commonest first."""
        causes = [
            Cause(
                problem.code,
                problem.message,
                problem.column,
                self._values[cause].total(),
                self._total,
                tuple(self._examples[cause]),
                tuple(self._values[cause].most_common()),
                self._option(problem, self._values[cause]),
            )
            for cause, problem in self._first.items()
        ]
        return tuple(sorted(causes, key=lambda cause: -cause.records))

    def _option(self, problem: RecordProblem, values: Counter[str]) -> tuple[str, Any] | None:
        """Return the option that would help with a problem and all that are like it."""
        missing = problem.code.removeprefix("missing_")
        if missing == "name":
            named = "".join(f" {{{column}}}" for column in self._key)
            return "defaults", {"name": f"Unnamed{named}"}
        if missing in FIELD_BY_NAME:
            return "defaults", {missing: "…"}
        each = {text: "…" for text, _ in values.most_common(_MOST_PROPOSED)}
        kind = None if problem.option is None else problem.option[0]
        if kind == "categories":
            return "categories", each
        if kind == "value_map":
            return "value_map", {self._fields.get(problem.column or "", "status"): each}
        return problem.option


def can_be_mapped(problem: RecordProblem) -> bool:
    """Tell whether saying what a value means would answer a problem."""
    return problem.option is not None and problem.option[0] in ("categories", "value_map")


def recognised(header: Sequence[str], options: Options) -> Recognised | None:
    """Return what a header shows, or None where it is no header that could be used."""
    try:
        found = recognise(header, options.mapping, options.defaults or ())
    except InputError:
        return None
    return found if found.is_complete else None


def refuse_other_format(header: Sequence[str]) -> None:
    """Refuse a file whose first cell is how another format begins."""
    start = header[0].lstrip()[:40] if header else ""
    kind = {"<": "an HTML page or XML", "{": "JSON", "[": "JSON"}.get(start[:1])
    if kind is not None:
        what = f"the file looks like {kind}, not like CSV: it begins with {start!r}"
        raise InputError(what, hint="export the animals as CSV and load that")


def other_delimiter(tables: Iterable[Table], options: Options) -> InputError | None:
    """Return the question whether another delimiter than the one given makes columns appear."""
    for table in tables:
        sign = table.facts["delimiter"]
        if sign != options.delimiter and recognised(table.columns, options) is not None:
            what = f"the delimiter is not {options.delimiter!r}: it looks like {sign!r}"
            hint = Advice("if it is: {}", ("delimiter", sign), by_hand="choose the delimiter")
            return InputError(what, hint=hint, answer={"delimiter": sign})
    return None


def header_below(table: Table, options: Options) -> InputError | None:
    """Return the question whether the header stands below a title."""
    with suppress(InputError):  # reported where the records are read
        for row in islice(table.rows(), _LOOKED_AT):
            found = recognised(row.cells, options)
            if found is None:
                continue
            answers: list[tuple[str, Any]] = [("header_row", row.line)]
            if found.proposed:
                answers.append(("mapping", found.proposed))
            what = f"row {row.line} looks like the header"
            hint = Advice(
                f"{what}: {' and '.join(['{}'] * len(answers))}",
                *answers,
                by_hand=f"{what}; choose it",
            )
            return InputError(
                f"row {table.header_row} is no header of animals: {listed(table.columns)}",
                hint=hint,
                answer={"header_row": row.line},
            )
    return None


def refuse_unsent(
    rows: Iterable[Row], columns: Sequence[str], mapping: Mapping[str, str], options: Options
) -> None:
    """Refuse a source with a column that holds a field's values and would not be sent.

    Raises:
        InputError: It has the question whether the column is sent.
    """
    sample = list[Row]()
    with suppress(InputError):  # told where the records are read
        for row in islice(rows, _SAMPLE):
            sample.append(row)
    for field in SENT_FIELDS:
        stated = {*mapping, *(options.mapping or {}), *(options.defaults or {})}
        if not field.values or field.name in stated:
            continue
        for at, column in enumerate(columns):
            cells = {row.cells[at].strip().casefold() for row in sample if at < len(row.cells)}
            is_free = column.strip() and column not in mapping.values()
            if is_free and cells - {""} and cells <= {"", *field.values}:
                raise unsent(field.name, column)
