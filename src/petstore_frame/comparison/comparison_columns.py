"""Lays out the rows of a comparison in columns, for the workbook and the dashboard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from petstore_frame.comparison.pet_matching import IN_STORE
from petstore_frame.schema import FIELDS

if TYPE_CHECKING:
    from petstore_frame.comparison.comparison_result import Comparison


class ComparisonColumn(NamedTuple):
    """A column: its heading, its values, and the field that differs, if it shows one side."""

    heading: str
    values: pd.Series[Any]
    field: str | None = None


def table_columns(
    comparison: Comparison, rows: pd.DataFrame, labels: Mapping[int, str], *, has_kind: bool = False
) -> list[ComparisonColumn]:
    """Return the columns with content; a field without differences takes one column, not two.

    Args:
        comparison: The comparison.
        rows: Rows of its frame.
        labels: Labels by category id, to show instead of the numbers.
        has_kind: Whether the first column is the kind of each row.
    """
    differing = {
        name for names in rows["difference"].dropna().unique() for name in names.split(", ")
    }
    columns = [ComparisonColumn("Result", rows["kind"])] if has_kind else []
    columns += [
        ComparisonColumn("Differs in", rows["difference"]),
        ComparisonColumn("Line", rows["line"]),
        ComparisonColumn(", ".join(comparison.key), rows["key"]),
        ComparisonColumn("ID", rows["id"]),
    ]
    for field in FIELDS.sent:
        label = field.label
        list_values, store_values = rows[field.name], rows[field.name + IN_STORE]
        if field.name == "category_id" and labels:
            label = "Category"
            list_values, store_values = (
                side.map(lambda number: labels.get(number, number), na_action="ignore")
                for side in (list_values, store_values)
            )
        if field.name in differing:
            columns.append(ComparisonColumn(f"{label} (list)", list_values, field.name))
            columns.append(ComparisonColumn(f"{label} (store)", store_values, field.name))
        else:
            either = store_values.astype("object").where(
                store_values.notna(), list_values.astype("object")
            )
            columns.append(ComparisonColumn(label, either))
    columns.append(ComparisonColumn("Note", rows["problem"]))
    with_content = []
    for column in columns:
        values = column.values.astype("object").replace("", None)
        values = values.where(values.notna(), None)
        if values.notna().any():
            with_content.append(column._replace(values=values))
    return with_content
