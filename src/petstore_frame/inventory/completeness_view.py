"""How completeness reads in a notebook, a report and the dashboard; loaded where it is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from petstore_frame.html import NOTEBOOK, Fold, Markup
from petstore_frame.html.palette import (
    Badge,
    shorten,
    status_colours,
    status_word,
    verdict_badge,
)
from petstore_frame.inventory.completeness import Completeness

if TYPE_CHECKING:
    from petstore_frame.inventory.result import Inventory

_SHOWN_ROWS = 5


def completeness_badge(known: Completeness | None) -> Badge:
    """Return how a verdict looks; None where nothing was read."""
    return verdict_badge(None if known is None else known.verdict)


def after_badge(known: Completeness) -> str:
    """Return the headline without its verdict, which the badge shows."""
    return str(known).removeprefix(f"{known.verdict}: ")


def completeness_line(known: Completeness) -> Markup:
    """Return one line for a notebook: the badge, then the rest of the headline."""
    return NOTEBOOK.headline(completeness_badge(known), after_badge(known))


def evidence_folds(known: Completeness) -> list[Fold]:
    """Return what a verdict rests on, for a place where it opens by a click."""
    others = [str(each) for each in known.evidence if not each.is_contradiction]
    against = [str(each) for each in known.contradictions]
    reason = "How it is known" if known.is_complete else "Why"
    folds = [
        Fold(reason, [known.basis] if known.basis else []),
        Fold("What contradicts it", [each for each in against if each != known.basis]),
        Fold("What is assumed", [_sentence(text) for text in known.assumptions]),
        Fold("What else was seen", [each for each in others if each != known.basis]),
    ]
    return [fold for fold in folds if fold.lines]


def evidence_lines(known: Completeness) -> list[tuple[str, str]]:
    """Return what a verdict rests on as pairs of a word and a sentence, for a table."""
    total = known.advertised_total
    lines = [(fold.name, str(line)) for fold in evidence_folds(known) for line in fold.lines]
    return [
        *lines,
        ("Requests sent", f"{known.requests:,}"),
        ("Total stated by the store", "none" if total is None else f"{total:,}"),
    ]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def completeness_html(known: Completeness, note: str = "") -> Markup:
    """Return what is covered with its counts, its evidence folded in; ``note`` is a quiet line."""
    counts = known.counts_asked_for()
    shades = status_colours(counts)
    return NOTEBOOK.render(
        "inventory/completeness.html.j2",
        badge=completeness_badge(known),
        words=after_badge(known),
        note=note,
        counts=[
            (shorten(status_word(status)), shades[status], str(count))
            for status, count in counts.items()
        ],
        folds=evidence_folds(known),
    )


def inventory_html(inventory: Inventory) -> Markup:
    """Return the verdict, the counts and the first rows of an Inventory."""
    known, shown = inventory.completeness, inventory.frame.head(_SHOWN_ROWS).astype("object")
    requests = "1 request" if known.requests == 1 else f"{known.requests:,} requests"
    note = f"{inventory.base_url} · {inventory.fetched_at:%Y-%m-%d %H:%M:%S %Z} · {requests}"
    rows = [
        [_cell(value) for value in row]
        for row in shown.where(shown.notna(), None).itertuples(index=False, name=None)
    ]
    return NOTEBOOK.render(
        "inventory/inventory.html.j2",
        completeness=completeness_html(known, note),
        table=NOTEBOOK.table(rows, list(shown.columns)),
        rows=rows,
        more=len(inventory) - len(rows),
    )


def _cell(value: object) -> object:
    """Return a value as a cell shows it: whole numbers to the digit, long texts cut."""
    if value is None:
        return None
    return shorten(value) or "(empty)" if isinstance(value, str) else str(value)
