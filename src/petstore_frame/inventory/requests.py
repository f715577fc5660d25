"""Sends one fetch's requests within a budget, with a cache, and keeps the pets read so far."""

from __future__ import annotations

import math
import operator
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import count, islice
from typing import Any, Protocol, TypeAlias

from petstore_frame.errors import AuthenticationError, PetstoreError
from petstore_frame.inventory.evidence import Evidence, Fact
from petstore_frame.schema.frame import PetColumns
from petstore_frame.schema.models import FIELDS, PET_COLUMNS, Pet
from petstore_frame.transport.page import Page

_ID, _STATUS = PET_COLUMNS.index("id"), PET_COLUMNS.index("status")
_Query: TypeAlias = tuple[tuple[str, str], ...]
DEFAULT_PROBE_BUDGET = 16
SIDE_BY_SIDE = 4
TRIED_ROWS = 10


class Rows:
    """Pets by id, in compact columns; where one comes twice, the later row counts.

    Attributes:
        repeated: Rows of pages whose pet was known already.
        disputed: Statuses between which a pet that came twice differed.
        ambiguous_id: An id that came with two names or categories, or None.
    """

    def __init__(self) -> None:
        # Eight bytes per number instead of an object: a million pets may be in memory at a time.
        self._columns: list[MutableSequence[Any]] = [
            array("q") if field.dtype == "int64" and field.is_required else [] for field in FIELDS
        ]
        self._ids: MutableSequence[int] = self._columns[_ID]
        # While the ids rise, the common order, they are their own index.
        self._places: dict[int, int] | None = None
        self.repeated = self._whole = 0
        self.ambiguous_id: int | None = None
        self.disputed: set[str | None] = set()

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, pet_id: int) -> bool:
        return self._place(pet_id) is not None

    @property
    def last_id(self) -> int:
        """The id met last; there must be one."""
        return self._ids[-1]

    def add(self, columns: PetColumns) -> int:
        """Take the rows of a page and return how many pets were new."""
        new = self.update(columns)
        self.repeated += len(columns.id) - new
        return new

    def update(self, columns: PetColumns) -> int:
        """Take rows that are no part of the listing's order; return how many pets were new."""
        ids, before = columns.id, len(self._ids)
        if not self._are_new(ids):
            for row in columns.rows():
                self._put(row)
            return len(self._ids) - before
        if self._places is not None:
            self._places.update(zip(ids, count(before), strict=False))
        for held, more in zip(self._columns, columns, strict=True):
            # An array takes another one at once, and a list number by number.
            held.extend(array("q", more) if isinstance(held, array) else more)
        self._whole = len(self._ids)
        return len(ids)

    def cut(self, count: int | None = None) -> None:
        """Go back to so many rows; None mends what an interrupt left half added."""
        self._whole = self._whole if count is None else count
        for column in self._columns:
            del column[self._whole :]
        if self._places is not None:
            self._places = {pet_id: place for place, pet_id in enumerate(self._ids)}

    def _are_new(self, ids: Sequence[int]) -> bool:
        """Tell whether no id is known or comes twice; once they do not rise, make an index."""
        if self._places is None:
            is_behind = not self._ids or not ids or ids[0] > self._ids[-1]
            if is_behind and all(map(operator.lt, ids, islice(ids, 1, None))):
                return True
            self._places = {pet_id: place for place, pet_id in enumerate(self._ids)}
        return self._places.keys().isdisjoint(ids) and len({*ids}) == len(ids)

    def _place(self, pet_id: int) -> int | None:
        if self._places is not None:
            return self._places.get(pet_id)
        place = bisect_left(self._ids, pet_id)
        return place if place < len(self._ids) and self._ids[place] == pet_id else None

    def _put(self, row: Sequence[Any]) -> None:
        pet_id, place = row[_ID], self._place(row[_ID])
        if place is None:
            self.update(PetColumns.of_rows([row]))
        else:
            before = [held[place] for held in self._columns]
            if any(
                one != other
                for at, (one, other) in enumerate(zip(before, row, strict=True))
                if at != _STATUS
            ):
                self.ambiguous_id = pet_id
            self._note_status(before[_STATUS], row[_STATUS])
            for held, value in zip(self._columns, row, strict=True):
                held[place] = value

    def _note_status(self, before: str | None, after: str | None) -> None:
        if before != after:
            self.disputed |= {before, after}

    def add_all(self, other: Rows) -> None:
        """Take the pets of a later collection."""
        self.disputed |= other.disputed
        self.ambiguous_id = self.ambiguous_id or other.ambiguous_id
        self.update(other.columns())

    def compare(self, columns: PetColumns) -> None:
        """Note the pets whose status was another one on an earlier page."""
        for pet_id, earlier in zip(columns.id, columns.status, strict=True):
            place = self._place(pet_id)
            status = earlier if place is None else self._columns[_STATUS][place]
            self._note_status(earlier, status)

    def columns(self) -> PetColumns:
        """Return the pets as columns, in the order first met."""
        return PetColumns(*self._columns)


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


@dataclass(eq=False)
class Requests:
    """Asks a store for pages, and remembers the answer to each question beyond the listing.

    So a fetch that broke off can begin with its first question once more, and goes on where it was.

    Attributes:
        budget: Requests allowed beyond the listing itself; ``spent`` of it were sent.
        may_probe: Whether to ask for, and believe, anything beyond the interface.
        is_enough: Whether to stop with these pets, asked after each page; None reads on.
        on_rows: Called with the number of pets read.
        rows: All pets read; the walk under way may have rows of its own.
        way: The walk through the listing that was begun, or None.
        max_page: Length of the longest page seen, a lower bound of the store's own cap.
        newest_s, oldest_s: Ages of the answers, as the ``Age`` headers of caches state them; an
            answer without one was made just now.
        damaged: Ids of the pets with U+FFFD for half a character in a text.
        troubles: Questions that failed or were not asked, and answers that do not fit together.
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
    newest_s: float = field(default=math.inf, init=False)
    oldest_s: float = field(default=0.0, init=False)
    troubles: list[Evidence] = field(default_factory=list, init=False)
    store_id: str | None = field(default=None, init=False)
    # None where no answer was to be had.
    _answered: dict[_Query, Page | None] = field(default_factory=dict, init=False)

    def begin_again(self) -> None:
        """Get ready to go on after a failure: questions without an answer may be asked again."""
        self.spent = 0
        self._answered = {key: page for key, page in self._answered.items() if page is not None}

    def has_enough(self, rows: Rows | None = None) -> bool:
        """Tell whether the caller's cap is passed, or all that the caller looks for is there."""
        return self.is_enough is not None and self.is_enough(self.rows if rows is None else rows)

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
        return self._noted(self.store.ask_page(address, params=params, number=number))

    def begin(self, pool: ThreadPoolExecutor, params: Mapping[str, str]) -> Future[Page]:
        """Ask for a page side by side with others; ``take`` has the answer."""
        self.requests += 1
        return pool.submit(self.store.ask_page, params=params)

    def take(self, answer: Future[Page]) -> Page:
        """Wait for the answer of ``begin``; raises as ``page`` does."""
        return self._noted(answer.result())

    def _noted(self, page: Page) -> Page:
        self.store_id = self.store_id or page.store_id
        if page.store_id not in (None, self.store_id):
            names = f"{self.store_id} and then {page.store_id}"
            self.troubles.append(Evidence(Fact.OTHER_STORE, detail=names))
            raise PetstoreError(
                f"the store called itself {names}; check that base_url leads to one store alone"
            )
        text = (page.headers.get("Age") or "").strip()
        age_s = float(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0.0
        self.newest_s, self.oldest_s = min(self.newest_s, age_s), max(self.oldest_s, age_s)
        self.max_page = max(self.max_page, len(page))
        self.damaged.update(page.damaged)
        return page

    def has_budget_for(self, asked: Iterable[Mapping[str, str]]) -> bool:
        """Tell whether all these questions may be asked; a question asked before costs nothing."""
        new = {tuple(params.items()) for params in asked} - self._answered.keys()
        return self.spent + len(new) <= self.budget

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
            self._answer(key, partial(self.page, params))
        return self._answered[key]

    def probe_all(self, asked: Iterable[Mapping[str, str]]) -> None:
        """Ask several questions side by side; ``known`` has the answers."""
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            answers = {
                tuple(params.items()): self.begin(pool, params)
                for params in asked
                if self._may_ask(tuple(params.items()))
            }
        for key, answer in answers.items():
            self._answer(key, partial(self.take, answer))

    def short_page(self, first: Page) -> Page | None:
        """Ask for the beginning of a page already read, to see whether it comes again.

        The short page may be longer than was asked for. None where there is none or it has other
        pets: then the listing keeps no order, and no parameter can be tried on it.
        """
        ids = list(first.columns.id)
        size = min(TRIED_ROWS, len(ids) // 3)
        page = self.probe(self.params(limit=size)) if size > 1 else None
        if page is None or not size <= len(page) <= len(ids):
            return None
        return page if list(page.columns.id) == ids[: len(page)] else None

    def _may_ask(self, key: _Query) -> bool:
        """Take a new question off the budget; False, with a note, where nothing is left of it."""
        if key in self._answered:
            return False
        if self.spent >= self.budget:
            detail = f"max_probes allows {self.budget:,} requests beyond the listing"
            self.troubles.append(Evidence(Fact.QUESTION_FAILED, detail=detail))
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
