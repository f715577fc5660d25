"""What a listing covers, and how that is known.

In: counts and evidence gathered by a fetch. Out: a Completeness, as text and as JSON.
It sends nothing and touches no frame; how it looks in a notebook is ``claim_view``'s business.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NoReturn, Self

from petstore_frame.html.markup import headline, quiet_lines
from petstore_frame.inventory.claim_view import counts_html, evidence_html
from petstore_frame.schema.models import PET_STATUSES, pets_text
from petstore_frame.schema.palette import Badge, verdict_badge

ALL_PETS = "all pets"
PETS_WITH_A_STATUS = "pets with a status"
ONE_STATUS = "pets with status "
# A conflict that begins with this concerns texts, and contradicts no count.
DAMAGED_TEXTS = "U+FFFD stands for a damaged character in the texts of"


class Verdict(StrEnum):
    """The four possible claims about a listing.

    ``complete``: every pet in the scope is held. ``incomplete``: some are known to be missing.
    ``unknown``: nothing proves either. ``unstable``: the listing moved each time it was read.
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

    ``print`` it for the sentence. In a script ask ``covers_all`` (is this the whole store?),
    ``is_complete`` (is this all that was asked for, as ``scope`` names it?), ``verdict``, or
    ``count("sold").is_exact``.

    Attributes:
        verdict: complete, incomplete, unknown or unstable.
        scope: What the verdict is about: ``all pets``, ``pets with a status``,
            ``pets with status sold``, ``ids 1 to 500``.
        basis: The evidence, as text.
        rows: Pets held.
        requests: Requests sent, probes included, repeats after a passing failure not.
        assumptions: What must hold of the store for the claim to be true, as text.
        by_status: For each status of the interface, each other one seen, and ``no status``:
            the count, exact or at least.
        advertised_total: The total that the store stated for this listing, or None.
        conflicts: Contradictions met, as text.
        probes: What was asked beyond the listing itself, and what came of it.
        probe_budget: How many such requests were allowed, or None when it does not apply.
        rows_in_scope: Pets held within a scope of ids, or None for other scopes.

    Example:
        >>> claim = Completeness(Verdict.UNKNOWN, ALL_PETS, "the page was full", 100, 1)
        >>> claim
        <Completeness: unknown: at least 100 pets (the page was full)>
        >>> Completeness.from_dict(claim.to_dict()) == claim
        True
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
    probe_budget: int | None = None
    rows_in_scope: int | None = None

    def __hash__(self) -> int:
        # The mappings, which have no hash, are left out: equal claims still have equal hashes.
        return hash((self.verdict, self.scope, self.basis, self.rows, self.requests))

    def __post_init__(self) -> None:
        object.__setattr__(self, "verdict", Verdict(self.verdict))

    @property
    def is_complete(self) -> bool:
        """Whether every pet in the scope is held; ``covers_all`` asks about the whole store."""
        return self.verdict is Verdict.COMPLETE

    @property
    def covers_all(self) -> bool:
        """Whether every pet of the store is held."""
        return self.is_complete and self.scope == ALL_PETS

    @property
    def _is_in_part(self) -> bool:
        return self.is_complete and not self.covers_all

    @property
    def total(self) -> StatusCount:
        """The number of pets held, exact only when they are all of the store's."""
        return StatusCount(self.rows, self.covers_all)

    def count(self, status: str) -> StatusCount:
        """Return the count of a status, or of ``no status``; at least 0 when none was seen."""
        return self.by_status.get(status, StatusCount(0, self.covers_all))

    def __str__(self) -> str:
        held = pets_text(self.rows)
        if self.covers_all:
            return f"complete: {held} ({self.basis})"
        if self._is_in_part:
            return f"complete for {self.scope}: {self._within_scope()} ({self.basis})"
        scope = "" if self.scope == ALL_PETS else f" for {self.scope}"
        if self.verdict is Verdict.UNSTABLE:
            return f"unstable{scope}: {held} read ({self.basis})"
        if self.advertised_total is not None and self.advertised_total > self.rows:
            held = f"{self.rows:,} of {pets_text(self.advertised_total)}"
            return f"{self.verdict}{scope}: {held} ({self.basis})"
        return f"{self.verdict}{scope}: at least {held} ({self.basis})"

    def _within_scope(self) -> str:
        if self.scope == PETS_WITH_A_STATUS:
            counted = sum(self.count(status).count for status in PET_STATUSES)
            others = self.rows - counted
            return f"{pets_text(counted)}, and at least {others:,} without a known status"
        if self.rows_in_scope is None:
            return pets_text(self.rows)
        others = self.rows - self.rows_in_scope
        return f"{pets_text(self.rows_in_scope)}, and {others:,} with other ids"

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
        if not self.scope.startswith(ONE_STATUS):
            return dict(self.by_status)
        status = self.scope.removeprefix(ONE_STATUS)
        return {status: self.count(status)}

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "a claim has more than two values; ask .covers_all (the whole store), .is_complete "
            "(what was asked for, see .scope) or .verdict"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as plain JSON values, the sentence under ``text``."""
        return {
            "verdict": str(self.verdict),
            "scope": self.scope,
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
            "rows_in_scope": self.rows_in_scope,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the claim that ``to_dict`` wrote; keys of later versions are ignored.

        Raises:
            KeyError: A key that every version writes is missing.
            ValueError: The verdict is not one of the four.
        """
        return cls(
            verdict=Verdict(values["verdict"]),
            scope=str(values["scope"]),
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
            rows_in_scope=values.get("rows_in_scope"),
        )


def claim_badge(claim: Completeness | None) -> Badge:
    """Return how a claim looks; what is complete for a part of the store is not complete."""
    if claim is None:
        return verdict_badge(None)
    if claim.is_complete and not claim.covers_all:
        return replace(verdict_badge(Verdict.UNKNOWN), word=f"Complete for {claim.scope}")
    return verdict_badge(claim.verdict)


def after_badge(claim: Completeness) -> str:
    """Return the sentence of a claim without its beginning, which ``claim_badge`` shows."""
    is_in_part = claim.is_complete and not claim.covers_all
    shown = f"{claim.verdict} for {claim.scope}" if is_in_part else str(claim.verdict)
    return str(claim).removeprefix(shown).removeprefix(":").strip()


def claim_line(claim: Completeness) -> str:
    """Return the claim as one line for a notebook: its badge, then the rest of its sentence."""
    return headline(claim_badge(claim), after_badge(claim))
