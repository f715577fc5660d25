"""How counts and shares read on a screen, in a page and in a workbook."""

from __future__ import annotations

from collections.abc import Sequence

from petstore_frame.inventory import StatusCount


def short(count: StatusCount) -> str:
    """Write a count where there is little room: ``100``, or ``≥ 100`` when it is a minimum."""
    return f"{count.count:,}" if count.is_exact else f"≥ {count.count:,}"


def shares(parts: Sequence[int]) -> list[float]:
    """Return the share of each part in their sum, in steps of 0.001 that add up to 1.

    Rounded each by itself, three thirds would read as 99.9 %. So all are rounded down, and what
    is missing then goes to those that lost most.

    Example:
        >>> shares([1, 1, 1]), shares([0, 0])
        ([0.334, 0.333, 0.333], [0.0, 0.0])
    """
    whole = sum(parts)
    if not whole:
        return [0.0] * len(parts)
    steps = [part * 1000 // whole for part in parts]
    by_loss = sorted(range(len(parts)), key=lambda at: -(parts[at] * 1000 % whole))
    for at in by_loss[: 1000 - sum(steps)]:
        steps[at] += 1
    return [step / 1000 for step in steps]


def shares_in_words(parts: Sequence[int]) -> list[str]:
    """Return the shares as text, a dash for nothing, and never ``0.0%`` for something.

    Example:
        >>> shares_in_words([1, 5000, 0])
        ['< 0.1%', '100.0%', '–']
    """
    return [
        f"{share:.1%}" if share else "< 0.1%" if part else "–"
        for part, share in zip(parts, shares(parts), strict=True)
    ]
