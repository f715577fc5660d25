"""Reads the key of a row: the texts that identify its animal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import compress
from unicodedata import normalize

from petstore_frame.loader.matching.dates import is_spreadsheet_date
from petstore_frame.loader.row_state import RowProblem
from petstore_frame.loader.source.cell_parsing import folded_text, unsendable_character
from petstore_frame.loader.source.not_keys import means_none, why_no_key
from petstore_frame.loader.source.spreadsheet_text import is_spreadsheet_fault
from petstore_frame.tables.table import DATE_NOTE, ZERO_FORMULA_PREFIX, TableRow

Key = tuple[str, ...]
KEY_MISSING = "key_missing"
_MAY_BE_SPECIAL = re.compile(r"[+#/.,]|^$")
# Most keys: up to two letters, so not the name of a month, and one or two numbers.
_USUAL_KEY = re.compile(r"[A-Za-z]{0,2}-?[0-9]*[1-8][0-9]*(?:-[0-9]+)?")
_THREE_NUMBERS = re.compile(r"\d+[./]\d+[./]\d+")
_HINT = "fill it in"


def _is_plain(text: str) -> bool:
    """Return True for an ASCII text that is no date, no rounded number and no missing marker."""
    if not text.isascii() or means_none(text):
        return False
    if text.isalnum():
        return True
    is_special = _MAY_BE_SPECIAL.search(text) is not None
    return not is_special and text.isprintable() and not is_spreadsheet_date(text)


def cell_at(cells: Sequence[str], at: int) -> str:
    """Return a cell without outer spaces, empty if the row is too short."""
    return cells[at].strip() if at < len(cells) else ""


def _fault_of(text: str, note: str) -> str | None:
    """Return what is wrong with a text or its cell, so that it is not a key, or None."""
    if note.startswith(ZERO_FORMULA_PREFIX):
        place = note.removeprefix(ZERO_FORMULA_PREFIX)
        return f"in {place} is a formula with the value 0, so perhaps it was never calculated"
    character = None if text.isprintable() else unsendable_character(text)
    return None if character is None else f"contains {character}"


class KeyReader:
    """Reads the key of each row.

    Whether a text such as ``12-Mar`` is a key depends on the rest of the column, so the first such
    text causes all rows to be examined. Most files have none.

    Args:
        columns: The columns of the file.
        key: The columns of the key.
        empty_values: Texts that mean no key, from the recipe.
        rows: Yields the rows of the file from the first one.
    """

    def __init__(
        self,
        columns: Sequence[str],
        key: Sequence[str],
        empty_values: Collection[str],
        rows: Callable[[], Iterable[TableRow]],
    ) -> None:
        self._rows = rows
        self._position_of = {column: columns.index(column) for column in key}
        self.positions = tuple(self._position_of.values())
        self._empty_values = frozenset(empty_values)
        self._has_examined_rows = False
        self._complete_keys = set[Key]()  # keys of all rows, if the key has several columns
        # Positions of columns with keys that are not dates, and of columns with keys that are three
        # numbers but not dates.
        self._other_than_dates, self._three_numbers = set[int](), set[int]()
        self._ambiguous: frozenset[Key] = frozenset()

    def read(self, row: TableRow) -> tuple[Key | None, RowProblem | None]:
        """Return the key of a row, or why it has none."""
        key = self._plain_key(row)
        if key is not None:
            return key, None
        if not self._has_examined_rows:
            self._examine_rows()
        texts = tuple([self._text(row.cells, at) for at in self.positions])
        problem = self._problem(row, texts)
        return (texts, None) if problem is None else (None, problem)

    def _plain_key(self, row: TableRow) -> Key | None:
        """Return a key that does not depend on the other rows; None if they must be examined."""
        if row.notes or row.problems or self._empty_values:
            return None
        cells = row.cells
        width = len(cells)
        texts = [cells[at].strip() if at < width else "" for at in self.positions]
        for text in texts:
            if not (_USUAL_KEY.fullmatch(text) or _is_plain(text)):
                return None
        return tuple(texts)

    def _examine_rows(self) -> None:
        """Examine the columns, to decide about texts that may not be keys."""
        self._has_examined_rows = True
        for row in self._rows():
            if len(self.positions) == 1 and self._plain_key(row) is not None:
                self._other_than_dates.add(self.positions[0])
            else:
                self._examine(row)
        self._find_ambiguous()

    def _examine(self, row: TableRow) -> None:
        texts = [self._text(row.cells, at) for at in self.positions]
        if all(why_no_key(text) for text in texts):
            return
        for at, text in zip(self.positions, texts, strict=True):
            if self._is_date(at, text, row.notes) or why_no_key(text):
                continue
            self._other_than_dates.add(at)
            if _THREE_NUMBERS.fullmatch(text):
                self._three_numbers.add(at)
        if len(texts) > 1:
            self._complete_keys.add(tuple(texts))

    def _find_ambiguous(self) -> None:
        """Find the keys with an empty column whose other columns fit several keys."""
        partial = [texts for texts in self._complete_keys if "" in texts and any(texts)]
        ambiguous = set[Key]()
        for filled in {tuple(map(bool, texts)) for texts in partial}:
            rest = {texts: tuple(compress(texts, filled)) for texts in self._complete_keys}
            times = Counter(rest.values())
            for texts in partial:
                if tuple(map(bool, texts)) == filled and times[rest[texts]] > 1:
                    ambiguous.add(texts)
        self._ambiguous = frozenset(ambiguous)

    def _text(self, cells: Sequence[str], at: int) -> str:
        """Return the text of a cell, empty if the recipe says that it means no key."""
        text = cell_at(cells, at)
        if not text.isascii():
            text = normalize("NFC", text)
        is_empty = bool(self._empty_values) and folded_text(text) in self._empty_values
        return "" if is_empty else text

    def _is_date(self, at: int, text: str, notes: Mapping[int, str]) -> bool:
        if notes and notes.get(at) == DATE_NOTE:
            return True
        return not text.isdecimal() and is_spreadsheet_date(text)

    def _problem(self, row: TableRow, texts: Sequence[str]) -> RowProblem | None:
        """Return why a row has no key."""
        is_missing = all(why_no_key(text) for text in texts)
        is_ambiguous = tuple(texts) in self._ambiguous
        for at, text in zip(self.positions, texts, strict=True):
            if is_missing or is_spreadsheet_fault(text):
                return self._placed(why_no_key(text) or "no animal ID", at, row.cells)
            if is_ambiguous and not text:
                message = "a part of the key is empty, and the rest fits several animals"
                return self._placed(message, at, row.cells)
            if row.problems and at in row.problems:
                return self._placed(row.problems[at].message, at, row.cells)
            if fault := _fault_of(text, row.notes.get(at, "")):
                return self._placed(f"the key {fault}", at, row.cells)
            if at in self._other_than_dates and self._is_converted(at, text, row.notes):
                message = f"{text!r} is a date that a spreadsheet made from the key"
                return self._placed(message, at, row.cells, "type the key again, as text")
        return None

    def _is_converted(self, at: int, text: str, notes: Mapping[int, str]) -> bool:
        """Return True for a date in a column whose other keys are not dates."""
        if not self._is_date(at, text, notes):
            return False
        is_cell = notes.get(at) == DATE_NOTE
        return is_cell or at not in self._three_numbers or not _THREE_NUMBERS.match(text)

    def _placed(self, message: str, at: int, cells: Sequence[str], hint: str = _HINT) -> RowProblem:
        column = next(name for name, position in self._position_of.items() if position == at)
        return RowProblem(KEY_MISSING, message, column, cell_at(cells, at)[:200], hint)
