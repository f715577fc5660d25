"""Whether a record can be sent, needs a fix or a yes, or is skipped; before any request."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import (
    BLANK,
    CellRules,
    filled_in,
    read_cell,
    suspicious,
    word_of,
)
from petstore_frame.loader.reading.keys import Keys, Ranks
from petstore_frame.loader.reading.opening import DELIMITERS
from petstore_frame.loader.reading.tables import MERGED, NUMBER_NOTE, Row, RowNotes
from petstore_frame.loader.reading.words import RecipeFields
from petstore_frame.loader.record import Record, RecordProblem, State, Suspicion, digest_of
from petstore_frame.schema.models import FIELD_BY_NAME, SENT_FIELDS, PetField

_AT_ONCE = 128
# So many short texts of a column are remembered.
_REMEMBERED, _SHORT = 32_768, 100
MOST_OF_A_ROW = 1_000
_LIKE_A_TOTAL = suspicious(Suspicion.TOTAL_ROW, "this looks like a total, not like an animal")
_OPEN_DEFAULT = RecordProblem(
    "open_word", "what an empty cell becomes is a question mark in the recipe", hint="fill it in"
)
_NOTHING, _OF_NUMBERS = RowNotes(), ("int64", "Int64", "Float64")
_NOWHERE = sys.maxsize  # the place of a field that has a default and no column
_STATUS = FIELD_BY_NAME["status"]
# Looked up for each record, which takes an enum longer than a name.
_PENDING, _SKIPPED = State.PENDING, State.SKIPPED

_Cells = tuple[str, ...]
_Problems = list[RecordProblem]
_Notes = list[str]
# What a cell adds to the request body, with notes, and why it cannot be sent, or not unasked.
_Part = tuple[bytes, tuple[str, ...], RecordProblem | None]


class _Parts(dict[str, _Part]):
    """What the texts of a column add; each is read once, and a number of them is remembered."""

    def __init__(self, column: PetField, rules: CellRules) -> None:
        self._column, self._rules = column, rules

    def __missing__(self, text: str) -> _Part:
        value, notes, problem = read_cell(self._column, text, self._rules)
        body = b"" if value is None else f'"{self._column.wire_name}":{value}'.encode()
        if len(self) < _REMEMBERED and len(text) < _SHORT:
            self[text] = body, notes, problem
        return body, notes, problem


class _Field(NamedTuple):
    """A field that is sent: its place, its default, and what its texts add."""

    column: PetField
    at: int
    default: str
    parts: _Parts


@dataclass(eq=False)
class Checker:
    """Turns the rows of one source into Records; columns are spelled as the file does."""

    columns: tuple[str, ...]
    mapping: Mapping[str, str]
    options: RecipeFields
    rules: CellRules
    keys: Keys | None = None
    ranks: Ranks | None = None
    delimiter: str = ""
    is_returned: bool = False
    leave_lines: Collection[int] = ()

    def __post_init__(self) -> None:
        self._width, self._name_at = len(self.columns), self._place_of(self.mapping.get("name"))
        self._fields = [*self._fields_that_are_sent()]
        self._accepted = frozenset(self.options.accept)
        self._count_at = self._place_of(self.options.count)
        # By what the cells of a column hold; ``only`` lists the words that stay.
        self._left = [
            (self._place_of(name), frozenset(map(word_of, words)), is_out)
            for table, is_out in ((self.options.leave_out, True), (self.options.only, False))
            for name, words in table.items()
        ]
        self._is_compared = self.keys is None and not self.is_returned
        self._seen = set[int]()

    def _place_of(self, column: str | None) -> int:
        return _NOWHERE if column is None else self.columns.index(column)

    def _fields_that_are_sent(self) -> Iterator[_Field]:
        for column in SENT_FIELDS:
            at = self._place_of(self.mapping.get(column.name))
            default = str(self.options.defaults.get(column.name, ""))
            if at != _NOWHERE or default:
                yield _Field(column, at, default, _Parts(column, self.rules))

    def batches(self, rows: Iterable[Row]) -> Iterator[list[Record]]:
        """Yield the records of rows, in order, many at once; a Total waits for what is below it."""
        records: list[Record] = []
        totals: list[int] = []  # places of those with no animal below them
        self._seen.clear()
        try:
            for record in self._records(rows):
                if record.notes and Suspicion.TOTAL_ROW in record.notes:
                    totals.append(len(records))
                elif totals and record.state is not _SKIPPED:
                    totals.clear()
                records.append(record)
                if len(records) >= _AT_ONCE and not totals:
                    yield records
                    records = []
        except InputError:
            yield records  # those above the fault can be shown
            raise
        if not self.is_returned and Suspicion.TOTAL_ROW not in self._accepted:
            for at in totals:
                if records[at].state is _PENDING:
                    total = self._placed(_LIKE_A_TOTAL, self._name_at, records[at].cells)
                    records[at] = _refused(records[at], [total])
        yield records

    def _records(self, rows: Iterable[Row]) -> Iterator[Record]:
        """Yield the records of rows; a row stands for one, for several animals, or for others."""
        number = 0
        for row in rows:
            if self._count_at == _NOWHERE:
                number += 1
                yield self._check(number, row)
            else:
                count, refused = self._count_of(row)
                for ordinal in range(1, count + 1):
                    number += 1
                    yield self._check(number, row, str(ordinal), refused)

    def _check(
        self, number: int, row: Row, ordinal: str = "", refused: RecordProblem | None = None
    ) -> Record:
        """Check one record; ``refused`` is why its row cannot be one, if that is known."""
        line, given, about, lines = row
        cells, about = tuple(given), about or _NOTHING
        if not (cells and cells[0].strip()) and not "".join(cells).strip() and not _refuses(about):
            is_emptied = about.origin is not None
            blank = Record(number, line, cells, _SKIPPED, origin=about.origin)
            return blank._replace(notes=() if is_emptied else ("blank",), left_out=is_emptied)
        problems: _Problems = [] if refused is None else [refused]
        if lines > 1 and self._is_swallowing(given):
            problems.append(_swallowing(line, line + lines - 1))
        notes: _Notes = []
        key, rank, payload, body = None, None, b"", b""
        if self.keys is not None:
            key, keyless = self.keys.read(cells, ordinal)
            if keyless is not None:
                problems.append(keyless)
        if len(cells) == self._width or self._is_wide_enough(cells, problems, notes):
            payload, body = self._read_fields(cells, about, problems, notes)
        if problems:
            problems = self._unaccepted(problems, about, notes)
        if not problems and (notes or about.held is not None):
            problems = self._unaccepted(self._doubts(cells, about, notes), about, notes)
        if self._is_compared and not ordinal and not problems:
            mark = hash(cells)
            if mark in self._seen:
                notes.append("identical_row")
            self._seen.add(mark)
        if self.ranks is not None:
            rank = self.ranks.of(cells)
        left_out = is_left = line in self.leave_lines
        for at, words, is_out in self._left:
            left_out |= (word_of(cells[at] if at < len(cells) else "") in words) is is_out
        record = Record(
            number, line, cells, _PENDING, payload, digest_of(body), None, tuple(notes),
            key, about.origin, rank, left_out, "default_name" in notes,
        )  # fmt: skip
        if problems:
            record = _refused(record, problems)
        # First which row of a key counts, then whether the user leaves it out.
        if left_out and (is_left or self.options.keep is None):
            return record._replace(state=_SKIPPED, payload=None, problem=None)
        return record

    def _read_fields(
        self, cells: _Cells, about: RowNotes, problems: _Problems, notes: _Notes
    ) -> tuple[bytes, bytes]:
        """Return the request body, and the same without the status; add problems and notes."""
        sent: list[bytes] = []
        status, width, noted = b"", len(cells), about.cells
        for column, at, default, parts in self._fields:
            text = cells[at] if at < width else ""
            if default and self.rules.means_nothing(column.name, text):
                if default == BLANK:
                    problems.append(self._placed(_OPEN_DEFAULT, at, cells))
                    continue
                if filled := filled_in(default, self.columns, cells):
                    text, at = filled, _NOWHERE  # noqa: PLW2901
                    notes.append(f"default_{column.name}")
            if noted and at in noted:
                note = noted[at]
                if isinstance(note, RecordProblem):
                    problems.append(self._placed(note, at, cells))
                    continue
                # A number in a number's field is normal, so only one in a text gives a note.
                if note != NUMBER_NOTE or column.dtype not in _OF_NUMBERS:
                    notes.append(note)
            part, found, problem = parts[text]
            if found:
                notes += found
            if problem is not None:
                problems.append(self._placed(problem, at, cells))
            if column is _STATUS:
                status = part
            elif part:
                sent.append(part)
        others = b",".join(sent)
        body = b"{%b}" % others
        return b"{%b,%b}" % (others, status) if status else body, body

    def _count_of(self, row: Row) -> tuple[int, RecordProblem | None]:
        """Return how many animals a row stands for, or why that is not known."""
        cells, at = row.cells, self._count_at
        if not any(map(str.strip, cells)) or (row.notes and row.notes.origin):
            return 1, None
        text = cells[at].strip() if at < len(cells) else ""
        whole = text.removesuffix(".0")
        if not (whole.isascii() and whole.isdecimal()) or int(whole[:9]) < 1:
            what = f"{text[:60]!r} is no number of animals"
            hint = "give a whole number from 1 on"
            return 1, RecordProblem("not_a_count", what, self.columns[at], text[:200], hint)
        count = int(whole[:9])
        if count > MOST_OF_A_ROW and Suspicion.LARGE_COUNT not in self._accepted:
            what = f"this row stands for {count:,} animals"
            return 1, self._placed(suspicious(Suspicion.LARGE_COUNT, what), at, cells)
        return count, None

    def _is_wide_enough(self, cells: _Cells, problems: _Problems, notes: _Notes) -> bool:
        """Add the problem or the note of a record of too many or too few cells."""
        width = self._width
        what = f"the record has {len(cells)} of {width} cells"
        if extra := [cell for cell in cells[width:] if cell.strip()]:
            hint = "put a cell that holds the delimiter into quotes"
            problems.append(RecordProblem("extra_cell", what, value=extra[0][:200], hint=hint))
            return False
        missing = [each for each in self._fields if len(cells) <= each.at < _NOWHERE]
        needed = [each for each in missing if each.column.is_required and not each.default]
        if needed:
            hint = f"add the missing cells, from {self.columns[len(cells)]!r} on"
            column = self.columns[needed[0].at]
            problems.append(RecordProblem("missing_cell", what, column, hint=hint))
        elif missing:
            notes.append("short_row")
        return not needed

    def _doubts(self, cells: _Cells, about: RowNotes, notes: _Notes) -> _Problems:
        """Return why a record that could be sent may be none."""
        doubts = [] if about.held is None else [about.held]
        name = "".join(cells[self._name_at : self._name_at + 1])
        # A cell that swallowed rows in a text file still holds them in our result file.
        signs = DELIMITERS if self.is_returned else tuple(self.delimiter)
        if "line_break" in notes and any(sign in name for sign in signs):
            doubts.append(self._placed(_swallowing(), self._name_at, cells))
        if self.is_returned and Suspicion.TOTAL_ROW in notes:
            notes.remove(Suspicion.TOTAL_ROW)
            if about.held is None or about.held.accept != Suspicion.TOTAL_ROW:
                doubts.append(self._placed(_LIKE_A_TOTAL, self._name_at, cells))
        return doubts

    def _unaccepted(self, problems: _Problems, about: RowNotes, notes: _Notes) -> _Problems:
        """Return the problems for which no person accepts a record; note the others."""
        kinds = [problem.accept for problem in problems if problem.accept]
        accepted = [kind for kind in kinds if about.is_confirmed or kind in self._accepted]
        notes += accepted
        return [each for each in problems if each.accept not in accepted]

    def _is_swallowing(self, cells: Sequence[str]) -> bool:
        """Tell whether a cell holds line breaks and what looks like other rows."""
        width, sign = self._width, self.delimiter
        if self.is_returned or width < 2:
            return False
        for at, cell in enumerate(cells[:width]):
            first, *below = cell.splitlines() or [""]
            if below and sign in cell:
                # The rest of the row in which the quote opens, or a whole row below it; of two
                # columns the other one may well hold a note with a line break and a comma.
                counts = [line.count(sign) for line in below if line.strip(f" {sign}")]
                is_row = 0 < first.count(sign) == width - 1 - at or width - 1 in counts
                if is_row and width > 2 - (at == self._name_at):
                    return True
        return False

    def _placed(self, problem: RecordProblem, at: int, cells: Sequence[str]) -> RecordProblem:
        if at == _NOWHERE:
            return problem
        value = cells[at][:200] if at < len(cells) else ""
        return replace(problem, column=self.columns[at], value=value)


def _refused(record: Record, problems: Sequence[RecordProblem]) -> Record:
    """Return a record with the first of its problems; the others are notes."""
    others = [f"also {other.column}: {other.message}" for other in problems[1:]]
    return record._replace(
        state=State.INVALID,
        payload=None,
        likeness=None,
        problem=problems[0],
        notes=(*(note for note in record.notes if note != Suspicion.TOTAL_ROW), *others),
    )


def _swallowing(first: int = 0, last: int = 0) -> RecordProblem:
    """Return the doubt about a record with a cell that seems to hold the rows below it."""
    place = f" of lines {first} to {last}" if first else ""
    what = f"a cell seems to hold other rows{place}: a quote opens there"
    problem = suspicious(Suspicion.SWALLOWED_ROWS, what)
    hint = "close the quote, or read quotes as letters"
    return replace(problem, hint=hint, add=("quoting", "none"))


def _refuses(about: RowNotes) -> bool:
    """Tell whether a cell has no text and still holds something, such as an error."""
    notes = about.cells.values()
    return any(isinstance(note, RecordProblem) and note.code != MERGED for note in notes)
