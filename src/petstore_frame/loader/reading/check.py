"""What will become of a record: sent, refused, held or skipped, before any request."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import NamedTuple
from unicodedata import normalize

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import CellError, Rules, read_cell, suspicious, word_of
from petstore_frame.loader.reading.keys import Keys
from petstore_frame.loader.reading.options import Options, columns_in, filled_in
from petstore_frame.loader.reading.ranks import Ranks
from petstore_frame.loader.reading.tables import MERGED, NUMBER_NOTE, Row, RowNotes
from petstore_frame.loader.reading.text import cut_plainly
from petstore_frame.loader.record import (
    Record,
    RecordProblem,
    State,
    Suspicion,
    digest_of,
)
from petstore_frame.schema.models import FIELD_BY_NAME, SENT_FIELDS

_AT_ONCE, _REMEMBERED = 128, 16_384
MOST_OF_A_ROW, _MOST_SEEN = 1_000, 1_000_000
_LIKE_A_TOTAL = suspicious(Suspicion.TOTAL_ROW, "this looks like a total, not like an animal")
_SWALLOWING = suspicious(
    Suspicion.SWALLOWED_ROWS, "the cell seems to hold other rows: a quote ends lines below"
)
_NOTHING, _OF_NUMBERS = RowNotes(), ("int64", "Int64", "Float64")


class _Part(NamedTuple):
    """What a cell adds to the request body, what is noted of it, or why it cannot be sent."""

    body: bytes = b""
    notes: tuple[str, ...] = ()
    refused: CellError | None = None


class Checker:
    """Turns the rows of one source into Records.

    Args:
        columns, mapping: As of a ``Source``.
        options, rules: What the caller says, its columns spelled as the file does, and what that
            means for the cells.
        keys, ranks: What reads the keys, and the column by which the newest row is known.
        delimiters: What may stand between the cells of a text file.
        is_returned: It is one of our own files, where the rows around a row tell nothing.
        leave_lines: The lines that the caller leaves out.
    """

    def __init__(
        self,
        columns: Sequence[str],
        mapping: Mapping[str, str],
        options: Options = Options(),  # noqa: B008 # frozen
        rules: Rules | None = None,
        keys: Keys | None = None,
        ranks: Ranks | None = None,
        delimiters: str = "",
        *,
        is_returned: bool = False,
        leave_lines: Collection[int] = (),
    ) -> None:
        self._columns, self._delimiters, self._is_returned = tuple(columns), delimiters, is_returned
        self._rules = options.rules() if rules is None else rules
        self._defaults = {name: str(text) for name, text in (options.defaults or {}).items()}
        known = [each.name for each in SENT_FIELDS if each.name in {*mapping, *self._defaults}]
        self._fields = {
            name: self._columns.index(mapping[name]) if name in mapping else None for name in known
        }
        self._numbers = {name for name in known if FIELD_BY_NAME[name].dtype in _OF_NUMBERS}
        self._name_at = self._fields.get("name")
        self._readers = _readers(known, self._rules)
        confirmed = replace(self._rules, accept=frozenset(Suspicion))
        self._confirmed_readers = _readers(known, confirmed)
        self._leave_lines = frozenset(leave_lines)
        self._leave_out, self._only = (
            {self._columns.index(name): frozenset(map(word_of, words)) for name, words in each}
            for each in ((options.leave_out or {}).items(), (options.only or {}).items())
        )
        self._leaves = {*self._leave_out, *self._only}
        self._is_kept = options.keep is not None
        self._keys = keys or Keys()
        self._ranks = ranks or Ranks()
        self._count_at = None if options.count is None else self._columns.index(options.count)
        self._seen = None if keys or is_returned else set[int]()

    def batches(self, rows: Iterable[Row]) -> Iterator[list[Record]]:
        """Yield the records of rows, in order, many at once."""
        records = list[Record]()
        try:
            for record in self.records(rows):
                records.append(record)
                if len(records) == _AT_ONCE:
                    yield records
                    records = []
        except InputError:
            yield records  # those above the fault can be shown
            raise
        yield records

    def records(self, rows: Iterable[Row]) -> Iterator[Record]:
        """Yield the records of rows, in order; a Total is held where no animal stands below it."""
        if self._is_returned:
            yield from self._each(rows)
            return
        waiting = list[Record]()
        for record in self._each(rows):
            is_total = Suspicion.TOTAL_ROW in record.notes
            if is_total or (waiting and record.state is State.SKIPPED):
                waiting.append(record)
                continue
            for above in waiting:
                called = ("called_total",) if Suspicion.TOTAL_ROW in above.notes else ()
                yield above._replace(notes=(*_without_total(above), *called))
            waiting.clear()
            yield record
        yield from map(self._held_as_total, waiting)

    def _each(self, rows: Iterable[Row]) -> Iterator[Record]:
        """Yield the records as far as each can be judged by itself and the one above it."""
        number, above = 0, ""
        for row in rows:
            if row.raw and self._is_swallowing(row.cells):
                for record in self._swallowed(number, row):
                    number += 1
                    yield record
                continue
            count, refused = self._count_of(row)
            for ordinal in range(1, count + 1):
                number += 1
                is_counted = self._count_at is not None
                record = self.check(number, row, str(ordinal) if is_counted else "", refused)
                name = self._name_of(record)
                if _are_twins(name, above) and not self._is_returned:
                    record = record._replace(notes=(*record.notes, "unicode_twin"))
                above = name
                yield record

    def check(
        self, number: int, row: Row, ordinal: str = "", refused: RecordProblem | None = None
    ) -> Record:
        """Check one record; ``refused`` is why its row cannot be one, if that is known."""
        line, cells, about = row.line, tuple(row.cells), row.notes or _NOTHING
        if not (any(cells) and "".join(cells).strip()) and not _refuses(about):
            is_emptied = about.origin is not None
            blank = Record(number, line, cells, State.SKIPPED, origin=about.origin)
            return blank._replace(notes=() if is_emptied else ("blank",), left_out=is_emptied)
        problems, notes = self._check_width(cells)
        parts = {} if problems else self._read_parts(cells, about, problems, notes)
        key, keyless = self._keys.read(cells, ordinal)
        if keyless is not None:
            problems.insert(0, keyless)
        if refused is not None:
            problems.insert(0, refused)
        if not problems:
            self._check_doubts(cells, about, problems, notes)
        if self._seen is not None and not ordinal and not problems:
            self._note_identical(cells, notes)
        bodies = {name: part.body for name, part in parts.items() if part.body}
        payload = b"{" + b",".join(bodies.values()) + b"}"
        bodies.pop("status", None)
        body = b"{" + b",".join(bodies.values()) + b"}"
        record = Record(
            number,
            line,
            cells,
            State.PENDING,
            payload,
            digest_of(body),
            None,
            tuple(notes),
            key,
            about.origin,
            self._ranks.of(cells),
            self._is_left_out(line, cells),
        )
        if problems:
            record = _refused(record, problems)
        if record.left_out and not self._is_kept:
            return record._replace(state=State.SKIPPED, payload=None, problem=None)
        return record

    def _read_parts(
        self,
        cells: tuple[str, ...],
        about: RowNotes,
        problems: list[RecordProblem],
        notes: list[str],
    ) -> dict[str, _Part]:
        """Return what each field adds to the request body; add what is wrong and to be noted."""
        parts: dict[str, _Part] = {}
        readers = self._confirmed_readers if about.is_confirmed else self._readers
        for name, place in self._fields.items():
            at = place
            text = cells[at] if at is not None and at < len(cells) else ""
            if name in self._defaults and self._rules.means_nothing(name, text):
                default = self._default_of(name, cells)
                if default:
                    text, at = default, None
                    notes.append(f"default_{name}")
            note = None if at is None else about.cells.get(at)
            part = readers[name](text) if not isinstance(note, CellError) else _Part(refused=note)
            parts[name] = part
            # A number is what a number's field is for, so only in a text it is worth a note.
            if isinstance(note, str) and not (note == NUMBER_NOTE and name in self._numbers):
                notes.append(note)
            notes += part.notes
            if part.refused is not None:
                problems.append(self._placed(part.refused, at, cells))
        return parts

    def _default_of(self, name: str, cells: Sequence[str]) -> str:
        text = self._defaults[name]
        named = columns_in(text)
        places = {column: self._columns.index(column) for column in named}
        found = {column: cells[at] if at < len(cells) else "" for column, at in places.items()}
        return filled_in(text, found)

    def _count_of(self, row: Row) -> tuple[int, RecordProblem | None]:
        """Return how many animals a row stands for, and why that cannot be said."""
        at, cells = self._count_at, row.cells
        if at is None or not any(map(str.strip, cells)) or (row.notes and row.notes.origin):
            return 1, None
        text, column = (cells[at].strip() if at < len(cells) else ""), self._columns[at]
        whole = text.removesuffix(".0")
        if not (whole.isascii() and whole.isdecimal()) or int(whole[:9]) < 1:
            what = f"{text[:60]!r} is no number of animals"
            hint = "give a whole number from 1 on"
            return 1, RecordProblem("not_a_count", what, column, text[:200], hint)
        count = int(whole[:9])
        if count > MOST_OF_A_ROW and Suspicion.LARGE_COUNT not in self._rules.accept:
            what = f"this row stands for {count:,} animals"
            held = suspicious(Suspicion.LARGE_COUNT, what).problem
            return 1, replace(held, column=column, value=text[:200])
        return count, None

    def _check_width(self, cells: tuple[str, ...]) -> tuple[list[RecordProblem], list[str]]:
        """Return the problems and the notes of a record of too many or too few cells."""
        width = len(self._columns)
        if len(cells) == width:
            return [], []
        what = f"the record has {len(cells)} of {width} cells"
        if extra := [cell for cell in cells[width:] if cell.strip()]:
            hint = "put a cell that holds the delimiter into quotes"
            return [RecordProblem("extra_cell", what, value=extra[0][:200], hint=hint)], []
        if len(cells) > width:
            return [], ["empty_extra_cells"]
        missing = [
            (name, at) for name, at in self._fields.items() if at is not None and at >= len(cells)
        ]
        for name, at in missing:
            if FIELD_BY_NAME[name].is_required and name not in self._defaults:
                hint = f"add the missing cells, from {self._columns[len(cells)]!r} on"
                column = self._columns[at]
                return [RecordProblem("missing_cell", what, column=column, hint=hint)], []
        return [], ["short_row"] if missing else []

    def _check_doubts(
        self,
        cells: tuple[str, ...],
        about: RowNotes,
        problems: list[RecordProblem],
        notes: list[str],
    ) -> None:
        """Hold a record that could be sent, unless a person accepts such records."""
        doubts = list[tuple[CellError, int | None]]()
        if about.held is not None:
            doubts.append((about.held, None))
        if self._name_at is not None and self._may_swallow(cells):
            doubts.append((_SWALLOWING, self._name_at))
        if self._is_returned and Suspicion.TOTAL_ROW in notes:
            notes.remove(Suspicion.TOTAL_ROW)
            if about.held is None or about.held.problem.accept != Suspicion.TOTAL_ROW:
                doubts.append((_LIKE_A_TOTAL, self._name_at))
        for doubt, at in doubts:
            if about.is_confirmed or doubt.problem.accept in self._rules.accept:
                notes.append(str(doubt.problem.accept))
            else:
                problems.append(self._placed(doubt, at, cells))

    def _note_identical(self, cells: tuple[str, ...], notes: list[str]) -> None:
        """Note of a row without a key that one above it is the same in all its cells."""
        if self._seen is None:
            return
        mark = hash(cells)
        if mark in self._seen:
            notes.append("identical_row")
        elif len(self._seen) < _MOST_SEEN:
            self._seen.add(mark)

    def _is_left_out(self, line: int, cells: Sequence[str]) -> bool:
        """Tell whether the caller leaves a row out, by its line or by what its cells hold."""
        if line in self._leave_lines:
            return True
        words = {at: word_of(cells[at]) if at < len(cells) else "" for at in self._leaves}
        if any(words[at] in out for at, out in self._leave_out.items()):
            return True
        return any(words[at] not in only for at, only in self._only.items())

    def _is_swallowing(self, cells: Sequence[str]) -> bool:
        """Tell whether a cell holds line breaks and what looks like other rows."""
        width = len(self._columns)
        if self._is_returned or width < 2 or Suspicion.SWALLOWED_ROWS in self._rules.accept:
            return False
        for at, cell in enumerate(cells[:width]):
            first, *below = cell.splitlines() or [""]
            if below and width > 2 - (at == self._name_at):
                counts = [line.count(self._delimiters) for line in below]
                # The rest of the row in which the quote opens, or a whole row below it.
                if first.count(self._delimiters) == width - 1 - at or width - 1 in counts:
                    return self._delimiters in cell
        return False

    def _may_swallow(self, cells: Sequence[str]) -> bool:
        """Tell whether a name has lines of which one holds a delimiter."""
        at = self._name_at
        name = "" if at is None or at >= len(cells) else cells[at]
        return len(name.splitlines()) > 1 and any(sign in name for sign in self._delimiters)

    def _swallowed(self, number: int, row: Row) -> Iterator[Record]:
        """Yield each line that a quote has swallowed as the record that it seems to be."""
        last = row.line + len(row.raw) - 1
        what = f"a quote that opens in line {row.line} and ends in line {last} swallows rows"
        hint = "read quotes as letters: {}; if they are one cell, accept swallowed_rows"
        problem = RecordProblem(
            "swallowed_rows", what, hint=hint, option=("quoting", "none"), value=row.raw[0][:200]
        )
        for line, cells in enumerate(cut_plainly(row.raw, self._delimiters), row.line):
            number += 1
            yield Record(number, line, tuple(cells), State.INVALID, problem=problem)

    def _placed(self, refused: CellError, at: int | None, cells: Sequence[str]) -> RecordProblem:
        if at is None:
            return refused.problem
        value = cells[at][:200] if at < len(cells) else ""
        return replace(refused.problem, column=self._columns[at], value=value)

    def _name_of(self, record: Record) -> str:
        at = self._name_at
        return record.cells[at] if at is not None and at < len(record.cells) else ""

    def _held_as_total(self, record: Record) -> Record:
        """Hold a record called Total below which no animal stands."""
        is_total = Suspicion.TOTAL_ROW in record.notes
        if not is_total or Suspicion.TOTAL_ROW in self._rules.accept or record.left_out:
            return record
        return _refused(record, [self._placed(_LIKE_A_TOTAL, self._name_at, record.cells)])


def _readers(fields: Iterable[str], rules: Rules) -> dict[str, Callable[[str], _Part]]:
    """Return what reads the cells of each field, and remembers what it has read."""
    return {name: lru_cache(_REMEMBERED)(partial(_part, name, rules)) for name in fields}


def _part(name: str, rules: Rules, text: str) -> _Part:
    column = FIELD_BY_NAME[name]
    try:
        value, notes = read_cell(column, text, rules)
    except CellError as refused:
        return _Part(refused=refused)
    body = b"" if value is None else f'"{column.wire_name}":{value}'.encode()
    return _Part(body, tuple(notes))


def _are_twins(name: str, other: str) -> bool:
    """Tell whether two names look the same and are not."""
    if name == other or (name.isascii() and other.isascii()):
        return False
    return normalize("NFKC", name) == normalize("NFKC", other)


def _without_total(record: Record) -> Iterator[str]:
    return (note for note in record.notes if note != Suspicion.TOTAL_ROW)


def _refused(record: Record, problems: Sequence[RecordProblem]) -> Record:
    """Return a record with the first of its problems; the others are notes."""
    others = (f"also {other.column}: {other.message}" for other in problems[1:])
    notes = (*_without_total(record), *others)
    return record._replace(
        state=State.INVALID, payload=None, fingerprint=None, problem=problems[0], notes=notes
    )


def _refuses(about: RowNotes) -> bool:
    """Tell whether a cell without text holds something all the same, such as an error."""
    refusals = [note for note in about.cells.values() if isinstance(note, CellError)]
    return any(note.problem.code != MERGED for note in refusals)
