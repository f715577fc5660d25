"""Reads back the rows of a workbook that this package wrote."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from petstore_frame.errors import InputError
from petstore_frame.extras import import_extra

Row = tuple[Any, ...]


@contextmanager
def open_workbook(path: Path) -> Iterator[SavedWorkbook]:
    """Open a workbook to read its cells as values.

    Raises:
        MissingExtraError: openpyxl is not installed.
        InputError: The file is not a workbook.
    """
    openpyxl = import_extra("openpyxl", "reading a workbook", "excel")
    with warnings.catch_warnings():
        # openpyxl does not support the data bars of Excel 2010, and warns about them.
        warnings.filterwarnings("ignore", ".* extension is not supported", UserWarning)
        try:
            workbook = openpyxl.load_workbook(path, read_only=True, data_only=True)
        except (BadZipFile, KeyError, ValueError, openpyxl.utils.exceptions.InvalidFileException):
            raise InputError("the file is not an .xlsx workbook", path=str(path)) from None
    try:
        yield SavedWorkbook(workbook)
    finally:
        workbook.close()


class SavedWorkbook:
    """A workbook that is open for reading."""

    def __init__(self, workbook: Any) -> None:
        self._workbook = workbook

    @property
    def sheet_names(self) -> list[str]:
        """The names of all sheets, in their order."""
        names: list[str] = self._workbook.sheetnames
        return names

    @property
    def properties(self) -> Mapping[str, str]:
        """The custom properties of the workbook, by name."""
        return {entry.name: str(entry.value) for entry in self._workbook.custom_doc_props.props}

    def rows(self, sheet_name: str) -> Iterator[Row]:
        """Return the rows of a sheet; escaped characters are restored."""
        for values in self._workbook[sheet_name].iter_rows(values_only=True):
            yield tuple(_unescaped(value) for value in values)


def _unescaped(value: Any) -> Any:
    if isinstance(value, str) and "_x" in value:
        from openpyxl.utils.escape import unescape

        return unescape(value)
    return value
