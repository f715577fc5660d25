"""What one rung of the ladder concludes about a listing.

In: a rung's verdict. Out: a Finding. It counts nothing and sends nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from petstore_frame.inventory.completeness import ALL_PETS, Assumption, Verdict


@dataclass(frozen=True)
class Finding:
    """What a rung concludes.

    Attributes:
        verdict: complete, incomplete, unknown or unstable.
        basis: The evidence, as text.
        scope: What the verdict is about.
        assumptions: What must hold of the store.
        exact: Statuses whose pets are all held, whatever the verdict on the whole.
    """

    verdict: Verdict
    basis: str
    scope: str = ALL_PETS
    assumptions: tuple[Assumption, ...] = ()
    exact: frozenset[str] = frozenset()


def complete(basis: str, *assumptions: Assumption) -> Finding:
    """Return the Finding that every pet of the listing is held."""
    return Finding(Verdict.COMPLETE, basis, assumptions=assumptions)
