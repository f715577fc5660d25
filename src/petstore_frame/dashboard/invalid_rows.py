"""Shows the rows that cannot be sent as an editable table."""

from __future__ import annotations

from typing import Any

from petstore_frame.dashboard.file_values import fold
from petstore_frame.dashboard.import_plan import FileRow, Plan
from petstore_frame.dashboard.import_state import ImportState
from petstore_frame.loader import FilePreview
from petstore_frame.rendering import PAGE, Cell, Markup, element, shorten
from petstore_frame.schema import FIELDS

LONGEST = 40


def undecided_rows(plan: Plan, state: ImportState) -> list[FileRow]:
    """Return the invalid rows without those that the user will fix later."""
    preview = state.preview
    if preview is None or not state.postponed:
        return plan.invalid
    columns = dict(preview.mapping)
    postponed = {(columns.get(field, ""), text) for field, text in state.postponed}
    return [
        row
        for row in plan.invalid
        if not row.columns
        or any((column, fold(row.cells.get(column, ""))) not in postponed for column in row.columns)
    ]


def check_edits(state: ImportState) -> dict[int, str]:
    """Return the problem of each edited row that is still invalid, by line."""
    import pandas as pd

    plan = state.plan
    if plan is None or not state.edits:
        return {}
    rows = {row.line: row for row in plan.invalid if row.line in state.edits}
    lines = [*rows]
    if not lines:
        return {}
    frame = pd.DataFrame([{**rows[line].cells, **state.edits[line]} for line in lines], dtype="str")
    layout = dict.fromkeys(("encoding", "delimiter", "sheet", "header_row", "columns"))
    preview = FilePreview.of(frame, state.recipe.replace(**layout, quoting=None), rows=len(lines))
    return {
        line: "; ".join(problem.message for problem in record.problems)
        for line, record in zip(lines, preview.records, strict=False)
        if record.problems
    }


def grid_markup(rows: list[FileRow], state: ImportState) -> Markup:
    """Return the invalid rows as an editable table."""
    preview = state.preview
    if preview is None or not rows:
        return Markup("")
    mapping = preview.mapping
    fields = [mapping[field.name] for field in FIELDS.sent if field.name in mapping]
    key = [column for column in state.recipe.key or () if column not in fields]
    others = [column for column in rows[0].cells if column not in fields and column not in key]
    columns = [*key, *fields, *others]
    body = []
    for row in rows:
        edits = state.edits.get(row.line, {})
        cells: list[Any] = [str(row.line)]
        for column in columns:
            text = edits.get(column, row.cells.get(column, ""))
            is_wrong = column in row.columns
            if column in fields or column in key or is_wrong:
                cells.append(_cell_input(row.line, column, text, is_wrong=is_wrong))
            else:
                cells.append(shorten(text, LONGEST))
        cells.append(_verdict(row, state))
        body.append(cells)
    head = ["Line", *columns, "Problem"]
    return PAGE.table(body, head)


def _cell_input(line: int, column: str, text: str, *, is_wrong: bool) -> Cell:
    css = "pf-edit pf-wrong-cell" if is_wrong else "pf-edit"
    control = element(
        "input",
        type="text",
        value=text,
        class_=css,
        data_line=str(line),
        data_edit=column,
        aria_label=f"Line {line}: {column}",
        placeholder="(empty)",
    )
    return Cell(control)


def _verdict(row: FileRow, state: ImportState) -> Markup:
    if row.line in state.edit_problems:
        return element("span", state.edit_problems[row.line], class_="pf-wrong")
    if row.line in state.edits:
        return element("span", "✓ corrected", class_="pf-right")
    return element("span", row.problem, class_="pf-wrong")
