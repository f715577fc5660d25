"""What can be said of a listing, before it is put into words for a reader.

In: a rung's verdict. Out: a Finding. It counts nothing and asks nobody.
"""

from __future__ import annotations

from dataclasses import dataclass

from petstore_frame.inventory.completeness import ALL_PETS, Assumption, Verdict


@dataclass(frozen=True)
class Finding:
    """What a rung can say.

    Attributes:
        verdict: complete, incomplete, unknown or unstable.
        basis: The evidence, in words.
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
    """Say that every pet of the listing is held."""
    return Finding(Verdict.COMPLETE, basis, assumptions=assumptions)
