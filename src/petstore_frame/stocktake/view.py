"""How a comparison looks in a notebook: the claim first, then counts, next steps, first rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from petstore_frame.html import NOTEBOOK, Markup
from petstore_frame.html.palette import verdict_badge
from petstore_frame.schema.models import SENT_FIELDS
from petstore_frame.stocktake.matching import IN_STORE

if TYPE_CHECKING:
    import pandas as pd

    from petstore_frame.stocktake.comparison import Comparison


def comparison_html(comparison: Comparison, first: pd.DataFrame) -> str:
    """Return a comparison as one piece of markup, every text escaped.

    Args:
        comparison: What was found.
        first: The rows to list.
    """
    parts = [
        NOTEBOOK.headline(verdict_badge(comparison.completeness.verdict), comparison.headline),
        NOTEBOOK.quiet(comparison.warnings),
        NOTEBOOK.table(
            [[kind, *counts] for kind, *counts in comparison.summary.itertuples(name=None)],
            ["", "Records", "Pets"],
            numbers={1, 2},
            is_named=True,
        ),
        NOTEBOOK.steps(comparison.next_steps()),
    ]
    if len(first):
        parts.append(NOTEBOOK.section("The first differences; .frame has all rows"))
        rows = [list(map(_text, row)) for row in shown_rows(comparison, first)]
        parts.append(NOTEBOOK.table(rows, headings(comparison)))
    return str(Markup("").join(parts))


def headings(comparison: Comparison) -> list[str]:
    """Return what stands above the columns of rows that show both sides."""
    sides = [f"{field.label} ({side})" for field in SENT_FIELDS for side in ("list", "store")]
    key = [", ".join(comparison.key)] if comparison.key else []
    return ["What", "Differs in", "Line", *key, "Id", *sides]


def shown_rows(comparison: Comparison, frame: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    """Return rows in the order of the headings, missing values as None."""
    columns = ["kind", "difference", "line", *(["key"] if comparison.key else []), "id"]
    for field in SENT_FIELDS:
        columns += [field.name, field.name + IN_STORE]
    values = frame[columns].astype("object")
    return values.where(values.notna(), None).itertuples(index=False, name=None)


def _text(value: Any) -> str:
    return "" if value is None else str(value)
