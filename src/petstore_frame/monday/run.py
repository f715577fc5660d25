"""One Monday: load what is new, read the store once, and write the day's folder from that."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame.client import Client
from petstore_frame.errors import (
    DuplicatesError,
    HistoryError,
    IncompleteInventoryError,
    InputError,
    JournalError,
    JournalLockedError,
    LoadStopped,
    PetstoreError,
)
from petstore_frame.files.lock import AtWorkError, held
from petstore_frame.files.whole import sync
from petstore_frame.history import Diff, History, diff
from petstore_frame.inventory import Inventory, fetch_inventory
from petstore_frame.loader import load_csv, load_excel, read_ids
from petstore_frame.loader.reading.opening import is_workbook
from petstore_frame.monday.outcome import Outcome, Run, add_line
from petstore_frame.monday.settings import LoadStep, Settings
from petstore_frame.report import write_report
from petstore_frame.stocktake import compare

if TYPE_CHECKING:
    from petstore_frame.loader import LoadResult

_DRAFT = ".writing-"
_LOCK, _WAIT_S = ".lock", 10.0


def run(
    path: str | Path = "monday.toml",
    *,
    client: Client | None = None,
    now: datetime | None = None,
    progress: Any = None,
) -> Run:
    """Load the files, read the store once, and write one folder for the day.

    What can still be made is made: a file with a question does not stop the others, and a store
    that is away leaves a folder that says so. The folder appears whole or not at all, and a second
    run of the same day gets ``-2``.

    Args:
        path: The ``monday.toml``.
        client: The store; None makes a client of ``base_url`` and PETSTORE_API_KEY.
        now: The moment of the run; None is now.
        progress: As in ``load_csv``.

    Returns:
        The Run: ``.outcome``, ``.exit_code``, ``.folder``, and ``.attention``, what needs a person.

    Raises:
        InputError: The settings cannot be read; nothing was sent.
        JournalLockedError: Another run is at work in the same folder.
    """
    settings = Settings.read(path)
    moment = (now or datetime.now(UTC)).astimezone(settings.zone)
    monday = Run(moment.date(), moment)
    output = settings.folder / settings.output
    output.mkdir(parents=True, exist_ok=True)
    with _alone(output):
        for left in output.glob(f"{_DRAFT}*"):  # the lock is ours, so its writer is dead
            shutil.rmtree(left)
        with _folder_of_the_day(output, monday) as draft:
            own = client or Client(settings.base_url)
            try:
                _Work(settings, monday, own, draft, progress).do()
            finally:
                if client is None:
                    own.close()
            text = json.dumps(monday.as_dict(), indent=2) + "\n"
            (draft / "summary.json").write_text(text, encoding="utf-8")
        add_line(output, monday)
    return monday


def plan(path: str | Path = "monday.toml") -> str:
    """Return what a run would load and write, as text; nothing is sent or written."""
    settings = Settings.read(path)
    lines = []
    for step in settings.load:
        files = _files(settings, step)
        names = ", ".join(file.name for file in files) or "no file is there"
        lines.append(f"load {step.files}: {names}")
    lines += [f"compare {step.list}" for step in settings.compare]
    day = datetime.now(settings.zone).date()
    lines.append(f"write {_free_place(settings.folder / settings.output, day)}")
    return "\n".join(lines)


class _Work:
    """The steps of one run, each of which writes into the same draft."""

    def __init__(
        self, settings: Settings, run: Run, client: Client, draft: Path, progress: Any
    ) -> None:
        self.settings, self.run, self.client = settings, run, client
        self.draft, self.progress = draft, progress
        self.journal = settings.place(settings.journal)
        self.categories = settings.place(settings.categories)

    def do(self) -> None:
        """Do all of it, in order."""
        self.load_files()
        inventory = self.read_store()
        if inventory is None:
            return
        changes = self.keep_snapshot(inventory)
        self.compare_lists(inventory)
        self.write_stock(inventory, changes)

    def load_files(self) -> None:
        """Load each file; a question or a fault of one does not stop the others."""
        loads = self.run.facts.setdefault("loads", [])
        for step in self.settings.load:
            recipe = self.settings.place(step.recipe)
            for file in _files(self.settings, step):
                loads.append({"file": file.name, **self._load_file(file, recipe)})

    def _load_file(self, file: Path, recipe: Path | None) -> dict[str, Any]:
        load = load_excel if is_workbook(file) else load_csv
        try:
            result = load(
                file, self.client, recipe=recipe, journal=self.journal, progress=self.progress
            )
        except DuplicatesError as problem:
            place = self.draft / f"question {file.name}.txt"
            place.write_text(f"{problem}\n", encoding="utf-8")
            self.run.note(Outcome.QUESTION, f"{file.name}: a question is open, see {place.name}")
            return {"question": place.name}
        except LoadStopped as problem:
            outcome = Outcome.DISK if isinstance(problem, JournalError) else Outcome.STORE_AWAY
            self.run.note(outcome, f"{file.name}: {problem}")
            return self._results(file, problem.result)
        except JournalError as problem:
            self.run.note(Outcome.DISK, f"{file.name}: {problem}")
            return {"error": str(problem)}
        except PetstoreError as problem:
            self.run.note(Outcome.ROWS_TO_FIX, f"{file.name} cannot be read: {problem}")
            return {"error": str(problem)}
        return self._results(file, result)

    def _results(self, file: Path, result: LoadResult) -> dict[str, Any]:
        """Write the results of a file where somebody must look at them."""
        if result.to_fix:
            self.run.note(Outcome.ROWS_TO_FIX, f"{file.name}: {result.to_fix:,} rows to fix")
        if result.in_doubt:
            self.run.note(Outcome.IN_DOUBT, f"{file.name}: {result.in_doubt:,} rows in doubt")
        if result.to_fix or result.in_doubt:
            result.write(self.draft / f"results {file.name}")
        return {"states": {str(state): count for state, count in result.counts.items() if count}}

    def read_store(self) -> Inventory | None:
        """Read the store once; None where it is away."""
        try:
            inventory = fetch_inventory(self.client, progress=self.progress)
        except IncompleteInventoryError as problem:
            inventory = problem.partial
        except PetstoreError as problem:
            self.run.note(Outcome.STORE_AWAY, f"the store could not be read: {problem}")
            return None
        known = inventory.completeness
        self.run.facts |= {
            "pets": len(inventory),
            "is_complete": known.is_complete,
            "completeness": known.to_dict(),
            "fetched_at": inventory.fetched_at.isoformat(),
            "base_url": inventory.base_url,
        }
        if not known.is_complete:
            self.run.note(Outcome.NOT_COMPLETE, str(known))
        return inventory

    def keep_snapshot(self, inventory: Inventory) -> Diff | None:
        """Keep the day's snapshot; return what changed since the last complete one."""
        history = History(self.settings.folder / self.settings.history, timezone=self.settings.zone)
        try:
            last = history.last_complete(before=self.run.day)
            history.add(inventory)
        except HistoryError as problem:
            self.run.note(Outcome.DISK, str(problem))
            return None
        if last is None:
            self.run.facts["compared_with"] = None
            return None
        self._look_for_drop(last, inventory)
        changes = diff(last, inventory)
        self.run.facts |= {"compared_with": last.date.isoformat(), "changes": changes.counts}
        changes.frame.to_csv(self.draft / "changes.csv", index=False, encoding="utf-8-sig")
        return changes

    def _look_for_drop(self, last: Any, inventory: Inventory) -> None:
        most = self.settings.max_drop
        if most is None or not last.rows or not inventory.completeness.is_complete:
            return
        gone = 1 - len(inventory) / last.rows
        if gone > most:
            self.run.note(
                Outcome.DROP,
                f"{len(inventory):,} pets, {gone:.0%} fewer than the {last.rows:,} of {last.date}",
            )

    def compare_lists(self, inventory: Inventory) -> None:
        """Write one workbook for each list of our own."""
        found = self.run.facts.setdefault("comparisons", [])
        for step in self.settings.compare:
            file = self.settings.folder / step.list
            recipe = self.settings.place(step.recipe)
            try:
                comparison = compare(file, inventory, recipe=recipe, journal=self.journal)
            except (InputError, PetstoreError) as problem:
                self.run.note(Outcome.ROWS_TO_FIX, f"{file.name} cannot be compared: {problem}")
                continue
            comparison.write(self.draft / f"compare {file.stem}.xlsx", categories=self.categories)
            counts = comparison.summary.max(axis=1).to_dict()
            found.append({"list": file.name, "kinds": counts})
            differing = [f"{count:,} {kind}" for kind, count in counts.items() if count]
            if not comparison.is_equal:
                self.run.attention.append(f"{file.name}: {', '.join(differing)}")

    def write_stock(self, inventory: Inventory, changes: Diff | None) -> None:
        """Write the workbook and the CSV file, with the user's own keys beside the pets."""
        ours = inventory.with_ids(read_ids(self.client, journal=self.journal))
        options = {"categories": self.categories}
        write_report(
            ours,
            self.draft / "stock.xlsx",
            changes=changes,
            attention=self.run.attention,
            **options,
        )
        write_report(ours, self.draft / "stock.csv", **options)


def _files(settings: Settings, step: LoadStep) -> list[Path]:
    """Return the files of a step in the order of their names."""
    return [Path(found) for found in sorted(glob(str(settings.folder / step.files)))]


@contextmanager
def _alone(output: Path) -> Iterator[None]:
    """Hold the folder of the reports, so that two runs do not mix."""
    try:
        with held(output / _LOCK, wait_s=_WAIT_S):
            yield
    except AtWorkError:
        raise JournalLockedError(
            f"another run is at work in {output}; wait for it to end, then run the same again"
        ) from None


@contextmanager
def _folder_of_the_day(output: Path, run: Run) -> Iterator[Path]:
    """Give a folder to write to, and rename it to the day's when all of it is there."""
    draft = output / f"{_DRAFT}{run.day}"
    draft.mkdir()
    yield draft
    for file in draft.rglob("*"):
        sync(file)
    place = _free_place(output, run.day)
    draft.rename(place)
    sync(output)
    run.folder = place


def _free_place(output: Path, day: date) -> Path:
    """Return the folder of a day, or the next free one beside it."""
    place, number = output / day.isoformat(), 1
    while place.exists():
        number += 1
        place = output / f"{day.isoformat()}-{number}"
    return place
