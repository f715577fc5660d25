"""What a notebook still shows when its kernel is gone.

It survives reopening, an untrusted notebook and an export: a picture as a data URI, and a table
with inline styles, for Jupyter removes style elements and drawings from untrusted notebooks.
"""

from __future__ import annotations

from base64 import b64encode

from petstore_frame.charts.bars import status_figure
from petstore_frame.charts.svg import element
from petstore_frame.counts.table import CountTable
from petstore_frame.counts.tally import StatusCounts, short
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.model import Selection, StoreModel
from petstore_frame.html import NOTEBOOK, Markup
from petstore_frame.inventory.completeness_view import completeness_line
from petstore_frame.schema.text import minute_text

PICTURE_WIDTH, ROWS = 720, 15
_OUTPUT = ".jp-OutputArea-child"
# Live, the copy is out of sight; without a kernel, the message in place of the widgets is.
# An untrusted notebook loses this sheet, and shows no widgets either.
_ONE_OF_TWO = Markup(
    f"<style>{_OUTPUT}:has(.pf-dash)+{_OUTPUT}:has(.pf-copy),"
    f"{_OUTPUT}:not(:has(.pf-dash)):has(+{_OUTPUT} .pf-copy){{display:none}}</style>"
)


def static_copy(model: StoreModel | None) -> Markup:
    """Return the last numbers as markup that needs no kernel, no network and no trust."""
    if model is None:
        return element("div", _ONE_OF_TWO, "The store was not read yet.", class_="pf-copy")
    inventory = model.inventory
    shown = model.show(Selection())
    counts = shown.counts
    above = completeness_line(inventory.completeness)
    as_of = f"Data as of {minute_text(inventory.fetched_at)}, a copy without its controls"
    return element(
        "div",
        _ONE_OF_TWO,
        element("b", "Pet store inventory"),
        NOTEBOOK.quiet([inventory.base_url, as_of]),
        above,
        parts.cards(shown, counts, NOTEBOOK),
        _picture(counts),
        CountTable(counts, ROWS).to_html(),
        class_="pf-copy",
    )


def _picture(counts: StatusCounts) -> Markup:
    drawing = b64encode(status_figure(counts).file(PICTURE_WIDTH).encode()).decode()
    alt = f"Pets by category, {short(counts.total)} in all"
    source = f"data:image/svg+xml;base64,{drawing}"
    return element("p", element("img", alt=alt, style="max-width:100%", src=source))
