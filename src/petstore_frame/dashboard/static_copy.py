"""What a notebook still shows when its kernel is gone.

In: an Inventory's model. Out: one closed piece of HTML that survives reopening, an untrusted
notebook and an export: a picture as a data URI and a table with inline styles. It has no class,
no style element and no inline drawing, which Jupyter removes from untrusted notebooks.
"""

from __future__ import annotations

from base64 import b64encode

from petstore_frame._internal.moments import minute_text
from petstore_frame.charts.drawing import bars, legend
from petstore_frame.counts.tally import StatusCounts
from petstore_frame.counts.words import short
from petstore_frame.dashboard.model import Selection, StoreModel
from petstore_frame.html.markup import NUMBER, cell, escape, row_name, table
from petstore_frame.schema.palette import INK, PAPER, status_word

PICTURE_WIDTH = 720


def static_copy(model: StoreModel) -> str:
    """Return the last numbers as markup that needs no kernel, no network and no trust."""
    inventory = model.inventory
    as_of = minute_text(inventory.fetched_at)
    counts = model.show(Selection()).counts
    claim = escape(inventory.claim)
    drawing = bars(counts, ink=INK, width=PICTURE_WIDTH)
    picture = b64encode(drawing.encode()).decode()
    total = short(counts.total)
    return (
        f"<details><summary>Static copy of the dashboard, data as of {as_of}</summary>"
        f"<p><b>{escape(inventory.base_url)}</b>: {claim}</p>"
        f"<p>Pets {total}. {legend(counts)}</p>"
        f'<p style="background:{PAPER};padding:6px"><img alt="Pets by category, {total} in all" '
        f'src="data:image/svg+xml;base64,{picture}"></p>'
        f"{_table(counts)}</details>"
    )


def _table(counts: StatusCounts) -> str:
    head = ["Category", *map(status_word, counts.statuses), "All"]
    rows = (
        [
            row_name(line.label),
            *(cell(short(count), NUMBER) for count in (*line.counts, line.total)),
        ]
        for line in counts.largest(15)
    )
    return table(rows, head, numbers=range(1, len(head)))
