"""The step that asks about single rows: those with a problem that no word answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import ipywidgets as widgets

from petstore_frame.charts import element
from petstore_frame.dashboard.kit import Kit, show, titled
from petstore_frame.loader import Look, Recipe

if TYPE_CHECKING:
    import pandas as pd

ROWS = 20
SEND, LEAVE = "(send it all the same)", "(leave it out)"


class RowToDecide(NamedTuple):
    """What is said of a row: what its cell of a column is to be, or what becomes of the row."""

    control: widgets.Combobox | widgets.Dropdown
    problem: widgets.HTML
    box: widgets.HBox
    column: str


class RowsStep:
    """A control for each row to decide; ``decided`` is called after each decision.

    Attributes:
        widget: The whole step.
        rows: The rows by their lines: ``rows[7].control.value = "1"``.
    """

    def __init__(self, kit: Kit, decided: Callable[[], None]) -> None:
        self._kit, self._decided = kit, decided
        self.rows: dict[int, RowToDecide] = {}
        self._title, self._box = kit.html(), kit.column(css="pf-rows")
        self.widget = kit.column(self._title, self._box)
        self.forget()

    def forget(self) -> None:
        """Take the rows of the last file away."""
        self.rows = {}
        show(self.widget, False)

    @property
    def said(self) -> dict[int, str]:
        """What was said of rows, by their lines."""
        said = {line: row.control.value for line, row in self.rows.items()}
        return {line: text for line, text in said.items() if text}

    @property
    def left_out(self) -> set[int]:
        """The lines of the rows that are left out."""
        return {line for line, text in self.said.items() if text == LEAVE}

    def corrected_rows(self, fix: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of ``LoadResult.fix`` that are sent as they are now."""
        said = {line: text for line, text in self.said.items() if text != LEAVE}
        rows = fix[fix["line"].isin(said)].copy()
        for line, text in said.items():
            if text != SEND:
                rows.loc[rows["line"].eq(line), self.rows[line].column] = text
        # Whoever corrected a row has looked at it, so it needs no second yes.
        rows["accept"] = "yes"
        return rows

    def draw(self, wrong: Mapping[int, Mapping[str, Any]], problems: Mapping[int, str]) -> None:
        """Show rows that are not sent, and those that were decided.

        ``wrong`` are rows of ``LoadResult.fix``; ``problems`` says what is wrong with corrected
        ones now.
        """
        said = self.said
        self.rows = {line: row for line, row in self.rows.items() if line in {*said, *wrong}}
        for line, row in wrong.items():
            if line not in self.rows and len(self.rows) < ROWS:
                self.rows[line] = self._row(line, row)
        for line, shown in self.rows.items():
            text, css = "left out" if said.get(line) == LEAVE else "corrected", "pf-right"
            if line in problems or line not in said:
                text, css = problems.get(line) or str(wrong[line]["error_message"]), "pf-wrong"
            shown.problem.value = element("small", text, class_=css)
        few = f"{len(wrong):,}" if wrong else "none left"
        more = f"the first {ROWS} of {len(wrong):,}" if len(wrong) > ROWS else few
        self._title.value = titled(f"Rows to decide: {more}")
        self._box.children = [row.box for _, row in sorted(self.rows.items())]
        show(self.widget, self.rows)

    def _row(self, line: int, row: Mapping[str, Any]) -> RowToDecide:
        kit, column = self._kit, row["error_column"]
        answers = [*([SEND] if isinstance(row["accept"], str) else []), LEAVE]
        if isinstance(column, str) and column in row:
            name, cell = f"Line {line}: {column}", str(row[column])
            control = kit.text(name, cell, self._decide, options=answers)
        else:
            options = [("decide …", ""), *((each, each) for each in answers)]
            column, control = "", kit.choice(f"Line {line}", options, self._decide)
        problem = kit.html()
        return RowToDecide(control, problem, kit.row(control, problem), column)

    def _decide(self, _: str) -> None:
        self._decided()


def problems_of(rows: pd.DataFrame, header: Sequence[str], how: Recipe) -> dict[int, str]:
    """Return what is wrong with corrected rows, by their lines."""
    if rows.empty:
        return {}
    records = Look.of(rows[[name for name in header if name in rows]], how, rows=len(rows)).records
    pairs = zip(rows["line"].tolist(), records, strict=True)
    return {line: record.problem.message for line, record in pairs if record.problem}
