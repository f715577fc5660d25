"""How the records of a journal reach the store, and none of them twice.

One thread, the caller's, decides and writes; the others only wait for the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from petstore_frame._internal.interrupts import Interrupts
from petstore_frame.errors import AuthenticationError, JournalError, PetstoreError
from petstore_frame.http.outcome import PostOutcome, Proof
from petstore_frame.http.settings import IdempotencyKey
from petstore_frame.loader.journal.moves import Intent, JournalFullError, Moves, Settlement
from petstore_frame.loader.options import Limits
from petstore_frame.loader.record import Ending, State
from petstore_frame.loader.sending.judge import (
    Echo,
    LookupClient,
    is_key_misused,
    may_repeat,
    read_back,
    settle,
    why_stopped,
)
from petstore_frame.loader.sending.pace import Pace, Repeats, oldest_key
from petstore_frame.loader.sending.pool import Done, Pool, Timing

_INTERRUPTED = "interrupted"
# After so many answers without a pet to read back, the import goes on without that check.
ANSWERS_WITHOUT_PET = 5


def ignore(*_: Any) -> None:
    """Accept values and do nothing."""


class PostingClient(LookupClient, Protocol):
    """Adds pets to a store."""

    @property
    def base_url(self) -> str: ...

    @property
    def idempotency(self) -> IdempotencyKey | None: ...

    def post_pet(
        self, payload: bytes, *, idempotency_key: str | None = None, store_id: str | None = None
    ) -> PostOutcome: ...


@dataclass
class Sender:
    """One session of sending; ``step`` is told each step, so that a test can end the process."""

    client: PostingClient
    journal: Moves
    counts: Counter[State]
    limits: Limits
    timing: Timing
    store_id: str | None = None
    meter: Callable[[Counter[State]], None] = ignore
    step: Callable[[str], None] = ignore

    def __post_init__(self) -> None:
        self._pool = Pool(self.limits.workers, wait=self.timing.wait)
        self._pace = Pace(self.limits.workers, clock=self.timing.clock)
        self._repeats = Repeats(self.timing.clock)
        self._echo = Echo()
        self._in_flight: dict[int, Intent] = {}
        self._settled: list[Settlement] = []
        self._ending: tuple[Ending, str] | None = None
        self._answers = 0
        self._is_asked_to_wait = False
        self._last_failure: Exception | None = None
        # One record alone, and its pet read back, before the others follow.
        self._is_first_due = self.limits.has_canary and not self.counts[State.CREATED]
        self._is_journal_broken = False
        self._problem: Exception | None = None

    def run(self) -> tuple[Ending, str]:
        """Send until nothing is left to send, or a reason to stop.

        Returns:
            Why it ended, as a code and as text.

        Raises:
            JournalError: The journal could not keep an outcome; the text has the ids.
        """
        self._check_budget()
        self._queue_repeats()
        with Interrupts(self._pool.wake) as interrupts, self._pool:
            while not self._is_over():
                ends = self._pool.gather(self._timeout_s())
                for end in ends:
                    end.then(end)
                self._check_patience()
                if interrupts.count:
                    self._stop(Ending.INTERRUPTED, _INTERRUPTED)
                if interrupts.count > 1:
                    self._abandon()
                self._commit()
                self._probe_if_due()
        if self._is_journal_broken:
            raise JournalError(self._unsaved_outcomes())
        if self._problem is not None:
            raise self._problem
        return self._ending or (Ending.DONE, "")

    def _is_over(self) -> bool:
        if self._pool.busy or (self._settled and not self._is_journal_broken):
            return False
        return self._ending is not None or not (self.counts[State.PENDING] or self._repeats)

    def _timeout_s(self) -> float | None:
        """Return how long to wait for the next end; None while only an end can change anything."""
        if self._pool.busy and (self._ending or self._pace.is_open):
            return None
        wait_s = self._pace.wait_s()
        if not self.counts[State.PENDING]:
            wait_s = max(wait_s, self._repeats.wait_s())
        return wait_s if wait_s or not self._pool.busy else None

    def _take(self, intent: Intent, end: Done) -> None:
        if self._in_flight.pop(intent.record, None) is None:
            return
        outcome = self._checked(intent, end.value or _broken(end.error))
        settlement = settle(intent, outcome)
        self._settled.append(settlement)
        self.counts[State.IN_FLIGHT] -= 1
        self.counts[settlement.state] += 1
        self._note_pace(outcome)
        self._check_store(outcome.store_id)
        if outcome.is_systemic or is_key_misused(intent, outcome):
            self._stop(Ending.STOPPED, why_stopped(outcome.error, intent))
        elif may_repeat(settlement, outcome):
            self._repeats.add_later(intent.record)
        self._check_budget()
        if self._is_first_due:
            self._check_first(settlement)

    def _checked(self, intent: Intent, outcome: PostOutcome) -> PostOutcome:
        pet_id = outcome.pet.id if outcome.pet else None
        is_owned = pet_id is not None and (
            any(end.pet_id == pet_id for end in self._settled) or self._is_owned(pet_id)
        )
        return self._echo.check(intent, outcome, is_owned=is_owned)

    def _is_owned(self, pet_id: int) -> bool:
        """Tell whether a record has this id; a broken journal says no, and refuses it later."""
        try:
            return self.journal.owner_of(pet_id) is not None
        except JournalError:
            return False

    def _check_store(self, store_id: str | None) -> None:
        """Stop where another store answers; the first id that a store states counts."""
        if self.store_id is None:
            self.store_id = store_id
        elif store_id not in (None, self.store_id):
            self._stop(
                Ending.STOPPED,
                f"another store answers at {self.client.base_url} now; there the import "
                "begins anew",
            )

    def _note_pace(self, outcome: PostOutcome) -> None:
        self._is_asked_to_wait |= outcome.retry_after_s is not None
        self._last_failure = outcome.error
        if outcome.proof in (Proof.CREATED, Proof.REJECTED):
            self._answers += 1
            self._pace.note_answer()
        elif outcome.proof is Proof.UNKNOWN:
            self._pace.note_doubt(outcome.retry_after_s)
        elif outcome.http_status is None:
            self._pace.open()
        else:
            self._pace.note_pressure(outcome.retry_after_s)

    def _queue_repeats(self) -> None:
        oldest = self._oldest_key()
        if oldest is not None:
            self._repeats.add_now(self.journal.repeatable(oldest, self.timing.now()))

    def _oldest_key(self) -> float | None:
        return oldest_key(self.client.idempotency, self.timing.now())

    def _commit(self) -> None:
        """Put outcomes and the next intents on disk, then send those."""
        if self._is_journal_broken:
            return
        fresh, repeats = self._wanted()
        if not (self._settled or fresh or repeats):
            return
        self.step("commit")
        try:
            intents = self.journal.commit(
                self._settled,
                self.timing.now(),
                fresh=fresh,
                repeats=repeats,
                keys_since=self._oldest_key(),
                store_id=self.store_id,
            )
        except JournalFullError as problem:
            self._settled = []
            self._stop(Ending.JOURNAL, str(problem))
            return
        except JournalError as problem:
            self._is_journal_broken = True
            self._stop(Ending.JOURNAL, str(problem))
            return
        self._settled = []
        self.step("committed")
        for intent in intents:
            self._send(intent)
        self._report_progress()

    def _report_progress(self) -> None:
        """Call the caller's function; whatever it raises waits for the requests in flight."""
        try:
            self.meter(self.counts)
        except KeyboardInterrupt:  # a caller's function stops an import as Ctrl-C does
            self._stop(Ending.INTERRUPTED, _INTERRUPTED)
        except Exception as problem:  # noqa: BLE001 # raised again once nothing is in flight
            self._problem = problem
            self._stop(Ending.INTERRUPTED, _INTERRUPTED)

    def _wanted(self) -> tuple[int, list[int]]:
        if self._ending is not None:
            return 0, []
        room = self._pace.room(self._pool.busy)
        if self._is_first_due:
            room = min(room, 1 - self._pool.busy)
        repeats = self._repeats.take(room)
        return max(0, min(room - len(repeats), self.counts[State.PENDING])), repeats

    def _send(self, intent: Intent) -> None:
        self.counts[State.UNKNOWN if intent.is_in_doubt else State.PENDING] -= 1
        self.counts[State.IN_FLIGHT] += 1
        self._in_flight[intent.record] = intent
        self._echo.note_sent(intent)
        post = partial(
            self.client.post_pet,
            intent.payload,
            idempotency_key=intent.key,
            store_id=self.store_id,
        )
        self._pool.start(post, partial(self._take, intent))

    def _stop(self, ending: Ending, detail: str) -> None:
        """Start nothing more; the first reason counts, unless the journal fails."""
        if self._ending is None or ending is Ending.JOURNAL:
            self._ending = (ending, detail)

    def _abandon(self) -> None:
        """Stop waiting: what is on its way is in doubt from now on."""
        self._pool.abandon()
        for intent in self._in_flight.values():
            self._settled.append(Settlement(intent, State.UNKNOWN, "unknown", "abandoned"))
            self.counts[State.UNKNOWN] += 1
        self.counts[State.IN_FLIGHT] = 0
        self._in_flight = {}

    def _check_budget(self) -> None:
        most = self.limits.max_errors
        for state in (State.INVALID, State.REJECTED):
            if most is not None and self.counts[state] > most:
                self._stop(
                    Ending.BUDGET,
                    f"{self.counts[state]:,} {state}, more than the {most:,} allowed; fix them, or "
                    "allow more",
                )

    def _check_patience(self) -> None:
        limits, pace = self.limits, self._pace
        is_there = self._answers or self._is_asked_to_wait
        patience_s = limits.patience_s if is_there else limits.first_patience_s
        if pace.is_fruitless:
            self._stop(
                Ending.OUTAGE,
                "the store answers GET, but again and again no POST; ask its operator",
            )
        elif pace.down_s() > patience_s:
            self._stop(
                Ending.OUTAGE,
                f"the store at {self.client.base_url} gave no usable answer for "
                f"{pace.down_s():.0f} s; the last failure: {self._last_failure}",
            )
        elif pace.wait_s() > limits.patience_s:
            self._stop(
                Ending.OUTAGE,
                f"the store at {self.client.base_url} asks to wait {pace.wait_s():.0f} s, and an "
                f"import waits {limits.patience_s:.0f} s at most",
            )

    def _probe_if_due(self) -> None:
        pace = self._pace
        if pace.is_open and not self._pool.busy and not self._ending and not pace.wait_s():
            self._pool.start(partial(self.client.list_pets, 1), self._probed)

    def _probed(self, end: Done) -> None:
        if isinstance(end.error, AuthenticationError):
            self._stop(Ending.STOPPED, why_stopped(end.error))
        elif end.error is not None and not isinstance(end.error, PetstoreError):
            raise end.error
        if end.error is None:
            self._check_store(end.value.store_id)
        else:
            self._last_failure = end.error
        self._pace.note_probe(is_up=end.error is None)

    def _check_first(self, first: Settlement) -> None:
        """Read the first pet back; the others wait no longer where there is none to read."""
        intent = first.intent
        if first.pet_id is not None:
            reading = partial(read_back, self.client, first.pet_id, intent.payload)
            self._pool.start(reading, self._take_first)
        elif first.state is State.CREATED or self._answers >= ANSWERS_WITHOUT_PET:
            self._is_first_due = False

    def _take_first(self, end: Done) -> None:
        if end.error is not None:
            raise end.error
        self._is_first_due = False
        self.journal.note(self.timing.now(), "canary", {"differences": end.value})
        if end.value:
            self._stop(
                Ending.STOPPED,
                f"the first pet came back changed: {'; '.join(end.value)}; look at it, then run "
                "the same import again to go on regardless",
            )

    def _unsaved_outcomes(self) -> str:
        """Name the outcomes that the journal could not keep, so that they are not lost."""
        _, problem = self._ending or (Ending.JOURNAL, "")
        lost = [
            f"record {end.intent.record} is {end.state}"
            + (f" with id {end.pet_id}" if end.pet_id is not None else "")
            for end in self._settled
        ]
        return f"{problem}; not on disk: {', '.join(lost)}" if lost else problem


def _broken(problem: Exception | None) -> PostOutcome:
    """Judge a client that raised where it should have answered: nothing is proven."""
    error = problem if isinstance(problem, PetstoreError) else PetstoreError(repr(problem))
    return PostOutcome(Proof.UNKNOWN, type(problem).__name__, error=error, is_systemic=True)
