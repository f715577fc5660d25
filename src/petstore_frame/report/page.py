"""The report as one page that any browser opens without the network.

Every pet is in it, and can be read without the script, which adds search, sort and pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from petstore_frame import __version__
from petstore_frame.charts.bars import status_figure
from petstore_frame.counts.table import CountTable
from petstore_frame.counts.tally import categories_in_words, exactness, per_cent, short
from petstore_frame.html import PAGE, Card, Markup, palette, style, stylesheet
from petstore_frame.html.palette import status_word
from petstore_frame.report import look
from petstore_frame.report.facts import Facts
from petstore_frame.report.sheets.about import coverage, grounds
from petstore_frame.schema.models import NO_STATUS

_ROWS_OF_A_TABLE = 1_000  # so that a browser lays out only those on the screen


def write_html(facts: Facts, path: Path, *, advance: Callable[[int], None]) -> None:
    """Write the page."""
    text = page(facts)
    path.write_text(text, encoding="utf-8", errors="replace", newline="\n")
    advance(len(facts.frame))


def page(facts: Facts) -> Markup:
    """Return the whole page."""
    counts = facts.counts
    caption = f"{categories_in_words(counts)}, largest first"
    return PAGE.render(
        "report/page.html.j2",
        stylesheet=Markup(stylesheet()),  # ours
        palette=palette,
        style=style,
        colours={status: f"pf-s{at}" for at, status in enumerate(facts.statuses)},
        shades=facts.colours,
        store=facts.base_url or "Store: not recorded",
        as_of=look.as_of_words(facts.as_of),
        badge=look.badge_of(facts),
        headline=look.headline(facts),
        cards=[*_cards(facts)],
        bars=status_figure(counts).picture,
        table=CountTable(counts, top=None).to_html(PAGE, caption=caption),
        columns=facts.columns,
        status_at=_status_at(facts),
        total=counts.total,
        pets=len(facts.frame),
        chunks=_chunks(facts),
        coverage=coverage(facts),
        grounds=grounds(facts),
        version=__version__,
    )


def _cards(facts: Facts) -> Iterator[Card]:
    total = facts.counts.total
    yield Card("All pets", short(total), categories_in_words(facts.counts), None, total.is_exact)
    for status, count in facts.counts.by_status.items():
        under = per_cent(count.count, total.count) if total.is_exact else exactness(count)
        shade = facts.colours[status]
        yield Card(status_word(status), short(count), under, shade, count.is_exact)


def _chunks(facts: Facts) -> Iterator[Iterable[tuple[Any, ...]]]:
    """Yield the pets, so many at a time; a missing status is a word, as on the whole page."""
    at = _status_at(facts)
    for start in range(0, len(facts.frame), _ROWS_OF_A_TABLE):
        values = facts.values(start, start + _ROWS_OF_A_TABLE)
        values[at] = [status or NO_STATUS for status in values[at]]
        yield zip(*values, strict=True)


def _status_at(facts: Facts) -> int:
    return [column.name for column in facts.columns].index("status")
