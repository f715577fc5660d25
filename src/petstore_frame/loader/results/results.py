"""What became of each record: one result per record, none left out."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame._internal.arguments import true_or_false
from petstore_frame._internal.has_frame import HasFrame
from petstore_frame.errors import JournalError, LoadFailedError
from petstore_frame.loader.call import PYTHON
from petstore_frame.errors.frames import callers_level
from petstore_frame.loader.journal import rows as journal
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.earlier import Repeats, from_plan
from petstore_frame.loader.journal.rows import JournalRow, Run
from petstore_frame.loader.options import GRACE_S, MOST_GETS, check_folder
from petstore_frame.loader.reading.returned import COLUMNS
from petstore_frame.loader.record import DOUBT_STATES, FIX_STATES, RecordProblem, State, exit_code
from petstore_frame.loader.results import facts
from petstore_frame.loader.results.columns import (
    count_causes,
    fix_frame,
    iso_of,
    make_frame,
    original_columns,
    problem_of,
)
from petstore_frame.loader.results.facts import Elsewhere, Note, Skipped
from petstore_frame.loader.results.files import DEFAULT_FOLDER, find_place
from petstore_frame.loader.results.ids import read_import_ids
from petstore_frame.loader.results.view import result_html, result_text
from petstore_frame.loader.sending.pool import wait_announced
from petstore_frame.loader.settling import reconcile as settling
from petstore_frame.loader.settling.readback import SettlingClient
from petstore_frame.loader.settling.reconcile import Doubt, Reconciliation

if TYPE_CHECKING:
    import pandas as pd

SHOWN_PROBLEMS, KEPT_RECORDS = 5, 10_000


class LoadResult(HasFrame):
    """What became of each record of one import.

    Each is in exactly one state, and the states sum to the records of the file. It reads the
    import's journal when it is asked, so it is never older than the journal; frames are kept once
    made, until ``reconcile`` or ``resolve`` change what they show. ``len()`` is the number of
    records. A rehearsal keeps what it shows and up to 10,000 records; of more, the rows are a
    JournalError once the same file was rehearsed again or loaded.

    Args:
        path: The journal of the store.
        run_id: The import.
        is_from_earlier_run: No request was sent by this call; the result describes the earlier
            run.

    Interface: Errors (code, message and status of a refusal are shown as the store gave them).
    """

    def __init__(self, path: Path, run_id: str, *, is_from_earlier_run: bool = False) -> None:
        self.path = path
        self.run_id = run_id
        self.is_from_earlier_run = is_from_earlier_run
        self._staged_at = self.run.created_at
        # Next steps are phrased for the reader: a Python caller, or a shell.
        self.voice = PYTHON
        # How the wait before reading back is spent: who watches it, a terminal or a page.
        self.wait: Callable[[float], None] = wait_announced
        self._kept: list[JournalRow] | None = None
        if self.is_rehearsal:  # what it has read stays when the records are rehearsed again
            str(self)
            self._kept = list(self.rows()) if len(self) <= KEPT_RECORDS else None

    @cached_property
    def run(self) -> Run:
        """The facts of the import."""
        return journal.read_run(self.path, self.run_id)

    @cached_property
    def counts(self) -> dict[State, int]:
        """How many records are in each state, none left out."""
        return journal.count_states(self.path, self.run_id)

    @cached_property
    def skipped(self) -> list[Skipped]:
        """Why records were skipped: blank, or for an equal record of which earlier import."""
        return facts.read_skipped(self.path, self.run)

    @property
    def repeats(self) -> Repeats | None:
        """What a rehearsal would ask first: what the file has in common with earlier imports.

        None where nothing has to be asked. ``repeats.equal`` of ``repeats.records`` equal earlier
        ones, ``repeats.key_column`` looks like a key.
        """
        found = from_plan(self.run.plan)
        must_ask = found is not None and found.must_ask and self.run.duplicates == "refuse"
        return found if must_ask and self.is_rehearsal else None

    @cached_property
    def notes(self) -> list[Note]:
        """What was noted on records that were not refused, by kind, with the first of each."""
        with reading(self.path) as sql:
            return facts.read_notes(sql, self.run)

    @cached_property
    def problems(self) -> list[tuple[JournalRow, RecordProblem]]:
        """The first records to fix, with what is wrong."""
        first = islice(self.rows(*FIX_STATES), SHOWN_PROBLEMS)
        return [(row, problem_of(row, self.run)) for row in first]

    @cached_property
    def warnings(self) -> list[str]:
        """What a person should know of the file as a whole, as sentences."""
        with reading(self.path) as sql:
            return facts.describe_warnings(sql, self.run)

    @property
    def ids(self) -> pd.DataFrame:
        """Which pet each key of the file is: ``key`` str, ``id`` Int64, ``state``, ``source``.

        Animals that an earlier import created are there too; empty without ``key=``.
        """
        return read_import_ids(self.path, self.run_id)

    @cached_property
    def elsewhere(self) -> Elsewhere:
        """How many skipped records are animals of other imports, not surely in the store."""
        counts: Counter[str] = Counter()
        for found in self.skipped:
            counts[found.reason] += found.records
        return Elsewhere(*(counts[reason] for reason in facts.NOT_CREATED_HERE))

    def rows(self, *states: State) -> Iterator[JournalRow]:
        """Yield what the journal knows of the records, in constant memory; no state means all."""
        if self._kept is not None:
            return (row for row in self._kept if not states or row.state in states)
        if journal.read_run(self.path, self.run_id).created_at != self._staged_at:
            raise JournalError(
                f"this was a rehearsal of {self.run.source_name}, which was rehearsed again or "
                "loaded since: the later result has its records"
            )
        return journal.rows(self.path, self.run_id, *states)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per record, in the order of the file.

        Columns: ``record`` and ``line`` Int64; the file's own columns as text, verbatim;
        ``sent_name`` str, ``sent_category_id`` Int64, ``sent_status`` category; ``state``,
        ``action`` (none, fix, resend, check) category; ``pet_id`` Int64, ``id_source`` category;
        ``http_status`` Int16; ``error_code``, ``error_message``, ``error_column``,
        ``error_value``, ``hint`` str; ``reason`` category; ``changed`` (what is otherwise
        now in a known animal), ``warnings`` str; ``attempts`` Int32;
        ``first_sent_at``, ``settled_at`` in UTC; ``elapsed_ms`` Float64; ``correlation_id``,
        ``idempotency_key``, ``payload_sha256``, ``run_id``, ``records_sha256`` str.
        """
        return make_frame(self.run, self.rows())

    @property
    def created(self) -> pd.DataFrame:
        """The records that are in the store, with their ids where known; columns of ``frame``."""
        return self._part(State.CREATED)

    @property
    def changed(self) -> pd.DataFrame:
        """The known animals whose values are otherwise now, not sent; columns of ``frame``."""
        frame = self.frame
        return frame[frame["reason"] == facts.CHANGED].reset_index(drop=True)

    @property
    def fix(self) -> pd.DataFrame:
        """The records to fix (invalid, rejected), in the columns of ``fix.csv``.

        What is wrong comes first, then the file's own columns: correct these and pass it to
        ``load_frame``; the last two columns say which record each row is.
        """
        return fix_frame(self._part(*FIX_STATES), self.rows(*FIX_STATES), self.run)

    @property
    def unknown(self) -> pd.DataFrame:
        """The records in doubt (unknown, in flight, absent); columns of ``frame``."""
        return self._part(*DOUBT_STATES)

    @property
    def to_fix(self) -> int:
        """How many records are to fix, here or, of the same animals, in an earlier import."""
        return self._count(FIX_STATES) + self.elsewhere.to_fix

    @property
    def in_doubt(self) -> int:
        """How many records are in doubt, here or, of the same animals, in an earlier import."""
        return self._count(DOUBT_STATES) + self.elsewhere.in_doubt

    @cached_property
    def doubt(self) -> Doubt | None:
        """What reading the store back has left in doubt."""
        return settling.read_doubt(self.path, self.run_id)

    @property
    def summary(self) -> dict[str, Any]:
        """The facts of the import and its counts, ready for JSON; times are ISO 8601 in UTC."""
        run, doubt = self.run, self.doubt
        causes = count_causes(run, self.rows())
        candidates = {} if doubt is None else doubt.candidates
        started, ended = run.started_at, run.ended_at
        return {
            "run_id": run.run_id,
            "base_url": run.base_url,
            "store_id": run.store_id,
            "source": run.source_name,
            "path": run.source_path,
            "records_sha256": run.records_sha256,
            "header": list(run.header),
            "mapping": run.mapping,
            "journal": str(self.path),
            "dry_run": self.is_rehearsal,
            "again": run.is_again,
            "key": list(run.key),
            "duplicates": run.duplicates,
            "plan": run.plan,
            "records": len(self),
            "elsewhere": self.elsewhere._asdict(),
            "states": {str(state): count for state, count in self.counts.items()},
            "skipped": [found.as_dict() for found in self.skipped],
            **{name: dict(codes.most_common()) for name, codes in causes._asdict().items()},
            "read_back": None if doubt is None else list(doubt.notes),
            "candidates": {str(record): [*ids] for record, ids in candidates.items()},
            "ending": None if run.ending is None else str(run.ending),
            "ending_detail": run.ending_detail,
            "exit_code": self.exit_code,
            "created_at": iso_of(run.created_at),
            "started_at": iso_of(started),
            "ended_at": iso_of(ended),
            "seconds": ended - started if ended and started else None,
        }

    @property
    def exit_code(self) -> int:
        """What the command line ends with: 0 only if all records are in the store."""
        if self.repeats is not None:
            return 2
        return exit_code(self.counts, self.run.ending, has_doubt_elsewhere=any(self.elsewhere))

    @property
    def is_rehearsal(self) -> bool:
        """Whether nothing was sent yet: a dry run."""
        return self.run.started_at is None

    def write(
        self, folder: str | PathLike[str] = DEFAULT_FOLDER, *, excel: bool | None = None
    ) -> list[Path]:
        """Write the results as files, each whole or not at all.

        ``results.csv`` has every record; ``fix.csv`` those to fix: correct its own columns and
        load it as it is; ``unknown.csv`` those in doubt; ``results.xlsx`` all of it for a
        colleague; ``summary.json`` the counts. Text that a spreadsheet would run as a formula, and
        names in ``fix.csv`` that it would convert, are made harmless, and come back unchanged.

        Nothing is lost: files that were changed since, and the results of another file's import,
        stay; then all go to the next free folder beside it (``results-2``), which a warning names.

        Args:
            folder: Where to; made if missing.
            excel: Whether to write the workbook, which takes most of the time; None does if
                XlsxWriter is installed.

        Returns:
            The paths written.

        Raises:
            MissingExtraError: A workbook was asked for, and XlsxWriter is not installed.
            ArgumentError: An argument cannot be used; nothing was written.
        """
        from petstore_frame.loader.results.files import write_results

        check_folder("folder", folder)
        if excel is not None:
            true_or_false("excel", excel)

        place = find_place(Path(folder), self.run)
        if place.note:
            warnings.warn(place.note, UserWarning, stacklevel=callers_level())
        self.forget()
        return write_results(place.folder, self, excel=excel)

    def raise_for_failures(self) -> None:
        """Raise unless every record is in the store, was there before, or was blank.

        Raises:
            LoadFailedError: Says how many are not, and the first reasons.
        """
        is_there = self._count([State.CREATED, State.SKIPPED]) == len(self)
        if not is_there or any(self.elsewhere):
            raise LoadFailedError(str(self), result=self)

    def reconcile(
        self,
        client: SettlingClient,
        *,
        sole_writer: bool = False,
        grace_s: float = GRACE_S,
        by_id: bool = True,
        most_gets: int = MOST_GETS,
        resend_absent: bool = False,
    ) -> Reconciliation:
        """Settle the records in doubt by reading the store; this result then shows them settled.

        A pet is claimed for a record only where you state that nobody else adds pets, and exactly
        one way to match remains; else ``candidates`` has the pets that it may be, for you to
        ``resolve``. Doubt of earlier imports that records were skipped for is settled there first.

        Args:
            client: A client of the store that the import went to.
            sole_writer: Nobody but this journal's imports adds pets to the store.
            grace_s: Seconds after the last doubtful request before its absence means anything: a
                store may act late. What is left of them is waited for.
            by_id: Also ask id by id, through the deprecated operation, where ids rise with time.
            most_gets: The largest number of requests of that kind.
            resend_absent: Send absent records again. Only for a store that surely finishes a
                request within the grace: one that acts later makes a duplicate.

        Returns:
            How many were found, are absent or stay unknown, and what that rests on.

        Raises:
            ArgumentError: An argument cannot be used; nothing was sent.
            JournalLockedError: An import is at work on the journal.
            PetstoreError: The store cannot be read; nothing was settled.
        """
        try:
            return settling.reconcile_all(
                self.path,
                [*facts.runs_in_doubt(self.path, self.run), self.run_id],
                client,
                sole_writer=sole_writer,
                grace_s=grace_s,
                by_id=by_id,
                most_gets=most_gets,
                resend_absent=resend_absent,
                sleep=self.wait,
            )
        finally:
            self.forget()

    def resolve(self, record: int, *, pet_id: int | None = None, not_created: bool = False) -> None:
        """Write what a person found out about a record in doubt.

        Args:
            record: The record, as in the column ``record``.
            pet_id: It is this pet.
            not_created: It was not created; the next load of the file sends it.

        Raises:
            ArgumentError: Not exactly one of the two was given, the record is not in doubt, or
                the pet is another record's.
        """
        settling.resolve(self.path, self.run_id, record, pet_id=pet_id, not_created=not_created)
        self.forget()

    def __len__(self) -> int:
        return sum(self.counts.values())

    def _columns(self) -> Collection[str]:
        return [*COLUMNS, *original_columns(self.run)]

    def __str__(self) -> str:
        return result_text(self)

    def __repr__(self) -> str:
        counted = ", ".join(f"{n:,} {state}" for state, n in self.counts.items() if n)
        return f"<LoadResult of {self.run.source_name}: {counted or 'no records'}>"

    def _repr_html_(self) -> str:
        return result_html(self)

    def _count(self, states: Iterable[State]) -> int:
        return sum(self.counts[state] for state in states)

    def _part(self, *states: State) -> pd.DataFrame:
        frame = self.frame
        wanted = frame["state"].isin([str(state) for state in states])
        return frame[wanted].reset_index(drop=True)

    def forget(self) -> None:
        """Drop what was read, because the journal has changed."""
        for name, value in vars(type(self)).items():
            if isinstance(value, cached_property):
                self.__dict__.pop(name, None)
