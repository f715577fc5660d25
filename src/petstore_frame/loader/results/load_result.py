"""The LoadResult, which has what became of each row; and the errors that carry it."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from petstore_frame.errors import LoadFailedError
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.row_counts import count_states
from petstore_frame.loader.journal.rows import read_imports, read_keys
from petstore_frame.loader.load_options import GRACE_S
from petstore_frame.loader.reconcile import Reconciliation
from petstore_frame.loader.resolve import PetIds, RowName, resolve
from petstore_frame.loader.results.import_facts import IN_STORE
from petstore_frame.loader.results.import_view import ImportView
from petstore_frame.loader.results.key_frame import frame_of_keys
from petstore_frame.loader.results.result_files import (
    COLUMNS,
    DEFAULT_FOLDER,
    FIX_COLUMNS,
    find_place,
    make_frame,
    write_results,
)
from petstore_frame.loader.results.result_text import file_warnings, result_html
from petstore_frame.loader.row_state import FIX_STATES, UNCONFIRMED_STATES, Reason, State
from petstore_frame.loader.sending.session import PostingClient
from petstore_frame.loader.source import Recipe
from petstore_frame.rendering import in_notebook

if TYPE_CHECKING:
    import pandas as pd


class LoadResult:
    """What became of each row of one import; each is in exactly one state.

    It shows the journal as it is now: a later load, ``reconcile`` or ``resolve`` changes each part
    of it. ``len()`` is the number of rows.

    Interface: Errors (code, message and status of a refusal are shown as the store gave them).
    """

    def __init__(self, view: ImportView) -> None:
        self._view = view
        self._frame: pd.DataFrame
        self._commits = -1  # how often the journal was written to when the frame was made

    @property
    def counts(self) -> dict[str, int]:
        """How many animals are in each state; every state is there, ``counts["created"]``."""
        number = self._view.run.number
        with reading(self._view.source) as sql:
            counts = count_states(sql, number)
        return {str(state): number for state, number in counts.items()}

    @property
    def warnings(self) -> list[str]:
        """What a person should know of the file as a whole, as sentences."""
        return file_warnings(self._view.facts)

    @property
    def recipe(self) -> Recipe | None:
        """The options of this load as a recipe; None where no recipe can hold them."""
        words = self._view.run.recipe
        return None if words is None else Recipe(**words)

    @property
    def exit_code(self) -> int:
        """What the command line ends with: 0 only if all rows are in the store."""
        return self._view.facts.exit_code

    @property
    def ids(self) -> pd.DataFrame:
        """Which pet each key of the file is: ``key`` str, ``id`` Int64, ``state``, ``source``.

        Animals that an earlier import created are there too; empty without ``key=``.
        """
        with reading(self._view.source) as sql:
            return frame_of_keys(read_keys(sql, self._view.import_id))

    @property
    def frame(self) -> pd.DataFrame:
        """One row per row of the file, in its order: the file's own columns as text, then ours.

        ``row`` and ``line`` Int64; ``state`` category; ``pet_id`` Int64, also of a pet that
        another row made; ``reason`` (why it is in that state) category; ``error_code``,
        ``error_column``, ``error_message`` str; ``changed`` (what reads otherwise now in a known
        animal) and ``notes`` str.
        """
        with reading(self._view.source) as sql:
            ((commits,),) = sql.execute("SELECT commits FROM journal").fetchall()
        if self._commits != commits:
            self._commits = commits
            self._frame = make_frame(self._view.run, self._view.rows(), COLUMNS)
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
    def fix(self) -> pd.DataFrame:
        """The rows that need fixing (invalid, rejected): correct its columns, then load it.

        All problems of a row follow its own columns. The last column links it to its row. Empty
        cells are missing values, so ``fillna`` fills them.
        """
        rows = self._view.rows(*FIX_STATES)
        return make_frame(self._view.run, rows, FIX_COLUMNS, empty_is_missing=True)

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
        facts = self._view.facts
        place, note = find_place(Path(folder), facts.run)
        self._view.folder = place
        if note:
            warnings.warn(note, UserWarning, stacklevel=2)
        return write_results(place, facts, self._view.rows)

    def raise_for_failures(self) -> None:
        """Raise unless every row is in the store or is excluded.

        Raises:
            LoadFailedError: Says how many are not, and the first reasons.
        """
        counts = self.counts
        if sum(counts.values()) > sum(counts[state] for state in (*IN_STORE, State.EXCLUDED)):
            raise LoadFailedError(str(self), self)

    def reconcile(self, client: PostingClient, *, grace_s: float = GRACE_S) -> Reconciliation:
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

        Returns:
            How many were found, were not found or stay unconfirmed, and what that rests on.

        Raises:
            ArgumentError: An argument cannot be used; nothing was sent.
            JournalLockedError: An import is at work on the journal.
            PetstoreError: The store cannot be read; nothing was settled.
        """
        return self._view.reconcile(client, grace_s=grace_s)

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
        resolve(self._view.path, self._view.import_id, pets)

    def __len__(self) -> int:
        return sum(self.counts.values())

    def __str__(self) -> str:
        return self._view.text()

    def __repr__(self) -> str:
        counted = ", ".join(f"{count:,} {state}" for state, count in self.counts.items() if count)
        return f"<LoadResult of {self._view.run.source}: {counted or 'no rows'}>"

    def _repr_html_(self) -> str:
        return in_notebook(result_html(self._view.facts))


def view_of(result: LoadResult) -> ImportView:
    """Return the import that a result shows, for the parts that show more of it."""
    return result._view  # noqa: SLF001 # this function opens it to our own parts


def latest_results(path: Path, most: int) -> list[LoadResult]:
    """Return the results of the last imports in a journal, the latest first."""
    if not path.exists():
        return []
    with reading(path) as sql:
        which = "import > (SELECT max(import) - ? FROM imports)"
        runs = read_imports(sql, which, [most])
    return [LoadResult(ImportView(path, run.id, sent_now=False)) for run in reversed(runs)]
