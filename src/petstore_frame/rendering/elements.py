"""Builds one element of HTML or SVG, with every text escaped."""

from __future__ import annotations

from markupsafe import Markup

from petstore_frame.rendering.display_text import printable


def element(tag: str, *children: str | None, **attributes: object) -> Markup:
    """Return an element; every text and attribute is escaped unless it is ``Markup``.

    Attributes that are None are omitted. Underscores in names become hyphens.

    Example:
        >>> print(element("text", "Tom & <Jerry>", class_="name", x="5%", fill=None))
        <text class="name" x="5%">Tom &amp; &lt;Jerry&gt;</text>
    """
    attribute_text = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{Markup.escape(printable(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    inner = "".join(Markup.escape(printable(child)) for child in children if child is not None)
    return Markup(f"<{tag}{attribute_text}>{inner}</{tag}>")  # noqa: S704 # each part is escaped
