"""What a verdict tells of the store, as values."""

from __future__ import annotations

from petstore_frame.inventory import Completeness, Fact


def facts(known: Completeness) -> set[Fact]:
    """Everything that was learned, whatever its numbers."""
    return {each.fact for each in known.evidence}


def count_of(known: Completeness, fact: Fact) -> int:
    """The number that a fact tells."""
    return next(each.count for each in known.evidence if each.fact is fact)


def detail_of(known: Completeness, fact: Fact) -> str:
    """The name or text that a fact tells."""
    return next(each.detail for each in known.evidence if each.fact is fact)
