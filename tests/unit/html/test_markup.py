"""The pieces of HTML that all views share."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from petstore_frame.html import markup
from petstore_frame.schema.palette import NO_CLAIM_BADGE

HOSTILE = "<script>\"'&"


@pytest.mark.parametrize(
    "piece",
    [
        lambda text: markup.isolated(text),
        lambda text: markup.headline(NO_CLAIM_BADGE, text, text),
        lambda text: markup.quiet_lines([text, "", text]),
        lambda text: markup.items([text]),
        lambda text: markup.table([[markup.cell(markup.escape(text))]], [text]),
    ],
)
def test_every_piece_shows_text_to_the_letter(piece: Any) -> None:
    """A text that is markup is shown as text, and the piece stays well formed."""
    drawn = piece(HOSTILE)
    assert "<script>" not in drawn
    assert HOSTILE in "".join(ElementTree.fromstring(drawn.replace("<br>", "<br/>")).itertext())


def test_a_table_without_a_head_has_none() -> None:
    """Only named columns have a head."""
    row = [markup.cell("1", "text-align:right")]
    assert "<thead>" not in markup.table([row])
    assert markup.table([row], ["n"]).count('scope="col"') == 1
