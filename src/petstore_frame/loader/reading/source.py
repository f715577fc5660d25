"""The records of a file or a frame, each read and checked, none sent."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import (
    BLANK,
    IN_BRACES,
    FieldReader,
    suspicious,
    word_of,
)
from petstore_frame.loader.reading.keys import (
    Keys,
    LikelyKey,
    Ranks,
    cell_at,
    likely_keys,
    proposed_key,
)
from petstore_frame.loader.reading.mapping import find_columns, find_given
from petstore_frame.loader.reading.opening import Input
from petstore_frame.loader.reading.tables import MERGED, NUMBER_NOTE, Row, Table
from petstore_frame.loader.reading.words import KEY, NEWEST, RecipeFields, readers_of
from petstore_frame.loader.record import Record, RecordProblem, State, Suspicion, digest_of
from petstore_frame.schema.models import FIELD_BY_NAME, SENT_FIELDS, PetField

_AT_ONCE = 128
# Of so many rows the likely keys are named, before and after a load.
MOST_FOR_KEYS = 100_000
MOST_OF_A_ROW = 1_000
_OPEN_DEFAULT = RecordProblem(
    "open_word", "what an empty cell becomes is a question mark in the recipe", hint="fill it in"
)
_OF_NUMBERS = ("int64", "Int64", "Float64")
_NOWHERE = sys.maxsize  # the place of a field that has a default and no column
_STATUS = FIELD_BY_NAME["status"]
# Looked up for each record, which takes an enum longer than a name.
_PENDING, _SKIPPED = State.PENDING, State.SKIPPED

_Cells = tuple[str, ...]
_Problems = list[RecordProblem]
_Notes = list[str]


class _Column(NamedTuple):
    """A field that is sent: its place, its default with the columns it names, and its reader."""

    field: PetField
    at: int
    default: str
    named: dict[str, int]
    reader: FieldReader


class Source:
    """The records of one file or frame, from the first one, each time anew.

    Attributes:
        name: What to call it in a message, with the sheet where there are several.
        recipe: What the caller says; of a fix file, with how its import was read.
        mapping: The column of each field that has one.
        key: The columns that identify an animal, as the file spells them; empty without ``key=``.
            Where rows stand for several animals, the column of their count is one of them.
        is_returned: It is one of our own files, whose records have an ``origin``.

    Raises:
        InputError: A column that is needed is not there.
    """

    def __init__(
        self,
        opened: Input,
        table: Table,
        recipe: RecipeFields,
        *,
        is_returned: bool = False,
        leave_lines: Collection[int] = (),
    ) -> None:
        is_one_of_several = recipe.sheet is None and len(opened.sheets) > 1
        sheet = f" (sheet {table.facts['sheet']})" if is_one_of_several else ""
        self.name, self.path, self._opened = f"{opened.name}{sheet}", opened.path, opened
        self.is_returned, self._leave_lines = is_returned, frozenset(leave_lines)
        self.table, self.columns = table, table.columns
        self.readers = readers_of(recipe)
        self.readers["name"].has_guards = "encoding" in table.facts
        self.mapping = find_columns(self.columns, recipe.mapping, recipe.defaults)
        named = tuple(find_given("key", column, self.columns) for column in recipe.key or ())
        self.recipe, self._count_at = recipe, self._place_of("count", recipe.count)
        count = self.columns[self._count_at] if recipe.count else None
        self._own_key = tuple(column for column in named if column != count)
        self.key = (*self._own_key, count) if count and self._own_key else named
        self._width, self._delimiter = len(self.columns), table.facts.get("delimiter", "")
        self._name_at = self._place_of("mapping", self.mapping.get("name"))
        self._sent = [*self._columns_that_are_sent()]
        newest = NEWEST.fullmatch(recipe.keep or "")
        self._newest_at = self._place_of("keep", newest and newest[1])
        # By what the cells of a column hold; ``only`` lists the words that stay.
        self._left = [
            (self._place_of(option, name), frozenset(map(word_of, words)), option == "leave_out")
            for option, choice in (("leave_out", recipe.leave_out), ("only", recipe.only))
            for name, words in choice.items()
        ]

    def _place_of(self, option: str, column: str | None) -> int:
        """Return where the column is that an option names, which the file has to have."""
        if column is None:
            return _NOWHERE
        return self.columns.index(find_given(option, column, self.columns))

    def _columns_that_are_sent(self) -> Iterator[_Column]:
        for field in SENT_FIELDS:
            at = self._place_of("mapping", self.mapping.get(field.name))
            default = str(self.recipe.defaults.get(field.name, ""))
            named = {each: self._place_of("defaults", each) for each in IN_BRACES.findall(default)}
            if at != _NOWHERE or default:
                yield _Column(field, at, default, named, self.readers[field.name])

    @cached_property
    def _keys(self) -> Keys | None:
        said = self.recipe.value_map.get(KEY, {})
        nothing = [word_of(word) for word, meant in said.items() if meant == ""]
        key = self._own_key
        return Keys(self.columns, key, nothing, self.table.cells()) if key else None

    @cached_property
    def _ranks(self) -> Ranks | None:
        at = self._newest_at
        return None if at == _NOWHERE else Ranks(at, self.columns[at], self.table.cells())

    def likely_keys(self, most: int | None = MOST_FOR_KEYS) -> tuple[LikelyKey, ...]:
        """Return the columns that may identify an animal; none where it is said which does."""
        if self.key or self.recipe.key is not None or self.is_returned:
            return ()
        return likely_keys(self.columns, self.table.cells(), self.mapping, most)

    def proposed_key(self) -> LikelyKey | None:
        """Return the column to propose where nothing says which animal a row is."""
        return proposed_key(self.likely_keys())

    def batches(self) -> Iterator[list[Record]]:
        """Yield the records, many at once; an InputError tells why there are no more."""
        records: list[Record] = []
        with self._opened.naming():
            try:
                for record in self._records():
                    records.append(record)
                    if len(records) >= _AT_ONCE:
                        yield records
                        records = []
            except InputError:
                yield records  # those above the fault can be shown
                raise
            yield records

    def __iter__(self) -> Iterator[Record]:
        return chain.from_iterable(self.batches())

    def _records(self) -> Iterator[Record]:
        """Yield the records of rows; a row stands for one, or for several animals."""
        number, seen = 0, set[int]()
        for row in self.table.rows():
            if self._count_at == _NOWHERE:
                number += 1
                yield self._check(number, row, seen)
            else:
                count, refused = self._count_of(row)
                for ordinal in range(1, count + 1):
                    number += 1
                    yield self._check(number, row, seen, str(ordinal), refused)

    def _check(
        self,
        number: int,
        row: Row,
        seen: set[int],
        ordinal: str = "",
        refused: RecordProblem | None = None,
    ) -> Record:
        """Check one record; ``refused`` is why its row cannot be one, if that is known."""
        line, given, lines, noted, held, is_confirmed, origin = row
        cells = tuple(given)
        if not (cells and cells[0].strip()) and not "".join(cells).strip() and not _refuses(noted):
            is_emptied = origin is not None
            blank = Record(number, line, cells, _SKIPPED, origin=origin)
            return blank._replace(notes=() if is_emptied else ("blank",), left_out=is_emptied)
        problems: _Problems = [] if refused is None else [refused]
        if lines > 1 and self._is_swallowing(given):
            problems.append(_swallowing(line, line + lines - 1))
        notes: _Notes = []
        key, payload, body = None, None, b""
        if self._keys is not None:
            key, keyless = self._keys.read(cells, ordinal)
            if keyless is not None:
                problems.append(keyless)
        if len(cells) == self._width or self._is_wide_enough(cells, problems, notes):
            payload, body = self._read_fields(cells, noted, problems, notes)
        if not problems and held is not None:
            problems.append(held)
        is_of_lines = lines > 1 and "line_break" in notes
        if is_of_lines and not problems and self._delimiter in cell_at(cells, self._name_at):
            problems.append(_swallowing(line, line + lines - 1))
        if problems:
            accepted = [each.accept for each in problems if each.accept
                        and (is_confirmed or each.accept in self.recipe.accept)]  # fmt: skip
            notes += accepted
            problems = [each for each in problems if each.accept not in accepted]
        if not problems and self._keys is None and not self.is_returned and not ordinal:
            mark = hash(cells)
            if mark in seen:
                notes.append("identical_row")
            seen.add(mark)
        left_out = is_left = line in self._leave_lines
        for at, words, is_out in self._left:
            left_out |= (word_of(cell_at(cells, at)) in words) is is_out
        rank = None if self._ranks is None else self._ranks.of(cells)
        record = Record(
            number, line, cells, _PENDING, payload, digest_of(body), None, tuple(notes), key,
            origin, rank, left_out, "default_name" in notes,
        )  # fmt: skip
        if problems:
            more = [f"also {each.column}: {each.message}" for each in problems[1:]]
            record = record._replace(
                state=State.INVALID, payload=None, likeness=None, problem=problems[0],
                notes=(*notes, *more),
            )  # fmt: skip
        # First which row of a key counts, then whether the user leaves it out.
        if left_out and (is_left or self.recipe.keep is None):
            return record._replace(state=_SKIPPED, payload=None, problem=None)
        return record

    def _read_fields(
        self, cells: _Cells, noted: Mapping[int, Any], problems: _Problems, notes: _Notes
    ) -> tuple[bytes, bytes]:
        """Return the request body, and the same without the status; add problems and notes."""
        sent: list[bytes] = []
        status, width = b"", len(cells)
        for field, at, default, named, reader in self._sent:
            text = cells[at] if at < width else ""
            if default and reader.means_nothing(text):
                if default == BLANK:
                    problems.append(self._placed(_OPEN_DEFAULT, at, cells))
                    continue
                if filled := _filled_in(default, named, cells):
                    text, at = filled, _NOWHERE  # noqa: PLW2901
                    notes.append(f"default_{field.name}")
            if noted and at in noted:
                note = noted[at]
                if isinstance(note, RecordProblem):
                    problems.append(self._placed(note, at, cells))
                    continue
                # A number in a number's field is normal, so only one in a text gives a note.
                if note != NUMBER_NOTE or field.dtype not in _OF_NUMBERS:
                    notes.append(note)
            part, found, problem = reader[text]
            if found:
                notes += found
            if problem is not None:
                problems.append(self._placed(problem, at, cells))
            if field is _STATUS:
                status = part
            elif part:
                sent.append(part)
        others = b",".join(sent)
        body = b"{%b}" % others
        return b"{%b,%b}" % (others, status) if status else body, body

    def _count_of(self, row: Row) -> tuple[int, RecordProblem | None]:
        """Return how many animals a row stands for, or why that is not known."""
        cells, at = row.cells, self._count_at
        if not any(map(str.strip, cells)) or row.origin:
            return 1, None
        text = cell_at(cells, at)
        whole = text.removesuffix(".0")
        if not (whole.isascii() and whole.isdecimal()) or int(whole[:9]) < 1:
            what = f"{text[:60]!r} is no number of animals"
            hint = "give a whole number from 1 on"
            return 1, RecordProblem("not_a_count", what, self.columns[at], text[:200], hint)
        count = int(whole[:9])
        if count > MOST_OF_A_ROW and Suspicion.LARGE_COUNT not in self.recipe.accept:
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
        missing = [each for each in self._sent if len(cells) <= each.at < _NOWHERE]
        needed = [each for each in missing if each.field.is_required and not each.default]
        if needed:
            hint = f"add the missing cells, from {self.columns[len(cells)]!r} on"
            column = self.columns[needed[0].at]
            problems.append(RecordProblem("missing_cell", what, column, hint=hint))
        elif missing:
            notes.append("short_row")
        return not needed

    def _is_swallowing(self, cells: Sequence[str]) -> bool:
        """Tell whether a cell of a text file holds line breaks and what looks like other rows."""
        width, sign = self._width, self._delimiter
        for at, cell in enumerate(cells[:width] if width > 1 and not self.is_returned else ()):
            first, *below = cell.splitlines() or [""]
            if not below or sign not in cell:
                continue
            # The rest of the row in which the quote opens, or a whole row below it; of two columns
            # the other one may well hold a note with a line break and a comma.
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


def _filled_in(default: str, named: Mapping[str, int], cells: Sequence[str]) -> str:
    """Return a default with the cells of columns that it names; empty where one is empty."""
    found = {column: cell_at(cells, at) for column, at in named.items()}
    return IN_BRACES.sub(lambda each: found[each[1]], default) if all(found.values()) else ""


def _swallowing(first: int, last: int) -> RecordProblem:
    """Return the doubt about a record with a cell that seems to hold the rows below it."""
    what = f"a cell seems to hold other rows of lines {first} to {last}: a quote opens there"
    problem = suspicious(Suspicion.SWALLOWED_ROWS, what)
    hint = "close the quote, or read quotes as letters"
    return replace(problem, hint=hint, add=("quoting", "none"))


def _refuses(noted: Mapping[int, Any]) -> bool:
    """Tell whether a cell has no text and still holds something, such as an error."""
    notes = noted.values()
    return any(isinstance(note, RecordProblem) and note.code != MERGED for note in notes)
