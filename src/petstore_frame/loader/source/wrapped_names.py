"""Asks what to do if all names of a file are in quotes, or contain HTML entities."""

from __future__ import annotations

from petstore_frame.errors import InputError
from petstore_frame.loader.row_state import Suspicion
from petstore_frame.loader.source.cell_parsing import PLACEHOLDER
from petstore_frame.loader.source.row_keys import cell_at
from petstore_frame.loader.source.spreadsheet_text import ENTITY, unwrap_name
from petstore_frame.loader.source.table import TableRow
from petstore_frame.schema import count_text

_MAX_EXAMPLES = 2
# An HTML entity must appear among this many names, or no question is asked.
_NAMES_FOR_ENTITIES = 2_000


class WrappedNames:
    """Counts the names of a column while all of them are wrapped.

    Args:
        at: The position of the column of names.
        column: Its name.
    """

    def __init__(self, at: int, column: str) -> None:
        self._at, self._column = at, column
        self._quoted = self._encoded = 0  # names in quotes, and names with entities
        self._names = 0
        self._examples = list[str]()
        self._is_all_quoted = self._is_all_encoded = True

    def observe(self, row: TableRow) -> None:
        """Examine the name in a row."""
        name = cell_at(row.cells, self._at)
        if not name:
            return
        self._names += 1
        if self._names > _NAMES_FOR_ENTITIES and not self._encoded:
            self._is_all_encoded = False
        has_entity = "&" in name and ENTITY.search(name) is not None
        if "&" in name:
            self._is_all_encoded &= has_entity
            self._encoded += has_entity
        is_quoted = not has_entity and unwrap_name(name) != name
        self._is_all_quoted &= is_quoted or has_entity
        self._quoted += is_quoted
        if (is_quoted or has_entity) and len(self._examples) < _MAX_EXAMPLES:
            self._examples.append(name)

    @property
    def may_be_wrapped(self) -> bool:
        """Whether all names so far are wrapped, so that the next ones matter."""
        return self._is_all_quoted or self._is_all_encoded

    def finish(self) -> None:
        """Ask what to do if all names are wrapped, with the first two results."""
        is_quoted = self._is_all_quoted and self._quoted > 0
        is_encoded = self._is_all_encoded and self._encoded > 0
        if not (is_quoted or is_encoded):
            return
        form = 'in quotes or in ="…"' if is_quoted else "with HTML entities"
        count = self._quoted + self._encoded if is_quoted else self._encoded
        before = " and ".join(map(repr, self._examples))
        after = " and ".join(repr(unwrap_name(name)) for name in self._examples)
        raise InputError(
            f"{count_text(count, 'name')} written {form}, such as {before}",
            column=self._column,
            hint=f"quoting='unwrap' sends {after}; allow='{Suspicion.WRAPPED_NAMES}' sends all "
            "names as they are",
            add=("quoting", PLACEHOLDER),
            likely="unwrap",
        )
