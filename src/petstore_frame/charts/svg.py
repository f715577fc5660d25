"""Builds SVG drawings, with escaped text, for light and dark pages.

Horizontal positions are percentages of the width, so a drawing fills any page and its text keeps
its size. Vertical positions are pixels. The exact number of a mark is in its ``<title>``, which
browsers show and read aloud. The script of the dashboard uses its data attributes for tooltips and
filters; without the script they have no effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from zlib import crc32

from petstore_frame.errors import ReportError
from petstore_frame.extras import import_extra
from petstore_frame.inventory import StatusCount
from petstore_frame.rendering import Markup, element, palette, shorten
from petstore_frame.rendering import html_style as style
from petstore_frame.schema import status_label
from petstore_frame.storage import marked_png, marked_text, refuse_overwriting, write_atomically
from petstore_frame.validation import checked_path

_FONT = "system-ui,sans-serif"  # for files; in a page, charts use the font of the page
_HATCH = "url(#pf-at-least)"  # each drawing replaces it with a unique name
CSS = f"""{style.stylesheet()}
.pf-chart{{position:relative;margin:0}}
.pf-chart svg{{display:block;font-family:inherit;overflow:visible}}
.pf-entries{{margin:0 0 4px}}
.pf-entry{{display:inline-block;margin:0 16px 2px 0;white-space:nowrap}}
.pf-drawing .pf-table{{width:100%}}"""
_FILE_WIDTH, _KEY_HEIGHT, _SIGN_WIDTH = 900, 20, 8  # pixels
# Fonts of macOS, Windows and common Linux distributions.
_PNG_FONTS = ("Helvetica", "Arial", "Segoe UI", "DejaVu Sans", "Liberation Sans", "Noto Sans")
_PNG_ZOOM = 2  # pixels of a PNG for each pixel of the drawing, for sharp text in print
NARROWEST_DRAWING = 340  # pixels: half a page of the dashboard on a small screen
DATE_WIDTH = 72  # pixels of a date with room on both sides
_LABEL_WIDTH = 100 * DATE_WIDTH / NARROWEST_DRAWING
_PALE = 0.45  # opacity of a bar whose period is incomplete
# A file has no theme, so these colors replace those of the theme.
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
    """A bar, or a part of a bar.

    Attributes:
        size: The number of pets.
        tip: The tooltip: the number in words, and whether it is exact.
        color: The color of the bar.
        means: The pets that the bar represents.
        minimum: The part of the size that is a minimum; it is hatched, from the top.
        is_pale: Whether the bar is paler, because its period is incomplete.
    """

    size: float
    tip: str
    color: str
    means: Means
    minimum: float = 0
    is_pale: bool = False

    @classmethod
    def of(
        cls, count: StatusCount, tip: str, color: str, means: Means, *, is_pale: bool = False
    ) -> Mark:
        """Return the bar of a count, fully hatched if the count is not exact."""
        minimum = 0 if count.is_exact else count.count
        return cls(count.count, tip, color, means, minimum, is_pale)


class Key(NamedTuple):
    """An entry of a legend: a sign, the name of a series, and its number, if any.

    An entry without a color explains a sign.
    """

    series: str
    color: str | None
    number: StatusCount | None = None
    sign: str = "■"
    means: Means = NOTHING

    @property
    def text(self) -> str:
        """The text after the sign."""
        name = shorten(status_label(self.series), 40)
        return name if self.number is None else f"{name} {self.number}"

    @property
    def markup(self) -> Markup:
        """The entry as HTML."""
        attributes = {"style": f"color:{self.color}"} if self.color else {}
        sign = element("span", self.sign, aria_hidden="true", class_="pf-sign", **attributes)
        kind = "pf-mark pf-word" if self.means else "pf-word"
        text = element("span", self.text, class_=kind, **data(self.means))
        return element("span", sign, " ", text, class_="pf-entry", data_series=self.series)


@dataclass(frozen=True, repr=False)
class Chart:
    """A chart that a notebook shows and ``save`` writes.

    ``description`` has the numbers of the drawing as a sentence, for screen readers. ``name`` is
    the name of a downloaded file. A page that shows ``markup`` needs ``CSS``.
    """

    name: str
    keys: Sequence[Key]
    body: Sequence[Markup]
    height: int
    description: str

    @property
    def html(self) -> str:
        """The drawing with its styles, for a notebook."""
        template = Markup('<style>{}</style><div class="pf-drawing pf-body">{}</div>')
        return template.format(Markup(CSS), self.markup())

    def save(self, path: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the picture with its legend as an ``.svg`` or a ``.png``, in colors for print.

        A PNG needs the extra ``png``, and a font on this machine. It has twice as many pixels in
        each direction as the SVG. An unchanged picture that this method wrote is replaced;
        ``overwrite=True`` replaces any file.

        Raises:
            ReportError: The extension is unsupported, the file is not writable, is another file
                or was changed, or no font exists.
            MissingExtraError: The extra ``png`` is not installed.
        """
        target = checked_path("path", path)
        ending = target.suffix.lower()
        if ending not in (".svg", ".png"):
            raise ReportError(f"unsupported extension {target.suffix!r}; use .svg or .png")
        refuse_overwriting(target, overwrite=overwrite)
        is_svg = ending == ".svg"
        content = marked_text(self.file()) if is_svg else marked_png(_png(self.file()))
        with write_atomically(target) as draft:
            draft.write_bytes(content)
        return target

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<{self.description}>"

    @property
    def picture(self) -> Markup:
        """The picture without its legend, as wide as its container."""
        inside = Markup("").join(self.body)
        # If two pictures on a page share a name, the browser uses the first, even if it is hidden.
        name = f"pf-at-least-{crc32(inside.encode()):08x}"
        lines = element("rect", width=2, height=6, fill="#FFFFFF", fill_opacity=0.55)
        turned = {"patternUnits": "userSpaceOnUse", "patternTransform": "rotate(45)"}
        pattern = element("pattern", lines, id=name, width=6, height=6, **turned)
        return element(
            "svg",
            pattern if _HATCH in inside else None,
            inside.replace(_HATCH, f"url(#{name})"),
            **_SVG,
            width="100%",
            height=self.height,
            role="img",
            aria_label=self.description,
        )

    def markup(self, tools: Markup | None = None) -> Markup:
        """Return the legend and the picture, with the buttons above them, if any."""
        keys = Markup("").join(key.markup for key in self.keys)
        legend = element("div", keys, class_="pf-entries") if keys else None
        return element("div", tools, legend, self.picture, class_="pf-chart", data_name=self.name)

    def file(self, width: int = _FILE_WIDTH) -> str:
        """Return the text of an SVG file: legend and picture in fixed colors, for print."""
        texts, x, y = list[Markup](), 0, _KEY_HEIGHT
        for key in self.keys:
            wide = _SIGN_WIDTH * (len(key.text) + 4)
            x, y = (0, y + _KEY_HEIGHT) if x + wide > width else (x, y)
            sign = element("tspan", key.sign, fill=key.color)
            texts.append(element("text", sign, f" {key.text}", x=x, y=y - 6))
            x += wide
        drawing = element(
            "svg",
            element("rect", width="100%", height="100%", fill=style.PAPER),
            *texts,
            element("g", self.picture, transform=f"translate(0 {y})"),
            **_SVG,
            width=width,
            height=y + self.height,
        )
        for themed, fixed in _IN_A_FILE.items():
            drawing = drawing.replace(themed, fixed)
        return str(drawing)


def _png(drawing: str) -> bytes:
    """Convert the text of an SVG file to a PNG."""
    resvg = import_extra("resvg_py", "a chart as PNG", "png")
    font = _installed_font(resvg)
    if font is None:
        raise ReportError(
            f"a PNG needs one of the fonts {', '.join(_PNG_FONTS)}; install one, or save the chart "
            "as .svg"
        )
    return bytes(resvg.svg_to_bytes(drawing, zoom=_PNG_ZOOM, sans_serif_family=font))


def _installed_font(resvg: Any) -> str | None:
    """Return an installed font, or None; without one, resvg would draw no text."""
    size = 'xmlns="http://www.w3.org/2000/svg" width="20" height="20"'
    blank = resvg.svg_to_bytes(f"<svg {size}></svg>")
    for font in _PNG_FONTS:
        letter = f'<svg {size}><text y="15" font-family="{font}">x</text></svg>'
        if resvg.svg_to_bytes(letter) != blank:
            return font
    return None


def data(means: Means) -> dict[str, object]:
    """Return the data attributes for the pets of an element; no category is an empty text."""
    return {f"data_{name}": "" if value is None else value for name, value in means.items()}


def share(number: float) -> str:
    """Format a horizontal position or a width, 0 to 100, as a percentage of the drawing."""
    return f"{round(number, 2):g}%"


def bar(mark: Mark, *, x: float, y: float, width: float, height: float) -> Markup:
    """Return a bar; ``x`` and ``width`` are percentages, ``y`` and ``height`` are pixels."""
    position = {"x": share(x), "y": round(y, 1), "width": share(width)}
    title = element("title", mark.tip)
    attributes = {**data(mark.means), **position, "height": round(height, 1), "fill": mark.color}
    if mark.is_pale:
        attributes["fill_opacity"] = _PALE
    shape = element("rect", title, class_="pf-mark", **attributes)
    if not mark.minimum:
        return shape
    hatched = round(height * mark.minimum / mark.size, 1)
    return shape + element("rect", **position, height=hatched, fill=_HATCH, pointer_events="none")


def label(text: str, *, at: float, y: float, anchor: str | None = None, **more: object) -> Markup:
    """Return a text at a percentage of the width."""
    return element("text", text, x=share(at), y=round(y, 1), text_anchor=anchor, **more)


def counted(count: StatusCount) -> str:
    """Describe a count in a sentence: ``95 pets (exact)``, ``at least 95 pets``."""
    pets = f"{count.in_words} {'pet' if count.count == 1 else 'pets'}"
    return f"{pets} (exact)" if count.is_exact else pets


def added(counts: Iterable[StatusCount]) -> StatusCount:
    """Return the sum of counts: exact if all are, about if any is, otherwise at least.

    Example:
        >>> added([StatusCount(2, "exact"), StatusCount(1, "about"), StatusCount(4, "at_least")])
        <StatusCount: ≈ 7>
    """
    parts = list(counts)
    total = sum(count.count for count in parts)
    if all(count.is_exact for count in parts):
        return StatusCount(total, "exact")
    # A count of about 0 cannot make the sum too high.
    has_about = any(count.bound == "about" and count.count > 0 for count in parts)
    return StatusCount(total, "about" if has_about else "at_least")


def spaced_labels(positions: Sequence[float]) -> dict[int, str]:
    """Choose labels that fit next to each other, if each is as wide as a date.

    The last and the first label are chosen before those between them. Labels do not overlap in
    any drawing that is at least ``NARROWEST_DRAWING`` pixels wide.

    Args:
        positions: The center of each label, as a percentage of the width, in ascending order.

    Returns:
        The indexes of the chosen labels in ``positions``, in ascending order, with the anchor of
        each: ``start``, ``middle`` or ``end``.
    """
    intervals = [_label_interval(position) for position in positions]
    chosen: list[int] = []
    last = len(positions) - 1
    for position in range(last):
        left, right, _ = intervals[position]
        is_after_chosen = not chosen or left >= intervals[chosen[-1]][1]
        if is_after_chosen and right <= intervals[last][0]:
            chosen.append(position)
    if positions:
        chosen.append(last)
    return {position: intervals[position][2] for position in chosen}


def _label_interval(position: float) -> tuple[float, float, str]:
    """Return the start, the end and the anchor of a label that stays within the drawing."""
    if position < _LABEL_WIDTH / 2:
        return position, position + _LABEL_WIDTH, "start"
    if position > 100 - _LABEL_WIDTH / 2:
        return position - _LABEL_WIDTH, position, "end"
    return position - _LABEL_WIDTH / 2, position + _LABEL_WIDTH / 2, "middle"
