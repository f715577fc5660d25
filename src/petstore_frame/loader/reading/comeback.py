"""How one of our own result files is read when it is loaded: in the layout that we wrote.

In: a file or rows, and options that may belong to the source of its records, because the same
command is used again. Out: the layout in which our columns appear, and the mapping of the import
that wrote them. It does not judge what a record means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import BinaryIO, NamedTuple

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.check import GiantCellError, OddRow
from petstore_frame.loader.reading.mapping import OWN_PREFIX
from petstore_frame.loader.reading.returned import Returned, has_own_columns
from petstore_frame.loader.reading.text import DAMAGED, SAMPLE, Dialect, bytes_of, find_dialects


class Columns(NamedTuple):
    """Which columns of an import hold what.

    Attributes:
        mapping: The column of each field.
        key: The columns that identify an animal.
    """

    mapping: Mapping[str, str]
    key: tuple[str, ...] = ()


# Gives the columns of the import with this id; None where it is not known.
ColumnsOf = Callable[[str], Columns | None]


def own_dialects(file: BinaryIO, path: str, encoding: str | None) -> list[Dialect]:
    """Return the dialects in which a file shows our columns; none for a file that is not ours.

    A spreadsheet may have saved it again with another delimiter, or in the encoding that is given.
    """
    if not _may_be_ours(file):
        return []
    for codec in (None, encoding):
        with suppress(InputError):
            dialects = find_dialects(file, path, encoding=codec)
            own = [dialect for dialect in dialects if has_own_columns(dialect.header)]
            if own:
                return own
    return []


def _may_be_ours(file: BinaryIO) -> bool:
    try:
        start = bytes_of(file).read(SAMPLE)
    except DAMAGED:
        return False
    return OWN_PREFIX.encode() in start.replace(b"\0", b"")


def own_columns(
    header: Sequence[str], rows: Iterable[OddRow], columns_of: ColumnsOf
) -> Columns | None:
    """Return the columns of the import that a result file is of, as long as they are all there."""
    if not has_own_columns(header):
        return None
    returned = Returned(header)
    run_id = ""
    with suppress(InputError, GiantCellError):  # reported when the records are read
        run_id = next((returned.run_of(cells) for _, cells, _ in rows), "")
    known = columns_of(run_id) if run_id else None
    if known is None or not {*known.mapping.values(), *known.key} <= set(returned.header):
        return None
    return known
