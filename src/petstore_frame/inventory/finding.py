"""What one rung of the ladder concludes about a listing.

In: a rung's verdict. Out: a Finding. It counts nothing and sends nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from petstore_frame.inventory.completeness import Assumption, Verdict

ALL_PETS = "all pets"
PETS_WITH_A_STATUS = "pets with a status"

# What a listing that was read over several pages rests on.
HOLDS_STILL = (
    Assumption.KEEPS_ORDER,
    Assumption.NONE_LEAVES,
    Assumption.NONE_CHANGES,
)
FROM_TOTAL = (
    Assumption.TOTAL_IS_TRUE,
    Assumption.LISTS_EVERY_STATUS,
    Assumption.NONE_CHANGES,
)
FROM_STATUSES = (
    Assumption.ONE_CAP,
    Assumption.FILTER_IS_TRUE,
    Assumption.NO_OTHER_STATUS,
)

_STRONGER = {Assumption.LISTS_PETS_WITHOUT_STATUS: Assumption.FILLS_PAGES_WITHOUT_STATUS}


@dataclass(frozen=True)
class Finding:
    """What a rung concludes.

    Attributes:
        verdict: complete, incomplete, unknown or unstable.
        basis: The evidence, as text.
        scope: What the verdict is about.
        assumptions: What must hold of the store.
        exact: Statuses whose pets are all held, whatever the verdict on the whole.
        rows_in_scope: Pets held within a scope of ids, or None.
    """

    verdict: Verdict
    basis: str
    scope: str = ALL_PETS
    assumptions: tuple[str, ...] = ()
    exact: frozenset[str] = frozenset()
    rows_in_scope: int | None = None

    def provided(self, assumption: Assumption) -> Finding:
        """Return the same under one more assumption, unless those that it has say as much."""
        if _STRONGER.get(assumption, assumption) in self.assumptions:
            return self
        return replace(self, assumptions=(*self.assumptions, assumption))


def complete(basis: str, *assumptions: str) -> Finding:
    """Return the Finding that every pet of the listing is held."""
    return Finding(Verdict.COMPLETE, basis, assumptions=assumptions)
