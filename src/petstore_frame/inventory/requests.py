"""Sends one fetch's requests, those beyond the listing within a budget and each once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from petstore_frame.errors import AuthenticationError, PetstoreError
from petstore_frame.inventory.evidence import Evidence, Fact
from petstore_frame.inventory.rows import Rows
from petstore_frame.transport import Page

# The query of a page of all pets, also where one status is read.
MAX_LIMIT = Page.MAX_LIMIT
OF_ALL = {"limit": str(MAX_LIMIT)}
# Requests beyond the listing itself, which a store of whatever size is asked.
MOST_PROBES = 16


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
    """Asks a store for pages, and notes what all answers show together.

    Attributes:
        spent: Requests sent beyond the listing itself, of ``MOST_PROBES``.
        is_enough: Whether to stop with these pets, asked after each page; None reads on.
        on_rows: Called with the number of pets read.
        newest_s, oldest_s: Ages of the answers, as the ``Age`` headers of caches state them.
        max_page: Length of the longest page seen, a lower bound of the store's own cap.
        troubles: Questions that failed or were not asked, and answers that do not fit together.
    """

    store: ReadingClient
    status: str | None = None
    is_enough: Callable[[Rows], bool] | None = None
    on_rows: Callable[[int], None] = lambda _: None
    requests: int = field(default=0, init=False)
    spent: int = field(default=0, init=False)
    max_page: int = field(default=0, init=False)
    store_id: str | None = field(default=None, init=False)
    newest_s: float = field(default=math.inf, init=False)
    oldest_s: float = field(default=0.0, init=False)
    troubles: list[Evidence] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        # None where no answer was to be had.
        self._answers: dict[frozenset[tuple[str, str]], Page | None] = {}

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
    ) -> Page:
        """Ask for a page by its parameters, or by an address of the store's.

        Raises:
            PetstoreError: No answer, a refusal, no list of pets, or an answer of another store.
        """
        self.requests += 1
        page = self.store.ask_page(address, params=params, number=number)
        self.store_id = self.store_id or page.store_id
        if page.store_id not in (None, self.store_id):
            names = f"{self.store_id} and then {page.store_id}"
            self.troubles.append(Evidence(Fact.OTHER_STORE, detail=names))
            raise PetstoreError(
                f"the store called itself {names}; check that base_url leads to one store alone"
            )
        self.newest_s = min(self.newest_s, page.age_s)
        self.oldest_s = max(self.oldest_s, page.age_s)
        self.max_page = max(self.max_page, len(page))
        return page

    def probe(self, params: Mapping[str, str]) -> Page | None:
        """Ask beyond the listing; a question that was asked before has the same answer.

        None if the store refused it or the budget is spent.

        Raises:
            AuthenticationError: The key stopped working; nothing more can be learned.
        """
        key = frozenset(params.items())
        if key not in self._answers:
            self._answers[key] = None
            detail = f"no more than {MOST_PROBES} requests beyond the listing are sent"
            if self.spent < MOST_PROBES:
                self.spent += 1
                try:
                    self._answers[key] = self.page(params)
                except AuthenticationError:
                    raise
                except PetstoreError as problem:
                    detail = str(problem)
            if self._answers[key] is None:
                self.troubles.append(Evidence(Fact.QUESTION_FAILED, detail=detail))
        return self._answers[key]
