"""What a person sees of a file before anything is sent, to choose how it is read.

It goes the way of the real run, and where that would stop, it applies what the refusal proposes and
goes on: so the choices can be preset, with the question that each of them answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from petstore_frame.errors import InputError
from petstore_frame.loader.causes import Cause, Causes
from petstore_frame.loader.reading.fields import CellError, nearest, read_cell, word_of
from petstore_frame.loader.reading.mapping import REQUIRED, likely_keys
from petstore_frame.loader.reading.opening import Decoded, EncodingError
from petstore_frame.loader.reading.options import Options
from petstore_frame.loader.reading.read import Input, Kind, Source, lay_out
from petstore_frame.loader.reading.returned import ColumnsOf
from petstore_frame.loader.reading.tables import Table
from petstore_frame.loader.record import Record, State, Suspicion
from petstore_frame.schema.models import FIELD_BY_NAME

_MOST_QUESTIONS = 8
_MOST_FOR_KEYS = 100_000
_SUSPICIONS = frozenset(map(str, Suspicion))


@dataclass(frozen=True)
class ValueToMap:
    """A value that no field allows, once for all its records.

    Attributes:
        field: The field: ``category_id``, ``status``.
        column: The file's column.
        text: What the cells hold.
        count: In how many of the records.
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
        values: Values to map, and those that were mapped, the commonest first.
        suspicious: How many records are held, or sent all the same, by the word that ``accept``
            takes.
        empty: How many records have an empty cell, or its default, by required field.
        causes: Why records cannot be sent, each cause once.
        is_returned: It is one of our own result files.
    """

    name: str
    kind: Kind
    reading: Options
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
    empty: Mapping[str, int] = field(default_factory=dict)
    causes: tuple[Cause, ...] = ()
    is_returned: bool = False


def look(
    path_or_frame: Any,
    reading: Options = Options(),  # noqa: B008 # frozen
    *,
    rows: int = 50,
    most: int | None = None,
    columns_of: ColumnsOf = lambda _: None,
) -> Look:
    """Look at a file or a frame as it would be read; nothing is sent and nothing is kept.

    The arguments are those of ``open_source``; ``most`` records are looked at, None for
    all, and the first ``rows`` of them returned.

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


def _look(
    opened: Input, asked: Options, rows: int, most: int | None, columns_of: ColumnsOf
) -> Look:
    seen = Look(opened.name, opened.kind, asked)
    with suppress(InputError):  # it will be among the questions
        seen = replace(seen, sheets=opened.sheets)
    source: Source | None = None
    while len(seen.questions) < _MOST_QUESTIONS:
        try:
            source = None
            source = lay_out(opened, seen.reading, columns_of)
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


def _with_records(seen: Look, source: Source, rows: int, most: int | None) -> Look:
    """Add the records of a source whose columns are known."""
    first, cells = list[Record](), list[tuple[str, ...]]()
    suspicious, empty = Counter[str](), Counter[str]()
    questions, causes, total = seen.questions, Causes(source.mapping, source.key), 0
    words = {
        source.columns.index(column): Counter[str]()
        for name, column in source.mapping.items()
        if name != "name"
    }
    try:
        for record in islice(source, most):
            if record.problem is not None:
                causes.add(record.problem, [record.line])
            if len(first) < rows:
                first.append(record)
            if record.state is State.SKIPPED:
                continue
            total += 1
            if len(cells) < _MOST_FOR_KEYS:
                cells.append(record.cells)
            for at, counts in words.items():
                counts["".join(record.cells[at : at + 1]).strip()] += 1
            if record.problem is not None and record.problem.accept is not None:
                suspicious[record.problem.accept] += 1
            suspicious.update(note for note in record.notes if note in _SUSPICIONS)
            empty.update(_empty_in(record))
    except InputError as problem_below:
        questions = (*questions, problem_below)
    return replace(
        _with_table(seen, source.table, source.mapping),
        questions=questions,
        key_columns=source.key or likely_keys(source.columns, cells, source.mapping.values()),
        records=tuple(first),
        rows=tuple(record.cells for record in first),
        values=tuple(
            _to_map(source, seen.reading, {source.columns[at]: each for at, each in words.items()})
        ),
        suspicious=dict(suspicious),
        empty=dict(empty),
        causes=tuple(causes.found(total)),
        is_returned=source.is_returned,
    )


def _empty_in(record: Record) -> list[str]:
    """Return the required fields whose cells are empty in a record, or have their default."""
    code = "" if record.problem is None else record.problem.code
    return [
        name for name in REQUIRED if f"default_{name}" in record.notes or code == f"missing_{name}"
    ]


def _to_map(
    source: Source, asked: Options, words: Mapping[str, Counter[str]]
) -> Iterator[ValueToMap]:
    """Yield the words of the columns that no field allows or that are mapped, commonest first."""
    mapped = {name: {*map(word_of, table)} for name, table in (asked.value_map or {}).items()}
    fields = {column: FIELD_BY_NAME[name] for name, column in source.mapping.items()}
    counts = {(column, word): n for column, each in words.items() for word, n in each.items()}
    for (column, word), count in sorted(counts.items(), key=lambda item: -item[1]):
        if word and word_of(word) in mapped.get(fields[column].name, ()):
            yield ValueToMap(fields[column].name, column, word, count, None)
            continue
        try:
            read_cell(fields[column], word, source.rules)
        except CellError as refused:
            option = refused.problem.option
            if word and option is not None and option[0] in ("categories", "value_map"):
                likely = nearest(fields[column], word, source.rules)
                yield ValueToMap(fields[column].name, column, word, count, likely)
