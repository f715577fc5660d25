"""Reading pets one by one through the deprecated ``get_pet``, when a caller asks for it.

A 404 means that there is no such pet only while a known pet still answers: once the operation is
gone, every id gives 404.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from petstore_frame.errors import (
    APIStatusError,
    AuthenticationError,
    ContractError,
    RateLimitError,
)
from petstore_frame.inventory.asker import SIDE_BY_SIDE, Asker
from petstore_frame.inventory.evidence import Evidence, Fact
from petstore_frame.schema.frame import PetColumns
from petstore_frame.schema.models import Pet
from petstore_frame.schema.text import REPLACEMENT

# After so many ids without a readable answer, the walk stops.
MAX_UNREAD = 20
_ABSENT = (404, 410)


class IdWalk:
    """A range of ids, both ends included, asked one by one, some side by side.

    ``run`` continues after a failure.
    """

    def __init__(self, ask: Asker, first: int, last: int) -> None:
        self._ask, self._rows = ask, ask.rows
        self._first, self._following, self._last = first, first, last
        self._control_id = self._rows.last_id if len(self._rows) else None
        self._notes: list[Evidence] = []
        self._unread = 0
        # How many pets of each status no page had brought.
        self._found: Counter[str | None] = Counter()

    def run(self) -> None:
        """Ask for each id that was not read yet.

        Raises:
            PetstoreError: No answer, a refused key, or too many requests; ``run`` asks again.
        """
        self._check_control()
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            while self._control_id is not None and not self._is_over():
                self._ask_some(pool)
        self._check_control()

    def evidence(self, exact: Collection[str]) -> Iterator[Evidence]:
        """Yield what the ids show, also of statuses whose pages seemed to hold every pet."""
        yield from dict.fromkeys(self._notes)
        if self._following > self._first:
            asked = f"{self._first} to {self._following - 1}"
            yield Evidence(Fact.IDS_READ, count=self._found.total(), detail=asked)
        for status in {*exact} & {*self._found}:
            yield Evidence(Fact.IDS_LEFT_OUT, status, count=self._found[status])

    def _is_over(self) -> bool:
        is_over = self._unread >= MAX_UNREAD or self._following > self._last
        return is_over or self._ask.has_enough(self._rows)

    def _ask_some(self, pool: ThreadPoolExecutor) -> None:
        """Ask for the next ids side by side, and take the answers in order."""
        rest = range(self._following, self._last + 1)
        wanted = list(islice((pet_id for pet_id in rest if pet_id not in self._rows), SIDE_BY_SIDE))
        self._ask.requests += len(wanted)
        answers = [pool.submit(self._answer, pet_id) for pet_id in wanted]
        self._ask.interrupts.wait(*answers)
        for pet_id, answer in zip(wanted, answers, strict=True):
            self._take(pet_id, answer.result())
            self._following = pet_id + 1
        if len(wanted) < SIDE_BY_SIDE:
            self._following = self._last + 1
        self._ask.tell(self._rows)

    def _answer(self, pet_id: int) -> Pet | APIStatusError | ContractError:
        """Return the pet, or the store's answer that is not one."""
        try:
            return self._ask.store.get_pet(pet_id)
        except (AuthenticationError, RateLimitError):
            raise  # they say nothing about the pet
        except (APIStatusError, ContractError) as problem:
            return problem

    def _take(self, pet_id: int, answer: Pet | APIStatusError | ContractError) -> None:
        if isinstance(answer, Pet):
            if REPLACEMENT in f"{answer.name}{answer.status}":
                self._ask.damaged.add(pet_id)
            if self._rows.update(PetColumns.of_pets([answer])):
                self._found[answer.status] += 1
        elif not (isinstance(answer, APIStatusError) and answer.status_code in _ABSENT):
            self._unread += 1
            self._notes.append(Evidence(Fact.ID_UNREAD, count=pet_id, detail=str(answer)))

    def _check_control(self) -> None:
        """Ask for a pet known to exist; if it does not come, a 404 proves nothing."""
        if self._control_id is None:
            return
        self._ask.requests += 1
        with self._ask.interrupts.allow():
            answer = self._answer(self._control_id)
        if isinstance(answer, Pet):
            self._take(self._control_id, answer)
            return
        self._control_id = None
        shown = str(answer.status_code) if isinstance(answer, APIStatusError) else "no pet"
        self._notes.append(Evidence(Fact.IDS_NOT_TRUSTED, detail=shown))
