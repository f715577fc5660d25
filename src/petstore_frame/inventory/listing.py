"""One listing of a store: what is held of it, and how it is read through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from petstore_frame._internal.arguments import MAX_LIMIT
from petstore_frame.errors import APIStatusError
from petstore_frame.inventory.asking import Asker
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact, Shows
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.rows import Rows
from petstore_frame.inventory.single_pages import StatusPages
from petstore_frame.inventory.totals import StatedTotal
from petstore_frame.inventory.walk import Walk
from petstore_frame.schema.models import PET_STATUSES

# What a listing that was read over several pages rests on.
HOLDS_STILL = (Assumption.KEEPS_ORDER, Assumption.NONE_LEAVES, Assumption.NONE_CHANGES)
# What a store answers for a place in its listing that it no longer keeps.
_EXPIRED = (400, 404, 410, 422)


class Listing:
    """The pets of a store, or those of one status, as far as they were read.

    Attributes:
        may_probe: Whether anything beyond the interface may be asked or believed.
        is_enough: Whether to stop with the pets held, asked after each page; None reads on.
        walk: The way through the listing that was found, or None.
        is_announced: Whether that is the store's own way.
        statuses: A page of each status, once they were asked for.
        evidence: What was learned so far.
        gone, left_out: Pets that did not come again, and pets that only the statuses' pages have.
    """

    first: Page

    def __init__(
        self,
        ask: Asker,
        *,
        may_probe: bool,
        is_enough: Callable[[Rows], bool] | None = None,
        on_rows: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.ask = ask
        self.may_probe = may_probe
        self.is_enough = is_enough
        self.rows = Rows()
        self.total = StatedTotal(ask)
        self.walk: Walk | None = None
        self.is_announced = False
        self.evidence: list[Evidence] = []
        self.statuses: StatusPages | None = None
        self.gone = 0
        self.left_out = 0
        self._on_rows = on_rows
        self._is_open = False
        self._refused_at = 0
        self._looked_back: list[Evidence] | None = None

    @property
    def has_enough(self) -> bool:
        """Whether more is held than the caller's cap, or all that the caller looks for."""
        return self.is_enough is not None and self.is_enough(self.rows)

    @property
    def is_contradicted(self) -> bool:
        """Whether anything met so far speaks against the listing being held, or its filter."""
        notes = [] if self.statuses is None else self.statuses.notes
        return any(each.is_contradiction for each in (*self.evidence, *notes))

    def has(self, shows: Shows) -> bool:
        """Tell whether anything met so far shows this of all that was asked."""
        return any(each.scope is None and each.shows is shows for each in self.evidence)

    def end(self, fact: Fact, *assumptions: str, **values: Any) -> Evidence:
        """Return evidence of an end, with what any end rests on besides its own assumptions."""
        known = dict.fromkeys(assumptions)
        if self.ask.status is not None:
            known[Assumption.FILTER_IS_TRUE] = None
        elif "scope" not in values:
            statuses = self.status_pages()
            rest = Assumption.LISTS_EVERY_STATUS if statuses is None else statuses.reserve
            # The second says no more than the first.
            said = (Assumption.FILLS_PAGES_WITHOUT_STATUS, Assumption.LISTS_PETS_WITHOUT_STATUS)
            if not (said[0] in known and rest is said[1]):
                known[rest] = None
        if self.ask.requests > 1:
            known[Assumption.NO_OLD_ANSWER] = None
        return Evidence(fact, assumptions=tuple(known), **values)

    @property
    def pages(self) -> int:
        """Pages read of the listing itself."""
        return self.walk.pages if self.walk is not None else min(1, len(self.rows))

    def note(self, rows: Rows) -> None:
        """Report progress."""
        self._on_rows(len(rows))

    # -- the first page

    def open(self) -> None:
        """Read the first page, as widely as allowed where nothing leads beyond it."""
        if self._is_open:
            return
        page = self._take_first(self.ask.page(self.ask.params(), number=1))
        is_bare = len(page) >= (page.limit or 0) and not page.stated.names_next
        if self.ask.limit < MAX_LIMIT and is_bare and not self.has_enough:
            page = self._wider(page) or page
        self.begin_with(page)
        self._is_open = True  # not before: the narrow page is not the listing of the wider limit

    def begin_with(self, page: Page) -> None:
        """Let the listing begin with a page, under the limit by which it came."""
        self.first = page
        self.ask.limit = page.limit or self.ask.limit

    def _wider(self, narrow: Page) -> Page | None:
        """Ask for the widest page that the interface allows, which may be a whole listing."""
        try:
            wide = self._take_first(self.ask.page(self.ask.params(limit=MAX_LIMIT), number=1))
        except APIStatusError as problem:
            if problem.status_code not in (400, 422):
                raise
            self.ask.troubles.append(Evidence(Fact.QUESTION_FAILED, detail=str(problem)))
            return None
        self.gone += len({*narrow.columns.id} - {*wide.columns.id})
        return wide

    def _take_first(self, page: Page) -> Page:
        self.rows.add(page.columns)
        if self.may_probe:
            self.total.take(page.stated)
        if page.strays(self.ask.status):
            self.total.drop()  # it counts those as well
        self.note(self.rows)
        return page

    # -- the pages of the statuses

    def status_pages(self) -> StatusPages | None:
        """Return a page of each status, where the budget allows, and None where it does not."""
        if self.ask.status is not None:
            return None
        if self.statuses is None and self.ask.has_budget(len(PET_STATUSES)):
            self.statuses = StatusPages(self.ask, self.first)
        return self.statuses

    def hold_status_pages(self) -> StatusPages | None:
        """Return them with their pets held, and with it known what their lengths say."""
        statuses = self.status_pages()
        if statuses is not None:
            for page in statuses.usable.values():  # before more is asked, which may break off
                self.rows.update(page.columns)
            statuses.settle(self.ask)
        return statuses

    # -- the way through the listing

    def read_through(self, begin: Callable[[Page, Rows], Walk]) -> Iterator[Evidence]:
        """Walk to the end of the listing; yield what was met, and the end if all fits."""
        # Before the walk: it then cannot miss a pet that came after they were read. A reading that
        # may stop early asks them only at its end.
        has_budget = self.is_enough is None and self.ask.has_budget(len(PET_STATUSES) + 1)
        if self.walk is None and has_budget:
            self.status_pages()
        walk = self.walk or self._begin(begin, self.first)
        is_forgotten = False
        try:
            walk.run()
        except APIStatusError as problem:
            # A second refusal of the place to go on from shows that the store forgot it.
            was_refused_at, self._refused_at = self._refused_at, 0
            is_forgotten = problem.status_code in _EXPIRED and was_refused_at == walk.pages
            if not is_forgotten:
                self._refused_at = walk.pages if problem.status_code in _EXPIRED else 0
                raise
        finally:
            self._gather(walk)
        if is_forgotten:
            self._begin(begin, self.ask.page(self.ask.params(), number=1))
            yield from self.read_through(begin)
            return
        yield from walk.notes
        if not walk.is_over:
            return
        if self._looked_back is None:
            self._looked_back = [*walk.look_back()]
            self._gather(walk)
            if self.may_probe:
                self.total.take(walk.first.stated)
                self.total.take(walk.last.stated)
        met = [*self._looked_back, *filter(None, [walk.doubt])]
        yield from met
        if all(each.shows is Shows.NOTHING for each in (*met, *walk.notes)):
            over_time = HOLDS_STILL if walk.pages > 1 else ()
            yield self.end(walk.fact, *walk.reach, *over_time, detail=walk.detail)

    def _begin(self, begin: Callable[[Page, Rows], Walk], first: Page) -> Walk:
        """Start a walk; it counts its own rows where other pages have brought some already."""
        rows = self.rows
        if self.walk is not None or rows.received != len(first):
            rows = Rows()
            rows.add(first.columns)
        self.walk = walk = begin(first, rows)
        return walk

    def _gather(self, walk: Walk) -> None:
        if walk.rows is not self.rows:
            self.rows.add_all(walk.rows)

    def leaves_some_out(self) -> bool:
        """Hold the pets that only the pages of the statuses have; tell whether there are any."""
        statuses = self.statuses
        if statuses is None or self.left_out:
            return self.left_out > 0
        listed = self.walk.rows if self.walk is not None and self.walk.is_over else None
        if listed is not None:
            pages = statuses.answered.values()
            self.left_out = sum(listed.compare(page.columns) for page in pages)
            self.rows.disputed |= listed.disputed
        elif self._is_one_page:
            self.left_out = statuses.left_out
        if self.left_out:
            for page in statuses.usable.values():
                self.rows.update(page.columns)
        return self.left_out > 0

    @property
    def _is_one_page(self) -> bool:
        """Whether the first page looks like the whole listing; a total speaks of all pets held."""
        ends = {each.fact for each in self.evidence if each.shows is Shows.END and not each.scope}
        return len(self.first) < self.ask.limit or bool(ends - {Fact.TOTAL_REACHED})
