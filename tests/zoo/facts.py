"""What a claim tells of the store, as values."""

from __future__ import annotations

from petstore_frame.inventory import Completeness, Fact


def facts(claim: Completeness) -> set[Fact]:
    """Everything that was learned, whatever its numbers."""
    return {each.fact for each in claim.evidence}


def count_of(claim: Completeness, fact: Fact) -> int:
    """The number that a fact tells."""
    return next(each.count for each in claim.evidence if each.fact is fact)


def detail_of(claim: Completeness, fact: Fact) -> str:
    """The name or text that a fact tells."""
    return next(each.detail for each in claim.evidence if each.fact is fact)
