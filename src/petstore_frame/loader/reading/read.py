"""The records that a file or a frame holds, each read and checked, none sent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self

from petstore_frame.errors import InputError
from petstore_frame.errors.advice import Advice
from petstore_frame.loader.reading.causes import (
    Table,
    check_sample,
    header_below,
    other_delimiter,
    recognised,
    refuse_other_format,
)
from petstore_frame.loader.reading.check import Checker
from petstore_frame.loader.reading.encoding import DAMAGED, bytes_of
from petstore_frame.loader.reading.fields import Rules
from petstore_frame.loader.reading.frames import FrameTable
from petstore_frame.loader.reading.kinds import is_packed, open_regular
from petstore_frame.loader.reading.mapping import OWN_PREFIX, find_columns, find_given
from petstore_frame.loader.reading.options import Reading
from petstore_frame.loader.reading.returned import ColumnsOf, Returned, has_own_columns
from petstore_frame.loader.reading.rows import Row
from petstore_frame.loader.reading.text import DELIMITERS, SAMPLE, text_tables
from petstore_frame.loader.record import Record

Kind = Literal["csv", "workbook", "frame"]


class Source:
    """The records of one file or frame.

    A context manager; iterating it yields Records from the first one, each time anew, lazily and in
    constant memory.

    Attributes:
        name: What to call it in a message: the file's name, or ``frame``.
        path: The file, or None for a frame.
        kind: ``csv``, ``workbook`` or ``frame``.
        columns: The column names, in order.
        mapping: The column of each field: ``name``, ``category_id`` and, where there is one,
            ``status``.
        key: The columns that identify an animal, as the file spells them; empty without ``key=``.
        is_returned: It is one of our own files, whose records have an ``origin``.
        warnings: What a person should know of the source as a whole, before it is sent.
        facts: How it is read: encoding and delimiter, or sheet, and the columns not used.
    """

    def __init__(self, opened: Opened, table: Table, layout: Layout) -> None:
        is_chosen = getattr(table, "is_chosen", False)
        self.name = f"{opened.name} (sheet {table.facts['sheet']})" if is_chosen else opened.name
        self.path, self.kind = opened.path, opened.kind
        self.columns, self.mapping, self.key = layout.columns, layout.mapping, layout.key
        self.is_returned = layout.returned is not None
        used = {*layout.mapping.values(), *layout.key}
        unused = [name for name in layout.columns if name not in used]
        self.facts: dict[str, Any] = {"unused": unused, **table.facts}
        self.warnings: tuple[Advice, ...] = ()
        self._opened, self._table, self._layout = opened, table, layout

    def __iter__(self) -> Iterator[Record]:
        try:
            yield from self._layout.records(self._table)
        except InputError as problem:
            problem.path = problem.path or (str(self.path) if self.path else None)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._opened.close()


def open_source(
    path_or_frame: Any,
    reading: Reading = Reading(),  # noqa: B008 # frozen
    *,
    columns_of: ColumnsOf = lambda _: None,
) -> Source:
    """Open a file or a frame as records.

    A result file of ours is read as we wrote it: options for layout and encoding then belong to
    the file that its records first came from.

    Args:
        path_or_frame: Path of a CSV, TSV, gzip or xlsx file (known by its bytes, not its name),
            or a pandas or polars DataFrame.
        reading: How it is read.
        columns_of: Gives the columns of the import with an id, for one of its result files that
            is read without a mapping.

    Raises:
        InputError: It cannot be read as records, or most of its first records cannot be sent for
            one cause; the text has the place and the next step.
        MissingExtraError: A workbook, and openpyxl is not installed.

    Interface: Resources, NewPet (the layout of a file is ours).
    """
    opened = open_input(path_or_frame)
    try:
        table, layout = lay_out(opened, reading, columns_of)
        source = Source(opened, table, layout)
        if not source.is_returned:
            check_sample(source, source.columns, source.mapping, reading)
    except BaseException as problem:
        opened.close()
        if isinstance(problem, InputError):
            problem.path = problem.path or (str(opened.path) if opened.path else None)
        raise
    return source


@dataclass(frozen=True)
class Layout:
    """How the columns of a source are read.

    Attributes:
        columns: The columns of the records.
        mapping: The column of each field.
        key: The columns that identify an animal.
        rules: What the caller allows.
        returned: What to undo first, if it is one of our own result files.
        delimiters: The character between the cells of a text file.
        edits: Corrected texts by the place of their column, by record.
    """

    columns: tuple[str, ...]
    mapping: dict[str, str]
    key: tuple[str, ...]
    rules: Rules
    returned: Returned | None
    delimiters: str
    edits: Mapping[int, Mapping[int, str]]

    def records(self, table: Table) -> Iterator[Record]:
        """Return the records of a table, from the first one on."""
        checker = Checker(self.columns, self.mapping, self.rules, self.key, self.delimiters)
        if self.returned is not None:
            return self.returned.records(self._edited(table.rows()), checker)
        return checker.records(self._edited(table.rows())) if self.edits else table.records(checker)

    def _edited(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Put what a person has corrected in the place of what the cells hold."""
        for number, row in enumerate(rows, 1):
            texts = self.edits.get(number)
            if texts is None:
                yield row
                continue
            cells = [*row.cells, *[""] * (len(self.columns) - len(row.cells))]
            for at, text in texts.items():
                cells[at] = text
            kept = {at: oddity for at, oddity in row.oddities.items() if at not in texts}
            yield row._replace(cells=cells, oddities=kept)


@dataclass(frozen=True)
class Opened:
    """A file or a frame, before its columns are known.

    Attributes:
        name: What to call it.
        path: The file, or None for a frame.
        kind: What it is.
        file: The open file, or None.
        frame: The rows of a frame, or None.
    """

    name: str
    path: Path | None
    kind: Kind
    file: BinaryIO | None = None
    frame: FrameTable | None = None

    def tables(self, reading: Reading, *, odd: bool = False) -> Sequence[Table]:
        """Return the ways in which it can be cut into columns, the likeliest first.

        Args:
            reading: How it is read.
            odd: Whether to try any delimiter, also what is seldom one.
        """
        if self.frame is not None:
            return [self.frame]
        assert self.file is not None and self.path is not None  # noqa: S101 # a file or a frame
        if self.kind == "csv":
            if reading.sheet is not None:
                raise InputError("a sheet was named, but the file is not a workbook")
            return text_tables(self.file, self.path, reading, odd=odd)
        from petstore_frame.loader.reading.excel import Workbook

        book = Workbook(self.file, self.path)
        return [book.table(book.choose(reading.sheet), reading)]

    def sheets(self) -> tuple[str, ...]:
        """Return the names of a workbook's sheets; of anything else, none."""
        if self.kind != "workbook" or self.file is None or self.path is None:
            return ()
        from petstore_frame.loader.reading.excel import Workbook

        return tuple(sheet.name for sheet in Workbook(self.file, self.path).sheets)

    def own_tables(self, reading: Reading) -> Sequence[Table]:
        """Return the ways in which one of our own files shows our columns; none for any other.

        Such a file is laid out as we wrote it, or as a spreadsheet saved it again.
        """
        if self.kind == "csv" and not self._may_be_ours():
            return []
        for encoding in dict.fromkeys((None, reading.encoding)):
            with suppress(InputError):
                sheet = reading.sheet if self.kind == "workbook" else None
                tables = self.tables(Reading(encoding=encoding, sheet=sheet))
                own = [table for table in tables if has_own_columns(table.columns)]
                if own:
                    return own
        return []

    def _may_be_ours(self) -> bool:
        assert self.file is not None  # noqa: S101 # of kind csv
        try:
            start = bytes_of(self.file).read(SAMPLE)
        except DAMAGED:
            return False
        return OWN_PREFIX.encode() in start.replace(b"\0", b"")

    def close(self) -> None:
        """Close the file."""
        if self.file is not None:
            self.file.close()


def open_input(path_or_frame: Any) -> Opened:
    """Open a file or a frame, whatever it holds.

    Raises:
        InputError: It is no file that could be read.
        ArgumentError: It is neither a path nor a frame.
    """
    if not isinstance(path_or_frame, str | PathLike):
        return Opened("frame", None, "frame", frame=FrameTable(path_or_frame))
    path = Path(fspath(path_or_frame))
    file = open_regular(path)
    try:
        return Opened(path.name, path, "workbook" if is_packed(file) else "csv", file)
    except InputError as problem:
        file.close()
        problem.path = str(path)
        raise


def lay_out(opened: Opened, reading: Reading, columns_of: ColumnsOf) -> tuple[Table, Layout]:
    """Find the table whose columns are those of animals.

    Raises:
        InputError: None is, or several are; it has the likeliest answer.
    """
    words = reading.words()
    rules = Rules(reading.keep_spaces, reading.thousands, words, frozenset(reading.accept))
    own = opened.own_tables(reading)
    fitting, refusals = list[tuple[Table, Layout]](), list[InputError]()
    tables = own or opened.tables(reading)
    for table in tables:
        try:
            fitting.append((table, _layout(opened, table, reading, rules, columns_of)))
        except InputError as problem:
            refusals.append(problem)
    if not fitting:
        raise refusals[0] if own else _explained(opened, tables, refusals, reading)
    if len(fitting) > 1:
        signs = [table.facts["delimiter"] for table, _ in fitting]
        raise InputError(
            f"the delimiter may be {' or '.join(map(repr, signs))}",
            hint=Advice("name it: {}", ("delimiter", signs[0]), by_hand="choose the delimiter"),
            answer={"delimiter": signs[0]},
        )
    table, layout = fitting[0]
    if opened.frame is not None and layout.returned is None:
        opened.frame.refuse_missing_names(layout.mapping["name"])
    return table, layout


def _layout(
    opened: Opened, table: Table, reading: Reading, rules: Rules, columns_of: ColumnsOf
) -> Layout:
    """Return how the columns of a table are read, or raise what is missing."""
    header, mapping, key = table.columns, reading.mapping, tuple(reading.key)
    returned = Returned(header) if has_own_columns(header) else None
    if returned is not None:
        header = returned.header
        known = returned.columns_by(table.rows(), columns_of)
        if known is not None:
            mapping, key = mapping or known.mapping, key or known.key
    found = find_columns(header, mapping, may_lack_header=opened.kind != "frame")
    keys = tuple(find_given("key", column, header) for column in key)
    # What was swallowed in a text file is still so in a result file with another delimiter.
    own = "".join(DELIMITERS) if returned is not None else ""
    delimiters = own or table.facts.get("delimiter", "")
    edits = defaultdict[int, dict[int, str]](dict)
    for (record, column), text in reading.edits.items():
        edits[record][table.columns.index(find_given("edits", column, table.columns))] = text
    return Layout(header, found, keys, rules, returned, delimiters, edits)


def _explained(
    opened: Opened, tables: Sequence[Table], refusals: Sequence[InputError], reading: Reading
) -> InputError:
    """Return why no table has the columns of animals, and what would help."""
    if opened.frame is not None:
        refusals[0].hint = opened.frame.index_hint or refusals[0].hint
        return refusals[0]
    if opened.kind == "csv":
        refuse_other_format(tables[0].columns)
    likely = [at for at, table in enumerate(tables) if recognised(table.columns, reading)]
    if likely:
        return refusals[likely[0]]
    if reading.columns is None and reading.header_row is None:
        for table in tables:
            question = header_below(table, reading)
            if question is not None:
                return question
    if opened.kind == "csv":
        anew = replace(reading, delimiter=None)
        question = other_delimiter(opened.tables(anew, odd=True), reading.delimiter, reading)
        if question is not None:
            return question
    return refusals[0]
