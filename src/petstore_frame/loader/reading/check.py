"""What will become of a record: sent, refused or skipped, before any request.

In: the cells of a record, and which column holds which field. Out: a Record with its payload, or
with the column, the value and the hint of its first problem. It reads no file.

Most records of most files are plain, so there is a short way: the end of the payload (category
and status) is remembered by its cells, and a plain printable name is quoted and put before it.
The bytes are those of ``NewPet.to_json`` either way.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Protocol
from unicodedata import normalize

from petstore_frame._internal.voice import Advice
from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import (
    MAX_CELL,
    NUMBER_NOTE,
    CellError,
    Rules,
    is_plain,
    read_category,
    read_name,
    read_status,
    too_large,
)
from petstore_frame.loader.record import Record, RecordProblem, State

_quote: Callable[[str], str] = json.encoder.encode_basestring
# Line, cells, and by position what the type of a cell adds to its text.
OddRow = tuple[int, Sequence[str], "Mapping[int, CellError | str] | None"]

_json = json.JSONEncoder(ensure_ascii=False).encode
_MAX_REMEMBERED = 10_000
_READERS: dict[str, Callable[[str, Rules], tuple[Any, list[str]]]] = {
    "name": read_name,
    "category_id": read_category,
    "status": read_status,
}


class GiantCellError(Exception):
    """A cell is larger than the reader allows; has the number of records before it."""

    def __init__(self, records: int) -> None:
        super().__init__(records)
        self.records = records


def numbered(reader: LineReader, *, first_line: int) -> Iterator[OddRow]:
    """Yield a CSV reader's rows with the physical line that each begins on."""
    records, line = 0, first_line
    try:
        for cells in reader:
            yield line, cells, None
            records, line = records + 1, first_line + reader.line_num
    except csv.Error as problem:
        raise unreadable(problem, records, line) from None


def unreadable(problem: Exception, records: int, line: int) -> Exception:
    """Return the error to raise for an error of the CSV reader.

    Args:
        problem: The error.
        records: How many records came before.
        line: First physical line of the record.
    """
    if "field limit" in str(problem):
        return GiantCellError(records)
    is_open = "unexpected end" in str(problem)
    return InputError(
        "the record that begins here "
        + ("opens a quote that is never closed" if is_open else f"cannot be read: {problem}"),
        line=line,
        hint=Advice(
            "close or double its quotes, or read quotes as letters: {}",
            ("quoting", "none"),
            by_hand="close or double its quotes",
        ),
    )


class LineReader(Protocol):
    """What ``csv.reader`` is: rows, and the number of lines read so far."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...

    def __next__(self) -> list[str]: ...


class Checker:
    """Turns the records of one source into Records.

    Args:
        header: The column names, in order.
        mapping: The column of each field.
        rules: What the caller allows.
        key: The columns that identify an animal.
    """

    def __init__(
        self,
        header: Sequence[str],
        mapping: Mapping[str, str],
        rules: Rules = Rules(),  # noqa: B008
        key: Sequence[str] = (),
    ) -> None:
        self.header = tuple(header)
        self.rules = rules
        self.width = len(self.header)
        self.places = {field: self.header.index(column) for field, column in mapping.items()}
        self._key_places = tuple(self.header.index(column) for column in key)
        ends = [at for field, at in self.places.items() if field != "name"]
        self._end_cells = itemgetter(*ends)
        self._ends: dict[Any, str] = {}

    def plain_rows(self, reader: LineReader, *, first_line: int) -> Iterator[Record]:
        """Check the records of a CSV reader, the usual ones by the short way.

        Args:
            reader: Stands before the first record.
            first_line: The physical line that the reader's first line is.
        """
        number, offset, width, name_at = 0, first_line - 1, self.width, self.places["name"]
        has_key = bool(self._key_places)
        line, end_cells, ends, pending = reader.line_num, self._end_cells, self._ends, State.PENDING
        try:
            for cells in reader:
                number += 1
                start, line = line + 1 + offset, reader.line_num
                if len(cells) == width and not has_key:
                    name = cells[name_at]
                    end = ends.get(end_cells(cells))
                    if end is not None and is_plain(name):
                        payload = f'{{"name":{_quote(name)}{end}'.encode()
                        yield Record(number, start, tuple(cells), pending, payload)
                        continue
                yield self.judge(number, start, cells)
        except csv.Error as problem:
            raise unreadable(problem, number, line + 1 + offset) from None

    def odd_rows(self, rows: Iterable[OddRow]) -> Iterator[Record]:
        """Check records one by one, with what the types of their cells add."""
        for number, (line, cells, oddities) in enumerate(rows, 1):
            yield self.judge(number, line, cells, oddities)

    def judge(
        self,
        number: int,
        line: int,
        cells: Sequence[str],
        oddities: Mapping[int, CellError | str] | None = None,
    ) -> Record:
        """Check one record by the long way.

        Args:
            number: 1 for the first record.
            line: First physical line.
            cells: The cells as text.
            oddities: By position, what the type of a cell adds to its text: a refusal, or a note.
        """
        row = tuple(cells)
        if not oddities and not any(cell and not cell.isspace() for cell in row):
            return Record(number, line, row, State.SKIPPED, warnings=("blank",))
        problems, warnings = self._check_width(row)
        key, keyless = self._key_of(row)
        problems += keyless
        values: dict[str, Any] = {"status": None}
        if not problems:
            self._check_cells(row, oddities or {}, values, problems, warnings)
        if problems:
            others = [f"also {other.column}: {other.message}" for other in problems[1:]]
            notes = (*warnings, *others)
            return Record(number, line, row, State.INVALID, None, problems[0], notes, key)
        return self._pending(number, line, row, values, tuple(warnings))._replace(key=key)

    def _key_of(self, row: tuple[str, ...]) -> tuple[str | None, list[RecordProblem]]:
        """Return the text of the cells that identify the animal, or why there is none."""
        texts = [
            normalize("NFC", row[at].strip()) if at < len(row) else "" for at in self._key_places
        ]
        if all(texts):
            return (None if not texts else texts[0] if len(texts) == 1 else _json(texts)), []
        column = self.header[self._key_places[texts.index("")]]
        missing = RecordProblem(
            "key_missing",
            "the key is missing",
            column,
            hint="fill it in: it says which animal this is",
        )
        return None, [missing]

    def _check_cells(
        self,
        row: tuple[str, ...],
        oddities: Mapping[int, CellError | str],
        values: dict[str, Any],
        problems: list[RecordProblem],
        warnings: list[str],
    ) -> None:
        """Fill in the value of each field, the problems, and notes on what was normalised."""
        for field, at in self.places.items():
            if at >= len(row):
                continue
            oddity = oddities.get(at)
            try:
                if isinstance(oddity, CellError):
                    raise oddity
                values[field], notes = _READERS[field](row[at], self.rules)
            except CellError as refused:
                problems.append(self._problem(refused, self.header[at], row[at]))
            else:
                # A number is what a category is, so only a name or a status is worth a note.
                if oddity is not None and (field != "category_id" or oddity != NUMBER_NOTE):
                    warnings.append(oddity)
                warnings += notes

    def _pending(
        self,
        number: int,
        line: int,
        row: tuple[str, ...],
        values: dict[str, Any],
        warnings: tuple[str, ...],
    ) -> Record:
        status = values["status"]
        end = f',"categoryId":{values["category_id"]}' + (
            f',"status":"{status}"}}' if status else "}"
        )
        if not warnings and len(row) == self.width:
            if len(self._ends) >= _MAX_REMEMBERED:
                self._ends.clear()
            self._ends[self._end_cells(row)] = end
        payload = f'{{"name":{_quote(values["name"])}{end}'.encode()
        return Record(number, line, row, State.PENDING, payload, None, warnings)

    def _check_width(self, row: tuple[str, ...]) -> tuple[list[RecordProblem], list[str]]:
        """Judge a row that is shorter or longer than the header, or holds a giant cell."""
        problems: list[RecordProblem] = []
        warnings: list[str] = []
        if len(row) > self.width:
            extra = [cell for cell in row[self.width :] if cell.strip()]
            if extra:
                problems.append(
                    RecordProblem(
                        "extra_cell",
                        self._width_text(row),
                        value=extra[0][:200],
                        hint="put a cell that holds the delimiter into quotes",
                    )
                )
            else:
                warnings.append("empty_extra_cells")
        missing = [field for field, at in self.places.items() if at >= len(row)]
        if missing == ["status"]:
            warnings.append("short_row")
        elif missing:
            problems.append(
                RecordProblem(
                    "missing_cell",
                    self._width_text(row),
                    column=self.header[self.places[missing[0]]],
                    hint=f"add the missing cells, from {self.header[len(row)]!r} on",
                )
            )
        return problems + self._giant_cells(row), warnings

    def _width_text(self, row: tuple[str, ...]) -> str:
        return f"the record has {len(row)} of {self.width} cells"

    def _giant_cells(self, row: tuple[str, ...]) -> list[RecordProblem]:
        """Refuse a giant cell of a column that is not sent, since it was cut on reading."""
        return [
            self._problem(too_large(), self.header[at] if at < self.width else "", cell)
            for at, cell in enumerate(row)
            if len(cell) > MAX_CELL and at not in self.places.values()
        ]

    def _problem(self, refused: CellError, column: str, value: str) -> RecordProblem:
        return RecordProblem(refused.code, refused.message, column, value[:200], refused.hint)
