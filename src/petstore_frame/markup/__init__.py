"""Markup from templates, in which every value is escaped.

    from petstore_frame.markup import PAGE, in_notebook

    in_notebook(PAGE.headline(badge, "500 pets"))      # a piece, with its styles
    PAGE.render("report/page.html.j2", title="Stock")  # a template beside the code that fills it

Its elements have classes, of which ``stylesheet()`` has the looks; ``palette`` has the colours.
"""

from markupsafe import Markup, escape

from petstore_frame.markup import palette, style
from petstore_frame.markup.palette import shorten, status_word
from petstore_frame.markup.render import PAGE, Card, Cell, Fold, in_notebook
from petstore_frame.markup.style import stylesheet

__all__ = [
    "PAGE",
    "Card",
    "Cell",
    "Fold",
    "Markup",
    "escape",
    "in_notebook",
    "palette",
    "shorten",
    "status_word",
    "style",
    "stylesheet",
]
