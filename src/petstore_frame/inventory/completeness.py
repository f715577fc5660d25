"""States what a listing covers: how much of it was read, and the evidence for that."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self

from pydantic import TypeAdapter

from petstore_frame.inventory.evidence import Assumption, Evidence, Shows, Verdict
from petstore_frame.rendering import NO_STATUS
from petstore_frame.schema import PET_STATUSES

if TYPE_CHECKING:
    from petstore_frame.rendering import Markup


@dataclass(frozen=True, repr=False)
class StatusCount:
    """How many pets of one status were read, and whether the store has no more of them.

    ``is_least`` is False where pets left meanwhile: the store may have fewer.

    Example:
        >>> StatusCount(1200, False)
        <StatusCount: at least 1,200>
    """

    count: int
    is_exact: bool
    is_least: bool = True

    @property
    def kind(self) -> Literal["exact", "at least", "about"]:
        """What the number is, as a word: ``about`` where pets left meanwhile."""
        if self.is_exact:
            return "exact"
        return "at least" if self.is_least else "about"

    def __str__(self) -> str:
        return f"{self.count:,}" if self.is_exact else f"{self.kind} {self.count:,}"

    def __repr__(self) -> str:
        return f"<StatusCount: {self}>"


@dataclass(frozen=True, repr=False)
class Completeness:
    """What a listing covers: ``inventory.completeness``, true of the frame as it is now.

    ``print`` it for the headline. In a script ask ``is_complete`` (is this all that was asked
    for?), ``covers_all`` (is this the whole store?), ``verdict``, or ``count("sold").is_exact``.

    Attributes:
        verdict: complete, incomplete, unknown or unstable.
        basis: How that is known, as a sentence.
        rows: Pets read.
        requests: Requests sent, with questions beyond the listing, without repeats after a passing
            failure.
        status: The status that was asked for, or None for all pets.
        part: The filter of ``inventory.where``, as text; the verdict is about the pets that it
            leaves. Empty for all that was asked for.
        assumptions: What must hold of the store for the verdict to be true, as text.
        evidence: All that was learned, contradictions too; ``print`` each for its sentence.
        by_status: For each status of the interface, each other one seen, and ``no status``:
            the count, exact or at least.
        read: Pets read before that filter, None without one.
        advertised_total: The total that the store stated for this listing, or None.

    Example:
        >>> known = Completeness(Verdict.UNKNOWN, "The page was full.", 100, 1)
        >>> known
        <Completeness: unknown: at least 100 pets>
        >>> Completeness.from_dict(known.to_dict()) == known
        True
    """

    verdict: Verdict
    basis: str
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
        """Whether every pet that was asked for was read."""
        return self.verdict is Verdict.COMPLETE

    @property
    def covers_all(self) -> bool:
        """Whether every pet of the store was read."""
        return self.is_complete and self.status is None and not self.part

    @property
    def rests_on_page_length(self) -> bool:
        """Whether a page had to be believed to end the listing because it was short."""
        return Assumption.FILLS_PAGES in self.assumptions

    @property
    def total(self) -> StatusCount:
        """The number of pets read, exact only when the store has no more of any status."""
        is_exact = self.is_complete and self.status is None
        return StatusCount(self.rows, is_exact, self.is_least)

    @property
    def is_least(self) -> bool:
        """Whether nothing shows that the listing changed, so that what was read is still there."""
        return not any(each.shows is Shows.MOVED and each.scope is None for each in self.evidence)

    @property
    def contradictions(self) -> tuple[Evidence, ...]:
        """The evidence against the listing being complete."""
        return tuple(each for each in self.evidence if each.is_contradiction)

    def reasons(self) -> list[tuple[str, list[str]]]:
        """Return what the verdict rests on, in plain words: a heading and its sentences, each."""
        beside = [each for each in self.evidence if str(each) != self.basis]
        named = {
            "How it is known" if self.is_complete else "Why": [self.basis] if self.basis else [],
            "What contradicts it": [str(each) for each in beside if each.is_contradiction],
            "What is assumed": [f"{text[:1].upper()}{text[1:]}." for text in self.assumptions],
            "What else was seen": [str(each) for each in beside if not each.is_contradiction],
        }
        return [(name, lines) for name, lines in named.items() if lines]

    def count(self, status: str) -> StatusCount:
        """Return the count of a status, or of ``no status``; at least 0 when none was seen."""
        return self.by_status.get(status, StatusCount(0, self.total.is_exact, self.is_least))

    def counts_asked_for(self) -> dict[str, StatusCount]:
        """Return ``by_status`` without the statuses that were not asked for."""
        if self.status is None:
            return dict(self.by_status)
        return {self.status: self.count(self.status)}

    @property
    def headline(self) -> str:
        """What was read, as it stands behind the verdict."""
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
        return f"{'at least' if self.is_least else 'about'} {self.rows:,} {what}"

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
        """Return what the verdict rests on as pairs of a word and a sentence, for a table."""
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
        """Return it for a notebook, its evidence folded in; ``note`` is a quiet line."""
        from petstore_frame.rendering import PAGE, palette, shorten, status_word

        counts = self.counts_asked_for()
        shades = palette.status_colours(counts)
        return PAGE.render(
            "inventory/completeness.html.j2",
            badge=palette.verdict_badge(self.verdict),
            words=self.headline,
            note=note,
            counts=[
                (shorten(status_word(status)), shades[status], str(count))
                for status, count in counts.items()
            ],
            folds=self.reasons(),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values, the headline under ``text``."""
        return {
            **asdict(self),
            "is_complete": self.is_complete,
            "text": str(self),
            "evidence": [each.to_dict() for each in self.evidence],
        }

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> Completeness:
        """Return what ``to_dict`` wrote.

        Raises:
            KeyError, ValueError: A value is missing, or is none of this version's.
        """
        return _adapter().validate_python(values)

    @classmethod
    def of_counts(
        cls,
        counts: Mapping[str, int],
        verdict: Verdict = Verdict.UNKNOWN,
        basis: str = "",
        exact: Collection[str] = (),
        **more: Any,
    ) -> Self:
        """Return what is known of so many pets of each status; the counts of ``exact`` are so."""
        known = cls(verdict, basis, rows=sum(counts.values()), **{"requests": 0} | more)
        return replace(
            known,
            by_status={
                name: StatusCount(count, name in exact, known.is_least)
                for name, count in counts.items()
            },
        )

    @classmethod
    def unknown(
        cls, reason: Evidence, counts: Mapping[str, int], read: Completeness | None = None
    ) -> Self:
        """Return what is known of rows that were not read, or not as ``read`` says, with why."""
        told: dict[str, Any] = {"basis": str(reason), "evidence": (reason,)}
        if read is None:
            return cls.of_counts(counts, **told)
        # No more pets are counted than were read; rows added by hand were not.
        left = {name: min(n, read.count(name).count) for name, n in counts.items()}
        known = cls.of_counts(left, status=read.status, **told)
        return replace(known, rows=min(sum(counts.values()), read.rows))

    def of_part(self, part: str, counts: Mapping[str, int], wanted: Collection[str] | None) -> Self:
        """Return what is known of the pets that pass a filter.

        ``part`` is the filter, as text that follows "with"; ``counts`` has the pets of each status
        that pass, and ``wanted`` the statuses that can pass, None for all.
        """
        verdict = self.verdict
        if wanted is not None and all(self.count(name).is_exact for name in wanted):
            verdict = Verdict.COMPLETE
        elif verdict is Verdict.INCOMPLETE or (self.is_complete and wanted is not None):
            verdict = Verdict.UNKNOWN  # the pets that are missing may be of this part, or not
        # A status that the filter leaves out has no pet in this part.
        exact = set() if wanted is None else counts.keys() - {*wanted}
        exact |= {name for name in counts if self.count(name).is_exact}
        return replace(
            self,
            verdict=verdict,
            rows=sum(counts.values()),
            by_status={n: StatusCount(c, n in exact, self.is_least) for n, c in counts.items()},
            advertised_total=None,
            part=" and ".join(filter(None, (self.part, part))),
            read=self.rows if self.read is None else self.read,
        )


@cache
def _adapter() -> TypeAdapter[Completeness]:
    return TypeAdapter(Completeness)


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
