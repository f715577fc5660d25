"""Finds one pet by reading the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NoReturn

from petstore_frame.inventory.reading.fetch import read_pets
from petstore_frame.inventory.reading.page_fetcher import PageFetcher, ReadingClient
from petstore_frame.inventory.reading.reading_state import ReadingState
from petstore_frame.inventory.verdict.facts import Verdict, weigh
from petstore_frame.schema import Pet, count_text
from petstore_frame.validation import before_sending, checked_integer, wrong_client


@dataclass(frozen=True, repr=False)
class PetSearch:
    """The outcome of a search for a pet; ``find_pet`` returns it.

    ``pet`` is the pet, or None if it was not found. ``reason`` is the evidence as text. If
    ``state`` is ``absent``, that is true if the ``assumptions`` hold.
    """

    state: Literal["found", "absent", "unknown"]
    pet: Pet | None
    reason: str
    requests: int
    assumptions: tuple[str, ...] = ()

    def __repr__(self) -> str:
        what = self.state if self.pet is None else f"{self.state}: {self.pet!r}"
        return f"<PetSearch: {what} ({self.reason})>"

    def __bool__(self) -> NoReturn:
        raise TypeError("a search has three outcomes; use .state or .pet")


@before_sending()
def find_pet(client: ReadingClient, pet_id: int) -> PetSearch:
    """Look for a pet by id, without the deprecated ``get_pet``.

    The store is read until the pet is found. The pet is ``absent`` only if all pets were read.

    Args:
        client: A Client.
        pet_id: The id, an int64.

    Returns:
        A PetSearch; its ``state`` is ``found``, ``absent`` or ``unknown``.

    Raises:
        ArgumentError: The id is not a whole number; nothing was sent.
        PetstoreError: As for ``Client.list_pets``.

    Example:
        >>> import petstore_frame as pf
        >>> with pf.serve(sample=3, seed=7) as server, server.client() as client:
        ...     pf.find_pet(client, 17).state
        'absent'

    Interface: Endpoints, List all animals.
    """
    if not isinstance(client, ReadingClient):
        raise wrong_client(client)
    pet_id = checked_integer("pet_id", pet_id)
    fetcher = PageFetcher(client)
    first = fetcher.page(fetcher.params(), number=1)
    state = ReadingState(fetcher, first, is_enough=lambda rows: pet_id in rows)
    read_pets(state)
    position = state.rows.position(pet_id)
    if position is not None:
        pet = state.rows.columns.part(position, position + 1).pets()[0]
        return PetSearch("found", pet, "the store listed it", fetcher.requests)
    finding = weigh(state.evidence)
    reason = f"not among {count_text(len(state.rows), 'pet')}: {finding.reason}"
    if finding.verdict is Verdict.COMPLETE:
        return PetSearch("absent", None, reason, fetcher.requests, finding.assumptions)
    return PetSearch("unknown", None, reason, fetcher.requests)
