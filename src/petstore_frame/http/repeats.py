"""How a GET is sent again after a passing failure, until its answer can be used.

In: an address and parameters. Out: an Answer with status 200 and its whole body, or a typed error.
Only GETs come here: to send one twice does no harm.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from petstore_frame.errors import APIConnectionError, APITimeoutError, ContractError, PetstoreError
from petstore_frame.http import Answer, Flaw, Transport
from petstore_frame.http.outcome import status_error
from petstore_frame.http.retry import RetryPolicy, read_retry_after

log = logging.getLogger("petstore_frame")


class Repeater:
    """Sends GETs of one client.

    Args:
        transport: Sends one request, once.
        policy: Says how often and after how long.
        sleep: Waits for a number of seconds.
        clock: Gives seconds that only rise.
    """

    def __init__(
        self,
        transport: Transport,
        policy: RetryPolicy,
        sleep: Callable[[float], None],
        clock: Callable[[], float],
    ) -> None:
        self._transport = transport
        self._policy = policy
        self._sleep = sleep
        self._clock = clock

    def get(
        self,
        address: str,
        params: Mapping[str, str] | None = None,
        while_waiting: Callable[[], None] | None = None,
    ) -> Answer:
        """Return the first usable answer.

        Args:
            address: Path below the base address, or a whole address of the same origin.
            params: Query parameters; None keeps the address's own.
            while_waiting: Work to do once the request has left; it must not raise.

        Raises:
            CrossOriginError: The address belongs to another origin; nothing was sent.
            APIStatusError: The store refused.
            APIConnectionError: No answer, after the repeats.
            ContractError: The store answered with a status that the interface does not state.
        """
        repeats, start = 0, self._clock()
        while True:
            retry_after_s: float | None = None
            error: PetstoreError
            try:
                answer = self._transport.send(
                    "GET", address, params=params, while_waiting=while_waiting
                )
            except APIConnectionError as problem:
                error, is_passing = problem, problem.retryable
            else:
                log.info("%s %s", answer.operation, answer.status_code)
                if answer.status_code == 200 and answer.is_whole:
                    return answer
                error, is_passing = _error_of(answer)
                retry_after_s = read_retry_after(answer.headers.get("Retry-After"))
            elapsed_s = self._clock() - start
            wait_s = self._policy.wait_s(repeats, retry_after_s, elapsed_s) if is_passing else None
            if wait_s is None:
                raise error
            repeats += 1
            self._sleep(wait_s)


def _error_of(answer: Answer) -> tuple[PetstoreError, bool]:
    """Return the error for an answer that a GET cannot use, and whether it may pass."""
    if answer.status_code >= 400:
        error = status_error(answer)
        return error, error.retryable
    if answer.flaw is not None:
        may_pass = answer.flaw in (Flaw.CUT, Flaw.LATE)
        next_step = "try again" if may_pass else "ask the store's operator"
        lost = (APITimeoutError if answer.flaw is Flaw.LATE else APIConnectionError)(
            f"{answer.operation}: the answer {answer.flaw}; {next_step}",
            operation=answer.operation,
            reason=answer.flaw.name.lower(),
            retryable=may_pass,
        )
        return lost, may_pass
    shown = ContractError(
        f"{answer.operation} answered {answer.status_code}, which the interface does not state; "
        "check that base_url is the store's own address, ending in /v1",
        operation=answer.operation,
    )
    return shown, False
