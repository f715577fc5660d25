"""Group commits: the additions that wait become one durable transaction, in one thread."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from collections.abc import Sequence

from sqlalchemy.exc import SQLAlchemyError

from petstore_frame.service.errors import unavailable
from petstore_frame.service.models import NewPet
from petstore_frame.service.store import Added, Addition, NotStored, Store

MAX_BATCH = 256
SWEEP_S = 3600
_Waiting = tuple[Addition, "asyncio.Future[Added]"]


class Writer:
    """The one thread that adds pets; ``close`` waits for what was handed over."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    async def add(self, pet: NewPet, key: str | None = None) -> Added:
        """Add one pet; returns once it is on disk.

        Raises:
            Refusal: 503, and the pet was certainly not stored.
        """
        answer: asyncio.Future[Added] = self._loop.create_future()
        self._waiting.put((Addition(pet, key), answer))
        try:
            return await answer
        except NotStored as problem:
            message = "the store cannot write at the moment; nothing was stored"
            raise unavailable(message) from problem

    async def close(self) -> None:
        self._waiting.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        swept = time.monotonic()
        while (first := self._waiting.get()) is not None:
            batch = [first]
            ends = False
            while len(batch) < MAX_BATCH and not self._waiting.empty():
                following = self._waiting.get()
                if following is None:
                    ends = True
                    break
                batch.append(following)
            self._commit(batch)
            if ends:
                return
            if time.monotonic() - swept > SWEEP_S:
                swept = time.monotonic()
                with contextlib.suppress(SQLAlchemyError):  # old keys can wait for the next sweep
                    self._store.forget_old_keys()

    def _commit(self, batch: list[_Waiting]) -> None:
        try:
            added: Sequence[Added | Exception] = self._store.add([item for item, _ in batch])
        except Exception as problem:  # noqa: BLE001 # each waiting request answers for itself
            added = [problem] * len(batch)
        answers = [future for _, future in batch]
        self._loop.call_soon_threadsafe(_settle, answers, added)


def _settle(answers: list[asyncio.Future[Added]], added: Sequence[Added | Exception]) -> None:
    for answer, outcome in zip(answers, added, strict=True):
        if answer.done():  # the request was cancelled meanwhile
            continue
        if isinstance(outcome, Exception):
            answer.set_exception(outcome)
        else:
            answer.set_result(outcome)
