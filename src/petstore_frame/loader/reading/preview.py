"""What a person sees of a file before anything is sent, to choose how it is read.

It reads as the real run does. Where that would stop, it takes the answer that the refusal proposes
and goes on: so a form can preset its choices and show the question that each of them answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import nearest, read_cell, word_of
from petstore_frame.loader.reading.inputs import Input, Kind
from petstore_frame.loader.reading.mapping import REQUIRED, likely_keys
from petstore_frame.loader.reading.opening import Decoded, EncodingError
from petstore_frame.loader.reading.options import RecipeOptions
from petstore_frame.loader.reading.read import Source, lay_out
from petstore_frame.loader.reading.returned import ColumnsOf
from petstore_frame.loader.reading.tables import Table
from petstore_frame.loader.record import Record, State, Suspicion
from petstore_frame.schema.models import FIELD_BY_NAME

_MOST_QUESTIONS = 8
_MOST_FOR_KEYS = 100_000
_SUSPICIONS = frozenset(map(str, Suspicion))


@dataclass(frozen=True)
class ValueToMap:
    """A text of ``count`` cells that the field does not allow, and a similar one that it does."""

    field: str
    column: str
    text: str
    count: int
    suggestion: str | None


@dataclass(frozen=True)
class Look:
    """A file or a frame as it would be read, as far as that is clear.

    Attributes:
        reading: How it was read: as asked, and by what was recognised where that is not enough.
        questions: Why it cannot be read as asked, in turn; each has the ``answer`` that ``reading``
            uses, if there is one. Empty where there is nothing to confirm.
        encodings: The first unclear line as each likely encoding reads it; empty if all is clear.
        facts, header_row, columns: As of a ``Table``; no columns where there is no header to read.
        key_columns: Columns that may identify an animal, the likeliest first.
        records: The first records, each with its problem; without a whole mapping none.
        rows: The cells of the first rows, also where the mapping is not known.
        values: Values to map, and those that were mapped, the commonest first.
        suspicious: How many records look wrong, sent all the same or not, by the word that
            ``accept`` takes.
        empty: How many records have an empty cell, or its default, by required field.
    """

    name: str
    kind: Kind
    reading: RecipeOptions
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
    is_returned: bool = False


def look(
    path_or_frame: Any,
    reading: RecipeOptions = RecipeOptions(),  # noqa: B008 # frozen
    *,
    rows: int = 50,
    most: int | None = None,
    columns_of: ColumnsOf = lambda _: None,
) -> Look:
    """Look at a file or a frame as it would be read; nothing is sent and nothing is kept.

    Of the ``most`` records that are looked at, None for all, the first ``rows`` are returned.

    Raises:
        InputError: There is no file that could be read at all.

    Example:
        >>> import pandas as pd
        >>> seen = look(pd.DataFrame({"Tiername": ["Rex", "Bo"], "Kategorie": [3, 4]}))
        >>> seen.mapping, len(seen.questions)
        ({'name': 'Tiername', 'category_id': 'Kategorie'}, 1)
    """
    opened = Input(path_or_frame)
    try:
        with opened.naming():
            seen = Look(opened.name, opened.kind, reading)
            with suppress(InputError):  # it will be among the questions
                seen = replace(seen, sheets=opened.sheets)
            seen, source = _laid_out(opened, seen, columns_of)
            # A value may be wrong in most records; that does not hide them here.
            if source is not None:
                return _with_records(seen, source, rows, most)
            with suppress(InputError):  # it is among the questions
                return _with_cells(seen, opened.tables(seen.reading)[0], rows)
            return seen
    finally:
        opened.close()


def _laid_out(opened: Input, seen: Look, columns_of: ColumnsOf) -> tuple[Look, Source | None]:
    """Lay a file out, with the answer to each question that stops it."""
    while len(seen.questions) < _MOST_QUESTIONS:
        try:
            return seen, lay_out(opened, seen.reading, columns_of)
        except InputError as problem:
            seen = replace(seen, questions=(*seen.questions, problem))
            if isinstance(problem, EncodingError):
                seen = replace(seen, encodings=seen.encodings or problem.candidates)
            answer = dict(problem.answer)
            if "mapping" in answer:
                answer["mapping"] = {**(seen.reading.mapping or {}), **answer["mapping"]}
            reading = replace(seen.reading, **answer)
            if seen.reading == reading:
                break
            seen = replace(seen, reading=reading)
    return seen, None


def _with_cells(seen: Look, table: Table, rows: int) -> Look:
    """Add the first rows of a table whose columns are not known."""
    mapping = seen.reading.mapping or {}
    known = {field: column for field, column in mapping.items() if column in table.columns}
    cells = tuple(tuple(row.cells) for row in islice(table.rows(), rows))
    keys = likely_keys(table.columns, cells, known.values())
    return replace(_with_table(seen, table, known), rows=cells, key_columns=keys)


def _with_table(seen: Look, table: Table, mapping: Mapping[str, str]) -> Look:
    columns, facts, header_row = table.columns, table.facts, table.header_row
    return replace(seen, columns=columns, facts=facts, header_row=header_row, mapping=mapping)


def _with_records(seen: Look, source: Source, rows: int, most: int | None) -> Look:
    """Add the records of a source whose columns are known."""
    first, cells = list[Record](), list[tuple[str, ...]]()
    suspicious, empty, questions = Counter[str](), Counter[str](), seen.questions
    # What the cells of each field hold; a name may be anything.
    fields = {name: source.columns.index(source.mapping[name]) for name in source.mapping}
    words = {name: Counter[str]() for name in fields if name != "name"}
    try:
        for record in islice(source, most):
            if len(first) < rows:
                first.append(record)
            if record.state is State.SKIPPED:
                continue
            if len(cells) < _MOST_FOR_KEYS:
                cells.append(record.cells)
            for name, counts in words.items():
                at = fields[name]
                counts["".join(record.cells[at : at + 1]).strip()] += 1
            if record.problem is not None and record.problem.accept is not None:
                suspicious[record.problem.accept] += 1
            suspicious.update(_SUSPICIONS.intersection(record.notes))
            empty.update(_empty_in(record))
    except InputError as problem_below:
        questions = (*questions, problem_below)
    return replace(
        _with_table(seen, source.table, source.mapping),
        questions=questions,
        key_columns=source.key or likely_keys(source.columns, cells, source.mapping.values()),
        records=tuple(first),
        rows=tuple(record.cells for record in first),
        values=tuple(_to_map(source, seen.reading, words)),
        suspicious=dict(suspicious),
        empty=dict(empty),
        is_returned=source.is_returned,
    )


def _empty_in(record: Record) -> list[str]:
    """Return the required fields whose cells are empty in a record, or have their default."""
    code = "" if record.problem is None else record.problem.code
    return [
        name for name in REQUIRED if f"default_{name}" in record.notes or code == f"missing_{name}"
    ]


def _to_map(
    source: Source, asked: RecipeOptions, words: Mapping[str, Counter[str]]
) -> Iterator[ValueToMap]:
    """Yield the words of the columns that no field allows or that are mapped, commonest first."""
    mapped = {name: {*map(word_of, table)} for name, table in (asked.value_map or {}).items()}
    counts = [(n, name, word) for name, each in words.items() for word, n in each.items() if word]
    for count, name, word in sorted(counts, key=lambda each: -each[0]):
        column, likely = FIELD_BY_NAME[name], None
        if word_of(word) not in mapped.get(name, ()):
            problem = read_cell(column, word, source.rules).problem
            option = None if problem is None else problem.option
            if option is None or option[0] not in ("categories", "value_map"):
                continue
            likely = nearest(column, word, source.rules)
        yield ValueToMap(name, source.mapping[name], word, count, likely)
