"""How a fetch asks: each request counted, each extra one within a budget, none twice in vain."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Protocol, TypeAlias

from petstore_frame._internal.interrupts import Deferred
from petstore_frame.errors import AuthenticationError, PetstoreError
from petstore_frame.http.answer import Headers
from petstore_frame.http.page import Page
from petstore_frame.inventory.evidence import Evidence, Fact
from petstore_frame.inventory.rows import Rows
from petstore_frame.schema.models import Pet

_Query: TypeAlias = tuple[tuple[str, str], ...]
DEFAULT_PROBE_BUDGET = 16
SIDE_BY_SIDE = 4
# Ages are whole seconds, and answers to parallel requests come in any order.
_TOLERANCE_S = 2.0
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))


class ReadingClient(Protocol):
    """What a fetch needs of a client."""

    @property
    def base_url(self) -> str: ...

    def ask_page(
        self,
        address: str = ...,
        *,
        params: Mapping[str, str] | None = ...,
        number: int | None = ...,
    ) -> Page: ...

    def get_pet(self, pet_id: int) -> Pet: ...


class WalkState(Protocol):
    """A walk through a listing from page to page, as far as it has come."""

    first: Page
    last: Page
    rows: Rows
    pages: int
    is_over: bool


class Ages:
    """The ages of the answers of one fetch, as the ``Age`` headers of caches state them."""

    def __init__(self) -> None:
        self._oldest_s = 0
        self._went_back = False
        self._first_made: float | None = None
        self._last_made = 0.0

    def note(self, headers: Headers) -> None:
        """Take the age of one answer; without an ``Age`` it was made just now."""
        text = (headers.get("Age") or "").strip()
        age_s = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
        made = time.time() - age_s
        self._went_back |= made < self._last_made - _TOLERANCE_S
        self._last_made = max(self._last_made, made)
        if age_s:
            self._oldest_s = max(self._oldest_s, age_s)
            self._first_made = min(made, self._first_made or made)

    def read_at(self) -> datetime:
        """Return when the oldest answer was made, and now if none came out of a cache."""
        return datetime.fromtimestamp(self._first_made or time.time(), UTC)

    def evidence(self) -> list[Evidence]:
        """Return what the ages show: answers of two times, and how old the oldest is."""
        found = [Evidence(Fact.OLD_AND_NEW)] if self._went_back else []
        if self._oldest_s:
            unit, length = next(each for each in _UNITS if self._oldest_s >= each[1])
            count = self._oldest_s // length
            age = f"{count:,} {unit}{'s' * (count != 1)}"
            found.append(Evidence(Fact.OLD_ANSWER, detail=age))
        return found


@dataclass(eq=False)
class Asker:
    """Asks a store for pages, and remembers the answers, all in the caller's own thread.

    It remembers the answer to each question beyond the listing. So a fetch that broke off can begin
    with its first question once more, and goes on where it was.

    Attributes:
        budget: Requests allowed beyond the listing itself; ``spent`` of it were sent.
        may_probe: Whether to ask for, and believe, anything beyond the interface.
        is_enough: Whether to stop with these pets, asked after each page; None reads on.
        on_rows: Called with the number of pets read.
        rows: All pets read; the walk under way may have rows of its own.
        way: The walk through the listing that was begun, or None.
        max_page: Length of the longest page seen, a lower bound of the store's own cap.
        damaged: Ids of the pets with U+FFFD for half a character in a text.
        troubles: Questions that failed or were not asked, and answers that do not fit together.
        interrupts: While it is entered, Ctrl-C is delivered only where the store is awaited.
    """

    store: ReadingClient
    status: str | None
    limit: int
    budget: int
    may_probe: bool = True
    is_enough: Callable[[Rows], bool] | None = None
    on_rows: Callable[[int], None] = lambda _: None
    rows: Rows = field(default_factory=Rows, init=False)
    way: WalkState | None = field(default=None, init=False)
    requests: int = field(default=0, init=False)
    spent: int = field(default=0, init=False)
    max_page: int = field(default=0, init=False)
    damaged: set[int] = field(default_factory=set, init=False)
    ages: Ages = field(default_factory=Ages, init=False)
    troubles: list[Evidence] = field(default_factory=list, init=False)
    interrupts: Deferred = field(default_factory=Deferred, init=False)
    store_id: str | None = field(default=None, init=False)
    # None where no answer was to be had.
    _answered: dict[_Query, Page | None] = field(default_factory=dict, init=False)

    def begin_again(self) -> None:
        """Get ready to go on after a failure: questions without an answer may be asked again."""
        self.spent = 0
        self._answered = {key: page for key, page in self._answered.items() if page is not None}

    def tell(self, rows: Rows) -> None:
        """Report progress."""
        self.on_rows(len(rows))

    def has_enough(self, rows: Rows) -> bool:
        """Tell whether the caller's cap is passed, or all that the caller looks for is there."""
        return self.is_enough is not None and self.is_enough(rows)

    @property
    def pages(self) -> int:
        """Pages read of the listing itself."""
        return self.way.pages if self.way is not None else min(1, len(self.rows))

    def params(
        self,
        more: Mapping[str, str] | None = None,
        *,
        limit: int | None = None,
        status: str | None = None,
    ) -> dict[str, str]:
        """Return the query of a page; limit and status default to the listing's own."""
        wanted = status or self.status
        by_status = {"status": wanted} if wanted else {}
        return {"limit": str(limit or self.limit), **by_status, **(more or {})}

    @property
    def params_of_all(self) -> dict[str, str]:
        """The query of a page of all pets, also where one status is read."""
        return {"limit": str(self.limit)}

    def page(
        self,
        params: Mapping[str, str] | None = None,
        *,
        address: str = "/pets",
        number: int | None = None,
    ) -> Page:
        """Ask for a page by its parameters, or by an address of the store's.

        Raises:
            PetstoreError: No answer, a refusal, no list of pets, or an answer of another store.
        """
        self.requests += 1
        with self.interrupts.allow():
            page = self.store.ask_page(address, params=params, number=number)
        return self._noted(page)

    def begin(self, pool: ThreadPoolExecutor, params: Mapping[str, str]) -> Future[Page]:
        """Ask for a page side by side with others; ``take`` has the answer."""
        self.requests += 1
        return pool.submit(self.store.ask_page, params=params)

    def take(self, answer: Future[Page]) -> Page:
        """Wait for the answer of ``begin``; raises as ``page`` does."""
        self.interrupts.wait(answer)
        return self._noted(answer.result())

    def _noted(self, page: Page) -> Page:
        self.store_id = self.store_id or page.store_id
        if page.store_id not in (None, self.store_id):
            names = f"{self.store_id} and then {page.store_id}"
            self.troubles.append(Evidence(Fact.OTHER_STORE, detail=names))
            raise PetstoreError(
                f"the store called itself {names}; check that base_url leads to one store alone"
            )
        self.ages.note(page.headers)
        self.max_page = max(self.max_page, len(page))
        self.damaged.update(page.damaged)
        return page

    def has_budget(self, count: int = 1) -> bool:
        """Tell whether so many requests beyond the listing are allowed."""
        return self.spent + count <= self.budget

    def has_budget_for(self, asked: Iterable[Mapping[str, str]]) -> bool:
        """Tell whether all these questions may be asked; a question asked before costs nothing."""
        keys = {tuple(params.items()) for params in asked}
        return self.has_budget(len(keys - self._answered.keys()))

    def known(self, params: Mapping[str, str]) -> Page | None:
        """Return the answer to a question that was asked before, or None; nothing is sent."""
        return self._answered.get(tuple(params.items()))

    def probe(self, params: Mapping[str, str], *, again: bool = False) -> Page | None:
        """Ask beyond the listing; only ``again`` repeats a question that has its answer.

        None if the store refused it or the budget is spent.

        Raises:
            AuthenticationError: The key stopped working; nothing more can be learned.
        """
        key = tuple(params.items())
        if again:
            self._answered.pop(key, None)
        if self._may_ask(key):
            self._answer(key, lambda: self.page(params))
        return self._answered[key]

    def probe_all(self, asked: Mapping[str, Mapping[str, str]]) -> dict[str, Page]:
        """Ask several questions side by side; those without an answer are left out."""
        keys = {name: tuple(params.items()) for name, params in asked.items()}
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            answers = {
                key: self.begin(pool, dict(key)) for key in keys.values() if self._may_ask(key)
            }
            self.interrupts.wait(*answers.values())
        for key, answer in answers.items():
            self._answer(key, partial(self.take, answer))
        pages = {name: self._answered[key] for name, key in keys.items()}
        return {name: page for name, page in pages.items() if page is not None}

    def _may_ask(self, key: _Query) -> bool:
        """Take a new question off the budget; False, with a note, where nothing is left of it."""
        if key in self._answered:
            return False
        if not self.has_budget():
            self.troubles.append(Evidence(Fact.QUESTION_NOT_ASKED, count=self.budget))
            self._answered[key] = None
            return False
        self.spent += 1
        return True

    def _answer(self, key: _Query, ask: Callable[[], Page]) -> None:
        try:
            self._answered[key] = ask()
        except AuthenticationError:
            raise
        except PetstoreError as problem:
            self.troubles.append(Evidence(Fact.QUESTION_FAILED, detail=str(problem)))
            self._answered[key] = None

    def evidence(self) -> list[Evidence]:
        """Return what the answers show apart from their pets."""
        return [*self.troubles, *self.ages.evidence()]
