"""How a claim looks in a notebook: a badge, a sentence, counts, and the evidence folded in.

In: the parts of a claim, as texts and counts. Out: HTML for light and dark pages alike, every text
escaped. It decides nothing about the claim.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from petstore_frame.html.markup import FAINT, escape, isolated, items
from petstore_frame.schema.palette import shorten, status_colours, status_word


def counts_html(by_status: Mapping[str, object]) -> str:
    """Return the count of each status in its colour."""
    shades = status_colours(by_status)
    cells = (
        '<span style="display:inline-block;margin:0 20px 6px 0">'
        f'<span style="display:inline-block;width:10px;height:10px;background:{shades[status]};'
        'border-radius:2px;margin-right:6px"></span>'
        f"{isolated(shorten(status_word(status)))} <strong>{escape(count)}</strong></span>"
        for status, count in by_status.items()
    )
    return f"<div>{''.join(cells)}</div>"


def evidence_html(
    conflicts: Sequence[str], assumptions: Sequence[str], probes: Mapping[str, str]
) -> str:
    """Return what a claim rests on, folded in; only contradictions are open."""
    asked = [f"{name}: {outcome}" for name, outcome in probes.items()]
    parts = [
        ("Contradictions", conflicts, True),
        ("Assumptions", assumptions, False),
        ("Asked beyond the listing", asked, False),
    ]
    return "".join(
        f"<details{' open' if is_open else ''} style='margin:0 0 4px'>"
        f"<summary style='cursor:pointer;color:{FAINT}'>{title} ({len(lines)})</summary>"
        f"{items(lines)}</details>"
        for title, lines, is_open in parts
        if lines
    )
