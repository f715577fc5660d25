"""Which records a file or a frame holds, each read and checked, none sent.

In: a path (CSV, TSV, gzip of these, ``.xlsx``) or a DataFrame. Out: a Source, which gives one
Record per record of the file. It knows nothing of a store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.check import OddRow, numbered
from petstore_frame.loader.reading.comeback import ColumnsOf, own_columns, own_dialects
from petstore_frame.loader.reading.fields import Rules
from petstore_frame.loader.reading.kinds import OLE, ZIP
from petstore_frame.loader.reading.layout import (
    LayoutOf,
    choose_dialect,
    find_header_row,
    read_layout,
    refuse_other_format,
    with_header_row,
)
from petstore_frame.loader.reading.options import Reading
from petstore_frame.loader.reading.returned import has_own_columns
from petstore_frame.loader.reading.sources import (
    Source,
    TextSource,
    TypedSource,
    file_digest,
    stamp_of,
)
from petstore_frame.loader.reading.text import Dialect, find_dialects, read_rows, text_of

if TYPE_CHECKING:
    from petstore_frame.loader.reading.excel import Workbook


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
        InputError: It cannot be read as records; the text has the place and the next step.
        MissingExtraError: A workbook, and openpyxl is not installed.

    Interface: Resources, NewPet (the layout of a file is ours).
    """
    words = reading.words()
    rules = Rules(reading.keep_spaces, reading.thousands, words.categories, words.statuses)
    fields = _Fields(reading.mapping, tuple(reading.key), rules, columns_of)
    if not isinstance(path_or_frame, str | PathLike):
        return _open_frame(path_or_frame, fields)
    path = Path(fspath(path_or_frame))
    try:
        file = path.open("rb")
    except OSError as problem:
        raise InputError(f"cannot open the file: {problem.strerror}", path=str(path)) from None
    sheet = reading.sheet
    options = {
        "encoding": reading.encoding,
        "delimiter": reading.delimiter,
        "quoting": reading.quoting,
    }
    place = {"columns": reading.columns, "header_row": reading.header_row}
    try:
        if _is_packed(file):
            return _open_sheet(path, file, sheet, fields, **place)
        return _open_text(path, file, sheet, fields, **place, **options)
    except BaseException as problem:
        file.close()
        if isinstance(problem, InputError):
            problem.path = problem.path or str(path)
        raise


@dataclass(frozen=True)
class _Fields:
    """What is known of the columns before a header is."""

    mapping: Mapping[str, str] | None
    key: tuple[str, ...]
    rules: Rules
    columns_of: ColumnsOf

    def layout_of(
        self, header: Sequence[str], rows: Iterable[OddRow], *, may_lack_header: bool = True
    ) -> LayoutOf:
        """Return what finds the columns of headers; rows are looked at in a result file of ours."""
        own = own_columns(header, rows, self.columns_of) if not self.mapping else None
        return partial(
            read_layout,
            mapping=self.mapping or (own.mapping if own else None),
            rules=self.rules,
            key=self.key or (own.key if own else ()),
            may_lack_header=may_lack_header,
        )


def read_header(path: str | PathLike[str]) -> tuple[str, ...]:
    """Return the column names of a file, whether or not they match the fields of a pet.

    Where the delimiter is not clear, it is the one that gives most columns.

    Raises:
        InputError: The file has no header that could be read.
        MissingExtraError: A workbook, and openpyxl is not installed.
    """
    path = Path(fspath(path))
    with path.open("rb") as file:
        if _is_packed(file):
            return _sheet(path, file, None).header
        return find_dialects(file, str(path))[0].header


def _open_text(
    path: Path, file: BinaryIO, sheet: str | None, fields: _Fields, **options: Any
) -> Source:
    if sheet is not None:
        raise InputError("a sheet was named, but the file is not a workbook")
    stamp = stamp_of(file)
    own = own_dialects(file, str(path), options["encoding"])
    dialects = own or find_dialects(file, str(path), **options)
    with _rows_below(file, dialects[0]) as rows:
        layout_of = fields.layout_of(dialects[0].header, rows)
    try:
        dialect, layout = choose_dialect(dialects, layout_of, str(path))
    except InputError as problem:
        refuse_other_format(dialects[0].header)
        found = (_header_row_below(file, dialect, layout_of) for dialect in dialects)
        raise with_header_row(problem, next(filter(None, found), None)) from None
    return TextSource(path, file, dialect, layout, stamp)


def _header_row_below(file: BinaryIO, dialect: Dialect, layout_of: LayoutOf) -> int | None:
    with _rows_below(file, dialect) as rows:
        return find_header_row(rows, layout_of)


@contextmanager
def _rows_below(file: BinaryIO, dialect: Dialect) -> Iterator[Iterator[OddRow]]:
    """Give the rows below a header."""
    with text_of(file, dialect.encoding) as text:
        yield numbered(read_rows(text, dialect), first_line=dialect.first_line)


def _is_packed(file: BinaryIO) -> bool:
    """Tell whether a file is a workbook by its first bytes; refuse one that cannot be read."""
    if not file.seekable():
        raise InputError("not a regular file", hint="save its content as a file first")
    start = file.read(len(ZIP))
    if start == OLE:
        raise InputError("an old or a protected workbook", hint="save it as plain .xlsx")
    return start == ZIP


def _sheet(path: Path, file: BinaryIO, sheet: str | None, **place: Any) -> Workbook:
    from petstore_frame.loader.reading.excel import Workbook

    return Workbook(file, str(path), sheet, **{"columns": None, **place})


def _own_sheet(path: Path, file: BinaryIO, sheet: str | None) -> Workbook | None:
    """Return a sheet that shows our columns when it is read as we wrote it."""
    with suppress(InputError):
        book = _sheet(path, file, sheet)
        if has_own_columns(book.header):
            return book
    return None


def _open_sheet(
    path: Path, file: BinaryIO, sheet: str | None, fields: _Fields, **place: Any
) -> Source:
    sha256 = file_digest(file)
    own = _own_sheet(path, file, sheet) if any(place.values()) else None
    book = own or _sheet(path, file, sheet, **place)
    layout_of = fields.layout_of(book.header, book.rows())
    try:
        layout = layout_of(book.header)
    except InputError as problem:
        raise with_header_row(problem, find_header_row(book.rows(), layout_of)) from None
    name = f"{path.name} (sheet {book.sheet})" if book.is_chosen else path.name
    source = TypedSource(name, path, sha256, layout, book.rows, file.close)
    source.facts |= {"sheet": book.sheet}
    return source


def _open_frame(frame: Any, fields: _Fields) -> Source:
    from petstore_frame.loader.reading.frames import Frame

    table = Frame(frame)
    layout_of = fields.layout_of(table.header, table.rows(), may_lack_header=False)
    try:
        layout = layout_of(table.header)
    except InputError as problem:
        problem.hint = table.index_hint or problem.hint
        raise
    if layout.returned is None:
        table.refuse_missing_names(layout.mapping["name"])
    return TypedSource("frame", None, table.digest(), layout, table.rows)
