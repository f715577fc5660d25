"""What our own result files carry beside the records, and what it means when they come back.

Each row of them names the record that it is, and cells that a spreadsheet would run or convert are
guarded by a quote that is taken off again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import RUNNABLE, suspicious
from petstore_frame.loader.reading.mapping import OWN_PREFIX
from petstore_frame.loader.reading.tables import Row, RowNotes, Table
from petstore_frame.loader.record import Origin, Suspicion
from petstore_frame.schema.models import SENT_FIELDS

ESCAPED, STATE, EXTRA = f"{OWN_PREFIX}escaped", f"{OWN_PREFIX}state", f"{OWN_PREFIX}extra"
RUN, RECORD = f"{OWN_PREFIX}run", f"{OWN_PREFIX}record"
ACCEPT = f"{OWN_PREFIX}accept"
FIX_SHEET = "Fix"


class Own(NamedTuple):
    """A column of ours: its dtype in a frame, its heading and width (letters) in a workbook."""

    dtype: str = "str"
    heading: str = ""
    width: int = 0


_NULLABLE = {"int64": "Int64"}
# By the name in a frame; in other files each has the prefix that the reader knows.
COLUMNS: dict[str, Own] = {
    "record": Own("Int64", "Record (leave as it is)", 26),
    "line": Own("Int64", "Line", 8),
    **{f"sent_{field.name}": Own(_NULLABLE.get(field.dtype, field.dtype)) for field in SENT_FIELDS},
    "state": Own("category", "What became of it", 30),
    "action": Own("category"),
    "pet_id": Own("Int64", "Id in the store", 21),
    "id_source": Own("category"),
    "http_status": Own("Int16"),
    "error_code": Own(),
    "error_message": Own("str", "What is wrong", 44),
    "error_column": Own("str", "In column", 18),
    "error_value": Own(),
    "hint": Own("str", "How to mend it", 44),
    "accept": Own("str", "Send as it is? (yes)", 24),
    "reason": Own("category"),
    "changed": Own("str", "Otherwise now (was → is)", 34),
    "warnings": Own("str", "Warnings", 30),
    "attempts": Own("Int32"),
    "first_sent_at": Own("datetime64[us, UTC]", "First sent (UTC)", 21),
    "settled_at": Own("datetime64[us, UTC]"),
    "elapsed_ms": Own("Float64"),
    "correlation_id": Own(),
    "idempotency_key": Own(),
    "payload_sha256": Own(),
    "run_id": Own("str", "Import (leave as it is)", 26),
    "records_sha256": Own(),
}
# What helps to fix a record comes first, right after its own cells: in fix.csv, on the sheet Fix.
FIX_COLUMNS = (
    "error_message", "hint", "error_column", "line", "error_code", "state", "record",
    "http_status", "correlation_id", "warnings", "accept", "run_id",
)  # fmt: skip
FIX_SHEET_COLUMNS = (
    "error_message", "hint", "error_column", "line", "accept", "run_id", "record",
)  # fmt: skip
_FILE_NAMES = {"error_message": "error", "error_column": "column", "run_id": "run"}
_KINDS = frozenset(str(kind) for kind in Suspicion)
_YES = ("yes", "y", "x", "true", "1", "ja", "oui", "si", "sí", "sim")
# As files of earlier versions call it.
_RECORDS = (RECORD, f"{OWN_PREFIX}row")

_RETURNABLE = ("", "invalid", "rejected")
# What a spreadsheet takes for a number, a date or a truth value, and would write back as another
# text: 007 as 7, 1/1/20 as 01/01/20, "Jan 5" with a year, MARCH1 as a day.
_CONVERTED = re.compile(r"\W*\d|[^\W\d_]+\W*\d+\W*$|(true|false)$", re.IGNORECASE)
_GUARD = "'"
_SAY_YES = "write yes in place of no, or empty that cell where it is corrected"
_RUN_ID = re.compile("[0-9a-f]{32}")
# A text that no spreadsheet takes for a number or a time.
_NAMED = re.compile("r([0-9a-f]{8,32})-([0-9]+)")


def file_name(column: str) -> str:
    """Return what a column of ours is called in a file.

    Example:
        >>> file_name("error_message")
        '_pf_error'
    """
    return OWN_PREFIX + _FILE_NAMES.get(column, column)


_HEADINGS = {COLUMNS[name].heading: file_name(name) for name in FIX_SHEET_COLUMNS}


def harmless(text: str) -> str:
    """Return text that no spreadsheet takes for a formula.

    Example:
        >>> harmless("=1+1"), harmless("Luna")
        ("'=1+1", 'Luna')
    """
    return _GUARD + text if text.startswith(RUNNABLE) else text


def unconverted(text: str) -> str:
    """Return a name that a spreadsheet neither runs nor takes for a number or a date.

    Example:
        >>> unconverted("007"), unconverted("Jan 5"), unconverted("=1+1"), unconverted("Luna")
        ("'007", "'Jan 5", "'=1+1", 'Luna')
    """
    return _GUARD + text if _CONVERTED.match(text) else harmless(text)


def escaped_columns(header: Sequence[str], cells: Sequence[str], written: Sequence[str]) -> str:
    """Return which cells were written otherwise than they are, for the column ``_pf_escaped``."""
    names = [name for name, cell, text in zip(header, cells, written, strict=False) if cell != text]
    return json.dumps(names, ensure_ascii=False) if names else ""


class Columns(NamedTuple):
    """Which columns of an import hold which field, and which identify an animal."""

    mapping: Mapping[str, str]
    key: tuple[str, ...] = ()


# Gives the columns of the import with this id; None where it is not known.
ColumnsOf = Callable[[str], Columns | None]


def restored(table: Table) -> Table:
    """Return the records of a result file as a table of the file that they first came from."""
    own = _OwnColumns(table.columns)
    return replace(table, columns=own.header, rows=lambda: map(own.restore, table.rows()))


def columns_by(table: Table, columns_of: ColumnsOf) -> Columns | None:
    """Return the columns of the import that restored rows are of, if they are all there."""
    with suppress(InputError):  # reported when the records are read
        origin = next((row.notes.origin for row in table.rows() if row.notes), None)
        known = columns_of(origin.import_id) if origin is not None else None
        if known is not None and {*known.mapping.values(), *known.key} <= set(table.columns):
            return known
    return None


class _OwnColumns:
    """Where our columns stand in a result file; ``header`` has the others."""

    def __init__(self, header: Sequence[str]) -> None:
        names = own_names(header)
        self._kept = [at for at, name in enumerate(names) if not name.startswith(OWN_PREFIX)]
        self._extra = [at for at, name in enumerate(names) if name.startswith(EXTRA)]
        self._width = len(names)
        places = {name: at for at, name in enumerate(names)}
        self._state, self._escaped = places.get(STATE), places.get(ESCAPED)
        self._run, self._accept = places.get(RUN), places.get(ACCEPT)
        self._record = next((places[name] for name in _RECORDS if name in places), None)
        self.header = tuple(self._unguarded(header[at], is_listed=True) for at in self._kept)

    def restore(self, row: Row) -> Row:
        """Return a row as it was; one that may be in the store already is an InputError."""
        line, cells, given = row.line, row.cells, row.notes or RowNotes()
        odd = {new: given.cells[at] for new, at in enumerate(self._kept) if at in given.cells}
        answer = _cell(cells, self._accept).strip().casefold()
        # A frame has the kind alone.
        kind, held = answer.rpartition(":")[2].strip(), given.held
        if answer.startswith("no") or answer in _KINDS:
            known = Suspicion(kind) if kind in _KINDS else Suspicion.TOTAL_ROW
            held = suspicious(known, f"held as {known}: {_SAY_YES}")
        origin = self._origin_of(line, cells)
        if origin is None and _cell(cells, self._state) not in _RETURNABLE:
            raise InputError(
                f"this record is {_cell(cells, self._state)!r} in an earlier import, so it may be "
                "in the store already",
                line=line,
                column=STATE,
                hint="load fix.csv; records in doubt are settled by reconcile, at the import that "
                "they come from",
            )
        return Row(line, self._own_cells(cells), RowNotes(odd, held, answer in _YES, origin))

    def _origin_of(self, line: int, cells: Sequence[str]) -> Origin | None:
        """Return the record that a row was fixed from; None for a row that somebody added."""
        run_id, record = _cell(cells, self._run).strip(), _cell(cells, self._record).strip()
        if named := _NAMED.fullmatch(record):
            return Origin(named[1], int(named[2]))
        if not run_id and not record:
            return None
        number = record.partition(".")[0]  # some programs write 3 as 3.0
        if not _RUN_ID.fullmatch(run_id) or not number.isdecimal():
            raise InputError(
                f"the columns that say which record this is hold {run_id!r} and {record!r}",
                line=line,
                hint="take the row from fix.csv again, or empty both cells if it is a new animal",
            )
        return Origin(run_id, int(number))

    def _own_cells(self, cells: Sequence[str]) -> list[str]:
        """Return a record's own cells, as they were before they were made harmless."""
        listed = _names(_cell(cells, self._escaped))
        row = [
            self._unguarded(cells[at], is_listed=name in listed)
            for name, at in zip(self.header, self._kept, strict=True)
            if at < len(cells)
        ]
        extra = [_cell(cells, at) for at in self._extra] + list(cells[self._width :])
        while extra and not extra[-1].strip():
            extra.pop()
        return row + extra

    def _unguarded(self, text: str, *, is_listed: bool) -> str:
        is_ours = is_listed and self._escaped is not None and text.startswith(_GUARD)
        return text[1:] if is_ours and unconverted(text[1:]) == text else text


def own_names(header: Sequence[str]) -> list[str]:
    """Return column names with those of our workbooks and frames as our other files have them."""
    names: Mapping[str, str] = {}
    if COLUMNS["record"].heading in header:
        names = _HEADINGS
    elif set(FIX_COLUMNS) <= set(header):
        names = {column: file_name(column) for column in COLUMNS}
    return [names.get(name, name) for name in header]


def has_own_columns(header: Sequence[str]) -> bool:
    """Tell whether a header is that of one of our result files."""
    return any(name.startswith(OWN_PREFIX) for name in own_names(header))


def _cell(cells: Sequence[str], at: int | None) -> str:
    return cells[at] if at is not None and at < len(cells) else ""


def _names(text: str) -> list[str]:
    try:
        names = json.loads(text) if text else []
    except ValueError:
        return []
    return names if isinstance(names, list) else []
