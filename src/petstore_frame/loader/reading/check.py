"""What will become of a record: sent, refused, held or skipped, before any request.

Most records of most files are plain, so there is a short way: what a name, and the other sent cells
together, come to is remembered by their text, with the bytes of the payload.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any
from unicodedata import normalize

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import (
    CellError,
    plain_name,
    quoted,
    reader_of,
    suspicious,
)
from petstore_frame.loader.reading.options import Rules
from petstore_frame.loader.reading.tables import MERGED, NUMBER_NOTE, Aside, Row
from petstore_frame.loader.record import Record, RecordProblem, State, Suspicion
from petstore_frame.schema.models import FIELD_BY_NAME, SENT_FIELDS

_AT_ONCE, _MAX_REMEMBERED = 128, 100_000
_LIKE_A_TOTAL = "this looks like a total, not like an animal"
_NOTHING = Aside()
_new = tuple.__new__
_Part = tuple[str | None, list[str]]


class Checker:
    """Turns the rows of one source into Records.

    Args:
        columns: The column names, in order.
        mapping: The column of each field.
        rules: What the caller allows.
        key: The columns that identify an animal.
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
        fields = [field for field in SENT_FIELDS if field.name in mapping]
        self._places = {field.name: self.columns.index(mapping[field.name]) for field in fields}
        self._readers = {field.name: reader_of(field) for field in fields}
        self._keys = tuple(self.columns.index(column) for column in key)
        self._name_at = self._places["name"]
        self._end_cells = itemgetter(*(at for name, at in self._places.items() if name != "name"))
        self._names: dict[str, bytes] = {}
        self._ends: dict[Any, tuple[bytes, tuple[str, ...]]] = {}

    def batches(self, rows: Iterable[Row]) -> Iterator[list[Record]]:
        """Yield the records of rows, in order, many at once.

        A record called Total is one only where no animal stands below it, and a name is compared
        with the one above.
        """
        held, above, name_at = list[Record](), "", self._name_at
        for records, is_plain in self._checked(rows):
            is_alone = self._is_returned or (is_plain and not held)
            if not self._is_returned:
                cells = [record.cells for record in records]
                names = [each[name_at] if len(each) > name_at else "" for each in cells]
                if not (above + "".join(names)).isascii():
                    _note_twins(records, [above, *names])
                above = [above, *names][-1]
            if is_alone:
                yield records
                continue
            settled = list[Record]()
            for record in records:
                is_total = Suspicion.TOTAL_ROW in record.warnings
                if is_total or (held and record.state is State.SKIPPED):
                    held.append(record)
                    continue
                settled += map(_called_total, held)
                held.clear()
                settled.append(record)
            yield settled
        yield [*map(self._judge_total, held)]

    def _checked(self, rows: Iterable[Row]) -> Iterator[tuple[list[Record], bool]]:
        """Yield records, and whether all of them went the short way."""
        names, ends, end_cells, name_at = self._names, self._ends, self._end_cells, self._name_at
        width, pending, has_key, key_of = len(self.columns), State.PENDING, self._keys, self._key_of
        records, is_plain, number = list[Record](), True, 0
        try:
            for number, row in enumerate(rows, 1):
                line, cells, aside = row
                head = end = key = None
                # One line, each cell known: all that a record can hold against it was looked at.
                if aside is None and len(cells) == width:
                    head = names.get(cells[name_at]) or self._plain_head(cells[name_at])
                    end = ends.get(end_cells(cells))
                    key = key_of(cells) if has_key else None
                if head is None or end is None or (has_key and key is None):
                    is_plain = False
                    records.append(self.judge(number, row))
                else:
                    payload = head + end[0]
                    facts = number, line, tuple(cells), pending, payload, None, end[1], key, None
                    records.append(_new(Record, facts))
                if not number % _AT_ONCE:
                    yield records, is_plain
                    records, is_plain = [], True
        except InputError:
            yield records, False  # those above the fault can be shown
            raise
        if records:
            yield records, is_plain

    def judge(self, number: int, row: Row) -> Record:
        """Check one record by the long way; it is record ``number``, 1 for the first."""
        line, cells, aside = row.line, tuple(row.cells), row.aside or _NOTHING
        is_blank = not any(cell and not cell.isspace() for cell in cells)
        if is_blank and not _refuses(aside):
            blank = Record(number, line, cells, State.SKIPPED, warnings=("blank",))
            return blank._replace(origin=aside.origin)
        accept = self.rules.accept | aside.accept
        rules = replace(self.rules, accept=accept) if aside.accept else self.rules
        problems, warnings = self._check_width(cells)
        key = self._key_of(cells) if self._keys else None
        if self._keys and key is None:
            problems.append(self._keyless(cells))
        places = {} if problems else self._places
        parts: dict[str, _Part] = {}
        for field, at in places.items():
            if at < len(cells):
                try:
                    parts[field] = self._read_cell(field, cells[at], aside.oddities.get(at), rules)
                except CellError as refused:
                    problems.append(self._placed(refused, at, cells))
        warnings += [note for _, notes in parts.values() for note in notes]
        for held, place in [] if problems else self._doubts(cells, aside, warnings):
            if held.problem.accept in accept:
                warnings.append(str(held.problem.accept))
            else:
                problems.append(self._placed(held, place, cells))
        if problems:
            others = [f"also {other.column}: {other.message}" for other in problems[1:]]
            notes = [note for note in warnings if note != Suspicion.TOTAL_ROW]
            state, payload = State.INVALID, None
            warnings = notes + others
        else:
            can_remember = rules is self.rules and not aside.oddities
            state, payload = State.PENDING, self._payload(cells, parts, can_remember=can_remember)
        problem = problems[0] if problems else None
        told = tuple(warnings)
        return Record(number, line, cells, state, payload, problem, told, key, aside.origin)

    def _plain_head(self, name: str) -> bytes | None:
        """Return how the request body of a name begins, where nothing is to be said of it."""
        text = plain_name(name)
        return None if text is None else _remember(self._names, name, f'{{"name":{text}'.encode())

    def _read_cell(
        self, field: str, text: str, oddity: CellError | str | None, rules: Rules
    ) -> _Part:
        """Return a part of the payload, and notes."""
        if isinstance(oddity, CellError):
            raise oddity
        value, notes = self._readers[field](text, rules)
        # A number is what a number's field is for, so only in a text it is worth a note.
        is_number = FIELD_BY_NAME[field].dtype in ("int64", "Int64", "Float64")
        is_odd = oddity is not None and not (is_number and oddity == NUMBER_NOTE)
        return value, [*([str(oddity)] * is_odd), *notes]

    def _payload(
        self, cells: tuple[str, ...], parts: Mapping[str, _Part], *, can_remember: bool
    ) -> bytes:
        """Return the request body; what a cell without a note came to is remembered."""
        name, notes = parts["name"]
        start = f'{{"name":{name}'.encode()
        rest = {field: part for field, part in parts.items() if field != "name"}
        end = "".join(
            f',"{FIELD_BY_NAME[field].wire_name}":{value}'
            for field, (value, _) in rest.items()
            if value is not None
        )
        if can_remember and len(cells) == len(self.columns):
            if not notes:
                _remember(self._names, cells[self._name_at], start)
            end_notes = tuple(note for _, noted in rest.values() for note in noted)
            _remember(self._ends, self._end_cells(cells), (end.encode() + b"}", end_notes))
        return start + end.encode() + b"}"

    def _doubts(
        self, cells: tuple[str, ...], aside: Aside, notes: list[str]
    ) -> Iterator[tuple[CellError, int | None]]:
        """Yield why a record that could be sent is held, and in which cell that shows."""
        if aside.held is not None:
            yield aside.held, None
        at = self._swallowing(cells)
        if at is not None:
            what = "the cell seems to hold other rows: a quote ends lines below"
            yield suspicious(Suspicion.SWALLOWED_ROWS, what), at
        if self._is_returned and Suspicion.TOTAL_ROW in notes:
            notes.remove(Suspicion.TOTAL_ROW)
            if aside.held is None or aside.held.problem.accept != Suspicion.TOTAL_ROW:
                yield suspicious(Suspicion.TOTAL_ROW, _LIKE_A_TOTAL), self._name_at

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
        """Return the text of the cells that identify the animal, None where one is empty."""
        texts = [cells[at].strip() if at < len(cells) else "" for at in self._keys]
        if not all(texts):
            return None
        texts = [text if text.isascii() else normalize("NFC", text) for text in texts]
        return texts[0] if len(texts) == 1 else f"[{', '.join(map(quoted, texts))}]"

    def _keyless(self, cells: Sequence[str]) -> RecordProblem:
        empty = [at for at in self._keys if at >= len(cells) or not cells[at].strip()]
        hint = "fill it in: it says which animal this is"
        return RecordProblem("key_missing", "the key is missing", self.columns[empty[0]], hint=hint)

    def _placed(self, refused: CellError, at: int | None, cells: Sequence[str]) -> RecordProblem:
        if at is None:
            return refused.problem
        return replace(refused.problem, column=self.columns[at], value=cells[at][:200])

    def _judge_total(self, record: Record) -> Record:
        """Hold a record called Total below which no animal stands."""
        is_total = Suspicion.TOTAL_ROW in record.warnings
        if not is_total or Suspicion.TOTAL_ROW in self.rules.accept:
            return record
        held = suspicious(Suspicion.TOTAL_ROW, _LIKE_A_TOTAL)
        problem = self._placed(held, self._name_at, record.cells)
        bare = _without_total(record)
        return bare._replace(state=State.INVALID, payload=None, problem=problem)


def _remember(known: dict[Any, Any], cell: Any, value: Any) -> Any:
    if len(known) >= _MAX_REMEMBERED:
        known.clear()
    known[cell] = value
    return value


def _refuses(aside: Aside) -> bool:
    """Tell whether a cell without text holds something all the same, such as an error."""
    refusals = [odd for odd in aside.oddities.values() if isinstance(odd, CellError)]
    return any(odd.problem.code != MERGED for odd in refusals)


def _note_twins(records: list[Record], names: Sequence[str]) -> None:
    """Note of names that look like the one above them and are not the same text."""
    odd = {at for at, name in enumerate(names) if not name.isascii()}
    for at in (odd | {at + 1 for at in odd}) & {*range(1, len(names))}:
        one, other = names[at - 1], names[at]
        if one != other and normalize("NFKC", one) == normalize("NFKC", other):
            records[at - 1] = _noted(records[at - 1], "unicode_twin")


def _noted(record: Record, note: str) -> Record:
    return record._replace(warnings=(*record.warnings, note))


def _without_total(record: Record) -> Record:
    kept = tuple(note for note in record.warnings if note != Suspicion.TOTAL_ROW)
    return record._replace(warnings=kept)


def _called_total(record: Record) -> Record:
    """Note of a record called Total that animals stand below it, so that it is one itself."""
    is_total = Suspicion.TOTAL_ROW in record.warnings
    return _noted(_without_total(record), "called_total") if is_total else record
