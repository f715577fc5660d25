"""The facts that a reading can learn about a listing, their assumptions, and their verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import Enum, StrEnum
from typing import Any, NamedTuple, Self

from petstore_frame.schema import count_text


class Shows(StrEnum):
    """The conclusion that evidence allows about the pets in its scope.

    ``end``: all of them were read. ``missing``: some of them were not read. ``moved``: they changed
    while they were read. ``doubt``: the store hints at more pets, or its responses contradict each
    other. ``unclear``: nothing shows where they end.
    """

    END = "end"
    MISSING = "missing"
    MOVED = "moved"
    DOUBT = "doubt"
    UNCLEAR = "unclear"


class Assumption(StrEnum):
    """The assumptions about a store that a verdict can depend on; no listing can prove them."""

    FILLS_PAGES = "the store fills each page up to the requested limit"
    FILLS_PAGES_WITHOUT_STATUS = (
        "the store does not leave pets without a status out of a page that has room for them"
    )
    ONE_CAP = "the store has the same maximum page length for all its listings"
    LINKS_REACH_ALL = "the store's next links lead through the whole listing"
    OFFSETS_REACH_ALL = "the store returns every page that its listing has"
    LISTS_EVERY_STATUS = "the listing of all pets includes every status"
    LISTS_PETS_WITHOUT_STATUS = "the listing of all pets includes pets without a status"
    TOTAL_IS_TRUE = "the total that the store states is for this listing"
    KEEPS_ORDER = "the store keeps its pets in the same order from page to page"
    NONE_LEAVES = "no pet was removed while the listing was read"
    NONE_CHANGES = "no pet changed its status while the listing was read"
    NO_OLD_ANSWER = "no response showed an older state of the store than the responses before it"
    FILTER_IS_TRUE = "the status filter finds every pet with that status"


S = Shows
_FETCH_AGAIN = "Fetch it again when nobody is changing the store."
_FETCH_BY_STATUS = "Fetch each status separately, with the option status."
_FETCH_ALL = "Fetch all pets, and select those with this status."
_ASK_FOR_PAGING = "Ask the store's operator how to read the pages after the first."


# A table of facts: the conclusion, the sentence, and the next step.
# fmt: off
class Fact(Enum):
    """The facts that a reading can learn, each with its conclusion, sentence and next step.

    If several facts decide a verdict, the first one is its reason. In a sentence, ``{pets}`` is
    the count with its noun, ``{scope}`` the status, and ``{detail}`` a text from the store.
    """

    # Why the reading ended.
    CUT_BY_MAX_PETS = (S.MISSING, "max_pets ended the reading before the end of the listing.",
        "Raise max_pets or leave it out.")
    CHANGED_SINCE = (S.UNCLEAR, "The table was changed after it was read{detail}.",
        "Select rows with inventory.where(...), which keeps the completeness.")
    NO_RECORD = (S.UNCLEAR, "Nothing shows how the rows were read{detail}.",
        "Use an Inventory from fetch_inventory or read_inventory.")
    BROKE_OFF = S.MISSING, "The reading ended early, after page {count}.", "Fetch it again."
    OTHER_STORE = (S.MOVED, "The store identified itself as {detail}.",
        "Check that the address leads to one store.")
    # Totals that the store states.
    TOTAL_LARGER = (S.MISSING, "The store states {pets}, more than were read.", _FETCH_BY_STATUS)
    TOTAL_OF_ALL = (S.DOUBT, "The store states {pets}, possibly counting every status.",
        _FETCH_ALL)
    # Changes of the store while it was read.
    ONE_ID_TWICE = (S.MOVED, "The store returned id {count} with two names or categories.",
        "Look at that id in the store.")
    OLD_ANSWER = (S.MOVED, "Some responses came from a cache, up to {detail} older than others.",
        "Bypass the cache or fetch it again later.")
    ROWS_TWICE = S.MOVED, "The store returned {rows} twice.", _FETCH_AGAIN
    PETS_ADDED = (S.MOVED, "The store grew while it was read: {pets} appeared at the start.",
        _FETCH_AGAIN)
    PETS_LEFT = S.MOVED, "{pets} left the store while it was read.", _FETCH_AGAIN
    PAGE_CHANGED = (S.MOVED,
        "The store changed while it was read: {detail} differed when it was read again.",
        _FETCH_AGAIN)
    STATUS_MOVED = (S.MOVED,
        "A pet changed its status from or to {scope} while the store was read.",
        _FETCH_AGAIN)
    STILL_GROWS = (S.MOVED,
        "The store was still growing after {count} pages, so the rest was not read.",
        _FETCH_AGAIN)
    NOT_READ_AGAIN = (S.UNCLEAR,
        "Pages could not be read again, so pets that were read may have been removed.",
        _FETCH_AGAIN)
    PAGES_REPEAT = (S.UNCLEAR, "Page {count} repeats pets of earlier pages.", _FETCH_AGAIN)
    # A link that leads to another address takes precedence over the results of other strategies.
    LINK_NOT_FOLLOWED = (S.UNCLEAR, "The next page was not read: {detail}.",
        "If the same store is there, use that address as the base URL; otherwise, have the proxy "
        "fixed.")
    # The status filter, and the page of each status.
    FILTER_NOT_KEPT = (S.DOUBT, "A page of {scope} pets has {pets} with another status.",
        _FETCH_ALL)
    FILTER_LEFT_OUT = (S.DOUBT,
        "The page of {scope} pets left out {pets} that another response shows.",
        _FETCH_ALL)
    STATUSES_HOLD_MORE = (S.DOUBT,
        "The pages of the statuses have {pets} that the listing of all pets left out.",
        _FETCH_BY_STATUS)
    STATUS_PAGE_WHOLE = (S.END,
        "The page of {scope} pets is shorter than the longest page, so it was not cut short.", "")
    # Paging.
    LINKS_ENDED = (S.END,
        "The store linked each page to the next, and the last page had no further link.", "")
    NEXT_NOT_READ = (S.DOUBT, "The store names a next page that was not read{detail}.",
        _ASK_FOR_PAGING)
    WINDOWS_ENDED = (S.END,
        "The store accepts the parameter {detail}, and returned pages until none were left.", "")
    WINDOWS_STOPPED = (S.UNCLEAR,
        "No new pets after row {count}{detail}, and no sign that the list ends there.",
        _FETCH_BY_STATUS)
    # The length of one page.
    PAGE_CONFIRMED = (S.END,
        "All pets were on one page, and other pages show that it was not cut short.", "")
    PAGE_HAD_ROOM = S.END, "All pets were on one page, which had room for more.", ""
    LIMIT_IGNORED = (S.UNCLEAR,
        "The store ignores the limit, so a page of {pets} may not be the whole listing.",
        _FETCH_ALL)
    PAGE_FULL = (S.UNCLEAR, "The page was full, and the store offers no further page.",
        _ASK_FOR_PAGING)
    PAGE_MAY_BE_CUT = (S.UNCLEAR, "The page has {pets}: either all of them, or the store's page "
        "length.", _FETCH_ALL)

    def __init__(self, shows: Shows, sentence: str, next_step: str) -> None:
        self.shows, self.sentence, self.next_step = shows, sentence, next_step
# fmt: on

# Reasons of a listing that has no page after the first.
_ONE_PAGE = frozenset({Fact.LIMIT_IGNORED, Fact.PAGE_FULL, Fact.PAGE_MAY_BE_CUT})
# Not a change that was seen, but pets that were read may have been removed.
_POSSIBLE_REMOVALS = frozenset({Fact.NOT_READ_AGAIN, Fact.PAGES_REPEAT})


@dataclass(frozen=True)
class Evidence:
    """A fact that a reading learned about a listing; ``print`` shows it as a sentence.

    Attributes:
        fact: The fact.
        scope: The status that the fact is about; None for all requested pets.
        assumptions: Assumptions about the store that the fact depends on.
        count: The number of pets, rows or pages in the sentence.
        detail: The name or the text in the sentence.

    Example:
        >>> item = Evidence(Fact.TOTAL_LARGER, count=250)
        >>> print(item, item.shows)
        The store states 250 pets, more than were read. missing
    """

    fact: Fact
    scope: str | None = None
    assumptions: tuple[str, ...] = ()
    count: int = 0
    detail: str = ""

    @property
    def shows(self) -> Shows:
        """The conclusion: an end, missing pets, a change, a doubt, or nothing certain."""
        return self.fact.shows

    @property
    def is_contradiction(self) -> bool:
        """Whether it contradicts a complete listing."""
        return self.fact.shows not in (Shows.END, Shows.UNCLEAR)

    @property
    def next_step(self) -> str:
        """The next step; empty if there is nothing to do."""
        return self.fact.next_step

    @property
    def may_lower_counts(self) -> bool:
        """Whether pets that were read may have been removed, so that no count is a minimum."""
        return self.fact.shows is Shows.MOVED or self.fact in _POSSIBLE_REMOVALS

    def __str__(self) -> str:
        sentence = self.fact.sentence
        if "{" not in sentence:
            return sentence
        return sentence.format(
            count=f"{self.count:,}",
            pets=count_text(self.count, "pet"),
            rows=count_text(self.count, "row"),
            scope=self.scope or "the",
            detail=self.detail,
        )

    def __repr__(self) -> str:
        return f"<Evidence: {self}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as JSON values; ``text`` is the sentence."""
        return {
            **asdict(self),
            "fact": self.fact.name.lower(),
            "shows": str(self.fact.shows),
            "text": str(self),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the Evidence that ``to_dict`` converted.

        Raises:
            KeyError, TypeError, ValueError: A value is missing or invalid.
        """
        return cls(
            Fact[values["fact"].upper()],
            scope=values["scope"],
            assumptions=tuple(values["assumptions"]),
            count=int(values["count"]),
            detail=str(values["detail"]),
        )


def next_step(reason: Evidence, evidence: Iterable[Evidence], status: str | None) -> str:
    """Return what to do about the reason of a verdict that is not complete.

    A step that would lead back to the same answer is replaced: a status by itself has no more pages
    than with all pets, and all pets were not more than what was fetched.

    Args:
        reason: The evidence that decided the verdict.
        evidence: All evidence.
        status: The requested status, or None for all pets.
    """
    step = reason.fact.next_step
    is_one_page = any(item.fact in _ONE_PAGE for item in evidence)
    if step == _FETCH_BY_STATUS and (status is not None or is_one_page):
        return _ASK_FOR_PAGING
    if step == _FETCH_ALL and status is None:
        return _ASK_FOR_PAGING
    return step


class Verdict(StrEnum):
    """How much of the requested pets was read: all pets, or those of one status.

    ``complete``: all were read. ``incomplete``: some are certainly missing. ``unknown``: nothing
    proves either. ``unstable``: the listing changed while it was read.
    """

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    UNKNOWN = "unknown"
    UNSTABLE = "unstable"


# The first conclusion that occurs decides: no other evidence can undo a missing or moved pet.
_VERDICT_OF = {
    Shows.MISSING: Verdict.INCOMPLETE,
    Shows.MOVED: Verdict.UNSTABLE,
    Shows.DOUBT: Verdict.UNKNOWN,
    Shows.END: Verdict.COMPLETE,
}
_POSITIONS = {fact: position for position, fact in enumerate(Fact)}


class Finding(NamedTuple):
    """The verdict on all requested pets, and the evidence that decides it.

    ``exact`` has the statuses of which every pet was read, regardless of the verdict. ``inexact``
    has the statuses whose count is not exact even if the verdict is complete.
    """

    verdict: Verdict
    reason: Evidence | None
    assumptions: tuple[str, ...]
    exact: frozenset[str]
    inexact: frozenset[str]


def weigh(evidence: Iterable[Evidence]) -> Finding:
    """Combine evidence into a finding; order and duplicates do not matter.

    A contradiction can only weaken the finding: it never makes a listing complete or a count exact.
    """
    ranked = sorted(set(evidence), key=_rank)
    verdict, reason = _decide(ranked)
    moved = {item.scope for item in ranked if item.fact.shows is Shows.MOVED}
    refuted = {None, *(item.scope for item in ranked if item.is_contradiction)}
    end_of = dict[str, Evidence]()
    if None not in moved:  # otherwise, the rows may mix two states of the store
        ends = [item for item in reversed(ranked) if item.fact.shows is Shows.END]
        end_of = {str(item.scope): item for item in ends if item.scope not in refuted}
    assumptions: tuple[str, ...] = ()
    if reason is not None and verdict is not Verdict.UNKNOWN:
        assumptions = reason.assumptions
    for end in end_of.values():
        assumptions += end.assumptions
    unique = tuple(dict.fromkeys(assumptions))
    return Finding(verdict, reason, unique, frozenset(end_of), frozenset(filter(None, moved)))


def _decide(ranked: list[Evidence]) -> tuple[Verdict, Evidence | None]:
    """Return the verdict on all requested pets, and the evidence that decides it."""
    for shows, verdict in _VERDICT_OF.items():
        decisive = [item for item in ranked if item.scope is None and item.fact.shows is shows]
        if decisive and verdict is not Verdict.UNKNOWN:
            return verdict, decisive[0]
        if decisive:
            break
    unfollowed = [item for item in ranked if item.fact is Fact.LINK_NOT_FOLLOWED]
    doubts = [item for item in ranked if item.scope is None and item.fact.shows is Shows.DOUBT]
    contradictions = [item for item in ranked if item.is_contradiction]
    unclear = [item for item in ranked if item.fact.shows is Shows.UNCLEAR]
    reasons = [*unfollowed, *doubts, *contradictions, *unclear]
    return Verdict.UNKNOWN, reasons[0] if reasons else None


def _rank(evidence: Evidence) -> tuple[Any, ...]:
    """Return a sort key: the number of assumptions, then the order of ``Fact``."""
    assumptions = tuple(map(str, evidence.assumptions))
    about = (evidence.scope or "", evidence.count, evidence.detail)
    return (len(assumptions), _POSITIONS[evidence.fact], *about, assumptions)
