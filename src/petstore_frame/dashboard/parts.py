"""The dashboard's pieces of markup: header, key figures, notices.

In: what is shown, as plain values. Out: HTML, every text from outside escaped.
"""

from __future__ import annotations

from collections.abc import Iterable

from petstore_frame._internal.moments import minute_text
from petstore_frame._internal.voice import FORM
from petstore_frame.counts.tally import StatusCounts
from petstore_frame.counts.words import categories_in_words, short
from petstore_frame.dashboard.model import Shown
from petstore_frame.errors import PetstoreError
from petstore_frame.html.markup import escape, isolated, per_cent
from petstore_frame.inventory import Inventory
from petstore_frame.inventory.completeness import after_badge, claim_badge
from petstore_frame.inventory.evidence import evidence
from petstore_frame.schema.palette import (
    FAILED_BADGE,
    VERDICT_BADGES,
    Badge,
    status_colours,
    status_word,
)

NOT_READ = "not read yet"
CARDS_ACROSS = 6  # more are put in two lines


def header(inventory: Inventory | None, base_url: str) -> str:
    """Name the store, the time of the data and the claim about them."""
    as_of = "" if inventory is None else f"Data as of {minute_text(inventory.fetched_at)}"
    return (
        '<div class="pf-head"><h2>Pet store inventory</h2>'
        f'<span class="pf-muted">{isolated(base_url)}</span>'
        f"<span>{as_of}</span>{claim(inventory)}</div>"
    )


def claim(inventory: Inventory | None) -> str:
    """Show the claim, its verdict as a badge, and open into its evidence by mouse or by key."""
    if inventory is None:
        return badge(claim_badge(None), NOT_READ)
    known = inventory.claim
    items = "".join(f"<li>{escape(word)}: {escape(text)}</li>" for word, text in evidence(known))
    return (
        f"<details><summary>{badge(claim_badge(known))} {escape(after_badge(known))}</summary>"
        f"<ul>{items}</ul></details>"
    )


def badge(look: Badge, word: str | None = None) -> str:
    """Show a text in the colours of a badge."""
    return (
        f'<span class="pf-badge" style="color:{look.ink};background:{look.fill};'
        f'border-color:{look.edge}">{escape(word or look.word)}</span>'
    )


def cards(shown: Shown, everything: StatusCounts) -> str:
    """Draw the key figures: all pets, then each status."""
    counts, is_filtered = shown.counts, shown.selection.is_filtered
    under = f"of {short(everything.total)}" if is_filtered else categories_in_words(counts)
    drawn = [_card("Pets", short(counts.total), under, "currentColor", counts.total.is_exact)]
    shades = status_colours(counts.statuses)
    for status, count in counts.by_status.items():
        if is_filtered:
            under = f"of {short(everything.by_status[status])}"
        elif not counts.is_exact:
            under = "exact" if count.is_exact else "at least"
        else:
            under = per_cent(count.count, counts.total.count)
        drawn.append(
            _card(status_word(status), short(count), under, shades[status], count.is_exact)
        )
    across = len(drawn) if len(drawn) <= CARDS_ACROSS else -(-len(drawn) // 2)
    return f'<div class="pf-cards" style="--pf-across:{across}">{"".join(drawn)}</div>'


def _card(name: str, number: str, under: str, colour: str, is_exact: bool) -> str:
    least = "" if is_exact else " pf-least"
    swatch = (
        "" if colour == "currentColor" else f'<i style="color:{colour};font-style:normal">■</i> '
    )
    return (
        f'<div class="pf-card{least}" style="border-top-color:{colour}">'
        f"<span>{swatch}{escape(name)}</span><b>{number}</b><span>{escape(under)}</span></div>"
    )


def selection_words(shown: Shown) -> str:
    """Return what part of the store is on the screen."""
    if not shown.selection.is_filtered:
        is_whole = shown.counts.total.is_exact
        return "Showing all pets." if is_whole else "Showing all pets that could be read."
    return f"Showing {shown.counts.total} of the {shown.of:,} pets held."


def nothing_to_show(shown: Shown) -> str:
    """Return why no pet is shown, and what to do."""
    if shown.of:
        return (
            '<p class="pf-empty">No pet matches these filters. '
            "Remove one above, or clear them all.</p>"
        )
    return (
        '<p class="pf-empty">The store holds no pets that could be read. Add some under '
        "Import, or refresh after others did.</p>"
    )


def progress(words: str, share_done: float | None = None) -> str:
    """Show work under way; without a known end there is a number and no bar."""
    if share_done is None:
        return f'<div role="status">{escape(words)}</div>'
    per_cent = round(100 * share_done)
    return (
        f'<div role="status">{escape(words)}</div>'
        f'<div class="pf-meter" role="progressbar" aria-label="progress" aria-valuemin="0" '
        f'aria-valuemax="100" aria-valuenow="{per_cent}"><i style="width:{per_cent}%"></i></div>'
    )


def failure(title: str, problem: BaseException, after: str = "") -> str:
    """Show what went wrong, phrased for a reader of the dashboard, and what still holds."""
    text = problem.phrased_by(FORM) if isinstance(problem, PetstoreError) else str(problem)
    kind = type(problem).__name__
    return panel(FAILED_BADGE, f"{title} ({kind})", [text or kind, *filter(None, [after])], "alert")


def success(title: str, lines: Iterable[str] = ()) -> str:
    """Show that something was done."""
    return panel(VERDICT_BADGES["complete"], title, lines, "status")


def warning(title: str, lines: Iterable[str] = ()) -> str:
    """Show that something is not as expected."""
    return panel(VERDICT_BADGES["incomplete"], title, lines, "status")


def panel(look: Badge, title: str, lines: Iterable[str], role: str) -> str:
    """Draw a titled note."""
    body = "".join(f"<div>{escape(line)}</div>" for line in lines)
    return (
        f'<div class="pf-panel" role="{role}" style="color:{look.ink};background:{look.fill};'
        f'border-color:{look.edge}"><b>{escape(title)}</b>{body}</div>'
    )
