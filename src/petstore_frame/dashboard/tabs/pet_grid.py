"""Shows one page of pets as a table with sortable headings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from petstore_frame.dashboard.state.file_values import LABELS
from petstore_frame.rendering import PAGE, Cell, Markup, element
from petstore_frame.schema import FIELDS, NO_STATUS

if TYPE_CHECKING:
    import pandas as pd


def pets_markup(
    pets: pd.DataFrame,
    title: str,
    names: Mapping[int | None, str],
    colors: Mapping[str, str],
    order: str,
) -> Markup:
    """Return a page of pets as markup; columns that a user added follow those of the pets.

    Args:
        pets: The pets of the page.
        title: The caption.
        names: The name of each category.
        colors: The color of each status.
        order: The column to sort by; a leading ``-`` means descending.
    """
    import pandas as pd

    columns, head, numbers = list[list[Any]](), list[Cell](), set[int]()
    for at, column in enumerate(dict.fromkeys([*FIELDS.names, *pets.columns])):
        values = pets.get(column, pd.Series("", pets.index))
        if pd.api.types.is_numeric_dtype(values.dtype) and column not in ("id", "category_id"):
            numbers.add(at)
        columns.append(_cells(str(column), values, names, colors))
        head.append(_heading(str(column), order))
    rows = zip(*columns, strict=True)
    table = PAGE.table(rows, head, caption=title, numbers=numbers, is_named=True)
    return element("div", table, class_="pf-pets")


def _cells(
    column: str,
    values: pd.Series[Any],
    names: Mapping[int | None, str],
    colors: Mapping[str, str],
) -> list[Any]:
    texts = values.astype("object").where(values.notna(), "").map(str)
    if column == "status":
        statuses = [text or NO_STATUS for text in texts]
        return [PAGE.status(status, colors[status]) for status in statuses]
    if column == "category_id":
        texts = values.map(names)
    # The styles cut a long text, so the tooltip has the full text.
    return [element("bdi", text, title=text) for text in texts]


def _heading(column: str, order: str) -> Cell:
    if column not in LABELS:
        return Cell(column)
    arrow = {column: " ▲", f"-{column}": " ▼"}.get(order, "")
    mark = element("span", LABELS[column] + arrow, class_="pf-mark")
    return Cell(mark, {"sort": column})
