"""What a page proves that is shorter than was asked for.

In: such a page, and what is held beside it. Out: a Finding, or None where the page was shown to
be cut, or may be. A store may cut its pages at a length of its own without a word, so a short
page alone is believed only where nothing that was asked beside it speaks against it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from petstore_frame.inventory.completeness import Assumption
from petstore_frame.inventory.finding import Finding, complete
from petstore_frame.inventory.hints import may_go_on
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.reader import PageReader
from petstore_frame.inventory.rows import Rows
from petstore_frame.inventory.statuses import (
    SMALLEST_CAP,
    USUAL_CAPS,
    StatusPages,
    filters_first,
    missed,
)
from petstore_frame.inventory.totals import StatedTotal
from petstore_frame.schema.models import pets_text


@dataclass(frozen=True)
class Evidence:
    """What is held of a listing, and what was met on the way.

    Attributes:
        reader: Asks for pages.
        rows: The pets held.
        conflicts: Contradictions met, as text.
        total: The total that the store stated.
        gone: Which pets were missing from a later answer that should have had them, as text.
    """

    reader: PageReader
    rows: Rows
    conflicts: list[str]
    total: StatedTotal
    gone: list[str] = field(default_factory=list)


def is_supported(finding: Finding, first: Page) -> bool:
    """Tell whether a Finding rests on more than the length of a short page."""
    return Assumption.FILLS_PAGES not in finding.assumptions and len(first) not in USUAL_CAPS


def judge_short_page(known: Evidence, first: Page, statuses: StatusPages | None) -> Finding | None:
    """Judge a page shorter than its limit; None when it was shown to be cut, or may be."""
    basis = "one page, shorter than its limit"
    count = len(first)
    if known.total.refutes(len(known.rows)):
        return None
    if known.conflicts or may_go_on(first):
        return None
    if known.reader.status is not None:
        return _judge_filtered_page(known, first)
    if statuses is not None and statuses.usable:
        if len(known.rows) > count:
            known.conflicts.append(
                f"the status pages hold {pets_text(len(known.rows) - count)} that a page of "
                f"{count} (fewer than its limit) left out"
            )
            return None
        if statuses.confirm_first():
            return complete(
                f"{basis}, and the status pages agree",
                Assumption.FILLS_PAGES_WITHOUT_STATUS,
                Assumption.ONE_CAP,
                Assumption.FILTER_IS_TRUE,
                Assumption.NONE_CHANGES,
            )
        if statuses.longest >= count >= SMALLEST_CAP:
            return None
    if count in USUAL_CAPS:
        return None
    return complete(basis, Assumption.FILLS_PAGES)


def _judge_filtered_page(known: Evidence, first: Page) -> Finding | None:
    whole = known.reader.unfiltered()
    if whole is not None:
        if left_out := missed(first, whole, known.reader.status or ""):
            known.conflicts.append(left_out)
            return None
        if len(whole) > len(first):
            if filters_first(known.reader, whole):
                return complete(
                    "one page, shorter than its limit and than the unfiltered page",
                    Assumption.ONE_CAP,
                    Assumption.FILTER_IS_TRUE,
                )
            if len(whole) >= known.reader.limit or len(whole) in USUAL_CAPS:
                return None
        elif len(first) >= SMALLEST_CAP:
            return None
    if len(first) in USUAL_CAPS:
        return None
    return complete("one page, shorter than its limit", Assumption.FILLS_PAGES)
