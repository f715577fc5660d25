"""Sends the rows of one import, none of them twice.

One thread, the caller's, decides and writes; the others only wait for the store.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from petstore_frame.errors import AuthenticationError, JournalError, PetstoreError
from petstore_frame.loader.journal.database import Writer
from petstore_frame.loader.journal.outcomes import Intent, Outcome, Outcomes
from petstore_frame.loader.journal.rows import Import
from petstore_frame.loader.load_options import DEFAULT_WORKERS, MOST_WORKERS, LoadOptions
from petstore_frame.loader.row_state import Ending, State
from petstore_frame.loader.sending.pace import Pace
from petstore_frame.loader.sending.pool import Done, Pool, SessionClocks
from petstore_frame.loader.sending.post_judgment import (
    broken,
    checked_answer,
    judge,
    unsaved,
    why_stopped,
)
from petstore_frame.storage.progress import ProgressBar
from petstore_frame.transport import IdempotencyKey, Interrupts, PostOutcome, Proof

_INTERRUPTED = "interrupted"
# More than are ever in flight, so the request that an answer belongs to is among them.
RECENT = 256
MOST_ROUNDS = 8
FIRST_ROUND_S, LONGEST_ROUND_S = 0.5, 30.0
KEY_MARGIN_S = 300.0


def ignore(*_: Any) -> None:
    """Accept values and do nothing."""


class PostingClient(Protocol):
    """Adds pets to a store, and reads it."""

    @property
    def base_url(self) -> str: ...

    @property
    def idempotency(self) -> IdempotencyKey | None: ...

    def post_pet(
        self, payload: bytes, *, idempotency_key: str | None = None, store_id: str | None = None
    ) -> PostOutcome: ...

    def list_pets(self, limit: int = 100, status: Any = None) -> Any: ...

    def ask_page(self, *args: Any, **options: Any) -> Any: ...


def run_session(
    writer: Writer,
    run: Import,
    client: PostingClient,
    options: LoadOptions,
    *,
    timing: SessionClocks,
    is_new: bool = False,
    step: Callable[[str], None] = ignore,
) -> bool:
    """Send what is pending of an import; return whether there was anything to do."""
    outcomes = Outcomes(writer, run)
    counts = Counter(outcomes.counts())
    may_repeat = counts[State.UNCONFIRMED] and client.idempotency
    if not (is_new or counts[State.PENDING] or counts[State.IN_FLIGHT] or may_repeat):
        # An earlier session stopped, and a person has settled the last rows since.
        if run.ending not in (Ending.DONE, Ending.BUDGET):
            outcomes.end(run.ended_at or timing.now(), Ending.DONE)
        return False
    outcomes.start(timing.now())
    counts[State.UNCONFIRMED] += counts.pop(State.IN_FLIGHT)
    total, progress = counts[State.PENDING], options.progress
    option = progress if total or callable(progress) else False  # no bar for nothing
    with ProgressBar(option, "Loading", total) as display:
        ending, detail = Sender(client, outcomes, counts, options, timing, display, step).run()
    outcomes.end(timing.now(), ending, detail)
    return True


class Sender:
    """Sends the rows of a journal; ``step`` gets each step's name, for tests that end there."""

    def __init__(
        self,
        client: PostingClient,
        journal: Outcomes,
        counts: Counter[State],
        options: LoadOptions,
        timing: SessionClocks,
        display: ProgressBar[Mapping[State, int]],
        step: Callable[[str], None],
    ) -> None:
        self.client, self.journal, self.counts, self.options = client, journal, counts, options
        self.timing, self.display, self.step = timing, display, step
        self.total = counts[State.PENDING]
        self.store_id = journal.run.store_id
        ceiling = options.workers or MOST_WORKERS
        self._pool = Pool(ceiling, wait=timing.wait)
        most = options.workers or DEFAULT_WORKERS
        self._pace = Pace(most, ceiling=ceiling, clock=timing.clock)
        self._in_flight: dict[int, Intent] = {}
        self._recent: deque[Intent] = deque(maxlen=RECENT)
        self._outcomes: list[Outcome] = []
        self._owned: dict[int, bool] = {}  # pets of animals, and whether of an earlier session
        self._rounds = 0
        self._ending: tuple[Ending, str] | None = None
        self._is_there = False  # the store gave an answer, or asked to wait
        self._last_failure: Exception | None = None
        self._is_journal_broken = False
        self._problem: Exception | None = None

    def run(self) -> tuple[Ending, str]:
        """Send until nothing is left to send, or a reason to stop; return that reason."""
        self._check_budget()
        self._begin_round()
        with Interrupts(self._pool.wake) as interrupts, self._pool:
            while not self._is_over():
                ends = self._pool.gather(self._timeout_s())
                if not ends:
                    self._report_progress()
                self._find_owned(ends)
                for end in ends:
                    end.then(end)
                self._check_patience()
                if interrupts.count:
                    self._stop(Ending.INTERRUPTED, _INTERRUPTED)
                if interrupts.count > 1:
                    self._abandon()
                self._commit()
                self._probe_if_due()
                if not (self._pool.busy or self.journal.has_more):
                    self._begin_round()
        ending, detail = self._ending or (Ending.DONE, "")
        if self._is_journal_broken:
            raise JournalError(unsaved(detail, self._outcomes))
        if self._problem is not None:
            raise self._problem
        return ending, detail

    def _is_over(self) -> bool:
        if self._pool.busy or (self._outcomes and not self._is_journal_broken):
            return False
        return self._ending is not None or not self.journal.has_more

    def _timeout_s(self) -> float | None:
        """Return how long to wait for the next end; None while only an end can change anything."""
        if self._pool.busy and (self._ending or self._pace.is_open):
            return None
        wait_s = self._pace.wait_s()
        return wait_s if wait_s or not self._pool.busy else None

    def _take(self, intent: Intent, end: Done) -> None:
        if self._in_flight.pop(intent.row, None) is None:
            return
        answer: PostOutcome = end.value or broken(end.error)
        is_earlier = None
        if answer.pet is not None:
            is_earlier = self._owned.get(answer.pet.id)
            self._owned[answer.pet.id] = False
        answer, is_taken = checked_answer(
            intent, answer, is_earlier=is_earlier, recent=self._recent
        )
        outcome = replace(judge(intent, answer), is_taken=is_taken)
        self._outcomes.append(outcome)
        self.counts[State.IN_FLIGHT] -= 1
        self.counts[outcome.state] += 1
        self._note_pace(answer, self.timing.now() - intent.claimed_at)
        self._check_store(answer.store_id)
        if answer.is_systemic:
            self._stop(Ending.STOPPED, why_stopped(answer.error, intent))
        self._check_budget()

    def _find_owned(self, ends: list[Done]) -> None:
        """Look up the pets of some answers: one that a row has already proves nothing."""
        values = (end.value for end in ends)
        pet_ids = [each.pet.id for each in values if isinstance(each, PostOutcome) and each.pet]
        self._owned = {each.pet_id: False for each in self._outcomes if each.pet_id is not None}
        try:
            owners = self.journal.owners(pet_ids) if pet_ids else {}
        except JournalError as problem:
            self._fail(problem)
        else:
            self._owned |= owners

    def _fail(self, problem: JournalError) -> None:
        """Stop as the journal cannot be relied on."""
        self._is_journal_broken = True
        self._ending = (Ending.JOURNAL, str(problem))

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

    def _note_pace(self, answer: PostOutcome, in_window_s: float) -> None:
        is_answer = answer.proof in (Proof.CREATED, Proof.REJECTED)
        self._is_there |= is_answer or answer.retry_after_s is not None
        self._last_failure = answer.error
        if is_answer:
            self._pace.note_answer(answer.elapsed_s, in_window_s)
        elif answer.proof is Proof.UNKNOWN:
            self._pace.note_doubt(answer.retry_after_s)
        elif answer.http_status is None:
            self._pace.open()
        else:
            self._pace.note_pressure(answer.retry_after_s)

    def _begin_round(self) -> None:
        """Repeat unconfirmed rows whose key the store knows; each round but the first waits."""
        oldest = self._oldest_key()
        if oldest is None or self._rounds > MOST_ROUNDS:
            return
        if self.journal.begin_round(oldest, self.timing.now()) and self._rounds:
            self._pace.pause(min(LONGEST_ROUND_S, FIRST_ROUND_S * 2.0 ** (self._rounds - 1)))
        self._rounds += 1

    def _oldest_key(self) -> float | None:
        """Return when a key must first have been sent for the store to remember it still."""
        keys = self.client.idempotency
        if keys is None:
            return None
        return self.timing.now() - keys.lifetime_s + min(KEY_MARGIN_S, keys.lifetime_s / 2)

    def _commit(self) -> None:
        """Put outcomes and the next intents on disk, then send those."""
        if self._is_journal_broken:
            return
        may_send = self._ending is None and self.journal.has_more
        room = self._pace.room(self._pool.busy) if may_send else 0
        if not (self._outcomes or room):
            return
        self.step("commit")
        oldest, now = self._oldest_key(), self.timing.now()
        try:
            intents = self.journal.commit(
                self._outcomes, now, room=room, keys_since=oldest, store_id=self.store_id
            )
        except JournalError as problem:
            self._fail(problem)
            return
        self._outcomes = []
        self.step("committed")
        for intent in intents:
            self._send(intent)
        self._report_progress()

    def _send(self, intent: Intent) -> None:
        self.counts[State.UNCONFIRMED if intent.may_have_been_applied else State.PENDING] -= 1
        self.counts[State.IN_FLIGHT] += 1
        self._in_flight[intent.row] = intent
        self._recent.append(intent)
        post = partial(
            self.client.post_pet,
            intent.payload,
            idempotency_key=intent.key,
            store_id=self.store_id,
        )
        self._pool.start(post, partial(self._take, intent))

    def _report_progress(self) -> None:
        """Call the caller's function; whatever it raises waits for the requests in flight."""
        counts = self.counts
        done = self.total - counts[State.PENDING] - counts[State.IN_FLIGHT]
        odd = {
            str(each): counts[each] for each in (State.REJECTED, State.UNCONFIRMED) if counts[each]
        }
        try:
            self.display.show(dict(counts), done, **odd)
        except KeyboardInterrupt:  # a caller's function stops an import as Ctrl-C does
            if self._ending == (Ending.INTERRUPTED, _INTERRUPTED):
                self._abandon()
            self._stop(Ending.INTERRUPTED, _INTERRUPTED)
        except Exception as problem:  # noqa: BLE001 # raised again once nothing is in flight
            self._problem = problem
            self._stop(Ending.INTERRUPTED, _INTERRUPTED)

    def _stop(self, ending: Ending, detail: str) -> None:
        """Start nothing more; the first reason counts."""
        self._ending = self._ending or (ending, detail)

    def _abandon(self) -> None:
        """Stop waiting: what is on its way is unconfirmed from now on."""
        self._pool.abandon()
        for intent in self._in_flight.values():
            self._outcomes.append(Outcome(intent, State.UNCONFIRMED, "abandoned"))
            self.counts[State.UNCONFIRMED] += 1
        self.counts[State.IN_FLIGHT] = 0
        self._in_flight = {}

    def _check_budget(self) -> None:
        most = self.options.max_errors
        for state in (State.INVALID, State.REJECTED):
            if most is not None and self.counts[state] > most:
                self._stop(
                    Ending.BUDGET,
                    f"{self.counts[state]:,} {state}, more than the {most:,} allowed; fix them, or "
                    "allow more",
                )

    def _check_patience(self) -> None:
        options, pace, store = self.options, self._pace, f"the store at {self.client.base_url}"
        patience_s = options.patience_s if self._is_there else options.first_patience_s
        problem = ""
        if pace.is_fruitless:
            problem = "the store answers GET, but again and again no POST; ask its operator"
        elif pace.down_s() > patience_s:
            problem = (
                f"{store} gave no usable answer for {pace.down_s():.0f} s; the last failure: "
                f"{self._last_failure}"
            )
        elif pace.wait_s() > options.patience_s:
            problem = (
                f"{store} asks to wait {pace.wait_s():.0f} s, and an import waits "
                f"{options.patience_s:.0f} s at most"
            )
        if problem:
            self._stop(Ending.OUTAGE, problem)

    def _probe_if_due(self) -> None:
        pace = self._pace
        if pace.is_open and not self._pool.busy and not self._ending and not pace.wait_s():
            self._pool.start(partial(self.client.list_pets, 1), self._probed)

    def _probed(self, end: Done) -> None:
        if isinstance(end.error, AuthenticationError):
            self._stop(Ending.STOPPED, why_stopped(end.error))
        elif end.error is not None and not isinstance(end.error, PetstoreError):
            raise end.error
        self._last_failure = end.error or self._last_failure
        if end.error is None:
            self._check_store(end.value.store_id)
        self._pace.note_probe(is_up=end.error is None)
