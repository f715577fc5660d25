"""Markup from templates, in which every value is escaped.

    from petstore_frame.rendering import PAGE, in_notebook

    in_notebook(PAGE.headline(badge, "500 pets"))      # a piece, with its styles
    PAGE.render("report/page.html.j2", title="Stock")  # a template beside the code that fills it

Its elements have classes, with looks from ``style`` and colors from ``palette``.
"""

from markupsafe import Markup

from petstore_frame.rendering import palette, style
from petstore_frame.rendering.count_table import CountCell, CountRow, count_table
from petstore_frame.rendering.phrases import (
    NO_STATUS,
    count_text,
    minute_text,
    printable,
    shorten,
    status_label,
)
from petstore_frame.rendering.templates import PAGE, Card, Cell, in_notebook

__all__ = [
    "NO_STATUS",
    "PAGE",
    "Card",
    "Cell",
    "CountCell",
    "CountRow",
    "Markup",
    "count_table",
    "count_text",
    "in_notebook",
    "minute_text",
    "palette",
    "printable",
    "shorten",
    "status_label",
    "style",
]
