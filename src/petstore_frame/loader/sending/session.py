"""One session of an import: from an open journal to the reason why sending ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from petstore_frame.errors import APIStatusError, JournalError, PetstoreError
from petstore_frame.http.settings import same_store_address
from petstore_frame.loader.journal.moves import Moves
from petstore_frame.loader.journal.rows import Run, count_in
from petstore_frame.loader.journal.writer import Writer
from petstore_frame.loader.options import Limits
from petstore_frame.loader.progress import Meter, ProgressOption
from petstore_frame.loader.record import Ending, State
from petstore_frame.loader.sending.pool import Timing
from petstore_frame.loader.sending.send import PostingClient, Sender, ignore


def run_session(
    writer: Writer,
    run: Run,
    client: PostingClient,
    limits: Limits,
    *,
    progress: ProgressOption,
    timing: Timing,
    is_new: bool = False,
    notes: Callable[[], list[str]] = list,
    step: Callable[[str], None] = ignore,
) -> bool:
    """Send what is pending of an import; tell whether there was anything to do.

    Raises:
        JournalError: The journal is of another store, or failed.
    """
    check_store(writer.path, run, client)
    counts = Counter(count_in(writer.sql, run.run_id))
    moves = Moves(writer, run)
    may_repeat = counts[State.UNKNOWN] and client.idempotency
    if not (is_new or counts[State.PENDING] or counts[State.IN_FLIGHT] or may_repeat):
        # It was stopped or interrupted when all its records were settled.
        if run.ending not in (Ending.DONE, Ending.BUDGET):
            moves.end(run.ended_at or timing.now(), Ending.DONE)
        return False
    left = moves.start(timing.now())
    counts[State.IN_FLIGHT] -= left
    counts[State.UNKNOWN] += left
    with Meter(progress, counts[State.PENDING]) as meter:
        for note in notes():
            meter.say(note)
        sender = Sender(client, moves, counts, limits, timing, run.store_id, meter, step)
        ending, detail = sender.run()
    moves.end(timing.now(), ending, detail)
    return True


def check_store(path: Path, run: Run, client: PostingClient) -> None:
    """Refuse a client of another address than the journal's."""
    if same_store_address(client.base_url) != same_store_address(run.base_url):
        raise JournalError(
            f"{path} is an import into {run.base_url}, and the client's store is "
            f"{client.base_url}; use a client of that store"
        )


def check_store_id(path: Path, run: Run, client: PostingClient) -> None:
    """Refuse another store at the address of the journal's store."""
    if run.store_id is not None and ask_store_id(client) not in (None, run.store_id):
        raise JournalError(
            f"{path} is an import into another store, which had the address {run.base_url} "
            "before; the store there now does not have these records, so nothing was settled"
        )


def ask_store_id(client: PostingClient) -> str | None:
    """Return the id that the store states, by one GET; None where it states none."""
    try:
        store_id: str | None = client.list_pets(1).store_id
    except APIStatusError as problem:  # a store that refuses the key still states its id
        return problem.store_id
    except PetstoreError:
        return None
    return store_id
