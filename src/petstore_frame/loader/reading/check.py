"""What will become of a record: sent, refused, held or skipped, before any request.

Most records of most files are plain, so there is a short way: what a name, and the other sent cells
together, come to is remembered by their text, with the bytes of the payload.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any
from unicodedata import normalize

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import CellError, quoted, read_cell, suspicious
from petstore_frame.loader.reading.options import Rules
from petstore_frame.loader.reading.tables import MERGED, NUMBER_NOTE, Aside, Oddity, Row
from petstore_frame.loader.record import (
    Record,
    RecordProblem,
    State,
    Suspicion,
    fingerprint_of,
)
from petstore_frame.schema.models import FIELD_BY_NAME, SENT_FIELDS

# An error of a spreadsheet, or a long number of which it kept some digits, names no animal.
_NO_KEY = re.compile(r"#[A-Z/0!?]+[!?A]?$|\d([.,]\d+)?E\+\d+$")
_AT_ONCE, _MAX_REMEMBERED = 128, 100_000
_LIKE_A_TOTAL = suspicious(Suspicion.TOTAL_ROW, "this looks like a total, not like an animal")
_SWALLOWING = suspicious(
    Suspicion.SWALLOWED_ROWS, "the cell seems to hold other rows: a quote ends lines below"
)
_NOTHING, _OF_NUMBERS = Aside(), ("int64", "Int64", "Float64")
_record = tuple.__new__
# A part of the payload, and what is to be noted of it.
_Part = tuple[bytes, tuple[str, ...]]


class Checker:
    """Turns the rows of one source into Records.

    Args:
        columns, mapping, key: As of a ``Source``.
        rules: What the caller says of the cells.
        delimiters: What may stand between the cells of a text file.
        is_returned: It is one of our own files, where the rows around a row tell nothing.
    """

    def __init__(
        self,
        columns: Sequence[str],
        mapping: Mapping[str, str],
        rules: Rules = Rules(),  # noqa: B008 # frozen
        key: Sequence[str] = (),
        delimiters: str = "",
        *,
        is_returned: bool = False,
    ) -> None:
        self.columns, self.rules, self._delimiters = tuple(columns), rules, delimiters
        self._is_returned = is_returned
        self._confirmed = replace(rules, accept=frozenset(Suspicion))
        fields = [field for field in SENT_FIELDS if field.name in mapping]
        self._places = {field.name: self.columns.index(mapping[field.name]) for field in fields}
        self._numbers = {self._places[each.name] for each in fields if each.dtype in _OF_NUMBERS}
        self._keys = tuple(self.columns.index(column) for column in key)
        self._name_at = self._places["name"]
        self._others = {field: at for field, at in self._places.items() if field != "name"}
        self._other_cells = itemgetter(*self._others.values())
        self._heads: dict[str, _Part] = {}
        self._tails: dict[Any, _Part] = {}

    def batches(self, rows: Iterable[Row]) -> Iterator[list[Record]]:
        """Yield the records of rows, in order, many at once."""
        totals, above = list[Record](), ""
        for records in self._judged(rows):
            if self._is_returned:
                yield records
            else:
                above = self._note_twins(records, above)
                yield _settled(records, totals)
        yield [*map(self._held_as_total, totals)]

    def _judged(self, rows: Iterable[Row]) -> Iterator[list[Record]]:
        """Yield the records as far as each can be judged alone."""
        heads, tails, others, name_at = self._heads, self._tails, self._other_cells, self._name_at
        width, pending, has_key, key_of = len(self.columns), State.PENDING, self._keys, self._key_of
        is_moot, records = self._is_moot, list[Record]()
        try:
            for number, (line, cells, aside) in enumerate(rows, 1):
                if len(records) == _AT_ONCE:
                    yield records
                    records = []
                # One line, each cell known: all that a record can hold against it was looked at.
                if (aside is None or is_moot(aside)) and len(cells) == width:
                    name = cells[name_at]
                    head = heads.get(name) or self._head(name)
                    tail = tails.get(others(cells)) or self._tail(cells)
                    key = key_of(cells) if has_key else None
                    if head and tail and (key or not has_key):
                        start, noted = head
                        end, told = tail
                        payload, notes = start + end, noted + told
                        records.append(_record(Record, (
                            number, line, tuple(cells), pending, payload, fingerprint_of(payload),
                            None, notes, key, None, None, False,
                        )))  # fmt: skip
                        continue
                records.append(self.judge(number, Row(line, cells, aside)))
        except InputError:
            yield records  # those above the fault can be shown
            raise
        yield records

    def _is_moot(self, aside: Aside) -> bool:
        """Tell whether all that is said is of cells that are not sent, or of numbers as such."""
        return (
            bool(aside.oddities)
            and aside.held is None
            and not self._is_returned
            and all(
                at not in self._places.values() or (odd == NUMBER_NOTE and at in self._numbers)
                for at, odd in aside.oddities.items()
            )
        )

    def _head(self, name: str) -> _Part | None:
        """Return the begin of a request body, remembered; None where a name is not plain."""
        try:
            part = self._part("name", name, None, self.rules)
        except CellError:
            return None
        return None if Suspicion.TOTAL_ROW in part[1] else _remember(self._heads, name, part)

    def _tail(self, cells: Sequence[str]) -> _Part | None:
        """Return the rest of a request body, remembered; None where a cell is not plain."""
        others = self._others.items()
        try:
            part = _joined([self._part(name, cells[at], None, self.rules) for name, at in others])
        except CellError:
            return None
        return _remember(self._tails, self._other_cells(cells), part)

    def judge(self, number: int, row: Row) -> Record:
        """Check one record by the long way; it is record ``number``, 1 for the first."""
        line, cells, aside = row.line, tuple(row.cells), row.aside or _NOTHING
        is_blank = not any(cell and not cell.isspace() for cell in cells)
        if is_blank and not _refuses(aside):
            blank = Record(number, line, cells, State.SKIPPED, notes=("blank",))
            # A row of a fix file that was emptied is left out on purpose.
            return blank._replace(origin=aside.origin, left_out=aside.origin is not None)
        rules = self._confirmed if aside.is_confirmed else self.rules
        problems, notes = self._check_width(cells)
        key = self._key_of(cells) if self._keys else None
        if self._keys and key is None:
            problems.append(self._keyless(cells))
        parts = list[_Part]()
        for field, at in self._places.items() if not problems else ():
            text = cells[at] if at < len(cells) else ""
            try:
                parts.append(self._part(field, text, aside.oddities.get(at), rules))
            except CellError as refused:
                problems.append(self._placed(refused, at, cells))
        payload, noted = _joined(parts)
        warnings = [*notes, *noted]
        for doubt, place in [] if problems else self._doubts(cells, aside, warnings):
            if doubt.problem.accept in rules.accept:
                warnings.append(str(doubt.problem.accept))
            else:
                problems.append(self._placed(doubt, place, cells))
        record = Record(number, line, cells, State.PENDING, payload, key=key, origin=aside.origin)
        mark = None if problems else fingerprint_of(payload)
        record = record._replace(fingerprint=mark, notes=tuple(warnings))
        return _refused(record, problems) if problems else record

    def _part(self, field: str, text: str, oddity: Oddity | None, rules: Rules) -> _Part:
        """Return what a cell adds to the payload.

        Raises:
            CellError: It cannot be sent.
        """
        if isinstance(oddity, CellError):
            raise oddity
        column = FIELD_BY_NAME[field]
        value, notes = read_cell(column, text, rules)
        # A number is what a number's field is for, so only in a text it is worth a note.
        is_number = oddity == NUMBER_NOTE and self._places[field] in self._numbers
        odd = [] if oddity is None or is_number else [oddity]
        if value is None:
            return b"", (*odd, *notes)
        sign = "{" if field == "name" else ","
        return f'{sign}"{column.wire_name}":{value}'.encode(), (*odd, *notes)

    def _check_width(self, cells: tuple[str, ...]) -> tuple[list[RecordProblem], list[str]]:
        """Return the problems and the notes of a record of too many or too few cells."""
        width = len(self.columns)
        what = f"the record has {len(cells)} of {width} cells"
        if extra := [cell for cell in cells[width:] if cell.strip()]:
            hint = "put a cell that holds the delimiter into quotes"
            return [RecordProblem("extra_cell", what, value=extra[0][:200], hint=hint)], []
        missing = [field for field, at in self._places.items() if at >= len(cells)]
        required = [field for field in missing if FIELD_BY_NAME[field].is_required]
        if required:
            hint = f"add the missing cells, from {self.columns[len(cells)]!r} on"
            column = self.columns[self._places[required[0]]]
            return [RecordProblem("missing_cell", what, column=column, hint=hint)], []
        return [], ["empty_extra_cells"] * (len(cells) > width) + ["short_row"] * bool(missing)

    def _key_of(self, cells: Sequence[str]) -> str | None:
        """Return the text of the cells that identify the animal, None where all are empty."""
        texts = [
            normalize("NFC", cells[at].strip()) if at < len(cells) else "" for at in self._keys
        ]
        if not any(texts) or any(map(_NO_KEY.match, texts)):
            return None
        return texts[0] if len(texts) == 1 else f"[{', '.join(map(quoted, texts))}]"

    def _keyless(self, cells: Sequence[str]) -> RecordProblem:
        empty = [at for at in self._keys if at >= len(cells) or not cells[at].strip()] or self._keys
        hint = "fill it in: it says which animal this is"
        return RecordProblem("key_missing", "the key is missing", self.columns[empty[0]], hint=hint)

    def _doubts(
        self, cells: tuple[str, ...], aside: Aside, notes: list[str]
    ) -> Iterator[tuple[CellError, int | None]]:
        """Yield why a record that could be sent is held, and in which cell that shows."""
        if aside.held is not None:
            yield aside.held, None
        at = self._swallowing(cells)
        if at is not None:
            yield _SWALLOWING, at
        if self._is_returned and Suspicion.TOTAL_ROW in notes:
            notes.remove(Suspicion.TOTAL_ROW)
            if aside.held is None or aside.held.problem.accept != Suspicion.TOTAL_ROW:
                yield _LIKE_A_TOTAL, self._name_at

    def _swallowing(self, cells: tuple[str, ...]) -> int | None:
        """Return the place of a cell that holds line breaks and what looks like other rows."""
        width = len(self.columns)
        for at, cell in enumerate(cells[:width]):
            if "\n" not in cell and "\r" not in cell:
                continue
            for sign in self._delimiters:
                rows = any(line.count(sign) == width - 1 for line in cell.splitlines())
                if sign in cell and (at == self._name_at or (rows and width > 2)):
                    return at
        return None

    def _placed(self, refused: CellError, at: int | None, cells: Sequence[str]) -> RecordProblem:
        if at is None:
            return refused.problem
        return replace(refused.problem, column=self.columns[at], value=cells[at][:200])

    def _note_twins(self, records: list[Record], above: str) -> str:
        """Note of names that look like the one above and are not; return the last one."""
        at = self._name_at
        for place, record in enumerate(records):
            name = record.cells[at] if at < len(record.cells) else ""
            if (
                name != above
                and not (name.isascii() and above.isascii())
                and _are_twins(name, above)
            ):
                records[place] = record._replace(notes=(*record.notes, "unicode_twin"))
            above = name
        return above

    def _held_as_total(self, record: Record) -> Record:
        """Hold a record called Total below which no animal stands."""
        if not _is_called_total(record) or Suspicion.TOTAL_ROW in self.rules.accept:
            return record
        return _refused(record, [self._placed(_LIKE_A_TOTAL, self._name_at, record.cells)])


def _settled(records: list[Record], totals: list[Record]) -> list[Record]:
    """Return records with those called Total above them, which are animals as these are.

    What may be a total waits in ``totals``, with blank rows below it.
    """
    if not totals and not any(each.notes and _is_called_total(each) for each in records):
        return records
    settled = list[Record]()
    for record in records:
        if _is_called_total(record) or (totals and record.state is State.SKIPPED):
            totals.append(record)
            continue
        for total in totals:
            called = ["called_total"] * _is_called_total(total)
            settled.append(total._replace(notes=(*_without_total(total), *called)))
        totals.clear()
        settled.append(record)
    return settled


def _are_twins(name: str, other: str) -> bool:
    return normalize("NFKC", name) == normalize("NFKC", other)


def _is_called_total(record: Record) -> bool:
    return Suspicion.TOTAL_ROW in record.notes


def _without_total(record: Record) -> Iterator[str]:
    return (note for note in record.notes if note != Suspicion.TOTAL_ROW)


def _refused(record: Record, problems: Sequence[RecordProblem]) -> Record:
    """Return a record with the first of its problems; the others are told as warnings."""
    others = (f"also {other.column}: {other.message}" for other in problems[1:])
    warnings = (*_without_total(record), *others)
    state = State.INVALID
    return record._replace(
        state=state, payload=None, fingerprint=None, problem=problems[0], notes=warnings
    )


def _joined(parts: Sequence[_Part]) -> _Part:
    """Return the parts of a request body up to its end as one."""
    body = b"".join(sent for sent, _ in parts)
    return body + b"}", tuple(note for _, notes in parts for note in notes)


def _remember(known: dict[Any, _Part], cell: Any, part: _Part) -> _Part:
    if len(known) >= _MAX_REMEMBERED:
        known.clear()
    known[cell] = part
    return part


def _refuses(aside: Aside) -> bool:
    """Tell whether a cell without text holds something all the same, such as an error."""
    refusals = [odd for odd in aside.oddities.values() if isinstance(odd, CellError)]
    return any(odd.problem.code != MERGED for odd in refusals)
