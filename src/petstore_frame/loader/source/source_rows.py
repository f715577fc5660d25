"""Reads and checks each row of a file or a frame; none is sent."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple, Protocol

from petstore_frame.errors import InputError
from petstore_frame.loader.row_state import (
    RowProblem,
    SourceRow,
    State,
    Suspicion,
    digest_of,
)
from petstore_frame.loader.source import key_columns as keys
from petstore_frame.loader.source.cell_parsing import (
    IN_BRACES,
    PLACEHOLDER,
    FieldReader,
    folded_text,
    suspicious,
)
from petstore_frame.loader.source.column_mapping import find_columns, match_column
from petstore_frame.loader.source.excel_file import MERGED
from petstore_frame.loader.source.input_file import Input
from petstore_frame.loader.source.order_values import OrderReader
from petstore_frame.loader.source.recipe_options import KEY, RecipeFields, readers_of
from petstore_frame.loader.source.row_keys import KeyReader, cell_at
from petstore_frame.loader.source.table import NUMBER_NOTE, Table, TableRow
from petstore_frame.loader.source.totals import is_total_row
from petstore_frame.loader.source.wrapped_names import WrappedNames
from petstore_frame.schema import FIELDS, PetField

_AT_ONCE = 128
# Rows that are searched for likely keys.
_MOST_FOR_KEYS = 100_000
_MOST_OF_A_ROW = 1_000
_OPEN_DEFAULT = RowProblem(
    "open_word", "what an empty cell becomes is a placeholder in the recipe", hint="fill it in"
)
_TOTAL_ROW = suspicious(Suspicion.TOTAL_ROW, "this looks like a row of totals, not like an animal")
_NUMBER_DTYPES = ("int64", "Int64", "Float64")
_NOWHERE = sys.maxsize  # the position of a field that has a default and no column
_STATUS = FIELDS.named("status")
# Module names, because an attribute of an enum is slow to look up for each row.
_PENDING, _EXCLUDED = State.PENDING, State.EXCLUDED


class _Observer(Protocol):
    """A reader that has to observe all rows before it reads the first one."""

    def observe(self, row: TableRow) -> None: ...

    def finish(self) -> None: ...


class _Filter(NamedTuple):
    """An ``include`` or ``exclude`` option, which chooses rows by the values of a column."""

    at: int
    values: frozenset[str]
    excludes: bool

    def rejects(self, cells: Sequence[str]) -> bool:
        has_value = folded_text(cell_at(cells, self.at)) in self.values
        return has_value if self.excludes else not has_value


class _Column(NamedTuple):
    """A field that is sent: its position, its default, columns that this names, and its reader."""

    field: PetField
    at: int
    default: str
    named: dict[str, int]
    reader: FieldReader


class Source:
    """The checked rows of a file or frame; each iteration starts at the first row.

    Attributes:
        name: Its name for messages, with the sheet if the workbook has several.
        recipe: The options of the caller; for a fix file, merged with those of its import.
        mapping: The column of each field that has one.
        key: The columns that identify an animal, with that of the quantity if rows stand for
            several animals.
        is_returned: Whether this package wrote the file; its rows have an ``origin``.
    """

    def __init__(
        self,
        opened: Input,
        table: Table,
        recipe: RecipeFields,
        *,
        is_returned: bool = False,
        exclude_lines: Collection[int] = (),
    ) -> None:
        sheet = f" (sheet {table.facts['sheet']})" if len(opened.sheets) > 1 else ""
        self.name, self.path, self._opened = f"{opened.name}{sheet}", opened.path, opened
        self.is_returned, self._exclude_lines = is_returned, frozenset(exclude_lines)
        self.table, self.columns, self.recipe = table, table.columns, recipe
        self.readers = readers_of(recipe)
        self.readers["name"].has_guards = "encoding" in table.facts
        self.readers["name"].unwraps = recipe.quoting == "unwrap"
        self.mapping = find_columns(self.columns, recipe.mapping, recipe.defaults)
        named = tuple(match_column("key", column, self.columns) for column in recipe.key or ())
        self._quantity_at = self._position_of("quantity", recipe.quantity)
        quantity = self.columns[self._quantity_at] if recipe.quantity else None
        self._own_key = tuple(column for column in named if column != quantity)
        self.key = (*self._own_key, quantity) if quantity and self._own_key else named
        self._width, self._delimiter = len(self.columns), table.facts.get("delimiter", "")
        self._sent = [*self._columns_that_are_sent()]
        self._order_at = self._position_of("order_by", recipe.order_by)
        self._filters = [
            _Filter(
                self._position_of(option, name),
                frozenset(map(folded_text, values)),
                excludes=option == "exclude",
            )
            for option, choice in (("exclude", recipe.exclude), ("include", recipe.include))
            for name, values in choice.items()
        ]
        self._keys: KeyReader | None = None
        self._order: OrderReader | None = None
        self._is_scanned = False

    @property
    def location(self) -> str | None:
        """The full path of the file, with its sheet, as text that a journal can store."""
        if self.path is None:
            return None
        path = str(self.path.resolve()).encode(errors="backslashreplace").decode()
        sheet = self.table.facts.get("sheet")
        return path if sheet is None else f"{path}#{sheet}"

    @property
    def bytes_id(self) -> str | None:
        """The digest of the bytes and the sheet that were read; None for a frame."""
        if self._opened.digest is None:
            return None
        sheet = self.table.facts.get("sheet") or ""
        return hashlib.sha256(f"{self._opened.digest}{sheet}".encode()).hexdigest()[:32]

    def _position_of(self, option: str, column: str | None) -> int:
        """Return the position of the column that an option names, which the file must have."""
        if column is None:
            return _NOWHERE
        return self.columns.index(match_column(option, column, self.columns))

    def _columns_that_are_sent(self) -> Iterator[_Column]:
        for field in FIELDS.sent:
            at = self._position_of("mapping", self.mapping.get(field.name))
            default = str(self.recipe.defaults.get(field.name, ""))
            named = {
                name: self._position_of("defaults", name) for name in IN_BRACES.findall(default)
            }
            if at != _NOWHERE or default:
                yield _Column(field, at, default, named, self.readers[field.name])

    def _scan(self) -> None:
        """Let the key, the order and the names see all rows once, before the first is read."""
        if self._is_scanned:
            return
        self._is_scanned = True
        observers = list[_Observer]()
        if self._own_key:
            options = self.recipe.value_map.get(KEY, {})
            empty_values = [folded_text(text) for text, meaning in options.items() if meaning == ""]
            self._keys = KeyReader(self.columns, self._own_key, empty_values)
            observers.append(self._keys)
        if self._order_at != _NOWHERE:
            column = self.columns[self._order_at]
            self._order = OrderReader(self._order_at, column, self.recipe.thousands)
            observers.append(self._order)
        names = self._wrapped_names()
        for row in self.table.readable_rows():
            for observer in observers:
                observer.observe(row)
            if names is not None:
                names.observe(row)
                names = names if names.may_be_wrapped else None
            elif not observers:
                break
        for observer in observers:
            observer.finish()
        if names is not None:
            names.finish()

    def _wrapped_names(self) -> WrappedNames | None:
        """Return the check for wrapped names, unless the recipe decides how to read them."""
        column = self.mapping.get("name")
        is_decided = (
            self.is_returned
            or self.recipe.quoting == "unwrap"
            or Suspicion.WRAPPED_NAMES in self.recipe.allow
        )
        if column is None or is_decided:
            return None
        return WrappedNames(self.columns.index(column), column)

    def likely_keys(self) -> tuple[keys.LikelyKey, ...]:
        """Return the columns that may identify an animal; none if the recipe has a key."""
        if self.recipe.key is not None or self.is_returned:
            return ()
        return keys.likely_keys(self.columns, self.table.cells(), self.mapping, _MOST_FOR_KEYS)

    def proposed_key(self) -> keys.LikelyKey | None:
        """Return the column to propose if the recipe has no key."""
        return keys.proposed_key(self.likely_keys())

    def batches(self) -> Iterator[list[SourceRow]]:
        """Yield the rows in lists; an InputError explains why the rest cannot be read."""
        rows: list[SourceRow] = []
        with self._opened.naming():
            self._scan()
            try:
                for row in self._checked_rows():
                    rows.append(row)
                    if len(rows) >= _AT_ONCE:
                        yield rows
                        rows = []
            except InputError:
                yield rows  # the rows above the fault can be shown
                raise
            yield rows

    def __iter__(self) -> Iterator[SourceRow]:
        return chain.from_iterable(self.batches())

    def _checked_rows(self) -> Iterator[SourceRow]:
        """Yield the animals of each row, which stands for one or for several."""
        if self._quantity_at == _NOWHERE:
            for number, row in enumerate(self.table.rows(), 1):
                yield self._check(number, row)
            return
        number = 0
        for row in self.table.rows():
            quantity, problem = self._quantity_of(row)
            for ordinal in range(1, quantity + 1):
                number += 1
                yield self._check(number, row, str(ordinal), problem)

    def _check(
        self,
        number: int,
        row: TableRow,
        ordinal: str = "",
        quantity_problem: RowProblem | None = None,
    ) -> SourceRow:
        """Check one animal; ``ordinal`` is which of the animals of its row it is."""
        cells = tuple(row.cells)
        if self._is_blank(cells, row.problems):
            return _blank_row(number, row, cells)
        problems = [] if quantity_problem is None else [quantity_problem]
        notes: list[str] = []
        if row.lines > 1 and self._is_swallowing(cells):
            problems.append(_swallowed(row))
        key = self._read_key(row, ordinal, problems)
        payload, body = self._read_cells(cells, row, problems, notes)
        if "" in cells and is_total_row(cells):
            problems = _with_total(problems)
        if not problems and row.doubt is not None:
            problems.append(row.doubt)
        if problems:
            problems = self._without_allowed(problems, notes, is_confirmed=row.is_confirmed)
        is_excluded_line = row.line in self._exclude_lines
        is_filtered_out = any(row_filter.rejects(cells) for row_filter in self._filters)
        is_excluded = is_excluded_line or is_filtered_out
        order_value = None if self._order is None else self._order.read(row)
        checked = SourceRow(
            number, row.line, cells, _PENDING, payload, digest_of(body), (), tuple(notes), key,
            row.origin, order_value, is_excluded, "default_name" in notes,
        )  # fmt: skip
        if problems:
            checked = checked._replace(
                state=State.INVALID, payload=None, content_hash=None, problems=tuple(problems),
                unsent_hash=self._hash_of_texts(cells),
            )  # fmt: skip
        # The row of a key is chosen first; then the chosen one may be excluded. What an excluded
        # row would send is kept: its animal may have been loaded with other values.
        if is_excluded and (is_excluded_line or self.recipe.keep is None):
            return checked._replace(state=_EXCLUDED, problems=(), unsent_hash=None)
        return checked

    def _read_key(
        self, row: TableRow, ordinal: str, problems: list[RowProblem]
    ) -> tuple[str, ...] | None:
        """Return the key of a row, or add the reason why it has none."""
        if self._keys is None:
            return None
        key, problem = self._keys.read(row)
        if problem is not None:
            problems.append(problem)
        return (*key, ordinal) if key is not None and ordinal else key

    def _read_cells(
        self,
        cells: tuple[str, ...],
        row: TableRow,
        problems: list[RowProblem],
        notes: list[str],
    ) -> tuple[bytes, bytes]:
        """Return the request body, and the same without the status; empty for a row too long."""
        if len(cells) > self._width and (extra := "".join(cells[self._width :]).strip()):
            message = f"the row has {len(cells)} cells, the header {self._width}"
            hint = "put a cell that holds the delimiter into quotes"
            problems.append(RowProblem("extra_cell", message, value=extra[:200], hint=hint))
            return b"", b""
        if self._lacks_sent_cells(len(cells)):
            notes.append("short_row")
        return self._read_fields(cells, row, problems, notes)

    def _lacks_sent_cells(self, width: int) -> bool:
        """Return True if a row ends before a column that is sent."""
        if width >= self._width:
            return False
        return any(width <= column.at < _NOWHERE for column in self._sent)

    def _is_blank(self, cells: tuple[str, ...], problems: Mapping[int, RowProblem]) -> bool:
        """Return True if no cell has text, or a problem other than merged cells."""
        if cells and cells[0].strip():
            return False
        if "".join(cells).strip():
            return False
        return all(problem.code == MERGED for problem in problems.values())

    def _without_allowed(
        self, problems: list[RowProblem], notes: list[str], *, is_confirmed: bool
    ) -> list[RowProblem]:
        """Turn the suspicions that a person allowed into notes; return the other problems."""
        remaining = []
        for problem in problems:
            if problem.allow and (is_confirmed or problem.allow in self.recipe.allow):
                notes.append(problem.allow)
            else:
                remaining.append(problem)
        return remaining

    def _hash_of_texts(self, cells: tuple[str, ...]) -> bytes:
        """Return the digest of the texts that a row would send."""
        texts = [cell_at(cells, column.at) for column in self._sent]
        return digest_of("\x1f".join(texts).encode(errors="surrogatepass"))

    def _read_fields(
        self,
        cells: tuple[str, ...],
        row: TableRow,
        problems: list[RowProblem],
        notes: list[str],
    ) -> tuple[bytes, bytes]:
        """Return the request body, and the same without the status; add problems and notes."""
        sent: list[bytes] = []
        status, width = b"", len(cells)
        has_remarks = bool(row.problems or row.notes)
        for field, at, default, named, reader in self._sent:
            text = cells[at] if at < width else ""
            if default and reader.means_nothing(text):
                if default == PLACEHOLDER:
                    problems.append(self._placed(_OPEN_DEFAULT, at, cells))
                    continue
                if filled := _filled_in(default, named, cells):
                    text, at = filled, _NOWHERE  # noqa: PLW2901
                    notes.append(f"default_{field.name}")
            if has_remarks and self._has_problem(field, at, row, problems, notes):
                continue
            part, cell_notes, problem = reader[text]
            notes += cell_notes
            if problem is not None:
                problems.append(self._placed(problem, at, cells))
            if field is _STATUS:
                status = part
            elif part:
                sent.append(part)
        others = b",".join(sent)
        body = b"{%b}" % others
        return b"{%b,%b}" % (others, status) if status else body, body

    def _has_problem(
        self,
        field: PetField,
        at: int,
        row: TableRow,
        problems: list[RowProblem],
        notes: list[str],
    ) -> bool:
        """Add the source's problem or note for a cell; return True if it cannot be sent."""
        if at in row.problems:
            problems.append(self._placed(row.problems[at], at, row.cells))
            return True
        note = row.notes.get(at)
        # A number in a number's field is normal, so only one in a text gives a note.
        if note is not None and (note != NUMBER_NOTE or field.dtype not in _NUMBER_DTYPES):
            notes.append(note)
        return False

    def _quantity_of(self, row: TableRow) -> tuple[int, RowProblem | None]:
        """Return how many animals a row stands for, or a problem and 1."""
        if row.origin or not any(map(str.strip, row.cells)):
            return 1, None
        text = cell_at(row.cells, self._quantity_at).removesuffix(".0")
        if self.recipe.thousands is not None:
            text = text.replace(self.recipe.thousands, "")
        quantity = int(text[:9]) if text.isascii() and text.isdecimal() else 0
        is_allowed = Suspicion.LARGE_QUANTITY in self.recipe.allow
        if 0 < quantity <= _MOST_OF_A_ROW or (quantity and is_allowed):
            return quantity, None
        problem = RowProblem("not_a_quantity", "this is not a number of animals", hint="correct it")
        if quantity:
            message = f"this row stands for {quantity:,} animals"
            problem = suspicious(Suspicion.LARGE_QUANTITY, message)
        return 1, self._placed(problem, self._quantity_at, row.cells)

    def _is_swallowing(self, cells: Sequence[str]) -> bool:
        """Return True if a cell of a text file contains line breaks and what looks like rows."""
        rest, sign = self._width - 1, self._delimiter
        for at, cell in enumerate(cells if rest and not self.is_returned else ()):
            first, *below = cell.splitlines() or [""]
            # The rest of the row in which the quote opens, or a complete row below it.
            is_rest = bool(below) and 0 < first.count(sign) == rest - at
            if is_rest or any(line.count(sign) == rest for line in below):
                return True
        return False

    def _placed(self, problem: RowProblem, at: int, cells: Sequence[str]) -> RowProblem:
        if at == _NOWHERE:
            return problem
        value = cells[at][:200] if at < len(cells) else ""
        return replace(problem, column=self.columns[at], value=value)


def _filled_in(default: str, named: Mapping[str, int], cells: Sequence[str]) -> str:
    """Return a default with the cells of the columns it names; empty if one of them is empty."""
    texts = {column: cell_at(cells, at) for column, at in named.items()}
    return IN_BRACES.sub(lambda match: texts[match[1]], default) if all(texts.values()) else ""


def _blank_row(number: int, row: TableRow, cells: tuple[str, ...]) -> SourceRow:
    """Return a row without text; a user excludes a row of a fix file by clearing it."""
    if row.origin is not None:
        return SourceRow(number, row.line, cells, _EXCLUDED, origin=row.origin, is_excluded=True)
    return SourceRow(number, row.line, cells, _EXCLUDED, notes=("blank",))


def _with_total(problems: list[RowProblem]) -> list[RowProblem]:
    """Return the problems of a row of totals, with the total first."""
    if any(problem.allow == Suspicion.TOTAL_ROW for problem in problems):
        return problems
    return [_TOTAL_ROW, *problems]


def _swallowed(row: TableRow) -> RowProblem:
    lines = f"lines {row.line} to {row.line + row.lines - 1}"
    message = f"a cell seems to hold other rows of {lines}: a quote opens there"
    problem = suspicious(Suspicion.SWALLOWED_ROWS, message)
    hint = "close the quote, or read quotes as letters with quoting='none'"
    return replace(problem, hint=hint, add=("quoting", PLACEHOLDER))
