"""The results of an import as a workbook.

In: records one by one. Out: an xlsx with the sheets Summary, Fix, Unknown and All, its cells
typed: text stays text when it is edited, so a name such as 007 or =1+1 comes back unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from petstore_frame.book import Book, Sheet, open_book
from petstore_frame.cells import EXACT_NUMBERS, fit, fits
from petstore_frame.loader.columns import (
    COLUMNS,
    FIX_COLUMNS,
    ResultLine,
    file_name,
)
from petstore_frame.loader.record import DOUBT_STATES, FIX_STATES
from petstore_frame.loader.view import ResultFacts, fact_pairs, headline, next_steps

MAX_ROWS = 1_048_575
# What a person looks for; the digests and what repeats the record's own cells are in results.csv.
_ALL_COLUMNS = (
    "state", "action", "pet_id", "http_status", "error_code", "error_message", "error_column",
    "hint", "reason", "warnings", "row", "line", "attempts", "settled_at",
)  # fmt: skip
_TOO_LONG = "a cell did not fit into the workbook and is empty here; it is whole in the CSV files"
_WIDTHS = {"error_message": 48, "hint": 40, "sent_name": 24, "warnings": 24}


@contextmanager
def workbook(
    path: Path, facts: ResultFacts, problems: Mapping[str, int], header: Sequence[str]
) -> Iterator[Callable[[ResultLine], None]]:
    """Give a function that writes a record to the sheets it belongs on.

    Args:
        path: The workbook.
        facts: The facts of the run and its counts, which may still change while records come.
        problems: How often each problem occurred, for the first sheet.
        header: The columns of the records' own cells.

    Raises:
        MissingExtraError: XlsxWriter is not installed.
    """
    with open_book(path, is_constant_memory=True) as book:
        summary = book.sheet("Summary")
        fix = _Sheets(book, "Fix", header, FIX_COLUMNS, is_edited=True)
        doubt = _Sheets(book, "Unknown", header, tuple(COLUMNS))
        every = _Sheets(book, "All", header, _ALL_COLUMNS)

        def write(line: ResultLine) -> None:
            every.write(line)
            if line.state in FIX_STATES:
                fix.write(line)
            elif line.state in DOUBT_STATES:
                doubt.write(line)

        yield write
        for sheets in (fix, doubt, every):
            sheets.finish()
        _write_summary(summary, facts, problems)  # last, with the counts of what was written


class _Sheets:
    """The records of one kind, on as many sheets as they need."""

    def __init__(
        self,
        book: Book,
        name: str,
        header: Sequence[str],
        columns: Sequence[str],
        *,
        is_edited: bool = False,
    ) -> None:
        self._is_edited = is_edited  # then an empty cell too is text once something is typed
        self._book, self._name, self._columns = book, name, columns
        self._names = [*header, *map(file_name, columns)]
        self._own = len(header)
        self._as_text = book.style(num_format="@")
        self._as_time = book.style(num_format="yyyy-mm-dd hh:mm:ss")
        self._sheets = 0
        self._open()

    def _open(self) -> None:
        self._sheets += 1
        name = self._name if self._sheets == 1 else f"{self._name} {self._sheets}"
        self._sheet, self._row = self._book.sheet(name), 0
        self._sheet.raw.freeze_panes(1, 0)
        self._sheet.do("set_column", 0, max(0, self._own - 1), 18, self._as_text)
        for at, column in enumerate(self._columns, self._own):
            self._sheet.do("set_column", at, at, _WIDTHS.get(column, 16))
        for at, text in enumerate(self._names):
            self._sheet.text(0, at, text, bold=True, bottom=1, num_format="@")
        self._sheet.finish()

    def write(self, line: ResultLine) -> None:
        if self._row == MAX_ROWS:
            self.finish()
            self._open()
        self._row += 1
        does_fit = fits(line.cells)
        for at, cell in enumerate(line.cells):
            if cell and (does_fit or fits([cell])):
                self._put("write_string", at, cell, self._as_text)
            elif self._is_edited:
                self._put("write_blank", at, None, self._as_text)
        values = line.values if does_fit else _with_note(line.values)
        for at, column in enumerate(self._columns, self._own):
            self._put_value(at, values[column])

    def _put_value(self, at: int, value: Any) -> None:
        if value is None:
            return
        if isinstance(value, datetime):
            self._put("write_datetime", at, value.replace(tzinfo=None), self._as_time)
        elif isinstance(value, int | float) and abs(value) < EXACT_NUMBERS:
            self._put("write_number", at, value)
        else:
            self._put("write_string", at, fit(str(value))[0], self._as_text)

    def _put(self, verb: str, at: int, *values: Any) -> None:
        self._sheet.check(getattr(self._sheet.raw, verb)(self._row, at, *values), self._row)

    def finish(self) -> None:
        """Put the filter over all rows, now that their number is known."""
        self._sheet.do("autofilter", 0, 0, self._row, len(self._names) - 1)


def _with_note(values: Mapping[str, Any]) -> dict[str, Any]:
    notes = [note for note in (values["warnings"], _TOO_LONG) if note]
    return {**values, "warnings": "; ".join(notes)}


def _write_summary(sheet: Sheet, facts: ResultFacts, problems: Mapping[str, int]) -> None:
    sheet.do("set_column", 0, 0, 28)
    sheet.do("set_column", 1, 1, 90)
    word, sentence = headline(facts)
    sheet.text(0, 0, f"{word}: {sentence}", bold=True, font_size=14)
    blocks: list[tuple[str, list[tuple[str, str | int]]]] = [
        ("The import", fact_pairs(facts)),
        ("What was wrong", list(problems.items())),
        ("What to do next", [("", step) for step in next_steps(facts)]),
    ]
    at = 2
    for heading, pairs in blocks:
        sheet.text(at, 0, heading, bold=True)
        for at, (name, value) in enumerate(pairs, at + 1):  # noqa: B020 # goes on from the heading
            sheet.text(at, 0, name)
            if isinstance(value, int):
                sheet.number(at, 1, value, align="left")
            else:
                sheet.text(at, 1, value)
        at += 2
    sheet.finish()
