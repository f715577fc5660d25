"""A page of pets as a table, with exact ids and escaped text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from petstore_frame.charts import element
from petstore_frame.counts import category_ids
from petstore_frame.markup import PAGE, Cell, Markup
from petstore_frame.schema.categories import category_name
from petstore_frame.schema.models import FIELDS, NO_STATUS, PET_COLUMNS

if TYPE_CHECKING:
    import pandas as pd

LONG_TEXT = 80
# What the fields of a pet are called on screen; categories are shown by name.
LABELS = {field.name: field.label for field in FIELDS} | {"category_id": "Category"}


def pets_table(
    pets: pd.DataFrame,
    labels: Mapping[int, str],
    shades: Mapping[str, str],
    *,
    caption: str,
    order: str = "",
) -> Markup:
    """Draw a few pets; columns that a user added follow those of the pets.

    ``shades`` are the colours of statuses, and ``order`` is the column that they are ordered by,
    with a - in front from its other end.
    """
    import pandas as pd

    further = [str(name) for name in pets.columns if name not in PET_COLUMNS]
    numeric = {field.name for field in FIELDS if field.dtype in ("Int64", "Float64")}
    numeric |= {name for name in further if pd.api.types.is_numeric_dtype(pets[name].dtype)}
    columns, head = list[list[str | Markup]](), list[Cell]()
    for name in (*PET_COLUMNS, *further):
        # The column of a long text may cut it, so it is shown whole as a tooltip.
        columns.append([
            element("bdi", text, title=text) if len(text) > LONG_TEXT else text
            for text in _texts(pets, name, labels)
        ])  # fmt: skip
        if name == "status":
            marks = {status: PAGE.status(status, shade) for status, shade in shades.items()}
            columns[-1] = [marks[text] for text in columns[-1]]
        arrow = {name: " ▲", f"-{name}": " ▼"}.get(order, "")
        mark = element("span", LABELS.get(name, name) + arrow, class_="pf-mark")
        head.append(Cell(mark, {"sort": name}) if name in LABELS else Cell(name))
    rows = zip(*columns, strict=True)
    places = {at for at, name in enumerate((*PET_COLUMNS, *further)) if name in numeric}
    table = PAGE.table(rows, head, caption=caption, numbers=places, is_named=True)
    return element("div", table, class_="pf-pets")


def _texts(pets: pd.DataFrame, name: str, labels: Mapping[int, str]) -> list[str]:
    """Return one column as text."""
    if name == "category_id":
        return [category_name(number, labels) for number in category_ids(pets[name])]
    if name not in pets:
        return [""] * len(pets)
    missing = NO_STATUS if name == "status" else ""
    return [*pets[name].astype("object").where(pets[name].notna(), missing).map(str)]
