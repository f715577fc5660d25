"""Sends one fetch's requests within a budget, with a cache."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol, Self, TypeAlias

from petstore_frame.errors import AuthenticationError, PetstoreError
from petstore_frame.inventory.evidence import Evidence, Fact
from petstore_frame.inventory.rows import Rows, compact
from petstore_frame.schema.models import MAX_LIMIT
from petstore_frame.transport import Page

# The query of a page of all pets, also where one status is read.
OF_ALL = {"limit": str(MAX_LIMIT)}
_Key: TypeAlias = tuple[str, frozenset[tuple[str, str]]]
DEFAULT_PROBE_BUDGET = 16
SIDE_BY_SIDE = 4


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


@dataclass(eq=False)
class Requests:
    """Asks a store for pages, and remembers each answer.

    So a fetch that broke off begins with its first question once more, and goes on where it was.
    Entering it begins a run; leaving it ends the requests under way.

    Attributes:
        budget: Requests allowed beyond the listing itself; ``spent`` of it were sent.
        is_enough: Whether to stop with these pets, asked after each page; None reads on.
        on_rows: Called with the number of pets read.
        requests: All that were sent, of every run.
        newest_s, oldest_s: Ages of the answers, as the ``Age`` headers of caches state them.
        damaged: Ids of the pets with U+FFFD for half a character in a text.
        max_page: Length of the longest page seen, a lower bound of the store's own cap.
        troubles: Questions that failed or were not asked, and answers that do not fit together.
    """

    store: ReadingClient
    status: str | None = None
    budget: int = DEFAULT_PROBE_BUDGET
    is_enough: Callable[[Rows], bool] | None = None
    on_rows: Callable[[int], None] = lambda _: None
    requests: int = field(default=0, init=False)
    store_id: str | None = field(default=None, init=False)
    newest_s: float = field(default=math.inf, init=False)
    oldest_s: float = field(default=0.0, init=False)
    damaged: set[int] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        # None where no answer was to be had.
        self._answers: dict[_Key, Page | None] = {}
        self._ahead: dict[_Key, Future[Page]] = {}

    def __enter__(self) -> Self:
        self.spent = self.max_page = 0
        self.troubles: list[Evidence] = []
        self._answers = {key: page for key, page in self._answers.items() if page is not None}
        self._pool = ThreadPoolExecutor(SIDE_BY_SIDE)
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._ahead.clear()

    def forget(self) -> None:
        """Forget every answer: all is read, or only a new beginning helps."""
        self._answers.clear()

    def has_enough(self, rows: Rows) -> bool:
        """Return whether the caller's cap is passed, or all that the caller looks for is there."""
        return self.is_enough is not None and self.is_enough(rows)

    def params(
        self,
        more: Mapping[str, str] | None = None,
        *,
        limit: int = MAX_LIMIT,
        status: str | None = None,
    ) -> dict[str, str]:
        """Return the query of a page; the status is the listing's own unless stated."""
        wanted = status or self.status
        by_status = {"status": wanted} if wanted else {}
        return {"limit": str(limit), **by_status, **(more or {})}

    def page(
        self,
        params: Mapping[str, str] | None = None,
        *,
        address: str = "/pets",
        number: int | None = None,
        again: bool = False,
    ) -> Page:
        """Ask for a page by its parameters, or by an address of the store's.

        An answer that is known is given once more, unless it is asked for ``again``.

        Raises:
            PetstoreError: No answer, a refusal, no list of pets, or an answer of another store.
        """
        key = _key(params, "again" if again else address)
        page = self._answers.get(key)
        if page is None:
            ahead = self._ahead.pop(key, None)
            if ahead is None:
                self.requests += 1
                page = self.store.ask_page(address, params=params, number=number)
            else:
                page = ahead.result()
            self._check_store(page)
            columns = compact(page.columns)
            page = self._answers[key] = Page(columns, page.headers, page.address, page.damaged)
            self.damaged.update(page.damaged)
            self.newest_s = min(self.newest_s, page.age_s)
            self.oldest_s = max(self.oldest_s, page.age_s)
        self.max_page = max(self.max_page, len(page))
        return page

    def prefetch(self, params: Mapping[str, str]) -> None:
        """Send a request side by side with others; ``page`` has the answer."""
        key = _key(params)
        if key not in self._answers and key not in self._ahead:
            self.requests += 1
            self._ahead[key] = self._pool.submit(self.store.ask_page, params=params)

    def _check_store(self, page: Page) -> None:
        self.store_id = self.store_id or page.store_id
        if page.store_id not in (None, self.store_id):
            names = f"{self.store_id} and then {page.store_id}"
            self.troubles.append(Evidence(Fact.OTHER_STORE, detail=names))
            raise PetstoreError(
                f"the store called itself {names}; check that base_url leads to one store alone"
            )

    def has_budget_for(self, asked: Iterable[Mapping[str, str]]) -> bool:
        """Return whether all these questions may be asked; one asked before costs nothing."""
        return self.spent + len({*map(_key, asked)} - self._answers.keys()) <= self.budget

    def probe(self, params: Mapping[str, str], *, again: bool = False) -> Page | None:
        """Ask beyond the listing.

        None if the store refused it or the budget is spent.

        Raises:
            AuthenticationError: The key stopped working; nothing more can be learned.
        """
        key = _key(params, "again" if again else "/pets")
        if key in self._answers:
            return self._answers[key]
        detail = f"max_probes allows {self.budget:,} requests beyond the listing"
        if self.spent < self.budget:
            self.spent += 1
            try:
                return self.page(params, again=again)
            except AuthenticationError:
                raise
            except PetstoreError as problem:
                detail = str(problem)
        self.troubles.append(Evidence(Fact.QUESTION_FAILED, detail=detail))
        self._answers[key] = None
        return None


def _key(params: Mapping[str, str] | None, address: str = "/pets") -> _Key:
    return address, frozenset((params or {}).items())
