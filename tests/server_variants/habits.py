"""How a store may fill the gaps of the interface, and which assumptions its habits break."""

from __future__ import annotations

from dataclasses import dataclass

from petstore_frame.inventory import Assumption

STATUSES = ("available", "pending", "sold")

LINK_WAYS = (
    "link cursor", "link offset", "link relative", "link several rels", "link capitals",
    "link quoted comma", "link trailing comma", "link second line", "link two next",
)  # fmt: skip
HEADER_WAYS = ("x-next address", "x-next page", "x-next cursor")
# Drawn for random stores: another name here changes what every seed draws.
DRAWN_PARAMETERS = ("offset", "skip", "page 1", "page 0", "after", "starting_after", "cursor")
# Tested one by one.
OTHER_PARAMETERS = ("start", "_start", "_page", "page[number]", "since_id", "last_id")
OFFSET_PARAMETERS = ("offset", "skip", "start", "_start")
PAGE_PARAMETERS = ("page", "_page", "page[number]")
ID_PARAMETERS = ("after", "starting_after", "cursor", "since_id", "last_id")
# A cursor that counts rows, which passes for an id where ids run from 1 without a gap.
ROWS_CURSOR = "cursor rows"
ORDERS = ("id", "newest", "scattered", "new each time", "ties")
LAGS = ("AB", "BA", "ABB", "AAB", "BBA", "filtered", "filtered")
TOTALS = ("true", "page length", "too high", "too low", "unfiltered", "content-range")
DRIFTS = (
    "grows at the end", "grows in front", "loses pets", "loses pets once", "moves statuses",
    "shuffles once",
)  # fmt: skip
# Also drawn where a census is about stores that change; the drawn stores stay the same without it.
CHANGES = (*DRIFTS, "replaces pets", "replaces pets", "replaces one", "replaces one")
LOSSES = ("loses pets", "loses pets once", "replaces pets", "replaces one")
LIES = (
    "stops early", "links to itself", "goes round", "empty pages", "sparse pages", "overlaps",
    "endless repeats", "unreadable later", "drops filter", "points on", "skips rows",
)  # fmt: skip


@dataclass(frozen=True)
class Habits:
    """How a store fills the gaps of the interface.

    Attributes:
        way: How it announces the next page, or None.
        parameters: Undocumented parameters that it understands.
        order: The order of its listing.
        cap: Longest page it gives, whatever the limit; None keeps to the limit.
        filtered_cap: The same for filtered pages, where it differs.
        floor: Limit to which it raises a smaller one, or None; where it is the cap, its pages have
            one fixed length.
        total: How it states a total, or None.
        ignores_filter: Whether it passes over ``status``.
        ignores_limit: Whether it gives everything at once.
        drift: How it changes between requests, or None.
        lie: How it misleads, or None.
        depth_cap: Rows beyond which parameters lead nowhere, or None.
        names_when_full: Whether only pages as long as asked name a next one.
        names_below_100: Whether only pages asked for with less than the largest limit do.
        filters_last: Whether the filter sees only the page that the limit left.
        hides: Statuses that it lists only when asked for; None stands for all that the interface
            does not state, and for none.
        lag: Which of two copies answers in turn, or None; copy B lacks the newest pet, and answers
            all that is ``filtered``.
        tells_age: Whether a header shows how old the answers of copy B are.
        repeats_last_page: Whether a page number behind the last page gives that one again.
    """

    way: str | None = None
    parameters: frozenset[str] = frozenset()
    order: str = "id"
    cap: int | None = None
    filtered_cap: int | None = None
    floor: int | None = None
    total: str | None = None
    ignores_filter: bool = False
    ignores_limit: bool = False
    drift: str | None = None
    lie: str | None = None
    depth_cap: int | None = None
    names_when_full: bool = False
    names_below_100: bool = False
    filters_last: bool = False
    hides: frozenset[str | None] = frozenset()
    lag: str | None = None
    tells_age: bool = False
    repeats_last_page: bool = False

    def breaks(self, status: str | None = None) -> set[str]:
        """Return the assumptions that do not hold of this store, as far as no answer shows it.

        A vice that the answers give away must be found out, so it breaks none.
        """
        states_totals = self.total in ("true", "content-range")
        way_is_all = self.way and not states_totals
        moves = self.drift or self.order == "new each time"
        broken_where: list[tuple[object, tuple[Assumption, ...]]] = [
            (self.cap, (Assumption.FILLS_PAGES, Assumption.FILLS_PAGES_WITHOUT_STATUS)),
            (self.filtered_cap and not states_totals, (Assumption.ONE_CAP,)),
            (self.lie == "stops early" and not states_totals, (Assumption.LINKS_REACH_ALL,)),
            (self.names_below_100 and way_is_all, (Assumption.LINKS_REACH_ALL,)),
            (self.depth_cap, (Assumption.OFFSETS_REACH_ALL,)),
            (self.depth_cap and self.way in HEADER_WAYS, (Assumption.LINKS_REACH_ALL,)),
            (self.total not in (None, "true", "content-range"), (Assumption.TOTAL_IS_TRUE,)),
            (self.drift in LOSSES, (Assumption.NONE_LEAVES,)),
            (self.drift == "moves statuses", (Assumption.NONE_CHANGES,)),
            (self.drift == "moves statuses" and status, (Assumption.NONE_LEAVES,)),
            (self.hides, (Assumption.LISTS_EVERY_STATUS,)),
            (None in self.hides, (Assumption.LISTS_PETS_WITHOUT_STATUS,)),
            (None in self.hides, (Assumption.FILLS_PAGES_WITHOUT_STATUS,)),
            (self.lag and not self.tells_age, (Assumption.NO_OLD_ANSWER,)),
            (self.lag == "filtered" and status, (Assumption.FILTER_IS_TRUE,)),
            (self.order == "ties" and self._goes_by_ids, (Assumption.KEEPS_ORDER,)),
            (self.order == "new each time", (Assumption.KEEPS_ORDER,)),
            (self.drift == "shuffles once", (Assumption.KEEPS_ORDER,)),
            (self.filters_last and (self.hides or moves), (Assumption.FILTER_IS_TRUE,)),
            # A total that the filter does not see is that of all pets, at another time.
            (self.filters_last and self.total and (self.lag or self.drift),
             (Assumption.TOTAL_IS_TRUE,)),
        ]  # fmt: skip
        return {assumption for is_so, broken in broken_where if is_so for assumption in broken}

    @property
    def _goes_by_ids(self) -> bool:
        """Whether a way on begins behind an id, so that rows are passed over and none repeated."""
        ways = {str(self.way).rpartition(" ")[2], *self.parameters}
        return not ways.isdisjoint(ID_PARAMETERS)
