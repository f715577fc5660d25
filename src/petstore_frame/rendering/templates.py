"""Fills templates, and has the pieces of markup that all views share."""

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
    """A cell of a table: its value, ``data-…`` attributes by the rest of the name, and styles."""

    value: Any
    data: Mapping[str, str] = MappingProxyType({})
    css: str = ""


class Card(NamedTuple):
    """A key figure: a number as text, its name, and a few words under it.

    The edge has the color, or that of the text; for a minimum, not ``is_exact``, it is dashed.
    """

    name: str
    number: str
    under: str = ""
    color: str | None = None
    is_exact: bool = True


class Renderer:
    """Fills templates.

    A template gives an element a look of ``style.LOOKS`` with ``{{ look("table") }}``, as a class
    of ``stylesheet()``. Every value is escaped unless it is ``Markup``; a value that is missing is
    an error.
    """

    def render(self, template: str, /, **values: Any) -> Markup:
        """Fill a template, such as ``report/page.html.j2``, with the values that it shows."""
        return Markup(self._engine.get_template(template).render(values))  # noqa: S704 # escaped

    def headline(self, badge: Badge, sentence: str, word: str | None = None) -> Markup:
        """Show the badge, with another word if one is given, and a sentence after it."""
        return self._piece("headline", badge, sentence, word)

    def section(self, text: str) -> Markup:
        """Show the name of a part."""
        return self._piece("section", text)

    def quiet(self, lines: Iterable[str]) -> Markup:
        """Show lines that stay in the background; empty ones are left out."""
        return self._piece("quiet", [line for line in lines if line])

    def items(self, lines: Iterable[str | tuple[str, str]]) -> Markup:
        """Show a list of sentences, or of pairs of a word and a sentence."""
        return self._piece("items", list(lines))

    def cards(self, cards: Iterable[Card]) -> Markup:
        """Show key figures side by side."""
        return self._piece("cards", list(cards))

    def steps(self, steps: Iterable[str]) -> Markup:
        """Show what to do next; nothing where there is nothing to do."""
        return self._piece("steps", list(steps))

    def status(self, word: str, color: str) -> Markup:
        """Show a status by name and color."""
        return self._piece("status", word, color)

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
        """Show a table.

        A cell is a text, a number, None for a missing value, ``Markup``, or a Cell; ``numbers``
        are the places of columns that hold numbers, ``foot`` is a last row of sums, and with
        ``is_named`` the first cell of a row is its name.
        """
        head, foot, *body = [
            [value if isinstance(value, Cell) else Cell(value) for value in row]
            for row in (head, foot, *rows)
        ]
        return self._piece("table", body, head, set(numbers), caption, foot, is_named)

    def success(self, title: str, lines: Iterable[str] = ()) -> Markup:
        """Show that something was done."""
        return self._piece("panel", VERDICT_BADGES["complete"], title, list(lines), "status")

    def warning(self, title: str, lines: Iterable[str] = ()) -> Markup:
        """Show that something is not as expected."""
        return self._piece("panel", VERDICT_BADGES["incomplete"], title, list(lines), "status")

    def failure(self, title: str, lines: Iterable[str] = ()) -> Markup:
        """Show what went wrong."""
        return self._piece("panel", FAILED_BADGE, title, list(lines), "alert")

    def progress(self, words: str, share_done: float | None = None) -> Markup:
        """Show work under way; without a known end there is a number and no bar."""
        return self._piece("progress", words, None if share_done is None else f"{share_done:.0%}")

    def empty(self, sentence: str) -> Markup:
        """Show why there is nothing to see, and what to do."""
        return self._piece("empty", sentence)

    def _piece(self, name: str, *values: Any) -> Markup:
        return Markup(self._pieces[name](*values))  # noqa: S704 # a macro's text is escaped

    @cached_property
    def _pieces(self) -> dict[str, Callable[..., str]]:
        return vars(self._engine.get_template("rendering/pieces.html.j2").module)

    @cached_property
    def _engine(self) -> Environment:
        import jinja2  # only when something is shown

        engine = jinja2.Environment(
            loader=jinja2.PackageLoader("petstore_frame", ""),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            finalize=printable,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        engine.globals["look"] = lru_cache(maxsize=1_000)(_look)
        return engine


def _look(*names: str, css: str = "") -> Markup:
    """Return the attributes that give an element these looks, and further styles."""
    shown = " ".join(f"pf-{name}" for name in names)
    style = Markup(' style="{}"').format(css) if css else ""
    return Markup('class="{}"{}').format(shown, style)


def in_notebook(markup: str) -> str:
    """Return markup with its styles; where they are dropped, its words stay."""
    whole = Markup('<style>{}</style><div class="pf-body">{}</div>')
    return str(whole.format(Markup(stylesheet()), Markup(markup)))  # noqa: S704 # both are ours


PAGE = Renderer()
