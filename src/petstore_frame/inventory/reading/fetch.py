"""Fetches every pet that can be read: tries one strategy after another, and collects evidence.

| kind of store              | what is requested           | proves the end          | assumption  |
|----------------------------|-----------------------------|-------------------------|-------------|
| names the next page        | each next link              | a page without a link   | links reach |
| one short page, a filter   | a page of each status       | the same pets, and each | one cap,    |
| that is applied first      |                             | page is shorter         | filter true |
| understands a parameter    | windows that overlap by one | only the last row again | offsets     |
| (offset, after)            | row                         |                         | reach all   |
| understands page numbers   | page after page             | an empty page, a short  | offsets     |
|                            |                             | page again, a refusal   | reach all   |
|                            |                             | behind a short page     |             |
| one short page, obeys the  | a smaller limit             | the page had room       | fills pages |
| limit                      |                             |                         |             |
| one full page, short pages | a page of each status       | the end of each status, | one cap,    |
| of the statuses            |                             | not of all pets         | filter true |
| one full page, or ignores  | all of the above            | nothing                 |             |
| the limit                  |                             |                         |             |

Several pages also assume that the store keeps its order, and that no pet leaves or changes. A
larger total, a next page that was not read, rows that come twice and a page that changed refute an
end. A stated total never proves one. ``facts.Assumption`` has the assumptions in full.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from itertools import compress

from petstore_frame.errors import (
    PARTIAL_NOTE,
    ArgumentError,
    IncompleteInventoryError,
    PetstoreError,
)
from petstore_frame.inventory.frame.coverage import (
    Provenance,
    status_counts,
    with_bounds,
)
from petstore_frame.inventory.frame.inventory import Inventory, inventory_of
from petstore_frame.inventory.reading.page_fetcher import PageFetcher, ReadingClient
from petstore_frame.inventory.reading.reading_state import ReadingState
from petstore_frame.inventory.reading.single_page import (
    confirm_page,
    find_complete_statuses,
    trust_short_page,
    why_no_end,
)
from petstore_frame.inventory.reading.walks import follow_links, follow_parameter
from petstore_frame.inventory.verdict.completeness import Completeness
from petstore_frame.inventory.verdict.facts import Assumption, Evidence, Fact, Shows, Verdict, weigh
from petstore_frame.schema import NO_STATUS, PET_STATUSES, PetColumns, PetStatus, count_text
from petstore_frame.storage.progress import ProgressBar
from petstore_frame.transport import Page
from petstore_frame.validation import (
    checked_choice,
    checked_integer,
    nothing_sent,
    wrong_client,
)

log = logging.getLogger("petstore_frame.inventory")
# Ages are whole seconds, and a reading takes some time.
_AGE_TOLERANCE_S = 2.0


def fetch_inventory(
    client: ReadingClient,
    *,
    status: PetStatus | None = None,
    max_pets: int | None = None,
    progress: bool | Callable[[int], None] | None = None,
) -> Inventory:
    """Read all pets of a store, and state whether these are really all.

    The interface does not say how to get more than 100 pets. If the store offers a way (next
    links, headers, or a parameter that works), all pages are read. The evidence for the end of the
    listing is in ``.completeness``.

    Args:
        client: ``pf.Client(base_url, api_key)``, or ``server.client()`` for ``pf.serve()``.
        status: Only pets with this status: available, pending or sold; None reads all.
        max_pets: Maximum number of pets to read; None reads all. If the store has more, the
            verdict is incomplete.
        progress: True shows a progress bar, False does not, None does in a terminal or notebook;
            or a function that gets the number of pets read so far.

    Returns:
        An Inventory: ``.frame`` has one row per pet (``id`` int64, ``name`` str, ``category_id``
        int64, ``status`` category), and ``.completeness`` says what it covers.

    Raises:
        ArgumentError: An argument is invalid. Nothing was sent.
        IncompleteInventoryError: The reading failed after the first page; ``.partial`` has the
            pets that were read.
        KeyboardInterrupt: Ctrl-C ended the reading; ``.partial`` has the pets that were read, or is
            None.
        PetstoreError: The first page could not be read, as for ``Client.list_pets``.

    Example:
        >>> import petstore_frame as pf
        >>> with pf.serve(sample=250, seed=7) as server, server.client() as client:
        ...     inventory = pf.fetch_inventory(client)
        >>> print(inventory.completeness)
        complete: 250 pets
        >>> inventory.frame.columns.tolist()
        ['id', 'name', 'category_id', 'status']

    Interface: Endpoints, List all animals (pagination mechanism: not shown).
    """
    try:
        if not isinstance(client, ReadingClient):
            raise wrong_client(client)
        if status is not None:
            checked_choice("status", status, PET_STATUSES)
        cap = None if max_pets is None else checked_integer("max_pets", max_pets, 1)
        progress_bar = ProgressBar(progress, "Pets read")
    except ArgumentError as error:
        raise nothing_sent(error) from None
    fetcher = PageFetcher(client, status, progress_bar.note_wait)
    with progress_bar:
        state = ReadingState(
            fetcher,
            fetcher.page(fetcher.params(), number=1),
            is_enough=None if cap is None else lambda rows: len(rows) > cap,
            on_rows=lambda rows: progress_bar.show(rows, rows),
        )
        try:
            read_pets(state)
        except KeyboardInterrupt as interrupt:
            _keep_partial(interrupt, state, cap)
            raise
        except PetstoreError as problem:
            partial = _partial_inventory(state, cap)
            if partial is None:
                raise
            raise IncompleteInventoryError(_broke_off(state, problem), partial=partial) from problem
    return _to_inventory(state, cap)


def fetch_or_raise(
    client: ReadingClient,
    *,
    max_pages: float,
    on_rows: Callable[[int], object],
    on_wait: Callable[[float, bool], None] | None = None,
) -> Inventory:
    """Read every pet, or raise; for other parts of this package.

    Args:
        client: Sends the requests.
        max_pages: Maximum number of pages; a listing that reaches it is incomplete.
        on_rows: Called with the number of pets after each page; an error that it raises ends the
            reading.
        on_wait: Called before a retry with the seconds, and whether the store asked for them.

    Raises:
        PetstoreError: A page could not be read.
    """
    fetcher = PageFetcher(client, on_wait=on_wait)
    first = fetcher.page(fetcher.params(), number=1)
    state = ReadingState(fetcher, first, max_pages=max_pages, on_rows=on_rows)
    read_pets(state)
    return _to_inventory(state, broke_off=state.has_enough)


STRATEGIES: tuple[Callable[[ReadingState], list[Evidence]], ...] = (
    follow_links,
    confirm_page,
    follow_parameter,
    trust_short_page,
    find_complete_statuses,
    why_no_end,
)


def read_pets(state: ReadingState) -> None:
    """Read as much as possible; if the store fails, ``state`` has the pets read so far."""
    first, status = state.first, state.fetcher.status
    state.add_page(first.columns)
    mismatches = first.mismatches(status)
    if mismatches:
        state.evidence.append(Evidence(Fact.FILTER_NOT_KEPT, count=mismatches))
    try:
        for strategy in STRATEGIES:
            if state.has_enough or state.is_finished:
                break
            state.evidence += strategy(state)
        if not state.is_finished:
            state.evidence += _check_minimum(state)
    finally:
        left_out = state.count_left_out()
        if state.status_pages is not None and status is None:
            for page in state.status_pages.pages.values():
                state.rows.add(page.columns, is_earlier=True)
        state.evidence += _summarize(state, left_out)


def _check_minimum(state: ReadingState) -> list[Evidence]:
    """Read the pages again that the count comes from; return evidence that the store changed.

    Pets of several responses are a minimum only if the store had all of them at one moment: when it
    sent the last page, those of the pages before must still have been there. The pages of a walk
    are too many for that; its first page was read again at its end.
    """
    pages = state.status_pages
    has_changed = any(item.fact.shows is Shows.MOVED for item in state.evidence)
    if pages is None or state.fetcher.status is not None or has_changed:
        return []
    listed = set(state.rows.columns.id)
    added = [
        status for status, page in pages.pages.items() if not listed.issuperset(page.columns.id)
    ]
    if not added:
        return []
    if state.walk is not None and state.is_enough is not None:
        # The statuses were requested after the walk, when pets that it read may have left.
        return [Evidence(Fact.NOT_READ_AGAIN)]
    if state.walk is None:
        again = [(None, state.first), *((status, pages.pages[status]) for status in added[:-1])]
    else:
        again = [(status, pages.pages[status]) for status in added]
    return _compare_again(state.fetcher, again)


def _compare_again(
    fetcher: PageFetcher, pages: Iterable[tuple[str | None, Page]]
) -> list[Evidence]:
    """Read pages again, each of one status or of all; return evidence of the first change."""
    for status, page in pages:
        page_again = fetcher.read_again(fetcher.params(status=status))
        if page_again is None:
            return [Evidence(Fact.NOT_READ_AGAIN)]
        if page_again.columns.id != page.columns.id:
            detail = "the first page" if status is None else f"the page of {status} pets"
            return [Evidence(Fact.PAGE_CHANGED, detail=detail)]
    return []


def _summarize(state: ReadingState, left_out: int) -> list[Evidence]:
    """Return evidence from the totals, the rows, and the ids and ages of the responses."""
    evidence = []
    fetcher, rows = state.fetcher, state.rows
    if left_out:
        evidence.append(Evidence(Fact.STATUSES_HOLD_MORE, count=left_out))
    if state.status_pages is not None and fetcher.status is None:
        evidence += state.status_pages.contradictions
    total = state.stated_total() or 0
    if total > len(rows) and fetcher.status is None:
        assumptions = (Assumption.TOTAL_IS_TRUE, Assumption.NO_OLD_ANSWER)
        evidence.append(Evidence(Fact.TOTAL_LARGER, assumptions=assumptions, count=total))
    elif total > len(rows):
        evidence.append(Evidence(Fact.TOTAL_OF_ALL, count=total))
    age_difference_s = fetcher.oldest_s - fetcher.newest_s
    if age_difference_s > _AGE_TOLERANCE_S:
        evidence.append(Evidence(Fact.OLD_ANSWER, detail=f"{age_difference_s:,.0f} s"))
    if fetcher.conflicting_ids:
        evidence.append(Evidence(Fact.OTHER_STORE, detail=fetcher.conflicting_ids))
    evidence += [Evidence(Fact.STATUS_MOVED, status or NO_STATUS) for status in rows.disputed]
    if rows.ambiguous_id is not None:
        evidence.append(Evidence(Fact.ONE_ID_TWICE, count=rows.ambiguous_id))
    return evidence


def _keep_partial(interrupt: KeyboardInterrupt, state: ReadingState, max_pets: int | None) -> None:
    """Let Ctrl-C carry the pets that were read; it stays a plain KeyboardInterrupt."""
    partial = _partial_inventory(state, max_pets)
    interrupt.partial = partial  # type: ignore[attr-defined]
    if partial is not None:
        interrupt.add_note(PARTIAL_NOTE)


def _broke_off(state: ReadingState, cause: object) -> str:
    pets = count_text(len(state.rows), "pet")
    return f"the reading ended early, after page {state.pages_read} with {pets} read: {cause}"


def _partial_inventory(state: ReadingState, max_pets: int | None) -> Inventory | None:
    """Return the pets that were read before the reading ended early; None if there are none."""
    if len(state.rows) == 0:
        return None
    return _to_inventory(state, max_pets, broke_off=True)


def _without_ends(evidence: Iterable[Evidence]) -> list[Evidence]:
    return [item for item in evidence if item.shows is not Shows.END]


def _to_inventory(
    state: ReadingState, max_pets: int | None = None, *, broke_off: bool = False
) -> Inventory:
    """Return the requested pets, with the completeness that the evidence gives.

    Args:
        state: The reading.
        max_pets: Maximum number of pets, or None.
        broke_off: Whether the reading ended early, so that no evidence shows an end.
    """
    fetcher, columns = state.fetcher, state.rows.columns
    evidence = [*state.evidence]
    if broke_off:
        broken = Evidence(Fact.BROKE_OFF, count=state.pages_read)
        evidence = [broken, *_without_ends(evidence)]
    if fetcher.status is not None:
        columns, mismatches = _select_status(columns, fetcher.status)
        if mismatches:
            evidence.append(Evidence(Fact.FILTER_NOT_KEPT, count=mismatches))
    if max_pets is not None and len(columns.id) > max_pets:
        columns = columns.part(0, max_pets)
        evidence = [Evidence(Fact.CUT_BY_MAX_PETS), *_without_ends(evidence)]
    finding = weigh(evidence)
    total = state.stated_total()
    if fetcher.status is not None and total is not None and total > len(state.rows):
        total = None  # it may count pets of all statuses
    frame = columns.to_frame()
    counts, exact = status_counts(frame), finding.exact
    if finding.verdict is Verdict.COMPLETE:
        requested_statuses = counts if fetcher.status is None else [fetcher.status]
        exact = frozenset(requested_statuses) - finding.inexact
    unique_evidence = tuple(dict.fromkeys(evidence))
    completeness = Completeness(
        finding.verdict,
        "" if finding.reason is None else str(finding.reason),
        len(columns.id),
        fetcher.requests,
        status=fetcher.status,
        assumptions=finding.assumptions,
        evidence=unique_evidence,
        by_status=with_bounds(counts, exact, unique_evidence),
        advertised_total=total,
    )
    base_url = fetcher.client.base_url
    log.info("%s: %s, %d requests", base_url, completeness, completeness.requests)
    read_at = datetime.fromtimestamp(time.time() - fetcher.oldest_s, UTC)
    provenance = Provenance(base_url, read_at, fetcher.store_id)
    return inventory_of(frame, completeness, provenance)


def _select_status(columns: PetColumns, status: str) -> tuple[PetColumns, int]:
    """Return the pets with a status, and the number of pets with another status."""
    matches = [name == status for name in columns.status]
    mismatches = len(matches) - sum(matches)
    if mismatches == 0:
        return columns, 0
    return PetColumns(list(compress(column, matches)) for column in columns), mismatches
