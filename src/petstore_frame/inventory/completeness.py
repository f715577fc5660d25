"""What a listing covers, and how that is known.

In: counts and evidence gathered by a fetch. Out: a Completeness, in words and as JSON.
It sends nothing and touches no frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, NoReturn


class Verdict(StrEnum):
    """The four things that can be said of a listing."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    UNKNOWN = "unknown"
    UNSTABLE = "unstable"


@dataclass(frozen=True)
class StatusCount:
    """How many pets of one status are held, and whether that is all of them."""

    count: int
    is_exact: bool

    def __str__(self) -> str:
        return f"{self.count:,}" if self.is_exact else f"at least {self.count:,}"


@dataclass(frozen=True)
class Completeness:
    """The claim about a listing.

    Attributes:
        verdict: complete, incomplete, unknown or unstable.
        scope: What the verdict is about: ``all pets``, ``pets with a status``,
            ``pets with status sold``, ``ids 1 to 500``.
        basis: The evidence, in words.
        assumptions: What must hold of the store for the verdict to be true, in words.
        by_status: For each status, and for ``no status``: the count, exact or at least.
        rows: Pets held.
        requests: Requests sent, probes included.
        advertised_total: The total that the store stated, or None.
        conflicts: Contradictions met, in words.
        probes: Undocumented parameters tried, and what came of each.
    """

    verdict: Verdict
    scope: str
    basis: str
    rows: int
    requests: int
    assumptions: tuple[str, ...] = ()
    by_status: Mapping[str, StatusCount] = field(default_factory=dict)
    advertised_total: int | None = None
    conflicts: tuple[str, ...] = ()
    probes: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether every pet in the scope is held."""
        return self.verdict is Verdict.COMPLETE

    def __str__(self) -> str:
        if self.is_complete:
            return f"complete: {self.rows:,} pets ({self.basis})"
        return f"{self.verdict}: at least {self.rows:,} pets ({self.basis})"

    def __bool__(self) -> NoReturn:
        raise TypeError("a claim has more than two values; ask .verdict or .is_complete")

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as plain JSON values."""
        return asdict(self)
