"""Sends one fetch's requests within a budget, and keeps the pets that they brought."""

from __future__ import annotations

import math
import operator
from array import array
from bisect import bisect_left
from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any, Protocol

from petstore_frame.errors import AuthenticationError, PetstoreError
from petstore_frame.schema import FIELDS, PetColumns
from petstore_frame.transport import Page

# The query of a page of all pets, also where one status is read.
MAX_LIMIT = Page.MAX_LIMIT
OF_ALL = {"limit": str(MAX_LIMIT)}
# Requests beyond the listing itself, which a store of whatever size is asked.
MOST_PROBES = 16
_ID, _STATUS = FIELDS.names.index("id"), FIELDS.names.index("status")
# Eight bytes per number instead of an object: a million pets may be in memory at a time.
_IS_COMPACT = [field.dtype == "int64" and field.is_required for field in FIELDS]


class Rows:
    """Pets by id; where one comes twice, the later row counts.

    Attributes:
        disputed: Statuses between which a pet that came twice differed.
        ambiguous_id: An id that came with two names or categories, or None.
    """

    def __init__(self) -> None:
        self._columns: list[MutableSequence[Any]] = [
            array("q") if is_so else [] for is_so in _IS_COMPACT
        ]
        self._ids: MutableSequence[int] = self._columns[_ID]
        # While the ids rise, the common order, they are their own index.
        self._places: dict[int, int] | None = None
        self.ambiguous_id: int | None = None
        self.disputed: set[str | None] = set()

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, pet_id: int) -> bool:
        return self._place(pet_id) is not None

    def add(self, columns: PetColumns, *, is_earlier: bool = False) -> int:
        """Take a page and return how many pets were new; one that came earlier changes no pet."""
        before = len(self._ids)
        if not is_earlier and self._are_new(columns.id):
            self._append(columns)
            return len(columns.id)
        for row in columns.rows():
            place = self._place(row[_ID])
            if place is None:
                self.add(PetColumns.of_rows([row]))
                continue
            for at in self._differences(row, place):
                if not is_earlier:
                    self._columns[at][place] = row[at]
        return len(self._ids) - before

    def columns(self) -> PetColumns:
        """Return the pets as columns, in the order first met."""
        whole = min(map(len, self._columns))  # an interrupt may leave a row half added
        for column in self._columns:
            del column[whole:]
        return PetColumns(*self._columns)

    def _are_new(self, ids: Sequence[int]) -> bool:
        """Return whether no id is known or comes twice; once they do not rise, make an index."""
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

    def _append(self, columns: PetColumns) -> None:
        if self._places is not None:
            self._places.update(zip(columns.id, count(len(self._ids)), strict=False))
        for held, more in zip(self._columns, columns, strict=True):
            held.extend(more)

    def _differences(self, row: Sequence[Any], place: int) -> set[int]:
        """Note in what a row differs from the one that is known of the same id."""
        before = [held[place] for held in self._columns]
        differs = {at for at, value in enumerate(row) if value != before[at]}
        if _STATUS in differs:
            self.disputed |= {before[_STATUS], row[_STATUS]}
        if differs - {_STATUS}:
            self.ambiguous_id = row[_ID]
        return differs


class ReadingClient(Protocol):
    """What a fetch needs of a client."""

    base_url: str

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
        is_enough: Whether to stop with these pets, asked after each page; None reads on.
        on_rows: Called with the number of pets read.
        spent: Requests sent beyond the listing itself, of ``MOST_PROBES``.
        max_page: Length of the longest page seen, a lower bound of the store's own cap.
        newest_s, oldest_s: Ages of the answers, as the ``Age`` headers of caches state them.
        two_names: What the store called itself, where that changed.
    """

    store: ReadingClient
    status: str | None = None
    is_enough: Callable[[Rows], bool] | None = None
    on_rows: Callable[[int], None] = lambda _: None
    requests: int = field(default=0, init=False)
    spent: int = field(default=0, init=False)
    max_page: int = field(default=0, init=False)
    newest_s: float = field(default=math.inf, init=False)
    oldest_s: float = field(default=0.0, init=False)
    store_id: str | None = field(default=None, init=False)
    two_names: str = field(default="", init=False)
    # By query; None where no answer was to be had.
    _answers: dict[frozenset[tuple[str, str]], Page | None] = field(
        default_factory=dict, init=False
    )

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
        """Ask for a page by its parameters, or by an address of the store's."""
        self.requests += 1
        page = self.store.ask_page(address, params=params, number=number)
        found = page.store_id
        self.store_id = self.store_id or found
        if found not in (None, self.store_id):
            self.two_names = f"{self.store_id} and then {found}"
            raise PetstoreError(
                f"the store called itself {self.two_names}; check that base_url leads to one store"
            )
        age_s = page.age_s
        self.newest_s, self.oldest_s = min(self.newest_s, age_s), max(self.oldest_s, age_s)
        self.max_page = max(self.max_page, len(page))
        return page

    def probe(self, params: Mapping[str, str]) -> Page | None:
        """Ask beyond the listing, each question once; None if refused, or the budget is spent."""
        key = frozenset(params.items())
        if key not in self._answers and self.spent < MOST_PROBES:
            self.spent += 1
            self._answers[key] = None
            try:
                self._answers[key] = self.page(params)
            except AuthenticationError:
                raise
            except PetstoreError:
                pass
        return self._answers.get(key)
