"""The pieces of markup that all views share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from petstore_frame.html import NOTEBOOK, PAGE, Card, Fold, Markup, Renderer, stylesheet
from petstore_frame.html.palette import NO_CLAIM_BADGE

HOSTILE = "<script>\"'&"
PIECES: dict[str, Callable[[Renderer, str], Markup]] = {
    "badge": lambda place, text: place.badge(NO_CLAIM_BADGE, text),
    "headline": lambda place, text: place.headline(NO_CLAIM_BADGE, text, text),
    "section": lambda place, text: place.section(text),
    "quiet": lambda place, text: place.quiet([text, "", text]),
    "items": lambda place, text: place.items([text]),
    "cards": lambda place, text: place.cards([Card(text, text, text, "#767676", False)]),
    "completeness": lambda place, text: place.render(
        "inventory/completeness.html.j2",
        badge=NO_CLAIM_BADGE,
        words=text,
        note=text,
        counts=[(text, "#767676", text)],
        folds=[Fold(text, [text, (text, text)])],
    ),
    "steps": lambda place, text: place.steps([text]),
    "status": lambda place, text: place.status(text, "#767676"),
    "table": lambda place, text: place.table([[text]], [text], caption=text, foot=[text]),
    "panel": lambda place, text: place.failure(text, [text]),
    "progress": lambda place, text: place.progress(text, 0.25),
    "empty": lambda place, text: place.empty(text),
}


@pytest.mark.parametrize("place", [NOTEBOOK, PAGE], ids=["notebook", "page"])
@pytest.mark.parametrize("name", PIECES)
def test_every_piece_shows_text_to_the_letter(name: str, place: Renderer) -> None:
    """A text that is markup is shown as text, and the piece stays well formed."""
    drawn = PIECES[name](place, HOSTILE)
    plain = drawn.replace("<br>", "<br/>").replace("&nbsp;", " ")
    shown = "".join(ElementTree.fromstring(f"<div>{plain}</div>").itertext())
    assert "<script>" not in drawn
    assert HOSTILE in shown


def test_a_notebook_needs_no_style_sheet_and_a_page_has_it_once() -> None:
    """Looks are style attributes in a notebook, and classes of the style sheet on a page."""
    table = {place: place.table([[1]]) for place in (NOTEBOOK, PAGE)}
    assert "class=" not in table[NOTEBOOK]
    assert "style=" not in table[PAGE]
    assert '<td class="pf-cell">' in table[PAGE]
    assert ".pf-cell.pf-cell{" in stylesheet()


def test_a_cell_tells_text_number_missing_and_markup_apart() -> None:
    """Text is isolated, a number is plain, a missing value is a dash, markup is left as it is."""
    drawn = PAGE.table([["a", 1, None, Markup("<i>x</i>")]], numbers={1})
    assert "<bdi>a</bdi>" in drawn
    assert '<td class="pf-cell pf-number">1</td>' in drawn
    assert "—" in drawn
    assert "<i>x</i>" in drawn


def test_a_missing_value_is_an_error() -> None:
    """A template that is given too little fails rather than showing a gap."""
    with pytest.raises(Exception, match="ink"):
        PAGE.headline(object(), "sentence")  # type: ignore[arg-type]


def test_templates_are_read_when_something_is_shown() -> None:
    """Importing the package or its door to templates does not import the engine."""
    code = "import sys, petstore_frame.html as h; assert 'jinja2' not in sys.modules; "
    code += "h.PAGE.section('x'); assert 'jinja2' in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
