"""Combines the evidence for a listing into one verdict."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NamedTuple

from petstore_frame.inventory.verdict.facts import Evidence, Fact, Shows


class Verdict(StrEnum):
    """How much of the requested pets was read: all pets, or those of one status.

    ``complete``: all were read. ``incomplete``: some are certainly missing. ``unknown``: nothing
    proves either. ``unstable``: the listing changed while it was read.
    """

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    UNKNOWN = "unknown"
    UNSTABLE = "unstable"


# The first conclusion that occurs decides: no other evidence can undo a missing or moved pet.
_VERDICT_OF = {
    Shows.MISSING: Verdict.INCOMPLETE,
    Shows.MOVED: Verdict.UNSTABLE,
    Shows.DOUBT: Verdict.UNKNOWN,
    Shows.END: Verdict.COMPLETE,
}
_POSITIONS = {fact: position for position, fact in enumerate(Fact)}


class Finding(NamedTuple):
    """The verdict on all requested pets, and the evidence that decides it.

    ``exact`` has the statuses of which every pet was read, regardless of the verdict. ``inexact``
    has the statuses whose count is not exact even if the verdict is complete.
    """

    verdict: Verdict
    reason: Evidence | None
    assumptions: tuple[str, ...]
    exact: frozenset[str]
    inexact: frozenset[str]


def weigh(evidence: Iterable[Evidence]) -> Finding:
    """Combine evidence into a finding; order and duplicates do not matter.

    A contradiction can only weaken the finding: it never makes a listing complete or a count exact.
    """
    ranked = sorted(set(evidence), key=_rank)
    verdict, reason = _decide(ranked)
    exact = _exact(ranked)
    assumptions: tuple[str, ...] = ()
    if reason is not None and verdict is not Verdict.UNKNOWN:
        assumptions = reason.assumptions
    for end in exact.values():
        assumptions += end.assumptions
    moved = {item.scope for item in ranked if item.scope and item.fact.shows is Shows.MOVED}
    unique = tuple(dict.fromkeys(assumptions))
    return Finding(verdict, reason, unique, frozenset(exact), frozenset(moved))


def _decide(ranked: list[Evidence]) -> tuple[Verdict, Evidence | None]:
    """Return the verdict on all requested pets, and the evidence that decides it."""
    for shows, verdict in _VERDICT_OF.items():
        decisive = [item for item in ranked if item.scope is None and item.fact.shows is shows]
        if decisive and verdict is not Verdict.UNKNOWN:
            return verdict, decisive[0]
        if decisive:
            break
    unfollowed = [item for item in ranked if item.fact is Fact.LINK_NOT_FOLLOWED]
    doubts = [item for item in ranked if item.scope is None and item.fact.shows is Shows.DOUBT]
    contradictions = [item for item in ranked if item.is_contradiction]
    unclear = [item for item in ranked if item.fact.shows is Shows.UNCLEAR]
    reasons = [*unfollowed, *doubts, *contradictions, *unclear]
    return Verdict.UNKNOWN, reasons[0] if reasons else None


def _exact(ranked: list[Evidence]) -> dict[str, Evidence]:
    """Return the evidence for each status of which every pet was read."""
    has_changed = any(item.fact.shows is Shows.MOVED and item.scope is None for item in ranked)
    if has_changed:
        return {}  # the rows may mix two states of the store
    refuted = {None, *(item.scope for item in ranked if item.is_contradiction)}
    ends = [item for item in ranked if item.fact.shows is Shows.END and item.scope not in refuted]
    return {str(item.scope): item for item in reversed(ends)}


def _rank(evidence: Evidence) -> tuple[Any, ...]:
    """Return a sort key: the number of assumptions, then the order of ``Fact``."""
    assumptions = tuple(map(str, evidence.assumptions))
    about = (evidence.scope or "", evidence.count, evidence.detail)
    return (len(assumptions), _POSITIONS[evidence.fact], *about, assumptions)
