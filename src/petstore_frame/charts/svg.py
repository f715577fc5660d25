"""Builds SVG drawings, escaped, for light and dark pages.

Places across are shares of the width: a drawing fills any page, and its text keeps its size. Places
down are pixels. A mark has its exact number as ``<title>``, which any browser shows and reads out,
and data attributes for what it stands for: the dashboard's script makes tooltips and filters of
them; without the script they do nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple
from zlib import crc32

from petstore_frame.inventory import StatusCount
from petstore_frame.rendering import Markup, palette, printable, shorten, status_word, style
from petstore_frame.storage import whole_file
from petstore_frame.summary import short

_FONT = "system-ui,sans-serif"  # in a file; a page has its own
_HATCH = "url(#pf-at-least)"  # each picture puts its own name here
CSS = f"""{style.stylesheet()}
.pf-chart{{position:relative;margin:0}}
.pf-chart svg{{display:block;font-family:inherit;overflow:visible}}
.pf-entries{{margin:0 0 4px}}
.pf-entry{{display:inline-block;margin:0 16px 2px 0;white-space:nowrap}}
.pf-drawing .pf-table{{width:100%}}"""
_FILE_WIDTH, _KEY_HEIGHT, _SIGN_WIDTH = 900, 20, 8  # pixels
# A file has no theme, so these colours stand in for the theme's.
_IN_A_FILE = {
    style.INK: palette.INK,
    style.MUTED: palette.MUTED,
    style.RULE: palette.RULE,
    style.SHADE: palette.BAND,
    style.PAPER: palette.PAPER,
}
_SVG: Mapping[str, object] = {
    "xmlns": "http://www.w3.org/2000/svg",
    "font_size": style.TEXT,
    "font_family": _FONT,
    "fill": style.INK,
}
Means = Mapping[str, object]  # the ``status`` and ``category`` of pets; a category may be None
NOTHING: Means = MappingProxyType({})


class Mark(NamedTuple):
    """A bar, or a part of one.

    ``tip`` has the exact number and whether it is a minimum, ``means`` the pets that it stands
    for; so much of its size as is a ``minimum`` is hatched, from the top.
    """

    size: float
    tip: str
    colour: str
    means: Means
    minimum: float = 0

    @classmethod
    def of(cls, count: StatusCount, tip: str, colour: str, means: Means) -> Mark:
        """Return the bar of a count, all of it a minimum where it is not exact."""
        return cls(count.count, tip, colour, means, 0 if count.is_exact else count.count)


class Key(NamedTuple):
    """An entry of a legend: a sign, the name of a series, and its number, if it has one.

    Without a colour it is a note on how a sign is to be read.
    """

    series: str
    colour: str | None
    number: StatusCount | None = None
    sign: str = "■"
    means: Means = NOTHING

    @property
    def text(self) -> str:
        """What stands after the sign."""
        name = shorten(status_word(self.series), 40)
        return name if self.number is None else f"{name} {short(self.number)}"

    @property
    def markup(self) -> Markup:
        """The entry."""
        look = {"style": f"color:{self.colour}"} if self.colour else {}
        sign = element("span", self.sign, aria_hidden="true", class_="pf-sign", **look)
        kind = "pf-mark pf-word" if self.means else "pf-word"
        word = element("span", self.text, class_=kind, **data(self.means))
        return element("span", sign, " ", word, class_="pf-entry", data_series=self.series)


@dataclass(frozen=True, repr=False)
class Chart:
    """A drawing: a notebook shows it, ``save`` writes it, ``words`` has the same facts.

    ``name`` is that of a downloaded file; a page that shows ``markup`` has ``CSS``.
    """

    name: str
    keys: Sequence[Key]
    body: Sequence[Markup]
    height: int
    words: str

    @property
    def html(self) -> str:
        """The drawing with its styles, for a notebook."""
        whole = Markup('<style>{}</style><div class="pf-drawing pf-body">{}</div>')
        return whole.format(Markup(CSS), self.markup())

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the picture with its legend as an ``.svg`` file, in the colours of paper.

        Raises:
            ReportError: The name ends otherwise, or the file cannot be written.
        """
        target = Path(path)
        with whole_file(target, ".svg") as draft:
            draft.write_text(self.file(), encoding="utf-8", newline="\n")
        return target

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<{self.words}>"

    @property
    def picture(self) -> Markup:
        """The picture without its legend, as wide as its place."""
        inside = Markup("").join(self.body)
        # Of two pictures on a page that share a name, the browser takes the first, even if hidden.
        name = f"pf-at-least-{crc32(inside.encode()):08x}"
        lines = element("rect", width=2, height=6, fill="#FFFFFF", fill_opacity=0.55)
        turned = {"patternUnits": "userSpaceOnUse", "patternTransform": "rotate(45)"}
        pattern = element("pattern", lines, id=name, width=6, height=6, **turned)
        return element(
            "svg", pattern if _HATCH in inside else None, inside.replace(_HATCH, f"url(#{name})"),
            **_SVG, width="100%", height=self.height, role="img", aria_label=self.words,
        )  # fmt: skip

    def markup(self, tools: Markup | None = None) -> Markup:
        """Return the legend and the picture, with the buttons above them, if any."""
        keys = Markup("").join(key.markup for key in self.keys)
        legend = element("div", keys, class_="pf-entries") if keys else None
        return element("div", tools, legend, self.picture, class_="pf-chart", data_name=self.name)

    def file(self, width: int = _FILE_WIDTH) -> str:
        """Return the text of an SVG file: legend and picture on paper, in fixed colours."""
        texts, x, y = list[Markup](), 0, _KEY_HEIGHT
        for key in self.keys:
            wide = _SIGN_WIDTH * (len(key.text) + 4)
            x, y = (0, y + _KEY_HEIGHT) if x + wide > width else (x, y)
            sign = element("tspan", key.sign, fill=key.colour)
            texts.append(element("text", sign, f" {key.text}", x=x, y=y - 6))
            x += wide
        whole = element(
            "svg", element("rect", width="100%", height="100%", fill=style.PAPER), *texts,
            element("g", self.picture, transform=f"translate(0 {y})"),
            **_SVG, width=width, height=y + self.height,
        )  # fmt: skip
        for themed, fixed in _IN_A_FILE.items():
            whole = whole.replace(themed, fixed)
        return str(whole)


def element(tag: str, *children: str | None, **attributes: object) -> Markup:
    """Return an element; every text and attribute is escaped unless it is ``Markup``.

    None is left out. In the name of an attribute underscores stand for hyphens.

    Example:
        >>> print(element("text", "Tom & <Jerry>", class_="name", x="5%", fill=None))
        <text class="name" x="5%">Tom &amp; &lt;Jerry&gt;</text>
    """
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{Markup.escape(printable(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    inner = "".join(Markup.escape(printable(child)) for child in children if child is not None)
    return Markup(f"<{tag}{given}>{inner}</{tag}>")  # each part is escaped above


def data(means: Means) -> dict[str, object]:
    """Return what an element stands for as its data attributes, empty for no category."""
    return {f"data_{name}": "" if value is None else value for name, value in means.items()}


def share(number: float) -> str:
    """Write a place across, or a width, as a share of the drawing: 0 to 100."""
    return f"{round(number, 2):g}%"


def bar(mark: Mark, *, x: float, y: float, width: float, height: float) -> Markup:
    """Return a bar; across in shares of the width, down in pixels."""
    place = {"x": share(x), "y": round(y, 1), "width": share(width)}
    title = element("title", mark.tip)
    look = {**data(mark.means), **place, "height": round(height, 1), "fill": mark.colour}
    shape = element("rect", title, class_="pf-mark", **look)
    if not mark.minimum:
        return shape
    hatched = round(height * mark.minimum / mark.size, 1)
    return shape + element("rect", **place, height=hatched, fill=_HATCH, pointer_events="none")


def label(text: str, *, at: float, y: float, anchor: str | None = None, **more: object) -> Markup:
    """Return a piece of text at a share of the width."""
    return element("text", text, x=share(at), y=round(y, 1), text_anchor=anchor, **more)


def counted(count: StatusCount) -> str:
    """Say a count and whether it is exact: ``95 pets (exact)``, ``at least 95 pets``."""
    pets = f"{count} {'pet' if count.count == 1 else 'pets'}"
    return f"{pets} (exact)" if count.is_exact else pets


def added(counts: Iterable[StatusCount]) -> StatusCount:
    """Return the sum of counts, which is exact where each of them is."""
    every = list(counts)
    is_exact = all(each.is_exact for each in every)
    return StatusCount(sum(every), "exact" if is_exact else "at_least")
