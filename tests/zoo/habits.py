"""How a store may fill the gaps of the interface, and which assumptions its habits break."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from petstore_frame.inventory import Assumption

STATUSES = ("available", "pending", "sold")

LINK_WAYS = (
    "link cursor",
    "link offset",
    "link relative",
    "link several rels",
    "link capitals",
    "link quoted comma",
    "link trailing comma",
    "link second line",
    "link two next",
)
HEADER_WAYS = ("x-next address", "x-next page", "x-next cursor")
PARAMETERS = ("offset", "skip", "page 1", "page 0", "after", "starting_after", "cursor")
MORE_PARAMETERS = ("start", "_start", "_page", "page[number]", "since_id", "last_id", "before")
# A cursor that counts rows, which passes for an id where ids run from 1 without a gap.
ROWS_CURSOR = "cursor rows"
ORDERS = ("id", "newest", "scattered", "new each time", "ties")
LAGS = ("AB", "BA", "ABB", "AAB", "BBA", "filtered", "filtered")
TOTALS = ("true", "page length", "too high", "too low", "unfiltered", "content-range")
DRIFTS = (
    "grows at the end",
    "grows in front",
    "loses pets",
    "loses pets once",
    "moves statuses",
    "shuffles once",
)
LIES = (
    "stops early",
    "links to itself",
    "goes round",
    "empty pages",
    "sparse pages",
    "overlaps",
    "endless repeats",
    "unreadable later",
    "drops filter",
    "points on",
    "skips rows",
)


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

    def breaks(
        self, pets: list[dict[str, Any]], status: str | None = None, strategy: str = "auto"
    ) -> set[str]:
        """Return the assumptions that do not hold of this store, as far as no answer shows it.

        A vice that the answers give away must be found out, so it breaks none; a total gives
        nothing away to a strategy that believes no header.
        """
        states_totals = self.total in ("true", "content-range") and strategy == "auto"
        broken: set[Assumption] = set()
        if self.cap is not None:
            broken |= {Assumption.FILLS_PAGES, Assumption.FILLS_PAGES_WITHOUT_STATUS}
        if self.filtered_cap is not None and not states_totals:
            broken |= {Assumption.ONE_CAP}
        if self.lie == "stops early" and not states_totals:
            broken |= {Assumption.LINKS_REACH_ALL}
        if self.depth_cap is not None:
            broken |= {Assumption.OFFSETS_REACH_ALL}
            if self.way is not None and self.way.startswith("x-next"):
                broken |= {Assumption.LINKS_REACH_ALL}
        if self.total not in (None, "true", "content-range"):
            broken |= {Assumption.TOTAL_IS_TRUE}
        if self.names_below_100 and self.way is not None and not states_totals:
            broken |= {Assumption.LINKS_REACH_ALL}
        if self.drift in ("loses pets", "loses pets once"):
            broken |= {Assumption.NONE_LEAVES}
        if self.drift == "moves statuses":
            broken |= {Assumption.NONE_CHANGES}
            if status is not None:
                broken |= {Assumption.NONE_LEAVES}
        if self.hides:
            broken |= {Assumption.LISTS_EVERY_STATUS}
        if None in self.hides:
            broken |= {Assumption.LISTS_PETS_WITHOUT_STATUS, Assumption.FILLS_PAGES_WITHOUT_STATUS}
        if self.lag is not None and not self.tells_age:
            broken |= {Assumption.NO_OLD_ANSWER}
        if self.lag == "filtered" and status is not None:
            broken |= {Assumption.FILTER_IS_TRUE}
        if self.order == "ties" and self._goes_by_ids:
            broken |= {Assumption.KEEPS_ORDER}
        if self.order == "new each time" or self.drift == "shuffles once":
            broken |= {Assumption.KEEPS_ORDER}
        if self.filters_last and (self.hides or self.drift or self.order == "new each time"):
            broken |= {Assumption.FILTER_IS_TRUE}
        if self.filters_last and self.total is not None and (self.lag or self.drift):
            broken |= {Assumption.TOTAL_IS_TRUE}  # it is that of all pets, at another time
        return {*broken}

    @property
    def _goes_by_ids(self) -> bool:
        """Whether a way on begins behind an id, so that rows are passed over and none repeated."""
        ways = {str(self.way).rpartition(" ")[2], *self.parameters}
        return bool(ways & {"cursor", "after", "starting_after", "since_id", "last_id", "before"})
