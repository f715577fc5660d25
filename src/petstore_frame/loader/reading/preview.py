"""What a person sees of a file before anything is sent, to choose how it is read.

It reads as the real run does. Where that would stop with an answer in hand, it takes that answer
and goes on, so that a form can show the file beside the question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import BLANK, nearest, read_cell, word_of
from petstore_frame.loader.reading.likely import LikelyKey, likely_keys
from petstore_frame.loader.reading.mapping import REQUIRED
from petstore_frame.loader.reading.read import Input, Kind, Source, lay_out
from petstore_frame.loader.reading.tables import Table
from petstore_frame.loader.reading.words import RecipeFields
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
        reading: How it was read: as asked, and with the answers to ``questions``.
        questions: Why it cannot be read as asked, in turn. Empty where there is nothing to confirm.
        encodings: The likely ones of a text that is not UTF-8; empty if all is clear.
        facts, header_row, columns: As of a ``Table``; no columns where there is no header to read.
        keys: Columns that may identify an animal, with their facts, the likeliest first.
        records: The first records, each with its problem; without a whole mapping none.
        rows: The cells of the first rows, also where the mapping is not known.
        values: Values to map, and those that were mapped, the commonest first.
        suspicious: How many records look wrong, sent all the same or not, by the word that
            ``accept`` takes.
        empty: How many records have an empty cell, or its default, by required field.
    """

    name: str
    kind: Kind
    reading: RecipeFields
    questions: tuple[InputError, ...] = ()
    encodings: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    header_row: int | None = None
    columns: tuple[str, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    keys: tuple[LikelyKey, ...] = ()
    records: tuple[Record, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    values: tuple[ValueToMap, ...] = ()
    suspicious: Mapping[str, int] = field(default_factory=dict)
    empty: Mapping[str, int] = field(default_factory=dict)
    is_returned: bool = False

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The columns that may identify an animal; where it is said which do, these."""
        return self.reading.key or tuple(each.column for each in self.keys)


def look(
    path_or_frame: Any,
    reading: RecipeFields = RecipeFields(),  # noqa: B008 # frozen
    *,
    rows: int = 50,
    most: int | None = None,
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
    with opened.naming():
        reading, questions, source = laid_out(opened, reading)
        seen = Look(opened.name, opened.kind, reading, questions)
        encodings = (each.add[1] for each in questions if each.add and each.add[0] == "encoding")
        seen = replace(seen, encodings=tuple(encodings))
        with suppress(InputError):  # it is among the questions
            seen = replace(seen, sheets=opened.sheets)
        # A value may be wrong in most records; that does not hide them here.
        if source is not None:
            return _with_records(seen, source, rows, most)
        with suppress(InputError):  # it is among the questions
            table = opened.table(seen.reading)
            known = {
                field: name for field, name in reading.mapping.items() if name in table.columns
            }
            cells = tuple(tuple(row.cells) for row in islice(table.readable(), rows))
            keys = likely_keys(table.columns, cells, known)
            mapping = {field: name for field, name in known.items() if name}
            seen = replace(_with_table(seen, table, mapping), rows=cells, keys=keys)
        return seen


def laid_out(
    opened: Input, reading: RecipeFields
) -> tuple[RecipeFields, tuple[InputError, ...], Source | None]:
    """Lay a file out with the answer to each question that stops it, where it has one.

    Returns:
        How it was read, the questions, and the records; None where a question stays open.
    """
    questions: tuple[InputError, ...] = ()
    while len(questions) < _MOST_QUESTIONS:
        try:
            return reading, questions, lay_out(opened, reading)
        except InputError as problem:
            questions = (*questions, problem)
            answered = reading.with_words(**_answer(problem))
            if answered == reading:
                break
            reading = answered
    return reading, questions, None


def _answer(problem: InputError) -> dict[str, Any]:
    """Return the word that an error would add, unless that is a blank."""
    if problem.add is None or problem.add[1] == BLANK:
        return {}
    word, value = problem.add
    is_open = isinstance(value, Mapping) and BLANK in value.values()
    return {} if is_open else {word: value}


def _with_table(seen: Look, table: Table, mapping: Mapping[str, str]) -> Look:
    columns, facts, header_row = table.columns, table.facts, table.header_row
    return replace(seen, columns=columns, facts=facts, header_row=header_row, mapping=mapping)


def _with_records(seen: Look, source: Source, rows: int, most: int | None) -> Look:
    first = list[Record]()
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
            for name, counts in words.items():
                at = fields[name]
                counts["".join(record.cells[at : at + 1]).strip()] += 1
            if record.problem is not None and record.problem.accept is not None:
                suspicious[record.problem.accept] += 1
            suspicious.update(_SUSPICIONS.intersection(record.notes))
            code = "" if record.problem is None else record.problem.code
            for name in REQUIRED:
                empty[name] += f"default_{name}" in record.notes or code == f"missing_{name}"
    except InputError as problem_below:
        questions = (*questions, problem_below)
    return replace(
        _with_table(seen, source.table, source.mapping),
        questions=questions,
        keys=source.likely_keys(_MOST_FOR_KEYS),
        records=tuple(first),
        rows=tuple(record.cells for record in first),
        values=tuple(_to_map(source, words)),
        suspicious=dict(suspicious),
        empty={name: count for name, count in empty.items() if count},
        is_returned=source.is_returned,
    )


def _to_map(source: Source, words: Mapping[str, Counter[str]]) -> Iterator[ValueToMap]:
    """Yield the words of the columns that no field allows or that are mapped, commonest first."""
    asked = source.options.value_map
    mapped = {name: {*map(word_of, table)} for name, table in asked.items()}
    counts = [(n, name, word) for name, each in words.items() for word, n in each.items() if word]
    for count, name, word in sorted(counts, key=lambda each: -each[0]):
        column, likely = FIELD_BY_NAME[name], None
        if word_of(word) not in mapped.get(name, ()):
            problem = read_cell(column, word, source.rules).problem
            if problem is None or not problem.add or problem.add[0] not in (
                "categories", "value_map",
            ):  # fmt: skip
                continue
            likely = nearest(column, word, source.rules)
        yield ValueToMap(name, source.mapping[name], word, count, likely)
