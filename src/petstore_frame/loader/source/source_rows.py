"""Reads and checks each record of a file or a frame; none is sent."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.loader.row_state import RecordProblem, SourceRow, State, Suspicion, digest_of
from petstore_frame.loader.source import key_columns as keys
from petstore_frame.loader.source.cell_parsing import (
    IN_BRACES,
    PLACEHOLDER,
    FieldReader,
    suspicious,
    word_of,
)
from petstore_frame.loader.source.column_mapping import find_columns, find_given
from petstore_frame.loader.source.csv_file import Input
from petstore_frame.loader.source.excel_file import MERGED, NUMBER_NOTE, Row, Table
from petstore_frame.loader.source.key_columns import cell_at
from petstore_frame.loader.source.recipe_options import KEY, RecipeFields, readers_of
from petstore_frame.schema import FIELDS, PetField

_AT_ONCE = 128
# In so many rows keys are looked for.
_MOST_FOR_KEYS = 100_000
_MOST_OF_A_ROW = 1_000
_OPEN_DEFAULT = RecordProblem(
    "open_word", "what an empty cell becomes is a placeholder in the recipe", hint="fill it in"
)
_OF_NUMBERS = ("int64", "Int64", "Float64")
_NOWHERE = sys.maxsize  # the place of a field that has a default and no column
_STATUS = FIELDS.named("status")
# Looked up for each record, which takes an enum longer than a name.
_PENDING, _EXCLUDED = State.PENDING, State.EXCLUDED


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
        mapping, key: The column of each field that has one; those that identify an animal, with
            that of the count where rows stand for several.
        is_returned: It is one of our own files, whose records have an ``origin``.
    """

    def __init__(
        self,
        opened: Input,
        table: Table,
        recipe: RecipeFields,
        *,
        is_returned: bool = False,
        exclude_lines: Collection[int] = (),
    ) -> None:
        sheet = f" (sheet {table.facts['sheet']})" if len(opened.sheets) > 1 else ""
        self.name, self.path, self._opened = f"{opened.name}{sheet}", opened.path, opened
        self.is_returned, self._exclude_lines = is_returned, frozenset(exclude_lines)
        self.table, self.columns, self.recipe = table, table.columns, recipe
        self.readers = readers_of(recipe)
        self.readers["name"].has_guards = "encoding" in table.facts
        self.mapping = find_columns(self.columns, recipe.mapping, recipe.defaults)
        named = tuple(find_given("key", column, self.columns) for column in recipe.key or ())
        self._count_at = self._place_of("quantity", recipe.quantity)
        count = self.columns[self._count_at] if recipe.quantity else None
        self._own_key = tuple(column for column in named if column != count)
        self.key = (*self._own_key, count) if count and self._own_key else named
        self._width, self._delimiter = len(self.columns), table.facts.get("delimiter", "")
        self._sent = [*self._columns_that_are_sent()]
        self._order_at = self._place_of("order_by", recipe.order_by)
        # By what the cells of a column hold; ``include`` lists the words that stay.
        self._filters = [
            (self._place_of(option, name), frozenset(map(word_of, words)), option == "exclude")
            for option, choice in (("exclude", recipe.exclude), ("include", recipe.include))
            for name, words in choice.items()
        ]

    @property
    def place(self) -> str | None:
        """The full path of the file, with its sheet, as text that a journal can store."""
        if self.path is None:
            return None
        place = str(self.path.resolve()).encode(errors="backslashreplace").decode()
        sheet = self.table.facts.get("sheet")
        return place if sheet is None else f"{place}#{sheet}"

    @property
    def bytes_id(self) -> str | None:
        """The digest of the bytes and the sheet that were read; None for a frame."""
        if self._opened.digest is None:
            return None
        sheet = self.table.facts.get("sheet") or ""
        return hashlib.sha256(f"{self._opened.digest}{sheet}".encode()).hexdigest()[:32]

    def _place_of(self, option: str, column: str | None) -> int:
        """Return where the column is that an option names, which the file has to have."""
        if column is None:
            return _NOWHERE
        return self.columns.index(find_given(option, column, self.columns))

    def _columns_that_are_sent(self) -> Iterator[_Column]:
        for field in FIELDS.sent:
            at = self._place_of("mapping", self.mapping.get(field.name))
            default = str(self.recipe.defaults.get(field.name, ""))
            named = {each: self._place_of("defaults", each) for each in IN_BRACES.findall(default)}
            if at != _NOWHERE or default:
                yield _Column(field, at, default, named, self.readers[field.name])

    @cached_property
    def _keys(self) -> keys.Keys | None:
        said = self.recipe.value_map.get(KEY, {})
        nothing = [word_of(word) for word, meant in said.items() if meant == ""]
        key = self._own_key
        return keys.Keys(self.columns, key, nothing, self.table.cells()) if key else None

    @cached_property
    def _ranks(self) -> keys.Ranks | None:
        at = self._order_at
        return None if at == _NOWHERE else keys.Ranks(at, self.columns[at], self.table.cells())

    def likely_keys(self) -> tuple[keys.LikelyKey, ...]:
        """Return the columns that may identify an animal; none where it is said which does."""
        if self.recipe.key is not None or self.is_returned:
            return ()
        return keys.likely_keys(self.columns, self.table.cells(), self.mapping, _MOST_FOR_KEYS)

    def proposed_key(self) -> keys.LikelyKey | None:
        """Return the column to propose where nothing says which animal a row is."""
        return keys.proposed_key(self.likely_keys())

    def batches(self) -> Iterator[list[SourceRow]]:
        """Yield the records, many at once; an InputError tells why there are no more."""
        records: list[SourceRow] = []
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

    def __iter__(self) -> Iterator[SourceRow]:
        return chain.from_iterable(self.batches())

    def _records(self) -> Iterator[SourceRow]:
        """Yield the records of rows; a row stands for one, or for several animals."""
        number, count, uncounted = 0, 1, None
        has_counts = self._count_at != _NOWHERE
        for row in self.table.rows():
            if has_counts:
                count, uncounted = self._count_of(row)
            for ordinal in range(1, count + 1):
                number += 1
                yield self._check(number, row, str(ordinal) if has_counts else "", uncounted)

    def _check(
        self, number: int, row: Row, ordinal: str, uncounted: RecordProblem | None
    ) -> SourceRow:
        """Check one record; ``ordinal`` is which of the animals of its row it is."""
        line, given, lines, noted, doubt, is_confirmed, origin = row
        cells = tuple(given)
        if not (cells and cells[0].strip()) and not "".join(cells).strip() and not _refuses(noted):
            if origin is not None:  # somebody emptied the row of a fix file
                return SourceRow(number, line, cells, _EXCLUDED, origin=origin, is_excluded=True)
            return SourceRow(number, line, cells, _EXCLUDED, notes=("blank",))
        problems = [] if uncounted is None else [uncounted]
        notes: list[str] = []
        if lines > 1 and self._is_swallowing(cells):
            what = f"a cell seems to hold other rows of lines {line} to {line + lines - 1}"
            doubtful = suspicious(Suspicion.SWALLOWED_ROWS, f"{what}: a quote opens there")
            hint = "close the quote, or read quotes as letters"
            problems.append(replace(doubtful, hint=hint, add=("quoting", "none")))
        key = None
        if self._keys is not None:
            key, keyless = self._keys.read(cells, ordinal)
            if keyless is not None:
                problems.append(keyless)
        if len(cells) > self._width and (extra := "".join(cells[self._width :]).strip()):
            what = f"the record has {len(cells)} of {self._width} cells"
            hint = "put a cell that holds the delimiter into quotes"
            problems.append(RecordProblem("extra_cell", what, value=extra[:200], hint=hint))
            payload, body = b"", b""
        else:
            if len(cells) < self._width and any(
                len(cells) <= at < _NOWHERE for _, at, *_ in self._sent
            ):
                notes.append("short_row")
            payload, body = self._read_fields(cells, noted, problems, notes)
        if not problems and doubt is not None:
            problems.append(doubt)
        if problems:
            accepted = [each.allow for each in problems if each.allow
                        and (is_confirmed or each.allow in self.recipe.allow)]  # fmt: skip
            notes += accepted
            problems = [each for each in problems if each.allow not in accepted]
        is_excluded = is_excluded_line = line in self._exclude_lines
        for at, words, is_out in self._filters:
            is_excluded |= (word_of(cell_at(cells, at)) in words) is is_out
        order_value = None if self._ranks is None else self._ranks.of(cells)
        checked = SourceRow(
            number, line, cells, _PENDING, payload, digest_of(body), (), tuple(notes), key,
            origin, order_value, is_excluded, "default_name" in notes,
        )  # fmt: skip
        if problems:
            checked = checked._replace(
                state=State.INVALID, payload=None, content_hash=None, problems=tuple(problems),
                unsent_hash=self._hash_of_texts(cells),
            )  # fmt: skip
        # The row of a key is chosen first; then the chosen one may be excluded.
        if is_excluded and (is_excluded_line or self.recipe.keep is None):
            return checked._replace(state=_EXCLUDED, payload=None, problems=(), unsent_hash=None)
        return checked

    def _hash_of_texts(self, cells: tuple[str, ...]) -> bytes:
        """Return the digest of the texts that a row would send."""
        texts = [cell_at(cells, column.at) for column in self._sent]
        return digest_of("\x1f".join(texts).encode(errors="surrogatepass"))

    def _read_fields(
        self,
        cells: tuple[str, ...],
        noted: Mapping[int, Any],
        problems: list[RecordProblem],
        notes: list[str],
    ) -> tuple[bytes, bytes]:
        """Return the request body, and the same without the status; add problems and notes."""
        sent: list[bytes] = []
        status, width = b"", len(cells)
        for field, at, default, named, reader in self._sent:
            text = cells[at] if at < width else ""
            if default and reader.means_nothing(text):
                if default == PLACEHOLDER:
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
        if row.origin or not any(map(str.strip, row.cells)):
            return 1, None
        text = cell_at(row.cells, self._count_at).removesuffix(".0")
        count = int(text[:9]) if text.isascii() and text.isdecimal() else 0
        if 0 < count <= _MOST_OF_A_ROW or (count and Suspicion.LARGE_QUANTITY in self.recipe.allow):
            return count, None
        problem = RecordProblem("not_a_quantity", "this is no number of animals", hint="correct it")
        if count:
            problem = suspicious(Suspicion.LARGE_QUANTITY, f"this row stands for {count:,} animals")
        return 1, self._placed(problem, self._count_at, row.cells)

    def _is_swallowing(self, cells: Sequence[str]) -> bool:
        """Tell whether a cell of a text file holds line breaks and what looks like other rows."""
        rest, sign = self._width - 1, self._delimiter
        for at, cell in enumerate(cells if rest and not self.is_returned else ()):
            first, *below = cell.splitlines() or [""]
            # The rest of the row in which the quote opens, or a whole row below it.
            is_rest = bool(below) and 0 < first.count(sign) == rest - at
            if is_rest or any(line.count(sign) == rest for line in below):
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


def _refuses(noted: Mapping[int, Any]) -> bool:
    """Tell whether a cell has no text and still holds something, such as an error."""
    notes = noted.values()
    return any(isinstance(note, RecordProblem) and note.code != MERGED for note in notes)
