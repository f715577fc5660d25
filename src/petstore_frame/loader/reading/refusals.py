"""Why a whole source cannot be read as it is; ``InputError.answer`` has the options to confirm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from petstore_frame.errors import InputError
from petstore_frame.loader.call import Advice
from petstore_frame.loader.reading.mapping import Recognised, listed, recognise, unsent
from petstore_frame.loader.reading.options import Options
from petstore_frame.loader.reading.tables import Row, Table
from petstore_frame.schema.models import SENT_FIELDS

# Rows in which a header below a title is looked for, and in which a status is looked for.
_LOOKED_AT, _SAMPLE = 20, 200


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
