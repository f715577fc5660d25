"""Why a whole source cannot be read as it is, found before anything is sent.

One cause that fails most records is said once, with what would answer it. What is recognised here
only decides what to propose: ``InputError.answer`` has the options to confirm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, zip_longest

from petstore_frame.errors import InputError
from petstore_frame.errors.advice import Advice
from petstore_frame.loader.reading.mapping import Recognised, listed, recognise, unsent
from petstore_frame.loader.reading.options import Reading
from petstore_frame.loader.reading.rows import Table
from petstore_frame.loader.record import Record, State, Suspicion
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
    """Refuse a file whose first cell is how another format begins.

    Raises:
        InputError: It names the format.
    """
    start = header[0].lstrip() if header else ""
    kind = {"<": "an HTML page or XML", "{": "JSON", "[": "JSON"}.get(start[:1])
    if kind is not None:
        raise InputError(
            f"the file looks like {kind}, not like CSV: it begins with {start[:40]!r}",
            hint="export the animals as CSV and load that",
        )


def other_delimiter(
    tables: Iterable[Table], given: str | None, reading: Reading
) -> InputError | None:
    """Return the question whether a file has another delimiter, where one makes columns appear.

    Args:
        tables: The file, cut by each delimiter.
        given: The delimiter that the caller named, or None.
        reading: How the columns are to be found.
    """
    for table in tables:
        found, sign = recognised(table.columns, reading), table.facts["delimiter"]
        if found is not None and sign != given:
            name = _NAMES.get(sign, repr(sign))
            what = "the delimiter" if given is None else f"the delimiter is not {given!r}: it"
            return InputError(
                f"{what} looks like {name}",
                hint=Advice("if it is: {}", ("delimiter", sign), by_hand="choose the delimiter"),
                answer={"delimiter": sign},
            )
    return None


def header_below(table: Table, reading: Reading) -> InputError | None:
    """Return the question whether the header stands below a title, or takes two rows."""
    above: Sequence[str] = table.columns
    try:
        for row in islice(table.rows(), _LOOKED_AT):
            pairs = zip_longest(row.cells, above, fillvalue="")
            joined = [cell if cell.strip() else up for cell, up in pairs]
            single, double = recognised(row.cells, reading), recognised(joined, reading)
            fills = joined[: len(row.cells)] != list(row.cells) or len(joined) > len(row.cells)
            if double is not None and fills:
                return _two_rows(row.line, joined)
            if single is not None:
                return InputError(
                    f"row {table.header_row} is no header of animals: {listed(table.columns)}",
                    hint=Advice(
                        f"row {row.line} looks like the header: {{}}",
                        ("header_row", row.line),
                        by_hand=f"row {row.line} looks like the header; choose it",
                    ),
                    answer={"header_row": row.line},
                )
            above = row.cells
    except InputError:  # reported where the records are read
        return None
    return None


def _two_rows(line: int, names: list[str]) -> InputError:
    return InputError(
        f"the header takes the rows {line - 1} and {line}, with merged or empty cells",
        hint=Advice(
            "if these are the names: {} and {}",
            ("columns", names),
            ("header_row", line),
            by_hand="write the names of the columns into one row",
        ),
        answer={"columns": names, "header_row": line},
    )


def check_sample(
    records: Iterable[Record], columns: Sequence[str], mapping: Mapping[str, str], reading: Reading
) -> None:
    """Refuse a source most of whose first records fail for one cause, or lose a field.

    Args:
        records: The records, from the first one on.
        columns: The column names.
        mapping: The column of each field.
        reading: What the caller said.

    Raises:
        InputError: It has the cause once, with what would answer it.
    """
    sample = [each for each in islice(records, SAMPLE) if each.state is not State.SKIPPED]
    problem = common_cause(sample, columns, mapping) or _unsent(sample, columns, mapping, reading)
    if problem is not None:
        raise problem


def common_cause(
    sample: Sequence[Record], columns: Sequence[str], mapping: Mapping[str, str]
) -> InputError | None:
    """Return the one cause for which most records of a sample cannot be sent, or None."""
    failed = Counter(
        (record.problem.code, record.problem.column)
        for record in sample
        if record.problem is not None and record.problem.accept != Suspicion.HIDDEN_ROW
    )
    if not failed:
        return None
    (code, column), count = failed.most_common(1)[0]
    if count < _LEAST or 2 * count <= len(sample):
        return None
    alike = [each for each in sample if each.problem and each.problem.code == code]
    first = alike[0].problem
    assert first is not None  # noqa: S101 # by the line above
    values = Counter(each.problem.value for each in alike if each.problem and each.problem.value)
    shown = ", ".join(f"{value!r} ({times})" for value, times in values.most_common(8))
    more = f" and {len(values) - 8} more" if len(values) > 8 else ""
    is_category = column is not None and column == mapping.get("category_id")
    if is_category and first.option is not None and first.option[0] in ("categories", "value_map"):
        given = first.option[0] == "value_map"
        what = "labels that no category has" if given else "labels, not the numbers of categories"
        return InputError(
            f"the column {column!r} holds {what}: {shown}{more}",
            column=column,
            line=alike[0].line,
            hint=Advice(
                "say which number each is: {}",
                ("categories", {value: "…" for value, _ in values.most_common(8)}),
                by_hand="say which number each label is",
            ),
        )
    field = next((field for field in SENT_FIELDS if mapping.get(field.name) == column), None)
    if field is not None and code == f"unknown_{field.name}":
        return InputError(
            f"the column {column!r} holds values that no {field.name} has: {shown}{more}",
            column=column,
            line=alike[0].line,
            hint=Advice(
                f"say which of {', '.join(field.values)} each is: {{}}",
                ("value_map", {field.name: {value: "…" for value, _ in values.most_common(8)}}),
                by_hand="map each value once",
            ),
        )
    return InputError(
        f"{count} of the first {len(sample)} records cannot be sent for one cause: {first.message}",
        column=column,
        line=alike[0].line,
        hint=first.advice(),
    )


def _unsent(
    sample: Sequence[Record],
    columns: Sequence[str],
    mapping: Mapping[str, str],
    reading: Reading,
) -> InputError | None:
    """Ask about a column that is not sent and holds nothing but the values of a field."""
    for field in SENT_FIELDS:
        if not field.values or field.name in mapping or field.name in (reading.mapping or {}):
            continue
        for at, column in enumerate(columns):
            cells = [each.cells[at].strip().casefold() for each in sample if at < len(each.cells)]
            filled = [cell for cell in cells if cell]
            if (
                filled
                and column.strip()
                and column not in mapping.values()
                and set(filled) <= set(field.values)
            ):
                return unsent(field.name, column)
    return None
