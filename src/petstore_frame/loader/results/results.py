"""What became of each record: one result per record, none left out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame._internal.arguments import true_or_false
from petstore_frame._internal.has_frame import HasFrame
from petstore_frame.errors import JournalError, LoadFailedError
from petstore_frame.errors.frames import callers_level
from petstore_frame.loader.call import Call
from petstore_frame.loader.causes import Cause
from petstore_frame.loader.journal import rows as journal
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.question import Question
from petstore_frame.loader.journal.rows import JournalRow
from petstore_frame.loader.options import GRACE_S, MOST_GETS, check_folder
from petstore_frame.loader.reading.recipe import Recipe
from petstore_frame.loader.record import DOUBT_STATES, FIX_STATES, State, exit_code
from petstore_frame.loader.results import facts as found
from petstore_frame.loader.results.columns import (
    COLUMNS,
    fix_frame,
    iso_of,
    make_frame,
    original_columns,
    pet_ids,
)
from petstore_frame.loader.results.facts import Elsewhere, Facts, Note, Skipped
from petstore_frame.loader.results.files import DEFAULT_FOLDER, find_place, write_results
from petstore_frame.loader.results.ids import read_import_ids
from petstore_frame.loader.results.rehearsal import Rehearsal
from petstore_frame.loader.results.view import file_warnings, result_html, result_text
from petstore_frame.loader.sending.pool import wait_announced
from petstore_frame.loader.settling import reconcile as settling
from petstore_frame.loader.settling.readback import SettlingClient
from petstore_frame.loader.settling.reconcile import Doubt, Reconciliation

if TYPE_CHECKING:
    import pandas as pd

_IN_STORE = (State.CREATED, State.ADOPTED)


class LoadResult(HasFrame):
    """What became of each record of one import.

    Each is in exactly one state, and the states sum to the records of the file. All that it shows
    is of the last moment of the import's journal, so a later load, ``reconcile`` or ``resolve``
    is seen in each part of it. ``len()`` is the number of records.

    Args:
        path: The journal of the store.
        import_id: The import.
        call: How it was called, from which the next steps are made; None: as the journal has it.
        sent_now: Whether this call sent anything; else the result describes earlier ones.
        index: The index of the frame that was loaded, or None.
        kept: What a rehearsal found; its journal has no trace of it.

    Attributes:
        import_id: The import: 32 hex digits, the same for the same records on every computer.
        folder: Where ``write`` has put the files, or None.

    Interface: Errors (code, message and status of a refusal are shown as the store gave them).
    """

    def __init__(
        self,
        path: Path,
        import_id: str,
        *,
        call: Call | None = None,
        sent_now: bool = True,
        index: Any = None,
        kept: Rehearsal | None = None,
    ) -> None:
        self.path, self.import_id, self.sent_now = path, import_id, sent_now
        self.wait: Callable[[float], None] = wait_announced  # before reading back
        self.folder: Path | None = None
        self._index, self._kept = index, kept
        self._last: Facts | None = None
        self._framed: tuple[Facts, pd.DataFrame] | None = None
        stored = self.facts.run.call
        self.call = call or (Call() if stored is None else Call.from_json(stored))

    @property
    def facts(self) -> Facts:
        """What is known of the import now: one value, read anew when the journal has changed."""
        if self._kept is not None:
            return self._kept.facts
        with reading(self.path) as sql:
            if self._last is None or self._last.commits != found.count_commits(sql):
                self._last = found.read_facts(sql, self.import_id)
        if self._last is None:
            raise JournalError(f"{self.path} does not know the import {self.import_id}")
        return self._last

    @property
    def counts(self) -> dict[State, int]:
        """How many records are in each state, none left out."""
        return self.facts.counts

    @property
    def skipped(self) -> list[Skipped]:
        """Why records were skipped: blank, left out, or for which known animal."""
        return self.facts.skipped

    @property
    def causes(self) -> list[Cause]:
        """What keeps records from being sent: each cause once, the commonest first."""
        return self.facts.causes

    @property
    def notes(self) -> list[Note]:
        """What was noted on records that were not refused, by kind, with the first of each."""
        return self.facts.notes

    @property
    def elsewhere(self) -> Elsewhere:
        """How many skipped records are animals of other imports, not surely in the store."""
        return self.facts.elsewhere

    @property
    def question(self) -> Question | None:
        """What the same call without ``dry_run`` would ask; None where it would send."""
        return None if self._kept is None else self._kept.question

    @property
    def recipe(self) -> Recipe | None:
        """What the caller said of the file, for the next one; None where no recipe can say it."""
        words = self.facts.run.recipe
        return None if words is None else Recipe(**words)

    @property
    def warnings(self) -> list[str]:
        """What a person should know of the file as a whole, as sentences."""
        return file_warnings(self.facts)

    @property
    def ids(self) -> pd.DataFrame:
        """Which pet each key of the file is: ``key`` str, ``id`` Int64, ``state``, ``source``.

        Animals that an earlier import created are there too; empty without ``key=``.
        """
        if self._kept is not None:
            return self._kept.ids
        with reading(self.path) as sql:
            return read_import_ids(sql, self.import_id)

    @property
    def pet_ids(self) -> pd.Series[Any]:
        """The pet of each record, Int64, with the index of the frame that was loaded.

        So ``df["pet_id"] = result.pet_ids`` is right; missing where no pet is known.
        """
        return pet_ids(self.rows(), self._index)

    def rows(self, *states: State) -> Iterator[JournalRow]:
        """Yield what the journal knows of the records, in constant memory; no state means all."""
        if self._kept is not None:
            return self._kept.rows(*states)
        return journal.rows(self.path, self.import_id, *states)

    @property
    def frame(self) -> pd.DataFrame:
        """One row per record, in the order of the file.

        Columns: ``record`` and ``line`` Int64; the file's own columns as text, verbatim;
        ``sent_name`` str, ``sent_category_id`` Int64, ``sent_status`` category; ``state``,
        ``action`` (none, fix, resend, check) category; ``pet_id`` Int64, also of a pet that
        another record made; ``id_source`` category; ``http_status`` Int16; ``error_code``,
        ``error_message``, ``error_column``, ``error_value``, ``hint``, ``accept`` str;
        ``reason`` and ``known_by`` category; ``changed`` (what reads otherwise now in a known
        animal) and ``notes`` str; ``attempts`` Int32; ``first_sent_at``, ``settled_at`` in UTC;
        ``elapsed_ms`` Float64; ``request_id``, ``import_id`` str.
        """
        facts = self.facts
        if self._framed is None or self._framed[0] is not facts:
            self._framed = (facts, make_frame(facts.run, self.rows()))
        return self._framed[1]

    @property
    def created(self) -> pd.DataFrame:
        """The records that are in the store, with their ids where known; columns of ``frame``."""
        return self._part(*_IN_STORE)

    @property
    def changed(self) -> pd.DataFrame:
        """The known animals whose values are otherwise now, not sent; columns of ``frame``."""
        return self.frame[self.frame["changed"].notna()].reset_index(drop=True)

    @property
    def fix(self) -> pd.DataFrame:
        """The records to fix (invalid, rejected).

        What is wrong comes first, then the file's own columns: correct these and pass it to
        ``load_frame``; the last column says which record each row is.
        """
        return fix_frame(self._part(*FIX_STATES), self.facts.run)

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

    @property
    def doubt(self) -> Doubt | None:
        """What reading the store back has left in doubt."""
        return None if self._kept else settling.read_doubt(self.path, self.import_id)

    @property
    def summary(self) -> dict[str, Any]:
        """The facts of the import and its counts, ready for JSON; times are ISO 8601 in UTC."""
        facts, doubt, run = self.facts, self.doubt, self.facts.run
        candidates = {} if doubt is None else doubt.candidates
        return {
            "import_id": run.id,
            "base_url": run.base_url,
            "store_id": run.store_id,
            "source": run.source,
            "place": run.place,
            "header": list(run.header),
            "mapping": run.mapping,
            "key": list(run.key),
            "duplicates": run.duplicates,
            "copy": run.copy,
            "call": str(self.call),
            "journal": str(self.path),
            "dry_run": self.is_rehearsal,
            "records": len(facts),
            "states": {str(state): count for state, count in facts.counts.items()},
            "skipped": [group.as_dict() for group in facts.skipped],
            "elsewhere": facts.elsewhere._asdict(),
            "causes": [cause.as_dict() for cause in facts.causes],
            "notes": {note.kind: note.records for note in facts.notes},
            "facts": run.facts,
            "read_back": None if doubt is None else list(doubt.notes),
            "candidates": {str(record): [*ids] for record, ids in candidates.items()},
            "ending": None if run.ending is None else str(run.ending),
            "ending_detail": run.ending_detail,
            "exit_code": self.exit_code,
            "staged_at": iso_of(run.staged_at),
            "started_at": iso_of(run.started_at),
            "ended_at": iso_of(run.ended_at),
        }

    @property
    def exit_code(self) -> int:
        """What the command line ends with: 0 only if all records are in the store."""
        if self.question is not None:
            return 2
        elsewhere = any(self.elsewhere)
        return exit_code(self.counts, self.facts.run.ending, has_doubt_elsewhere=elsewhere)

    @property
    def is_rehearsal(self) -> bool:
        """Whether this was a dry run: nothing was sent, and the journal has no trace of it."""
        return self._kept is not None

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
        check_folder("folder", folder)
        if excel is not None:
            true_or_false("excel", excel)
        place = find_place(Path(folder), self.facts.run)
        if place.note:
            warnings.warn(place.note, UserWarning, stacklevel=callers_level())
        self.folder = place.folder
        return write_results(place.folder, self, excel=excel)

    def raise_for_failures(self) -> None:
        """Raise unless every record is in the store, was there before, or was left out.

        Raises:
            LoadFailedError: Says how many are not, and the first reasons.
        """
        is_there = self._count([*_IN_STORE, State.SKIPPED]) == len(self)
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
            by_id: Also ask for single pets, through the deprecated operation.
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
        return settling.reconcile_all(
            self.path,
            [*self.facts.in_doubt_elsewhere, self.import_id],
            client,
            sole_writer=sole_writer,
            grace_s=grace_s,
            by_id=by_id,
            most_gets=most_gets,
            resend_absent=resend_absent,
            sleep=self.wait,
        )

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
        settling.resolve(self.path, self.import_id, record, pet_id=pet_id, not_created=not_created)

    def __len__(self) -> int:
        return len(self.facts)

    def _columns(self) -> Collection[str]:
        return [*COLUMNS, *original_columns(self.facts.run)]

    def __str__(self) -> str:
        return result_text(self)

    def __repr__(self) -> str:
        facts = self.facts
        counted = ", ".join(f"{n:,} {state}" for state, n in facts.counts.items() if n)
        return f"<LoadResult of {facts.run.source}: {counted or 'no records'}>"

    def _repr_html_(self) -> str:
        return result_html(self)

    def _count(self, states: Iterable[State]) -> int:
        return sum(self.facts.counts[state] for state in states)

    def _part(self, *states: State) -> pd.DataFrame:
        wanted = self.frame["state"].isin([str(state) for state in states])
        return self.frame[wanted].reset_index(drop=True)
