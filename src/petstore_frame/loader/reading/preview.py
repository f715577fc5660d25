"""Opens a file or a frame as records, or shows it to a person who chooses how it is read.

Both read alike. Where a run would stop with an answer in hand, a look takes that answer and goes
on, so that a form can show the file beside the question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import compress, islice
from typing import Any

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import BLANK, word_of
from petstore_frame.loader.reading.keys import (
    LikelyKey,
    cell_at,
    is_date,
    likely_keys,
    proposed_key,
)
from petstore_frame.loader.reading.mapping import REQUIRED, field_name, listed, recognise, unsent
from petstore_frame.loader.reading.opening import Input, SourceKind
from petstore_frame.loader.reading.returned import WordsOf, with_import
from petstore_frame.loader.reading.source import Source
from petstore_frame.loader.reading.tables import Table
from petstore_frame.loader.reading.words import RecipeFields
from petstore_frame.loader.record import Record, State, Suspicion
from petstore_frame.schema.models import FIELD_BY_NAME

# Rows in which a header below a title is looked for, in which a status is, and in which dates are.
_BELOW_A_TITLE, _FOR_STATUSES, _FOR_DATES = 20, 200, 50
_MOST_QUESTIONS = 8
_SUSPICIONS = frozenset(map(str, Suspicion))


def open_source(
    path_or_frame: Any,
    recipe: RecipeFields = RecipeFields(),  # noqa: B008 # frozen
    *,
    words_of: WordsOf = lambda _: None,
    leave_lines: Collection[int] = (),
) -> Source:
    """Open a file or a frame as records; a result file of ours is read as we wrote it.

    Args:
        path_or_frame: Path of a CSV, TSV, gzip or xlsx file (known by its bytes, not its name),
            or a DataFrame of any engine that narwhals knows.
        recipe: How it is read.
        words_of: Gives how an import was read, for one of its result files.
        leave_lines: Lines of records that the caller leaves out.

    Raises:
        InputError: It cannot be read as records; the text has the place and the next step.
        MissingExtraError: A workbook, and openpyxl is not installed.

    Interface: Resources, NewPet (the layout of a file is ours).
    """
    recipe.refuse_blanks()
    opened = Input(path_or_frame)
    with opened.naming():
        return lay_out(opened, recipe, words_of, leave_lines)


def lay_out(
    opened: Input,
    recipe: RecipeFields,
    words_of: WordsOf = lambda _: None,
    leave_lines: Collection[int] = (),
) -> Source:
    """Return the records of a file or a frame with the columns of animals.

    Raises:
        InputError: It has none; the text says what would help.
    """
    if own := opened.own_table(recipe):
        as_before = with_import(own, words_of, recipe)
        return Source(opened, own, as_before, is_returned=True, leave_lines=leave_lines)
    table = opened.table(recipe)
    try:
        source = Source(opened, table, recipe, leave_lines=leave_lines)
    except InputError as problem:
        raise _explained(opened, table, problem, recipe) from None
    if not {"status"} & {*source.mapping, *recipe.mapping, *recipe.defaults}:
        _refuse_unsent(source)
    return source


def _explained(
    opened: Input, table: Table, refusal: InputError, recipe: RecipeFields
) -> InputError:
    """Return why a table has no columns of animals, and what would help."""
    start = "".join(table.columns[:1]).lstrip()[:40]
    if opened.kind == "frame":
        levels = getattr(getattr(opened.frame, "index", None), "names", ())
        if names := ", ".join(str(name) for name in levels if name and field_name(str(name))):
            refusal.hint = f"the index ({names}) is not read; load frame.reset_index()"
        return refusal
    if kind := {"<": "an HTML page or XML", "{": "JSON", "[": "JSON"}.get(start[:1]):
        what = f"the file looks like {kind}, not like CSV: it begins with {start!r}"
        return InputError(what, hint="export the animals as CSV and load that")
    if _may_be_header(table.columns, recipe):
        return refusal
    if recipe.columns is None and recipe.header_row is None:
        is_title, above = _count_filled(table.columns) == 1 < len(table.columns), table.header_row
        for row in range((above or 0) + 1, (above or 0) + 1 + _BELOW_A_TITLE):
            with suppress(InputError):
                below = opened.table(recipe.replace(header_row=row)).columns
                if _may_be_header(below, recipe) or (is_title and _count_filled(below) > 1):
                    what = f"row {above} is no header of animals: {listed(table.columns)}"
                    hint = f"row {row} looks like the header"
                    return InputError(what, hint=hint, add=("header_row", row))
    if len(table.columns) == 1 and re.search(r"[^\w\s]", start):
        refusal.hint, refusal.add = "name the character between the cells", ("delimiter", BLANK)
    return refusal


def _count_filled(cells: Sequence[str]) -> int:
    return sum(bool(cell.strip()) for cell in cells)


def _may_be_header(names: Sequence[str], recipe: RecipeFields) -> bool:
    """Tell whether each required field has a column here, or one that may be it."""
    with suppress(InputError):
        found = recognise(names, recipe.mapping, recipe.defaults)
        return {*found.missing} <= {*found.likely}
    return False


def _refuse_unsent(source: Source) -> None:
    """Ask about a column that holds nothing but statuses and would not be sent."""
    status, rows = FIELD_BY_NAME["status"], [*islice(source.table.cells(), _FOR_STATUSES)]
    for at, column in enumerate(source.columns):
        words = {cells[at].strip().casefold() for cells in rows if at < len(cells)} - {""}
        is_free = column.strip() and column not in source.mapping.values()
        if is_free and words and words <= {*status.values}:
            raise unsent(status.name, column)


@dataclass(frozen=True)
class ValueToMap:
    """A text of ``count`` cells that the field does not allow, and a similar one that it does."""

    field: str
    column: str
    text: str
    count: int
    suggestion: str | None


@dataclass
class Look:
    """A file or a frame as it would be read, as far as that is clear.

    Attributes:
        reading: How it was read: as asked, and with the answers to ``questions``.
        questions: Why it cannot be read as asked, in turn. Empty where there is nothing to confirm.
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
    kind: SourceKind
    reading: RecipeFields
    questions: tuple[InputError, ...] = ()
    sheets: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    header_row: int | None = None
    columns: tuple[str, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    keys: tuple[LikelyKey, ...] = ()
    records: tuple[Record, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    values: tuple[ValueToMap, ...] = ()
    suspicious: Counter[str] = field(default_factory=Counter)
    empty: Counter[str] = field(default_factory=Counter)
    is_returned: bool = False

    @property
    def encodings(self) -> tuple[str, ...]:
        """The likely ones of a text that is not UTF-8; empty if all is clear."""
        proposed = (each.add for each in self.questions if each.add)
        return tuple(value for word, value in proposed if word == "encoding")

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The columns that may identify an animal; where it is said which do, these."""
        return self.reading.key or tuple(each.column for each in self.keys)

    @property
    def proposed_key(self) -> LikelyKey | None:
        """The column to propose where nothing says which animal a row is."""
        return proposed_key(self.keys)

    @property
    def dates(self) -> tuple[str, ...]:
        """The columns of days."""
        found = ([cells[at] for cells in self.rows[:_FOR_DATES] if cell_at(cells, at)]
                 for at in range(len(self.columns)))  # fmt: skip
        of_days = (bool(cells) and all(map(is_date, cells)) for cells in found)
        return tuple(compress(self.columns, of_days))


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
        answered, questions, source = laid_out(opened, reading)
        seen = Look(opened.name, opened.kind, answered, questions)
        with suppress(InputError):  # it is among the questions
            seen.sheets = opened.sheets
            table = opened.table(answered) if source is None else source.table
            seen.facts, seen.header_row, seen.columns = table.facts, table.header_row, table.columns
            if source is None:
                stated = reading.mapping.items()
                seen.mapping = {name: at for name, at in stated if at and at in seen.columns}
                seen.rows = tuple(tuple(cells) for cells in islice(table.cells(), rows))
                seen.keys = likely_keys(seen.columns, seen.rows, seen.mapping)
        if source is not None:
            seen.mapping, seen.is_returned = source.mapping, source.is_returned
            seen.keys = source.likely_keys()
            _count_records(seen, source, rows, most)
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
            word, value = problem.add or ("", BLANK)
            if value == BLANK or (isinstance(value, Mapping) and BLANK in value.values()):
                break
            answered = reading.with_words(**{word: value})
            if answered == reading:
                break
            reading = answered
    return reading, questions, None


def _count_records(seen: Look, source: Source, rows: int, most: int | None) -> None:
    """Show the first records, and count what all hold that a person has to say something of."""
    first = list[Record]()
    # What the cells of each field hold; a name may be anything.
    places = {name: source.columns.index(at) for name, at in source.mapping.items()}
    words = {name: Counter[str]() for name in places if name != "name"}
    try:
        for record in islice(source, most):
            if len(first) < rows:
                first.append(record)
            if record.state is State.SKIPPED:
                continue
            for name, counts in words.items():
                counts[cell_at(record.cells, places[name])] += 1
            for name in REQUIRED:
                text = cell_at(record.cells, places[name]) if name in places else ""
                seen.empty[name] += source.readers[name].means_nothing(text)
            held = {record.problem.accept or ""} if record.problem is not None else set[str]()
            seen.suspicious.update(_SUSPICIONS & {*held, *record.notes})
    except InputError as problem_below:
        seen.questions = (*seen.questions, problem_below)
    seen.empty = +seen.empty  # which drops the zeros
    seen.records, seen.rows = tuple(first), tuple(record.cells for record in first)
    found = list[ValueToMap]()
    for name, counts in words.items():
        reader, said = source.readers[name], source.recipe.value_map.get(name, ())
        mapped = {*map(word_of, said)}
        for word, count in counts.items():
            is_mapped = word_of(word) in mapped
            if word and (is_mapped or reader.asks(word)):
                likely = None if is_mapped else reader.nearest(word)
                found.append(ValueToMap(name, source.mapping[name], word, count, likely))
    seen.values = tuple(sorted(found, key=lambda each: -each.count))
