"""The colors of statuses and verdicts on screen, and the words of verdicts.

The colors of statuses are Okabe and Ito's, which people with any common color blindness can tell
apart. Each has one meaning everywhere, and always stands beside its name and number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import cycle
from types import MappingProxyType
from typing import NamedTuple

STATUS_COLORS: Mapping[str, str] = MappingProxyType(
    {"available": "#0072B2", "pending": "#E69F00", "sold": "#767676", "no status": "#CC79A7"}
)

ACCENT = STATUS_COLORS["available"]  # of buttons and progress
NEW_COLOR, GONE_COLOR = "#009E73", "#D55E00"  # of pets that came and went
# For statuses that the interface does not state.
OTHER_STATUS_COLORS: tuple[str, ...] = (NEW_COLOR, "#56B4E9", GONE_COLOR, "#F0E442")
# For groups that are not statuses.
OTHER_HUES = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#767676", "#B8A900",
)  # fmt: skip

# In a page or a workbook of ours: text, quiet text, lines, background, and bands on it.
INK, MUTED, RULE, PAPER, BAND = "#1F2933", "#5F6B7A", "#D5DBE1", "#FFFFFF", "#F6F8FA"
DARK_INK, DARK_MUTED, DARK_RULE, DARK_PAPER, DARK_BAND = (
    "#E6E9EC", "#A3ADB8", "#3A424B", "#16191D", "#20252B",
)  # fmt: skip


class Badge(NamedTuple):
    """How a verdict looks: its word, and the colors of text, background and edge."""

    word: str
    ink: str
    fill: str
    edge: str


_AMBER = ("#6B4400", "#FFF3D6", "#E69F00")

VERDICT_BADGES: Mapping[str, Badge] = MappingProxyType(
    {
        "complete": Badge("Complete", "#14532D", "#E3F4E8", "#2E7D4F"),
        "incomplete": Badge("Incomplete", *_AMBER),
        "unknown": Badge("Not known to be complete", *_AMBER),
        "unstable": Badge("Unstable", *_AMBER),
    }
)
NO_CLAIM_BADGE = Badge("Coverage not known", "#3B4652", "#EDF0F3", "#8A94A0")
FAILED_BADGE = Badge("Failed", "#7F1D1D", "#FDE8E8", "#B42318")


def verdict_badge(verdict: str | None) -> Badge:
    """Return the badge of a verdict; None where nothing was read."""
    return VERDICT_BADGES.get(verdict, NO_CLAIM_BADGE) if verdict else NO_CLAIM_BADGE


def status_colors(statuses: Iterable[str]) -> dict[str, str]:
    """Return the color of each status, ``no status`` included, in the order given.

    Other statuses take further colors in alphabetical order, so that the same statuses have the
    same colors everywhere.

    Example:
        >>> status_colors(["sold", "on hold", "lost"])
        {'sold': '#767676', 'on hold': '#56B4E9', 'lost': '#009E73'}
    """
    shown = list(statuses)
    others = sorted({*shown} - {*STATUS_COLORS})
    shades = {**STATUS_COLORS, **dict(zip(others, cycle(OTHER_STATUS_COLORS), strict=False))}
    return {status: shades[status] for status in shown}


def tint(color: str, share: float) -> str:
    """Mix a color, ``#RRGGBB``, with white; ``share`` of it stays.

    Example:
        >>> tint("#000000", 0.2)
        '#CCCCCC'
    """
    channels = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - value) * share):02X}" for value in channels)
