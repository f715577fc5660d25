"""Yields the checked rows of a file or a frame, in batches."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from petstore_frame.errors import InputError
from petstore_frame.loader.row_state import RowProblem, SourceRow, Suspicion
from petstore_frame.loader.source import key_columns as keys
from petstore_frame.loader.source.cell_parsing import (
    IN_BRACES,
    KEY,
    PLACEHOLDER,
    folded_text,
    readers_of,
    suspicious,
)
from petstore_frame.loader.source.column_mapping import (
    find_columns,
    match_column,
    status_facts,
)
from petstore_frame.loader.source.grouped_digits import both_readings, without_separators
from petstore_frame.loader.source.input_file import Input
from petstore_frame.loader.source.order_values import OrderReader
from petstore_frame.loader.source.row_checks import (
    NO_COLUMN,
    RowChecker,
    RowFilter,
    SentColumn,
)
from petstore_frame.loader.source.row_keys import KeyReader, cell_at
from petstore_frame.schema import FIELDS
from petstore_frame.tables import Labels
from petstore_frame.tables.categories import repeated_ids, repeated_labels
from petstore_frame.tables.table import Table, TableRow

if TYPE_CHECKING:
    from petstore_frame.loader.source.recipe import Recipe

_AT_ONCE = 128
# Maximum number of rows to search for likely keys.
_MOST_FOR_KEYS = 100_000
_MOST_OF_A_ROW = 1_000


class Source:
    """The checked rows of a file or frame; each iteration starts at the first row.

    Attributes:
        name: Its name for messages, with the sheet if the workbook has several.
        recipe: The options of the caller; for a fix file, merged with those of its import.
        mapping: The column of each field that has one.
        key: The columns that identify an animal.
        is_returned: Whether this package wrote the file; its rows have an ``origin``.
    """

    def __init__(
        self,
        opened: Input,
        table: Table,
        recipe: Recipe,
        *,
        is_returned: bool = False,
        exclude_lines: Collection[int] = (),
    ) -> None:
        sheet = f" (sheet {table.facts['sheet']})" if len(opened.sheets) > 1 else ""
        self.name = f"{opened.name}{sheet}"
        self.path, self._opened = opened.path, opened
        self.is_returned, self._exclude_lines = is_returned, frozenset(exclude_lines)
        self.table, self.columns, self.recipe = table, table.columns, recipe
        self.readers = readers_of(recipe)
        self.readers["name"].has_guards = "encoding" in table.facts
        self.readers["name"].unwraps = recipe.quoting == "unwrap"
        recognized = find_columns(
            self.columns, recipe.mapping, recipe.defaults, () if is_returned else table.cells()
        )
        self.mapping, self._recognized = recognized.mapping, recognized
        named = tuple(match_column("key", column, self.columns) for column in recipe.key or ())
        self._quantity_at = self._position_of("quantity", recipe.quantity)
        if named and recipe.quantity is not None:
            message = "a key is one animal, so its row cannot stand for several: key and quantity"
            raise InputError(message, hint="leave out one of the two options")
        self.key = named
        self._order_at = self._position_of("order_by", recipe.order_by)
        self._sent = [*self._columns_that_are_sent()]
        self._filters = [*self._row_filters()]

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
        """A hash of the bytes and of the name of the sheet; None for a frame."""
        if self._opened.digest is None:
            return None
        sheet = self.table.facts.get("sheet") or ""
        return hashlib.sha256(f"{self._opened.digest}{sheet}".encode()).hexdigest()[:32]

    def _position_of(self, option: str, column: str | None) -> int:
        """Return the position of the column that an option names; the file must have it."""
        if column is None:
            return NO_COLUMN
        return self.columns.index(match_column(option, column, self.columns))

    def _columns_that_are_sent(self) -> Iterator[SentColumn]:
        for field in FIELDS.sent:
            at = self._position_of("mapping", self.mapping.get(field.name))
            default = str(self.recipe.defaults.get(field.name, ""))
            named = {
                name: self._position_of("defaults", name) for name in IN_BRACES.findall(default)
            }
            if at != NO_COLUMN or default:
                yield SentColumn(field, at, default, named, self.readers[field.name])

    def _row_filters(self) -> Iterator[RowFilter]:
        for option, choice in (("exclude", self.recipe.exclude), ("include", self.recipe.include)):
            for column, texts in choice.items():
                values = frozenset(map(folded_text, texts))
                at = self._position_of(option, column)
                yield RowFilter(at, values, excludes=option == "exclude")

    @cached_property
    def _checker(self) -> RowChecker:
        """The checker of the rows; cached, because creating it may read the complete file."""
        return RowChecker(
            columns=self.columns,
            recipe=self.recipe,
            sent=self._sent,
            filters=self._filters,
            exclude_lines=self._exclude_lines,
            keys=self._key_reader(),
            order=self._order_reader(),
            delimiter="" if self.is_returned else self.table.facts.get("delimiter", ""),
        )

    def _key_reader(self) -> KeyReader | None:
        if not self.key:
            return None
        texts = self.recipe.value_map.get(KEY, {})
        empty_values = [folded_text(text) for text, meaning in texts.items() if meaning == ""]
        return KeyReader(self.columns, self.key, empty_values, self.table.readable_rows)

    def _order_reader(self) -> OrderReader | None:
        """Return the reader of ``order_by``, after it has examined all rows."""
        if self._order_at == NO_COLUMN:
            return None
        column = self.columns[self._order_at]
        order = OrderReader(self._order_at, column, self.recipe.thousands, self.recipe.date_order)
        for row in self.table.readable_rows():
            order.observe(row)
        order.finish()
        return order

    @cached_property
    def _likely_keys(self) -> tuple[keys.LikelyKey, ...]:
        if self.recipe.key is not None or self.is_returned:
            return ()
        return keys.likely_keys(self.columns, self.table.cells(), self.mapping, _MOST_FOR_KEYS)

    def likely_keys(self) -> tuple[keys.LikelyKey, ...]:
        """Return the columns that may identify an animal; none if the recipe has a key."""
        return self._likely_keys

    def proposed_key(self) -> keys.LikelyKey | None:
        """Return the column to ask about before anything is sent, if the recipe has no key."""
        return keys.proposed_key(self._likely_keys)

    def likely_columns(self) -> tuple[keys.LikelyKey, ...]:
        """Return the columns to name after a load that had no key."""
        proposed = self.proposed_key()
        return (proposed,) if proposed is not None else keys.likely_columns(self._likely_keys)

    def batches(self) -> Iterator[list[SourceRow]]:
        """Yield the rows in lists.

        Raises:
            InputError: The remaining rows cannot be read.
        """
        rows: list[SourceRow] = []
        with self._opened.naming():
            try:
                for row in self._checked_rows():
                    rows.append(row)
                    if len(rows) >= _AT_ONCE:
                        yield rows
                        rows = []
            except InputError:
                yield rows  # the rows above the error can still be displayed
                raise
            yield rows

    def check(self, number: int, row: TableRow) -> SourceRow:
        """Check one row, such as one with corrected cells."""
        with self._opened.naming():
            return self._checker.check(number, row)

    def warnings(self) -> list[str]:
        """Return what a user should know about the file as a whole, after its rows were read."""
        return [*self._status_warnings(), *self._label_warnings()]

    @property
    def unsent_statuses(self) -> Mapping[str, Sequence[str]]:
        """The columns that may be the status but are not sent, with their first values."""
        is_answered = "status" in self.recipe.defaults or self.is_returned
        return {} if is_answered else self._recognized.status_values

    def _status_warnings(self) -> Iterator[str]:
        """Yield the columns that may be the status, but that the recipe does not mention."""
        if self.unsent_statuses:
            yield (
                f"no status was sent, but {status_facts(self._recognized)}. Map the status to a "
                'column, or to "" if the file has none'
            )

    def _label_warnings(self) -> Iterator[str]:
        """Yield what is unusual in the file of categories."""
        path = self.recipe.categories
        if isinstance(path, str):
            pairs = Labels.ids_and_labels(path)
            for sentence in (*repeated_ids(pairs), *repeated_labels(pairs)):
                yield f"{path}: {sentence}"

    def __iter__(self) -> Iterator[SourceRow]:
        return chain.from_iterable(self.batches())

    def _checked_rows(self) -> Iterator[SourceRow]:
        """Yield the animals of each row: one, or as many as its quantity."""
        check = self._checker.check
        if self._quantity_at == NO_COLUMN:
            for number, row in enumerate(self.table.rows(), 1):
                yield check(number, row)
            return
        number = 0
        for row in self.table.rows():
            quantity, problem = self._quantity_of(row)
            for _ in range(quantity):
                number += 1
                yield check(number, row, problem)

    def _quantity_of(self, row: TableRow) -> tuple[int, RowProblem | None]:
        """Return how many animals a row stands for, or a problem and 1."""
        if row.origin or not any(map(str.strip, row.cells)):
            return 1, None
        stated = cell_at(row.cells, self._quantity_at)
        text = without_separators(stated.removesuffix(".0"), self.recipe.thousands)
        quantity = int(text[:9]) if text.isascii() and text.isdecimal() else 0
        is_allowed = Suspicion.LARGE_QUANTITY in self.recipe.allow
        if 0 < quantity <= _MOST_OF_A_ROW or (quantity and is_allowed):
            return quantity, None
        problem = RowProblem("not_a_quantity", "this is not a number of animals", hint="correct it")
        if self.recipe.thousands is None and (readings := both_readings(stated)):
            problem = replace(problem, hint=readings, add=("thousands", PLACEHOLDER))
        if quantity:
            message = f"this row would create {quantity:,} animals"
            problem = suspicious(Suspicion.LARGE_QUANTITY, message)
        return 1, self._checker.placed(problem, self._quantity_at, row.cells)
