"""Asks what to do if all names of a file are in quotes, or contain HTML entities."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from petstore_frame.errors import InputError
from petstore_frame.loader.row_state import Suspicion
from petstore_frame.loader.source.cell_parsing import PLACEHOLDER
from petstore_frame.loader.source.row_keys import cell_at
from petstore_frame.loader.source.spreadsheet_text import ENTITY, unwrap_name
from petstore_frame.loader.source.table import TableRow
from petstore_frame.schema import count_text

_MAX_EXAMPLES = 2


class WrappedNames:
    """Checks whether all names of a column are in quotes, or contain HTML entities.

    Args:
        at: The position of the column of names.
        column: Its name.
        rows: Returns a new iterator over the rows of the file.
    """

    def __init__(self, at: int, column: str, rows: Callable[[], Iterable[TableRow]]) -> None:
        self._at, self._column, self._rows = at, column, rows
        self._has_checked_entities = False

    def ask_if_all_quoted(self) -> None:
        """Raise a question if all names are in quotes or ``="…"``.

        Raises:
            InputError: All names are wrapped, and the recipe does not state how to read them.
        """
        wrapped = list[str]()
        count = quoted = 0
        for name in self._names():
            has_entity = _has_entity(name)
            if not has_entity and unwrap_name(name) == name:
                return
            count += 1
            quoted += not has_entity
            if count <= _MAX_EXAMPLES:
                wrapped.append(name)
        if quoted:
            raise self._question('in quotes or in ="…"', count, wrapped)

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
        for name in self._names():
            if "&" not in name:
                continue
            if not _has_entity(name):
                return
            count += 1
            if count <= _MAX_EXAMPLES:
                encoded.append(name)
        if encoded:
            raise self._question("with HTML entities", count, encoded)

    def _names(self) -> Iterable[str]:
        for row in self._rows():
            name = cell_at(row.cells, self._at)
            if name:
                yield name

    def _question(self, form: str, count: int, examples: Sequence[str]) -> InputError:
        before = " and ".join(map(repr, examples))
        after = " and ".join(repr(unwrap_name(name)) for name in examples)
        return InputError(
            f"{count_text(count, 'name')} written {form}, such as {before}",
            column=self._column,
            hint=f"quoting 'unwrap' sends {after}; allow '{Suspicion.WRAPPED_NAMES}' sends all "
            "names unchanged",
            add=("quoting", PLACEHOLDER),
            likely="unwrap",
        )


def _has_entity(name: str) -> bool:
    return "&" in name and ENTITY.search(name) is not None
