"""How completeness reads in a notebook, a report and the dashboard; loaded where it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from petstore_frame.inventory.completeness import Completeness
from petstore_frame.markup import PAGE, Fold, Markup, palette, shorten, status_word

if TYPE_CHECKING:
    import pandas as pd

_SHOWN_ROWS = 5


def completeness_line(known: Completeness) -> Markup:
    """Return one line for a notebook: the badge, then the rest of the headline."""
    return PAGE.headline(palette.verdict_badge(known.verdict), known.headline)


def evidence_lines(known: Completeness) -> list[tuple[str, str]]:
    """Return what a verdict rests on as pairs of a word and a sentence, for a table."""
    total = known.advertised_total
    return [
        *((name, line) for name, lines in known.reasons() for line in lines),
        ("Requests sent", f"{known.requests:,}"),
        ("Total stated by the store", "none" if total is None else f"{total:,}"),
    ]


def completeness_html(known: Completeness, note: str) -> Markup:
    """Return the verdict, the counts and the evidence folded in; ``note`` is a quiet line."""
    counts = known.counts_asked_for()
    shades = palette.status_colours(counts)
    return PAGE.render(
        "inventory/completeness.html.j2",
        badge=palette.verdict_badge(known.verdict),
        words=known.headline,
        note=note,
        counts=[
            (shorten(status_word(status)), shades[status], str(count))
            for status, count in counts.items()
        ],
        folds=[Fold(name, lines) for name, lines in known.reasons()],
    )


def inventory_html(frame: pd.DataFrame, known: Completeness, note: str) -> Markup:
    """Return the verdict, the counts and the first rows of a frame; ``note`` is a quiet line."""
    first = frame.head(_SHOWN_ROWS)
    shown = first.assign(name=first["name"].map(shorten))
    rows = shown.to_html(index=False, border=0, na_rep="—")
    return completeness_html(known, note) + Markup(rows if len(frame) else "")  # escaped by pandas
