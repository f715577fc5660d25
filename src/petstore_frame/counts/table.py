"""How counts and shares read where there is little room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from petstore_frame.inventory import StatusCount

_SIGNS = {"exact": "", "at least": "≥ ", "about": "≈ "}


class Line(NamedTuple):
    """A category as it is shown, or several together (``is_rest``): counts by status, and all."""

    label: str
    category_id: int | None
    counts: tuple[StatusCount, ...]
    total: StatusCount
    is_rest: bool = False

    @property
    def cells(self) -> tuple[StatusCount, ...]:
        """The numbers of the line: by status, then the total."""
        return (*self.counts, self.total)


def short(count: StatusCount) -> str:
    """Write a count where there is little room: ``100``, ``≥ 100`` at least, ``≈ 100`` about."""
    return f"{_SIGNS[count.kind]}{count.count:,}"


def shares(parts: Sequence[int]) -> list[float]:
    """Return the share of each part in their sum, in steps of 0.001 that add up to 1.

    Rounded each by itself, three thirds would read as 99.9 %. So all are rounded down, and what
    is missing then goes to those that lost most. Of a part too small for a step it is the share.

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
    return [step / 1000 or part / whole for step, part in zip(steps, parts, strict=True)]


def share_text(share: float) -> str:
    """Return a share as text, a dash for nothing, and never ``0.0%`` for something.

    Example:
        >>> [share_text(share) for share in shares([1, 5000, 0])]
        ['< 0.1%', '100.0%', '–']
    """
    if 0 < share < 0.001:
        return "< 0.1%"
    return f"{share:.1%}" if share else "–"
