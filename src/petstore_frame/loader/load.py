"""The three ways in, one engine.

In: a CSV file, a workbook or a DataFrame, and a client. Out: a LoadResult with one row per
record. What a file holds is read.py's business, what is sent send.py's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from petstore_frame.categories import Categories, category_labels
from petstore_frame.loader import journal as journals
from petstore_frame.loader.journal import Run
from petstore_frame.loader.plan import Opened, identity_of, new_run_id, open_run, rehearse
from petstore_frame.loader.progress import Progress, Told
from petstore_frame.loader.read import Source, ValueMap, open_source
from petstore_frame.loader.record import Ending, State
from petstore_frame.loader.results import LoadResult
from petstore_frame.loader.send import Limits, Sender, Store, Timing
from petstore_frame.loader.writer import Writer

DEFAULT_WORKERS = 16
DEFAULT_LIMITS, DEFAULT_TIMING = Limits(), Timing()


class LoadInterrupted(KeyboardInterrupt):
    """An import was interrupted; what was on its way has been awaited.

    Attributes:
        result: The LoadResult so far; the same import again goes on.
    """

    def __init__(self, result: LoadResult) -> None:
        super().__init__("interrupted; run the same import again to go on")
        self.result = result


def load_csv(
    path: str | PathLike[str],
    client: Store,
    *,
    mapping: Mapping[str, str] | None = None,
    value_map: ValueMap | None = None,
    categories: Categories = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    quoting: str = "strict",
    columns: Sequence[str] | None = None,
    keep_spaces: bool = False,
    thousands: str | None = None,
    dry_run: bool = False,
    max_errors: int | None = None,
    workers: int = DEFAULT_WORKERS,
    journal: str | PathLike[str] | None = None,
    again: bool = False,
    progress: Told = None,
) -> LoadResult:
    """Load the animals of a CSV file into the store, each exactly once or listed as in doubt."""
    reading = {
        "mapping": mapping,
        "value_map": value_map,
        "categories": categories,
        "encoding": encoding,
        "delimiter": delimiter,
        "quoting": quoting,
        "columns": columns,
        "keep_spaces": keep_spaces,
        "thousands": thousands,
    }
    return load(
        path,
        client,
        reading,
        dry_run=dry_run,
        limits=Limits(workers=workers, max_errors=max_errors),
        folder=journal,
        again=again,
        progress=progress,
    )


def load(
    path_or_frame: Any,
    client: Store,
    reading: dict[str, Any],
    *,
    dry_run: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    timing: Timing = DEFAULT_TIMING,
    folder: str | PathLike[str] | None = None,
    again: bool = False,
    progress: Told = None,
    step: Callable[[Any], None] = lambda _: None,
) -> LoadResult:
    """Run one import."""
    place = Path(fspath(folder)) if folder is not None else default_folder()
    with open_source(path_or_frame, **reading) as source:
        run = _run(source, client, reading, again=again, now=timing.now())
        if dry_run:
            return LoadResult(rehearse(place, run, source))
        opened = open_run(place, run, source)
    with opened.lock:
        _send(opened, client, limits, timing, progress, step)
    result = LoadResult(opened.path)
    if journals.read_run(opened.path).ending is Ending.INTERRUPTED:
        raise LoadInterrupted(result)
    return result


def default_folder() -> Path:
    """Return the folder of journals in the user's state directory."""
    from platformdirs import user_state_path

    return user_state_path("petstore-frame") / "journals"


def _run(
    source: Source, client: Store, reading: dict[str, Any], *, again: bool, now: float
) -> Run:
    meaning = reading | {"categories": category_labels(reading.get("categories"))}
    return Run(
        new_run_id(),
        client.base_url,
        source.name,
        None if source.path is None else str(source.path.resolve()),
        source.sha256,
        identity_of(source.sha256, meaning),
        source.header,
        source.mapping,
        is_again=again,
        created_at=now,
    )


def _send(
    opened: Opened,
    client: Store,
    limits: Limits,
    timing: Timing,
    told: Told,
    step: Callable[[Any], None],
) -> None:
    counts = Counter(journals.count_states(opened.path))
    if not opened.is_new and not _is_work_left(counts, client):
        return
    with closing(Writer(opened.path, opened.run.run_id)) as writer:
        left = writer.start(timing.now())
        counts[State.IN_FLIGHT] -= left
        counts[State.UNKNOWN] += left
        with Progress(told, counts[State.PENDING]) as progress:
            sender = Sender(
                client, writer, counts, limits=limits, timing=timing, told=progress, step=step
            )
            ending, detail = sender.run()
        writer.end(timing.now(), ending, detail)


def _is_work_left(counts: Counter[State], client: Store) -> bool:
    if counts[State.PENDING] or counts[State.IN_FLIGHT]:
        return True
    return bool(counts[State.UNKNOWN] and client.idempotency)
