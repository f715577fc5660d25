"""Looking for one pet: a pet that is not listed is absent only if the listing is whole."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NoReturn

from petstore_frame.errors import CrossOriginError, NotFoundError, PetstoreError
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact, Verdict, weigh
from petstore_frame.inventory.reading import Reading
from petstore_frame.inventory.requests import ReadingClient, Requests
from petstore_frame.inventory.result import PaginationLoopError
from petstore_frame.schema.models import Pet, checked_id
from petstore_frame.schema.text import count_text


class SearchState(StrEnum):
    """The three ends of a search."""

    FOUND = "found"
    ABSENT = "absent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, repr=False)
class PetSearch:
    """What became of a search for a pet; ``client.find_pet`` makes it.

    ``pet`` is None unless it was found, ``basis`` the evidence as text. It is absent if the
    ``assumptions`` hold; where that is unknown, ``next_step`` is what else can be tried.
    """

    state: SearchState
    pet: Pet | None
    basis: str
    requests: int
    assumptions: tuple[str, ...] = ()
    next_step: str = ""

    def __str__(self) -> str:
        what = self.state if self.pet is None else f"{self.state}: {self.pet!r}"
        return f"{what} ({self.basis}){f'; {self.next_step}' if self.next_step else ''}"

    def __repr__(self) -> str:
        return f"<PetSearch: {self}>"

    def __bool__(self) -> NoReturn:
        raise TypeError("a search has three ends; ask .state or .pet")


def find_pet(store: ReadingClient, pet_id: int, *, allow_deprecated: bool = False) -> PetSearch:
    """Look for a pet; see ``Client.find_pet``."""
    pet_id = checked_id(pet_id)
    asked, next_step = 0, "find_pet(..., allow_deprecated=True) asks for it by its id"
    if allow_deprecated:
        search, asked = _ask_directly(store, pet_id)
        if search is not None:
            return search
        next_step = "only the store's operator can tell"
    ask = Requests(store, is_enough=lambda rows: pet_id in rows)
    reading, trouble = Reading(ask), ""
    try:
        with ask:
            reading.run()
    except (PaginationLoopError, CrossOriginError) as problem:
        reading.evidence, trouble = [Evidence(Fact.BROKE_OFF, count=reading.pages)], str(problem)
    requests = asked + ask.requests
    if pet_id in reading.rows:
        listed = ask.known(ask.params())
        is_listed = listed is not None and pet_id in listed.columns.id
        if reading.walk is not None:
            is_listed = pet_id in reading.walk.rows
        where = f"on a page {'of' if is_listed else 'asked for beyond'} the listing"
        columns = reading.rows.columns()
        at = columns.id.index(pet_id)
        return PetSearch(SearchState.FOUND, columns.part(at, at + 1).pets()[0], where, requests)
    finding = weigh([*reading.evidence, *reading.of_rows()])
    basis = f"not among {count_text(len(reading.rows), 'pet')}: {trouble or finding.basis}"
    if finding.verdict is Verdict.COMPLETE:
        return PetSearch(SearchState.ABSENT, None, basis, requests, finding.assumptions)
    return PetSearch(SearchState.UNKNOWN, None, basis, requests, next_step=next_step)


def _ask_directly(store: ReadingClient, pet_id: int) -> tuple[PetSearch | None, int]:
    """Ask the deprecated operation; its 404 counts only while a listed pet still answers."""
    try:
        pet, basis = store.get_pet(pet_id), "GET /pets/{petId}, deprecated"
        return PetSearch(SearchState.FOUND, pet, basis, 1), 1
    except NotFoundError:
        pass
    except PetstoreError:
        return None, 1
    listed = store.ask_page(params={"limit": "1"})
    if not len(listed):
        return None, 2
    try:
        store.get_pet(listed.columns.id[0])
    except PetstoreError:
        return None, 3
    basis = "404 from GET /pets/{petId}, deprecated, which still answers for a pet that is listed"
    assumptions = (str(Assumption.IDS_ANSWER_TRULY),)
    return PetSearch(SearchState.ABSENT, None, basis, 3, assumptions), 3
