"""How an inventory looks in a notebook: the claim first, then counts, evidence and a few rows.

In: a frame and its claim. Out: one HTML string, every text escaped, for light and dark pages
alike. It draws no chart and knows no widget.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING

from petstore_frame.inventory.completeness import Completeness, Verdict
from petstore_frame.models import NO_STATUS
from petstore_frame.palette import Badge, status_colour, status_word, verdict_badge

if TYPE_CHECKING:
    import pandas as pd

SHOWN_ROWS = 5
# The page's own ink at part strength, so that it reads on white and on black.
_FAINT = "color-mix(in srgb, currentColor 62%, transparent)"
_LINE = "1px solid color-mix(in srgb, currentColor 22%, transparent)"
_CELL = f"padding:2px 12px 2px 0;text-align:left;border-bottom:{_LINE};background:none"


def inventory_html(
    frame: pd.DataFrame, claim: Completeness, fetched_at: datetime, base_url: str
) -> str:
    """Return the notebook view of an inventory."""
    when = f"{fetched_at:%Y-%m-%d %H:%M:%S} UTC"
    source = f"{escape(base_url)} &middot; {when} &middot; {_requests(claim)}"
    return (
        '<div class="petstore-frame-inventory" style="line-height:1.5;max-width:60em">'
        f"{_headline(claim)}"
        f'<div style="color:{_FAINT};margin:2px 0 8px">{source}</div>'
        f"{_counts(claim)}{_evidence(claim)}{_rows(frame)}</div>"
    )


def claim_badge(claim: Completeness | None) -> Badge:
    """Return how a claim looks; what is complete for a part of the store is not complete."""
    if claim is None:
        return verdict_badge(None)
    if claim.is_complete and not claim.covers_all:
        return replace(verdict_badge(Verdict.UNKNOWN), word=f"Complete for {claim.scope}")
    return verdict_badge(claim.verdict)


def _headline(claim: Completeness) -> str:
    badge = claim_badge(claim)
    style = (
        f"color:{badge.ink};background:{badge.fill};border:1px solid {badge.edge};"
        "border-radius:4px;padding:1px 8px;font-weight:600;white-space:nowrap"
    )
    told = badge.word.lower() if claim.is_complete else str(claim.verdict)
    rest = str(claim).removeprefix(told).removeprefix(":").strip()
    return (
        f'<div role="status"><span style="{style}">{escape(badge.word)}</span> '
        f'<span style="margin-left:4px">{escape(rest)}</span></div>'
    )


def _requests(claim: Completeness) -> str:
    return "1 request" if claim.requests == 1 else f"{claim.requests:,} requests"


def _counts(claim: Completeness) -> str:
    cells, others = [], 0
    for status, count in claim.by_status.items():
        colour = status_colour(None if status == NO_STATUS else status, other=others)
        others += status not in _KNOWN
        cells.append(
            '<span style="display:inline-block;margin:0 20px 6px 0">'
            f'<span style="display:inline-block;width:10px;height:10px;background:{colour};'
            'border-radius:2px;margin-right:6px"></span>'
            f"<bdi>{escape(status_word(status))}</bdi> <strong>{escape(str(count))}</strong></span>"
        )
    return f"<div>{''.join(cells)}</div>"


_KNOWN = ("available", "pending", "sold", NO_STATUS)


def _evidence(claim: Completeness) -> str:
    probes = [f"{name}: {outcome}" for name, outcome in claim.probes.items()]
    parts = [
        ("Does not fit together", claim.conflicts, True),
        ("True if", claim.assumptions, False),
        ("Asked beyond the listing", tuple(probes), False),
    ]
    return "".join(
        f"<details{' open' if is_open else ''} style='margin:0 0 4px'>"
        f"<summary style='cursor:pointer;color:{_FAINT}'>{title} ({len(lines)})</summary>"
        f"<ul style='margin:2px 0 4px 1.2em;padding:0'>{_items(lines)}</ul></details>"
        for title, lines, is_open in parts
        if lines
    )


def _items(lines: tuple[str, ...]) -> str:
    return "".join(f"<li><bdi>{escape(line)}</bdi></li>" for line in lines)


def _rows(frame: pd.DataFrame) -> str:
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
        f'<div style="color:{_FAINT}">{note}</div>'
    )


def _cell(value: object) -> str:
    if value is None:
        return f'<td style="{_CELL};color:{_FAINT}">&mdash;</td>'
    return f'<td style="{_CELL}"><bdi>{escape(str(value))}</bdi></td>'
