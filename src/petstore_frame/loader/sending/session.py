"""Sends the rows of one import, none of them twice.

The thread of the caller decides and writes; the other threads only wait for the store.
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
from petstore_frame.loader.load_options import DEFAULT_WORKERS, LoadOptions
from petstore_frame.loader.row_state import Ending, State
from petstore_frame.loader.sending.pace import Pace
from petstore_frame.loader.sending.pool import Done, Pool, SessionClocks
from petstore_frame.loader.sending.row_judgment import (
    broken,
    checked_answer,
    judge,
    unsaved,
    why_stopped,
)
from petstore_frame.storage.progress import ProgressBar
from petstore_frame.transport import IdempotencyKey, Interrupts, PostOutcome, Proof

_INTERRUPTED = "interrupted"
# More than can be in flight, so that the request of a misplaced response is among them.
RECENT = 256
MAX_ROUNDS = 8
# How long a commit waits for one more response, if this many queued requests keep the threads busy
# until it is done. Fewer commits leave more time for requests.
BATCH_S = 0.005
SPARE_REQUESTS = 8
# After a response with any other status, a thread sends nothing until it has been judged.
USUAL_STATUSES = frozenset({201, 400, 409, 413, 422})
FIRST_ROUND_S, LONGEST_ROUND_S = 0.5, 30.0
KEY_MARGIN_S = 300.0


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
    step: Callable[[str], None] | None = None,
) -> int | None:
    """Send the pending rows of an import; return the session, None if it was idle."""
    outcomes = Outcomes(writer, run)
    counts = Counter(outcomes.counts())
    may_repeat = counts[State.UNCONFIRMED] and client.idempotency
    if not (is_new or counts[State.PENDING] or counts[State.IN_FLIGHT] or may_repeat):
        # An earlier session stopped, and a person has settled the last rows since.
        if run.ending not in (Ending.DONE, Ending.BUDGET):
            outcomes.end(run.ended_at or timing.now(), Ending.DONE)
        return None
    outcomes.start(timing.now())
    counts[State.UNCONFIRMED] += counts.pop(State.IN_FLIGHT)
    total = counts[State.PENDING]
    if options.max_rows is not None:
        total = min(total, options.max_rows)
    option = options.progress
    if not total and not callable(option):
        option = False  # no progress bar for zero rows
    with ProgressBar(option, "Loading", total) as display:
        ending, detail = Sender(client, outcomes, counts, options, timing, display, step).run()
    outcomes.end(timing.now(), ending, detail)
    return outcomes.session


class Sender:
    """Sends the rows of an import; ``step`` gets the name of each step, for tests."""

    def __init__(
        self,
        client: PostingClient,
        journal: Outcomes,
        counts: Counter[State],
        options: LoadOptions,
        timing: SessionClocks,
        display: ProgressBar[Mapping[State, int]],
        step: Callable[[str], None] | None,
    ) -> None:
        self.client, self.journal, self.counts, self.options = client, journal, counts, options
        self.timing, self.display, self._step = timing, display, step
        self.total = counts[State.PENDING]
        self.store_id = journal.run.store_id
        workers = options.workers or DEFAULT_WORKERS
        self._pool = Pool(workers, is_usual=_is_usual, wait=timing.wait)
        self._pace = Pace(workers, clock=timing.clock)
        self._rows_left = options.max_rows  # None: no limit
        self._in_flight: dict[int, Intent] = {}
        self._recent: deque[Intent] = deque(maxlen=RECENT)
        self._outcomes: list[Outcome] = []
        self._owned: dict[int, bool] = {}  # by id of a pet: whether an earlier session created it
        self._rounds = 0
        self._ending: tuple[Ending, str] | None = None
        self._is_there = False  # whether the store has answered, or asked to wait
        self._last_failure: BaseException | None = None
        self._is_journal_broken = False
        self._problem: Exception | None = None

    def run(self) -> tuple[Ending, str]:
        """Send until no row is left or there is a reason to stop; return that reason."""
        self._check_budget()
        self._begin_round()
        with Interrupts(self._pool.wake) as interrupts, self._pool:
            while not self._is_over():
                ends = self._gather()
                if not ends:
                    self._report_progress()
                self._find_owned(ends)
                for end in ends:
                    end.handle(end)
                self._check_patience()
                if interrupts.count:
                    self._stop(Ending.INTERRUPTED, _INTERRUPTED)
                if interrupts.count > 1:
                    self._abandon()
                self._commit()
                self._pool.resume()
                self._probe_if_due()
                if not (self._pool.busy or self._has_more):
                    self._begin_round()
        ending, detail = self._ending or (Ending.DONE, "")
        if self._is_journal_broken:
            raise JournalError(unsaved(detail, self._outcomes))
        if self._problem is not None:
            raise self._problem
        if ending is Ending.DONE and self.counts[State.PENDING]:
            return Ending.MAX_ROWS, detail
        return ending, detail

    @property
    def _has_more(self) -> bool:
        """Whether there may be more rows to send, within ``max_rows``."""
        return self.journal.has_repeats or (self.journal.has_pending and self._rows_left != 0)

    def _is_over(self) -> bool:
        if self._pool.busy or (self._outcomes and not self._is_journal_broken):
            return False
        return self._ending is not None or not self._has_more

    def _gather(self) -> list[Done]:
        """Wait for responses; while enough requests are queued, wait for a few more."""
        ends = self._pool.gather(self._timeout_s())
        more = ends
        while more and self._pool.queued > SPARE_REQUESTS:
            more = self._pool.gather(BATCH_S)
            ends += more
        return ends

    def _timeout_s(self) -> float | None:
        """Return how long to wait for a response; None if only a response can change anything."""
        if self._pool.busy and (self._ending or self._pace.is_open):
            return None
        wait_s = self._pace.wait_s()
        return wait_s if wait_s or not self._pool.busy else None

    def _take(self, intent: Intent, end: Done) -> None:
        if self._in_flight.pop(intent.animal, None) is None:
            return
        response: PostOutcome = end.value or broken(end.error)
        is_earlier = None
        if response.pet is not None:
            is_earlier = self._owned.get(response.pet.id)
            self._owned[response.pet.id] = False
        response, has_reused_id = checked_answer(
            intent, response, is_earlier=is_earlier, recent=self._recent
        )
        outcome = judge(intent, response)
        if has_reused_id:
            outcome = replace(outcome, has_reused_id=True)
        self._settle(outcome)
        self._note_pace(response)
        self._check_store(response.store_id)
        if _is_interrupt(end.error):
            self._stop(Ending.INTERRUPTED, f"the client raised {end.error!r}")
        if response.is_systemic:
            self._stop(Ending.STOPPED, why_stopped(response.error, intent))
        self._check_budget()

    def _settle(self, outcome: Outcome) -> None:
        """Count an outcome, and add it to the next commit."""
        self._outcomes.append(outcome)
        self.counts[State.IN_FLIGHT] -= 1
        self.counts[outcome.state] += 1
        if self._rows_left is not None and outcome.state is State.PENDING:
            self._rows_left += 1

    def _find_owned(self, ends: list[Done]) -> None:
        """Find the pets of these responses that belong to another row: these prove nothing."""
        values = (end.value for end in ends)
        pet_ids = [value.pet.id for value in values if isinstance(value, PostOutcome) and value.pet]
        self._owned = {
            outcome.pet_id: False for outcome in self._outcomes if outcome.pet_id is not None
        }
        if not pet_ids:
            return
        try:
            self._owned |= self.journal.owners(pet_ids)
        except JournalError as problem:
            self._fail(problem)

    def _fail(self, problem: JournalError) -> None:
        """Stop because the journal cannot be used."""
        self._is_journal_broken = True
        self._ending = (Ending.JOURNAL, str(problem))

    def _check_store(self, store_id: str | None) -> None:
        """Stop if another store answers: one with an id other than the first."""
        if self.store_id is None:
            self.store_id = store_id
        elif store_id not in (None, self.store_id):
            self._stop(
                Ending.STOPPED,
                f"another store answers at {self.client.base_url} now; load the file again to "
                "start a new import there",
            )

    def _note_pace(self, response: PostOutcome) -> None:
        is_answer = response.proof in (Proof.CREATED, Proof.REJECTED)
        self._is_there |= is_answer or response.retry_after_s is not None
        self._last_failure = response.error
        if is_answer:
            self._pace.note_answer(response.elapsed_s)
        elif response.proof is Proof.UNKNOWN:
            self._pace.note_uncertain(response.retry_after_s)
        elif response.http_status is None:
            self._pace.open()
        else:
            self._pace.note_pressure(response.retry_after_s)

    def _begin_round(self) -> None:
        """Retry unconfirmed rows whose key the store remembers, with a wait between rounds."""
        oldest = self._oldest_key()
        if oldest is None or self._rounds > MAX_ROUNDS:
            return
        if self.journal.begin_round(oldest, self.timing.now()) and self._rounds:
            self._pace.pause(min(LONGEST_ROUND_S, FIRST_ROUND_S * 2.0 ** (self._rounds - 1)))
        self._rounds += 1

    def _oldest_key(self) -> float | None:
        """Return the time since when a key must have been sent to be remembered by the store."""
        keys = self.client.idempotency
        if keys is None:
            return None
        return self.timing.now() - keys.lifetime_s + min(KEY_MARGIN_S, keys.lifetime_s / 2)

    def _commit(self) -> None:
        """Write the outcomes and the next intents to disk, then queue the requests."""
        if self._ending is not None or self._pace.is_paused:
            self._recall()
        if self._is_journal_broken:
            return
        may_send = self._ending is None and self._has_more
        room = self._pace.room(self._pool.busy) if may_send else 0
        if not (self._outcomes or room):
            return
        self._note_step("commit")
        try:
            intents = self.journal.commit(
                self._outcomes,
                self.timing.now(),
                room=room,
                max_pending=self._rows_left,
                keys_since=self._oldest_key(),
                store_id=self.store_id,
            )
        except JournalError as problem:
            self._fail(problem)
            self._recall()
            return
        self._outcomes = []
        self._note_step("committed")
        self._pool.max_threads = self._pace.threads()
        for intent in intents:
            self._send(intent)
        self._report_progress()

    def _note_step(self, name: str) -> None:
        if self._step is not None:
            self._step(name)

    def _recall(self) -> None:
        """Remove the requests that have not started from the queue, and restore their states."""
        for handle in self._pool.recall():
            intent = handle.args[0] if isinstance(handle, partial) else None
            if intent is None or self._in_flight.pop(intent.animal, None) is None:
                continue
            if self._is_journal_broken:
                continue
            state = State.UNCONFIRMED if intent.may_have_been_applied else State.PENDING
            self._settle(Outcome(intent, state, "not_begun"))

    def _send(self, intent: Intent) -> None:
        if intent.may_have_been_applied:
            self.counts[State.UNCONFIRMED] -= 1
        else:
            self.counts[State.PENDING] -= 1
            if self._rows_left is not None:
                self._rows_left -= 1
        self.counts[State.IN_FLIGHT] += 1
        self._in_flight[intent.animal] = intent
        self._recent.append(intent)
        post = partial(
            self.client.post_pet,
            intent.payload,
            idempotency_key=intent.key,
            store_id=self.store_id,
        )
        self._pool.start(post, partial(self._take, intent))

    def _report_progress(self) -> None:
        """Report the progress; keep an error of the callback until nothing is in flight."""
        counts = self.counts
        done = self.total - counts[State.PENDING] - counts[State.IN_FLIGHT]
        extra_counts = {
            str(state): counts[state]
            for state in (State.REJECTED, State.UNCONFIRMED)
            if counts[state]
        }
        try:
            self.display.show(dict(counts), done, **extra_counts)
        except KeyboardInterrupt:  # the caller's function may stop an import, like Ctrl-C
            if self._ending == (Ending.INTERRUPTED, _INTERRUPTED):
                self._abandon()
            self._stop(Ending.INTERRUPTED, _INTERRUPTED)
        except Exception as problem:  # noqa: BLE001 # raised again once nothing is in flight
            self._problem = problem
            self._stop(Ending.INTERRUPTED, _INTERRUPTED)

    def _stop(self, ending: Ending, detail: str) -> None:
        """Send no more requests; the first reason counts."""
        self._ending = self._ending or (ending, detail)

    def _abandon(self) -> None:
        """Stop waiting for the requests in flight; their rows become unconfirmed."""
        self._recall()
        self._pool.abandon()
        for intent in self._in_flight.values():
            self._settle(Outcome(intent, State.UNCONFIRMED, "abandoned"))
        self._in_flight = {}

    def _check_budget(self) -> None:
        max_errors = self.options.max_errors
        if max_errors is None:
            return
        for state in (State.INVALID, State.REJECTED):
            if self.counts[state] > max_errors:
                self._stop(Ending.BUDGET, "")  # the result has the numbers

    def _check_patience(self) -> None:
        options, pace = self.options, self._pace
        store = f"the store at {self.client.base_url}"
        patience_s = options.patience_s if self._is_there else options.first_patience_s
        if pace.is_fruitless:
            problem = "the store answers GET, but repeatedly no POST; ask its operator"
        elif pace.down_s() > patience_s:
            problem = (
                f"{store} has not given a usable response for {pace.down_s():.0f} s; last error: "
                f"{self._last_failure}"
            )
        elif pace.wait_s() > options.patience_s:
            problem = (
                f"{store} asks to wait {pace.wait_s():.0f} s, but an import waits at most "
                f"{options.patience_s:.0f} s"
            )
        else:
            return
        self._stop(Ending.OUTAGE, problem)

    def _probe_if_due(self) -> None:
        pace = self._pace
        if pace.is_open and not self._pool.busy and not self._ending and not pace.wait_s():
            self._pool.start(partial(self.client.list_pets, 1), self._probed)

    def _probed(self, end: Done) -> None:
        if isinstance(end.error, AuthenticationError):
            self._stop(Ending.STOPPED, why_stopped(end.error))
        elif _is_interrupt(end.error):
            self._stop(Ending.INTERRUPTED, f"the client raised {end.error!r}")
        elif end.error is not None and not isinstance(end.error, PetstoreError):
            raise end.error
        self._last_failure = end.error or self._last_failure
        if end.error is None:
            self._check_store(end.value.store_id)
        self._pace.note_probe(is_up=end.error is None)


def _is_usual(value: Any) -> bool:
    """Return whether a response concerns only its own row."""
    if not isinstance(value, PostOutcome) or value.is_systemic:
        return False
    return value.http_status in USUAL_STATUSES


def _is_interrupt(error: BaseException | None) -> bool:
    """Return whether an exception ends the program, such as KeyboardInterrupt or SystemExit."""
    return error is not None and not isinstance(error, Exception)
