"""The claim about a listing: what was asked for, how much of it is held, and how that is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NoReturn, Self

from petstore_frame.inventory.evidence import Evidence

if TYPE_CHECKING:
    from petstore_frame.html import Markup

# How an earlier version wrote that a status was asked for.
_OF_STATUS = "pets with status "


class Verdict(StrEnum):
    """The four possible claims about what was asked for: all pets, or those of one status.

    ``complete``: every one is held. ``incomplete``: some are known to be missing. ``unknown``:
    nothing proves either. ``unstable``: the listing changed while it was read.
    """

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    UNKNOWN = "unknown"
    UNSTABLE = "unstable"


@dataclass(frozen=True, repr=False)
class StatusCount:
    """How many pets of one status are held, and whether that is all of them.

    Attributes:
        count: Pets held.
        is_exact: Whether the store has no more of them.

    Example:
        >>> StatusCount(1200, False)
        <StatusCount: at least 1,200>
    """

    count: int
    is_exact: bool

    def __str__(self) -> str:
        return f"{self.count:,}" if self.is_exact else f"at least {self.count:,}"

    def __repr__(self) -> str:
        return f"<StatusCount: {self}>"


@dataclass(frozen=True, repr=False)
class Completeness:
    """The claim about a listing; ``inventory.completeness`` has it.

    ``print`` it for the headline. In a script ask ``is_complete`` (is this all that was asked
    for?), ``covers_all`` (is this the whole store?), ``verdict``, or ``count("sold").is_exact``.

    Attributes:
        verdict: complete, incomplete, unknown or unstable.
        basis: How that is known, as a sentence.
        rows: Pets held.
        requests: Requests sent, questions beyond the listing included, repeats after a passing
            failure not.
        status: The status that was asked for, or None for all pets.
        assumptions: What must hold of the store for the claim to be true, as text.
        evidence: All that was learned, contradictions too; ``print`` each for its sentence.
        by_status: For each status of the interface, each other one seen, and ``no status``:
            the count, exact or at least.
        advertised_total: The total that the store stated for this listing, or None.

    Example:
        >>> claim = Completeness(Verdict.UNKNOWN, "The page was full.", 100, 1)
        >>> claim
        <Completeness: unknown: at least 100 pets>
        >>> Completeness.from_dict(claim.to_dict()) == claim
        True
    """

    verdict: Verdict
    basis: str
    rows: int
    requests: int
    status: str | None = None
    assumptions: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    by_status: Mapping[str, StatusCount] = field(default_factory=dict)
    advertised_total: int | None = None

    def __hash__(self) -> int:
        # The mapping, which has no hash, is left out: equal claims still have equal hashes.
        return hash((self.verdict, self.status, self.basis, self.rows, self.requests))

    def __post_init__(self) -> None:
        object.__setattr__(self, "verdict", Verdict(self.verdict))

    @property
    def is_complete(self) -> bool:
        """Whether every pet that was asked for is held: all, or those of the status asked."""
        return self.verdict is Verdict.COMPLETE

    @property
    def covers_all(self) -> bool:
        """Whether every pet of the store is held."""
        return self.is_complete and self.status is None

    @property
    def total(self) -> StatusCount:
        """The number of pets held, exact only when they are all of the store's."""
        return StatusCount(self.rows, self.covers_all)

    @property
    def contradictions(self) -> tuple[Evidence, ...]:
        """The evidence that speaks against a claim that all is held."""
        return tuple(each for each in self.evidence if each.is_contradiction)

    def count(self, status: str) -> StatusCount:
        """Return the count of a status, or of ``no status``; at least 0 when none was seen."""
        return self.by_status.get(status, StatusCount(0, self.covers_all))

    def counts_asked_for(self) -> dict[str, StatusCount]:
        """Return ``by_status`` without the statuses that were not asked for."""
        if self.status is None:
            return dict(self.by_status)
        return {self.status: self.count(self.status)}

    def __str__(self) -> str:
        what = "pets" if self.status is None else f"{self.status} pets"
        if self.rows == 1:
            what = what[:-1]
        if self.is_complete:
            return f"complete: {self.rows:,} {what}"
        if self.verdict is Verdict.UNSTABLE:
            return f"unstable: {self.rows:,} {what} read"
        if self.advertised_total is not None and self.advertised_total > self.rows:
            return f"{self.verdict}: {self.rows:,} of {self.advertised_total:,} {what}"
        return f"{self.verdict}: at least {self.rows:,} {what}"

    def __repr__(self) -> str:
        return f"<Completeness: {self}>"

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a claim has more than two values; ask .covers_all (the whole store), .is_complete "
            "(what was asked for) or .verdict"
        )

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self, note: str = "") -> Markup:
        """Return the claim for a notebook, its evidence folded in; ``note`` is a quiet line."""
        from petstore_frame.inventory.view import claim_html

        return claim_html(self, note)

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as plain JSON values, the headline under ``text``."""
        return {
            "verdict": str(self.verdict),
            "is_complete": self.is_complete,
            "status": self.status,
            "text": str(self),
            "basis": self.basis,
            "rows": self.rows,
            "requests": self.requests,
            "assumptions": list(map(str, self.assumptions)),
            "evidence": [each.to_dict() for each in self.evidence],
            "by_status": {
                status: {"count": entry.count, "is_exact": entry.is_exact}
                for status, entry in self.by_status.items()
            },
            "advertised_total": self.advertised_total,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the claim that ``to_dict`` wrote; what later versions add is left out.

        Raises:
            KeyError: A key that every version writes is missing.
            ValueError: The verdict is not one of the four.
        """
        verdict, status = Verdict(values["verdict"]), values.get("status")
        # An earlier version's verdict could be about a part of what was asked for.
        scope = str(values.get("scope", "all pets"))
        if scope.startswith(_OF_STATUS):
            status = scope.removeprefix(_OF_STATUS)
        elif scope != "all pets" and verdict is Verdict.COMPLETE:
            verdict = Verdict.UNKNOWN
        known = (Evidence.from_dict(each) for each in values.get("evidence", ()))
        return cls(
            verdict=verdict,
            basis=str(values["basis"]),
            rows=int(values["rows"]),
            requests=int(values["requests"]),
            status=status,
            assumptions=tuple(values.get("assumptions", ())),
            evidence=tuple(each for each in known if each is not None),
            by_status={
                name: StatusCount(int(entry["count"]), bool(entry["is_exact"]))
                for name, entry in values.get("by_status", {}).items()
            },
            advertised_total=values.get("advertised_total"),
        )
