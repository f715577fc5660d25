"""The records of a file as the Import tab shows them, each with the user's decision."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from petstore_frame.charts.pet_list import HEAD
from petstore_frame.charts.svg import element
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.import_choices import Choices, Seen
from petstore_frame.html import PAGE, Cell, Markup
from petstore_frame.html.palette import shorten
from petstore_frame.loader.journal.rows import Import, JournalRow
from petstore_frame.loader.record import FIX_STATES, RecordProblem, State
from petstore_frame.loader.results.summary import problem_of
from petstore_frame.schema.models import PET_COLUMNS

ROWS, CELL_LENGTH = 50, 60


class Line(NamedTuple):
    """A record as the preview shows it; what is wrong in ``column``, or in all of it."""

    line: int
    cells: Sequence[str]
    column: str | None = None
    problem: str = ""
    is_held: bool = False


def preview(seen: Seen) -> Markup:
    """Draw the records, each wrong cell with its problem and a box to correct it."""
    look = seen.look
    if not look.columns:
        return Markup("")
    fields = {column: name for name, column in look.mapping.items()}
    head = [
        Cell("Line"),
        *(Cell(_head(column, fields.get(column), look.reading.key)) for column in look.columns),
    ]
    found = islice(_problems(seen) if seen.only_problems else _first(seen), ROWS + 1)
    lines = [*found]
    rows = [_row(each, look.columns, seen.choices) for each in lines[:ROWS]]
    to_fix = 0 if seen.plan is None else seen.plan.count(State.INVALID)
    switch: Markup | None = None
    if seen.only_problems:
        switch = parts.mark("show:all", "Show all records")
    elif to_fix:
        switch = parts.mark("show:problems", f"Show only the {to_fix:,} with problems")
    more = f"the first {ROWS}" if len(lines) > ROWS or not seen.only_problems else "all of them"
    what = f"Records with problems, {more}" if seen.only_problems else "The first records"
    table = PAGE.table(rows, head, caption=f"{what} of {look.name}", is_named=True)
    return element("div", element("p", switch), table, class_="pf-grid pf-preview")


def _head(column: str, name: str | None, key: Collection[str]) -> Markup:
    """Name a column, and below it the field that it is."""
    sent = f"→ {label_of(name)}" if name else "key" if column in key else "not sent"
    return element("span", shorten(column, CELL_LENGTH) or "(no name)") + element(
        "small", sent, class_="pf-faint", style="display:block;font-weight:400"
    )


def _first(seen: Seen) -> Iterator[Line]:
    """Yield the first records, or where the columns are not known, the first rows."""
    look, now = seen.look, _corrected(seen)
    if not look.records:
        for number, cells in enumerate(look.rows, start=(look.header_row or 0) + 1):
            yield Line(number, cells)
    for record in look.records:
        problem = record.problem if record.state is State.INVALID else None
        yield now.get(record.line) or _line(record.line, record.cells, problem)


def _problems(seen: Seen) -> Iterator[Line]:
    """Yield the records to fix, as the rehearsal of the whole file found them."""
    if seen.plan is None:
        return
    now, result, left_out = _corrected(seen), seen.plan.result, seen.choices.left_out
    run = result.facts.run
    for row in result.rows(*FIX_STATES):
        yield now.get(row.line) or _journal_line(row.line, row, run)
    for row in result.rows(State.SKIPPED) if left_out else ():
        if row.line in left_out:
            yield Line(row.line, row.cells)


def _corrected(seen: Seen) -> dict[int, Line]:
    """Return the records that were corrected, as they are now, by line."""
    if seen.plan is None or seen.plan.fixed is None:
        return {}
    fixed, run = seen.plan.fixed.rows(), seen.plan.fixed.facts.run
    pairs = zip(seen.plan.lines, fixed, strict=True)
    return {line: _journal_line(line, row, run) for line, row in pairs}


def _journal_line(line: int, row: JournalRow, run: Import) -> Line:
    return _line(line, row.cells, problem_of(row, run) if row.state in FIX_STATES else None)


def _line(line: int, cells: Sequence[str], problem: RecordProblem | None) -> Line:
    if problem is None:
        return Line(line, cells)
    return Line(line, cells, problem.column, problem.message, problem.accept is not None)


def _row(line: Line, columns: Sequence[str], choices: Choices) -> list[Any]:
    cells = [*line.cells[: len(columns)], *[""] * (len(columns) - len(line.cells))]
    is_left_out = line.line in choices.left_out
    wrong: Markup | str = ""
    if line.problem and line.column not in columns and not is_left_out:
        wrong = element("small", line.problem, class_="pf-wrong")
    first = element("bdi", str(line.line)) + wrong + _decision(line, choices)
    if is_left_out:
        return [first, *(shorten(cell, CELL_LENGTH) for cell in cells)]
    pairs = zip(columns, cells, strict=True)
    return [first, *(_cell(line, *pair, choices.edits) for pair in pairs)]


def _decision(line: Line, choices: Choices) -> Markup:
    """Return the user's decision on a record, with the buttons to change it."""
    number = line.line
    if number in choices.left_out:
        said, ways = "left out", {"leave": "send it after all"}
    elif number in choices.confirmed:
        said, ways = "sent all the same", {"confirm": "do not send it"}
    elif line.is_held:
        said, ways = "to confirm", {"confirm": "send it all the same", "leave": "leave it out"}
    else:
        said, ways = "", {"leave": "leave it out"}
    shown = (parts.mark(f"{way}:{number}", words) for way, words in ways.items())
    return element("small", said and f"{said} ", *shown, class_="pf-decide")


def _cell(line: Line, column: str, text: str, edits: Mapping[tuple[int, str], str]) -> Markup | str:
    """Draw a cell; the user can write into one that is wrong or was corrected."""
    is_wrong, is_edited = column == line.column, (line.line, column) in edits
    if not is_wrong and not is_edited:
        return shorten(text, CELL_LENGTH)
    box = element(
        "input",
        class_="pf-edit",
        value=edits.get((line.line, column), text),
        data_edit=line.line,
        data_column=column,
        aria_label=f"{column} in line {line.line}",
        aria_invalid="true" if is_wrong else None,
    )
    words, look = (line.problem, "pf-wrong") if is_wrong else ("corrected", "pf-right")
    return box + element("small", words, class_=look)


def label_of(name: str) -> str:
    """Return what a field is called on screen."""
    return dict(zip(PET_COLUMNS, HEAD, strict=True))[name]
