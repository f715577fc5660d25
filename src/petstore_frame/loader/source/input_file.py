"""Opens a file or a frame for the loader."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from petstore_frame.errors import InputError
from petstore_frame.limits import CELL_CHARACTERS
from petstore_frame.loader.source.column_mapping import OWN_PREFIX, may_be_header
from petstore_frame.loader.source.returned_file import FIX_SHEET, restored
from petstore_frame.tables.table import Layout, Table
from petstore_frame.tables.table_file import TableFile

if TYPE_CHECKING:
    from petstore_frame.loader.source.recipe import Recipe


# A workbook of more than a million rows to fix has a second sheet of them.
_NEXT_FIX_SHEET = f"{FIX_SHEET} 2"


class Input(TableFile):
    """A file or a frame that was opened, before its columns are recognized."""

    def table_with(self, recipe: Recipe) -> Table:
        """Return the rows of the source as a table."""
        layout = Layout(
            encoding=recipe.encoding,
            delimiter=recipe.delimiter,
            quoting=recipe.quoting,
            sheet=recipe.sheet,
            header_row=recipe.header_row,
            columns=recipe.columns,
        )

        return self._animal_table(layout, recipe.mapping, recipe.defaults)

    def _animal_table(
        self, layout: Layout, mapping: Mapping[str, str], defaults: Collection[str] = ()
    ) -> Table:
        return self.table(layout, lambda row: may_be_header(row, mapping, defaults))

    def own_table(self, recipe: Recipe) -> Table | None:
        """Return the original rows of a file that this package wrote; None for any other file."""
        sheet = None
        if self.kind == "workbook":
            sheet = recipe.sheet or (FIX_SHEET if FIX_SHEET in self.sheets else None)
        elif self.kind == "csv":
            start = self.data[: CELL_CHARACTERS.most].replace(b"\0", b"")  # of UTF-16
            if OWN_PREFIX.encode() not in start:
                return None
        own = None
        for encoding in dict.fromkeys((None, recipe.encoding)):
            with suppress(InputError):
                layout = Layout(encoding=encoding, sheet=sheet)
                own = own or restored(self._animal_table(layout, {}))
        if own and recipe.sheet is None and _NEXT_FIX_SHEET in self.sheets:
            message = f"the rows to fix are on several sheets, {FIX_SHEET}, {_NEXT_FIX_SHEET} ..."
            raise InputError(message, hint="load fix.csv, which has all of them")
        return own
