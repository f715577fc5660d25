"""The step that asks about single rows: those with a problem that no word answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import ipywidgets as widgets

from petstore_frame.charts import element
from petstore_frame.dashboard.kit import Kit, show, titled
from petstore_frame.dashboard.words_step import FileWord, WordsStep

ROWS = 20
LEAVE = "(leave it out)"


class RowToDecide(NamedTuple):
    """What is said of a row: what its cell means, or that it is left out."""

    control: widgets.Combobox | widgets.Dropdown
    problem: widgets.HTML
    box: widgets.HBox


class RowsStep:
    """A control for each row to decide; ``left`` is called when one is left out, or no longer.

    What a cell is to be is what this word of the file means, as ``words`` has it.

    Attributes:
        widget: The whole step.
        rows: The rows by their lines: ``rows[7].control.value = "1"``.
    """

    def __init__(self, kit: Kit, words: WordsStep, left: Callable[[], None]) -> None:
        self._kit, self._words, self._left = kit, words, left
        self.rows: dict[int, RowToDecide] = {}
        self._title, self._box = kit.html(), kit.column(css="pf-rows")
        self.widget = kit.column(self._title, self._box)
        self.left_out = set[int]()
        self.forget()

    def forget(self) -> None:
        """Take the rows of the last file away."""
        self.rows = {}
        self.left_out.clear()
        show(self.widget, False)

    def draw(self, wrong: Mapping[int, Mapping[Any, Any]], fields: Mapping[str, str]) -> None:
        """Show rows of ``LoadResult.fix``, by their lines, and those that were decided.

        ``fields`` has the field of each column that is sent.
        """
        decided = {line for line, row in self.rows.items() if row.control.value}
        self.rows = {line: row for line, row in self.rows.items() if line in {*decided, *wrong}}
        for line, row in wrong.items():
            if line not in self.rows and len(self.rows) < ROWS:
                self.rows[line] = self._row(line, row, fields)
        for line, shown in self.rows.items():
            text, css = "left out" if line in self.left_out else "corrected", "pf-right"
            if line in wrong:
                text, css = str(wrong[line]["error_message"]), "pf-wrong"
            shown.problem.value = element("small", text, class_=css)
        few = f"{len(wrong):,}" if wrong else "none left"
        more = f"the first {ROWS} of {len(wrong):,}" if len(wrong) > ROWS else few
        self._title.value = titled(f"Rows to decide: {more}")
        self._box.children = [row.box for _, row in sorted(self.rows.items())]
        show(self.widget, self.rows)

    def _row(self, line: int, row: Mapping[Any, Any], fields: Mapping[str, str]) -> RowToDecide:
        kit, column, problem = self._kit, row["error_column"], self._kit.html()
        if column in fields and column in row:
            word = FileWord(fields[column], str(row[column]).strip(), column, 1)
            name, hint = f"Line {line}: {column}", f"{word.text} is …"
            control = kit.text(name, hint, partial(self._say, line, word), options=[LEAVE])
        else:
            options = [("decide …", ""), (LEAVE, LEAVE)]
            control = kit.choice(f"Line {line}", options, partial(self._say, line, None))
        return RowToDecide(control, problem, kit.row(control, problem))

    def _say(self, line: int, word: FileWord | None, text: str) -> None:
        was_left_out = line in self.left_out
        self.left_out.discard(line)
        if text == LEAVE:
            self.left_out.add(line)
        elif word is not None:
            self._words.answer(word, text.strip())
        if was_left_out or line in self.left_out:
            self._left()
