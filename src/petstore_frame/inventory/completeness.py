"""Holds what a listing covers; ``evidence.weigh`` decides the verdict."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn, Self

from petstore_frame.inventory.evidence import Assumption, Evidence, Verdict
from petstore_frame.inventory.status_count import Bound, StatusCount, checked_bound
from petstore_frame.schema import NO_STATUS, PET_STATUSES
from petstore_frame.validation import checked_choice

if TYPE_CHECKING:
    from petstore_frame.rendering import Markup


@dataclass(frozen=True, repr=False)
class Completeness:
    """What a listing covers; ``inventory.completeness`` returns it for the current rows.

    ``print`` shows the headline. In a script, use ``is_complete`` (are these all pets that you
    asked for?), ``covers_all`` (are these all pets of the store?), ``verdict``, or
    ``count("sold").is_exact``.

    Attributes:
        verdict: complete, incomplete, unknown or unstable.
        reason: The fact that decided the verdict, as a sentence.
        rows: Number of pets that were read.
        requests: Number of requests, including probes, not including retries.
        status: The status that you asked for, or None for all pets.
        part: The filter of ``inventory.where``, as text; the verdict is about the pets that pass
            it. Empty if there is no filter.
        assumptions: Assumptions about the store that the verdict depends on, as sentences.
        evidence: All evidence, including contradictions; ``print`` shows an item as a sentence.
        by_status: The count of each status of the interface, of each other status that was read,
            and of ``no status``.
        read: Number of pets that were read before the filter was applied; None without a filter.
        advertised_total: The total that the store stated for this listing, or None.

    Example:
        >>> known = Completeness(Verdict.UNKNOWN, "The page was full.", 100, 1)
        >>> known
        <Completeness: unknown: at least 100 pets>
        >>> Completeness.from_dict(known.to_dict()) == known
        True
    """

    verdict: Verdict
    reason: str
    rows: int
    requests: int
    status: str | None = None
    assumptions: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    by_status: Mapping[str, StatusCount] = field(default_factory=dict, hash=False)
    advertised_total: int | None = None
    part: str = ""
    read: int | None = None

    @property
    def is_complete(self) -> bool:
        """Whether all pets that you asked for were read."""
        return self.verdict is Verdict.COMPLETE

    @property
    def covers_all(self) -> bool:
        """Whether all pets of the store were read."""
        return self.is_complete and self.status is None and not self.part

    @property
    def rests_on_page_length(self) -> bool:
        """Whether the verdict assumes that a short page is the last one."""
        return Assumption.FILLS_PAGES in self.assumptions

    @property
    def total(self) -> StatusCount:
        """The number of pets that were read; exact if these are all that you asked for."""
        return StatusCount(self.rows, "exact" if self.is_complete else self._inexact_bound)

    @property
    def _inexact_bound(self) -> Bound:
        """``at_least``, or ``about`` if pets that were read may have left the store."""
        may_be_fewer = any(item.may_lower_counts for item in self.evidence)
        return "about" if may_be_fewer else "at_least"

    @property
    def next_step(self) -> str:
        """What to do about the reason; empty if the verdict is complete."""
        if self.is_complete:
            return ""
        steps = [item.next_step for item in self.evidence if str(item) == self.reason]
        return steps[0] if steps else ""

    @property
    def contradictions(self) -> tuple[Evidence, ...]:
        """The evidence that the listing is not complete."""
        return tuple(each for each in self.evidence if each.is_contradiction)

    def reasons(self) -> list[tuple[str, list[str]]]:
        """Return the reasons for the verdict as pairs of a heading and its sentences."""
        others = [item for item in self.evidence if str(item) != self.reason]
        sections = {
            "How we know" if self.is_complete else "Why": [self.reason],
            "What to do": [self.next_step],
            "What contradicts it": [str(item) for item in others if item.is_contradiction],
            "This assumes": [f"{text[:1].upper()}{text[1:]}." for text in self.assumptions],
            "What else was seen": [str(item) for item in others if not item.is_contradiction],
        }
        filled = {name: [line for line in lines if line] for name, lines in sections.items()}
        return [(name, lines) for name, lines in filled.items() if lines]

    def count(self, status: str) -> StatusCount:
        """Return the count of a status, or of ``no status``.

        Raises:
            ArgumentError: No pet can have this status: it is neither in the interface nor a
                status of a pet that was read.
        """
        checked_choice("status", status, dict.fromkeys([*PET_STATUSES, NO_STATUS, *self.by_status]))
        return self._count(status)

    def bound_of(self, status: str) -> Bound:
        """Return the bound of the count of this status, even if no such pet was read."""
        return self._count(status).bound

    def _count(self, status: str) -> StatusCount:
        """Return the count of any status; at least 0 if none was read."""
        if status in self.by_status:
            return self.by_status[status]
        return StatusCount(0, "exact" if self.covers_all else self._inexact_bound)

    def counts_asked_for(self) -> dict[str, StatusCount]:
        """Return ``by_status`` without the statuses that were not asked for."""
        if self.status is None:
            return dict(self.by_status)
        return {self.status: self._count(self.status)}

    @property
    def headline(self) -> str:
        """The number of pets and what they are, as text: ``at least 100 sold pets``."""
        noun = "pet" if self.rows == 1 else "pets"
        what = noun if self.status is None else f"{self.status} {noun}"
        if self.part:
            what += f" with {self.part}"
        if self.is_complete:
            return f"{self.rows:,} {what}"
        if self.verdict is Verdict.UNSTABLE:
            return f"{self.rows:,} {what} read"
        if self.advertised_total is not None and self.advertised_total > self.rows:
            return f"{self.rows:,} of {self.advertised_total:,} {what}"
        return f"{StatusCount(self.rows, self._inexact_bound).in_words} {what}"

    def __str__(self) -> str:
        return f"{self.verdict}: {self.headline}"

    def __repr__(self) -> str:
        return f"<Completeness: {self}>"

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "completeness has more than two values; ask .covers_all (the whole store), "
            ".is_complete (what was asked for) or .verdict"
        )

    def _repr_html_(self) -> str:
        from petstore_frame.rendering import in_notebook

        return in_notebook(self.to_html())

    def evidence_lines(self) -> list[tuple[str, str]]:
        """Return the reasons for the verdict as pairs of a heading and a sentence, for a table."""
        total = self.advertised_total
        return [
            *((name, line) for name, lines in self.reasons() for line in lines),
            ("Requests sent", f"{self.requests:,}"),
            ("Total stated by the store", "none" if total is None else f"{total:,}"),
        ]

    def to_line(self) -> Markup:
        """Return one line for a notebook: the verdict as a badge, then the headline."""
        from petstore_frame.rendering import PAGE, palette

        return PAGE.headline(palette.verdict_badge(self.verdict), self.headline)

    def to_html(self, note: str = "") -> Markup:
        """Return HTML with the evidence in a fold; ``note`` is a line in small print."""
        from petstore_frame.rendering import PAGE, palette, shorten
        from petstore_frame.schema import status_label

        counts = self.counts_asked_for()
        shades = palette.status_colors(counts)
        return PAGE.render(
            "inventory/completeness.html.j2",
            badge=palette.verdict_badge(self.verdict),
            words=self.headline,
            note=note,
            counts=[
                (shorten(status_label(status)), shades[status], str(count))
                for status, count in counts.items()
            ],
            folds=self.reasons(),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as JSON values; ``text`` is the verdict with the headline."""
        return {
            **asdict(self),
            "is_complete": self.is_complete,
            "text": str(self),
            "by_status": {name: count.to_dict() for name, count in self.by_status.items()},
            "evidence": [each.to_dict() for each in self.evidence],
        }

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> Completeness:
        """Return the Completeness that ``to_dict`` converted.

        Raises:
            KeyError, TypeError, ValueError: A value is missing or invalid.
        """
        if not isinstance(values["rows"], int) or not isinstance(values["requests"], int):
            raise TypeError("rows and requests must be whole numbers")
        by_status = {
            str(name): StatusCount(count["count"], checked_bound(count["bound"]))
            for name, count in values["by_status"].items()
        }
        return Completeness(
            verdict=Verdict(values["verdict"]),
            reason=values["reason"],
            rows=values["rows"],
            requests=values["requests"],
            status=values["status"],
            assumptions=tuple(values["assumptions"]),
            evidence=tuple(Evidence.from_dict(item) for item in values["evidence"]),
            by_status=by_status,
            advertised_total=values["advertised_total"],
            part=values["part"],
            read=values["read"],
        )

    @classmethod
    def of_counts(
        cls,
        counts: Mapping[str, int],
        verdict: Verdict = Verdict.UNKNOWN,
        reason: str = "",
        exact: Collection[str] = (),
        **more: Any,
    ) -> Self:
        """Return the completeness of these counts; those of the statuses ``exact`` are exact."""
        known = cls(verdict, reason, rows=sum(counts.values()), **{"requests": 0} | more)
        return replace(
            known,
            by_status={
                name: StatusCount(count, "exact" if name in exact else known._inexact_bound)
                for name, count in counts.items()
            },
        )

    @classmethod
    def unknown(
        cls, reason: Evidence, counts: Mapping[str, int], read: Completeness | None = None
    ) -> Self:
        """Return the completeness of rows that differ from those that were ``read``, if any."""
        told: dict[str, Any] = {"reason": str(reason), "evidence": (reason,)}
        if read is None:
            return cls.of_counts(counts, **told)
        # No more pets are counted than were read; rows added by hand were not.
        left = {name: min(n, int(read.by_status.get(name, 0))) for name, n in counts.items()}
        known = cls.of_counts(left, status=read.status, **told)
        return replace(known, rows=min(sum(counts.values()), read.rows))

    def of_part(self, part: str, counts: Mapping[str, int], wanted: Collection[str] | None) -> Self:
        """Return the completeness of the pets that pass a filter.

        Args:
            part: The filter, as text that follows "with".
            counts: Number of pets of each status that pass.
            wanted: The statuses that can pass; None for all.
        """
        verdict = self.verdict
        if wanted is not None and all(self._count(name).is_exact for name in wanted):
            verdict = Verdict.COMPLETE
        elif verdict is Verdict.INCOMPLETE or (self.is_complete and wanted is not None):
            verdict = Verdict.UNKNOWN  # the pets that are missing may be of this part, or not
        # A status that the filter leaves out has no pet in this part.
        exact = set() if wanted is None else counts.keys() - {*wanted}
        exact |= {name for name in counts if self._count(name).is_exact}
        return replace(
            self,
            verdict=verdict,
            rows=sum(counts.values()),
            by_status={
                name: StatusCount(count, "exact" if name in exact else self._inexact_bound)
                for name, count in counts.items()
            },
            advertised_total=None,
            part=" and ".join(filter(None, (self.part, part))),
            read=self.rows if self.read is None else self.read,
        )


def count_statuses(seen: Mapping[str | None, int]) -> dict[str, int]:
    """Put counts in order: the statuses of the interface, each other one, and ``no status`` last.

    Example:
        >>> count_statuses({"sold": 2, None: 1})
        {'available': 0, 'pending': 0, 'sold': 2, 'no status': 1}
    """
    counts: dict[str, int] = {status: seen.get(status, 0) for status in PET_STATUSES}
    others = sorted(str(name) for name, count in seen.items() if count and name is not None)
    counts |= {name: seen[name] for name in others}
    counts[NO_STATUS] = counts.pop(NO_STATUS, 0) + seen.get(None, 0)
    return counts
