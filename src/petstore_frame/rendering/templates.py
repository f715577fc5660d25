"""Fills templates, and provides the pieces of markup that all views share."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from petstore_frame.rendering.display_text import printable
from petstore_frame.rendering.html_style import stylesheet
from petstore_frame.rendering.palette import FAILED_BADGE, VERDICT_BADGES, Badge

if TYPE_CHECKING:
    from jinja2 import Environment


class Cell(NamedTuple):
    """A cell of a table: its value, its ``data-…`` attributes by name, and its styles."""

    value: Any
    data: Mapping[str, str] = MappingProxyType({})
    css: str = ""


class Card(NamedTuple):
    """A key figure: a number as text, its name, and a few words under it.

    The border has this color, or the color of the text. It is dashed if the number is a minimum.
    """

    name: str
    number: str
    under: str = ""
    color: str | None = None
    is_exact: bool = True


class Renderer:
    """Fills templates.

    ``{{ attrs("table") }}`` in a template gives an element a class of ``stylesheet()``, whose names
    are the keys of ``html_style.ELEMENT_STYLES``. Every value is escaped unless it is ``Markup``; a
    missing value is an error.
    """

    def render(self, template: str, /, **values: Any) -> Markup:
        """Fill a template, such as ``report/page.html.j2``, with values."""
        return Markup(self._engine.get_template(template).render(values))  # noqa: S704 # escaped

    def headline(self, badge: Badge, sentence: str, label: str | None = None) -> Markup:
        """Return a badge and a sentence after it; ``label`` replaces the label of the badge."""
        return self._piece("headline", badge, sentence, label)

    def section(self, text: str) -> Markup:
        """Return the title of a section."""
        return self._piece("section", text)

    def quiet(self, lines: Iterable[str]) -> Markup:
        """Return lines in a muted color, without the empty ones."""
        return self._piece("quiet", [line for line in lines if line])

    def items(self, lines: Iterable[str | tuple[str, str]]) -> Markup:
        """Return a list of sentences, or of pairs of a term and a sentence."""
        return self._piece("items", list(lines))

    def cards(self, cards: Iterable[Card]) -> Markup:
        """Return key figures side by side."""
        return self._piece("cards", list(cards))

    def steps(self, steps: Iterable[str]) -> Markup:
        """Return the next steps under a title; empty if there are none."""
        return self._piece("steps", list(steps))

    def status(self, name: str, color: str) -> Markup:
        """Return the name of a status with its color."""
        return self._piece("status", name, color)

    def table(
        self,
        rows: Iterable[Sequence[Any]],
        head: Sequence[Any] = (),
        *,
        numbers: Collection[int] = (),
        caption: str = "",
        foot: Sequence[Any] = (),
        is_named: bool = False,
    ) -> Markup:
        """Return a table.

        A cell is a text, a number, None for a missing value, ``Markup``, or a Cell. ``numbers`` has
        the positions of number columns, ``foot`` is a last row of sums, and ``is_named`` makes the
        first cell of each row its heading.
        """
        head, foot, *body = [
            [value if isinstance(value, Cell) else Cell(value) for value in row]
            for row in (head, foot, *rows)
        ]
        return self._piece("table", body, head, set(numbers), caption, foot, is_named)

    def success(self, title: str, lines: Iterable[str] = ()) -> Markup:
        """Return a message about a success."""
        return self._piece("panel", VERDICT_BADGES["complete"], title, list(lines), "status")

    def warning(self, title: str, lines: Iterable[str] = ()) -> Markup:
        """Return a warning."""
        return self._piece("panel", VERDICT_BADGES["incomplete"], title, list(lines), "status")

    def failure(self, title: str, lines: Iterable[str] = ()) -> Markup:
        """Return a message about an error."""
        return self._piece("panel", FAILED_BADGE, title, list(lines), "alert")

    def progress(self, text: str, share_done: float | None = None) -> Markup:
        """Return a progress message, with a bar if the share from 0 to 1 is known."""
        return self._piece("progress", text, None if share_done is None else f"{share_done:.0%}")

    def empty(self, sentence: str) -> Markup:
        """Return a message for an empty view: why it is empty, and what to do."""
        return self._piece("empty", sentence)

    def _piece(self, name: str, *values: Any) -> Markup:
        return Markup(self._pieces[name](*values))  # noqa: S704 # a macro's text is escaped

    @cached_property
    def _pieces(self) -> dict[str, Callable[..., str]]:
        return vars(self._engine.get_template("rendering/pieces.html.j2").module)

    @cached_property
    def _engine(self) -> Environment:
        import jinja2  # only when needed

        engine = jinja2.Environment(
            loader=jinja2.PackageLoader("petstore_frame", ""),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            finalize=printable,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        engine.globals["attrs"] = lru_cache(maxsize=1_000)(_style_attributes)
        return engine


def _style_attributes(*names: str, css: str = "") -> Markup:
    """Return the attributes that give an element classes of the stylesheet, and further styles."""
    classes = " ".join(f"pf-{name}" for name in names)
    style = Markup(' style="{}"').format(css) if css else ""
    return Markup('class="{}"{}').format(classes, style)


def in_notebook(markup: str) -> str:
    """Return markup with its styles; it stays readable if the notebook drops the styles."""
    body = Markup('<style>{}</style><div class="pf-body">{}</div>')
    return str(body.format(Markup(stylesheet()), Markup(markup)))  # noqa: S704 # both are escaped


PAGE = Renderer()
