"""Writes the report as one page, which any browser opens without a network.

The page has every pet and is readable without the script, which adds search, sort and pages.
"""

from __future__ import annotations

from pathlib import Path

from petstore_frame import __version__
from petstore_frame.charts import status_chart
from petstore_frame.inventory import evidence_lines
from petstore_frame.rendering import PAGE, Markup, palette
from petstore_frame.rendering import html_style as style
from petstore_frame.report.report_content import Content
from petstore_frame.schema import NO_STATUS
from petstore_frame.storage import marked_text


def write_html(content: Content, path: Path) -> None:
    """Write the page."""
    counts, colors = content.counts, content.status_colors
    caption = f"{counts.categories_in_words}, largest first"
    text = PAGE.render(
        "report/page.html.j2",
        stylesheet=Markup(style.stylesheet()),  # a constant of this package
        palette=palette,
        style=style,
        colors={status: f"pf-s{at}" for at, status in enumerate(counts.statuses)},
        shades=colors,
        title=content.title,
        selection=counts.selection,
        store=content.store,
        as_of=content.as_of,
        badge=palette.verdict_badge(content.completeness.verdict),
        headline=content.headline,
        cards=[figure.card(colors.get(figure.status)) for figure in counts.figures()],
        bars=status_chart(counts).picture,
        table=counts.to_html(top=None, caption=caption),
        columns=content.columns,
        status_at=content.status_at,
        total=counts.total,
        pets=len(content.frame),
        rows=content.rows(no_status=NO_STATUS),
        coverage=content.coverage,
        grounds=evidence_lines(content.completeness),
        version=__version__,
    )
    path.write_bytes(marked_text(text))
