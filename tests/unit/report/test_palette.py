"""One palette for every screen."""

from __future__ import annotations

import pytest

from petstore_frame.html import palette
from petstore_frame.inventory import Verdict
from petstore_frame.schema.models import NO_STATUS, PET_STATUSES


def luminance(colour: str) -> float:
    values = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(ink: str, fill: str) -> float:
    dark, light = sorted((luminance(ink), luminance(fill)))
    return (light + 0.05) / (dark + 0.05)


def test_every_status_of_the_interface_has_its_own_colour() -> None:
    """The statuses and "no status" are spelt as in the models, each with a colour of its own."""
    assert list(palette.STATUS_COLOURS) == [*PET_STATUSES, NO_STATUS]
    assert len({*palette.STATUS_COLOURS.values(), *palette.OTHER_STATUS_COLOURS}) == 8


def test_every_verdict_has_a_badge() -> None:
    """No verdict falls back on the badge of a frame without a verdict."""
    assert set(palette.VERDICT_BADGES) == {verdict.value for verdict in Verdict}
    assert palette.verdict_badge(None) is palette.NO_CLAIM_BADGE


@pytest.mark.parametrize(
    "badge",
    [*palette.VERDICT_BADGES.values(), palette.NO_CLAIM_BADGE, palette.FAILED_BADGE],
    ids=lambda badge: badge.word,
)
def test_a_badge_can_be_read(badge: palette.Badge) -> None:
    """The contrast of a badge's text is at least 4.5 to 1, as WCAG AA asks."""
    assert contrast(badge.ink, badge.fill) >= 4.5
