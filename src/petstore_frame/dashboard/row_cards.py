"""Shows how many rows of a file are in each group, as cards that add up to the file."""

from __future__ import annotations

from collections.abc import Mapping

from petstore_frame.loader import RowGroup
from petstore_frame.rendering import PAGE, Card, Markup

# Shown even if no row is in them.
_ALWAYS_SHOWN = (RowGroup.TO_SEND, RowGroup.ALREADY_LOADED, RowGroup.NEED_FIXING)


def group_title(group: RowGroup) -> str:
    """Return what a group of rows is called on a card.

    Example:
        >>> group_title(RowGroup.NEED_FIXING)
        'Need fixing'
    """
    return group.text[:1].upper() + group.text[1:]


def draw_cards(
    groups: Mapping[RowGroup, int], notes: Mapping[RowGroup, str], *, is_sent: bool = False
) -> Markup:
    """Return a card per group of rows.

    Args:
        groups: The number of rows of each group.
        notes: What to say under a number, by group.
        is_sent: Whether the file was sent; else the groups that decide that are always shown.
    """
    always_shown = () if is_sent else _ALWAYS_SHOWN
    return PAGE.cards(
        Card(group_title(group), f"{rows:,}", notes.get(group, ""))
        for group, rows in groups.items()
        if rows or group in always_shown
    )


def cards_text(groups: Mapping[RowGroup, int]) -> str:
    """Return the numbers of the cards in one line."""
    return " · ".join(f"{group_title(group)}: {rows:,}" for group, rows in groups.items() if rows)
