"""How an inventory looks in a notebook: the claim first, then counts, evidence and a few rows.

In: a frame and its claim. Out: one HTML string, every text escaped, for light and dark pages
alike. It draws no chart and knows no widget.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from petstore_frame.html.markup import FAINT, cell, isolated, table
from petstore_frame.inventory.completeness import Completeness
from petstore_frame.schema.palette import shorten

if TYPE_CHECKING:
    import pandas as pd

SHOWN_ROWS = 5


def inventory_html(
    frame: pd.DataFrame, claim: Completeness, fetched_at: datetime, base_url: str
) -> str:
    """Return the notebook view of an inventory."""
    when = f"{fetched_at:%Y-%m-%d %H:%M:%S} UTC"
    source = f"{base_url} · {when} · {_requests(claim)}"
    return (
        '<div class="petstore-frame-inventory" style="line-height:1.5;max-width:60em">'
        f"{claim.to_html(source)}{_rows(frame)}</div>"
    )


def _requests(claim: Completeness) -> str:
    return "1 request" if claim.requests == 1 else f"{claim.requests:,} requests"


def _rows(frame: pd.DataFrame) -> str:
    if not len(frame):
        return ""
    shown = frame.head(SHOWN_ROWS).astype("object")
    shown = shown.where(shown.notna(), None)
    rows = (map(_cell, row) for row in shown.itertuples(index=False, name=None))
    more = len(frame) - len(shown)
    note = f"and {more:,} more in <code>.frame</code>" if more else ""
    return f'{table(rows, list(shown.columns))}<div style="color:{FAINT}">{note}</div>'


def _cell(value: object) -> str:
    if value is None or value == "":
        return cell("&mdash;" if value is None else "(empty)", f"color:{FAINT}")
    if isinstance(value, str):
        return cell(isolated(shorten(value)), "overflow-wrap:anywhere;max-width:30em")
    return cell(isolated(value), "white-space:nowrap")
