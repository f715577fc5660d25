"""Markup from templates, in which every value is escaped.

    from petstore_frame.markup import NOTEBOOK, PAGE

    NOTEBOOK.headline(badge, "500 pets")               # a piece, styled by itself
    PAGE.render("report/page.html.j2", title="Stock")  # a template beside the code that fills it

``NOTEBOOK`` writes styles into each element, because a notebook that is not trusted drops style
elements. ``PAGE`` writes classes, for pages that have ``stylesheet()`` once.
"""

from markupsafe import Markup, escape

from petstore_frame.markup.render import NOTEBOOK, PAGE, Card, Cell, Fold, Renderer
from petstore_frame.markup.style import stylesheet

__all__ = ["NOTEBOOK", "PAGE", "Card", "Cell", "Fold", "Markup", "Renderer", "escape", "stylesheet"]
