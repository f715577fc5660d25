"""Which records a file or a frame holds, each read and checked, none sent.

In: a path (CSV, TSV, gzip of these, ``.xlsx``) or a DataFrame. Out: a Source, which gives one
Record per record of the file, lazily and in constant memory. It knows nothing of a store.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, Self

from petstore_frame.categories import Categories, category_labels
from petstore_frame.errors import InputError
from petstore_frame.loader.check import Checker, GiantCellError, OddRow, numbered
from petstore_frame.loader.fields import Rules
from petstore_frame.loader.kinds import OLE, ZIP
from petstore_frame.loader.mapping import find_columns
from petstore_frame.loader.options import check_reading
from petstore_frame.loader.record import Record
from petstore_frame.loader.returned import Returned, has_own_columns
from petstore_frame.loader.text import Dialect, find_dialect, read_rows, text_of
from petstore_frame.loader.values import read_value_map
from petstore_frame.voice import Advice

_CHUNK = 1024 * 1024
ValueMap = Mapping[str, Mapping[Any, Any]]


@dataclass(frozen=True)
class Plan:
    """How the columns of a source are read.

    Attributes:
        header: The columns of the records.
        mapping: The column of each field.
        rules: What the caller allows.
        returned: What to undo first, if it is one of our own result files.
    """

    header: tuple[str, ...]
    mapping: dict[str, str]
    rules: Rules
    returned: Returned | None

    def checker(self) -> Checker:
        """Return what turns rows into Records."""
        return Checker(self.header, self.mapping, self.rules)


def read_plan(
    header: Sequence[str],
    mapping: Mapping[str, str] | None,
    rules: Rules,
    *,
    may_lack_header: bool = True,
) -> Plan:
    """Tell how the columns of a header are to be read.

    Raises:
        InputError: A required column is missing or not clear.
    """
    returned = Returned(header) if has_own_columns(header) else None
    own = tuple(header) if returned is None else returned.header
    found = find_columns(own, mapping, may_lack_header=may_lack_header)
    return Plan(own, found, rules, returned)


class Source:
    """The records of one file or frame.

    A context manager; iterating it yields Records from the first one, each time anew.

    Attributes:
        name: What to call it in a message: the file's name, or ``frame``.
        path: The file, or None for a frame.
        sha256: Hex digest of the file's bytes, or of a frame's content.
        header: The column names, in order.
        mapping: The column of each field: ``name``, ``category_id`` and, where there is one,
            ``status``.
        facts: How it is read: encoding and delimiter, or sheet, and the columns not used.
    """

    def __init__(self, name: str, path: Path | None, sha256: str, plan: Plan) -> None:
        self.name, self.path, self.sha256 = name, path, sha256
        self.header, self.mapping = plan.header, plan.mapping
        used = set(plan.mapping.values())
        self.facts: dict[str, Any] = {"unused": [name for name in plan.header if name not in used]}
        self._plan = plan

    def __iter__(self) -> Iterator[Record]:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""


class TextSource(Source):
    """The records of a CSV file."""

    def __init__(self, path: Path, file: BinaryIO, dialect: Dialect, plan: Plan) -> None:
        super().__init__(path.name, path, file_digest(file), plan)
        self._file, self._dialect = file, dialect
        self._stamp = _stamp(file)
        self.facts |= {"encoding": dialect.encoding, "delimiter": dialect.delimiter}

    def close(self) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[Record]:
        try:
            try:
                yield from self._records(self._dialect)
            except GiantCellError as giant:
                yield from self._piecewise(giant.records)
        except InputError as problem:
            problem.path = problem.path or str(self.path)
            raise
        if _stamp(self._file) != self._stamp:
            raise InputError(
                "the file changed while it was being read",
                path=str(self.path),
                hint="load it again",
            )

    def _piecewise(self, done: int) -> Iterator[Record]:
        """Start again in the way that bears giant cells, after the records that are done."""
        dialect = replace(self._dialect, has_giants=True)
        try:
            yield from islice(self._records(dialect), done, None)
        except GiantCellError as giant:
            raise InputError(
                f"record {giant.records + 1} holds a cell of megabytes of quotes",
                hint=Advice("is this a CSV file? {} reads quotes as letters", ("quoting", "none")),
            ) from None

    def _records(self, dialect: Dialect) -> Iterator[Record]:
        with text_of(self._file, dialect.encoding) as text:
            reader = read_rows(text, dialect)
            checker = self._plan.checker()
            if self._plan.returned is None:
                yield from checker.plain_rows(reader, first_line=dialect.first_line)
            else:
                rows = numbered(reader, first_line=dialect.first_line)
                yield from self._plan.returned.records(rows, checker)


class TypedSource(Source):
    """The records of a workbook's sheet or of a frame."""

    def __init__(
        self,
        name: str,
        path: Path | None,
        sha256: str,
        plan: Plan,
        rows: Callable[[], Iterator[OddRow]],
        close: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(name, path, sha256, plan)
        self._rows, self._close = rows, close

    def close(self) -> None:
        self._close()

    def __iter__(self) -> Iterator[Record]:
        rows, checker, returned = self._rows(), self._plan.checker(), self._plan.returned
        try:
            yield from returned.records(rows, checker) if returned else checker.odd_rows(rows)
        except InputError as problem:
            problem.path = problem.path or (str(self.path) if self.path else None)
            raise


def open_source(
    path_or_frame: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    value_map: ValueMap | None = None,
    categories: Categories = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    quoting: str = "strict",
    columns: Sequence[str] | None = None,
    sheet: str | None = None,
    keep_spaces: bool = False,
    thousands: str | None = None,
) -> Source:
    """Open a file or a frame as records.

    Args:
        path_or_frame: Path of a CSV, TSV, gzip or xlsx file (told by its bytes, not its name),
            or a pandas or polars DataFrame.
        mapping: Column names by field, where the header does not speak for itself.
        value_map: Values by field and word, as in ``{"status": {"in stock": "available"}}``.
        categories: Labels by category id (dict, Series or CSV path), so that "Dog" is a number.
        encoding: The codec of a text file that is neither UTF-8 nor marked.
        delimiter: The sign between cells; None finds the one that makes the header speak.
        quoting: ``strict``, or ``none`` to read quotes as letters.
        columns: The column names of a file without a header.
        sheet: The sheet of a workbook that has several.
        keep_spaces: Leave the outer spaces of names.
        thousands: ``,`` or ``.`` where category ids have their digits grouped.

    Raises:
        InputError: It cannot be read as records; says where and what to do.
        ArgumentError: An option cannot be used.
        MissingExtraError: A workbook, and openpyxl is not installed.

    Interface: Resources, NewPet (the layout of a file is ours).
    """
    check_reading(
        mapping=mapping,
        value_map=value_map,
        encoding=encoding,
        delimiter=delimiter,
        quoting=quoting,
        columns=columns,
        sheet=sheet,
        keep_spaces=keep_spaces,
        thousands=thousands,
    )
    words = read_value_map(value_map, category_labels(categories))
    rules = Rules(keep_spaces, thousands, words.categories, words.statuses)
    plan_of = partial(read_plan, mapping=mapping, rules=rules)
    if not isinstance(path_or_frame, str | PathLike):
        return _open_frame(path_or_frame, partial(plan_of, may_lack_header=False))
    path = Path(fspath(path_or_frame))
    try:
        file = path.open("rb")
    except OSError as problem:
        raise InputError(f"cannot open the file: {problem.strerror}", path=str(path)) from None
    options = {
        "encoding": encoding,
        "delimiter": delimiter,
        "quoting": quoting,
        "columns": columns,
    }
    try:
        return _open_file(path, file, sheet, options, plan_of)
    except BaseException as problem:
        file.close()
        if isinstance(problem, InputError):
            problem.path = problem.path or str(path)
        raise


def read_header(path: str | PathLike[str]) -> tuple[str, ...]:
    """Return the column names of a file, whether or not they say which holds what.

    Raises:
        InputError: The file has no header that could be read.
        MissingExtraError: A workbook, and openpyxl is not installed.
    """
    seen: list[tuple[str, ...]] = []

    def note(header: Sequence[str]) -> NoReturn:
        seen.append(tuple(header))
        raise InputError("only the header was wanted")

    options = dict.fromkeys(("encoding", "delimiter", "columns")) | {"quoting": "strict"}
    with Path(fspath(path)).open("rb") as file:
        try:
            _open_file(Path(fspath(path)), file, None, options, note)
        except InputError:
            if not seen:
                raise
    return max(seen, key=len)


PlanOf = Callable[[Sequence[str]], Plan]


def _open_file(
    path: Path, file: BinaryIO, sheet: str | None, options: dict[str, Any], plan_of: PlanOf
) -> Source:
    if not file.seekable():
        raise InputError("not a regular file", hint="save its content as a file first")
    start = file.read(8)
    if start.startswith(ZIP):
        return _open_sheet(path, file, sheet, options["columns"], plan_of)
    if start.startswith(OLE):
        raise InputError("an old or a protected workbook", hint="save it as plain .xlsx")
    if sheet is not None:
        raise InputError("a sheet was named, but the file is not a workbook")
    dialect = find_dialect(file, str(path), plan_of, **options)
    return TextSource(path, file, dialect, plan_of(dialect.header))


def _open_sheet(
    path: Path, file: BinaryIO, sheet: str | None, columns: Sequence[str] | None, plan_of: PlanOf
) -> Source:
    from petstore_frame.loader.excel import Workbook

    sha256 = file_digest(file)
    book = Workbook(file, str(path), sheet, columns)
    source = TypedSource(path.name, path, sha256, plan_of(book.header), book.rows, file.close)
    source.facts |= {"sheet": book.sheet}
    return source


def _open_frame(frame: Any, plan_of: PlanOf) -> Source:
    from petstore_frame.loader.frames import Frame

    table = Frame(frame)
    plan = plan_of(table.header)
    if plan.returned is None:
        table.refuse_missing_names(plan.mapping["name"])
    return TypedSource("frame", None, table.digest(), plan, table.rows)


def file_digest(file: BinaryIO) -> str:
    """Return the SHA-256 of a file's bytes as hex."""
    digest = hashlib.sha256()
    file.seek(0)
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def _stamp(file: BinaryIO) -> tuple[int, int]:
    facts = os.fstat(file.fileno())
    return facts.st_size, facts.st_mtime_ns
