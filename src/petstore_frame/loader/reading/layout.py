"""Opens a file or a frame as records, or says why it cannot be read so, and what would help."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from petstore_frame.errors import InputError
from petstore_frame.loader.reading.fields import BLANK
from petstore_frame.loader.reading.mapping import field_name, listed, recognise, unsent
from petstore_frame.loader.reading.opening import Input
from petstore_frame.loader.reading.returned import ColumnsOf
from petstore_frame.loader.reading.source import Source
from petstore_frame.loader.reading.tables import Table
from petstore_frame.loader.reading.words import RecipeFields
from petstore_frame.schema.models import FIELD_BY_NAME

# Rows in which a header below a title is looked for, and in which a status is.
_BELOW_A_TITLE, _SAMPLE = 20, 200


def open_source(
    path_or_frame: Any,
    recipe: RecipeFields = RecipeFields(),  # noqa: B008 # frozen
    *,
    columns_of: ColumnsOf = lambda _: None,
    leave_lines: Collection[int] = (),
) -> Source:
    """Open a file or a frame as records; a result file of ours is read as we wrote it.

    Args:
        path_or_frame: Path of a CSV, TSV, gzip or xlsx file (known by its bytes, not its name),
            or a DataFrame of any engine that narwhals knows.
        recipe: How it is read.
        columns_of: Gives the columns of an import, for one of its result files.
        leave_lines: Lines of records that the caller leaves out.

    Raises:
        InputError: It cannot be read as records; the text has the place and the next step.
        MissingExtraError: A workbook, and openpyxl is not installed.

    Interface: Resources, NewPet (the layout of a file is ours).
    """
    recipe.refuse_blanks()
    opened = Input(path_or_frame, columns_of)
    with opened.naming():
        return lay_out(opened, recipe, leave_lines)


def lay_out(opened: Input, recipe: RecipeFields, leave_lines: Collection[int] = ()) -> Source:
    """Return the records of a file or a frame with the columns of animals.

    Raises:
        InputError: It has none; the text says what would help.
    """
    own = opened.own_table(recipe)
    table = own or opened.table(recipe)
    try:
        source = Source(opened, table, recipe, leave_lines)
    except InputError as problem:
        raise problem if own else _explained(opened, table, problem, recipe) from None
    if own is None and not {"status"} & {*source.mapping, *recipe.mapping, *recipe.defaults}:
        _refuse_unsent(source)
    return source


def _explained(
    opened: Input, table: Table, refusal: InputError, recipe: RecipeFields
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
    if _may_be_header(table.columns, recipe):
        return refusal
    if recipe.columns is None and recipe.header_row is None:
        is_title, above = _count_filled(table.columns) == 1 < len(table.columns), table.header_row
        for row in range((above or 0) + 1, (above or 0) + 1 + _BELOW_A_TITLE):
            with suppress(InputError):
                below = opened.table(recipe.replace(header_row=row)).columns
                if _may_be_header(below, recipe) or (is_title and _count_filled(below) > 1):
                    what = f"row {above} is no header of animals: {listed(table.columns)}"
                    hint = f"row {row} looks like the header"
                    return InputError(what, hint=hint, add=("header_row", row))
    if len(table.columns) == 1 and re.search(r"[^\w\s]", start):
        refusal.hint, refusal.add = "name the character between the cells", ("delimiter", BLANK)
    return refusal


def _count_filled(cells: Sequence[str]) -> int:
    return sum(bool(cell.strip()) for cell in cells)


def _may_be_header(names: Sequence[str], recipe: RecipeFields) -> bool:
    """Tell whether each required field has a column here, or one that may be it."""
    with suppress(InputError):
        found = recognise(names, recipe.mapping, recipe.defaults)
        return {*found.missing} <= {*found.likely}
    return False


def _refuse_unsent(source: Source) -> None:
    """Ask about a column that holds nothing but statuses and would not be sent."""
    status, rows = FIELD_BY_NAME["status"], [*islice(source.table.cells(), _SAMPLE)]
    for at, column in enumerate(source.columns):
        words = {cells[at].strip().casefold() for cells in rows if at < len(cells)} - {""}
        is_free = column.strip() and column not in source.mapping.values()
        if is_free and words and words <= {*status.values}:
            raise unsent(status.name, column)
