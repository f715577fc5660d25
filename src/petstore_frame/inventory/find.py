"""Looking for one pet: found, proven absent, or unknown.

In: a store and an id. Out: a PetSearch. The interface's replacement for the deprecated get-by-id
is a listing, and a pet that is not listed is absent only if the listing is whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn

from petstore_frame.arguments import MAX_LIMIT
from petstore_frame.errors import NotFoundError, PetstoreError
from petstore_frame.inventory.completeness import ALL_PETS, Verdict
from petstore_frame.inventory.reader import DEFAULT_PROBE_BUDGET, ClientLike, Reader
from petstore_frame.inventory.strategies import Ladder
from petstore_frame.models import Pet, PetColumns


class SearchState(StrEnum):
    """The three ends of a search."""

    FOUND = "found"
    ABSENT = "absent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, repr=False)
class PetSearch:
    """What became of a search for a pet; ``client.find_pet`` makes it.

    Attributes:
        state: found, absent (proven) or unknown.
        pet: The Pet, or None unless found.
        basis: The evidence, in words.
        requests: Requests sent.
    """

    state: SearchState
    pet: Pet | None
    basis: str
    requests: int

    def __str__(self) -> str:
        what = self.state if self.pet is None else f"{self.state}: {self.pet!r}"
        return f"{what} ({self.basis})"

    def __repr__(self) -> str:
        return f"<PetSearch: {self}>"

    def __bool__(self) -> NoReturn:
        raise TypeError("a search has three ends; ask .state or .pet")


class _Met(PetstoreError):  # noqa: N818 # no error: it ends the reading early
    """The pet came by."""


def find_pet(store: ClientLike, pet_id: int, *, allow_deprecated: bool = False) -> PetSearch:
    """Look for a pet; see ``Client.find_pet``."""
    asked = 0
    if allow_deprecated:
        search, asked = _ask_directly(store, pet_id)
        if search is not None:
            return search
    return _read_until_met(store, pet_id, asked)


def _read_until_met(store: ClientLike, pet_id: int, asked: int) -> PetSearch:
    def on_rows(_: int) -> None:
        if pet_id in ladder.rows:
            raise _Met

    reader = Reader(
        store, status=None, limit=MAX_LIMIT, budget=DEFAULT_PROBE_BUDGET, on_rows=on_rows
    )
    ladder = Ladder(reader, may_probe=True, max_pets=None)
    basis, is_whole = "on a page of the listing", False
    try:
        finding = ladder.climb()
        basis = finding.basis
        is_whole = finding.verdict is Verdict.COMPLETE and finding.scope == ALL_PETS
    except _Met:
        pass
    requests = asked + reader.requests
    if pet_id in ladder.rows:
        return PetSearch(SearchState.FOUND, _pet(ladder.rows.columns(), pet_id), basis, requests)
    state = SearchState.ABSENT if is_whole else SearchState.UNKNOWN
    return PetSearch(state, None, f"not among {len(ladder.rows):,} pets: {basis}", requests)


def _pet(columns: PetColumns, pet_id: int) -> Pet:
    at = columns.id.index(pet_id)
    return Pet(
        id=pet_id,
        name=columns.name[at],
        category_id=columns.category_id[at],
        status=columns.status[at],
    )


def _ask_directly(store: ClientLike, pet_id: int) -> tuple[PetSearch | None, int]:
    """Ask the deprecated operation; its 404 counts only while a listed pet still answers."""
    try:
        pet = store.get_pet(pet_id)
    except NotFoundError:
        pass
    except PetstoreError:
        return None, 1
    else:
        basis = "GET /pets/{petId}, deprecated"
        return PetSearch(SearchState.FOUND, pet, basis, 1), 1
    listed = store.ask_page("/pets", params={"limit": "1"}).read()
    if not len(listed):
        return None, 2
    try:
        store.get_pet(listed.columns.id[0])
    except PetstoreError:
        return None, 3
    basis = "404 from GET /pets/{petId}, deprecated, which still answers for a pet that is listed"
    return PetSearch(SearchState.ABSENT, None, basis, 3), 3
