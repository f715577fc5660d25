"""The records that a file or a frame holds, each read and checked, none sent."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Self

from petstore_frame.errors import InputError
from petstore_frame.loader.call import Advice
from petstore_frame.loader.reading.check import Checker
from petstore_frame.loader.reading.keys import Keys
from petstore_frame.loader.reading.mapping import OWN_PREFIX, field_name, find_columns, find_given
from petstore_frame.loader.reading.opening import (
    DAMAGED,
    bytes_of,
    changed,
    is_packed,
    open_regular,
    stamp_of,
)
from petstore_frame.loader.reading.options import KEY, NEWEST, Options, columns_in
from petstore_frame.loader.reading.ranks import Ranks
from petstore_frame.loader.reading.refusals import (
    header_below,
    other_delimiter,
    recognised,
    refuse_other_format,
    refuse_unsent,
)
from petstore_frame.loader.reading.returned import (
    FIX_SHEET,
    ColumnsOf,
    columns_by,
    has_own_columns,
    restored,
)
from petstore_frame.loader.reading.tables import (
    Table,
    frame_table,
    index_names,
    refuse_missing_names,
)
from petstore_frame.loader.reading.text import DELIMITERS, MAX_HEADER, text_tables
from petstore_frame.loader.record import Record

if TYPE_CHECKING:
    from petstore_frame.loader.reading.workbook import Workbook

Kind = Literal["csv", "workbook", "frame"]


class Input:
    """A file or a frame, before its columns are known.

    Attributes:
        name: What to call it in a message.
        path, frame: The file or the frame; the other is None.

    Raises:
        InputError: It is no file that could be read.
        ArgumentError: It is neither a path nor a frame.
    """

    def __init__(self, path_or_frame: Any) -> None:
        self.name, self.path, self.frame = "frame", None, path_or_frame
        self.kind: Kind = "frame"
        if not isinstance(path_or_frame, str | PathLike):
            self._frame_table = frame_table(path_or_frame)
            return
        self.path, self.frame = Path(fspath(path_or_frame)), None
        self.name = self.path.name
        with self.naming():
            self._file: BinaryIO = open_regular(self.path)
            self._stamp = stamp_of(self._file)
            try:
                self.kind = "workbook" if is_packed(self._file) else "csv"
            except InputError:
                self.close()
                raise

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Name the file in what is refused."""
        try:
            yield
        except InputError as problem:
            problem.path = problem.path or (str(self.path) if self.path else None)
            raise

    def refuse_change(self) -> None:
        """Refuse a file that somebody writes to: one that grows while it is read has no end."""
        if self.kind != "frame" and stamp_of(self._file) != self._stamp:
            raise changed()

    @cached_property
    def book(self) -> Workbook:
        """The file as a workbook."""
        from petstore_frame.loader.reading.workbook import Workbook

        return Workbook(self._file)

    @property
    def sheets(self) -> tuple[str, ...]:
        """The names of a workbook's sheets; of anything else, none."""
        return self.book.names if self.kind == "workbook" else ()

    def tables(self, reading: Options) -> Sequence[Table]:
        """Return the ways to cut it into columns, the likeliest first."""
        if self.kind == "frame":
            return [self._frame_table]
        if self.kind == "workbook":
            return [self.book.table(reading)]
        if reading.sheet is not None:
            raise InputError("a sheet was named, but the file is not a workbook")
        return text_tables(self._file, reading)

    def own_tables(self, reading: Options) -> Sequence[Table]:
        """Return the ways to cut one of our own files, as we wrote it or a spreadsheet saved it."""
        start = OWN_PREFIX.encode()
        if self.kind == "csv":
            with suppress(*DAMAGED):
                start = bytes_of(self._file).read(MAX_HEADER).replace(b"\0", b"")
        if OWN_PREFIX.encode() not in start:
            return []
        fixes = FIX_SHEET if FIX_SHEET in self.sheets else None
        sheet = (reading.sheet or fixes) if self.kind == "workbook" else None
        for encoding in dict.fromkeys((None, reading.encoding)):
            with suppress(InputError):
                tables = self.tables(Options(encoding=encoding, sheet=sheet))
                if own := [table for table in tables if has_own_columns(table.columns)]:
                    return own
        return []

    def close(self) -> None:
        """Close the file."""
        if self.kind != "frame" or self.path is not None:
            self._file.close()


class Source:
    """The records of one file or frame, from the first one, each time anew, in constant memory.

    Attributes:
        name: What to call it in a message, with the sheet where there are several.
        path: The file, or None for a frame.
        table, columns: How it is cut into columns, and their names.
        options: What the caller says, with columns spelled as the file does.
        rules: What that means for the cells.
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
        options: Options,
        columns_of: ColumnsOf,
        leave_lines: Collection[int] = (),
    ) -> None:
        is_one_of_several = options.sheet is None and len(opened.sheets) > 1
        sheet = f" (sheet {table.facts['sheet']})" if is_one_of_several else ""
        self.name, self.path, self._opened = f"{opened.name}{sheet}", opened.path, opened
        self.is_returned, self.rules = has_own_columns(table.columns), options.rules()
        self._leave_lines = frozenset(leave_lines)
        mapping, key = options.mapping, tuple(options.key)
        if self.is_returned:
            table = restored(table)
            known = columns_by(table, columns_of)
            if known is not None:
                mapping, key = mapping or known.mapping, key or known.key
        self.table, self.columns = table, table.columns
        self.mapping = find_columns(
            self.columns,
            mapping,
            options.defaults or (),
            rows=lambda: (row.cells for row in table.rows()),
            may_lack_header=opened.kind != "frame",
        )
        named = tuple(find_given("key", column, self.columns) for column in key)
        self.options = _spelled(options, self.columns)
        self._own_key = tuple(column for column in named if column != self.options.count)
        count = self.options.count if self._own_key else None
        self.key = named if count is None else (*self._own_key, count)

    @cached_property
    def _learned(self) -> tuple[Keys, Ranks]:
        """What reads keys and ranks; where they need it, all rows are looked at once."""
        words = {name: [word for word, sent in table.items() if sent == ""]
                 for name, table in self.rules.values.items()}  # fmt: skip
        fields = {column: name for name, column in self.mapping.items()}
        nothing = {
            column: frozenset((*words.get(KEY, ()), *words.get(fields.get(column, ""), ())))
            for column in self._own_key
        }
        keys = Keys(self.columns, self._own_key, nothing)
        ranks = Ranks(self.columns, self.options.keep)
        with suppress(InputError):  # told where the records are read
            keys.learn(self.table.rows())
        ranks.learn(self.table.rows())
        return keys, ranks

    def batches(self) -> Iterator[list[Record]]:
        """Yield the records, many at once; an InputError tells why there are no more."""
        with self._opened.naming():
            keys, ranks = self._learned
            # What was swallowed in a text file is still so in a result file of another delimiter.
            signs = self.table.facts.get("delimiter", "")
            checker = Checker(
                self.columns,
                self.mapping,
                self.options,
                self.rules,
                keys,
                ranks,
                "".join(DELIMITERS) if self.is_returned else signs,
                is_returned=self.is_returned,
                leave_lines=self._leave_lines,
            )
            try:
                for records in checker.batches(self.table.rows()):
                    self._opened.refuse_change()
                    yield records
            except InputError:
                self._opened.refuse_change()  # which may be the cause
                raise

    def __iter__(self) -> Iterator[Record]:
        return chain.from_iterable(self.batches())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._opened.close()


def open_source(
    path_or_frame: Any,
    options: Options = Options(),  # noqa: B008 # frozen
    *,
    columns_of: ColumnsOf = lambda _: None,
    leave_lines: Collection[int] = (),
) -> Source:
    """Open a file or a frame as records; a result file of ours is read as we wrote it.

    Args:
        path_or_frame: Path of a CSV, TSV, gzip or xlsx file (known by its bytes, not its name),
            or a pandas or polars DataFrame.
        options: How it is read: a ``Recipe``.
        columns_of: Gives the columns of the import with an id, for one of its result files that
            is read without a mapping.
        leave_lines: Lines of records that the caller leaves out.

    Raises:
        InputError: It cannot be read as records; the text has the place and the next step.
        MissingExtraError: A workbook, and openpyxl is not installed.

    Interface: Resources, NewPet (the layout of a file is ours).
    """
    opened = Input(path_or_frame)
    try:
        with opened.naming():
            return lay_out(opened, options, columns_of, leave_lines)
    except BaseException:
        opened.close()
        raise


def lay_out(
    opened: Input, options: Options, columns_of: ColumnsOf, leave_lines: Collection[int] = ()
) -> Source:
    """Return the records of the table whose columns are those of animals.

    Raises:
        InputError: None is, or several are; it has the likeliest answer.
    """
    own = opened.own_tables(options)
    fitting, refusals = list[Source](), list[InputError]()
    tables = own or opened.tables(options)
    for table in tables:
        try:
            fitting.append(Source(opened, table, options, columns_of, leave_lines))
        except InputError as problem:
            refusals.append(problem)
    if not fitting:
        raise refusals[0] if own else _explained(opened, tables, refusals, options)
    if len({source.columns for source in fitting}) > 1:
        signs = [source.table.facts["delimiter"] for source in fitting]
        what = f"the delimiter may be {' or '.join(map(repr, signs))}"
        hint = Advice("name it: {}", ("delimiter", signs[0]), by_hand="choose the delimiter")
        raise InputError(what, hint=hint, answer={"delimiter": signs[0]})
    source = fitting[0]
    if source.is_returned:
        return source
    has_default = "name" in (options.defaults or {})
    if opened.kind == "frame" and "name" in source.mapping and not has_default:
        refuse_missing_names(opened.frame, source.columns.index(source.mapping["name"]))
    refuse_unsent(source.table.rows(), source.columns, source.mapping, options)
    return source


def _spelled(options: Options, columns: Sequence[str]) -> Options:
    """Return options whose columns are spelled as a file does.

    Raises:
        InputError: The file has not one of them.
    """
    changes: dict[str, Any] = {}
    for name in ("leave_out", "only"):
        table = getattr(options, name) or {}
        changes[name] = {find_given(name, column, columns): each for column, each in table.items()}
    if options.count is not None:
        changes["count"] = find_given("count", options.count, columns)
    if newest := NEWEST.fullmatch(options.keep or ""):
        changes["keep"] = f"newest: {find_given('keep', newest[1], columns)}"
    defaults = dict(options.defaults or {})
    for name, text in defaults.items():
        for column in columns_in(str(text)):
            spelled = find_given("defaults", column, columns)
            defaults[name] = str(defaults[name]).replace(f"{{{column}}}", f"{{{spelled}}}")
    return replace(options, defaults=defaults, **changes)


def _lacks_delimiter(tables: Sequence[Table]) -> bool:
    """Tell whether a header has signs and no columns."""
    names = [each.columns[0] for each in tables if len(each.columns) == 1]
    return len(names) == len(tables) and any(re.search(r"[^\w\s]", name) for name in names)


def _explained(
    opened: Input, tables: Sequence[Table], refusals: Sequence[InputError], reading: Options
) -> InputError:
    """Return why no table has the columns of animals, and what would help."""
    if opened.kind == "frame":
        held = ", ".join(name for name in index_names(opened.frame) if field_name(name))
        if held:
            refusals[0].hint = f"the index ({held}) is not read; load frame.reset_index()"
        return refusals[0]
    if opened.kind == "csv":
        refuse_other_format(tables[0].columns)
    likely = [at for at, table in enumerate(tables) if recognised(table.columns, reading)]
    if likely:
        return refusals[likely[0]]
    question = None
    if reading.columns is None and reading.header_row is None:
        below = (header_below(table, reading) for table in tables)
        question = next((each for each in below if each is not None), None)
    if question is None and opened.kind == "csv" and reading.delimiter is not None:
        others = opened.tables(replace(reading, delimiter=None))
        question = other_delimiter(others, reading)
    if question is None and opened.kind == "csv" and _lacks_delimiter(tables):
        by_hand = "choose the delimiter"
        hint = Advice("name the character between the cells: {}", ("delimiter",), by_hand=by_hand)
        refusals[0].hint = hint
    return question or refusals[0]
