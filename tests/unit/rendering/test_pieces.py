"""The pieces of markup and the colors that all views share."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from petstore_frame.inventory import Verdict
from petstore_frame.rendering import PAGE, Card, palette
from petstore_frame.rendering.palette import NO_CLAIM_BADGE
from petstore_frame.schema import NO_STATUS, PET_STATUSES

HOSTILE = "<script>\"'&"
PIECES = {
    "headline": lambda place, text: place.headline(NO_CLAIM_BADGE, text, text),
    "section": lambda place, text: place.section(text),
    "quiet": lambda place, text: place.quiet([text, "", text]),
    "items": lambda place, text: place.items([text]),
    "cards": lambda place, text: place.cards([Card(text, text, text, "#767676", False)]),
    "completeness": lambda place, text: place.render(
        "inventory/verdict/completeness.html.j2",
        badge=NO_CLAIM_BADGE,
        headline=text,
        note=text,
        counts=[(text, "#767676", text)],
        folds=[(text, [text, (text, text)])],
    ),
    "steps": lambda place, text: place.steps([text]),
    "status": lambda place, text: place.status(text, "#767676"),
    "table": lambda place, text: place.table([[text]], [text], caption=text, foot=[text]),
    "panel": lambda place, text: place.failure(text, [text]),
    "progress": lambda place, text: place.progress(text, 0.25),
    "empty": lambda place, text: place.empty(text),
}


@pytest.mark.parametrize("name", PIECES)
def test_every_piece_shows_text_to_the_letter(name: str) -> None:
    """A text that is markup is shown as text, and the piece stays well formed."""
    drawn = PIECES[name](PAGE, HOSTILE)
    plain = drawn.replace("<br>", "<br/>").replace("&nbsp;", " ")
    shown = "".join(ElementTree.fromstring(f"<div>{plain}</div>").itertext())
    assert "<script>" not in drawn
    assert HOSTILE in shown


def luminance(color: str) -> float:
    values = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_every_verdict_has_a_badge_that_can_be_read() -> None:
    """The contrast of a badge's text is at least 4.5 to 1, as WCAG AA asks."""
    assert set(palette.VERDICT_BADGES) == {verdict.value for verdict in Verdict}
    assert list(palette.STATUS_COLORS) == [*PET_STATUSES, NO_STATUS]
    for badge in (*palette.VERDICT_BADGES.values(), NO_CLAIM_BADGE, palette.FAILED_BADGE):
        dark, light = sorted(luminance(color) for color in (badge.ink, badge.fill))
        assert (light + 0.05) / (dark + 0.05) >= 4.5
