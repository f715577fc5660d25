"""What our own result files carry beside the records, and what it means when they come back.

In: text of a record on its way into a file, or the rows of a file that has our columns. Out: text
that no spreadsheet runs, or the record as it was. A record in doubt is refused here, because
loading it again could make it twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.check import Checker, OddRow
from petstore_frame.loader.reading.mapping import OWN_PREFIX
from petstore_frame.loader.record import Origin, Record

ESCAPED, STATE, EXTRA = f"{OWN_PREFIX}escaped", f"{OWN_PREFIX}state", f"{OWN_PREFIX}extra"
RUN, RECORD = f"{OWN_PREFIX}run", f"{OWN_PREFIX}record"
# As files of earlier versions call it.
_RECORDS = (RECORD, f"{OWN_PREFIX}row")

_RETURNABLE = ("", "invalid", "rejected")
_RUNNABLE = tuple("=+-@\t\r\n＝＋－＠")
# What a spreadsheet takes for a number, a date or a truth value, and would write back as another
# text: 007 as 7, 1/1/20 as 01/01/20, "Jan 5" with a year, MARCH1 as a day.
_CONVERTED = re.compile(r"\W*\d|[^\W\d_]+\W*\d+\W*$|(true|false)$", re.IGNORECASE)
_GUARD = "'"
_RUN_ID = re.compile("[0-9a-f]{32}")


def harmless(text: str) -> str:
    """Return text that no spreadsheet takes for a formula.

    Example:
        >>> harmless("=1+1"), harmless("Luna")
        ("'=1+1", 'Luna')
    """
    return _GUARD + text if text.startswith(_RUNNABLE) else text


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


class Returned:
    """The columns of a result file that has come back.

    Args:
        header: All its columns.

    Attributes:
        header: Those of the file that the records first came from.
    """

    def __init__(self, header: Sequence[str]) -> None:
        self._kept = [at for at, name in enumerate(header) if not name.startswith(OWN_PREFIX)]
        self._extra = [at for at, name in enumerate(header) if name.startswith(EXTRA)]
        self._width = len(header)
        places = {name: at for at, name in enumerate(header)}
        self._state, self._escaped = places.get(STATE), places.get(ESCAPED)
        self._run = places.get(RUN)
        self._record = next((places[name] for name in _RECORDS if name in places), None)
        self.header = tuple(self._unguarded(header[at], is_listed=True) for at in self._kept)

    def records(self, rows: Iterable[OddRow], checker: Checker) -> Iterator[Record]:
        """Yield the records of the file as they were, with the record each was fixed from."""
        for number, (line, cells, oddities) in enumerate(rows, 1):
            odd = {
                new: oddities[at]
                for new, at in enumerate(self._kept)
                if oddities and at in oddities
            }
            record = checker.judge(number, line, self.restore(line, cells), odd)
            yield record._replace(origin=self.origin_of(line, cells))

    def run_of(self, cells: Sequence[str]) -> str:
        """Return the id of the import that a record is a result of, empty where that is lost."""
        return _cell(cells, self._run).strip()

    def origin_of(self, line: int, cells: Sequence[str]) -> Origin | None:
        """Return the record that a row was fixed from; None for a row that somebody added.

        Raises:
            InputError: What names it was edited.
        """
        run_id, record = self.run_of(cells), _cell(cells, self._record).strip()
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

    def restore(self, line: int, cells: Sequence[str]) -> list[str]:
        """Return a record's own cells, as they were before they were made harmless.

        Raises:
            InputError: The record was created, or may have been.
        """
        state = _cell(cells, self._state)
        if state not in _RETURNABLE and not self.run_of(cells):
            raise InputError(
                f"this record is {state!r} in an earlier import, so it may be in the store already",
                line=line,
                column=STATE,
                hint="load fix.csv; records in doubt are settled by reconcile, at the import that "
                "they come from",
            )
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


def has_own_columns(header: Sequence[str]) -> bool:
    """Tell whether a header is that of one of our result files."""
    return any(name.startswith(OWN_PREFIX) for name in header)


def _cell(cells: Sequence[str], at: int | None) -> str:
    return cells[at] if at is not None and at < len(cells) else ""


def _names(text: str) -> list[str]:
    try:
        names = json.loads(text) if text else []
    except ValueError:
        return []
    return names if isinstance(names, list) else []
