"""Why a whole source cannot be read as it is, found before anything is sent.

One cause that fails most records is said once, with what would answer it. What is recognised here
only decides what to propose: ``InputError.answer`` has the options to confirm.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import islice, zip_longest
from typing import Any

from petstore_frame.errors import InputError
from petstore_frame.loader.advice import Advice
from petstore_frame.loader.reading.mapping import Recognised, listed, recognise, unsent
from petstore_frame.loader.reading.options import Reading
from petstore_frame.loader.reading.tables import Table
from petstore_frame.loader.record import Record, RecordProblem, State, Suspicion
from petstore_frame.schema.models import SENT_FIELDS

# Rows in which a header below a title is looked for.
_LOOKED_AT = 20
# Records that are checked before the first is staged, and how many must fail alike to say so once.
SAMPLE = 200
_LEAST = 3
_NAMES = {"\t": "a tab", "，": "a full-width comma", "；": "a full-width semicolon", " ": "a space",
          "、": "an ideographic comma", "\x1f": "the control character U+001F"}  # fmt: skip


def recognised(header: Sequence[str], reading: Reading) -> Recognised | None:
    """Return what a header shows, or None where it is no header that could be used."""
    try:
        found = recognise(header, reading.mapping)
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


def other_delimiter(tables: Iterable[Table], reading: Reading) -> InputError | None:
    """Return the question whether another delimiter than the one given makes columns appear."""
    given = reading.delimiter
    for table in tables:
        sign = table.facts["delimiter"]
        if sign != given and recognised(table.columns, reading) is not None:
            what = "the delimiter" if given is None else f"the delimiter is not {given!r}: it"
            hint = Advice("if it is: {}", ("delimiter", sign), by_hand="choose the delimiter")
            shown = _NAMES.get(sign, repr(sign))
            return InputError(f"{what} looks like {shown}", hint=hint, answer={"delimiter": sign})
    return None


def header_below(table: Table, reading: Reading) -> InputError | None:
    """Return the question whether the header stands below a title, or takes two rows."""
    above: Sequence[str] = table.columns
    with suppress(InputError):  # reported where the records are read
        for line, cells, _ in islice(table.rows(), _LOOKED_AT):
            pairs = zip_longest(cells, above, fillvalue="")
            joined = [cell if cell.strip() else up for cell, up in pairs]
            if joined != [*cells] and recognised(joined, reading) is not None:
                return InputError(
                    f"the header takes the rows {line - 1} and {line}, with merged or empty cells",
                    hint=Advice(
                        "if these are the names: {} and {}",
                        ("columns", joined),
                        ("header_row", line),
                        by_hand="write the names of the columns into one row",
                    ),
                    answer={"columns": joined, "header_row": line},
                )
            found = recognised(cells, reading)
            if found is not None:
                options: list[tuple[str, Any]] = [("header_row", line)]
                options += [("mapping", found.proposed)] if found.proposed else []
                what = f"row {line} looks like the header"
                hint = Advice(
                    f"{what}: {' and '.join(['{}'] * len(options))}",
                    *options,
                    by_hand=f"{what}; choose it",
                )
                return InputError(
                    f"row {table.header_row} is no header of animals: {listed(table.columns)}",
                    hint=hint,
                    answer={"header_row": line},
                )
            above = cells
    return None


def check_sample(
    records: Iterable[Record], columns: Sequence[str], mapping: Mapping[str, str], reading: Reading
) -> None:
    """Refuse a source most of whose first records fail for one cause, or lose a field.

    Raises:
        InputError: It has the cause once, with what would answer it.
    """
    sample = [each for each in islice(records, SAMPLE) if each.state is not State.SKIPPED]
    problem = _common_cause(sample, mapping)
    if problem is not None:
        raise problem
    for field in SENT_FIELDS:
        if not field.values or field.name in mapping or field.name in (reading.mapping or {}):
            continue
        for at, column in enumerate(columns):
            cells = {each.cells[at].strip().casefold() for each in sample if at < len(each.cells)}
            is_free = column.strip() and column not in mapping.values()
            if is_free and cells - {""} and cells <= {"", *field.values}:
                raise unsent(field.name, column)


def can_be_mapped(problem: RecordProblem) -> bool:
    """Tell whether saying what a value means would answer a problem."""
    return problem.option is not None and problem.option[0] in ("categories", "value_map")


def _common_cause(sample: Sequence[Record], mapping: Mapping[str, str]) -> InputError | None:
    """Return the one cause for which most records of a sample cannot be sent, or None."""
    failed = defaultdict[tuple[str, str | None], list[tuple[int, RecordProblem]]](list)
    for record in sample:
        problem = record.problem
        if problem is not None and problem.accept != Suspicion.HIDDEN_ROW:
            failed[problem.code, problem.column].append((record.line, problem))
    alike = max(failed.values(), key=len, default=[])
    if len(alike) < _LEAST or 2 * len(alike) <= len(sample):
        return None
    line, first = alike[0]
    column = first.column
    values = Counter(problem.value for _, problem in alike if problem.value)
    commonest = values.most_common(8)
    shown = ", ".join(f"{value!r} ({times})" for value, times in commonest)
    shown += f" and {len(values) - 8} more" if len(values) > 8 else ""
    each = {value: "…" for value, _ in commonest}
    field = next((field for field in SENT_FIELDS if mapping.get(field.name) == column), None)
    if field is not None and can_be_mapped(first):
        option = first.option[0] if first.option is not None else ""
        labels = "labels, not the numbers of categories"
        kind = labels if option == "categories" else f"values that no {field.name} has"
        which = f"which of {', '.join(field.values)}" if field.values else "which number"
        given = each if option == "categories" else {field.name: each}
        what = f"the column {column!r} holds {kind}: {shown}"
        by_hand = "map each value once"
        hint = Advice(f"say {which} each is: {{}}", (option, given), by_hand=by_hand)
    else:
        count = f"{len(alike)} of the first {len(sample)} records"
        what = f"{count} cannot be sent for one cause: {first.message}"
        hint = first.advice()
    return InputError(what, column=column, line=line, hint=hint)
