"""What one page of each status proves of a listing that shows no end.

In: the three pages, and what is held beside them. Out: a Finding about the pets that have a status,
or None, and the statuses that are held whole in any case. Pets without a status stay unknown.
"""

from __future__ import annotations

from petstore_frame.inventory.completeness import Assumption, Verdict
from petstore_frame.inventory.finding import (
    FROM_STATUSES,
    FROM_TOTAL,
    PETS_WITH_A_STATUS,
    Finding,
    complete,
)
from petstore_frame.inventory.shortness import Evidence
from petstore_frame.inventory.statuses import StatusPages, read_again
from petstore_frame.schema.models import PET_STATUSES


def judge_together(known: Evidence, statuses: StatusPages) -> tuple[Finding | None, frozenset[str]]:
    """Judge the pages of the statuses, all of whose pets are held."""
    exact = statuses.exact(known.reader.max_page)
    if len(exact) < len(PET_STATUSES) or statuses.conflicts:
        return None, exact
    if known.total.proves(len(known.rows)) and known.total.is_stated_again():
        return complete("the server's own total", *FROM_TOTAL), exact
    if statuses.moved is None:
        for page in read_again(known.reader, statuses):
            known.rows.update(page.columns)
        known.conflicts.extend(statuses.conflicts)
    if statuses.moved or known.rows.disputed & exact:
        return None, exact - (statuses.moved or frozenset())
    unread = () if statuses.moved is not None else (Assumption.NONE_CHANGES,)
    found = Finding(
        Verdict.COMPLETE,
        "each status page was shorter than a page that the store has filled",
        PETS_WITH_A_STATUS,
        (*FROM_STATUSES, *unread),
        exact,
    )
    return found, exact
