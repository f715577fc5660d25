"""The results of an import as a workbook.

Its cells are typed: text stays text when it is edited, so a name such as 007 or =1+1 comes back
unchanged. On paper each sheet is one page wide and has its first columns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.files.book import Book, Sheet, open_book, plain_mark
from petstore_frame.files.cells import fits
from petstore_frame.files.styles import (
    HEAD,
    HEAD_POINTS,
    LINE_POINTS,
    MOMENT,
    SECTION,
    SECTION_POINTS,
    SHEET_ROWS,
    TEXT,
    lines,
)
from petstore_frame.loader.call import FILE
from petstore_frame.loader.causes import NOTES
from petstore_frame.loader.reading.returned import COLUMNS, FIX_SHEET, FIX_SHEET_COLUMNS
from petstore_frame.loader.record import DOUBT_STATES, FIX_STATES, State
from petstore_frame.loader.results.next_steps import next_steps
from petstore_frame.loader.results.result_text import counted, headline
from petstore_frame.loader.results.summary import MEANINGS, PLAIN_REASONS, ImportSummary
from petstore_frame.schema.text import minute_text

_TOO_LONG = "a cell did not fit into the workbook and is empty here; it is whole in the CSV files"
_OWN_WIDTH = 18
_MOST_LINES = 10
_MOST_CAUSES = 8
_WRAPPED = ("error_message", "hint", "changed", "notes")
_FACTS_WIDTHS = (28, 90)


class ResultLine(NamedTuple):
    """One record as it goes into a file: its own cells, then what is known of it."""

    state: State
    cells: list[str]
    values: dict[str, Any]


class _Kind(NamedTuple):
    """Which records a sheet has, and what it shows of them beside their own cells.

    Attributes:
        name: The sheet.
        states: The states of its records.
        columns: All columns, the most useful ones first.
        printed: How many of these are printed: all of them would be too small to read.
        is_edited: Whether empty cells too are formatted as text, for what is typed into them.
    """

    name: str
    states: Collection[State]
    columns: Sequence[str]
    printed: int
    is_edited: bool = False


# Plain words for a colleague; codes, digests and times to the millisecond are in results.csv.
_FIX = _Kind(FIX_SHEET, FIX_STATES, FIX_SHEET_COLUMNS, 4, is_edited=True)
_DOUBT = _Kind("Unknown", DOUBT_STATES, ("state", "hint", "line", "first_sent_at", "record"), 4)
_ALL = _Kind(
    "All",
    tuple(State),
    ("state", "pet_id", "error_message", "changed", "notes", "line", "record"),
    5,
)


@contextmanager
def workbook(
    path: Path, facts: ImportSummary, header: Sequence[str]
) -> Iterator[Callable[[ResultLine], None]]:
    """Give a function that writes a record to the sheets it belongs on.

    Raises:
        MissingExtraError: XlsxWriter is not installed.
    """
    with open_book(path, is_constant_memory=True) as book:
        summary = book.sheet("Summary")
        kinds = [kind for kind in (_FIX, _DOUBT) if facts.count(*kind.states)]
        sheets = [_Records(book, kind, header, facts) for kind in (*kinds, _ALL)]

        def write(line: ResultLine) -> None:
            for sheet in sheets:
                if line.state in sheet.kind.states:
                    sheet.write(line)

        yield write
        for sheet in sheets:
            sheet.finish()
        _write_summary(summary, facts)


class _Records:
    """The sheet of the records of one kind, as many as it can hold."""

    def __init__(
        self, book: Book, kind: _Kind, header: Sequence[str], facts: ImportSummary
    ) -> None:
        self.kind, self._own, self._row = kind, len(header), 0
        self._as_text, self._as_number = book.style(num_format=TEXT), book.style(align="left")
        self._looks = {name: book.style(num_format=TEXT, text_wrap=True) for name in _WRAPPED}
        self._looks["first_sent_at"] = book.style(num_format=MOMENT)
        self._sheet = book.sheet(kind.name)
        self._sheet.height(0, HEAD_POINTS)
        self._sheet.raw.freeze_panes(1, 0)
        self._sheet.do("set_column", 0, max(0, self._own - 1), _OWN_WIDTH, self._as_text)
        for at, column in enumerate(map(COLUMNS.__getitem__, kind.columns), self._own):
            # The heading has the button of the filter beside it.
            self._sheet.do("set_column", at, at, max(column.width, len(column.heading) + 3))
        self._names = [*header, *(COLUMNS[name].heading for name in kind.columns)]
        for at, text in enumerate(self._names):
            self._sheet.text(0, at, text, **HEAD, num_format=TEXT)
        _print_on_a4(self._sheet, facts, repeat_row=0)
        self._sheet.finish()

    def write(self, line: ResultLine) -> None:
        """Write a record below the last one."""
        if self._row == SHEET_ROWS:
            return
        self._row += 1
        self._sheet.do("set_row", self._row, LINE_POINTS * _height(line.values))
        does_fit = fits(line.cells)
        for at, cell in enumerate(line.cells):
            if cell and (does_fit or fits([cell])):
                self._sheet.put(self._row, at, cell, self._as_text)
            elif self.kind.is_edited:
                self._sheet.put(self._row, at, None, self._as_text)
        notes = [NOTES.get(note, note) for note in (line.values["notes"] or "").split("; ")]
        if not does_fit:
            notes.append(_TOO_LONG)
        meaning = MEANINGS[line.state].text
        if line.state is State.SKIPPED:
            meaning = f"not sent: {PLAIN_REASONS.get(line.values['reason'], 'known already')}"
        words = {"state": meaning, "notes": "; ".join(filter(None, notes))}
        for at, column in enumerate(self.kind.columns, self._own):
            value = words.get(column, line.values[column])
            if value not in (None, ""):
                plain = self._as_text if isinstance(value, str) else self._as_number
                self._sheet.put(self._row, at, value, self._looks.get(column, plain))

    def finish(self) -> None:
        """Put the filter over all rows and print them, now that their number is known."""
        last = self._own + self.kind.printed - 1
        self._sheet.do("autofilter", 0, 0, self._row, len(self._names) - 1)
        self._sheet.do("print_area", 0, 0, self._row, last)


def _height(values: Mapping[str, Any]) -> int:
    """Return how many lines of text a record takes: not every program counts them itself."""
    most = max(lines(values[name] or "", COLUMNS[name].width + 4) for name in _WRAPPED)
    return min(most, _MOST_LINES)


def _print_on_a4(sheet: Sheet, facts: ImportSummary, *, repeat_row: int | None = None) -> None:
    name, store = (plain_mark(text[:80]) for text in (facts.run.source, facts.run.base_url))
    sheet.print_on_a4(
        header=f"&L{plain_mark(sheet.name)}&R{name}",
        footer=f"&L{store}&RPage &P of &N",
        repeat_row=repeat_row,
    )


def _write_summary(sheet: Sheet, facts: ImportSummary) -> None:
    for at, width in enumerate(_FACTS_WIDTHS):
        sheet.do("set_column", at, at, width)
    _put_title(sheet, ": ".join(headline(facts)))
    steps = [step.text for step in next_steps(replace(facts, call=FILE))]
    if len(facts) > SHEET_ROWS:
        steps.append(f"A sheet has room for {SHEET_ROWS:,} records: results.csv has all")
    row = _put_pairs(sheet, 2, "The import", _pairs(facts))
    row = _put_pairs(sheet, row, "What to do next", [("", text) for text in steps])
    causes = [("", str(cause)) for cause in facts.causes[:_MOST_CAUSES]]
    _put_pairs(sheet, row, "What keeps records from being sent", causes)
    _print_on_a4(sheet, facts)
    sheet.finish()


def _put_pairs(sheet: Sheet, row: int, heading: str, pairs: Sequence[tuple[str, str | int]]) -> int:
    """Put names and values below a heading; return the row for the next one."""
    if not pairs:
        return row
    sheet.text(row, 0, heading, bold=True)
    for at, (name, value) in enumerate(pairs, row + 1):
        sheet.text(at, 0, name, valign="top")
        if isinstance(value, int):
            sheet.number(at, 1, value, align="left")
        else:
            sheet.text(at, 1, value, text_wrap=True)
            sheet.height(at, LINE_POINTS * lines(value, _FACTS_WIDTHS[1] + 5))
    return row + len(pairs) + 2


def _pairs(facts: ImportSummary) -> list[tuple[str, str | int]]:
    """Return what a colleague wants to know of the import; what did not occur is left out."""
    run = facts.run
    return [
        ("File", run.place or run.source),
        ("Store", run.base_url),
        ("Loaded", "not yet" if run.ended_at is None else minute_text(run.ended_at)),
        ("Records", len(facts)),
        *((meaning, count) for _, count, meaning in counted(facts)),
    ]


def _put_title(sheet: Sheet, title: str) -> None:
    """Put the headline over the columns, as many lines high as it needs."""
    letters = int(sum(_FACTS_WIDTHS) * 11 / 14) - 4
    sheet.band(0, 0, 1, title, **SECTION)
    sheet.height(0, SECTION_POINTS * lines(title, letters))
