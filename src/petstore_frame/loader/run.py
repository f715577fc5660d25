"""One import from start to end: read, stage, find the animals, ask or send."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

from petstore_frame._internal.arguments import one_of
from petstore_frame._internal.interrupts import Deferred
from petstore_frame.errors import DuplicatesError, LoadInterrupted, LoadStopped
from petstore_frame.loader.call import Call, telling
from petstore_frame.loader.journal.database import (
    Writer,
    copy_journal,
    find_journal,
    holding,
    place_of,
    reading,
)
from petstore_frame.loader.journal.identity import identify
from petstore_frame.loader.journal.keyed import read_kept
from petstore_frame.loader.journal.outcomes import Outcomes
from petstore_frame.loader.journal.question import Question
from petstore_frame.loader.journal.rows import Import, note_facts, read_import, read_imports
from petstore_frame.loader.journal.staging import Staged, stage, staged_again
from petstore_frame.loader.journal.store_pets import StorePets, read_store
from petstore_frame.loader.options import (
    Duplicates,
    Limits,
    OnInvalid,
    answers_of,
    check_sending,
)
from petstore_frame.loader.progress import ProgressOption, counted
from petstore_frame.loader.reading.keys import outdated
from petstore_frame.loader.reading.options import RecipeOptions
from petstore_frame.loader.reading.read import Source, open_source
from petstore_frame.loader.reading.recipe import plain_if_possible
from petstore_frame.loader.reading.returned import Columns
from petstore_frame.loader.record import Ending
from petstore_frame.loader.results.facts import COMMON_CAUSE, OUTDATED, read_causes
from petstore_frame.loader.results.question_text import QuestionText
from petstore_frame.loader.results.rehearsal import Rehearsal
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.results.view import headline, stopped_text
from petstore_frame.loader.sending.pool import REAL_TIME, Clocks
from petstore_frame.loader.sending.session import (
    PostingClient,
    ask_store_id,
    ignore,
    run_session,
)

log = logging.getLogger("petstore_frame.loader")
_STOPPED = (Ending.STOPPED, Ending.OUTAGE, Ending.JOURNAL, Ending.BUDGET)


def load(
    source: Any,
    client: PostingClient,
    recipe: RecipeOptions,
    limits: Limits,
    *,
    call: Call | None = None,
    dry_run: bool = False,
    journal: str | PathLike[str] | None = None,
    again: bool = False,
    duplicates: Duplicates | None = None,
    send_lines: Collection[int] = (),
    leave_lines: Collection[int] = (),
    check_store: bool = True,
    on_invalid: OnInvalid = "keep",
    progress: ProgressOption = None,
    records_read: Callable[[int], None] = ignore,
    timing: Clocks = REAL_TIME,
    step: Callable[[str], None] = ignore,
) -> LoadResult:
    """Run one import.

    The options are those of ``load_csv``, sorted by what they are about; without ``duplicates`` the
    recipe says what equal records are. ``call`` is what was typed for it, ``records_read`` is told
    how many records were read so far, and what it raises ends the import; ``step`` is called with
    the name of each step, where a test ends the process.

    Raises:
        DuplicatesError: Some records may be animals that are known already; nothing was sent.
        LoadStopped: The store, an outage or a limit ended it; it has the result so far.
        LoadInterrupted: Ctrl-C ended it; it has the result so far.
        LoadFailedError: Not every record is in the store, and ``on_invalid`` says "raise".
    """
    if duplicates is None:
        duplicates = {"equal": recipe.duplicates}
    check_sending(
        client,
        limits,
        journal=journal,
        progress=progress,
        duplicates=duplicates,
        send_lines=send_lines,
        leave_lines=leave_lines,
        dry_run=dry_run,
        again=again,
        check_store=check_store,
    )
    one_of("on_invalid", on_invalid, get_args(OnInvalid))
    path = _journal_of(client, journal)
    index = getattr(source, "index", None)
    columns_of = partial(_columns_of, path)
    with (
        telling(call),
        open_source(source, recipe, columns_of=columns_of, leave_lines=leave_lines) as opened,
    ):
        run = _import_of(opened, client, recipe, duplicates, call, timing.now())
        may_hold = limits.max_errors is None and not opened.is_returned
        how = _How(
            answers_of(duplicates),
            again,
            send_lines,
            leave_lines,
            check_store,
            may_hold,
            records_read,
        )
        if dry_run:
            with _copied(path, client.base_url) as writer, Deferred() as interrupts:
                staged, question = _stage(
                    writer, opened, run, client, how, interrupts.deliver, is_rehearsal=True
                )
                Outcomes(writer, staged.run).recover()
                kept = Rehearsal(writer.sql, staged.run.id, question)
            return LoadResult(path, staged.run.id, call=call, index=index, kept=kept)
        with holding(path), Writer(path, client.base_url) as writer:
            with Deferred() as interrupts:
                staged, _ = _stage(writer, opened, run, client, how, interrupts.deliver)
                interrupts.deliver()
            (run,) = read_imports(writer.sql, "id = ?", [staged.run.id])
            if COMMON_CAUSE in run.facts:
                was_at_work = True
                detail = "one cause fails most records, so nothing was sent"
                Outcomes(writer, run).end(timing.now(), Ending.BUDGET, detail)
            else:
                was_at_work = run_session(
                    writer,
                    run,
                    client,
                    limits,
                    progress=progress,
                    timing=timing,
                    is_new=staged.is_new,
                    step=step,
                )
    result = LoadResult(path, run.id, call=call, sent_now=was_at_work, index=index)
    log.info("%s: %s", *headline(result))
    if was_at_work:
        _raise_if_stopped(result, read_import(path, run.id))
    if on_invalid == "raise":
        result.raise_for_failures()
    return result


def resume_loads(
    client: PostingClient,
    *,
    journal: str | PathLike[str] | None = None,
    check_store: bool = True,
    progress: ProgressOption = None,
) -> list[LoadResult]:
    """Finish the imports into a store that stopped before all their records were sent.

    The files are not needed: what is still to send is in the journal.

    Args:
        client: A client of the store.
        journal: Folder of the journals; None is the user's state directory.
        check_store: Compare what is still to send with the pets of the store first.
        progress: As in ``load_csv``.

    Returns:
        The results of the imports that had something left, the oldest first.

    Raises:
        DuplicatesError: The store has pets that may be what is still to send; nothing was sent.
        JournalLockedError: An import is at work on the journal.
        JournalError: The journal has lost something; nothing was sent.
        LoadStopped: The store, an outage or a limit ended one of them.

    Interface: Endpoints, Add an animal.
    """
    check_sending(client, Limits(), journal=journal, progress=progress, check_store=check_store)
    path = _journal_of(client, journal)
    if not path.exists():
        return []
    results: list[LoadResult] = []
    with holding(path), Writer(path, client.base_url) as writer:
        left = read_imports(
            writer.sql,
            "ending IS NOT 'done' AND EXISTS (SELECT 1 FROM records"
            " WHERE records.import = imports.import AND state IN ('pending', 'in_flight'))",
        )
        for run in left:
            if COMMON_CAUSE in run.facts:  # it waits for an answer
                results.append(LoadResult(path, run.id))
                continue
            how = _How(answers_of(run.duplicates), check_store=check_store)
            with Deferred() as interrupts:
                _ask_store_again(writer, run, client, how, interrupts.deliver)
            run_session(writer, run, client, Limits(), progress=progress, timing=REAL_TIME)
            results.append(LoadResult(path, run.id))
            log.info("%s: %s", *headline(results[-1]))
            _raise_if_stopped(results[-1], read_imports(writer.sql, "id = ?", [run.id])[0])
    return results


def _raise_if_stopped(result: LoadResult, run: Import) -> None:
    if run.ending is Ending.INTERRUPTED:
        raise LoadInterrupted(result)
    if run.ending in _STOPPED:
        raise LoadStopped(stopped_text(result), result=result, ending=str(run.ending))


def _journal_of(client: PostingClient, journal: str | PathLike[str] | None) -> Path:
    """Return the journal of the store that answers; it is asked only where that can matter."""
    path = place_of(journal, client.base_url)
    if not path.exists():
        return path
    with reading(path) as sql:
        ((known,),) = sql.execute("SELECT store_id FROM journal").fetchall()
    if known is None:
        return path
    return find_journal(journal, client.base_url, ask_store_id(client))


def _columns_of(path: Path, import_id: str) -> Columns | None:
    """Return the columns of an import that a fix file names by the beginning of its id."""
    if not path.exists():
        return None
    with reading(path) as sql:
        found = read_imports(sql, "id GLOB ? || '*'", [import_id])
    return Columns(found[0].mapping, found[0].key) if len(found) == 1 else None


def _import_of(
    opened: Source,
    client: PostingClient,
    recipe: RecipeOptions,
    duplicates: Duplicates,
    call: Call | None,
    now: float,
) -> Import:
    """Return the facts of an import as far as they are known before its records are read."""
    sheet = opened.table.facts.get("sheet")
    place = None if opened.path is None else str(opened.path.resolve())
    return Import(
        id="",
        base_url=client.base_url,
        source=opened.name,
        place=place if place is None or sheet is None else f"{place}#{sheet}",
        header=tuple(opened.columns),
        mapping=dict(opened.mapping),
        key=tuple(opened.key),
        duplicates=duplicates if isinstance(duplicates, str) else dict(duplicates),
        keep=recipe.keep,
        call=None if call is None else call.to_json(),
        recipe=plain_if_possible(recipe),
        staged_at=now,
    )


@dataclass(frozen=True)
class _How:
    """What the caller said of the animals, and whether one cause that fails most ends the load."""

    answers: Mapping[str, str]
    again: bool = False
    send_lines: Collection[int] = ()
    leave_lines: Collection[int] = ()
    check_store: bool = True
    may_hold: bool = False
    records_read: Callable[[int], None] = ignore


@contextmanager
def _copied(path: Path, base_url: str) -> Iterator[Writer]:
    """Give a writer of a copy of a journal, which is gone when the block ends."""
    with TemporaryDirectory(prefix="petstore-frame-") as folder:
        copy = Path(folder, path.name)
        if path.exists():
            copy_journal(path, copy)
        with Writer(copy, base_url) as writer:
            yield writer


def _stage(
    writer: Writer,
    opened: Source,
    run: Import,
    client: PostingClient,
    how: _How,
    pause: Callable[[], None],
    *,
    is_rehearsal: bool = False,
) -> tuple[Staged, Question | None]:
    """Write the records of a source, with their animals, in one transaction.

    Raises:
        DuplicatesError: There is something to ask, and this is no rehearsal; nothing is written.
    """
    with writer.transaction() as sql:
        staged = stage(
            sql,
            run,
            counted(opened.batches(), how.records_read),
            again=how.again,
            send_lines=how.send_lines,
            leave_lines=how.leave_lines,
            pause=pause,
        )
        question = identify(sql, staged, how.answers, _reader(client, how), pause)
        if question is not None and not is_rehearsal:
            raise DuplicatesError(QuestionText(question), question=question)
        _note_reading(sql, staged.run, opened, how)
    return staged, question


def _note_reading(sql: sqlite3.Connection, run: Import, opened: Source, how: _How) -> None:
    """Note the cause that most records fail for, and the dates that ``keep`` goes against."""
    (run,) = read_imports(sql, "id = ?", [run.id])
    facts = {name: run.facts[name] for name in run.facts if name not in (COMMON_CAUSE, OUTDATED)}
    common = [str(cause) for cause in read_causes(sql, run) if cause.is_common]
    if how.may_hold and common:
        facts[COMMON_CAUSE] = common[0]
    if run.key and run.keep in ("first", "last"):
        facts[OUTDATED] = outdated(run.header, read_kept(sql))
    note_facts(sql, run, facts)


def _ask_store_again(
    writer: Writer, run: Import, client: PostingClient, how: _How, pause: Callable[[], None]
) -> None:
    """Compare what an import has still to send with the store.

    Raises:
        DuplicatesError: There is something to ask; nothing is written.
    """
    with writer.transaction() as sql:
        staged = staged_again(sql, run)
        question = identify(sql, staged, how.answers, _reader(client, how), pause)
        if question is not None:
            raise DuplicatesError(QuestionText(question), question=question)


def _reader(client: PostingClient, how: _How) -> Callable[[int], StorePets] | None:
    """Return what reads the store, once; None where the caller wants it left alone."""
    return cache(partial(read_store, client)) if how.check_store else None
