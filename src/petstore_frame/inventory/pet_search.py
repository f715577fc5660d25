"""Looking for one pet: a pet that is not listed is absent only if the listing is whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NoReturn

from petstore_frame.inventory.evidence import Verdict, weigh
from petstore_frame.inventory.reading import Reading
from petstore_frame.inventory.requests import ReadingClient, Requests
from petstore_frame.schema.models import Pet, checked_id
from petstore_frame.schema.text import count_text


@dataclass(frozen=True, repr=False)
class PetSearch:
    """What became of a search for a pet; ``client.find_pet`` makes it.

    ``pet`` is None unless it was found, ``basis`` the evidence as text. It is absent if the
    ``assumptions`` hold.
    """

    state: Literal["found", "absent", "unknown"]
    pet: Pet | None
    basis: str
    requests: int
    assumptions: tuple[str, ...] = ()

    def __repr__(self) -> str:
        what = self.state if self.pet is None else f"{self.state}: {self.pet!r}"
        return f"<PetSearch: {what} ({self.basis})>"

    def __bool__(self) -> NoReturn:
        raise TypeError("a search has three ends; ask .state or .pet")


def find_pet(store: ReadingClient, pet_id: int) -> PetSearch:
    """Look for a pet; see ``Client.find_pet``."""
    pet_id = checked_id(pet_id)
    ask = Requests(store, is_enough=lambda rows: pet_id in rows)
    reading = Reading(ask)
    reading.run()
    if pet_id in reading.rows:
        columns = reading.rows.columns()
        at = columns.id.index(pet_id)
        pet = columns.part(at, at + 1).pets()[0]
        return PetSearch("found", pet, "the store listed it", ask.requests)
    finding = weigh([*reading.evidence, *reading.of_rows()])
    basis = f"not among {count_text(len(reading.rows), 'pet')}: {finding.basis}"
    if finding.verdict is Verdict.COMPLETE:
        return PetSearch("absent", None, basis, ask.requests, finding.assumptions)
    return PetSearch("unknown", None, basis, ask.requests)
