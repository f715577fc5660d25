"""Reads the key of a row: the texts that say which animal it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import compress
from unicodedata import normalize

from petstore_frame.loader.row_state import RowProblem
from petstore_frame.loader.source.cell_parsing import unsendable_character, word_of
from petstore_frame.loader.source.spreadsheet_text import (
    SPREADSHEET_ERROR,
    THREE_NUMBERS,
    is_missing_word,
    is_spreadsheet_date,
    is_spreadsheet_fault,
)
from petstore_frame.loader.source.table import DATE_NOTE, TableRow

Key = tuple[str, ...]
KEY_MISSING = "key_missing"
_HINT = "fill it in: it says which animal this is"


def cell_at(cells: Sequence[str], at: int) -> str:
    """Return a cell without outer spaces, empty if the row is too short."""
    return cells[at].strip() if at < len(cells) else ""


class KeyReader:
    """Reads the key of each row, after it has seen all rows of the file.

    Args:
        columns: The columns of the file.
        key: The columns of the key.
        empty_words: Words that the recipe declares to be no key.
    """

    def __init__(
        self, columns: Sequence[str], key: Sequence[str], empty_words: Collection[str]
    ) -> None:
        self._places = {column: columns.index(column) for column in key}
        self._positions = tuple(self._places.values())
        self._empty_words = frozenset(empty_words)
        self._missing_words = Counter[Key]()
        self._partial = set[Key]()  # keys of which some columns are empty
        self._known = set[Key]()  # all keys, if there are several columns
        # By the position of a column: whether it has dates, other keys, and keys like dates.
        self._dates, self._others, self._three_numbers = set[int](), set[int](), set[int]()
        self._ambiguous: frozenset[Key] = frozenset()

    def observe(self, row: TableRow) -> None:
        """Take note of a row before any key is read."""
        texts = self._texts(row.cells)
        if all(map(is_missing_word, filter(None, texts))):
            self._missing_words[tuple(texts)] += 1
        for at, text in zip(self._positions, texts, strict=True):
            if not text:
                continue
            if self._is_date(at, text, row.notes):
                self._dates.add(at)
            elif at not in self._others or at not in self._three_numbers:
                self._others.add(at)
                if THREE_NUMBERS.fullmatch(text):
                    self._three_numbers.add(at)
        if len(texts) > 1:
            self._known.add(tuple(texts))

    def finish(self) -> None:
        """Find the keys with empty columns whose rest is the rest of several keys."""
        partial = [texts for texts in self._known if "" in texts and any(texts)]
        ambiguous = set[Key]()
        for filled in {tuple(map(bool, texts)) for texts in partial}:
            rest = {texts: tuple(compress(texts, filled)) for texts in self._known}
            times = Counter(rest.values())
            for texts in partial:
                if tuple(map(bool, texts)) == filled and times[rest[texts]] > 1:
                    ambiguous.add(texts)
        self._ambiguous = frozenset(ambiguous)

    def read(self, row: TableRow) -> tuple[Key | None, RowProblem | None]:
        """Return the key of a row, or why it has none."""
        texts = self._texts(row.cells)
        problem = self._problem(row, texts)
        return (None, problem) if problem is not None else (tuple(texts), None)

    def _texts(self, cells: Sequence[str]) -> list[str]:
        """Return the text of each column, empty if it holds no key."""
        texts = []
        for at in self._positions:
            text = cell_at(cells, at)
            if not text.isascii():
                text = normalize("NFC", text)
            is_empty = bool(self._empty_words) and word_of(text) in self._empty_words
            may_be_fault = text[:1] == "#" or "+" in text
            if is_empty or (may_be_fault and is_spreadsheet_fault(text)):
                text = ""
            texts.append(text)
        return texts

    def _is_date(self, at: int, text: str, notes: Mapping[int, str]) -> bool:
        if notes and notes.get(at) == DATE_NOTE:
            return True
        return not text.isdecimal() and is_spreadsheet_date(text)

    def _problem(self, row: TableRow, texts: Sequence[str]) -> RowProblem | None:
        """Return why a row has no key."""
        if "" in texts and (problem := self._gap_problem(row.cells, texts)):
            return problem
        if self._missing_words and self._missing_words.get(tuple(texts), 0) > 1:
            message = f"{texts[0]!r} is a word for no number here: several rows have it"
            return self._placed(message, self._positions[0], row.cells)
        for at, text in zip(self._positions, texts, strict=True):
            if row.problems and at in row.problems:
                return self._placed(row.problems[at].message, at, row.cells)
            if not text.isprintable() and (fault := unsendable_character(text)):
                return self._placed(f"the key holds {fault}", at, row.cells)
            if at in self._dates and self._is_converted(at, text, row.notes):
                message = f"{text!r} is a date that a spreadsheet made from the key"
                return self._placed(message, at, row.cells, "type the key again, as text")
        return None

    def _is_converted(self, at: int, text: str, notes: Mapping[int, str]) -> bool:
        """Return True for a date in a column whose other keys are not dates."""
        if at not in self._others or not self._is_date(at, text, notes):
            return False
        is_cell = notes.get(at) == DATE_NOTE
        return is_cell or at not in self._three_numbers or not THREE_NUMBERS.match(text)

    def _gap_problem(self, cells: Sequence[str], texts: Sequence[str]) -> RowProblem | None:
        for at in self._positions:
            text = cell_at(cells, at)
            if SPREADSHEET_ERROR.fullmatch(text):
                return self._placed(f"{text[:60]!r} is a spreadsheet error, not a key", at, cells)
            if is_spreadsheet_fault(text):
                message = f"{text[:60]!r} is a number that a spreadsheet rounded, not a key"
                return self._placed(message, at, cells)
        gap = self._positions[list(texts).index("")]
        if not any(texts):
            return self._placed("the key is missing", gap, cells)
        if tuple(texts) in self._ambiguous:
            return self._placed("the rest of the key names several rows", gap, cells)
        return None

    def _placed(self, message: str, at: int, cells: Sequence[str], hint: str = _HINT) -> RowProblem:
        column = next(name for name, place in self._places.items() if place == at)
        return RowProblem(KEY_MISSING, message, column, cell_at(cells, at)[:200], hint)
