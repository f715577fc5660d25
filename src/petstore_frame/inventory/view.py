"""How a claim reads in a notebook, a report and the dashboard; loaded only where one is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from petstore_frame.html import NOTEBOOK, Fold, Markup
from petstore_frame.html.palette import (
    NO_CLAIM_BADGE,
    Badge,
    shorten,
    status_colours,
    status_word,
    verdict_badge,
)
from petstore_frame.inventory.completeness import Completeness

if TYPE_CHECKING:
    from petstore_frame.inventory.result import Inventory
    from petstore_frame.inventory.source import FrameClaim

_SHOWN_ROWS = 5


def claim_badge(claim: Completeness | None) -> Badge:
    """Return how a claim looks; None is a frame without one."""
    return verdict_badge(None if claim is None else claim.verdict)


def after_badge(claim: Completeness) -> str:
    """Return the headline of a claim without its verdict, which ``claim_badge`` shows."""
    return str(claim).removeprefix(f"{claim.verdict}: ")


def claim_line(claim: Completeness) -> Markup:
    """Return the claim as one line for a notebook: its badge, then the rest of its headline."""
    return NOTEBOOK.headline(claim_badge(claim), after_badge(claim))


def frame_claim_line(found: FrameClaim) -> Markup:
    """Return what is known of a frame as one line for a notebook."""
    known = found.current
    return NOTEBOOK.headline(NO_CLAIM_BADGE, str(found)) if known is None else claim_line(known)


def evidence_folds(claim: Completeness) -> list[Fold]:
    """Return what a claim rests on, for a place where it opens by a click."""
    others = [str(each) for each in claim.evidence if not each.is_contradiction]
    against = [str(each) for each in claim.contradictions]
    folds = [
        Fold("How it is known" if claim.is_complete else "Why", [claim.basis] * bool(claim.basis)),
        Fold("What contradicts it", [each for each in against if each != claim.basis]),
        Fold("What is assumed", [_sentence(text) for text in claim.assumptions]),
        Fold("What else was seen", [each for each in others if each != claim.basis]),
    ]
    return [fold for fold in folds if fold.lines]


def evidence_lines(claim: Completeness) -> list[tuple[str, str]]:
    """Return what a claim rests on as pairs of a word and a sentence, for a table."""
    total = claim.advertised_total
    known = [(fold.name, str(line)) for fold in evidence_folds(claim) for line in fold.lines]
    return [
        *known,
        ("Requests sent", f"{claim.requests:,}"),
        ("Total stated by the store", "none" if total is None else f"{total:,}"),
    ]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def claim_html(claim: Completeness, note: str = "") -> Markup:
    """Return a claim with its counts, its evidence folded in; ``note`` is a quiet line."""
    counts = claim.counts_asked_for()
    shades = status_colours(counts)
    return NOTEBOOK.render(
        "inventory/claim.html.j2",
        badge=claim_badge(claim),
        words=after_badge(claim),
        note=note,
        counts=[
            (shorten(status_word(status)), shades[status], str(count))
            for status, count in counts.items()
        ],
        folds=evidence_folds(claim),
    )


def inventory_html(inventory: Inventory) -> Markup:
    """Return the claim, the counts and the first rows of an Inventory."""
    claim, shown = inventory.claim, inventory.frame.head(_SHOWN_ROWS).astype("object")
    requests = "1 request" if claim.requests == 1 else f"{claim.requests:,} requests"
    note = f"{inventory.base_url} · {inventory.fetched_at:%Y-%m-%d %H:%M:%S} UTC · {requests}"
    rows = [
        [_cell(value) for value in row]
        for row in shown.where(shown.notna(), None).itertuples(index=False, name=None)
    ]
    return NOTEBOOK.render(
        "inventory/view.html.j2",
        claim=claim_html(claim, note),
        table=NOTEBOOK.table(rows, list(shown.columns)),
        rows=rows,
        more=len(inventory) - len(rows),
    )


def _cell(value: object) -> object:
    """Return a value as a cell shows it: whole numbers to the digit, long texts cut."""
    if value is None:
        return None
    return shorten(value) or "(empty)" if isinstance(value, str) else str(value)
