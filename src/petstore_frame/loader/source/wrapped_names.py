"""Asks what to do if all names of a file are in quotes, or contain HTML entities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from petstore_frame.errors import InputError
from petstore_frame.loader.row_state import Suspicion
from petstore_frame.loader.source.cell_parsing import PLACEHOLDER
from petstore_frame.loader.source.row_keys import cell_at
from petstore_frame.loader.source.spreadsheet_text import ENTITY, unwrap_name
from petstore_frame.schema import count_text
from petstore_frame.tables.quotes import is_in_single_quotes
from petstore_frame.tables.table import TableRow

_MAX_EXAMPLES = 2


class WrappedNames:
    """Checks whether all names of a column are in quotes, or contain HTML entities.

    Args:
        at: The position of the column of names.
        column: Its name.
        rows: Returns a new iterator over the rows of the file.
        is_text: Whether the file is text, which may have its cells in single quotes.
    """

    def __init__(
        self, at: int, column: str, rows: Callable[[], Iterable[TableRow]], *, is_text: bool
    ) -> None:
        self._is_text = is_text
        self._at, self._column, self._rows = at, column, rows
        self._has_checked_entities = False

    def ask_if_all_quoted(self) -> None:
        """Raise a question if all names are in quotes or ``="…"``.

        Raises:
            InputError: All names are wrapped, and the recipe does not state how to read them.
        """
        wrapped = list[str]()
        count = quoted = 0
        quoting = "unwrap"
        for row, name in self._rows_with_names():
            has_entity = _has_entity(name)
            if not has_entity and unwrap_name(name) == name:
                return
            count += 1
            quoted += not has_entity
            if count == 1 and self._are_cells_in_single_quotes(row):
                quoting = "single"  # as the other cells need it, too
            if count <= _MAX_EXAMPLES:
                wrapped.append(name)
        if quoted:
            raise self._question('in quotes or in ="…"', count, wrapped, quoting)

    def _are_cells_in_single_quotes(self, row: TableRow) -> bool:
        """Return True if a row of a text file has single quotes around its name and other cells."""
        name = cell_at(row.cells, self._at)
        return (
            self._is_text
            and is_in_single_quotes(name)
            and sum(map(is_in_single_quotes, row.cells)) > 1
        )

    def ask_if_all_encoded(self) -> None:
        """Raise a question, at most once, if all names with ``&`` have an HTML entity.

        Raises:
            InputError: They all have one, and the recipe does not state how to read them.
        """
        if self._has_checked_entities:
            return
        self._has_checked_entities = True
        encoded = list[str]()
        count = 0
        for _, name in self._rows_with_names():
            if "&" not in name:
                continue
            if not _has_entity(name):
                return
            count += 1
            if count <= _MAX_EXAMPLES:
                encoded.append(name)
        if encoded:
            raise self._question("with HTML entities", count, encoded)

    def _rows_with_names(self) -> Iterator[tuple[TableRow, str]]:
        for row in self._rows():
            name = cell_at(row.cells, self._at)
            if name:
                yield row, name

    def _question(
        self, form: str, count: int, examples: Sequence[str], quoting: str = "unwrap"
    ) -> InputError:
        before = " and ".join(map(repr, examples))
        after = " and ".join(repr(unwrap_name(name)) for name in examples)
        return InputError(
            f"{count_text(count, 'name')} written {form}, such as {before}",
            column=self._column,
            hint=f"quoting {quoting!r} sends {after}; allow '{Suspicion.WRAPPED_NAMES}' sends all "
            "names unchanged",
            add=("quoting", PLACEHOLDER),
            likely=quoting,
        )


def _has_entity(name: str) -> bool:
    return "&" in name and ENTITY.search(name) is not None
