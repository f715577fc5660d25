"""What a listing covers, and how that is known.

In: counts and evidence gathered by a fetch. Out: a Completeness, as text and as JSON.
It sends nothing and touches no frame; how it looks in a notebook is ``claim_view``'s business.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NoReturn, Self

from petstore_frame.html.markup import headline, quiet_lines
from petstore_frame.inventory.claim_view import counts_html, evidence_html
from petstore_frame.schema.palette import Badge, verdict_badge

# A conflict that begins with this concerns texts, and contradicts no count.
DAMAGED_TEXTS = "U+FFFD stands for a damaged character in the texts of"


class Verdict(StrEnum):
    """The four possible claims about a listing.

    Each is about what was asked for: all pets, or those of one status. ``complete``: every one is
    held. ``incomplete``: some are known to be missing. ``unknown``: nothing proves either.
    ``unstable``: the listing moved each time it was read.
    """

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    UNKNOWN = "unknown"
    UNSTABLE = "unstable"


class Assumption(StrEnum):
    """What must hold of a store for a claim about it to be true; no listing can prove these."""

    FILLS_PAGES = "the store fills each page up to the limit asked for"
    FILLS_PAGES_WITHOUT_STATUS = (
        "the store does not cut a page short of pets without a status of the interface"
    )
    ONE_CAP = "the store cuts all its listings at one length"
    LINKS_REACH_ALL = "the store's next links lead through the whole listing"
    OFFSETS_REACH_ALL = "the store's listing has no end that only deep pages meet"
    LISTS_EVERY_STATUS = "the unfiltered listing leaves out no status"
    LISTS_PETS_WITHOUT_STATUS = (
        "the unfiltered listing leaves out no pets without a status of the interface"
    )
    TOTAL_IS_TRUE = "the total that the store states is that of this listing"
    KEEPS_ORDER = "the store lists its pets in one order from page to page"
    NONE_LEAVES = "no pet left the listing while it was read (the interface shows no way out)"
    NONE_CHANGES = "no pet changed its status while the statuses were read"
    NO_OLD_ANSWER = "no answer showed an older state of the store than the answers before it"
    NO_OTHER_STATUS = "the store knows no status beyond available, pending and sold"
    FILTER_IS_TRUE = "the status filter finds every pet of its status"
    IDS_ANSWER_TRULY = "a 404 or 410 for an id means that there is no such pet"


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
        basis: How that is known, as text.
        rows: Pets held.
        requests: Requests sent, probes included, repeats after a passing failure not.
        status: The status that was asked for, or None for all pets.
        assumptions: What must hold of the store for the claim to be true, as text.
        by_status: For each status of the interface, each other one seen, and ``no status``:
            the count, exact or at least.
        advertised_total: The total that the store stated for this listing, or None.
        conflicts: Contradictions met, as text.
        probes: What was asked beyond the listing itself, and what came of it.
        probe_budget: How many such requests were allowed, or None when it does not apply.

    Example:
        >>> claim = Completeness(Verdict.UNKNOWN, "the page was full", 100, 1)
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
    by_status: Mapping[str, StatusCount] = field(default_factory=dict)
    advertised_total: int | None = None
    conflicts: tuple[str, ...] = ()
    probes: Mapping[str, str] = field(default_factory=dict)
    probe_budget: int | None = None

    def __hash__(self) -> int:
        # The mappings, which have no hash, are left out: equal claims still have equal hashes.
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

    def count(self, status: str) -> StatusCount:
        """Return the count of a status, or of ``no status``; at least 0 when none was seen."""
        return self.by_status.get(status, StatusCount(0, self.covers_all))

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

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self, note: str = "") -> str:
        """Return the claim for a notebook: badge, sentence, counts, and the evidence folded in.

        Args:
            note: A quiet line to put below the sentence.
        """
        return (
            f'<div style="line-height:1.5">{claim_line(self)}'
            f"{quiet_lines([note]) if note else ''}{counts_html(self.counts_asked_for())}"
            f"{evidence_html(self.conflicts, self.assumptions, self.probes)}</div>"
        )

    def counts_asked_for(self) -> dict[str, StatusCount]:
        """Return ``by_status`` without the statuses that were not asked for."""
        return (
            dict(self.by_status) if self.status is None else {self.status: self.count(self.status)}
        )

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a claim has more than two values; ask .covers_all (the whole store), .is_complete "
            "(what was asked for) or .verdict"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as plain JSON values, the sentence under ``text``."""
        return {
            "verdict": str(self.verdict),
            "is_complete": self.is_complete,
            "status": self.status,
            "basis": self.basis,
            "text": str(self),
            "rows": self.rows,
            "requests": self.requests,
            "assumptions": [str(assumption) for assumption in self.assumptions],
            "by_status": {
                status: {"count": entry.count, "is_exact": entry.is_exact}
                for status, entry in self.by_status.items()
            },
            "advertised_total": self.advertised_total,
            "conflicts": list(self.conflicts),
            "probes": dict(self.probes),
            "probe_budget": self.probe_budget,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the claim that ``to_dict`` wrote; keys of later versions are ignored.

        Raises:
            KeyError: A key that every version writes is missing.
            ValueError: The verdict is not one of the four.
        """
        verdict, status = Verdict(values["verdict"]), values.get("status")
        if "scope" in values:  # as earlier versions wrote it
            verdict, status = _of_scope(verdict, str(values["scope"]))
        return cls(
            verdict=verdict,
            status=status,
            basis=str(values["basis"]),
            rows=int(values["rows"]),
            requests=int(values["requests"]),
            assumptions=tuple(values.get("assumptions", ())),
            by_status={
                status: StatusCount(int(entry["count"]), bool(entry["is_exact"]))
                for status, entry in values.get("by_status", {}).items()
            },
            advertised_total=values.get("advertised_total"),
            conflicts=tuple(values.get("conflicts", ())),
            probes=dict(values.get("probes", {})),
            probe_budget=values.get("probe_budget"),
        )


def _of_scope(verdict: Verdict, scope: str) -> tuple[Verdict, str | None]:
    """Return the verdict and the status asked for of an earlier version's claim.

    Its verdict could be about a part of what was asked for, which then was not known to be whole.
    """
    if scope == "all pets":
        return verdict, None
    status = scope.removeprefix("pets with status ")
    if status != scope:
        return verdict, status
    return (Verdict.UNKNOWN if verdict is Verdict.COMPLETE else verdict), None


def claim_badge(claim: Completeness | None) -> Badge:
    """Return how a claim looks; None is a frame without one."""
    return verdict_badge(None if claim is None else claim.verdict)


def after_badge(claim: Completeness) -> str:
    """Return the headline of a claim without its verdict, which ``claim_badge`` shows."""
    return str(claim).removeprefix(f"{claim.verdict}: ")


def claim_line(claim: Completeness) -> str:
    """Return the claim as one line for a notebook: its badge, then the rest of its headline."""
    return headline(claim_badge(claim), after_badge(claim))
