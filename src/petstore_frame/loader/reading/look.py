"""What a person sees of a file before anything is sent, to choose how it is read.

It goes the way of the real run, and where that would stop, it applies what the refusal proposes and
goes on: so the choices can be preset, with the question that each of them answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.causes import SAMPLE, can_be_mapped, check_sample
from petstore_frame.loader.reading.fields import nearest
from petstore_frame.loader.reading.mapping import likely_keys
from petstore_frame.loader.reading.opening import Decoded, EncodingError
from petstore_frame.loader.reading.options import Reading
from petstore_frame.loader.reading.read import Input, Kind, Source, lay_out
from petstore_frame.loader.reading.returned import ColumnsOf
from petstore_frame.loader.reading.tables import Table
from petstore_frame.loader.record import Record, State
from petstore_frame.schema.models import FIELD_BY_NAME

_MOST_QUESTIONS = 8
_MOST_VALUES = 200


@dataclass(frozen=True)
class ValueToMap:
    """A value that no field allows, once for all its records.

    Attributes:
        field: The field: ``category_id``, ``status``.
        column: The file's column.
        text: What the cells hold.
        count: In how many of the records that were looked at.
        suggestion: An allowed text that is spelled much like it, or None.
    """

    field: str
    column: str
    text: str
    count: int
    suggestion: str | None


@dataclass(frozen=True)
class Look:
    """A file or a frame as it would be read, up to where it is clear.

    Attributes:
        name, kind: What to call it, and what it is.
        reading: How it was looked at: as asked, and what is recognised where that is not enough.
        questions: Why it cannot be read as asked, in turn; each has the ``answer`` that ``reading``
            holds, if there is one. Empty where nothing is to be confirmed.
        encodings: How likely encodings read the first line in question, if that is not clear.
        sheets: The sheets of a workbook.
        facts, header_row, columns: As of a ``Table``; no columns where there is no header to read.
        mapping: The column of each field, as far as it is known or recognised.
        key_columns: Columns that may identify an animal, the likeliest first.
        records: The first records, each with its problem; without a whole mapping none.
        rows: The cells of the first rows, also where the mapping is not known.
        values: Values to map, the commonest first.
        suspicious: How many records are held, by the word that ``accept`` takes.
        is_returned: It is one of our own result files.
    """

    name: str
    kind: Kind
    reading: Reading
    questions: tuple[InputError, ...] = ()
    encodings: tuple[Decoded, ...] = ()
    sheets: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    header_row: int | None = None
    columns: tuple[str, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    key_columns: tuple[str, ...] = ()
    records: tuple[Record, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    values: tuple[ValueToMap, ...] = ()
    suspicious: Mapping[str, int] = field(default_factory=dict)
    is_returned: bool = False


def look(
    path_or_frame: Any,
    reading: Reading = Reading(),  # noqa: B008 # frozen
    *,
    rows: int = 50,
    most: int = 10_000,
    columns_of: ColumnsOf = lambda _: None,
) -> Look:
    """Look at a file or a frame as it would be read; nothing is sent and nothing is kept.

    The arguments are those of ``open_source``; ``most`` records are looked at, and the first
    ``rows`` of them returned.

    Raises:
        InputError: There is no file that could be read at all.
        ArgumentError: It is neither a path nor a frame, or a value map or categories are wrong.

    Example:
        >>> import pandas as pd
        >>> seen = look(pd.DataFrame({"Tiername": ["Rex", "Bo"], "Kategorie": [3, 4]}))
        >>> seen.mapping, len(seen.questions)
        ({'name': 'Tiername', 'category_id': 'Kategorie'}, 1)
    """
    opened = Input(path_or_frame)
    try:
        with opened.naming():
            return _look(opened, reading, rows, most, columns_of)
    finally:
        opened.close()


def _look(opened: Input, asked: Reading, rows: int, most: int, columns_of: ColumnsOf) -> Look:
    seen = Look(opened.name, opened.kind, asked)
    with suppress(InputError):  # it will be among the questions
        seen = replace(seen, sheets=opened.sheets)
    source: Source | None = None
    while len(seen.questions) < _MOST_QUESTIONS:
        try:
            source = None
            source = lay_out(opened, seen.reading, columns_of)
            if not source.is_returned:
                check_sample(source, source.columns, source.mapping, seen.reading)
            break
        except InputError as problem:
            seen = replace(seen, questions=(*seen.questions, problem))
            if isinstance(problem, EncodingError):
                seen = replace(seen, encodings=seen.encodings or problem.candidates)
            answer = dict(problem.answer)
            if "mapping" in answer:
                answer["mapping"] = {**(seen.reading.mapping or {}), **answer["mapping"]}
            if seen.reading == replace(seen.reading, **answer):
                break
            seen = replace(seen, reading=replace(seen.reading, **answer))
    # Values that most records share may be wrong; the records are there all the same.
    if source is not None:
        return _with_records(seen, source, rows, most)
    with suppress(InputError):  # it is among the questions
        table, mapping = opened.tables(seen.reading)[0], seen.reading.mapping or {}
        known = {field: column for field, column in mapping.items() if column in table.columns}
        cells = [tuple(row.cells) for row in islice(table.rows(), rows)]
        keys = likely_keys(table.columns, cells, known.values())
        return replace(_with_table(seen, table, known), rows=tuple(cells), key_columns=keys)
    return seen


def _with_table(seen: Look, table: Table, mapping: Mapping[str, str]) -> Look:
    columns, facts, header_row = table.columns, table.facts, table.header_row
    return replace(seen, columns=columns, facts=facts, header_row=header_row, mapping=mapping)


def _with_records(seen: Look, source: Source, rows: int, most: int) -> Look:
    """Add the records of a source whose columns are known."""
    records, questions = list[Record](), seen.questions
    try:
        for record in islice(source, most):
            records.append(record)
    except InputError as problem_below:
        questions = (*questions, problem_below)
    problems = [record.problem for record in records if record.problem is not None]
    cells = [each.cells for each in records if each.state is not State.SKIPPED][: SAMPLE * 5]
    fields = {column: FIELD_BY_NAME[name] for name, column in source.mapping.items()}
    values = Counter(
        (fields[each.column], each.column, each.value.strip())
        for each in problems
        if each.column in fields and each.value and can_be_mapped(each)
    )
    return replace(
        _with_table(seen, source.table, source.mapping),
        questions=questions,
        key_columns=source.key or likely_keys(source.columns, cells, fields),
        records=tuple(records[:rows]),
        rows=tuple(record.cells for record in records[:rows]),
        values=tuple(
            ValueToMap(to.name, column, text, count, nearest(to, text, source.rules))
            for (to, column, text), count in values.most_common(_MOST_VALUES)
        ),
        suspicious=dict(Counter(each.accept for each in problems if each.accept is not None)),
        is_returned=source.is_returned,
    )
