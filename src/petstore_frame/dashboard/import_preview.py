"""The records of a file as the Import tab shows them, each with what was decided of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from petstore_frame.charts.pet_list import HEAD
from petstore_frame.charts.svg import element
from petstore_frame.dashboard.import_job import Choices, Plan
from petstore_frame.html import PAGE, Cell, Markup
from petstore_frame.html.palette import shorten
from petstore_frame.loader.reading.look import Look
from petstore_frame.loader.record import State
from petstore_frame.schema.models import PET_COLUMNS

ROWS, CELL_LENGTH = 50, 60


class Line(NamedTuple):
    """A record as the preview shows it; what is wrong in ``column``, or in all of it."""

    line: int
    cells: Sequence[str]
    column: str | None = None
    problem: str = ""
    is_held: bool = False


@dataclass
class Seen:
    """A file as far as it is known, and what was chosen for it.

    ``recalled`` is the moment of the import whose recipe it was opened with, if so;
    ``is_unchecked`` tells that checking it was stopped.
    """

    look: Look
    choices: Choices
    plan: Plan | None = None
    only_problems: bool = False
    recalled: float | None = None
    is_unchecked: bool = False


def preview(seen: Seen) -> Markup:
    """Draw the records, what is wrong in its cell, where it can be corrected."""
    look = seen.look
    if not look.columns:
        return Markup("")
    fields = {column: name for name, column in look.mapping.items()}
    head = [
        Cell("Line"),
        *(Cell(_head(column, fields.get(column), look.reading.key)) for column in look.columns),
    ]
    lines = [*_problems(seen)] if seen.only_problems else [*_first(seen)]
    rows = [_row(each, look.columns, seen.choices) for each in lines[:ROWS]]
    to_fix = 0 if seen.plan is None else seen.plan.count(State.INVALID)
    switch = button("show:all" if seen.only_problems else "show:problems",
                     "Show all records" if seen.only_problems
                     else f"Show only the {to_fix:,} with problems") if to_fix else ""  # fmt: skip
    more = f"the first {ROWS}" if len(lines) > ROWS or not seen.only_problems else "all of them"
    what = f"Records with problems, {more}" if seen.only_problems else "The first records"
    table = PAGE.table(rows, head, caption=f"{what} of {look.name}", is_named=True)
    return element("div", element("p", switch), table, class_="pf-grid pf-preview")


def _head(column: str, name: str | None, key: Collection[str]) -> Markup:
    """Name a column, and below it what it is sent as."""
    sent = f"→ {label_of(name)}" if name else "key" if column in key else "not sent"
    return element("span", shorten(column, CELL_LENGTH) or "(no name)") + element(
        "small", sent, class_="pf-faint", style="display:block;font-weight:400"
    )


def _first(seen: Seen) -> Iterator[Line]:
    """Yield the first records, or where the columns are not known, the first rows."""
    look = seen.look
    now = _corrected(seen)
    if not look.records:
        for number, cells in enumerate(look.rows, start=(look.header_row or 0) + 1):
            yield Line(number, cells)
    for record in look.records:
        if record.line in now:
            yield now[record.line]
        elif record.state is State.INVALID and record.problem is not None:
            problem = record.problem
            held = problem.accept is not None
            yield Line(record.line, record.cells, problem.column, problem.message, held)
        else:
            yield Line(record.line, record.cells)


def _problems(seen: Seen) -> Iterator[Line]:
    """Yield the records to fix, as the rehearsal of the whole file found them."""
    if seen.plan is None:
        return
    now, fix = _corrected(seen), seen.plan.result.fix
    columns = [column for column in seen.look.columns if column in fix]
    for row in fix.to_dict("records"):
        yield now.get(row["line"]) or _line(row, row["line"], columns)
    left_out = seen.choices.left_out
    for skipped in seen.plan.result.rows(State.SKIPPED) if left_out else ():
        if skipped.line in left_out:
            yield Line(skipped.line, skipped.cells)


def _corrected(seen: Seen) -> dict[int, Line]:
    """Return the records that were corrected, as they are now, by line."""
    if seen.plan is None or seen.plan.fixed is None:
        return {}
    columns = [*seen.look.columns]
    rows = seen.plan.fixed.frame.to_dict("records")
    return {
        line: _line(row, line, columns) for line, row in zip(seen.plan.lines, rows, strict=True)
    }


def _line(row: Mapping[Any, Any], line: int, columns: Sequence[str]) -> Line:
    column, message = row.get("error_column"), row.get("error_message")
    is_wrong = row.get("state", State.INVALID) == State.INVALID
    return Line(
        line,
        [text_of(row.get(name)) for name in columns],
        text_of(column) or None if is_wrong else None,
        text_of(message) if is_wrong else "",
        is_wrong and bool(text_of(row.get("accept"))),
    )


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else ""


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
    """Return what was decided of a record, with the buttons that decide it."""
    number = line.line
    if number in choices.left_out:
        said, ways = "left out", {"leave": "send it after all"}
    elif number in choices.confirmed:
        said, ways = "sent all the same", {"confirm": "hold it again"}
    elif line.is_held:
        said, ways = "held", {"confirm": "send it all the same", "leave": "leave it out"}
    else:
        said, ways = "", {"leave": "leave it out"}
    shown = (button(f"{way}:{number}", words) for way, words in ways.items())
    return element("small", said and f"{said} ", *shown, class_="pf-decide")


def _cell(line: Line, column: str, text: str, edits: Mapping[tuple[int, str], str]) -> Markup | str:
    """Draw a cell; one that is wrong, or was corrected, can be written into."""
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


def button(way: str, text: str) -> Markup:
    return element("span", text, class_="pf-mark pf-way", data_way=way)


def label_of(name: str) -> str:
    """Return what a field is called on screen."""
    return dict(zip(PET_COLUMNS, HEAD, strict=True))[name]
