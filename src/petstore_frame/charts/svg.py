"""Elements of a drawing: escaped by construction, at home on light and dark pages.

Places across are shares of the width, so that a drawing fills any page while its text keeps its
size; places down are pixels. A mark carries its exact number as ``<title>``, which any browser
shows and reads out, and says in data attributes what it stands for: the dashboard's script makes
tooltips and filters of them, and without the script they do nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import floor, log10
from zlib import crc32

from petstore_frame.counts.words import short
from petstore_frame.html import Markup, escape, stylesheet
from petstore_frame.html.palette import shorten, status_word
from petstore_frame.html.style import INK, RULE
from petstore_frame.inventory import StatusCount

FONTS = "system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif"
SMALL = 12  # pixels: text within a drawing
HATCH = "url(#pf-at-least)"  # until a picture makes the name its own
STYLE = f"""<style>
{stylesheet()}
.pf-chart{{position:relative;margin:0}}
.pf-chart svg{{display:block;font-family:inherit;overflow:visible}}
.pf-drawing .pf-table{{width:100%}}
</style>"""


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


@dataclass(frozen=True)
class Figure:
    """A drawing to be put on a page that has ``STYLE``.

    Attributes:
        markup: The legend and the picture.
        words: The facts as text.
    """

    markup: Markup
    words: str

    def alone(self) -> Drawing:
        """Return the figure with its styles, for a notebook."""
        body = Markup('<div class="pf-drawing pf-body">{}</div>').format(self.markup)
        return Drawing(f"{STYLE}{body}", self.words)


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


def share(number: float) -> str:
    """Write a place across, or a width, as a share of the drawing: 0 to 100."""
    return f"{number:.2f}%"


def svg(
    *children: str | None, height: int, words: str, width: str | int = "100%", ink: str = INK
) -> Markup:
    """Return a whole picture, with the pattern that marks a minimum.

    Args:
        children: Its elements.
        height: Pixels.
        words: What it shows, for a reader who does not see it.
        width: Pixels, for a picture on its own; else it fills the place that the page gives.
        ink: Colour of the text.
    """
    inside = Markup("").join(child for child in children if child is not None)
    # A page takes a name from its first picture that has it, and that one may be hidden.
    own = f"pf-at-least-{crc32(inside.encode()):08x}"
    lines = element("rect", width=2, height=6, fill="#FFFFFF", fill_opacity=0.55)
    pattern = element(
        "pattern",
        lines,
        id=own,
        width=6,
        height=6,
        patternUnits="userSpaceOnUse",
        patternTransform="rotate(45)",
    )
    return element(
        "svg",
        element("defs", pattern),
        inside.replace(HATCH, f"url(#{own})"),
        xmlns="http://www.w3.org/2000/svg",
        width=width,
        height=height,
        role="img",
        aria_label=words,
        font_size=SMALL,
        font_family=FONTS,
        fill=ink,
    )


def figure(name: str, keys: Iterable[str], picture: Markup, words: str) -> Figure:
    """Put a legend over a picture.

    Args:
        name: What a downloaded file is called, without its ending.
        keys: The entries of the legend, made by ``key``.
        picture: The picture.
        words: The facts as text.
    """
    above = Markup("").join(keys)
    legend = element("div", above, class_="pf-entries", style="margin:0 0 4px") if above else None
    return Figure(element("div", legend, picture, class_="pf-chart", data_name=name), words)


def key(
    series: str,
    colour: str | None,
    *,
    number: StatusCount | None = None,
    sign: str = "■",
    is_hidden: bool = False,
    **stands_for: object,
) -> Markup:
    """Return an entry of a legend.

    Args:
        series: What it names.
        colour: The colour of its sign; None for a note on how a sign is to be read.
        number: Its count, if it has one.
        sign: What stands before the name.
        is_hidden: Whether the series is left out of the drawing.
        stands_for: ``status=`` or ``category=`` of the pets meant.
    """
    dot = element(
        "span", sign, class_="pf-sign", aria_hidden="true", style=colour and f"color:{colour}"
    )
    name = element("span", shorten(status_word(series), 40), class_="pf-word")
    count = None if number is None else f" {short(number)}"
    return element(
        "span",
        dot,
        " ",
        name,
        count,
        class_="pf-entry pf-off" if is_hidden else "pf-entry",
        style="display:inline-block;margin:0 16px 2px 0;white-space:nowrap",
        data_series=None if colour is None else series,
        **_meant(stands_for),
    )


def mark(tag: str, tip: str, *, hatched: bool = False, **attributes: object) -> Markup:
    """Return a shape that has something to say.

    Args:
        tag: ``rect`` or ``circle``.
        tip: The exact number and what it claims.
        hatched: Whether its number is a minimum.
        attributes: Of the shape; ``status=`` and ``category=`` say which pets it stands for.
    """
    meant = _meant({name: attributes.pop(name, None) for name in ("category", "status")})
    shape = element(tag, element("title", tip), class_="pf-mark", **meant, **attributes)
    if not hatched:
        return shape
    attributes["fill"] = HATCH
    return shape + element(tag, pointer_events="none", **attributes)


def _meant(stands_for: Mapping[str, object]) -> dict[str, object]:
    return {f"data_{name}": value for name, value in stands_for.items()}


def label(text: str, *, at: float, y: float, anchor: str = "start", **more: object) -> Markup:
    """Return a piece of text at a share of the width."""
    return element("text", text, x=share(at), y=f"{y:.1f}", text_anchor=anchor, **more)


def counted(count: StatusCount) -> str:
    """Say a count with its claim: ``95 pets (exact)``, ``at least 95 pets``."""
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
        return Markup("").join(
            element(
                "line",
                x1=share(self.left),
                x2="100%",
                y1=f"{self.y(n):.1f}",
                y2=f"{self.y(n):.1f}",
                stroke=RULE,
            )
            + label(short_number(n), at=self.left - 1, y=self.y(n) + 4, anchor="end")
            for n in range(0, self.highest + 1, self.step)
        )
