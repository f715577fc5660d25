"""What will become of a record: sent, refused, held or skipped, before any request.

Most records of most files are plain, so there is a short way: what a name, and the other sent cells
together, come to is remembered by their text, with the bytes of the payload.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any
from unicodedata import normalize

from petstore_frame.loader.reading.fields import (
    CellError,
    Rules,
    reader_of,
    suspicious,
)
from petstore_frame.loader.reading.rows import MERGED, LineReader, Oddity, Row, unreadable
from petstore_frame.loader.reading.typed import NUMBER_NOTE
from petstore_frame.loader.record import Record, RecordProblem, State, Suspicion
from petstore_frame.schema.models import FIELD_BY_NAME, SENT_FIELDS

_MAX_REMEMBERED = 100_000
_json_list = json.JSONEncoder(ensure_ascii=False).encode
_new = tuple.__new__


class Checker:
    """Turns the rows of one source into Records.

    Args:
        columns: The column names, in order.
        mapping: The column of each field.
        rules: What the caller allows.
        key: The columns that identify an animal.
        delimiters: The character between the cells of a text file; several where it is not known.
    """

    def __init__(
        self,
        columns: Sequence[str],
        mapping: Mapping[str, str],
        rules: Rules = Rules(),  # noqa: B008 # frozen
        key: Sequence[str] = (),
        delimiters: str = "",
    ) -> None:
        self.columns, self.rules, self._delimiters = tuple(columns), rules, delimiters
        self.width = len(self.columns)
        fields = [field for field in SENT_FIELDS if field.name in mapping]
        self.places = {field.name: self.columns.index(mapping[field.name]) for field in fields}
        self._readers = {field.name: reader_of(field) for field in fields}
        self._keys = tuple(self.columns.index(column) for column in key)
        self._name_at = self.places["name"]
        ends = [at for field, at in self.places.items() if field != "name"]
        self._end_cells = itemgetter(*ends)
        self._names: dict[str, bytes] = {}
        self._ends: dict[Any, tuple[bytes, tuple[str, ...]]] = {}

    def plain_records(self, reader: LineReader, first_line: int) -> Iterator[Record]:
        """Check the records of a CSV reader, the usual ones by the short way.

        Args:
            reader: Stands before the first record.
            first_line: The physical line that the reader's first line is.
        """
        return self._settled(self._plain(reader, first_line))

    def records(self, rows: Iterable[Row]) -> Iterator[Record]:
        """Check records one by one, with what their source adds to the text of their cells."""
        return self._settled(self.judge(number, row) for number, row in enumerate(rows, 1))

    def _plain(self, reader: LineReader, first_line: int) -> Iterator[Record]:
        number, line, width, name_at = 0, first_line, self.width, self._name_at
        pending, find_key = State.PENDING, self._plain_key
        names, ends, end_cells, has_key = self._names, self._ends, self._end_cells, bool(self._keys)
        try:
            for cells in reader:
                number += 1
                start, line = line, first_line + reader.line_num
                # One line, each cell known: all that a record can hold against it was looked at.
                if len(cells) == width and line - start == 1:
                    name = names.get(cells[name_at])
                    end = ends.get(end_cells(cells))
                    if name is not None and end is not None:
                        key = find_key(cells) if has_key else None
                        if key is not None or not has_key:
                            yield _new(
                                Record,
                                (number, start, tuple(cells), pending, name + end[0], None, end[1],
                                 key, None),
                            )  # fmt: skip
                            continue
                yield self.judge(number, Row(start, cells))
        except csv.Error as problem:
            raise unreadable(problem, line) from None

    def judge(self, number: int, row: Row, accept: frozenset[str] = frozenset()) -> Record:
        """Check one record by the long way.

        Args:
            number: 1 for the first record.
            row: The row.
            accept: Kinds of suspicious records that are sent after all, besides those accepted
                for the whole source.
        """
        cells = tuple(row.cells)
        if not any(cell and not cell.isspace() for cell in cells) and not _refuses(row.oddities):
            return Record(number, row.line, cells, State.SKIPPED, warnings=("blank",))
        rules = self.rules if accept <= self.rules.accept else _accepting(self.rules, accept)
        problems, warnings = self._check_width(cells)
        key, keyless = self._key_of(cells)
        problems += keyless
        parts: dict[str, tuple[str | None, list[str]]] = {}
        if not problems:
            for field, at in self.places.items():
                if at < len(cells):
                    self._check_cell(field, at, row, rules, parts, problems)
        warnings += [note for _, notes in parts.values() for note in notes]
        if not problems:
            self._check_whole(row, cells, rules, problems, warnings)
        if problems:
            others = [f"also {other.column}: {other.message}" for other in problems[1:]]
            notes = tuple(note for note in warnings if note != Suspicion.TOTAL_ROW)
            return Record(
                number, row.line, cells, State.INVALID, None, problems[0], (*notes, *others), key
            )
        payload = self._payload(cells, parts, can_remember=rules is self.rules and not row.oddities)
        return Record(number, row.line, cells, State.PENDING, payload, None, tuple(warnings), key)

    def _check_cell(
        self,
        field: str,
        at: int,
        row: Row,
        rules: Rules,
        parts: dict[str, tuple[str | None, list[str]]],
        problems: list[RecordProblem],
    ) -> None:
        """Read one cell into a part of the payload, or into a problem."""
        oddity, text = row.oddities.get(at), row.cells[at]
        try:
            if isinstance(oddity, CellError):
                raise oddity
            value, notes = self._readers[field](text, rules)
        except CellError as refused:
            problems.append(self._problem(refused, self.columns[at], text))
            return
        # A number is what a number's field is for, so only in a text it is worth a note.
        is_number = FIELD_BY_NAME[field].dtype in ("int64", "Int64", "Float64")
        if oddity is not None and not (is_number and oddity == NUMBER_NOTE):
            notes = [oddity, *notes]
        parts[field] = value, notes

    def _payload(
        self,
        cells: tuple[str, ...],
        parts: Mapping[str, tuple[str | None, list[str]]],
        *,
        can_remember: bool,
    ) -> bytes:
        """Return the request body; what a cell without a note came to is remembered."""
        name, notes = parts["name"]
        start = f'{{"name":{name}'.encode()
        rest = [
            f',"{FIELD_BY_NAME[field].wire_name}":{value}'
            for field, (value, _) in parts.items()
            if field != "name" and value is not None
        ]
        end = "".join(rest).encode() + b"}"
        if can_remember and len(cells) == self.width:
            if not notes:
                _remember(self._names, cells[self._name_at], start)
            end_notes = [note for field, (_, n) in parts.items() if field != "name" for note in n]
            _remember(self._ends, self._end_cells(cells), (end, tuple(end_notes)))
        return start + end

    def _check_whole(
        self,
        row: Row,
        cells: tuple[str, ...],
        rules: Rules,
        problems: list[RecordProblem],
        warnings: list[str],
    ) -> None:
        """Hold a record that could be sent: of a hidden row, or of several rows in one."""
        at = self._swallowing(cells)
        doubts = {
            Suspicion.HIDDEN_ROW: (
                row.is_hidden, "the row is hidden in the workbook, by a filter or by hand",
            ),
            Suspicion.SWALLOWED_ROWS: (
                at is not None, "the cell seems to hold other rows: a quote ends lines below",
            ),
        }  # fmt: skip
        for kind, (is_so, what) in doubts.items():
            if not is_so:
                continue
            try:
                warnings.append(rules.doubt(kind, what))
            except CellError as held:
                where = at if kind is Suspicion.SWALLOWED_ROWS else None
                column, value = (
                    (None, None) if where is None else (self.columns[where], cells[where])
                )
                problems.append(self._problem(held, column, value))

    def _swallowing(self, cells: tuple[str, ...]) -> int | None:
        """Return the place of a cell that holds line breaks and what looks like other rows."""
        for at, cell in enumerate(cells[: self.width]):
            if "\n" not in cell and "\r" not in cell:
                continue
            for sign in self._delimiters:
                rows = any(line.count(sign) == self.width - 1 for line in cell.splitlines())
                if sign in cell and (at == self._name_at or (rows and self.width > 2)):
                    return at
        return None

    def _check_width(self, cells: tuple[str, ...]) -> tuple[list[RecordProblem], list[str]]:
        problems: list[RecordProblem] = []
        warnings: list[str] = []
        what = f"the record has {len(cells)} of {self.width} cells"
        if len(cells) > self.width:
            extra = [cell for cell in cells[self.width :] if cell.strip()]
            if extra:
                hint = "put a cell that holds the delimiter into quotes"
                problems.append(RecordProblem("extra_cell", what, value=extra[0][:200], hint=hint))
            else:
                warnings.append("empty_extra_cells")
        missing = [field for field, at in self.places.items() if at >= len(cells)]
        required = [field for field in missing if FIELD_BY_NAME[field].is_required]
        if required:
            hint = f"add the missing cells, from {self.columns[len(cells)]!r} on"
            column = self.columns[self.places[required[0]]]
            problems.append(RecordProblem("missing_cell", what, column=column, hint=hint))
        elif missing:
            warnings.append("short_row")
        return problems, warnings

    def _plain_key(self, cells: list[str]) -> str | None:
        """Return the key of a record where it is one cell of plain text, else None."""
        if len(self._keys) > 1:
            return None
        text = cells[self._keys[0]]
        return text if text.isascii() and text[:1] > " " and text[-1] > " " else None

    def _key_of(self, cells: tuple[str, ...]) -> tuple[str | None, list[RecordProblem]]:
        """Return the text of the cells that identify the animal, or why there is none."""
        texts = [
            normalize("NFC", cells[at].strip()) if at < len(cells) else "" for at in self._keys
        ]
        if all(texts):
            return (None if not texts else texts[0] if len(texts) == 1 else _json_list(texts)), []
        column = self.columns[self._keys[texts.index("")]]
        hint = "fill it in: it says which animal this is"
        return None, [RecordProblem("key_missing", "the key is missing", column, hint=hint)]

    def _problem(self, refused: CellError, column: str | None, value: str | None) -> RecordProblem:
        return RecordProblem(
            refused.code,
            refused.message,
            column,
            None if value is None else value[:200],
            refused.hint,
            refused.option,
            refused.accept,
        )

    def _settled(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield records, with what only their neighbours tell: totals, and twins.

        A record called Total is one only where no animal stands below it.
        """
        held = list[Record]()
        above: Record | None = None
        was_odd = False
        for record in records:
            if record.warnings and Suspicion.TOTAL_ROW in record.warnings:
                held.append(record)
                continue
            if held:
                if record.state is State.SKIPPED:
                    held.append(record)
                    continue
                yield from map(_called_total, held)
                held = []
            is_odd = record.payload is not None and not record.payload.isascii()
            if (is_odd or was_odd) and above is not None and self._are_twins(record, above):
                yield record._replace(warnings=(*record.warnings, "unicode_twin"))
            else:
                yield record
            above, was_odd = record, is_odd
        yield from map(self._judge_total, held)

    def _are_twins(self, record: Record, above: Record) -> bool:
        """Tell whether two names look alike and are not the same text."""
        at = self._name_at
        if len(record.cells) <= at or len(above.cells) <= at:
            return False
        one, other = record.cells[at], above.cells[at]
        return one != other and normalize("NFKC", one) == normalize("NFKC", other)

    def hold(self, record: Record, held: CellError) -> Record:
        """Return a record that could be sent as one that waits for a person."""
        if record.state is not State.PENDING:
            return record
        problem = self._problem(held, None, None)
        return record._replace(state=State.INVALID, payload=None, problem=problem)

    def _judge_total(self, record: Record) -> Record:
        """Hold a record called Total below which no animal stands."""
        is_total = Suspicion.TOTAL_ROW in record.warnings
        if not is_total or Suspicion.TOTAL_ROW in self.rules.accept:
            return record
        name = record.cells[self._name_at]
        held = suspicious(Suspicion.TOTAL_ROW, "this looks like a total, not like an animal")
        return _without_total(record)._replace(
            state=State.INVALID,
            payload=None,
            problem=self._problem(held, self.columns[self._name_at], name),
        )


def _remember(known: dict[Any, Any], cell: Any, value: Any) -> None:
    if len(known) >= _MAX_REMEMBERED:
        known.clear()
    known[cell] = value


def _without_total(record: Record) -> Record:
    kept = tuple(note for note in record.warnings if note != Suspicion.TOTAL_ROW)
    return record._replace(warnings=kept)


def _refuses(oddities: Mapping[int, Oddity]) -> bool:
    """Tell whether a cell without text holds something all the same, such as an error."""
    return any(isinstance(odd, CellError) and odd.code != MERGED for odd in oddities.values())


def _called_total(record: Record) -> Record:
    """Note of a record called Total that animals stand below it, so that it is one itself."""
    if Suspicion.TOTAL_ROW not in record.warnings:
        return record
    noted = _without_total(record)
    return noted._replace(warnings=(*noted.warnings, "called_total"))


def _accepting(rules: Rules, accept: frozenset[str]) -> Rules:
    return Rules(rules.keep_spaces, rules.thousands, rules.words, rules.accept | accept)
