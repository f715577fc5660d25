"""Defines LoadResult, the outcome of a load."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame.errors import ArgumentError, DuplicatesError, LoadFailedError
from petstore_frame.loader.journal import rows as journal
from petstore_frame.loader.journal.database import reading, unusual_folder
from petstore_frame.loader.journal.row_counts import count_states
from petstore_frame.loader.journal.rows import Import, JournalRow, read_imports, read_keys
from petstore_frame.loader.load_options import GRACE_S
from petstore_frame.loader.reconcile import Reconciliation, reconcile
from petstore_frame.loader.resolve import PetIds, RowName, resolve
from petstore_frame.loader.results.import_facts import IN_STORE, ImportSummary, read_summary
from petstore_frame.loader.results.result_files import (
    CHANGED_IN_STORE,
    COLUMNS,
    DEFAULT_FOLDER,
    FIX_COLUMNS,
    POSSIBLE_COLUMNS,
    find_place,
    frame_of_keys,
    make_frame,
    write_results,
)
from petstore_frame.loader.results.result_text import (
    file_warnings,
    headline,
    result_html,
    result_text,
)
from petstore_frame.loader.row_state import FIX_STATES, UNCONFIRMED_STATES, Reason, State
from petstore_frame.loader.sending.pool import wait_announced
from petstore_frame.loader.sending.session import PostingClient
from petstore_frame.loader.source import Recipe
from petstore_frame.questions import Question, Reader
from petstore_frame.rendering import in_notebook
from petstore_frame.validation import checked_client, checked_folder

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class ImportView:
    """The private part of a LoadResult: an import in a journal, always with its current state.

    Attributes:
        path: Path of the journal.
        import_id: 32 hex digits; the same rows have the same id on every computer.
        sent_now: Whether this call sent anything. If not, the view describes earlier calls.
        copy: The copy of the journal that a dry run used, so that the journal stays unchanged; None
            for other imports.
        question: The question that the call without ``dry_run`` would ask; None if it would send.
        fix_file: Path of the loaded fix file; None for other files.
        folder: Folder of the result files; None if none were written.
        journal_folder: Folder of the journal as the user gave it; None if nobody named it.
        command: The command of this load, as the user typed it in a shell; None in Python.
        max_rows: The maximum number of rows that this call sends; None for no limit.
    """

    path: Path
    import_id: str
    sent_now: bool = True
    copy: Path | None = None
    question: Question | None = None
    fix_file: str | None = None
    folder: Path | None = None
    journal_folder: str | None = None
    command: str | None = None
    max_rows: int | None = None

    @property
    def is_rehearsal(self) -> bool:
        """Whether this was a dry run: nothing was sent."""
        return self.copy is not None

    @property
    def source(self) -> Path:
        """The database with the rows: the journal, or its copy for a dry run."""
        return self.copy or self.path

    @property
    def run(self) -> Import:
        """The import in the journal, without its rows."""
        return journal.read_import(self.source, self.import_id)

    @property
    def facts(self) -> ImportSummary:
        """The current facts of the import."""
        return read_summary(
            self.source,
            self.import_id,
            sent_now=self.sent_now,
            is_rehearsal=self.is_rehearsal,
            question=self.question,
            folder=self.folder,
            journal=self.path,
            journal_folder=self.journal_folder or unusual_folder(self.path),
            fix_file=self.fix_file,
            command=self.command,
            max_rows=self.max_rows,
        )

    @property
    def summary(self) -> dict[str, Any]:
        """The facts of the import and its counts, ready for JSON; times are ISO 8601 in UTC."""
        return self.facts.as_dict()

    def rows(self, *states: State) -> Iterator[JournalRow]:
        """Yield the rows in some states, or all, in constant memory."""
        return journal.rows(self.source, self.import_id, *states)

    def text(self, reader: Reader = "python") -> str:
        """Return the outcome and the next steps as text, with commands for one kind of reader."""
        return result_text(self.facts, reader)

    def headline(self, reader: Reader = "python") -> str:
        """Return the outcome as one sentence, which starts with the name of the file."""
        _, sentence = headline(self.facts, reader)
        return sentence

    def reconcile(
        self,
        client: PostingClient,
        *,
        grace_s: float = GRACE_S,
        sleep: Callable[[float], None] = wait_announced,
        watch: Callable[[], object] = lambda: None,
    ) -> Reconciliation:
        """Settle unconfirmed rows as ``LoadResult.reconcile`` does.

        Args:
            client: A client of the store that the import went to.
            grace_s: Seconds to wait after the last unconfirmed request, 0 or more.
            sleep: Called with the remaining seconds.
            watch: Called after each page of the store; an exception stops the reading.
        """
        checked_client(client, "ask_page")
        if not 0 <= grace_s < inf:
            raise ArgumentError(
                f"grace_s must be a number of seconds, 0 or more, got {grace_s!r}; nothing was sent"
            )
        return reconcile(self.path, self.import_id, client, grace_s, sleep=sleep, watch=watch)


class LoadResult:
    """The outcome of an import: each row is in exactly one state.

    The result always shows the current journal, so it changes with a later load, ``reconcile`` or
    ``resolve``. ``len()`` is the number of rows.

    Interface: Errors (the code and message of a rejected row are those of the store).
    """

    def __init__(self, view: ImportView) -> None:
        self._view = view
        self._frame: pd.DataFrame
        self._commits = -1  # number of commits of the journal when the frame was built

    @property
    def counts(self) -> dict[str, int]:
        """Number of animals in each state, such as ``counts["created"]``; 0 for empty states."""
        number = self._view.run.number
        with reading(self._view.source) as sql:
            counts = count_states(sql, number)
        return {str(state): number for state, number in counts.items()}

    @property
    def warnings(self) -> list[str]:
        """What a user should know besides the states of the rows, as sentences."""
        return file_warnings(self._view.facts)

    @property
    def recipe(self) -> Recipe | None:
        """The options of this load as a recipe; None if a recipe cannot contain them."""
        options = self._view.run.recipe
        return None if options is None else Recipe(**options)

    @property
    def exit_code(self) -> int:
        """Exit code of the command line; 0 only if all rows are in the store or excluded."""
        return self._view.facts.exit_code

    @property
    def ids(self) -> pd.DataFrame:
        """The pet of each key of the file: ``key`` str, ``id`` Int64, ``state``, ``source``.

        Animals of earlier imports are included. Without ``key=``, the table is empty.
        """
        with reading(self._view.source) as sql:
            return frame_of_keys(read_keys(sql, self._view.import_id))

    @property
    def frame(self) -> pd.DataFrame:
        """One row per row of the file: the columns of the file as text, then ten added columns.

        The added columns are ``row`` and ``line`` (Int64), ``state`` (category), ``pet_id`` (Int64;
        also if another row created the pet), ``reason`` of the state (category), ``error_code``,
        ``error_column``, ``error_message``, ``changed`` (the new values of an animal that was
        loaded before) and ``notes`` (str).
        """
        with reading(self._view.source) as sql:
            ((commits,),) = sql.execute("SELECT commits FROM journal").fetchall()
        if self._commits != commits:
            self._commits = commits
            self._frame = make_frame(self._view.run, self._view.rows(), COLUMNS)
        return self._frame

    def _part(self, column: str, values: Collection[str]) -> pd.DataFrame:
        """Return the rows of ``frame`` with one of some values in a column."""
        frame = self.frame
        return frame[frame[column].isin([*map(str, values)])].reset_index(drop=True)

    @property
    def created(self) -> pd.DataFrame:
        """The rows of ``frame`` that are in the store, with their ids if they are known."""
        return self._part("state", IN_STORE)

    @property
    def unconfirmed(self) -> pd.DataFrame:
        """The rows of ``frame`` that are unconfirmed, in flight or not found."""
        return self._part("state", UNCONFIRMED_STATES)

    @property
    def possible_duplicates(self) -> pd.DataFrame:
        """The possible duplicates: each row next to the animal or pet that it may be; not sent.

        After the columns of the file come ``line`` (Int64), ``may_be_name``, ``may_be_category_id``
        (Int64), ``may_be_status``, ``may_be_key``, ``may_be_id`` (Int64; the pet), ``may_be_from``
        (the file that it was loaded from, or ``the store``) and ``table_line`` (Int64; the line of
        the table in the documentation of keys that found it).
        """
        rows = self._view.rows(State.POSSIBLE_DUPLICATE)
        return make_frame(self._view.run, rows, POSSIBLE_COLUMNS)

    @property
    def changed(self) -> pd.DataFrame:
        """The rows of ``frame`` whose animals were loaded before with other values; not sent.

        ``changed_in`` (category) is ``file`` if the file has other values than those that were
        sent, and ``store`` if the store shows another name.
        """
        import pandas as pd

        changed = self._part("reason", [Reason.CHANGED])
        is_in_store = changed["changed"].str.contains(CHANGED_IN_STORE, regex=False)
        places = ["store" if in_store else "file" for in_store in is_in_store]
        return changed.assign(changed_in=pd.Categorical(places, categories=["file", "store"]))

    @property
    def fix(self) -> pd.DataFrame:
        """The rows that need fixing (invalid or rejected). Correct the file's columns, and load it.

        The columns of the file come first, followed by the problems of the row. The last column
        links it to its row in the file. Empty cells are missing values, so you can use ``fillna``.
        """
        rows = self._view.rows(*FIX_STATES)
        return make_frame(self._view.run, rows, FIX_COLUMNS, empty_is_missing=True)

    def write(self, folder: str | PathLike[str] = DEFAULT_FOLDER) -> list[Path]:
        """Write the results as files, each completely or not at all.

        ``results.csv`` has every row, ``fix.csv`` the rows that need fixing, ``unconfirmed.csv``
        the unconfirmed rows, and ``summary.json`` the counts. If XlsxWriter is installed,
        ``results.xlsx`` has all rows and a sheet to correct. Files that somebody changed and
        results of another file are never overwritten: the files go to a new folder
        (``results-2``), which a warning names.

        Args:
            folder: Folder for the files; it is created if it is missing.

        Returns:
            The paths of the files.

        Raises:
            ArgumentError: ``folder`` is a file.
        """
        facts = self._view.facts
        result_folder, note = find_place(checked_folder("folder", folder), facts.run)
        self._view.folder = result_folder
        if note:
            warnings.warn(note, UserWarning, stacklevel=2)
        return write_results(result_folder, facts, self._view.rows)

    def raise_for_failures(self) -> None:
        """Raise unless every row is in the store or is excluded.

        Raises:
            DuplicatesError: Possible duplicates wait for an answer.
            LoadFailedError: Some rows are neither; the message has their number and reasons.
        """
        counts = self.counts
        if counts[State.POSSIBLE_DUPLICATE]:
            raise DuplicatesError(str(self), self)
        if sum(counts.values()) > sum(counts[state] for state in (*IN_STORE, State.EXCLUDED)):
            raise LoadFailedError(str(self), self)

    def reconcile(self, client: PostingClient, *, grace_s: float = GRACE_S) -> Reconciliation:
        """Read the store to find the pets of unconfirmed rows; no pet is sent.

        Rows are matched with pets if every pet that appeared since the load read the store equals
        an unconfirmed row, and there are no more such pets than rows with that name and category.
        Otherwise, ``candidates`` has the possible pets, and you can ``resolve`` the rows. The
        unconfirmed rows of other loads into this store are also matched. To create the animals
        that are ``not_found``, load the file again with ``as_new=[lines]``.

        Args:
            client: A client of the store that the file was loaded into.
            grace_s: Seconds to wait after the last unconfirmed request, because a slow store may
                still create the pet. Time that has already passed counts.

        Returns:
            A Reconciliation: how many rows were found, not found or are still unconfirmed.

        Raises:
            ArgumentError: An argument is invalid. Nothing was read.
            JournalLockedError: Another import is using the journal.
            PetstoreError: The store cannot be read. No row has changed.
        """
        return self._view.reconcile(client, grace_s=grace_s)

    def resolve(self, pets: Mapping[RowName, PetIds]) -> None:
        """Record the pets of unconfirmed rows, after you have looked in the store.

        Args:
            pets: Id of the pet of each row, by the line in the file (an int) or by the key (a text,
                or a tuple of texts). None means that the store has no such pet, so the next load
                of the file sends the row. If a line stands for several animals, pass a list.

        Raises:
            ArgumentError: A row is not unconfirmed, a pet belongs to another row or is not in the
                last complete reading of the store, or a ``"?"`` was not replaced. Nothing was
                changed.

        Warns:
            UserWarning: No reading of the store has shown a pet since its row was sent.

        Example:
            ``result.resolve({17: 4711, 18: None})``: line 17 is pet 4711, and the store has no
            pet for line 18.
        """
        unproven = resolve(self._view.path, self._view.import_id, pets)
        if unproven:
            ids = ", ".join(map(str, unproven))
            warnings.warn(
                f"recorded as you state it, but no reading of the store since then has shown: pet "
                f"{ids}",
                UserWarning,
                stacklevel=2,
            )

    def __len__(self) -> int:
        return sum(self.counts.values())

    def __str__(self) -> str:
        return self._view.text()

    def __repr__(self) -> str:
        counts = ", ".join(f"{count:,} {state}" for state, count in self.counts.items() if count)
        return f"<LoadResult of {self._view.run.source}: {counts or 'no rows'}>"

    def _repr_html_(self) -> str:
        return in_notebook(result_html(self._view.facts))


def view_of(result: LoadResult) -> ImportView:
    """Return the import of a result, for other parts of the package."""
    return result._view  # noqa: SLF001 # the only access for other parts


def latest_results(path: Path, most: int) -> list[LoadResult]:
    """Return the results of the latest imports in a journal, newest first."""
    if not path.exists():
        return []
    with reading(path) as sql:
        condition = "import > (SELECT max(import) - ? FROM imports)"
        runs = read_imports(sql, condition, [most])
    return [LoadResult(ImportView(path, run.id, sent_now=False)) for run in reversed(runs)]
