"""The LoadResult, which has what became of each row; and the errors that carry it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from math import inf
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame.errors import ArgumentError, LoadFailedError
from petstore_frame.loader.duplicate_question import Question
from petstore_frame.loader.journal import rows as journal
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.rows import Import, JournalRow, read_keys
from petstore_frame.loader.load_options import GRACE_S
from petstore_frame.loader.next_steps import Reader
from petstore_frame.loader.reconcile import Reconciliation, reconcile
from petstore_frame.loader.resolve import PetIds, RowName, resolve
from petstore_frame.loader.results.import_facts import IN_STORE, ImportSummary, read_summary
from petstore_frame.loader.results.key_frame import frame_of_keys
from petstore_frame.loader.results.result_files import (
    COLUMNS,
    DEFAULT_FOLDER,
    FIX_COLUMNS,
    find_place,
    make_frame,
    write_results,
)
from petstore_frame.loader.results.result_text import file_warnings, result_html, result_text
from petstore_frame.loader.row_state import FIX_STATES, UNCONFIRMED_STATES, Reason, State
from petstore_frame.loader.sending.pool import wait_announced
from petstore_frame.loader.sending.session import PostingClient, ignore
from petstore_frame.loader.source import Recipe
from petstore_frame.rendering import Markup, in_notebook
from petstore_frame.validation import checked_client

if TYPE_CHECKING:
    import pandas as pd


class LoadResult:
    """What became of each row of one import; each is in exactly one state.

    It shows the journal as it is now: a later load, ``reconcile`` or ``resolve`` changes each part
    of it. ``len()`` is the number of rows.

    Attributes:
        import_id: The import: 32 hex digits, the same for the same rows on every computer.
        folder: Where ``write`` has put the files, or None.
        is_rehearsal: Whether this was a dry run: nothing was sent.
        question: What the same call without ``dry_run`` would ask; None where it would send.

    Interface: Errors (code, message and status of a refusal are shown as the store gave them).
    """

    def __init__(
        self,
        path: Path,
        import_id: str,
        *,
        sent_now: bool = True,
        copy: Path | None = None,
        question: Question | None = None,
        fix_file: str | None = None,
    ) -> None:
        self.path, self.import_id, self.sent_now = path, import_id, sent_now
        self.folder: Path | None = None
        # A rehearsal works in a copy of the journal, so the journal has no trace of it.
        self._source, self.is_rehearsal = copy or path, copy is not None
        self.question = question
        self._fix_file = fix_file
        self._frame: pd.DataFrame
        self._commits = -1  # how often the journal was written to when the frame was made

    @classmethod
    def latest(cls, path: Path, most: int) -> list[LoadResult]:
        """Return the results of the last imports in a journal, the latest first."""
        if not path.exists():
            return []
        with reading(path) as sql:
            which = "import > (SELECT max(import) - ? FROM imports)"
            runs = journal.read_imports(sql, which, [most])
        return [cls(path, run.id, sent_now=False) for run in reversed(runs)]

    @property
    def run(self) -> Import:
        """What is known of the import before its rows."""
        return journal.read_import(self._source, self.import_id)

    @property
    def facts(self) -> ImportSummary:
        """What is known of the import now."""
        return read_summary(
            self._source,
            self.import_id,
            sent_now=self.sent_now,
            is_rehearsal=self.is_rehearsal,
            question=self.question,
            folder=self.folder,
            journal=self.path,
            fix_file=self._fix_file,
        )

    @property
    def counts(self) -> dict[str, int]:
        """How many animals are in each state; every state is there, ``counts["created"]``."""
        with reading(self._source) as sql:
            counts = journal.count_in(sql, self.import_id)
        return {str(state): number for state, number in counts.items()}

    @property
    def warnings(self) -> list[str]:
        """What a person should know of the file as a whole, as sentences."""
        return file_warnings(self.facts)

    @property
    def recipe(self) -> Recipe | None:
        """The options of this load as a recipe; None where no recipe can hold them."""
        words = self.run.recipe
        return None if words is None else Recipe(**words)

    @property
    def summary(self) -> dict[str, Any]:
        """The facts of the import and its counts, ready for JSON; times are ISO 8601 in UTC."""
        return self.facts.as_dict()

    @property
    def exit_code(self) -> int:
        """What the command line ends with: 0 only if all rows are in the store."""
        return self.facts.exit_code

    @property
    def ids(self) -> pd.DataFrame:
        """Which pet each key of the file is: ``key`` str, ``id`` Int64, ``state``, ``source``.

        Animals that an earlier import created are there too; empty without ``key=``.
        """
        with reading(self._source) as sql:
            return frame_of_keys(read_keys(sql, self.import_id))

    def rows(self, *states: State) -> Iterator[JournalRow]:
        """Yield the rows in some states, or all, in constant memory."""
        return journal.rows(self._source, self.import_id, *states)

    @property
    def frame(self) -> pd.DataFrame:
        """One row per row of the file, in its order: the file's own columns as text, then ours.

        ``row`` and ``line`` Int64; ``state`` category; ``pet_id`` Int64, also of a pet that
        another row made; ``reason`` (why it is in that state) category; ``error_code``,
        ``error_column``, ``error_message`` str; ``changed`` (what reads otherwise now in a known
        animal) and ``notes`` str.
        """
        with reading(self._source) as sql:
            ((commits,),) = sql.execute("SELECT commits FROM journal").fetchall()
        if self._commits != commits:
            self._commits = commits
            self._frame = make_frame(self.run, self.rows(), COLUMNS)
        return self._frame

    def _part(self, column: str, values: Collection[str]) -> pd.DataFrame:
        frame = self.frame
        return frame[frame[column].isin([*map(str, values)])].reset_index(drop=True)

    @property
    def created(self) -> pd.DataFrame:
        """The rows that are in the store, with their ids where known; columns of ``frame``."""
        return self._part("state", IN_STORE)

    @property
    def unconfirmed(self) -> pd.DataFrame:
        """The unconfirmed rows (also those in flight or not found); columns of ``frame``."""
        return self._part("state", UNCONFIRMED_STATES)

    @property
    def changed(self) -> pd.DataFrame:
        """The known animals whose values are otherwise now, not sent; columns of ``frame``."""
        return self._part("reason", [Reason.CHANGED])

    @property
    def withdrawn(self) -> pd.DataFrame:
        """The rows that an earlier version of the file had and that were never sent."""
        return self._part("reason", [Reason.WITHDRAWN])

    @property
    def fix(self) -> pd.DataFrame:
        """The rows that need fixing (invalid, rejected): correct its columns, then load it.

        All problems of a row follow its own columns. The last column links it to its row. Empty
        cells are missing values, so ``fillna`` fills them.
        """
        rows = self.rows(*FIX_STATES)
        return make_frame(self.run, rows, FIX_COLUMNS, empty_is_missing=True)

    def write(self, folder: str | PathLike[str] = DEFAULT_FOLDER) -> list[Path]:
        """Write the results as files, each whole or not at all.

        ``results.csv`` has every row; ``fix.csv`` those to fix: correct its own columns and
        load it as it is; ``unconfirmed.csv`` the
        unconfirmed ones; ``summary.json`` the counts; and, where
        XlsxWriter is installed, ``results.xlsx`` all of it for a colleague. Files that were
        changed since, and the results of another file's import, stay; then all go to the next free
        folder (``results-2``), which a warning names.

        Args:
            folder: Where to; made if missing.

        Returns:
            The paths written.
        """
        facts = self.facts
        self.folder, note = find_place(Path(folder), facts.run)
        if note:
            warnings.warn(note, UserWarning, stacklevel=2)
        return write_results(self.folder, facts, self.rows)

    def raise_for_failures(self) -> None:
        """Raise unless every row is in the store or is excluded.

        Raises:
            LoadFailedError: Says how many are not, and the first reasons.
        """
        counts = self.counts
        if sum(counts.values()) > sum(counts[state] for state in (*IN_STORE, State.EXCLUDED)):
            raise LoadFailedError(str(self), self)

    def reconcile(
        self,
        client: PostingClient,
        *,
        grace_s: float = GRACE_S,
        sleep: Callable[[float], None] = wait_announced,
        watch: Callable[[], object] = ignore,
    ) -> Reconciliation:
        """Read the store to find out what became of unconfirmed rows; nothing is sent.

        Rows get pets if every pet that appeared since the reading before they were sent equals an
        unconfirmed row, and no more such pets appeared than there are rows with that name and
        category. Otherwise ``candidates`` has the pets that a row may be, and you ``resolve`` it.
        Unconfirmed rows of other imports into the store are settled, too. The same load with
        ``duplicates={"not_found": "create"}`` creates again what was not found.

        Args:
            client: A client of the store that the import went to.
            grace_s: Seconds after the last unconfirmed request before a missing pet means
                anything, because a store may act late. The remaining seconds are waited for.
            sleep: Waits for these seconds.
            watch: Called after each page of the store; an exception ends the reading.

        Returns:
            How many were found, were not found or stay unconfirmed, and what that rests on.

        Raises:
            ArgumentError: An argument cannot be used; nothing was sent.
            JournalLockedError: An import is at work on the journal.
            PetstoreError: The store cannot be read; nothing was settled.
        """
        checked_client(client, "ask_page")
        if not 0 <= grace_s < inf:
            raise ArgumentError(
                f"grace_s= is a number of seconds, 0 or more, got {grace_s!r}; nothing was sent"
            )
        ours = self.path, self.import_id
        return reconcile(*ours, client, grace_s, sleep=sleep, watch=watch)

    def resolve(self, pets: Mapping[RowName, PetIds]) -> None:
        """Write what a person found out about unconfirmed rows.

        Args:
            pets: The id of the pet of each row, by its line in the file (an int) or its key (a
                text, or a tuple of texts); None means that the store has no such pet, so the next
                load of the file sends the row. A line that stands for several unconfirmed animals
                takes a list.

        Raises:
            ArgumentError: A row is not unconfirmed, a pet is another row's, or a ``"?"`` was not
                replaced; nothing was changed.

        Example:
            ``result.resolve({17: 4711, 18: None})``: line 17 is pet 4711, and the store has no
            pet of line 18.
        """
        resolve(self.path, self.import_id, pets)

    def __len__(self) -> int:
        return sum(self.counts.values())

    def text(self, reader: Reader = "python") -> str:
        """Return what became of the rows and what to do next, as its reader types it."""
        return result_text(self.facts, reader)

    def html(self) -> Markup:
        """Return what became of the rows as markup, for a page that shows its own steps."""
        return result_html(self.facts, has_steps=False)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        counted = ", ".join(f"{count:,} {state}" for state, count in self.counts.items() if count)
        return f"<LoadResult of {self.run.source}: {counted or 'no rows'}>"

    def _repr_html_(self) -> str:
        return in_notebook(result_html(self.facts))
