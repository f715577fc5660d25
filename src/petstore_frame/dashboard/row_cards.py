"""Shows the number of rows in each group as cards; the numbers add up to the file."""

from __future__ import annotations

from collections.abc import Mapping

from petstore_frame.loader import RowGroup
from petstore_frame.rendering import PAGE, Card, Markup

# Shown before sending even if they have no rows.
_ALWAYS_VISIBLE = (RowGroup.TO_SEND, RowGroup.ALREADY_LOADED, RowGroup.NEED_FIXING)


def group_title(group: RowGroup) -> str:
    """Return the title of a group of rows.

    Example:
        >>> group_title(RowGroup.NEED_FIXING)
        'Need fixing'
    """
    return group.text[:1].upper() + group.text[1:]


def cards_markup(
    groups: Mapping[RowGroup, int], notes: Mapping[RowGroup, str], *, is_sent: bool = False
) -> Markup:
    """Return a card per group of rows.

    Args:
        groups: The number of rows of each group.
        notes: The text under a number, by group.
        is_sent: Whether the file was sent; if not, some groups are shown even if they are empty.
    """
    always_visible = () if is_sent else _ALWAYS_VISIBLE
    return PAGE.cards(
        Card(group_title(group), f"{rows:,}", notes.get(group, ""))
        for group, rows in groups.items()
        if rows or group in always_visible
    )


def cards_text(groups: Mapping[RowGroup, int]) -> str:
    """Return the numbers of the cards in one line."""
    return " · ".join(f"{group_title(group)}: {rows:,}" for group, rows in groups.items() if rows)
