"""How a count is written: exact, at least, as a share, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from petstore_frame.inventory import StatusCount

if TYPE_CHECKING:
    from petstore_frame.counts.tally import StatusCounts


def short(count: StatusCount) -> str:
    """Write a count where there is little room: ``100``, or ``≥ 100`` when it is a minimum."""
    return f"{count.count:,}" if count.is_exact else f"≥ {count.count:,}"


def exactness(count: StatusCount) -> str:
    """Return whether a count is exact or a minimum, as text."""
    return "exact" if count.is_exact else "at least"


def per_cent(part: int, whole: int) -> str:
    """Write a part as a percentage of a whole, or a dash where there is nothing to write.

    Example:
        >>> per_cent(1, 3), per_cent(1, 5000), per_cent(0, 0)
        ('33.3%', '< 0.1%', '–')
    """
    share = part / whole if whole else 0
    if not share:
        return "–"
    return "< 0.1%" if share < 0.0005 else f"{share:.1%}"


def categories_in_words(counts: StatusCounts) -> str:
    """Return the number of categories as text: ``1 category``, ``at least 5 categories``."""
    held = counts.categories
    return f"{held} {'category' if held.count == 1 else 'categories'}"
