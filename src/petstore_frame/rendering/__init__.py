"""Markup from templates, in which every value is escaped.

    from petstore_frame.rendering import PAGE, in_notebook

    in_notebook(PAGE.headline(badge, "500 pets"))      # a piece, with its styles
    PAGE.render("report/page.html.j2", title="Stock")  # a template next to its code

The styles of its elements are in ``html_style``, the colors in ``palette``.
"""

from markupsafe import Markup

from petstore_frame.rendering import html_style as style
from petstore_frame.rendering import palette
from petstore_frame.rendering.count_table import CountCell, CountRow, count_table
from petstore_frame.rendering.display_text import shorten
from petstore_frame.rendering.elements import element
from petstore_frame.rendering.templates import PAGE, Card, Cell, in_notebook

__all__ = [
    "PAGE",
    "Card",
    "Cell",
    "CountCell",
    "CountRow",
    "Markup",
    "count_table",
    "element",
    "in_notebook",
    "palette",
    "shorten",
    "style",
]
