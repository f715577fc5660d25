"""What a status or a verdict is called on screen, and in which colour.

The status colours are Okabe and Ito's, distinct under every common kind of colour blindness.
Each has one meaning everywhere and never stands without its name and its number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import cycle
from types import MappingProxyType

NO_STATUS_COLOUR = "#CC79A7"

STATUS_COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "available": "#0072B2",
        "pending": "#E69F00",
        "sold": "#767676",
        "no status": NO_STATUS_COLOUR,
    }
)

ACCENT = STATUS_COLOURS["available"]  # of what can be pressed, and of progress

# For statuses that the interface does not state.
OTHER_STATUS_COLOURS: tuple[str, ...] = ("#009E73", "#56B4E9", "#D55E00", "#F0E442")

# For groups that are not statuses, and for pets that came and went.
OTHER_HUES = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#767676",
    "#B8A900",
)
NEW_COLOUR, GONE_COLOUR = "#009E73", "#D55E00"

# Of a page or a workbook of its own: text, quiet text, lines, background, and bands on it.
INK, MUTED, RULE, PAPER, BAND = "#1F2933", "#5F6B7A", "#D5DBE1", "#FFFFFF", "#F6F8FA"
DARK_INK, DARK_MUTED, DARK_RULE, DARK_PAPER, DARK_BAND = (
    "#E6E9EC", "#A3ADB8", "#3A424B", "#16191D", "#20252B",
)  # fmt: skip


@dataclass(frozen=True)
class Badge:
    """How a verdict looks.

    Attributes:
        word: What it says.
        ink: Colour of the text; its contrast on ``fill`` is at least 4.5.
        fill: Colour behind the text.
        edge: Colour of the line around it.
    """

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
    """Return how a verdict looks; None where nothing was read.

    Example:
        >>> verdict_badge("incomplete").word, verdict_badge(None).word
        ('Incomplete', 'Coverage not known')
    """
    return VERDICT_BADGES.get(verdict, NO_CLAIM_BADGE) if verdict else NO_CLAIM_BADGE


def status_word(status: str | None) -> str:
    """Return what a status is called on screen; None is a pet without one.

    Example:
        >>> status_word("available"), status_word(None), status_word("")
        ('Available', 'No status', '(empty)')
    """
    text = "no status" if status is None else status or "(empty)"
    return text[:1].upper() + text[1:]


def status_colours(statuses: Iterable[str]) -> dict[str, str]:
    """Return the colour of each status, ``no status`` among them, in the order given.

    Statuses that the interface does not state take further colours in alphabetical order, so that
    the same statuses have the same colours wherever they are shown.

    Example:
        >>> status_colours(["sold", "on hold", "lost"])
        {'sold': '#767676', 'on hold': '#56B4E9', 'lost': '#009E73'}
    """
    shown = list(statuses)
    others = sorted({*shown} - {*STATUS_COLOURS})
    shades = {**STATUS_COLOURS, **dict(zip(others, cycle(OTHER_STATUS_COLOURS), strict=False))}
    return {status: shades[status] for status in shown}


def tint(colour: str, share: float) -> str:
    """Mix a colour with white.

    Args:
        colour: ``#RRGGBB``.
        share: How much of the colour stays, 0 (white) to 1.

    Example:
        >>> tint("#000000", 0.2)
        '#CCCCCC'
    """
    channels = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - value) * share):02X}" for value in channels)


def shorten(text: str, length: int = 80) -> str:
    """Cut a text that would take too much room, with an ellipsis in place of the end.

    Example:
        >>> shorten("Dwarf rabbits and hares", 8)
        'Dwarf r…'
    """
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
