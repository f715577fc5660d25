"""The step that asks about single rows: those with a problem that no word answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import ipywidgets as widgets

from petstore_frame.dashboard.importing import Plan
from petstore_frame.dashboard.kit import Kit, show
from petstore_frame.dashboard.words_step import WordsStep
from petstore_frame.markup import escape

ROWS = 20


class RowControls(NamedTuple):
    """What can be done with a row: correct its cell, send it all the same, leave it out."""

    box: widgets.HBox
    said: widgets.HTML
    cell: widgets.Text | None
    column: str | None
    send: widgets.Checkbox
    leave: widgets.Checkbox


class RowsStep:
    """Controls for rows to decide, by their lines; ``decided`` is called after each decision."""

    def __init__(self, kit: Kit, words: WordsStep, decided: Callable[[], None]) -> None:
        self._kit, self._words, self._decided = kit, words, decided
        self.rows: dict[int, RowControls] = {}
        self._title, self._box = kit.html(), kit.column(css="pf-rows")
        self.widget = kit.column(self._title, self._box)

    def forget(self) -> None:
        """Take the rows of the last file away."""
        self._kit.forget(*(row.box for row in self.rows.values()))
        self.rows = {}

    @property
    def edits(self) -> dict[tuple[int, str], str]:
        """The corrected cells, by line and column."""
        return {
            (line, row.column): row.cell.value
            for line, row in self.rows.items()
            if row.cell is not None and row.column and row.cell.value != row.cell.placeholder
        }

    @property
    def left_out(self) -> frozenset[int]:
        """The lines of rows that are not sent."""
        return frozenset(line for line, row in self.rows.items() if row.leave.value)

    @property
    def confirmed(self) -> frozenset[int]:
        """The lines of rows that are sent although they look wrong."""
        return frozenset(line for line, row in self.rows.items() if row.send.value)

    def draw(self, plan: Plan | None) -> None:
        """Show the rows that a plan would not send, and those that were decided."""
        wrong = {} if plan is None or plan.question is not None else self._wrong(plan)
        decided = {line for line, _ in self.edits} | self.left_out | self.confirmed
        for line in [line for line in self.rows if line not in {*wrong, *decided}]:
            self._kit.forget(self.rows.pop(line).box)
        for line, row in wrong.items():
            if line not in self.rows and len(self.rows) < ROWS:
                self.rows[line] = self._controls(line, row)
            if line in self.rows:
                _, now = (plan.problems if plan else {}).get(line, (None, ""))
                fixed = "corrected" if line in decided and not now else ""
                self._say(line, fixed or now or str(row["error_message"]), is_wrong=not fixed)
        for line in self.left_out:
            self._say(line, "left out", is_wrong=False)
        few = f"{len(wrong):,}" if wrong else "none left"
        shown = f"the first {ROWS} of {len(wrong):,}" if len(wrong) > ROWS else few
        title = f'<h3 class="pf-section">Rows to decide: {shown}</h3>'
        self._title.value = title if self.rows else ""
        self._box.children = [row.box for _, row in sorted(self.rows.items())]

    def _wrong(self, plan: Plan) -> dict[int, Mapping[str, Any]]:
        fields = {column: name for name, column in plan.result.facts.run.mapping.items()}
        return {
            row["line"]: {str(name): cell for name, cell in row.items()}
            for row in plan.result.fix.to_dict("records")
            if not self._words.is_asked(fields.get(row["error_column"]), row["error_value"])
            and not self._words.is_ticked(row["accept"])
        }

    def _say(self, line: int, text: str, *, is_wrong: bool) -> None:
        css = "pf-wrong" if is_wrong else "pf-right"
        self.rows[line].said.value = f'<small class="{css}">{escape(text)}</small>'

    def _controls(self, line: int, row: Mapping[str, Any]) -> RowControls:
        kit, column = self._kit, row["error_column"]
        column = column if isinstance(column, str) and column in row else None
        cell = None
        if column is not None:
            text = str(row[column])
            cell = kit.text(f"Line {line}: {column}", text, self._decided, value=text)
        leave = kit.tick("leave it out", self._decided)
        send = kit.tick("send it all the same", self._decided)
        show(send, isinstance(row["accept"], str))
        said = kit.html()
        first = cell or kit.html(f"Line {line}")
        return RowControls(kit.row(first, said, send, leave), said, cell, column, send, leave)
