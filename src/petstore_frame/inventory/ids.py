"""Reading pets one by one through the deprecated ``get_pet``, when a caller asks for it.

In: a range of ids and a pet known to exist. Out: the rows of the range. A 404 proves that a pet is
absent only while a pet that exists still answers: after the operation's end all ids are 404.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import islice

from petstore_frame.errors import (
    APIStatusError,
    AuthenticationError,
    ContractError,
    RateLimitError,
)
from petstore_frame.inventory.reader import SIDE_BY_SIDE, PageReader
from petstore_frame.inventory.rows import Rows
from petstore_frame.schema.columns import PetColumns
from petstore_frame.schema.models import Pet

# After so many ids without a readable answer, none is expected any more.
MAX_UNREAD = 20
_ABSENT = (404, 410)


class IdWalk:
    """A range of ids asked one by one, some side by side; ``run`` continues after a failure.

    Args:
        reader: Counts the requests and has the store.
        rows: Takes the pets.
        first: The first id.
        last: The last id, included.
        control_id: The id of a pet known to exist, or None.
        max_pets: Stop once so many pets are held; None for no cap.

    Attributes:
        is_trusted: Whether the control pet answered before and after.
        found: How many pets of each status no page had brought.
        unread: Ids for which the store gave neither a pet nor proof that there is none.
    """

    def __init__(
        self,
        reader: PageReader,
        rows: Rows,
        first: int,
        last: int,
        *,
        control_id: int | None,
        max_pets: int | None = None,
    ) -> None:
        self.is_trusted = control_id is not None
        self.found: Counter[str | None] = Counter()
        self.unread: list[int] = []
        self._reader = reader
        self._rows = rows
        self._following = first
        self._last = last
        self._control_id = control_id
        self._max_pets = max_pets

    @property
    def is_whole(self) -> bool:
        """Whether every pet of the range is held, as far as a 404 can be trusted."""
        return self.is_trusted and self._following > self._last and not self.unread

    def run(self) -> None:
        """Ask for each id that is not held yet.

        Raises:
            PetstoreError: No answer, a refused key, or too many requests; ``run`` asks again.
        """
        self._check_control()
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            while self.is_trusted and self._following <= self._last and not self._is_enough():
                self._ask_some(pool)
        self._check_control()

    def _is_enough(self) -> bool:
        is_full = self._max_pets is not None and len(self._rows) >= self._max_pets
        return is_full or len(self.unread) >= MAX_UNREAD

    def _ask_some(self, pool: ThreadPoolExecutor) -> None:
        """Ask for the next ids side by side, and take the answers in order."""
        rest = range(self._following, self._last + 1)
        wanted = list(islice((pet_id for pet_id in rest if pet_id not in self._rows), SIDE_BY_SIDE))
        answers = [pool.submit(self._ask, pet_id) for pet_id in wanted]
        with self._reader.interrupts.allow():
            wait(answers)
        for pet_id, answer in zip(wanted, answers, strict=True):
            self._take(pet_id, answer.result())
            self._following = pet_id + 1
        if len(wanted) < SIDE_BY_SIDE:
            self._following = self._last + 1
        self._reader.note(self._rows)

    def _ask(self, pet_id: int) -> Pet | APIStatusError | ContractError:
        """Return the pet, or the store's answer that is not one."""
        try:
            return self._reader.ask_pet(pet_id)
        except (AuthenticationError, RateLimitError):
            raise  # they say nothing about the pet
        except (APIStatusError, ContractError) as problem:
            return problem

    def _take(self, pet_id: int, answer: Pet | APIStatusError | ContractError) -> None:
        if isinstance(answer, Pet):
            if self._rows.add(as_columns(answer)):
                self.found[answer.status] += 1
        elif not (isinstance(answer, APIStatusError) and answer.status_code in _ABSENT):
            self.unread.append(pet_id)
            self._reader.probes[f"get_pet({pet_id})"] = f"failed: {answer}"

    def _check_control(self) -> None:
        """Ask for a pet known to exist; if it does not come, a 404 proves nothing."""
        if self.is_trusted and self._control_id is not None:
            answer = self._ask(self._control_id)
            self.is_trusted = isinstance(answer, Pet)
            if self.is_trusted:
                self._take(self._control_id, answer)
            shown = answer.status_code if isinstance(answer, APIStatusError) else "no pet"
            self._reader.probes[f"get_pet({self._control_id})"] = (
                "answers"
                if self.is_trusted
                else f"{shown} for a pet that exists: not to be trusted"
            )


def as_columns(pet: Pet) -> PetColumns:
    """Return a single pet as columns."""
    return PetColumns([pet.id], [pet.name], [pet.category_id], [pet.status])
