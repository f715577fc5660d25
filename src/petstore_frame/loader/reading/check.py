"""Whether a record can be sent, needs a fix or a yes, or is skipped; before any request."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import CellRules, read_cell, suspicious, word_of
from petstore_frame.loader.reading.keys import Keys, Ranks
from petstore_frame.loader.reading.options import RecipeOptions, filled_in
from petstore_frame.loader.reading.tables import MERGED, NUMBER_NOTE, Row, RowNotes
from petstore_frame.loader.reading.text_file import DELIMITERS, cut_plainly
from petstore_frame.loader.record import Record, RecordProblem, State, Suspicion, digest_of
from petstore_frame.schema.models import SENT_FIELDS, PetField

_AT_ONCE, _REMEMBERED = 128, 16_384
MOST_OF_A_ROW, _MOST_SEEN = 1_000, 1_000_000
_LIKE_A_TOTAL = suspicious(Suspicion.TOTAL_ROW, "this looks like a total, not like an animal")
_SWALLOWING = suspicious(
    Suspicion.SWALLOWED_ROWS, "the cell seems to hold other rows: a quote ends lines below"
)
_NOTHING, _OF_NUMBERS = RowNotes(), ("int64", "Int64", "Float64")


class _Part(NamedTuple):
    """What a cell adds to the request body, with notes, or why it cannot be sent."""

    body: bytes
    notes: tuple[str, ...]
    problem: RecordProblem | None


class _Field(NamedTuple):
    """A field that is sent: its place, its reader, and its default."""

    column: PetField
    at: int | None
    default: str
    read: Callable[[str], _Part]
    read_confirmed: Callable[[str], _Part]


class Checker:
    """Turns the rows of one source into Records; the options spell columns as the file does."""

    def __init__(
        self,
        columns: Sequence[str],
        mapping: Mapping[str, str],
        options: RecipeOptions = RecipeOptions(),  # noqa: B008 # frozen
        rules: CellRules | None = None,
        keys: Keys | None = None,
        ranks: Ranks | None = None,
        delimiter: str = "",
        *,
        is_returned: bool = False,
        leave_lines: Collection[int] = (),
    ) -> None:
        self._columns, self._delimiter, self._is_returned = tuple(columns), delimiter, is_returned
        # A cell that swallowed rows in a text file still holds them in our result file.
        self._signs = DELIMITERS if is_returned else tuple(delimiter)
        self._rules = options.rules() if rules is None else rules
        self._fields = [*self._fields_of(mapping, options.defaults or {})]
        self._name_at = self._columns.index(mapping["name"]) if "name" in mapping else None
        self._keys, self._ranks = keys or None, ranks
        self._count_at = None if options.count is None else self._columns.index(options.count)
        self._is_kept, self._leave_lines = options.keep is not None, frozenset(leave_lines)
        self._leave_out, self._only = (
            {self._columns.index(name): frozenset(map(word_of, words)) for name, words in each}
            for each in ((options.leave_out or {}).items(), (options.only or {}).items())
        )
        self._may_leave = bool(self._leave_out or self._only)
        self._seen = None if keys or is_returned else set[int]()

    def _fields_of(
        self, mapping: Mapping[str, str], defaults: Mapping[str, object]
    ) -> Iterator[_Field]:
        confirmed = replace(self._rules, accept=frozenset(Suspicion))
        for column in SENT_FIELDS:
            at = self._columns.index(mapping[column.name]) if column.name in mapping else None
            default = str(defaults.get(column.name, ""))
            if at is not None or default:
                readers = (_reader(column, rules) for rules in (self._rules, confirmed))
                yield _Field(column, at, default, *readers)

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
        """Yield the records of rows, in order; a Total waits where no animal is below it."""
        waiting = list[Record]()
        for record in self._each(rows):
            if Suspicion.TOTAL_ROW in record.notes or (waiting and record.state is State.SKIPPED):
                waiting.append(record)
                continue
            if waiting:
                yield from waiting
                waiting.clear()
            yield record
        for record in waiting:
            is_total = Suspicion.TOTAL_ROW in record.notes and record.state is State.PENDING
            if not is_total or self._is_returned or Suspicion.TOTAL_ROW in self._rules.accept:
                yield record
            else:
                yield _refused(record, [self._placed(_LIKE_A_TOTAL, self._name_at, record.cells)])

    def _each(self, rows: Iterable[Row]) -> Iterator[Record]:
        """Yield the records, each checked by itself."""
        number = 0
        for row in rows:
            if row.raw and self._is_swallowing(row.cells):
                for record in self._swallowed(number, row):
                    number += 1
                    yield record
            elif self._count_at is None:
                number += 1
                yield self.check(number, row)
            else:
                count, refused = self._count_of(row, self._count_at)
                for ordinal in range(1, count + 1):
                    number += 1
                    yield self.check(number, row, str(ordinal), refused)

    def check(
        self, number: int, row: Row, ordinal: str = "", refused: RecordProblem | None = None
    ) -> Record:
        """Check one record; ``refused`` is why its row cannot be one, if that is known."""
        line, cells, about = row.line, tuple(row.cells), row.notes or _NOTHING
        if not (cells and cells[0].strip()) and not "".join(cells).strip() and not _refuses(about):
            is_emptied = about.origin is not None
            blank = Record(number, line, cells, State.SKIPPED, origin=about.origin)
            return blank._replace(notes=() if is_emptied else ("blank",), left_out=is_emptied)
        problems, notes = list[RecordProblem](), list[str]()
        if len(cells) != len(self._columns):
            self._check_width(cells, problems, notes)
        sent, marked = list[bytes](), list[bytes]()
        if not problems:
            sent, marked = self._read_fields(cells, about, problems, notes)
        key = None
        if self._keys is not None:
            key, keyless = self._keys.read(cells, ordinal)
            if keyless is not None:
                problems.insert(0, keyless)
        if refused is not None:
            problems.insert(0, refused)
        if not problems and (notes or about.held is not None):
            self._check_doubts(cells, about, problems, notes)
        if self._seen is not None and not ordinal and not problems:
            self._note_identical(cells, notes)
        is_left = line in self._leave_lines
        record = Record(
            number,
            line,
            cells,
            State.PENDING,
            b"{%b}" % b",".join(sent),
            digest_of(b"{%b}" % b",".join(marked)),
            None,
            tuple(notes),
            key,
            about.origin,
            None if self._ranks is None else self._ranks.of(cells),
            is_left or (self._may_leave and self._is_left_out(cells)),
        )
        if problems:
            record = _refused(record, problems)
        # First which row of a key counts, then whether the user leaves it out.
        if is_left or (record.left_out and not self._is_kept):
            return record._replace(state=State.SKIPPED, payload=None, problem=None)
        return record

    def _read_fields(
        self,
        cells: tuple[str, ...],
        about: RowNotes,
        problems: list[RecordProblem],
        notes: list[str],
    ) -> tuple[list[bytes], list[bytes]]:
        """Return what the fields add to the request body, all and those of the fingerprint.

        Problems and notes are added to the lists.
        """
        sent, marked = list[bytes](), list[bytes]()
        for column, place, default, read, read_confirmed in self._fields:
            at = place
            text = cells[at] if at is not None and at < len(cells) else ""
            if default and self._rules.means_nothing(column.name, text):
                filled = filled_in(default, self._columns, cells)
                if filled:
                    text, at = filled, None
                    notes.append(f"default_{column.name}")
            note = about.cells.get(at) if about.cells and at is not None else None
            if isinstance(note, RecordProblem):
                problems.append(self._placed(note, at, cells))
                continue
            body, found, problem = read_confirmed(text) if about.is_confirmed else read(text)
            # A number in a number's field is normal, so only one in a text gives a note.
            if note is not None and not (note == NUMBER_NOTE and column.dtype in _OF_NUMBERS):
                notes.append(note)
            notes += found
            if problem is not None:
                problems.append(self._placed(problem, at, cells))
            elif body:
                sent.append(body)
                if column.name != "status":
                    marked.append(body)
        return sent, marked

    def _count_of(self, row: Row, at: int) -> tuple[int, RecordProblem | None]:
        """Return how many animals a row stands for, or why that is not known."""
        cells = row.cells
        if not any(map(str.strip, cells)) or (row.notes and row.notes.origin):
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
            return 1, self._placed(suspicious(Suspicion.LARGE_COUNT, what), at, cells)
        return count, None

    def _check_width(
        self, cells: tuple[str, ...], problems: list[RecordProblem], notes: list[str]
    ) -> None:
        """Add the problem or the note of a record of too many or too few cells."""
        width = len(self._columns)
        what = f"the record has {len(cells)} of {width} cells"
        if extra := [cell for cell in cells[width:] if cell.strip()]:
            hint = "put a cell that holds the delimiter into quotes"
            problems.append(RecordProblem("extra_cell", what, value=extra[0][:200], hint=hint))
            return
        missing = [each for each in self._fields if each.at is not None and each.at >= len(cells)]
        needed = [each for each in missing if each.column.is_required and not each.default]
        if needed:
            hint = f"add the missing cells, from {self._columns[len(cells)]!r} on"
            problem = RecordProblem("missing_cell", what, hint=hint)
            problems.append(replace(problem, column=self._columns[needed[0].at or 0]))
        elif missing or len(cells) > width:
            notes.append("short_row" if missing else "empty_extra_cells")

    def _check_doubts(
        self,
        cells: tuple[str, ...],
        about: RowNotes,
        problems: list[RecordProblem],
        notes: list[str],
    ) -> None:
        """Hold a record that could be sent, unless a person accepts such records."""
        doubts = list[tuple[RecordProblem, int | None]]()
        if about.held is not None:
            doubts.append((about.held, None))
        name = "" if self._name_at is None else "".join(cells[self._name_at : self._name_at + 1])
        if "line_break" in notes and any(sign in name for sign in self._signs):
            doubts.append((_SWALLOWING, self._name_at))
        if self._is_returned and Suspicion.TOTAL_ROW in notes:
            notes.remove(Suspicion.TOTAL_ROW)
            if about.held is None or about.held.accept != Suspicion.TOTAL_ROW:
                doubts.append((_LIKE_A_TOTAL, self._name_at))
        for doubt, at in doubts:
            if about.is_confirmed or doubt.accept in self._rules.accept:
                notes.append(str(doubt.accept))
            else:
                problems.append(self._placed(doubt, at, cells))

    def _note_identical(self, cells: tuple[str, ...], notes: list[str]) -> None:
        """Add a note to a row without a key that is the same as one above it in all cells."""
        if self._seen is None:
            return
        mark = hash(cells)
        if mark in self._seen:
            notes.append("identical_row")
        elif len(self._seen) < _MOST_SEEN:
            self._seen.add(mark)

    def _is_left_out(self, cells: Sequence[str]) -> bool:
        """Tell whether the caller leaves a row out by what its cells hold."""
        for words, is_out in ((self._leave_out, True), (self._only, False)):
            for at, known in words.items():
                if (word_of(cells[at] if at < len(cells) else "") in known) is is_out:
                    return True
        return False

    def _is_swallowing(self, cells: Sequence[str]) -> bool:
        """Tell whether a cell holds line breaks and what looks like other rows."""
        width, sign = len(self._columns), self._delimiter
        if self._is_returned or width < 2 or Suspicion.SWALLOWED_ROWS in self._rules.accept:
            return False
        for at, cell in enumerate(cells[:width]):
            first, *below = cell.splitlines() or [""]
            if below and sign in cell:
                # The rest of the row in which the quote opens, or a whole row below it; of two
                # columns the other one may well hold a note with a line break and a comma.
                counts = [line.count(sign) for line in below]
                is_row = first.count(sign) == width - 1 - at or width - 1 in counts
                if is_row and width > 2 - (at == self._name_at):
                    return True
        return False

    def _swallowed(self, number: int, row: Row) -> Iterator[Record]:
        """Yield each swallowed line as the record that it seems to be."""
        last = row.line + len(row.raw) - 1
        what = f"a quote that opens in line {row.line} and ends in line {last} swallows rows"
        hint = "read quotes as letters: {}; if they are one cell, accept swallowed_rows"
        problem = RecordProblem(
            "swallowed_rows", what, hint=hint, option=("quoting", "none"), value=row.raw[0][:200]
        )
        for at, cells in enumerate(cut_plainly(row.raw, self._delimiter)):
            yield Record(
                number + at + 1, row.line + at, tuple(cells), State.INVALID, problem=problem
            )

    def _placed(
        self, problem: RecordProblem, at: int | None, cells: Sequence[str]
    ) -> RecordProblem:
        if at is None:
            return problem
        value = cells[at][:200] if at < len(cells) else ""
        return replace(problem, column=self._columns[at], value=value)


def _reader(column: PetField, rules: CellRules) -> Callable[[str], _Part]:
    """Return what reads the cells of a field, and remembers what it has read."""

    @lru_cache(_REMEMBERED)
    def read(text: str) -> _Part:
        value, notes, problem = read_cell(column, text, rules)
        body = b"" if value is None else f'"{column.wire_name}":{value}'.encode()
        return _Part(body, notes, problem)

    return read


def _refused(record: Record, problems: Sequence[RecordProblem]) -> Record:
    """Return a record with the first of its problems; the others are notes."""
    others = [f"also {other.column}: {other.message}" for other in problems[1:]]
    return record._replace(
        state=State.INVALID,
        payload=None,
        fingerprint=None,
        problem=problems[0],
        notes=(*(note for note in record.notes if note != Suspicion.TOTAL_ROW), *others),
    )


def _refuses(about: RowNotes) -> bool:
    """Tell whether a cell has no text and still holds something, such as an error."""
    refusals = [note for note in about.cells.values() if isinstance(note, RecordProblem)]
    return any(note.code != MERGED for note in refusals)
