"""How the columns of a source are read.

In: a header, and the caller's mapping. Out: a ColumnLayout, which makes Records of rows;
for a text file, the one delimiter that makes the needed columns appear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from petstore_frame._internal.voice import Advice
from petstore_frame.errors import InputError
from petstore_frame.loader.reading.check import Checker, GiantCellError, OddRow
from petstore_frame.loader.reading.fields import Rules
from petstore_frame.loader.reading.mapping import find_columns, find_given
from petstore_frame.loader.reading.returned import Returned, has_own_columns
from petstore_frame.loader.reading.text import Dialect


@dataclass(frozen=True)
class ColumnLayout:
    """How the columns of a source are read.

    Attributes:
        header: The columns of the records.
        mapping: The column of each field.
        rules: What the caller allows.
        key: The columns that identify an animal.
        returned: What to undo first, if it is one of our own result files.
    """

    header: tuple[str, ...]
    mapping: dict[str, str]
    rules: Rules
    key: tuple[str, ...]
    returned: Returned | None

    def checker(self) -> Checker:
        """Return what turns rows into Records."""
        return Checker(self.header, self.mapping, self.rules, self.key)


# Rows in which a header below a title is looked for.
_LOOKED_AT = 20

LayoutOf = Callable[[Sequence[str]], ColumnLayout]


def read_layout(
    header: Sequence[str],
    mapping: Mapping[str, str] | None,
    rules: Rules,
    *,
    key: Sequence[str] = (),
    may_lack_header: bool = True,
) -> ColumnLayout:
    """Find out how the columns of a header are to be read.

    Raises:
        InputError: A required column is missing or ambiguous.
    """
    returned = Returned(header) if has_own_columns(header) else None
    own = tuple(header) if returned is None else returned.header
    found = find_columns(own, mapping, may_lack_header=may_lack_header)
    keys = tuple(find_given("key", column, own) for column in key)
    return ColumnLayout(own, found, rules, keys, returned)


def find_header_row(rows: Iterable[OddRow], layout_of: LayoutOf) -> int | None:
    """Return the line of a header that stands below a title, or None.

    Args:
        rows: The rows below what was read as the header.
        layout_of: Finds the columns of a header, or raises InputError.
    """
    with suppress(InputError, GiantCellError):
        for line, cells, _ in islice(rows, _LOOKED_AT):
            with suppress(InputError):
                layout_of(cells)
                return line
    return None


def with_header_row(problem: InputError, row: int | None) -> InputError:
    """Let a refused header propose the row that looks like the header, if one does."""
    if row is not None:
        problem.hint = Advice(
            f"row {row} looks like the header: {{}}",
            ("header_row", row),
            by_hand=f"row {row} looks like the header; remove what is above it",
        )
    return problem


def refuse_other_format(header: Sequence[str]) -> None:
    """Refuse a file whose first cell is how another format begins.

    Raises:
        InputError: It names the format.
    """
    start = header[0].lstrip() if header else ""
    kind = {"<": "an HTML page or XML", "{": "JSON", "[": "JSON"}.get(start[:1])
    if kind is not None:
        raise InputError(
            f"the file looks like {kind}, not like CSV: it begins with {start[:40]!r}",
            hint="export the animals as CSV and load that",
        )


def choose_dialect(
    dialects: Sequence[Dialect], layout_of: LayoutOf, path: str
) -> tuple[Dialect, ColumnLayout]:
    """Choose the dialect whose header has the needed columns.

    Args:
        dialects: The ways in which the file can be read, the likeliest first.
        layout_of: Finds the columns of a header, or raises InputError.
        path: The file, for messages.

    Raises:
        InputError: Several have them; or none has, and the message is about the likeliest.
    """
    fitting: list[tuple[Dialect, ColumnLayout]] = []
    refusals: list[InputError] = []
    for dialect in dialects:
        try:
            fitting.append((dialect, layout_of(dialect.header)))
        except InputError as problem:
            refusals.append(problem)
    if not fitting:
        raise refusals[0]
    if len(fitting) > 1:
        raise InputError(
            f"the delimiter may be {' or '.join(repr(one.delimiter) for one, _ in fitting)}",
            path=path,
            hint=Advice(
                "name it with {}",
                ("delimiter",),
                by_hand="save it with one delimiter, such as a comma",
            ),
        )
    return fitting[0]
