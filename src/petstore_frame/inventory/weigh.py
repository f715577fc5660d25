"""What all evidence together shows of a listing: a pure function of values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from petstore_frame.inventory.completeness import Verdict
from petstore_frame.inventory.evidence import Evidence, Fact, Shows

# The first kind that is there decides: what is missing or moved stays so, whatever else was seen.
_DECIDES = (
    (Shows.MISSING, Verdict.INCOMPLETE),
    (Shows.MOVED, Verdict.UNSTABLE),
    (Shows.CONFLICT, Verdict.UNKNOWN),
    (Shows.MORE, Verdict.UNKNOWN),
    (Shows.END, Verdict.COMPLETE),
)
_PLACES = {fact: place for place, fact in enumerate(Fact)}


class Finding(NamedTuple):
    """What the evidence shows: the verdict on all that was asked, and the evidence that decides it.

    ``exact`` are the statuses of which every pet was read, whatever the verdict; ``inexact``
    those whose count is not exact, even where all was read.
    """

    verdict: Verdict
    basis: Evidence | None
    assumptions: tuple[str, ...]
    exact: frozenset[str]
    inexact: frozenset[str]


def weigh(evidence: Iterable[Evidence]) -> Finding:
    """Return what evidence comes to; neither its order nor repetition changes anything.

    A contradiction only ever weakens: it makes nothing complete and no count exact.
    """
    known = sorted(set(evidence), key=_rank)
    about_all = [each for each in known if each.scope is None]
    unclear = (each for each in known if each.shows is Shows.UNCLEAR)
    against = (each for each in known if each.is_contradiction)
    verdict, basis = Verdict.UNKNOWN, next(against, next(unclear, None))
    for shows, decided in _DECIDES:
        found = [each for each in about_all if each.shows is shows]
        if found:
            verdict, basis = decided, found[0]
            break
    exact = _exact(known)
    assumptions = () if basis is None or verdict is Verdict.UNKNOWN else basis.assumptions
    for ends in exact.values():
        assumptions += ends.assumptions
    inexact = {each.scope for each in known if each.scope and each.shows is Shows.MOVED}
    return Finding(
        verdict, basis, tuple(dict.fromkeys(assumptions)), frozenset(exact), frozenset(inexact)
    )


def _exact(known: list[Evidence]) -> dict[str, Evidence]:
    """Return the evidence of each status of which every pet was read."""
    if any(each.shows is Shows.MOVED and each.scope is None for each in known):
        return {}  # the rows may be of two states of the store
    refuted = {each.scope for each in known if each.is_contradiction}
    ends = [
        each for each in known if each.shows is Shows.END and each.scope not in (None, *refuted)
    ]
    return {str(each.scope): each for each in reversed(ends)}


def _rank(evidence: Evidence) -> tuple[int, int, str, int, str, tuple[str, ...]]:
    """Order evidence: that with the fewest assumptions first, then as the facts are listed."""
    place = _PLACES[evidence.fact]
    scope, assumptions = evidence.scope or "", tuple(map(str, evidence.assumptions))
    return len(assumptions), place, scope, evidence.count, evidence.detail, assumptions
