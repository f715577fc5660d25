"""How a GET is repeated after a passing failure, until its answer can be used.

Only GETs come here: to send one twice does no harm.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from petstore_frame.errors import APIConnectionError, APITimeoutError, ContractError, PetstoreError
from petstore_frame.http import BodyProblem, StoreAnswer, Transport
from petstore_frame.http.outcome import status_error


class Clocks(NamedTuple):
    """The clocks of a client, so that tests can replace them: one waits, one only rises."""

    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


REAL_TIME = Clocks()


class RetryPolicy(NamedTuple):
    """Full jitter under a ceiling that doubles with each repeat, and the store's Retry-After.

    No wait is longer than ``cap_s`` (a longer Retry-After ends the attempts), and no attempt is
    made after ``no_progress_s``. ``draw`` gives a number from 0 to 1.
    """

    max_retries: int
    base_s: float = 0.25
    cap_s: float = 30.0
    no_progress_s: float = 180.0
    draw: Callable[[], float] = random.random

    def wait_s(
        self, repeats: int, retry_after_s: float | None, elapsed_s: float = 0.0
    ) -> float | None:
        """Return the seconds to wait before the next attempt, or None to give up.

        Example:
            >>> policy = RetryPolicy(4, draw=lambda: 1.0)
            >>> [policy.wait_s(repeats, None) for repeats in range(5)]
            [0.25, 0.5, 1.0, 2.0, None]
            >>> policy.wait_s(0, 3.0), policy.wait_s(0, 3600.0), policy.wait_s(0, None, 179.9)
            (3.0, None, None)
        """
        if repeats >= self.max_retries:
            return None
        if retry_after_s is not None and retry_after_s > self.cap_s:
            return None
        wait_s = self.draw() * min(self.cap_s, self.base_s * 2.0**repeats)
        wait_s = max(wait_s, retry_after_s) if retry_after_s else wait_s
        return wait_s if elapsed_s + wait_s < self.no_progress_s else None


class Repeater:
    """Sends the GETs of one client."""

    def __init__(
        self, transport: Transport, policy: RetryPolicy, clocks: Clocks = REAL_TIME
    ) -> None:
        self._transport = transport
        self._policy = policy
        self._clocks = clocks

    def get(self, address: str, params: Mapping[str, str] | None = None) -> StoreAnswer:
        """Return the first usable answer; arguments as for ``Transport.send``.

        Raises:
            CrossOriginError: The address belongs to another origin; nothing was sent.
            APIStatusError: The store refused.
            APIConnectionError: No answer, after the repeats.
            ContractError: The store answered with a status that the interface does not state.
        """
        repeats, start = 0, self._clocks.clock()
        while True:
            retry_after_s: float | None = None
            error: PetstoreError
            try:
                answer = self._transport.send("GET", address, params=params)
            except APIConnectionError as problem:
                error, is_passing = problem, problem.retryable
            else:
                if answer.status_code == 200 and answer.is_whole:
                    return answer
                error, is_passing = _error_of(answer)
                retry_after_s = answer.retry_after_s
            elapsed_s = self._clocks.clock() - start
            wait_s = self._policy.wait_s(repeats, retry_after_s, elapsed_s)
            if wait_s is None or not is_passing:
                raise error
            repeats += 1
            self._clocks.sleep(wait_s)


def _error_of(answer: StoreAnswer) -> tuple[PetstoreError, bool]:
    """Return the error for an answer that a GET cannot use, and whether to try again."""
    if answer.status_code >= 400:
        error = status_error(answer)
        return error, error.retryable
    if answer.body_problem is not None:
        may_pass = answer.body_problem in (BodyProblem.CUT, BodyProblem.LATE)
        next_step = "try again" if may_pass else "ask the store's operator"
        lost = (APITimeoutError if answer.body_problem is BodyProblem.LATE else APIConnectionError)(
            f"{answer.operation}: the answer {answer.body_problem}; {next_step}",
            operation=answer.operation,
            reason=answer.body_problem.name.lower(),
            retryable=may_pass,
        )
        return lost, may_pass
    shown = ContractError(
        f"{answer.operation} answered {answer.status_code}, which the interface does not state; "
        "check that base_url is the store's own address, ending in /v1",
        operation=answer.operation,
    )
    return shown, False
