"""The completeness of a listing, and counts with their bounds; ``facts.weigh`` decides both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self, TypeAlias, cast

from petstore_frame.inventory.verdict.facts import Assumption, Evidence, Verdict, next_step
from petstore_frame.schema import NO_STATUS, PET_STATUSES
from petstore_frame.validation import checked_choice

if TYPE_CHECKING:
    from petstore_frame.rendering import Markup

# Whether the store has exactly, at least or about this many pets.
Bound: TypeAlias = Literal["exact", "at_least", "about"]
_SYMBOLS: dict[Bound, str] = {"exact": "", "at_least": "≥ ", "about": "≈ "}
_BOUND_TEXTS: dict[Bound, str] = {"exact": "", "at_least": "at least ", "about": "about "}


class StatusCount(int):
    """A number of pets, and whether the store has exactly, at least or about that many.

    It is an int: it compares, adds and sorts like one, and a format such as ``f"{count:,}"``
    shows the number alone. Sums and differences are plain ints. ``str`` marks what is not exact.
    Two StatusCounts are equal if the numbers and the bounds are.

    Args:
        count: Pets that were read.
        bound: ``exact``; ``at_least`` if the store may have more; ``about`` if the store changed
            while it was read, so that it may have more or fewer.

    Example:
        >>> count = StatusCount(1200, "at_least")
        >>> print(count, f"{count:,}", count.in_words, count > 1000, count.is_exact)
        ≥ 1,200 1,200 at least 1,200 True False
    """

    bound: Bound

    def __new__(cls, count: int, bound: Bound = "exact") -> Self:
        number = super().__new__(cls, count)
        number.bound = bound
        return number

    @property
    def count(self) -> int:
        """The number without its bound."""
        return int(self)

    @property
    def is_exact(self) -> bool:
        """Whether the store has exactly this number."""
        return self.bound == "exact"

    @property
    def in_words(self) -> str:
        """The number for a sentence: ``1,200``, ``at least 1,200`` or ``about 1,200``."""
        return f"{_BOUND_TEXTS[self.bound]}{int(self):,}"

    def __eq__(self, other: object) -> bool:
        is_same_bound = not isinstance(other, StatusCount) or self.bound == other.bound
        return is_same_bound and super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__

    def __getnewargs__(self) -> tuple[int, Bound]:  # type: ignore[override] # int has one
        return int(self), self.bound

    def __str__(self) -> str:
        return f"{_SYMBOLS[self.bound]}{int(self):,}"

    def __format__(self, spec: str) -> str:
        return format(int(self), spec) if spec else str(self)

    def __repr__(self) -> str:
        return f"<StatusCount: {self}>"


def inexact_bound(evidence: Iterable[Evidence]) -> Bound:
    """Return ``at_least``, or ``about`` if pets that were read may have left the store."""
    return "about" if any(item.may_lower_counts for item in evidence) else "at_least"


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
        >>> completeness = Completeness(Verdict.UNKNOWN, "The page was full.", 100, 1)
        >>> completeness
        <Completeness: unknown: at least 100 pets>
        >>> Completeness.from_dict(completeness.to_dict()) == completeness
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
        return StatusCount(self.rows, "exact" if self.is_complete else inexact_bound(self.evidence))

    @property
    def next_step(self) -> str:
        """What to do about the reason; empty if the verdict is complete."""
        if self.is_complete:
            return ""
        deciding = [item for item in self.evidence if str(item) == self.reason]
        return next_step(deciding[0], self.evidence, self.status) if deciding else ""

    @property
    def contradictions(self) -> tuple[Evidence, ...]:
        """The evidence that the listing is not complete."""
        return tuple(item for item in self.evidence if item.is_contradiction)

    def reasons(self) -> list[tuple[str, list[str]]]:
        """Return the reasons for the verdict as pairs of a heading and its sentences."""
        others = [item for item in self.evidence if str(item) != self.reason]
        sections = {
            "How we know" if self.is_complete else "Why": [self.reason],
            "What to do": [self.next_step],
            "Contradictions": [str(item) for item in others if item.is_contradiction],
            "This assumes": [f"{text[:1].upper()}{text[1:]}." for text in self.assumptions],
            "Other observations": [str(item) for item in others if not item.is_contradiction],
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
        return StatusCount(0, "exact" if self.covers_all else inexact_bound(self.evidence))

    @property
    def headline(self) -> str:
        """The number of pets and what they are, as text: ``at least 100 sold pets``."""
        noun = "pet" if self.rows == 1 else "pets"
        if self.status is not None:
            noun = f"{self.status} {noun}"
        if self.part:
            noun += f" with {self.part}"
        if self.is_complete:
            is_doubtful = self.rests_on_page_length and self.rows > 0
            doubt = ", if the store fills its pages" if is_doubtful else ""
            return f"{self.rows:,} {noun}{doubt}"
        if self.verdict is Verdict.UNSTABLE:
            return f"{self.rows:,} {noun} read"
        if self.advertised_total is not None and self.advertised_total > self.rows:
            return f"{self.rows:,} of {self.advertised_total:,} {noun}"
        return f"{StatusCount(self.rows, inexact_bound(self.evidence)).in_words} {noun}"

    def __str__(self) -> str:
        return f"{self.verdict}: {self.headline}"

    def __repr__(self) -> str:
        return f"<Completeness: {self}>"

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "completeness has more than two values; use .covers_all (the whole store), "
            ".is_complete (the pets you asked for) or .verdict"
        )

    def _repr_html_(self) -> str:
        from petstore_frame.rendering import in_notebook

        return in_notebook(completeness_html(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as JSON values; ``text`` is the verdict with the headline."""
        counts = self.by_status.items()
        return {
            **{item.name: getattr(self, item.name) for item in fields(self)},
            "is_complete": self.is_complete,
            "text": str(self),
            "by_status": {
                name: {"count": int(count), "bound": count.bound} for name, count in counts
            },
            "evidence": [item.to_dict() for item in self.evidence],
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
            str(name): StatusCount(count["count"], _checked_bound(count["bound"]))
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


def _checked_bound(text: Any) -> Bound:
    """Return a bound from JSON; raise a ValueError if the text is not a bound."""
    if text not in _SYMBOLS:
        raise ValueError(f"bound must be one of {', '.join(_SYMBOLS)}, got {text!r}")
    return cast("Bound", text)


def requested_counts(completeness: Completeness) -> dict[str, StatusCount]:
    """Return ``by_status``, or only the requested status."""
    status = completeness.status
    if status is None:
        return dict(completeness.by_status)
    return {status: completeness.count(status)}


def evidence_lines(completeness: Completeness) -> list[tuple[str, str]]:
    """Return the evidence for the verdict as pairs of a heading and a sentence, for a table."""
    total = completeness.advertised_total
    return [
        *((heading, line) for heading, lines in completeness.reasons() for line in lines),
        ("Requests sent", f"{completeness.requests:,}"),
        ("Total stated by the store", "none" if total is None else f"{total:,}"),
    ]


def headline_html(completeness: Completeness) -> Markup:
    """Return one line for a notebook: the verdict as a badge, then the headline."""
    from petstore_frame.rendering import PAGE, palette

    return PAGE.headline(palette.verdict_badge(completeness.verdict), completeness.headline)


def completeness_html(completeness: Completeness, note: str = "") -> Markup:
    """Return the headline, the counts and the folded evidence for a notebook.

    Args:
        completeness: What to show.
        note: A line in a muted color.
    """
    from petstore_frame.rendering import PAGE, palette, shorten
    from petstore_frame.schema import status_label

    counts = requested_counts(completeness)
    colors = palette.status_colors(counts)
    return PAGE.render(
        "inventory/verdict/completeness.html.j2",
        badge=palette.verdict_badge(completeness.verdict),
        headline=completeness.headline,
        note=note,
        counts=[
            (shorten(status_label(status)), colors[status], str(count))
            for status, count in counts.items()
        ],
        folds=completeness.reasons(),
    )
