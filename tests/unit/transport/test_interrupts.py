"""Ctrl-C in the midst of waiting for other threads ends the wait and tears nothing."""

from __future__ import annotations

import random
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from petstore_frame.transport.interrupts import Deferred


@pytest.mark.usefixtures("pressed")
def test_an_interrupt_at_any_moment_of_a_wait_is_a_keyboard_interrupt() -> None:
    """Neither an error of a torn lock nor a wait without end, wherever it falls."""
    chance, presses = random.Random(8), 0
    with ThreadPoolExecutor(4) as pool:
        for _ in range(2_000):
            try:
                with Deferred() as interrupts:
                    signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.00001, 0.0003))
                    interrupts.wait(*[pool.submit(sum, range(1_000)) for _ in range(3)])
                    signal.setitimer(signal.ITIMER_REAL, 0)
                    interrupts.deliver()
            except KeyboardInterrupt:
                presses += 1
    assert presses > 0
