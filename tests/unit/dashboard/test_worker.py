"""One job at a time, whatever the jobs before it still have to do."""

from __future__ import annotations

from threading import Event

from petstore_frame.dashboard.worker import Worker

PATIENCE_S = 10.0


def test_a_job_that_returns_late_does_not_free_the_worker_of_the_next_one() -> None:
    """After done() the next job may begin, and it is alone until it is done itself."""
    worker = Worker("test")
    is_first_done, may_first_return, may_second_return = Event(), Event(), Event()

    def first() -> None:
        worker.done()
        is_first_done.set()
        may_first_return.wait(PATIENCE_S)

    def second() -> None:
        may_second_return.wait(PATIENCE_S)

    worker.start(first)
    first_thread = worker._thread
    assert is_first_done.wait(PATIENCE_S)
    assert worker.start(second)
    may_first_return.set()
    assert first_thread is not None
    first_thread.join(PATIENCE_S)

    assert worker.is_busy
    assert not worker.start(first)

    may_second_return.set()
    assert worker.wait(PATIENCE_S)
    assert not worker.is_busy
