"""The colors of statuses and verdicts on screen, and the labels of verdicts.

The colors of statuses are those of Okabe and Ito, which people with any common color blindness can
tell apart. A color has the same meaning everywhere, and is always shown with a name and a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import cycle
from types import MappingProxyType
from typing import NamedTuple

STATUS_COLORS: Mapping[str, str] = MappingProxyType(
    {"available": "#0072B2", "pending": "#E69F00", "sold": "#767676", "no status": "#CC79A7"}
)

ACCENT = STATUS_COLORS["available"]  # for buttons and progress bars
NEW_COLOR, GONE_COLOR = "#009E73", "#D55E00"  # for pets that were added and removed
# For statuses that are not in the interface.
OTHER_STATUS_COLORS: tuple[str, ...] = (NEW_COLOR, "#56B4E9", GONE_COLOR, "#F0E442")
# For groups that are not statuses.
OTHER_HUES = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#767676", "#B8A900",
)  # fmt: skip

# For pages and workbooks: text, muted text, lines, background, and banded rows.
INK, MUTED, RULE, PAPER, BAND = "#1F2933", "#5F6B7A", "#D5DBE1", "#FFFFFF", "#F6F8FA"
DARK_INK, DARK_MUTED, DARK_RULE, DARK_PAPER, DARK_BAND = (
    "#E6E9EC", "#A3ADB8", "#3A424B", "#16191D", "#20252B",
)  # fmt: skip


class Badge(NamedTuple):
    """The label of a verdict, and its colors of text, background and border."""

    label: str
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
    """Return the badge of a verdict; None if nothing was read."""
    return VERDICT_BADGES.get(verdict, NO_CLAIM_BADGE) if verdict else NO_CLAIM_BADGE


def status_colors(statuses: Iterable[str]) -> dict[str, str]:
    """Return the color of each status, including ``no status``, in the same order.

    Other statuses get further colors in alphabetical order, so that the same statuses have the same
    colors everywhere.

    Example:
        >>> status_colors(["sold", "on hold", "lost"])
        {'sold': '#767676', 'on hold': '#56B4E9', 'lost': '#009E73'}
    """
    in_order = list(statuses)
    others = sorted({*in_order} - {*STATUS_COLORS})
    shades = {**STATUS_COLORS, **dict(zip(others, cycle(OTHER_STATUS_COLORS), strict=False))}
    return {status: shades[status] for status in in_order}


def tint(color: str, share: float) -> str:
    """Mix a color, ``#RRGGBB``, with white; ``share`` is the share of the color, 0 to 1.

    Example:
        >>> tint("#000000", 0.2)
        '#CCCCCC'
    """
    channels = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - value) * share):02X}" for value in channels)
