"""One listing of a store: the ways in which its end is looked for, and what all of it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from petstore_frame._internal.arguments import MAX_LIMIT
from petstore_frame.errors import APIStatusError
from petstore_frame.inventory.asking import Asker
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact, Shows
from petstore_frame.inventory.next_links import links_of_shorter_pages, next_links
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.page_parameter import page_parameter
from petstore_frame.inventory.single_pages import (
    StatusPages,
    ask_statuses,
    confirmed_page,
    end_of,
    known_statuses,
    short_page,
    status_pages,
)
from petstore_frame.inventory.totals import ask_what_total_counts, ask_whose_total, known_total
from petstore_frame.schema.models import NO_STATUS

Strategy = Callable[[Page, Asker], Iterator[Evidence]]


def stated_total(first: Page, ask: Asker) -> Iterator[Evidence]:
    """Believe a total that as many pets reach, where nothing was seen to move meanwhile."""
    held = len(ask.rows)
    if known_total(first, ask).value != held:
        return
    total = ask_what_total_counts(first, ask)
    if total.value != held or not (total.is_tested or held > ask.max_page):
        return
    if len(first) < held and ask.way is None:
        # Other pages brought pets since: a store that grew meanwhile states another total.
        page = ask.probe(ask.params(), again=True)
        if page is None or page.stated.total != total.value:
            return
    over_time = (Assumption.NONE_LEAVES, Assumption.NONE_CHANGES) if len(first) < held else ()
    statuses = ask_statuses(first, ask)
    yield end_of(
        ask, statuses, Fact.TOTAL_REACHED, Assumption.TOTAL_IS_TRUE, *over_time, count=held
    )


# A new way is a module with such a function, and a line here.
STRATEGIES: tuple[Strategy, ...] = (
    next_links,
    confirmed_page,
    links_of_shorter_pages,
    page_parameter,
    short_page,
    status_pages,
    stated_total,
)
# These believe what the store says, so they are asked only where nothing speaks against it.
_BELIEVERS: tuple[Strategy, ...] = (short_page, stated_total)


class Reading:
    """One listing as far as it was read; ``run`` called again goes on.

    Attributes:
        first: Its first page, or None before that came.
        evidence: What was learned of it so far.
    """

    def __init__(self, ask: Asker) -> None:
        self.ask = ask
        self.first: Page | None = None
        self.evidence: list[Evidence] = []
        self._opening: list[Evidence] = []
        self._left_out = 0

    def run(self) -> tuple[Evidence, ...]:
        """Read what can be read and return all that was learned.

        The strategies are tried until one finds the end, or shows that there is none to find.

        Raises:
            PetstoreError: A page could not be read.
        """
        ask = self.ask
        first = self.first = self._begin()
        strays = first.strays(ask.status)
        self.evidence = [Evidence(Fact.FILTER_NOT_KEPT, count=strays)] if strays else []
        self._left_out = 0
        for strategy in STRATEGIES:
            if ask.has_enough(ask.rows):
                break
            if strategy in _BELIEVERS and self._is_contradicted(first):
                continue
            self.evidence += strategy(first, ask)
            if self._has(Shows.END):
                # Counted once, for later strategies may bring these pets.
                self._left_out = self._left_out or self._count_left_out(first)
                if not self._left_out:
                    break
            if self._has(Shows.MOVED):
                break
        return (*self.evidence, *self._of_all(first), *self._opening)

    def _begin(self) -> Page:
        """Return the first page; the store may have been asked for a shorter one since."""
        if self.first is None:
            return self._open()
        way = self.ask.way
        return way.first if way is not None and way.first.limit == self.ask.limit else self.first

    def _open(self) -> Page:
        """Read the first page, as widely as allowed where nothing leads beyond it."""
        ask = self.ask
        page = ask.page(ask.params(), number=1)
        self._take(page)
        is_bare = len(page) >= (page.limit or 0) and not page.stated.names_next
        if ask.limit < MAX_LIMIT and is_bare and not ask.has_enough(ask.rows):
            wide = self._ask_for_wider()
            if wide is not None:
                gone = len({*page.columns.id} - {*wide.columns.id})
                self._opening = [Evidence(Fact.PETS_GONE, count=gone)] if gone else []
                page = wide
        ask.limit = page.limit or ask.limit
        return page

    def _ask_for_wider(self) -> Page | None:
        """Ask for the widest page that the interface allows, which may be a whole listing."""
        ask = self.ask
        try:
            page = ask.page(ask.params(limit=MAX_LIMIT), number=1)
        except APIStatusError as problem:
            if problem.status_code not in (400, 422):
                raise
            ask.troubles.append(Evidence(Fact.QUESTION_FAILED, detail=str(problem)))
            return None
        self._take(page)
        return page

    def _take(self, page: Page) -> None:
        self.ask.rows.add(page.columns)
        self.ask.tell(self.ask.rows)

    def _has(self, shows: Shows) -> bool:
        """Tell whether anything met so far shows this of all that was asked."""
        return any(each.scope is None and each.shows is shows for each in self.evidence)

    def _is_contradicted(self, first: Page) -> bool:
        """Tell whether anything met so far speaks against the listing being held."""
        statuses = known_statuses(first, self.ask)
        is_doubtful = statuses is not None and statuses.is_contradicted
        return is_doubtful or any(each.is_contradiction for each in self.evidence)

    def _count_left_out(self, first: Page) -> int:
        """Return how many pets only the pages of the statuses have."""
        statuses, way = known_statuses(first, self.ask), self.ask.way
        if statuses is None:
            return 0
        if way is not None and way.is_over:
            pages = statuses.answered.values()
            return sum(pet_id not in way.rows for page in pages for pet_id in page.columns.id)
        return statuses.left_out if self._is_one_page(first) else 0

    def _is_one_page(self, first: Page) -> bool:
        """Tell whether the first page looks like the whole; a total speaks of all pets held."""
        ends = {each.fact for each in self.evidence if each.shows is Shows.END and not each.scope}
        return len(first) < self.ask.limit or bool(ends - {Fact.TOTAL_REACHED})

    def _of_all(self, first: Page) -> Iterator[Evidence]:
        """Yield what the totals, the statuses and the ages show at last."""
        ask = self.ask
        if ask.way is None and not ask.has_enough(ask.rows):
            why = _why_unclear(first, ask)
            if why.is_contradiction or not self._has(Shows.END):
                yield why
        self._left_out = self._left_out or self._count_left_out(first)
        statuses = known_statuses(first, ask)
        if statuses is not None:
            self._hold(statuses)
            yield from statuses.notes
        if self._left_out:
            yield Evidence(Fact.STATUSES_HOLD_MORE, count=self._left_out)
        yield from ask_whose_total(first, ask, len(ask.rows)).evidence(len(ask.rows))
        yield from ask.evidence()

    def _hold(self, statuses: StatusPages) -> None:
        """Keep the pets that the listing left out, and note those that moved meanwhile."""
        ask, way = self.ask, self.ask.way
        if way is not None and way.is_over:
            for page in statuses.answered.values():
                way.rows.compare(page.columns)
            ask.rows.disputed |= way.rows.disputed
        if self._left_out:
            statuses.hold(ask)


def _why_unclear(first: Page, ask: Asker) -> Evidence:
    """Return why a listing of which only single pages were read is not known to end there."""
    stated = first.stated
    if stated.next_addresses or (not ask.may_probe and stated.names_next):
        return Evidence(Fact.NEXT_UNREAD)
    if stated.next_value is not None:
        return Evidence(Fact.NEXT_UNCLEAR)
    if more := stated.says_more():
        return Evidence(Fact.SAYS_MORE, detail=more)
    if stated.may_name_next:
        return Evidence(Fact.NEXT_UNCLEAR)
    if len(first) > ask.limit:
        return Evidence(Fact.PAGE_TOO_LONG)
    if len(first) == ask.limit:
        return Evidence(Fact.PAGE_FULL)
    return Evidence(Fact.PAGE_MAY_BE_CUT, count=len(first))


def evidence_of_rows(ask: Asker) -> Iterator[Evidence]:
    """Yield what rows show that came twice with other values, or with damaged texts."""
    for status in ask.rows.disputed:
        yield Evidence(Fact.STATUS_MOVED, status or NO_STATUS)
    if ask.rows.changed_ids:
        yield Evidence(Fact.PETS_CHANGED, count=len(ask.rows.changed_ids))
    if ask.damaged:
        count = sum(pet_id in ask.rows for pet_id in ask.damaged)
        yield Evidence(Fact.TEXTS_DAMAGED, count=count)
