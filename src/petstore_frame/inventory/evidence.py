"""Weighs the evidence for a listing into one verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import Enum, StrEnum
from typing import Any, NamedTuple, Self

from petstore_frame.rendering import count_text


class Shows(StrEnum):
    """What evidence shows of the pets that it is about.

    ``end``: all of them were read. ``missing``: some of them were not read. ``moved``: they changed
    while they were read. ``doubt``: the store points to more, or its answers do not fit together.
    ``unclear``: where they end stays open.
    """

    END = "end"
    MISSING = "missing"
    MOVED = "moved"
    DOUBT = "doubt"
    UNCLEAR = "unclear"


class Verdict(StrEnum):
    """How much was read of what was asked for: all pets, or those of one status.

    ``complete``: every one was read. ``incomplete``: some are known to be missing. ``unknown``:
    nothing proves either. ``unstable``: the listing changed while it was read.
    """

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    UNKNOWN = "unknown"
    UNSTABLE = "unstable"


class Assumption(StrEnum):
    """What must hold of a store for a verdict to be true; no listing can prove these."""

    FILLS_PAGES = "the store fills each page up to the limit asked for"
    FILLS_PAGES_WITHOUT_STATUS = (
        "the store does not cut a page short of pets without a status of the interface"
    )
    ONE_CAP = "the store cuts all its listings at one length"
    LINKS_REACH_ALL = "the store's next links lead through the whole listing"
    OFFSETS_REACH_ALL = "the store's listing goes on as far as it was asked for"
    LISTS_EVERY_STATUS = "the listing of all pets leaves out no status"
    LISTS_PETS_WITHOUT_STATUS = (
        "the listing of all pets leaves out no pets without a status of the interface"
    )
    TOTAL_IS_TRUE = "the total that the store states is that of this listing"
    KEEPS_ORDER = "the store lists its pets in one order from page to page"
    NONE_LEAVES = "no pet left the listing while it was read (the interface shows no way out)"
    NONE_CHANGES = "no pet changed its status while the statuses were read"
    NO_OLD_ANSWER = "no answer showed an older state of the store than the answers before it"
    FILTER_IS_TRUE = "the status filter finds every pet of its status"


S = Shows


# A table: one line or two for each fact.
# fmt: off
class Fact(Enum):
    """Everything that can be learned: what it shows, and how a person reads it.

    The first of several facts that decide a verdict is its reason. In a sentence, ``{pets}`` is the
    count with its noun, ``{scope}`` the status, and ``{detail}`` a text of the store's or a name.
    """

    # What ended the reading.
    CUT_BY_MAX_PETS = S.MISSING, "max_pets ended the reading before the listing did."
    CHANGED_SINCE = S.UNCLEAR, "The table was changed after it was read{detail}."
    NO_RECORD = S.UNCLEAR, "Nothing is known of how the rows were read{detail}."
    BROKE_OFF = S.MISSING, "The reading broke off after page {count}."
    OTHER_STORE = S.MOVED, "The store called itself {detail}."
    # Totals that the store states.
    TOTAL_LARGER = S.MISSING, "The store states {pets}, more than were read."
    TOTAL_OF_ALL = S.DOUBT, "The store states {pets}, perhaps of every status together."
    # What shows that the store changed while it was read.
    ONE_ID_TWICE = S.MOVED, "Id {count} came with two names or categories."
    OLD_ANSWER = S.MOVED, "Some answers came from a cache, up to {detail} older than others."
    ROWS_TWICE = S.MOVED, "{rows} came twice."
    FIRST_PAGE_MOVED = S.MOVED, "The first page had changed when it was read again."
    PETS_LEFT = S.MOVED, "{pets} left the listing while it was read."
    STATUS_MOVED = S.MOVED, "A pet came once as {scope} and once with another status."
    STILL_GROWS = S.MOVED, "The store still grew after {count} pages; the rest was left unread."
    PAGES_REPEAT = S.UNCLEAR, "Page {count} repeats pets of the pages before it."
    # The status filter, and the page of each status.
    FILTER_NOT_KEPT = S.DOUBT, "A page of {scope} pets holds {pets} of another status."
    FILTER_LEFT_OUT = (S.DOUBT,
        "The page of {scope} pets left out {pets} that another answer shows.")
    STATUSES_HOLD_MORE = (S.DOUBT,
        "The pages of the statuses hold {pets} that the listing of all pets left out; to read "
        "them all, fetch each status by itself.")
    STATUS_PAGE_WHOLE = (S.END,
        "The page of {scope} pets is shorter than the store's longest page, so it was not cut.")
    # The ways from page to page.
    LINKS_ENDED = (S.END,
        "The store linked each page to the next, and the last page had no further link.")
    NEXT_NOT_READ = S.DOUBT, "The store names a next page that was not read{detail}."
    WINDOWS_ENDED = S.END, "The store goes on with {detail}=, and gave pages until none was left."
    WINDOWS_STOPPED = (S.UNCLEAR,
        "After row {count} no new pet came{detail}, and nothing shows that it is the last.")
    # The length of one page.
    PAGE_CONFIRMED = (S.END,
        "All came on one page, and the pages asked for beside it show that it was not cut.")
    PAGE_HAD_ROOM = S.END, "All pets came on one page that had room for more."
    PAGE_FULL = S.UNCLEAR, "The page was full, and the store shows no further one."
    PAGE_MAY_BE_CUT = (S.UNCLEAR,
        "The page has {pets}: so many there are, or so many the store puts on a page.")

    def __init__(self, shows: Shows, sentence: str) -> None:
        self.shows, self.sentence = shows, sentence
# fmt: on


@dataclass(frozen=True)
class Evidence:
    """One thing that was learned of a listing; ``print`` it for the sentence.

    Attributes:
        fact: What was learned; ``shows`` is its own.
        scope: The status that it is about, or None for all that was asked.
        assumptions: What must hold of the store for it to be so.
        count: A number of pets, rows or pages, as the fact has it.
        detail: A name or a text of the store's, as the fact has it.

    Example:
        >>> found = Evidence(Fact.TOTAL_LARGER, count=250)
        >>> print(found, found.shows)
        The store states 250 pets, more than were read. missing
    """

    fact: Fact
    scope: str | None = None
    assumptions: tuple[str, ...] = ()
    count: int = 0
    detail: str = ""

    @property
    def shows(self) -> Shows:
        """What it shows of the pets that it is about."""
        return self.fact.shows

    @property
    def is_contradiction(self) -> bool:
        """Whether it speaks against the listing being complete."""
        return self.shows not in (Shows.END, Shows.UNCLEAR)

    def __str__(self) -> str:
        return self.fact.sentence.format(
            count=f"{self.count:,}",
            pets=count_text(self.count, "pet"),
            rows=count_text(self.count, "row"),
            scope=self.scope or "the",
            detail=self.detail,
        )

    def __repr__(self) -> str:
        return f"<Evidence: {self}>"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values, the sentence under ``text``."""
        return {
            **asdict(self),
            "fact": self.fact.name.lower(),
            "shows": str(self.shows),
            "text": str(self),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return what ``to_dict`` wrote.

        Raises:
            KeyError, TypeError, ValueError: A value is missing, or is none of this version's.
        """
        return cls(
            Fact[values["fact"].upper()],
            scope=values["scope"],
            assumptions=tuple(values["assumptions"]),
            count=int(values["count"]),
            detail=str(values["detail"]),
        )


# The first kind that is there decides: what is missing or moved stays so, whatever else was seen.
_DECIDES = {
    Shows.MISSING: Verdict.INCOMPLETE,
    Shows.MOVED: Verdict.UNSTABLE,
    Shows.DOUBT: Verdict.UNKNOWN,
    Shows.END: Verdict.COMPLETE,
}
_PLACES = {fact: place for place, fact in enumerate(Fact)}


class Finding(NamedTuple):
    """What the evidence shows: the verdict on all that was asked, and the evidence that decides it.

    ``exact`` are the statuses of which every pet was read, whatever the verdict; ``inexact``
    those whose count is not exact, even where all was read.
    """

    verdict: Verdict
    reason: Evidence | None
    assumptions: tuple[str, ...]
    exact: frozenset[str]
    inexact: frozenset[str]


def weigh(evidence: Iterable[Evidence]) -> Finding:
    """Return what evidence comes to; neither its order nor repetition changes anything.

    A contradiction only ever weakens: it makes nothing complete and no count exact.
    """
    known = sorted(set(evidence), key=_rank)
    about_all = [each for each in known if each.scope is None]
    unclear = (each for each in known if each.shows is Shows.UNCLEAR)
    against = (each for each in known if each.is_contradiction)
    verdict, reason = Verdict.UNKNOWN, next(against, next(unclear, None))
    for shows, decided in _DECIDES.items():
        found = [each for each in about_all if each.shows is shows]
        if found:
            verdict, reason = decided, found[0]
            break
    exact = _exact(known)
    assumptions = () if reason is None or verdict is Verdict.UNKNOWN else reason.assumptions
    for ends in exact.values():
        assumptions += ends.assumptions
    inexact = {each.scope for each in known if each.scope and each.shows is Shows.MOVED}
    return Finding(
        verdict, reason, tuple(dict.fromkeys(assumptions)), frozenset(exact), frozenset(inexact)
    )


def _exact(known: list[Evidence]) -> dict[str, Evidence]:
    """Return the evidence of each status of which every pet was read."""
    if any(each.shows is Shows.MOVED and each.scope is None for each in known):
        return {}  # the rows may be of two states of the store
    refuted = {None, *(each.scope for each in known if each.is_contradiction)}
    ends = [each for each in known if each.shows is Shows.END and each.scope not in refuted]
    return {str(each.scope): each for each in reversed(ends)}


def _rank(evidence: Evidence) -> tuple[Any, ...]:
    """Order evidence: that with the fewest assumptions first, then as the facts are listed."""
    assumptions = tuple(map(str, evidence.assumptions))
    about = (evidence.scope or "", evidence.count, evidence.detail)
    return (len(assumptions), _PLACES[evidence.fact], *about, assumptions)
