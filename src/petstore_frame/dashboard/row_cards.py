"""Shows the number of rows in each group as cards; the numbers add up to the file."""

from __future__ import annotations

from collections.abc import Mapping

from petstore_frame.loader import RowGroup
from petstore_frame.rendering import PAGE, Card, Markup
from petstore_frame.schema import count_text

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
    groups: Mapping[RowGroup, int],
    notes: Mapping[RowGroup, str],
    *,
    animals: Mapping[RowGroup, int] | None = None,
    is_sent: bool = False,
) -> Markup:
    """Return a card per group of rows.

    Args:
        groups: The number of rows of each group.
        notes: The text under a number, by group.
        animals: The number of animals of each group, if a row may stand for several; None if not.
        is_sent: Whether the file was sent; if not, some groups are shown even if they are empty.
    """
    always_visible = () if is_sent else _ALWAYS_VISIBLE
    cards = []
    for group, rows in groups.items():
        count = 0 if animals is None else animals[group]
        in_rows = count_text(count, "animal") if count else ""
        note = "; ".join(filter(None, [in_rows, notes.get(group, "")]))
        if rows or count or group in always_visible:
            cards.append(Card(group_title(group), f"{rows:,}", note))
    return PAGE.cards(cards)


def cards_text(groups: Mapping[RowGroup, int]) -> str:
    """Return the numbers of the cards in one line."""
    return " · ".join(f"{group_title(group)}: {rows:,}" for group, rows in groups.items() if rows)
