"""How a claim looks in a notebook: a badge, a sentence, counts, and the evidence folded in.

In: the parts of a claim, as texts and counts. Out: HTML for light and dark pages alike, every text
escaped. It decides nothing about the claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from petstore_frame.models import NO_STATUS, PET_STATUSES
from petstore_frame.palette import Badge, shorten, status_colour, status_word

# The page's own ink at part strength, so that it reads on white and on black.
FAINT = "color-mix(in srgb, currentColor 62%, transparent)"


def headline_html(badge: Badge, sentence: str) -> str:
    """Return the verdict as a badge, and the rest of the sentence after it."""
    style = (
        f"color:{badge.ink};background:{badge.fill};border:1px solid {badge.edge};"
        "border-radius:4px;padding:1px 8px;font-weight:600;white-space:nowrap"
    )
    return (
        f'<div role="status"><span style="{style}">{escape(badge.word)}</span> '
        f'<span style="margin-left:4px">{escape(sentence)}</span></div>'
    )


def note_html(text: str) -> str:
    """Return a quiet line."""
    return f'<div style="color:{FAINT};margin:2px 0 8px">{escape(text)}</div>'


def counts_html(by_status: Mapping[str, object]) -> str:
    """Return the count of each status in its colour."""
    cells, others = [], 0
    for status, count in by_status.items():
        colour = status_colour(None if status == NO_STATUS else status, other=others)
        others += status not in (*PET_STATUSES, NO_STATUS)
        cells.append(
            '<span style="display:inline-block;margin:0 20px 6px 0">'
            f'<span style="display:inline-block;width:10px;height:10px;background:{colour};'
            'border-radius:2px;margin-right:6px"></span>'
            f"<bdi>{escape(shorten(status_word(status)))}</bdi>"
            f" <strong>{escape(str(count))}</strong></span>"
        )
    return f"<div>{''.join(cells)}</div>"


def evidence_html(
    conflicts: Sequence[str], assumptions: Sequence[str], probes: Mapping[str, str]
) -> str:
    """Return what a claim rests on, folded in; only contradictions are open."""
    asked = [f"{name}: {outcome}" for name, outcome in probes.items()]
    parts = [
        ("Does not fit together", conflicts, True),
        ("True only if", assumptions, False),
        ("Asked beyond the listing", asked, False),
    ]
    return "".join(
        f"<details{' open' if is_open else ''} style='margin:0 0 4px'>"
        f"<summary style='cursor:pointer;color:{FAINT}'>{title} ({len(lines)})</summary>"
        f"<ul style='margin:2px 0 4px 1.2em;padding:0'>{_items(lines)}</ul></details>"
        for title, lines, is_open in parts
        if lines
    )


def _items(lines: Iterable[str]) -> str:
    return "".join(f"<li><bdi>{escape(line)}</bdi></li>" for line in lines)
