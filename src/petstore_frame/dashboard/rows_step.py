"""The step that asks about single rows: those with a problem that no word answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import ipywidgets as widgets

from petstore_frame.charts import element
from petstore_frame.dashboard.file_steps import OF_LAYOUT
from petstore_frame.dashboard.kit import Kit, show, titled
from petstore_frame.loader.reading import Recipe, look
from petstore_frame.loader.record import Suspicion

if TYPE_CHECKING:
    import pandas as pd

    from petstore_frame.loader.journal.rows import Import

ROWS = 20
SEND, LEAVE = "send", "leave"


class RowControls(NamedTuple):
    """What can be done with a row: correct its cell, send it all the same, leave it out."""

    box: widgets.HBox
    said: widgets.HTML
    decision: widgets.Dropdown
    cell: widgets.Text | None
    column: str | None


class RowsStep:
    """Controls for rows to decide, by their lines; ``decided`` is called after each decision.

    Attributes:
        widget: The whole step.
        rows: The controls of each row, by its line.
    """

    def __init__(self, kit: Kit, decided: Callable[[], None]) -> None:
        self._kit, self._decided = kit, decided
        self.rows: dict[int, RowControls] = {}
        self._title, self._box = kit.html(), kit.column(css="pf-rows")
        self.widget = kit.column(self._title, self._box)
        show(self.widget, False)

    def forget(self) -> None:
        """Take the rows of the last file away."""
        self._kit.forget(*(row.box for row in self.rows.values()))
        self.rows.clear()
        self.draw({}, {})

    @property
    def edits(self) -> dict[tuple[int, str], str]:
        """The corrected cells, by line and column."""
        return {
            (line, row.column): row.cell.value
            for line, row in self.rows.items()
            if row.cell is not None and row.column and row.cell.value != row.cell.placeholder
        }

    def decided_as(self, decision: str) -> set[int]:
        """Return the lines of the rows that are sent all the same, or left out."""
        return {line for line, row in self.rows.items() if row.decision.value == decision}

    @property
    def corrected(self) -> set[int]:
        """The lines of the rows that are sent as they are now: corrected, or as they were."""
        return ({line for line, _ in self.edits} | self.decided_as(SEND)) - self.decided_as(LEAVE)

    def corrected_rows(self, fix: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of ``LoadResult.fix`` that are sent as they are now, as they are."""
        rows = fix[fix["line"].isin(self.corrected)].copy()
        for (line, column), text in self.edits.items():
            rows.loc[rows["line"].eq(line), column] = text
        # Whoever corrected a row has looked at it, so it needs no second yes.
        rows["accept"] = "yes"
        return rows

    def draw(self, wrong: Mapping[int, Mapping[str, Any]], problems: Mapping[int, str]) -> None:
        """Show rows that are not sent, and those that were decided.

        ``wrong`` are rows of ``LoadResult.fix``; ``problems`` says what is wrong with corrected
        ones now.
        """
        left_out, decided = self.decided_as(LEAVE), self.corrected | self.decided_as(LEAVE)
        for line in self.rows.keys() - wrong.keys() - decided:
            self._kit.forget(self.rows.pop(line).box)
        for line, row in wrong.items():
            if line not in self.rows and len(self.rows) < ROWS:
                self.rows[line] = self._controls(line, row)
        for line, controls in self.rows.items():
            text = problems.get(line) or str(wrong.get(line, {}).get("error_message", ""))
            css = "pf-wrong"
            if line in decided and line not in problems:
                text, css = "left out" if line in left_out else "corrected", "pf-right"
            controls.said.value = element("small", text, class_=css)
        few = f"{len(wrong):,}" if wrong else "none left"
        shown = f"the first {ROWS} of {len(wrong):,}" if len(wrong) > ROWS else few
        self._title.value = titled(f"Rows to decide: {shown}")
        show(self.widget, self.rows)
        self._box.children = [row.box for _, row in sorted(self.rows.items())]

    def _controls(self, line: int, row: Mapping[str, Any]) -> RowControls:
        kit, column, cell = self._kit, row["error_column"], None
        column = column if isinstance(column, str) and column in row else None
        if column is not None:
            text = str(row[column])
            cell = kit.text(f"Line {line}: {column}", text, self._decide, value=text)
        answers = [("send it all the same", SEND)] if isinstance(row["accept"], str) else []
        answers = [("decide …", ""), *answers, ("leave it out", LEAVE)]
        decision = kit.choice("or" if cell else f"Line {line}", answers, self._decide)
        said = kit.html()
        box = kit.row(*filter(None, (cell, decision, said)))
        return RowControls(box, said, decision, cell, column)

    def _decide(self, _: str) -> None:
        self._decided()


def problems_of(rows: pd.DataFrame, run: Import, recipe: Recipe) -> dict[int, str]:
    """Return what is wrong with corrected rows of an import, by their lines."""
    if rows.empty:
        return {}
    words = dict.fromkeys((*OF_LAYOUT, "leave_out"))
    how = recipe.replace(**words, mapping=run.mapping, accept=[*map(str, Suspicion)])
    own = rows[[name for name in run.header if name in rows]]
    records = look(own, how, rows=len(rows)).records
    pairs = zip(rows["line"].tolist(), records, strict=True)
    return {line: record.problem.message for line, record in pairs if record.problem}
