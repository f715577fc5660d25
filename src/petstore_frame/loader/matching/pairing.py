"""Pairs equal values one to one."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable
from typing import TypeVar

_Other = TypeVar("_Other")


def pair_equal(
    rows: Iterable[tuple[int, Hashable]], others: Iterable[tuple[Hashable, _Other]]
) -> dict[int, _Other]:
    """Pair rows with values equal to theirs, one to one, in the order of both."""
    free: dict[Hashable, deque[_Other]] = defaultdict(deque)
    for value, other in others:
        free[value].append(other)
    return {number: free[value].popleft() for number, value in rows if free.get(value)}
