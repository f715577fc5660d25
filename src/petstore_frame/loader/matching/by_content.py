"""Matches rows without a key with animals of equal content."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

from petstore_frame.loader.matching.values import Animal, Match, Row

_Other = TypeVar("_Other")


def match_equal_animals(rows: Sequence[Row], animals: Sequence[Animal]) -> list[Match]:
    """Pair rows with animals of equal content one to one, preferring the same status."""
    pairs = pair_equal(
        ((row.number, row.payload) for row in rows if row.content is not None),
        ((animal.payload, animal.id) for animal in animals),
    )
    used_animals = {*pairs.values()}
    pairs |= pair_equal(
        (
            (row.number, row.content)
            for row in rows
            if row.content is not None and row.number not in pairs
        ),
        ((animal.content, animal.id) for animal in animals if animal.id not in used_animals),
    )
    return [Match(row, animal) for row, animal in sorted(pairs.items())]


def pair_equal(
    rows: Iterable[tuple[int, Hashable]], others: Iterable[tuple[Hashable, _Other]]
) -> dict[int, _Other]:
    """Pair rows with values equal to theirs, one to one, in the order of both."""
    free: dict[Hashable, deque[_Other]] = defaultdict(deque)
    for value, other in others:
        free[value].append(other)
    return {number: free[value].popleft() for number, value in rows if free.get(value)}
