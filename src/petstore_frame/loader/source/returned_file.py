"""Reads the result files of this package when a user loads them again.

Each row has the name of the imported row that it corrects. Cells that a spreadsheet would execute
or convert start with a quote, which is removed here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.loader.row_state import RowProblem, Suspicion
from petstore_frame.loader.source.cell_parsing import suspicious
from petstore_frame.loader.source.column_mapping import OWN_PREFIX
from petstore_frame.storage import harmless
from petstore_frame.tables.table import RowOrigin, Table, TableRow

STATE: str = f"{OWN_PREFIX}state"
ROW: str = f"{OWN_PREFIX}row"
ALLOW: str = f"{OWN_PREFIX}allow"
# Columns for cells of a row that has more cells than the header.
EXTRA = f"{OWN_PREFIX}extra"
FIX_SHEET = "Fix"


class Own(NamedTuple):
    """A column that this package adds: its name in a CSV file; its heading and width in Excel."""

    name: str
    heading: str = ""
    width: int = 0  # in characters


# By the name in a frame.
COLUMNS: dict[str, Own] = {
    "row": Own(ROW, "Row (do not change)", 26),
    "state": Own(STATE, "Outcome", 30),
    "pet_id": Own(f"{OWN_PREFIX}pet_id", "Id in the store", 21),
    "error_message": Own(f"{OWN_PREFIX}problem", "What is wrong", 44),
    "error_column": Own(f"{OWN_PREFIX}column", "In column", 18),
    "error_value": Own(f"{OWN_PREFIX}value"),
    "hint": Own(f"{OWN_PREFIX}hint", "How to fix it", 44),
    "changed": Own(f"{OWN_PREFIX}changed", "Changed since (was → is)", 34),
    "allow": Own(ALLOW, "Send anyway? (yes)", 24),
    "line": Own(f"{OWN_PREFIX}line", "Line", 8),
    "notes": Own(f"{OWN_PREFIX}notes", "Notes", 30),
    "may_be_name": Own(f"{OWN_PREFIX}may_be_name"),
    "may_be_category_id": Own(f"{OWN_PREFIX}may_be_category_id"),
    "may_be_status": Own(f"{OWN_PREFIX}may_be_status"),
    "may_be_key": Own(f"{OWN_PREFIX}may_be_key"),
    "may_be_id": Own(f"{OWN_PREFIX}may_be_id"),
    "may_be_from": Own(f"{OWN_PREFIX}may_be_from"),
    "table_line": Own(f"{OWN_PREFIX}table_line"),
    "sent_at": Own(f"{OWN_PREFIX}sent_at", "First sent (UTC)", 21),
}
RESULT_COLUMNS: tuple[str, ...] = (
    "row", "state", "pet_id", "error_message", "error_column", "error_value", "hint", "changed",
)  # fmt: skip
# What a possible duplicate may be.
MAY_BE_COLUMNS: tuple[str, ...] = (
    "may_be_name", "may_be_category_id", "may_be_status", "may_be_key", "may_be_id", "may_be_from",
    "table_line",
)  # fmt: skip
POSSIBLE_COLUMNS: tuple[str, ...] = ("row", "line", *MAY_BE_COLUMNS)
FIX_COLUMNS: tuple[str, ...] = (
    "row", "error_message", "error_column", "error_value", "hint", "allow",
)  # fmt: skip
FIX_SHEET_COLUMNS: tuple[str, ...] = (
    "error_message", "hint", "error_column", "line", "allow", "row",
)  # fmt: skip

_HEADINGS = {COLUMNS[name].heading: COLUMNS[name].name for name in FIX_SHEET_COLUMNS}
_RETURNABLE = ("", "invalid", "rejected", "possible_duplicate")
_KINDS = frozenset(map(str, Suspicion))
YES = ("yes", "y", "x", "true", "1", "ja", "oui", "si", "sí", "sim")
_CONFIRM_HINT = "replace no with yes, or clear that cell if you corrected the row"
# The name of a row, in a form that no spreadsheet reads as a number or a time.
_NAMED = re.compile("r([0-9a-f]{8,32})-([0-9]+)")
_GUARD = "'"
# A text that a spreadsheet reads as a number, a date or a logical value, and writes back
# differently: 007 as 7, 1/1/20 as 01/01/20, "Jan 5" with a year, MARCH1 as a day.
_CONVERTED = re.compile(r"\W*\d|[^\W\d_]+\W*\d+\W*$|(true|false)$", re.IGNORECASE)


def row_name(import_id: str, record: int) -> str:
    """Return the name of an imported row in a result file: ``r3fa9c2e1-17``."""
    return f"r{import_id[:8]}-{record}"


def guarded(text: str, *, is_name: bool = False) -> str:
    """Return a cell that no spreadsheet executes as a formula; a name is not converted either.

    Example:
        >>> guarded("007", is_name=True), guarded("007"), guarded("'007"), guarded("=1+1")
        ("'007", '007', "''007", "'=1+1")
        >>> unguarded("'007"), unguarded("''007"), unguarded("'s Heer")
        ('007', "'007", "'s Heer")
    """
    may_be_guarded = text.startswith(_GUARD) or is_name
    if not may_be_guarded:
        return harmless(text)
    return _GUARD + text if _is_guarded(text) else text


def unguarded(text: str) -> str:
    """Return a cell as it was before ``guarded``."""
    return text[1:] if text.startswith(_GUARD) and _is_guarded(text[1:]) else text


def _is_guarded(text: str) -> bool:
    bare = text.lstrip(_GUARD)
    return harmless(bare) != bare or _CONVERTED.match(bare) is not None


class FixFile(NamedTuple):
    """The lines of a file that this package wrote, without the columns that it added."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]

    @property
    def import_ids(self) -> list[str]:
        """The imports whose rows the lines name, or the starts of their ids."""
        return [*dict.fromkeys(row.origin.import_id for row in self.rows if row.origin)]


def restored(table: Table) -> Table | None:
    """Return the original rows of a file that this package wrote; None for any other file."""
    names = _own_names(table.columns)
    positions = [at for at, name in enumerate(names) if not name.startswith(OWN_PREFIX)]
    if len(positions) == len(names):
        return None
    # Frames and workbooks have typed cells, so they have no quotes to remove.
    is_guarded = names == [*table.columns]
    columns = [unguarded(names[at]) if is_guarded else names[at] for at in positions]
    restore = partial(_restored, names, positions, is_guarded)
    return replace(table, columns=tuple(columns), rows=lambda: map(restore, table.rows()))


def _own_names(header: Sequence[str]) -> list[str]:
    """Return the column names as in a CSV file; the headings of workbooks and frames differ."""
    names: Mapping[str, str] = {}
    if COLUMNS["row"].heading in header:
        names = _HEADINGS
    elif {ROW, "error_message", "hint"} <= set(header):  # result.fix
        names = {column: own.name for column, own in COLUMNS.items()}
    return [names.get(name, name) for name in header]


def _restored(
    names: Sequence[str], positions: Sequence[int], is_guarded: bool, row: TableRow
) -> TableRow:
    """Return the original row.

    Raises:
        InputError: The row may be in the store already, or its row name is invalid.
    """
    own = dict(zip(names, row.cells, strict=False))
    answer = own.get(ALLOW, "").strip().casefold()
    record, state, origin = own.get(ROW, "").strip(), own.get(STATE, ""), None
    if match := _NAMED.fullmatch(record):
        origin = RowOrigin(match[1], int(match[2]))
    elif record:
        message = f"the column {ROW} must name a row of an import, got {record!r}"
        hint = "copy the row from fix.csv again, or clear that cell if it is a new animal"
        raise InputError(message, line=row.line, hint=hint)
    elif state not in _RETURNABLE:
        message = f"this row is {state!r} in an earlier import, so it may be in the store already"
        hint = "load fix.csv; to settle unconfirmed rows, reconcile their import"
        raise InputError(message, line=row.line, column=STATE, hint=hint)
    cells = [row.cells[at] for at in positions if at < len(row.cells)]
    if is_guarded:
        cells = [*map(unguarded, cells)]
    extra = [own.get(name, "") for name in names if name.startswith(EXTRA)]
    extra += row.cells[len(names) :]
    while extra and not extra[-1].strip():
        extra.pop()
    notes = {new: row.notes[at] for new, at in enumerate(positions) if at in row.notes}
    problems = {new: row.problems[at] for new, at in enumerate(positions) if at in row.problems}
    texts = [*cells, *extra]
    return TableRow(row.line, texts, 1, notes, problems, row.is_hidden, answer, origin)


def denied(answer: str) -> RowProblem | None:
    """Return the problem of a row that a person did not confirm in the fix file, or None."""
    kind = answer.rpartition(":")[2].strip()  # a frame has only the kind
    if not (answer.startswith("no") or answer in _KINDS):
        return None
    suspicion = Suspicion(kind) if kind in _KINDS else Suspicion.TOTAL_ROW
    return suspicious(suspicion, f"not sent ({suspicion}): {_CONFIRM_HINT}")
