"""Opens a file or a frame for an import, or previews it for a person who chooses the options.

Both read the file in the same way. If an import would stop with a question, a preview continues
with the likely answer, so that a form or a draft can show both the file and the question.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from petstore_frame.errors import InputError
from petstore_frame.file_questions import (
    delimiter_question,
    header_row_question,
    quoting_question,
)
from petstore_frame.loader.row_state import SourceRow, State, Suspicion
from petstore_frame.loader.source.cell_parsing import folded_text
from petstore_frame.loader.source.column_mapping import (
    REQUIRED,
    may_be_header,
    recognize_columns,
    unsent,
)
from petstore_frame.loader.source.input_file import Input
from petstore_frame.loader.source.key_columns import (
    LikelyKey,
    date_columns,
    likely_keys,
    proposed_key,
)
from petstore_frame.loader.source.returned_file import FixFile
from petstore_frame.loader.source.row_keys import cell_at
from petstore_frame.loader.source.source_rows import Source
from petstore_frame.loader.source.status_columns import has_status_values, is_status_value
from petstore_frame.schema import FIELDS, count_text
from petstore_frame.schema.text import join_names
from petstore_frame.tables.csv_file import DELIMITERS
from petstore_frame.tables.file_kinds import JSON_LINES_HINT
from petstore_frame.tables.quotes import quoting_of_header
from petstore_frame.tables.table import Table, TableRow
from petstore_frame.tables.table_file import SourceKind

if TYPE_CHECKING:
    from petstore_frame.loader.source.recipe import Recipe

# Number of rows to search for a header below a title.
_BELOW_A_TITLE = 20
_MOST_QUESTIONS = 8
_SUSPICIONS = frozenset(map(str, Suspicion))


def open_source(
    path_or_frame: Any,
    recipe: Recipe,
    *,
    exclude_lines: Collection[int] = (),
) -> Source:
    """Open a file or a frame; for a result file of this package, read its original rows.

    The kind of a file is detected from its bytes, not from its name.

    Raises:
        InputError: The source cannot be read; the message has the position and the next step.
        MissingExtraError: The source is a workbook, and openpyxl is not installed.

    Interface: Resources, NewPet (the layout of a file is ours).
    """
    recipe.reject_placeholders()
    opened = path_or_frame if isinstance(path_or_frame, Input) else Input(path_or_frame)
    with opened.naming():
        return _lay_out(opened, recipe, exclude_lines)


def read_fix_file(opened: Input, recipe: Recipe) -> FixFile | None:
    """Return the lines of a file that this package wrote; None for any other file.

    Raises:
        InputError: A line may be in the store already, or its row name is invalid.
    """
    with opened.naming():
        own = opened.own_table(recipe)
        return None if own is None else FixFile(opened.name, own.columns, tuple(own.rows()))


def stored_source(
    name: str,
    header: Sequence[str],
    rows: Callable[[], Iterator[TableRow]],
    recipe: Recipe,
) -> Source:
    """Return a source that checks rows which were read before, such as corrected ones."""
    table = Table(tuple(header), rows)
    return Source(Input.of_table(name, table), table, recipe, is_returned=True)


def _lay_out(
    opened: Input,
    recipe: Recipe,
    exclude_lines: Collection[int] = (),
) -> Source:
    """Return the rows of a file or a frame; reject it if it has no columns of animals."""
    if own := opened.own_table(recipe):
        return Source(opened, own, recipe, is_returned=True, exclude_lines=exclude_lines)
    table = opened.table_with(recipe)
    try:
        source = Source(opened, table, recipe, exclude_lines=exclude_lines)
    except InputError as problem:
        raise _explained(opened, table, problem, recipe) from None
    _refuse_unsent(source)
    return source


def _explained(opened: Input, table: Table, refusal: InputError, recipe: Recipe) -> InputError:
    """Return a better error for a table without columns of animals, such as a lower header."""
    if nested := opened.list_within:
        key, length = nested
        message = f"this is a JSON document with a list of {length:,} objects below {key!r}"
        return InputError(message, hint=f"to load the list, {JSON_LINES_HINT}")
    delimiters = recipe.delimiter or DELIMITERS
    quoting = quoting_of_header(table.columns, delimiters) if opened.kind == "csv" else None
    if quoting is not None and recipe.quoting == "strict":
        names = opened.table_with(recipe.replace(quoting=quoting)).columns
        message = "the header is in quotes"
        hint = f"quoting {quoting!r} reads it as {join_names(names)}"
        question = quoting_question(message, hint, quoting)
        return InputError(message, line=table.header_row, hint=hint, questions=(question,))
    if index := table.facts.get("index", ()):
        refusal.hint = f"{join_names(index)} is the index of the frame: load frame.reset_index()"
        refusal.questions, refusal.add = (), None
    is_stated = recipe.columns is not None or recipe.header_row is not None
    if opened.kind == "frame" or may_be_header(table.columns, recipe.mapping, recipe.defaults):
        return refusal
    top, is_title = table.header_row or 1, _count_filled(table.columns) == 1 < len(table.columns)
    for row in () if is_stated else range(top + 1, top + 1 + _BELOW_A_TITLE):
        with suppress(InputError):
            below = opened.table_with(recipe.replace(header_row=row)).columns
            if may_be_header(below, recipe.mapping, recipe.defaults) or (
                is_title and _count_filled(below) > 1
            ):
                message = f"row {top} is not a header of animals: {join_names(table.columns)}"
                hint = f"row {row} looks like the header"
                question = header_row_question(message, row, hint)
                return InputError(message, hint=hint, questions=(question,))
    if len(table.columns) == 1 and re.search(r"\S {2,}\S", table.columns[0]):
        message = "the columns are aligned by spaces, which is not a delimiter"
        hint = "open it in a spreadsheet as text of fixed width, and save it as CSV (UTF-8)"
        return InputError(message, line=table.header_row, hint=hint)
    if len(table.columns) == 1 and re.search(r"[^\w\s]", table.columns[0]):
        hint = "state the character between the cells"
        question = delimiter_question(refusal.message, hint)
        refusal = InputError(refusal.message, hint=hint, questions=(question,))
    return refusal


def _count_filled(cells: Sequence[str]) -> int:
    return sum(bool(cell.strip()) for cell in cells)


def _refuse_unsent(source: Source) -> None:
    """Ask about a column that holds only statuses, in any language, and would not be sent."""
    status = FIELDS.named("status")
    for column, values in source.unsent_statuses.items():
        if {*map(str.casefold, values)} <= {*status.values}:
            raise unsent(status.name, column, source.columns)
        if has_status_values(values) and all(map(is_status_value, values)):
            raise unsent(status.name, column, source.columns, is_certain=False)


@dataclass(frozen=True)
class ValueToMap:
    """A text in ``count`` cells that a field does not allow, and the most similar allowed value."""

    field: str
    column: str
    text: str
    count: int
    suggestion: str | None


@dataclass
class FilePreview:
    """A file or a frame as an import would read it, as far as its options are certain."""

    name: str
    kind: SourceKind
    # The options of the caller, and the likely answers to the questions, which a person must
    # confirm.
    reading: Recipe
    questions: tuple[InputError, ...] = ()
    sheets: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)  # as in ``Table``
    header_row: int | None = None
    columns: tuple[str, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    likely: Mapping[str, str] = field(default_factory=dict)  # the likely column of open fields
    keys: tuple[LikelyKey, ...] = ()  # the most likely one first
    rows: tuple[Sequence[str], ...] = ()  # the first rows, even without a mapping
    records: tuple[SourceRow, ...] = ()  # the same rows, checked
    count: int = 0  # of the rows that were read and are not excluded
    stopped_by: InputError | None = None  # the first line that cannot be read, if there is one
    most_rows: int | None = None  # how many rows were read, if more may follow
    # The texts of each field except the name, with the number of their cells.
    value_counts: Mapping[str, Counter[str]] = field(default_factory=dict)
    values: tuple[ValueToMap, ...] = ()  # values that the recipe maps or must map
    fallback_values: tuple[ValueToMap, ...] = ()  # values that only the fallback maps
    suspicious: Counter[str] = field(default_factory=Counter)  # number of rows, by kind
    empty: Counter[str] = field(default_factory=Counter)  # number of cells, by required field

    @property
    def proposed_key(self) -> LikelyKey | None:
        """The column to ask about before anything is sent, if the recipe has no key."""
        return proposed_key(self.keys)

    @property
    def counted_rows(self) -> str:
        """The number of rows that were counted, and where counting stopped before the end."""
        rows = count_text(self.count, "row")
        if self.stopped_by is not None:
            line = self.stopped_by.line
            place = "the first line that" if line is None else f"line {line:,}, which"
            return f"{rows} above {place} cannot be read"
        if self.most_rows is not None:
            return f"{self.count:,} of the first {count_text(self.most_rows, 'row')}"
        return rows

    @property
    def dates(self) -> tuple[str, ...]:
        """The columns of dates."""
        return date_columns(self.columns, self.rows)

    def _recognize_columns(self) -> None:
        """Find the columns that are certain although others are not, and the likely ones."""
        stated, columns = self.reading.mapping, self.columns
        self.mapping = {name: column for name, column in stated.items() if column in columns}
        with suppress(InputError):
            recognized = recognize_columns(columns, stated, self.reading.defaults)
            self.mapping = recognized.mapping
            self.likely = {name: names[0] for name, names in recognized.likely.items()}

    @classmethod
    def of(
        cls,
        source: Any,
        reading: Recipe,
        *,
        rows: int = 50,
        most: int | None = None,
    ) -> FilePreview:
        """Preview a file or a frame; nothing is sent or stored.

        Args:
            source: What ``load`` reads.
            reading: The options to read it with.
            rows: How many rows to return.
            most: How many rows to count; None counts all.
        """
        opened = source if isinstance(source, Input) else Input(source)
        preview = cls(opened.name, opened.kind, reading)
        with opened.naming():
            records = _with_answers(opened, preview)
            with suppress(InputError):  # the error is in the questions already
                preview.sheets = opened.sheets
                table = opened.table_with(preview.reading) if records is None else records.table
                preview.facts, preview.columns = table.facts, table.columns
                preview.header_row = table.header_row
                if records is None:
                    preview._recognize_columns()
                    preview.rows = tuple(islice(table.cells(), rows))
                    preview.keys = likely_keys(preview.columns, preview.rows, preview.mapping)
            while records is not None:
                preview.mapping, preview.keys = records.mapping, records.likely_keys()
                question = _count_records(preview, records, rows, most)
                if question is None or not _adopt_answer(preview, question):
                    break
                records = _with_answers(opened, preview)
        return preview


def _with_answers(opened: Input, preview: FilePreview) -> Source | None:
    """Open a file with the likely answer to each question; None if a question has no answer."""
    while len(preview.questions) < _MOST_QUESTIONS:
        try:
            return _lay_out(opened, preview.reading)
        except InputError as problem:
            if not _adopt_answer(preview, problem):
                break
    return None


def _adopt_answer(preview: FilePreview, problem: InputError) -> bool:
    """Add an error to a preview, and read on with the likely answers; False if there are none."""
    preview.questions = (*preview.questions, problem)
    if not problem.questions or any(question.likely is None for question in problem.questions):
        return False
    for question in problem.questions:
        preview.reading = preview.reading.with_options(**question.stating(question.likely))
    return True


def _count_records(
    preview: FilePreview, source: Source, rows: int, most: int | None
) -> InputError | None:
    """Count the values, the suspicious rows and the empty cells of the required fields.

    Returns:
        Why the remaining rows cannot be read, or None.
    """
    preview.stopped_by, taken = None, 0
    preview.count, preview.suspicious, preview.empty = 0, Counter(), Counter()
    first = list[SourceRow]()
    positions = {name: source.columns.index(at) for name, at in source.mapping.items()}
    value_counts = {name: Counter[str]() for name in positions if name != "name"}
    preview.value_counts = value_counts
    try:
        for record in islice(source, most):
            taken += 1
            if len(first) < rows:
                first.append(record)
            if record.state is State.EXCLUDED:
                continue
            preview.count += 1
            for name, counts in value_counts.items():
                counts[cell_at(record.cells, positions[name])] += 1
            for name in REQUIRED:
                text = cell_at(record.cells, positions[name]) if name in positions else ""
                preview.empty[name] += source.readers[name].means_nothing(text)
            suspicions = {problem.allow or "" for problem in record.problems}
            preview.suspicious.update(_SUSPICIONS & {*suspicions, *record.notes})
    except InputError as problem_below:
        preview.stopped_by = problem_below
    preview.most_rows = taken if most and taken == most else None
    preview.empty = +preview.empty  # drops the zeros
    preview.records, preview.rows = tuple(first), tuple(record.cells for record in first)
    _list_values(preview, source)
    return preview.stopped_by


def _list_values(preview: FilePreview, source: Source) -> None:
    """List the values that the recipe maps or must map."""
    values, fallback_values = list[ValueToMap](), list[ValueToMap]()
    for name, counts in preview.value_counts.items():
        reader, column = source.readers[name], source.mapping[name]
        mapped = {*map(folded_text, source.recipe.value_map.get(name, ()))}
        for text, count in counts.items():
            is_mapped = folded_text(text) in mapped
            if text and (is_mapped or reader.needs_meaning(text)):
                likely = None if is_mapped else reader.nearest(text)
                values.append(ValueToMap(name, column, text, count, likely))
            elif text and reader.uses_fallback(text):
                fallback_values.append(ValueToMap(name, column, text, count, None))
    preview.values = tuple(sorted(values, key=lambda value: -value.count))
    preview.fallback_values = tuple(fallback_values)
