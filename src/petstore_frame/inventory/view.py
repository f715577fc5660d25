"""How an inventory looks in a notebook: the claim first, then counts, evidence and a few rows.

In: a frame and its claim. Out: one HTML string, every text escaped, for light and dark pages
alike. It draws no chart and knows no widget.
"""

from __future__ import annotations

from datetime import datetime
from html import escape
from typing import TYPE_CHECKING

from petstore_frame.inventory.claim_view import FAINT
from petstore_frame.inventory.completeness import Completeness
from petstore_frame.palette import shorten

if TYPE_CHECKING:
    import pandas as pd

SHOWN_ROWS = 5
_LINE = "1px solid color-mix(in srgb, currentColor 22%, transparent)"
_CELL = (
    f"padding:2px 12px 2px 0;text-align:left;vertical-align:top;border-bottom:{_LINE};"
    "background:none;white-space:nowrap"
)
_TEXT_CELL = f"{_CELL};white-space:normal;overflow-wrap:anywhere;max-width:30em"


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
    head = "".join(f'<th style="{_CELL};font-weight:600">{escape(str(c))}</th>' for c in shown)
    body = "".join(
        f"<tr style='background:none'>{''.join(_cell(value) for value in row)}</tr>"
        for row in shown.itertuples(index=False, name=None)
    )
    more = len(frame) - len(shown)
    note = f"and {more:,} more in <code>.frame</code>" if more else ""
    return (
        '<table style="border-collapse:collapse;margin:6px 0 0;border:none">'
        f"<thead><tr style='background:none'>{head}</tr></thead><tbody>{body}</tbody></table>"
        f'<div style="color:{FAINT}">{note}</div>'
    )


def _cell(value: object) -> str:
    if value is None or value == "":
        absent = "&mdash;" if value is None else "(empty)"
        return f'<td style="{_CELL};color:{FAINT}">{absent}</td>'
    style = _TEXT_CELL if isinstance(value, str) else _CELL
    return f'<td style="{style}"><bdi>{escape(shorten(str(value)))}</bdi></td>'
