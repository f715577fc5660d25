"""The records that a file or a frame holds, each read and checked, none sent."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.check import Checker
from petstore_frame.loader.reading.fields import BLANK, IN_BRACES
from petstore_frame.loader.reading.keys import Keys, Ranks
from petstore_frame.loader.reading.likely import LikelyKey, likely_keys
from petstore_frame.loader.reading.mapping import (
    OWN_PREFIX,
    field_name,
    find_columns,
    find_given,
    listed,
    recognise,
    unsent,
)
from petstore_frame.loader.reading.opening import LOOKED_AT, OLE, ZIP, read_whole, text_table
from petstore_frame.loader.reading.returned import (
    FIX_SHEET,
    ColumnsOf,
    has_own_columns,
    restored,
    with_import,
)
from petstore_frame.loader.reading.tables import Table, Workbook, frame_table
from petstore_frame.loader.reading.words import KEY, NEWEST, RecipeFields
from petstore_frame.loader.record import Record
from petstore_frame.schema.models import FIELD_BY_NAME

SourceKind = Literal["csv", "workbook", "frame"]
_OWN_MARK = OWN_PREFIX.encode()
# Rows in which a status is looked for.
_SAMPLE = 200


class Input:
    """A file or a frame before its columns are known, and what to call it in a message.

    ``columns_of`` gives the columns of an import, for one of its result files.

    Raises:
        InputError: It is no file that could be read.
        ArgumentError: It is neither a path nor a frame.
    """

    def __init__(self, path_or_frame: Any, columns_of: ColumnsOf = lambda _: None) -> None:
        self.columns_of = columns_of
        self.name, self.path, self.frame = "frame", None, path_or_frame
        self.kind: SourceKind = "frame"
        if not isinstance(path_or_frame, str | PathLike):
            self._table = frame_table(path_or_frame)  # which refuses all else
            return
        self.path, self.frame = Path(fspath(path_or_frame)), None
        self.name = self.path.name
        with self.naming():
            self._data = read_whole(self.path)
            self.kind = "workbook" if self._data.startswith(ZIP) else "csv"
            if self._data.startswith(OLE):
                raise InputError("an old or a protected workbook", hint="save it as plain .xlsx")

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Name the file in what is refused."""
        try:
            yield
        except InputError as problem:
            problem.path = problem.path or (str(self.path) if self.path else None)
            raise

    @cached_property
    def _book(self) -> Workbook:
        return Workbook(io.BytesIO(self._data))

    @property
    def sheets(self) -> tuple[str, ...]:
        """The names of a workbook's sheets; of anything else, none."""
        return self._book.names if self.kind == "workbook" else ()

    def table(self, options: RecipeFields) -> Table:
        """Return it cut into columns."""
        if self.kind == "frame":
            return self._table
        if self.kind == "workbook":
            return self._book.table(options)
        if options.sheet is not None:
            raise InputError("a sheet was named, but the file is not a workbook")
        return text_table(self._data, options)

    def own_table(self, options: RecipeFields) -> Table | None:
        """Return one of our own files as we wrote it, or as a spreadsheet saved it."""
        sheet = None
        if self.kind == "workbook":
            sheet = options.sheet or (FIX_SHEET if FIX_SHEET in self.sheets else None)
        elif self.kind == "csv" and _OWN_MARK not in self._data[: 1024**2].replace(b"\0", b""):
            return None
        for encoding in dict.fromkeys((None, options.encoding)):
            with suppress(InputError):
                table = self.table(RecipeFields(encoding=encoding, sheet=sheet))
                if has_own_columns(table.columns):
                    return table
        return None


class Source:
    """The records of one file or frame, from the first one, each time anew.

    Attributes:
        name: What to call it in a message, with the sheet where there are several.
        options: What the caller says, with columns spelled as the file does.
        key: The columns that identify an animal, as the file spells them; empty without ``key=``.
            Where rows stand for several animals, the column of their count is one of them.
        is_returned: It is one of our own files, whose records have an ``origin``.
        leave_lines: Lines of records that the caller leaves out.

    Raises:
        InputError: A column that is needed is not there.
    """

    def __init__(self, opened: Input, table: Table, options: RecipeFields) -> None:
        is_one_of_several = options.sheet is None and len(opened.sheets) > 1
        sheet = f" (sheet {table.facts['sheet']})" if is_one_of_several else ""
        self.name, self.path, self._opened = f"{opened.name}{sheet}", opened.path, opened
        self.is_returned = has_own_columns(table.columns)
        if self.is_returned:
            table = restored(table)
            options = with_import(table, opened.columns_of, options)
        self.rules = replace(options.rules(), has_guards="encoding" in table.facts)
        self.leave_lines = frozenset[int]()
        self.table, self.columns = table, table.columns
        self.mapping = find_columns(self.columns, options.mapping, options.defaults)
        named = tuple(find_given("key", column, self.columns) for column in options.key or ())
        self.options = _spelled(options, self.columns)
        count = self.options.count
        self._own_key = tuple(column for column in named if column != count)
        self.key = (*self._own_key, count) if count and self._own_key else named

    def _cells(self) -> Iterator[Sequence[str]]:
        return (row.cells for row in self.table.readable())

    @cached_property
    def _checker(self) -> Checker:
        """What checks its rows; where keys or ranks need it, all rows are looked at once."""
        keys = ranks = None
        if self._own_key:
            fields, nothing = {column: name for name, column in self.mapping.items()}, {}
            for column in self._own_key:
                words = {**self.rules.values.get(fields.get(column, ""), {})}
                words |= self.rules.values.get(KEY, {})
                nothing[column] = {word for word, sent in words.items() if sent == ""}
            keys = Keys(self.columns, self._own_key, nothing, self._cells())
        if newest := NEWEST.fullmatch(self.options.keep or ""):
            ranks = Ranks(self.columns.index(newest[1]), newest[1], self._cells())
        return Checker(
            self.columns, self.mapping, self.options, self.rules, keys, ranks,
            self.table.facts.get("delimiter", ""), self.is_returned, self.leave_lines,
        )  # fmt: skip

    def likely_keys(self, most: int | None = 100_000) -> tuple[LikelyKey, ...]:
        """Return the columns that may identify an animal; none where it is said which does."""
        if self.key or self.options.key is not None or self.is_returned:
            return ()
        return likely_keys(self.columns, self._cells(), self.mapping, most)

    def batches(self) -> Iterator[list[Record]]:
        """Yield the records, many at once; an InputError tells why there are no more."""
        with self._opened.naming():
            yield from self._checker.batches(self.table.rows())

    def __iter__(self) -> Iterator[Record]:
        return chain.from_iterable(self.batches())


def open_source(
    path_or_frame: Any,
    options: RecipeFields = RecipeFields(),  # noqa: B008 # frozen
    *,
    columns_of: ColumnsOf = lambda _: None,
    leave_lines: Collection[int] = (),
) -> Source:
    """Open a file or a frame as records; a result file of ours is read as we wrote it.

    Args:
        path_or_frame: Path of a CSV, TSV, gzip or xlsx file (known by its bytes, not its name),
            or a DataFrame of any engine that narwhals knows.
        options: How it is read: a ``Recipe``.
        columns_of: Gives the columns of an import, for one of its result files.
        leave_lines: Lines of records that the caller leaves out.

    Raises:
        InputError: It cannot be read as records; the text has the place and the next step.
        MissingExtraError: A workbook, and openpyxl is not installed.

    Interface: Resources, NewPet (the layout of a file is ours).
    """
    options.refuse_blanks()
    opened = Input(path_or_frame, columns_of)
    with opened.naming():
        source = lay_out(opened, options)
    source.leave_lines = frozenset(leave_lines)
    return source


def lay_out(opened: Input, options: RecipeFields) -> Source:
    """Return the records of a file or a frame with the columns of animals.

    Raises:
        InputError: It has none; the text says what would help.
    """
    own = opened.own_table(options)
    table = own or opened.table(options)
    try:
        source = Source(opened, table, options)
    except InputError as problem:
        raise problem if own else _explained(opened, table, problem, options) from None
    if not source.is_returned:
        _refuse_unsent(source)
    return source


def _spelled(options: RecipeFields, columns: Sequence[str]) -> RecipeFields:
    """Return options whose columns are spelled as a file does, which has to have them."""
    changes: dict[str, Any] = {}
    for name in ("leave_out", "only"):
        table = getattr(options, name)
        changes[name] = {find_given(name, column, columns): each for column, each in table.items()}
    if options.count is not None:
        changes["count"] = find_given("count", options.count, columns)
    if newest := NEWEST.fullmatch(options.keep or ""):
        changes["keep"] = f"newest: {find_given('keep', newest[1], columns)}"
    changes["defaults"] = {
        name: IN_BRACES.sub(lambda each: f"{{{find_given('defaults', each[1], columns)}}}", value)
        if isinstance(value, str) else value
        for name, value in options.defaults.items()
    }  # fmt: skip
    return options.replace(**changes)


def _explained(
    opened: Input, table: Table, refusal: InputError, options: RecipeFields
) -> InputError:
    """Return why a table has no columns of animals, and what would help."""
    start = "".join(table.columns[:1]).lstrip()[:40]
    if opened.kind == "frame":
        levels = getattr(getattr(opened.frame, "index", None), "names", ())
        if names := ", ".join(str(name) for name in levels if name and field_name(str(name))):
            refusal.hint = f"the index ({names}) is not read; load frame.reset_index()"
        return refusal
    if kind := {"<": "an HTML page or XML", "{": "JSON", "[": "JSON"}.get(start[:1]):
        what = f"the file looks like {kind}, not like CSV: it begins with {start!r}"
        return InputError(what, hint="export the animals as CSV and load that")
    if _may_be_header(table.columns, options):
        return refusal
    if options.columns is None and options.header_row is None:
        is_title = _count_filled(table.columns) == 1 < len(table.columns)
        for row in islice(table.first_rows(), LOOKED_AT):
            is_wider = is_title and _count_filled(row.cells) > 1
            if is_wider or _may_be_header(row.cells, options):
                what = f"row {table.header_row} is no header of animals: {listed(table.columns)}"
                hint, add = f"row {row.line} looks like the header", ("header_row", row.line)
                return InputError(what, hint=hint, add=add)
    if opened.kind == "csv" and options.delimiter is not None:
        other = opened.table(options.replace(delimiter=None))
        if _may_be_header(other.columns, options):
            sign = other.facts["delimiter"]
            what = f"the delimiter is not {options.delimiter!r}: it looks like {sign!r}"
            return InputError(what, hint="name the other one", add=("delimiter", sign))
    elif len(table.columns) == 1 and re.search(r"[^\w\s]", start):
        refusal.hint, refusal.add = "name the character between the cells", ("delimiter", BLANK)
    return refusal


def _count_filled(cells: Sequence[str]) -> int:
    return sum(bool(cell.strip()) for cell in cells)


def _may_be_header(names: Sequence[str], options: RecipeFields) -> bool:
    """Tell whether each required field has a column here, or one that may be it."""
    with suppress(InputError):
        return recognise(names, options.mapping, options.defaults).is_complete
    return False


def _refuse_unsent(source: Source) -> None:
    """Ask about a column that holds nothing but statuses and would not be sent."""
    field, options = FIELD_BY_NAME["status"], source.options
    if field.name in {*source.mapping, *options.mapping, *options.defaults}:
        return
    rows = [row.cells for row in islice(source.table.readable(), _SAMPLE)]
    for at, column in enumerate(source.columns):
        words = {cells[at].strip().casefold() for cells in rows if at < len(cells)} - {""}
        is_free = column.strip() and column not in source.mapping.values()
        if is_free and words and words <= {*field.values}:
            raise unsent(field.name, column)
