"""Pets as a table, with exact ids and escaped text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from petstore_frame.charts import element
from petstore_frame.counts import category_ids
from petstore_frame.inventory import StatusCount
from petstore_frame.markup import PAGE, Markup
from petstore_frame.schema.categories import category_name
from petstore_frame.schema.models import FIELDS, NO_STATUS, PET_COLUMNS

if TYPE_CHECKING:
    import pandas as pd

LONG_TEXT = 80
# Categories are shown by name.
HEAD = tuple("Category" if field.name == "category_id" else field.label for field in FIELDS)


def further_columns(frame: pd.DataFrame) -> list[str]:
    """Return the names of the columns that a user added to those of the pets."""
    return [str(name) for name in frame.columns if name not in PET_COLUMNS]


def number_places(frame: pd.DataFrame) -> frozenset[int]:
    """Return which columns of the table hold numbers, which stand at the right."""
    import pandas as pd

    ours = (at for at, field in enumerate(FIELDS) if field.dtype in ("Int64", "Float64"))
    further = enumerate(further_columns(frame), start=len(FIELDS))
    is_number = pd.api.types.is_numeric_dtype
    return frozenset([*ours, *(at for at, name in further if is_number(frame[name].dtype))])


def pet_rows(part: pd.DataFrame, labels: Mapping[int, str]) -> list[tuple[str, ...]]:
    """Return a few pets as text, column by column, those that a user added last."""
    names = [*PET_COLUMNS, *further_columns(part)]
    return [*zip(*(_texts(part, name, labels) for name in names), strict=True)]


def _texts(part: pd.DataFrame, name: str, labels: Mapping[int, str]) -> list[str]:
    """Return one column as text."""
    if name == "category_id":
        return [category_name(number, labels) for number in category_ids(part[name])]
    if name not in part:
        return [""] * len(part)
    missing = NO_STATUS if name == "status" else ""
    return [*part[name].astype("object").where(part[name].notna(), missing).map(str)]


def place_in_words(first: int, shown: int, of: StatusCount) -> str:
    """Return which rows of how many are shown: ``1-50 of 312``, ``1-50 of at least 312``."""
    return f"{first + 1:,}–{first + shown:,} of {of}" if shown else f"{of} pets"


def pets_table(
    rows: Iterable[Sequence[str]],
    shades: Mapping[str, str],
    *,
    caption: str,
    head: Sequence[object],
    numbers: Collection[int],
) -> Markup:
    """Draw pets, given as text, as a table; ``numbers`` are the columns at the right."""
    marks = {status: PAGE.status(status, shade) for status, shade in shades.items()}
    status_at = PET_COLUMNS.index("status")
    cells = []
    for row in rows:
        # The column of a long text may cut it, so it is shown whole as a tooltip.
        shown: list[Markup | str] = [
            element("bdi", text, title=text) if len(text) > LONG_TEXT else text for text in row
        ]
        shown[status_at] = marks[row[status_at]]
        cells.append(shown)
    table = PAGE.table(cells, head, caption=caption, numbers=numbers, is_named=True)
    return element("div", table, class_="pf-pets")
