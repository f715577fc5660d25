"""Elements of a drawing: escaped by construction, at home on light and dark pages.

Places across are shares of the width, so that a drawing fills any page while its text keeps its
size; places down are pixels. A mark carries its exact number as ``<title>``, which any browser
shows and reads out, and says in data attributes what it stands for: the dashboard's script makes
tooltips and filters of them, and without the script they do nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10
from types import MappingProxyType
from typing import Any, NamedTuple
from zlib import crc32

from petstore_frame.counts.words import short
from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.html import Markup, escape, palette, style, stylesheet
from petstore_frame.html.palette import shorten, status_word
from petstore_frame.inventory import StatusCount

_FONT = "system-ui,sans-serif"  # of a file; a page has its own
HATCH = "url(#pf-at-least)"  # until a picture makes the name its own
CSS = f"""{stylesheet()}
.pf-chart{{position:relative;margin:0}}
.pf-chart svg{{display:block;font-family:inherit;overflow:visible}}
.pf-entries{{margin:0 0 4px}}
.pf-entry{{display:inline-block;margin:0 16px 2px 0;white-space:nowrap}}
.pf-drawing .pf-table{{width:100%}}"""
_FILE_WIDTH, _KEY_HEIGHT, _SIGN_WIDTH = 900, 20, 8  # pixels
# What a page's theme decides, decided for a file of its own.
_IN_A_FILE = {
    style.INK: palette.INK,
    style.MUTED: palette.MUTED,
    style.RULE: palette.RULE,
    style.SHADE: palette.BAND,
    style.PAPER: palette.PAPER,
}
Means = Mapping[str, object]


@dataclass(frozen=True)
class Drawing:
    """Markup that a notebook shows, with the same facts as text.

    Attributes:
        html: The markup, complete in itself.
        words: The facts as text, for a reader who does not see the picture.
    """

    html: str
    words: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<{self.words}>"


class Key(NamedTuple):
    """An entry of a legend.

    Attributes:
        series: What it names.
        colour: The colour of its sign; None for a note on how a sign is to be read.
        number: Its count, if it has one.
        sign: What stands before the name.
        is_hidden: Whether the series is left out of the drawing.
        means: ``status`` or ``category`` of the pets meant.
    """

    series: str
    colour: str | None
    number: StatusCount | None = None
    sign: str = "■"
    is_hidden: bool = False
    means: Means = MappingProxyType({})

    @property
    def text(self) -> str:
        """What stands after the sign."""
        name = shorten(status_word(self.series), 40)
        return name if self.number is None else f"{name} {short(self.number)}"

    @property
    def markup(self) -> Markup:
        """The entry; a script takes its series out of the drawing by a click on the sign."""
        toggle = {} if self.colour is None else {"data_toggle": self.series}
        colour = self.colour and f"color:{self.colour}"
        kind = "pf-mark pf-sign" if toggle else "pf-sign"
        sign = element("span", self.sign, class_=kind, aria_hidden="true", style=colour, **toggle)
        kind = "pf-mark pf-word" if self.means else "pf-word"
        word = element("span", self.text, class_=kind, **data(self.means))
        kind = "pf-entry pf-off" if self.is_hidden else "pf-entry"
        return element("span", sign, " ", word, class_=kind, data_series=self.series)


@dataclass(frozen=True)
class Figure:
    """A drawing to be put on a page that has ``CSS``.

    Attributes:
        name: What a downloaded file is called, without its ending.
        keys: The entries of its legend.
        body: The elements of the picture.
        height: Pixels.
        words: The facts as text.
        note: A sentence below it.
    """

    name: str
    keys: Sequence[Key]
    body: Sequence[Markup]
    height: int
    words: str
    note: str = ""

    @property
    def picture(self) -> Markup:
        """The picture without its legend, as wide as its place."""
        inside = Markup("").join(self.body)
        # A page takes a name from its first picture that has it, and that one may be hidden.
        own = f"pf-at-least-{crc32(inside.encode()):08x}"
        pattern: Any = Markup("")
        if HATCH in inside:
            lines = element("rect", width=2, height=6, fill="#FFFFFF", fill_opacity=0.55)
            turned = {"patternUnits": "userSpaceOnUse", "patternTransform": "rotate(45)"}
            pattern = element("pattern", lines, id=own, width=6, height=6, **turned)
        return element(
            "svg", pattern, inside.replace(HATCH, f"url(#{own})"),
            xmlns="http://www.w3.org/2000/svg", width="100%", height=self.height, role="img",
            aria_label=self.words, font_size=style.TEXT, font_family=_FONT,
            fill=style.INK,
        )  # fmt: skip

    @property
    def markup(self) -> Markup:
        """The legend, the picture and the note."""
        return self.with_tools(None)

    def with_tools(self, tools: Markup | None) -> Markup:
        """Return the markup with buttons above it."""
        keys = Markup("").join(key.markup for key in self.keys)
        legend = element("div", keys, class_="pf-entries") if keys else None
        note = element("div", self.note) if self.note else None
        look = {"class_": "pf-chart", "data_name": self.name}
        return element("div", tools, legend, self.picture, note, **look)

    def alone(self) -> Drawing:
        """Return the figure with its styles, for a notebook."""
        body = Markup('<style>{}</style><div class="pf-drawing pf-body">{}</div>')
        words = "; ".join(filter(None, (self.words, self.note)))
        return Drawing(body.format(Markup(CSS), self.markup), words)

    def file(self, width: int = _FILE_WIDTH) -> str:
        """Return the figure as an SVG file: legend and picture on paper, in fixed colours."""
        texts, x, y = list[Markup](), 0, _KEY_HEIGHT
        for key in self.keys:
            wide = _SIGN_WIDTH * (len(key.text) + 4)
            x, y = (0, y + _KEY_HEIGHT) if x + wide > width else (x, y)
            sign = element("tspan", key.sign, fill=key.colour)
            texts.append(element("text", sign, f" {key.text}", x=x, y=y - 6))
            x += wide
        look: dict[str, object] = {"font_size": style.TEXT, "font_family": _FONT}
        whole = element(
            "svg", element("rect", width="100%", height="100%", fill=style.PAPER), *texts,
            element("g", self.picture, transform=f"translate(0 {y})"),
            xmlns="http://www.w3.org/2000/svg", width=width, height=y + self.height,
            fill=style.INK, **look,
        )  # fmt: skip
        for themed, fixed in _IN_A_FILE.items():
            whole = whole.replace(themed, fixed)
        return str(whole)


def element(tag: str, *children: str | None, **attributes: object) -> Markup:
    """Return an element; every text and attribute is escaped unless it is ``Markup``.

    Args:
        tag: Its name.
        children: What it holds; None holds nothing.
        attributes: Underscores stand for hyphens, a last one is dropped; None is left out.

    Example:
        >>> print(element("text", "Tom & <Jerry>", class_="name", x="5%", fill=None))
        <text class="name" x="5%">Tom &amp; &lt;Jerry&gt;</text>
    """
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    inner = "".join(escape(child) for child in children if child is not None)
    return Markup(f"<{tag}{given}>{inner}</{tag}>")  # each part is escaped above


def data(means: Means) -> dict[str, object]:
    """Return what an element stands for as its data attributes."""
    return {f"data_{name}": value for name, value in means.items()}


def share(number: float) -> str:
    """Write a place across, or a width, as a share of the drawing: 0 to 100."""
    return f"{round(number, 2):g}%"


def bar(
    tip: str,
    colour: str,
    means: Means,
    *,
    x: float,
    y: float,
    width: float,
    height: float,
    hatched: float = 0,
) -> Markup:
    """Return a bar that has something to say.

    Args:
        tip: The exact number, and whether it is one.
        colour: Of the bar.
        means: ``status`` and ``category`` of the pets that it stands for.
        x: Share of the width, as ``width``.
        y: Pixels down, as ``height``.
        width: Its width.
        height: Its height.
        hatched: Pixels from its top that show a minimum.
    """
    place: dict[str, object] = {"x": share(x), "y": round(y, 1), "width": share(width)}
    look = data(means) | place | {"height": round(height, 1), "fill": colour}
    shape = element("rect", element("title", tip), class_="pf-mark", **look)
    if not hatched:
        return shape
    over = {"height": round(hatched, 1), "fill": HATCH, "pointer_events": "none"}
    return shape + element("rect", **(place | over))


def label(text: str, *, at: float, y: float, anchor: str | None = None, **more: object) -> Markup:
    """Return a piece of text at a share of the width."""
    return element("text", text, x=share(at), y=round(y, 1), text_anchor=anchor, **more)


def counted(count: StatusCount) -> str:
    """Say a count and whether it is exact: ``95 pets (exact)``, ``at least 95 pets``."""
    pets = f"{count} {'pet' if count.count == 1 else 'pets'}"
    return f"{pets} (exact)" if count.is_exact else pets


def short_number(number: int) -> str:
    """Write a number beside an axis.

    Example:
        >>> short_number(950), short_number(12_500), short_number(2_000_000)
        ('950', '12.5k', '2M')
    """
    for size, sign in ((10**9, "G"), (10**6, "M"), (10**4, "k")):
        if number >= size:
            return f"{number / (1_000 if sign == 'k' else size):.4g}{sign}"
    return f"{number:,}"


class Scale:
    """Numbers from 0 up, and where they lie between two places down.

    Args:
        highest: The largest number to be shown.
        top: Pixels down of the highest number.
        bottom: Pixels down of 0.
    """

    def __init__(self, highest: int, *, top: int, bottom: int) -> None:
        self._top, self._bottom = top, bottom
        # A step of 1, 2 or 5 times a power of ten that needs at most five rules.
        power: int = 10 ** max(floor(log10(max(highest, 1))) - 1, 0)
        steps = (n * power for n in (1, 2, 5, 10, 20, 50))
        self.step = next(step for step in steps if step * 5 >= highest)
        self.highest = max(self.step * -(-highest // self.step), self.step)
        longest = max(len(short_number(n)) for n in range(0, self.highest + 1, self.step))
        self.left = 1.5 * longest + 2.0  # share of the width that the numbers take

    def y(self, number: float) -> float:
        """Return the pixels down of a number."""
        return self._bottom - (self._bottom - self._top) * number / self.highest

    def rules(self) -> Markup:
        """Draw a line across and its number for each step."""
        drawn = []
        for number in range(0, self.highest + 1, self.step):
            y = round(self.y(number), 1)
            line = element("line", x1=share(self.left), x2="100%", y1=y, y2=y, stroke=style.RULE)
            drawn += [line, label(short_number(number), at=self.left - 1, y=y + 4, anchor="end")]
        return Markup("").join(drawn)


def check_table(table: Any, needed: Sequence[str], source: str) -> None:
    """Refuse what is not the table that ``source`` returns."""
    import pandas as pd

    if not isinstance(table, pd.DataFrame):
        raise ArgumentError(f"expected what {source} returns, got {type(table).__name__}")
    missing = [name for name in needed if name not in table.columns]
    if missing:
        raise InputError(
            f"this drawing needs {', '.join(needed)}; the table lacks {', '.join(missing)}",
            column=missing[0],
            hint=f"pass what {source} returns",
        )
