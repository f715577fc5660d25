"""One session of an import: from an open journal to the reason why sending ended.

In: a journal whose lock is held, and a client. Out: the ending, in the journal. It reads no file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal import count_states, read_run, store_of
from petstore_frame.loader.progress import Progress, Told
from petstore_frame.loader.record import State
from petstore_frame.loader.send import Limits, Sender, Store, Timing, ignore
from petstore_frame.loader.view import plan_words
from petstore_frame.loader.writer import Writer


def run_session(
    path: Path,
    client: Store,
    limits: Limits,
    *,
    told: Told,
    timing: Timing,
    is_new: bool = False,
    step: Callable[[str], None] = ignore,
) -> bool:
    """Send what is pending in a journal; do nothing where nothing is left.

    Args:
        path: The journal.
        client: The store; it must be the journal's own.
        limits: How far to go.
        told: Who is told of the progress.
        timing: The clocks.
        is_new: The run was staged just now.
        step: Called with the name of each step.

    Returns:
        Whether there was anything to do.

    Raises:
        JournalError: The journal is of another store, or failed.
    """
    run = read_run(path)
    check_store(path, run.base_url, client)
    counts = Counter(count_states(path))
    if not is_new and not _is_work_left(counts, client):
        return False
    with closing(Writer(path, run.run_id)) as writer:
        left = writer.start(timing.now())
        counts[State.IN_FLIGHT] -= left
        counts[State.UNKNOWN] += left
        with Progress(told, counts[State.PENDING]) as progress:
            if is_new and run.plan:
                progress.say(plan_words(run))
            sender = Sender(
                client, writer, counts, limits=limits, timing=timing, told=progress, step=step
            )
            ending, detail = sender.run()
        writer.end(timing.now(), ending, detail)
    return True


def check_store(path: Path, base_url: str, client: Store) -> None:
    """Refuse a client of another store than the journal's."""
    if store_of(client.base_url) != store_of(base_url):
        raise JournalError(
            f"{path} is an import into {base_url}, and the client's store is {client.base_url}; "
            "use a client of that store"
        )


def _is_work_left(counts: Counter[State], client: Store) -> bool:
    if counts[State.PENDING] or counts[State.IN_FLIGHT]:
        return True
    return bool(counts[State.UNKNOWN] and client.idempotency)
