"""Checks a row: reads its fields and its key, and collects its problems."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from petstore_frame.loader.matching.folding import SEPARATOR, name_in
from petstore_frame.loader.row_state import RowProblem, SourceRow, State, Suspicion, digest_of
from petstore_frame.loader.source.cell_parsing import (
    IN_BRACES,
    NOTHING,
    PLACEHOLDER,
    FieldReader,
    Meaning,
    folded_text,
    suspicious,
)
from petstore_frame.loader.source.not_animals import (
    REPEATED_HEADER,
    is_swallowing,
    repeats_header,
    swallowed,
    with_total,
    without_defaults,
    zero_formula,
)
from petstore_frame.loader.source.order_values import OrderReader
from petstore_frame.loader.source.returned_file import YES, denied
from petstore_frame.loader.source.row_keys import KeyReader, cell_at
from petstore_frame.loader.source.spreadsheet_text import unwrap_name
from petstore_frame.schema import PetField
from petstore_frame.tables.quotes import is_in_single_quotes, single_quoted_row, unwrapped_row
from petstore_frame.tables.sheet_xml import MERGED
from petstore_frame.tables.table import (
    ZERO_FORMULA_NOTE,
    ZERO_FORMULA_PREFIX,
    CellProblem,
    TableRow,
    is_number_note,
)

if TYPE_CHECKING:
    from petstore_frame.loader.source.recipe import Recipe

# A row of totals has a label and a number.
_MAX_OF_TOTAL = 2
NO_COLUMN = sys.maxsize  # the position of a field that has a default and no column
_OPEN_DEFAULT = RowProblem(
    "open_word", "the default in the recipe is a placeholder", hint="fill in the default"
)
_HIDDEN = suspicious(
    Suspicion.HIDDEN_ROW, "the row is hidden in the workbook, by a filter or by hand"
)
_NUMBER_DTYPES = ("int64", "Int64", "Float64")
# Global names, because the attributes of an enum are slow to look up for each row.
_PENDING, _EXCLUDED = State.PENDING, State.EXCLUDED


class RowFilter(NamedTuple):
    """An ``include`` or ``exclude`` option, which chooses rows by the values of a column."""

    at: int
    values: frozenset[str]
    excludes: bool

    def rejects(self, cells: Sequence[str]) -> bool:
        """Return True if the row must not be sent."""
        has_value = folded_text(cell_at(cells, self.at)) in self.values
        return has_value if self.excludes else not has_value


class SentColumn(NamedTuple):
    """A field to send: position of its column, default, columns in the default, and reader."""

    field: PetField
    at: int
    default: str
    named: dict[str, int]
    reader: FieldReader


@dataclass
class RowChecker:
    """Checks the rows of one source.

    Attributes:
        columns: The columns of the source.
        recipe: The options of the caller.
        sent: The fields that are sent.
        filters: The options that choose rows by a value.
        exclude_lines: Lines that are not sent.
        keys: Reads the key; None without a key.
        order: Reads the value of ``order_by``; None without this option.
        delimiter: Delimiter of a text file; empty for other sources.
    """

    columns: Sequence[str]
    recipe: Recipe
    sent: Sequence[SentColumn]
    filters: Sequence[RowFilter]
    exclude_lines: Collection[int]
    keys: KeyReader | None
    order: OrderReader | None
    delimiter: str

    def __post_init__(self) -> None:
        self._chooses_rows = bool(self.filters or self.exclude_lines) or self.order is not None
        sent_names = [column.field.name for column in self.sent]
        self._category_index = sent_names.index("category_id")
        self._name_index = sent_names.index("name")

    def check(
        self,
        number: int,
        row: TableRow,
        quantity_problem: RowProblem | None = None,
    ) -> SourceRow:
        """Check one animal; ``quantity_problem`` is a problem of the quantity of its row."""
        cells = tuple(row.cells)
        if not (cells and cells[0].strip()) and _is_blank(cells, row.problems):
            return _blank_row(number, row, cells)
        problems = [] if quantity_problem is None else [quantity_problem]
        notes: list[str] = []
        if row.lines > 1 and is_swallowing(cells, self.delimiter, len(self.columns)):
            problems.append(swallowed(row))
        key = None if self.keys is None else self._read_key(self.keys, row, problems)
        payload, content = self._read_fields(cells, row, problems, notes)
        repeats_header = cells[0] == self.columns[0]
        if problems or notes or row.is_hidden or row.answer or "" in cells or repeats_header:
            problems = self._find_suspicions(cells, row, problems, notes)
        # With positional arguments and without the fields below, for speed: most rows end here.
        checked = SourceRow(
            number, row.line, cells, _PENDING, payload, content, (), tuple(notes), key, row.origin
        )
        if problems:
            checked = checked._replace(
                state=State.INVALID,
                payload=None,
                content=content if name_in(content) else None,
                problems=tuple(problems),
                unsent_hash=self._hash_of_texts(cells),
            )
        if notes or self._chooses_rows:
            return self._choose(checked, row)
        return checked

    def _read_key(
        self, keys: KeyReader, row: TableRow, problems: list[RowProblem]
    ) -> tuple[str, ...] | None:
        """Return the key of a row; if it has none, add the reason to the problems."""
        key, problem = keys.read(row)
        if problem is not None:
            problems.append(problem)
        return key

    def _find_suspicions(
        self,
        cells: tuple[str, ...],
        row: TableRow,
        problems: list[RowProblem],
        notes: list[str],
    ) -> list[RowProblem]:
        """Return the problems of a row, with those that need more than one cell to see."""
        if repeats_header(cells, self.columns):
            return [REPEATED_HEADER]
        problems = [self._with_single_quotes(problem, cells) for problem in problems]
        problems = with_total(problems, cells, may_be_animal=self._may_be_animal(cells))
        if not self._has_facts_of_animal(cells):
            problems = without_defaults(problems)
        doubt = denied(row.answer) or (_HIDDEN if row.is_hidden else None)
        if doubt is not None and (row.is_hidden or not problems):
            problems = [*problems, doubt]
        is_confirmed = row.answer in YES
        return self._without_allowed(problems, notes, is_confirmed=is_confirmed)

    def _with_single_quotes(self, problem: RowProblem, cells: Sequence[str]) -> RowProblem:
        """Return the problem of a name in quotes; if other cells have some, all are CSV quotes."""
        is_wrapped = problem.allow == Suspicion.WRAPPED_NAMES and bool(self.delimiter)
        if not is_wrapped or sum(map(is_in_single_quotes, cells)) < 2:
            return problem
        hint = f"quoting 'single' reads the cells without them; {problem.hint.partition('; ')[2]}"
        return replace(problem, hint=hint)

    def _may_be_animal(self, cells: Sequence[str]) -> bool:
        """Return False for a row that has neither a category nor a key, and two texts at most."""
        if cell_at(cells, self.sent[self._category_index].at):
            return True
        if self.keys is not None and any(cell_at(cells, at) for at in self.keys.positions):
            return True
        return len(_filled(cells)) > _MAX_OF_TOTAL

    def _has_facts_of_animal(self, cells: Sequence[str]) -> bool:
        """Return whether a row has a name or a category, or more than a key if no column has it."""
        name, category = self.sent[self._name_index], self.sent[self._category_index]
        if cell_at(cells, name.at) or cell_at(cells, category.at):
            return True
        filled = _filled(cells)
        is_key_alone = self.keys is not None and {*filled} <= {*self.keys.positions}
        return category.at == NO_COLUMN and len(filled) > 1 and not is_key_alone

    def _choose(self, checked: SourceRow, row: TableRow) -> SourceRow:
        """Return a row with its sort value and the result of the row filters."""
        is_excluded_line = row.line in self.exclude_lines
        is_excluded = is_excluded_line or any(
            row_filter.rejects(checked.cells) for row_filter in self.filters
        )
        chosen = checked._replace(
            order_value=None if self.order is None else self.order.read(row),
            is_excluded=is_excluded,
            has_default_name="default_name" in checked.notes,
        )
        # With ``keep``, one row per key is chosen before rows are excluded. An excluded row retains
        # its payload, because its animal may have been loaded with other values.
        if is_excluded and (is_excluded_line or self.recipe.keep is None):
            return chosen._replace(state=_EXCLUDED, problems=(), unsent_hash=None)
        return chosen

    def _read_fields(
        self,
        cells: tuple[str, ...],
        row: TableRow,
        problems: list[RowProblem],
        notes: list[str],
    ) -> tuple[bytes, str]:
        """Return the request body and the content of a row; add its problems and notes."""
        width = len(cells)
        if width != len(self.columns) and not self._has_sent_cells(cells, problems, notes):
            return b"", ""
        parts: list[bytes] = []
        compared_texts: list[str] = []
        has_remarks = bool(row.problems or row.notes)
        for column in self.sent:
            _, at, default, _, reader = column
            text = cells[at] if at < width else ""
            if default or has_remarks:
                part, _, _, compared = self._read_unusual(column, text, row, problems, notes)
            else:
                part, cell_notes, problem, compared = reader[text]
                if cell_notes:
                    notes += cell_notes
                if problem is not None:
                    problems.append(self.placed(problem, at, cells))
            compared_texts.append(compared)
            if part:
                parts.append(part)
        category, name = compared_texts[self._category_index], compared_texts[self._name_index]
        return b"{%b}" % b",".join(parts), f"{category}{SEPARATOR}{name}"

    def _read_unusual(
        self,
        column: SentColumn,
        text: str,
        row: TableRow,
        problems: list[RowProblem],
        notes: list[str],
    ) -> Meaning:
        """Read a cell that may have a default, or a note or a problem from the file."""
        field, at, default, named, reader = column
        if default and reader.means_nothing(text):
            if default == PLACEHOLDER:
                problems.append(self.placed(_OPEN_DEFAULT, at, row.cells))
                return NOTHING
            if filled := _filled_in(default, named, row.cells):
                text, at = filled, NO_COLUMN
                notes.append(f"default_{field.name}")
        if at in row.problems:
            code, message, hint = row.problems[at]
            problem = RowProblem(code, message, hint=hint)
            problems.append(self.placed(problem, at, row.cells))
            return NOTHING
        note = row.notes.get(at)
        is_number = field.dtype in _NUMBER_DTYPES
        if note is not None and note.startswith(ZERO_FORMULA_PREFIX):
            if not is_number:
                problems.append(self.placed(zero_formula(note), at, row.cells))
                return NOTHING
            notes.append(ZERO_FORMULA_NOTE)
        # Only a number in a text field needs a note.
        elif note is not None and not (is_number and is_number_note(note)):
            notes.append(note)
        meaning = reader[text]
        notes += meaning.notes
        if meaning.problem is not None:
            problems.append(self.placed(meaning.problem, at, row.cells))
        return meaning

    def _has_sent_cells(
        self, cells: tuple[str, ...], problems: list[RowProblem], notes: list[str]
    ) -> bool:
        """Return False for a row with more cells than the header; add a note if it is too short."""
        width, expected = len(cells), len(self.columns)
        extra = "".join(cells[expected:]).strip()
        if extra:
            problems.append(self._extra_cell(cells, extra))
            return False
        if self.delimiter and self._fits(row := unwrapped_row(cells, self.delimiter)):
            message = "the row is in quotes, so it is a single cell"
            hint = f"quoting 'unwrap' sends the name as {self._name_of(row)!r}"
            add = ("quoting", PLACEHOLDER)
            problems.append(RowProblem("wrapped_row", message, None, cells[0][:200], hint, add))
            return False
        if any(width <= column.at < NO_COLUMN for column in self.sent):
            notes.append("short_row")
        return True

    def _extra_cell(self, cells: tuple[str, ...], extra: str) -> RowProblem:
        """Return the problem of a row with more cells than the header."""
        message = f"the row has {len(cells)} cells, but the header has {len(self.columns)}"
        hint = f'put a cell that contains {self.delimiter!r} in straight double quotes (")'
        row = single_quoted_row(cells, self.delimiter) if self.delimiter else None
        add: tuple[str, str] | None = None
        if len(cells) == len(self.columns) + 1 and cells[0].isdecimal():
            hint += "; if R wrote its row names, give the first column a name in the header"
        if not self.delimiter:
            hint = "remove the extra cells, or name their columns in the header"
        elif self._fits(row):
            hint = f"quoting 'single' sends the name as {self._name_of(row)!r}"
            add = ("quoting", PLACEHOLDER)
        return RowProblem("extra_cell", message, value=extra[:200], hint=hint, add=add)

    def _fits(self, row: Sequence[str] | None) -> TypeGuard[Sequence[str]]:
        """Return True for a row, read in another way, that has as many cells as the header."""
        return row is not None and len(row) == len(self.columns)

    def _name_of(self, row: Sequence[str]) -> str:
        """Return the name of a row as it would be sent without the quotes around it."""
        at = next((column.at for column in self.sent if column.field.name == "name"), NO_COLUMN)
        return unwrap_name(cell_at(row, at))[:60]

    def _without_allowed(
        self, problems: list[RowProblem], notes: list[str], *, is_confirmed: bool
    ) -> list[RowProblem]:
        """Turn the suspicions that a person allowed into notes; return the other problems.

        A row of totals has no other problem: it has no category because it is no animal.
        """
        remaining = []
        for problem in problems:
            if problem.allow and (is_confirmed or problem.allow in self.recipe.allow):
                notes.append(problem.allow)
            else:
                remaining.append(problem)
        totals = [problem for problem in remaining if problem.allow == Suspicion.TOTAL_ROW]
        return totals or remaining

    def _hash_of_texts(self, cells: tuple[str, ...]) -> bytes:
        """Return a hash of the texts of the fields."""
        texts = [cell_at(cells, column.at) for column in self.sent]
        return digest_of("\x1f".join(texts).encode(errors="surrogatepass"))

    def placed(self, problem: RowProblem, at: int, cells: Sequence[str]) -> RowProblem:
        """Return a problem with the column and the text of its cell."""
        if at == NO_COLUMN:
            return problem
        value = cells[at][:200] if at < len(cells) else ""
        return replace(problem, column=self.columns[at], value=value)


def _filled(cells: Sequence[str]) -> list[int]:
    """Return the positions of the cells with a text."""
    return [at for at, cell in enumerate(cells) if cell.strip()]


def _is_blank(cells: Sequence[str], problems: Mapping[int, CellProblem]) -> bool:
    """Return True if no cell has text, or a problem other than merged cells."""
    if "".join(cells).strip():
        return False
    return all(problem.code == MERGED for problem in problems.values())


def _filled_in(default: str, named: Mapping[str, int], cells: Sequence[str]) -> str:
    """Return a default with the cells of its columns filled in; empty if one of them is empty."""
    texts = {column: cell_at(cells, at) for column, at in named.items()}
    return IN_BRACES.sub(lambda match: texts[match[1]], default) if all(texts.values()) else ""


def _blank_row(number: int, row: TableRow, cells: tuple[str, ...]) -> SourceRow:
    """Return a blank row; in a fix file, the user excludes a row by clearing it."""
    if row.origin is not None:
        return SourceRow(number, row.line, cells, _EXCLUDED, origin=row.origin, is_excluded=True)
    return SourceRow(number, row.line, cells, _EXCLUDED, notes=("blank",))
