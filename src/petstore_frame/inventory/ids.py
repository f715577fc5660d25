"""Reading pets one by one through the deprecated ``get_pet``, when a caller asks for it.

In: a range of ids and a pet known to exist. Out: the rows of the range. A 404 proves that a pet is
absent only while a pet that exists still answers: after the operation's end all ids are 404.
"""

from __future__ import annotations

from collections import Counter

from petstore_frame.errors import NotFoundError
from petstore_frame.inventory.reader import PageReader
from petstore_frame.inventory.rows import Rows
from petstore_frame.models import Pet, PetColumns


class IdWalk:
    """A range of ids asked one by one; ``run`` continues after a failure.

    Args:
        reader: Counts the requests and has the store.
        rows: Takes the pets.
        first: The first id.
        last: The last id, included.
        control_id: The id of a pet known to exist, or None.

    Attributes:
        is_trusted: Whether the control pet answered before and after.
        found: How many pets of each status no page had brought.
    """

    def __init__(
        self, reader: PageReader, rows: Rows, first: int, last: int, control_id: int | None
    ) -> None:
        self.is_trusted = control_id is not None
        self.found: Counter[str | None] = Counter()
        self._reader = reader
        self._rows = rows
        self._following = first
        self._last = last
        self._control_id = control_id

    def run(self) -> None:
        """Ask for each id that is not held yet."""
        self._check_control()
        while self.is_trusted and self._following <= self._last:
            if self._following not in self._rows:
                self._ask(self._following)
            self._following += 1
        self._check_control()

    def _check_control(self) -> None:
        if self.is_trusted and self._control_id is not None:
            self.is_trusted = self._ask(self._control_id)
            self._reader.probes[f"get_pet({self._control_id})"] = (
                "answers" if self.is_trusted else "404 for a pet that exists: not to be trusted"
            )

    def _ask(self, pet_id: int) -> bool:
        try:
            pet = self._reader.ask_pet(pet_id)
        except NotFoundError:
            return False
        if self._rows.add(as_columns(pet)):
            self.found[pet.status] += 1
        self._reader.note(self._rows)
        return True


def as_columns(pet: Pet) -> PetColumns:
    """Return a single pet as columns."""
    return PetColumns([pet.id], [pet.name], [pet.category_id], [pet.status])
