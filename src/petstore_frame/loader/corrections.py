"""Applies the corrections of a fix file, of the dashboard and of earlier calls to rows.

A file has one import. A fix file is not an import of its own: each of its lines names the row that
it corrects, and the cells that differ from that row are corrections.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.loader.journal.corrections import (
    Correction,
    StoredRow,
    corrected_cells,
    other_owner,
    read_corrections,
    stored_row,
    write_corrections,
)
from petstore_frame.loader.journal.rows import Import
from petstore_frame.loader.journal.staging import Staged, key_and_core, restage_row
from petstore_frame.loader.matching.folding import core, fold_name
from petstore_frame.loader.matching.key_cores import day_core
from petstore_frame.loader.matching.key_texts import order_of, shown_key
from petstore_frame.loader.row_state import RowProblem, SourceRow, State
from petstore_frame.loader.source import Source
from petstore_frame.loader.source.column_mapping import normalize_header
from petstore_frame.loader.source.returned_file import ALLOW, EXTRA, FixFile, denied
from petstore_frame.loader.source.spreadsheet_text import is_spreadsheet_fault
from petstore_frame.tables.table import RowOrigin, TableRow


class RejectedLine(NamedTuple):
    """A correction that was not applied."""

    line: int  # of the fix file, or that of the row
    row_line: int  # of the row that it corrects
    reason: str


class Corrector:
    """Corrects the rows of one reading.

    Args:
        sql: A connection with an open transaction.
        staged: The reading.
        source: Checks rows with the columns and the options of the import.
        now: The time, in seconds since 1970.
    """

    def __init__(self, sql: sqlite3.Connection, staged: Staged, source: Source, now: float) -> None:
        self._sql, self._run, self._base = sql, staged.run, staged.base
        self._source, self._now = source, now

    def apply_stored(self) -> None:
        """Apply the corrections that the journal has for the rows of this reading."""
        for row, corrections in read_corrections(self._sql, self._run).items():
            stored = stored_row(self._sql, self._run, row)
            if stored is None:
                continue
            checked = self._checked(row, stored, corrections)
            if checked is not None:
                self._restage(checked)

    def apply_cells(self, cells: Mapping[tuple[int, str], str]) -> list[RejectedLine]:
        """Store and apply corrections of single cells, by row and column.

        Returns:
            The rows whose corrections were not applied.
        """
        by_row = defaultdict[int, dict[str, str]](dict)
        for (row, column), text in cells.items():
            by_row[row][column] = text
        rejected: list[RejectedLine] = []
        for row, texts in by_row.items():
            stored = stored_row(self._sql, self._run, row)
            if stored is None:
                continue
            problem = self._correct(row, stored, self._differences(stored, texts))
            if problem is not None:
                rejected.append(RejectedLine(stored.line, stored.line, problem))
        return rejected

    def apply_fix_file(self, fix: FixFile) -> list[RejectedLine]:
        """Store and apply the corrections of a fix file; return the lines that were not applied.

        Raises:
            InputError: A line names a row that the import does not have.
        """
        columns = self._columns_of(fix)
        lines_of_row = defaultdict[int, list[TableRow]](list)
        for line in fix.rows:
            if line.origin is not None:
                lines_of_row[line.origin.row].append(line)
        rejected: list[RejectedLine] = []
        for row, lines in lines_of_row.items():
            stored = stored_row(self._sql, self._run, row)
            if stored is None:
                raise InputError(
                    f"this line names row {row} of {self._run.source}, which it does not have; "
                    "nothing was sent",
                    path=fix.name,
                    line=lines[0].line,
                    hint="copy the line from fix.csv again",
                )
            texts = [_texts(line, columns) for line in lines]
            if any(other != texts[0] for other in texts[1:]):
                numbers = ", ".join(str(line.line) for line in lines)
                reason = f"lines {numbers} of the fix file name the same row and differ"
                rejected += [RejectedLine(line.line, stored.line, reason) for line in lines]
                continue
            problem = self._correct(row, stored, self._differences(stored, texts[0]))
            if problem is not None:
                rejected.append(RejectedLine(lines[0].line, stored.line, problem))
        return sorted(rejected)

    def _columns_of(self, fix: FixFile) -> list[str | None]:
        """Return the column of the import for each column of a fix file; None for any other.

        Raises:
            InputError: A column was renamed, so its corrections would be lost.
        """
        names = {normalize_header(name): name for name in self._run.header}
        present = {*map(normalize_header, fix.columns)}
        for field, column in self._run.mapping.items():
            if normalize_header(column) not in present:  # renamed to the name of its field
                names.setdefault(normalize_header(field), column)
        columns = [names.get(normalize_header(name)) for name in fix.columns]
        unknown = [name for name, column in zip(fix.columns, columns, strict=True) if not column]
        sent = {*self._run.mapping.values(), *self._run.key}
        missing = sorted(sent.difference(filter(None, columns)) & {*self._run.header})
        if unknown and missing:
            raise InputError(
                f"the column {missing[0]!r} of {self._run.source} is missing, and there is a "
                f"column {unknown[0]!r}; nothing was sent",
                path=fix.name,
                column=unknown[0],
                hint="give the columns the names that they have in fix.csv",
            )
        return columns

    def _differences(self, stored: StoredRow, texts: Mapping[str, str]) -> list[Correction]:
        """Return the cells of a row that differ from the given texts, by column."""
        header = self._run.header
        corrections = []
        for column, text in texts.items():
            if column == ALLOW:
                is_asked = any(problem.allow for problem in stored.problems)
                if is_asked and denied(text) is None:
                    corrections.append(Correction(ALLOW, "no", text))
                continue
            if column.startswith(EXTRA):
                at = len(header) + int(column.removeprefix(f"{EXTRA}_")) - 1
            else:
                at = header.index(column)
            before = stored.cells[at] if at < len(stored.cells) else ""
            has_problem = any(problem.column == column for problem in stored.problems)
            if before == text:
                continue
            if column in self._run.key and not has_problem and _is_respelled(before, text):
                continue
            corrections.append(Correction(column, before, text))
        return corrections

    def _correct(
        self, row: int, stored: StoredRow, corrections: Sequence[Correction]
    ) -> str | None:
        """Store and apply the corrections of a row, or return why they cannot be applied."""
        if not corrections:
            return None
        checked = self._checked(row, stored, corrections)
        if checked is None:
            return None
        reason = self._why_wrong(stored, checked, corrections)
        if reason is not None:
            return reason
        write_corrections(self._sql, self._run, row, corrections, self._now)
        self._restage(checked)
        return None

    def _why_wrong(
        self, stored: StoredRow, checked: SourceRow, corrections: Sequence[Correction]
    ) -> str | None:
        """Return why corrections cannot be those of this row, or None."""
        key, key_core = key_and_core(checked, order_of(self._run.key))
        if key is not None and key != stored.key:
            owner = other_owner(self._sql, key, key_core, stored.animal)
            if owner is not None:
                return f"the key {shown_key(key)!r} belongs to {owner}"
        if _is_another_animal(self._run, stored, corrections):
            animal = _name_of(self._run, stored) or shown_key(stored.key)
            return f"line {stored.line} is {animal!r}, another animal"
        return None

    def _checked(
        self, row: int, stored: StoredRow, corrections: Iterable[Correction]
    ) -> SourceRow | None:
        """Check a row with its corrections; None if none of them applies."""
        cells, applied = corrected_cells(self._run.header, stored.cells, corrections, EXTRA)
        if not applied:
            return None
        table_row = TableRow(
            stored.line,
            cells,
            answer=applied.get(ALLOW, ""),
            origin=RowOrigin(self._run.id, row),
        )
        checked = self._source.check(row, table_row)
        problems = _remaining_problems(stored.problems, checked, applied)
        if len(problems) == len(checked.problems):
            return checked
        return checked._replace(state=State.INVALID, payload=None, problems=tuple(problems))

    def _restage(self, checked: SourceRow) -> None:
        restage_row(self._sql, self._run.reading, self._base, self._run, checked)


def _is_another_animal(run: Import, stored: StoredRow, corrections: Sequence[Correction]) -> bool:
    """Return whether corrections make another animal of a row.

    It stays the same animal if it keeps its key or its name, and its name or its category. A cell
    that was empty or had a problem may become anything.
    """
    wrong = {problem.column for problem in stored.problems}
    if stored.is_rejected:
        wrong |= {*run.mapping.values()}
    changed = {
        correction.column
        for correction in corrections
        if correction.column not in wrong and _is_another_value(correction)
    }
    name, category = run.mapping.get("name"), run.mapping.get("category_id")
    has_other_key = not changed.isdisjoint(run.key)
    if name in changed:
        keeps_key = stored.key is not None and not has_other_key
        return not keeps_key or category in changed
    keeps_name = name not in wrong and _name_of(run, stored) != ""
    return has_other_key and not keeps_name


def _name_of(run: Import, stored: StoredRow) -> str:
    """Return the name of a row as its file has it; an empty text if there is none."""
    cells = dict(zip(run.header, stored.cells, strict=False))
    return cells.get(run.mapping.get("name", ""), "").strip()


def _is_another_value(correction: Correction) -> bool:
    before, after = fold_name(correction.before), fold_name(correction.after)
    return "" not in (before, after) and before != after


def _is_respelled(key: str, text: str) -> bool:
    """Return whether a spreadsheet may have written a key in another way when it saved the file."""
    if core(key) == core(text) or is_spreadsheet_fault(text):
        return True
    day, other_day = day_core([key]), day_core([text])
    return day is not None and other_day is not None and day.is_of(other_day)


def _remaining_problems(
    before: Sequence[RowProblem], checked: SourceRow, applied: Mapping[str, str]
) -> list[RowProblem]:
    """Return the problems of a corrected row, with those that only its file could show.

    A doubt about a row as a whole, such as a hidden one, needs an answer; a cell that could not be
    read needs a correction.
    """
    problems = list(checked.problems)
    if checked.is_excluded:
        return problems
    codes = {(problem.code, problem.column) for problem in problems}
    for problem in before:
        if (problem.code, problem.column) in codes or problem.column in applied:
            continue
        is_answered = problem.allow is None if problem.column is None else False
        if problem.allow is not None and ALLOW in applied:
            is_answered = True
        if not is_answered:
            problems.append(problem)
    return problems


def _texts(line: TableRow, columns: Sequence[str | None]) -> dict[str, str]:
    """Return the texts of a line of a fix file by the columns of its import."""
    texts: dict[str, str] = {}
    for at, text in enumerate(line.cells):
        column = columns[at] if at < len(columns) else f"{EXTRA}_{at - len(columns) + 1}"
        if column is not None:
            texts[column] = text
    texts[ALLOW] = line.answer
    return texts
