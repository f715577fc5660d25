"""One Monday: load what is new, read the store once, and write the day's folder from that."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from petstore_frame.client import Client
from petstore_frame.errors import (
    DuplicatesError,
    HistoryError,
    IncompleteInventoryError,
    JournalLockedError,
    LoadStopped,
    PetstoreError,
)
from petstore_frame.files.lock import AtWorkError, held
from petstore_frame.files.whole import sync
from petstore_frame.history import Diff, History, Snapshot, diff
from petstore_frame.inventory import Inventory, fetch_inventory
from petstore_frame.loader.load import load_csv, load_excel
from petstore_frame.loader.reading.opening import is_workbook
from petstore_frame.loader.reading.returned import harmless
from petstore_frame.loader.results.columns import read_ids
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.sending.session import ignore
from petstore_frame.monday.outcome import Outcome, Run, add_line
from petstore_frame.monday.settings import LoadStep, Settings
from petstore_frame.report import write_report
from petstore_frame.schema.text import minute_text
from petstore_frame.stocktake import compare

_DRAFT = ".writing"
_LOCK, WAIT_S = ".lock", 10.0


def run(
    path: str | Path = "monday.toml",
    *,
    client: Client | None = None,
    progress: Any = None,
    now: datetime | None = None,
    step: Callable[[str], None] = ignore,
) -> Run:
    """Load the files, read the store once, and write one folder for the day.

    What can still be made is made: a file with a question does not stop the others, and a store
    that is away leaves a folder that says so. The folder appears whole or not at all, and a second
    run of the same day gets ``-2``.

    Args:
        path: The ``monday.toml``.
        client: The store; None makes a client of ``base_url`` and PETSTORE_API_KEY.
        progress: As in ``load_csv``.
        now: The moment that counts as that of the run and of its reading, for a trial; None takes
            the clock's.
        step: Called with the name of each step when it is done, where a test ends the process.

    Returns:
        The Run: ``.outcome``, ``.exit_code``, ``.folder``, and ``.attention``, what needs a person.

    Raises:
        InputError: The settings cannot be read; nothing was sent.
        JournalLockedError: Another run is at work in the same folder.
    """
    settings = Settings.read(path)
    started_at = (now or datetime.now(UTC)).astimezone(settings.zone)
    monday = Run(started_at.date(), started_at)
    output = settings.folder / settings.output
    output.mkdir(parents=True, exist_ok=True)
    with _alone(output):
        try:
            with _folder_of_the_day(output, monday, step) as draft:
                own = client or Client(settings.base_url)
                try:
                    _Work(settings, monday, own, draft, progress, now, step).do()
                finally:
                    if client is None:
                        own.close()
        except BaseException as problem:
            monday.note_error(problem)
            raise
        finally:
            add_line(output, monday)
    return monday


def plan(path: str | Path = "monday.toml") -> str:
    """Return what a run would load and write, as text; nothing is sent or written."""
    settings = Settings.read(path)
    lines = []
    for step in settings.load:
        names = ", ".join(file.name for file in _files(settings, step)) or "no file is there"
        lines.append(f"load {step.files}: {names}")
    lines += [f"compare {step.list}" for step in settings.compare]
    day = datetime.now(settings.zone).date()
    lines.append(f"write {_free_place(settings.folder / settings.output, day)}")
    return "\n".join(lines)


@dataclass(frozen=True)
class _Work:
    """The steps of one run, each of which writes into the same draft."""

    settings: Settings
    run: Run
    client: Client
    draft: Path
    progress: Any
    now: datetime | None
    step: Callable[[str], None]

    def do(self) -> None:
        """Do all of it, in order."""
        self.load_files()
        inventory = self.read_store()
        if inventory is not None:
            changes = self.compare_with_last(inventory)
            self.compare_lists(inventory)
            self.write_stock(inventory, changes)
        (self.draft / "summary.txt").write_text(f"{self.run}\n", encoding="utf-8")
        text = json.dumps(self.run.as_dict(), indent=2) + "\n"
        (self.draft / "summary.json").write_text(text, encoding="utf-8")
        self.step("written")

    def load_files(self) -> None:
        """Load each file; a question or a fault of one does not stop the others."""
        loads = self.run.facts.setdefault("loads", [])
        for step in self.settings.load:
            for file in _files(self.settings, step):
                states = self._load_file(file, self.settings.place(step.recipe))
                loads.append({"file": file.name, "states": states})
                self.step("loaded")

    def _load_file(self, file: Path, recipe: Path | None) -> dict[str, int]:
        load: Callable[..., LoadResult] = load_excel if is_workbook(file) else load_csv
        options = {"recipe": recipe, "journal": self.journal, "progress": self.progress}
        try:
            return self._note_rows(file, load(file, self.client, **options))
        except DuplicatesError as problem:
            place = self.draft / f"question {file.name}.txt"
            place.write_text(f"{problem}\n", encoding="utf-8")
            self.run.note(Outcome.QUESTION, f"{file.name}: nothing was sent; see {place.name}")
        except LoadStopped as problem:
            self.run.note_error(problem, file.name)
            return self._note_rows(file, problem.result)
        except PetstoreError as problem:
            self.run.note_error(problem, file.name)
        return {}

    def _note_rows(self, file: Path, result: LoadResult) -> dict[str, int]:
        """Write the results of a file where somebody must look at them."""
        where = f"see results {file.name}"
        if result.to_fix:
            self.run.note(Outcome.ROWS_TO_FIX, f"{file.name}: {result.to_fix:,} to fix; {where}")
        if result.in_doubt:
            self.run.note(Outcome.IN_DOUBT, f"{file.name}: {result.in_doubt:,} in doubt; {where}")
        if result.to_fix or result.in_doubt:
            result.write(self.draft / f"results {file.name}")
        return {state: count for state, count in result.summary["states"].items() if count}

    def read_store(self) -> Inventory | None:
        """Read the store once; None where it is away."""
        try:
            inventory = fetch_inventory(self.client, progress=self.progress)
        except IncompleteInventoryError as problem:
            inventory = problem.partial
        except PetstoreError as problem:
            self.run.note_error(problem, "the store could not be read")
            return None
        read_at = (self.now or inventory.fetched_at).astimezone(self.settings.zone)
        # Each file shows the time in the zone that it has here.
        inventory = Inventory(inventory.frame, replace(inventory.origin, fetched_at=read_at))
        known = inventory.completeness
        self.run.day = read_at.date()
        self.run.facts |= {
            "pets": len(inventory),
            "is_complete": known.covers_all,
            "verdict": str(known),
            "read_at": minute_text(read_at),
            "fetched_at": read_at.isoformat(),
            "base_url": inventory.base_url,
            "completeness": known.to_dict(),
        }
        if not known.covers_all:
            self.run.note(Outcome.NOT_COMPLETE, f"the listing: {known}")
        self.step("read")
        return inventory

    def compare_with_last(self, inventory: Inventory) -> Diff | None:
        """Keep the day's snapshot; return what changed since the last complete one."""
        zone = self.settings.zone
        history = History(self.settings.folder / self.settings.history, timezone=zone)
        try:
            history.add(inventory)
        except HistoryError as problem:
            is_weaker = problem.option is not None  # the day's snapshot proves more: it stays
            if not is_weaker:
                self.run.note_error(problem, "the history")
                return None
        self.step("kept")
        last = history.last_complete(before=self.run.day)
        if last is None:
            return None
        self._note_drop(last, inventory)
        try:
            changes = diff(last, inventory, timezone=zone)
        except HistoryError as problem:
            self.run.note_error(problem, "the history")
            return None
        self.run.facts["compared_with"] = changes.since.isoformat()
        self.run.facts["changes"] = changes.counts
        rows = changes.frame.assign(name=changes.frame["name"].map(harmless))
        rows.to_csv(self.draft / "changes.csv", index=False, encoding="utf-8-sig")
        return changes

    def _note_drop(self, last: Snapshot, inventory: Inventory) -> None:
        most = self.settings.max_drop
        if most is None or not last.rows or not inventory.completeness.covers_all:
            return
        gone = 1 - len(inventory) / last.rows
        if gone > most:
            text = f"{gone:.0%} fewer pets than the {last.rows:,} of {last.date}"
            self.run.note(Outcome.DROP, text)

    def compare_lists(self, inventory: Inventory) -> None:
        """Write one workbook for each list of our own."""
        found = self.run.facts.setdefault("comparisons", [])
        for each in self.settings.compare:
            file, recipe = self.settings.folder / each.list, self.settings.place(each.recipe)
            place = self.draft / f"compare {file.name.removesuffix('.xlsx')}.xlsx"
            try:
                comparison = compare(file, inventory, recipe=recipe, journal=self.journal)
                comparison.write(place, categories=self.categories)
            except PetstoreError as problem:
                self.run.note_error(problem, f"{file.name} cannot be compared")
                continue
            kinds = comparison.frame["kind"].value_counts()
            counts = kinds[kinds > 0].to_dict()
            found.append({"list": file.name, "kinds": counts})
            differing = [f"{count:,} {kind}" for kind, count in counts.items() if kind != "same"]
            if differing:
                self.run.attention.append(f"{file.name}: {', '.join(differing)}; see {place.name}")
            self.step("compared")

    def write_stock(self, inventory: Inventory, changes: Diff | None) -> None:
        """Write the workbook and the CSV file, with the user's own keys beside the pets."""
        try:
            inventory = inventory.with_ids(read_ids(self.client, journal=self.journal))
        except PetstoreError as problem:
            self.run.note_error(problem, "our keys")
        write_report(
            inventory,
            self.draft / "stock.xlsx",
            categories=self.categories,
            changes=changes,
            attention=self.run.attention,
        )
        write_report(inventory, self.draft / "stock.csv", categories=self.categories)
        self.step("stock")

    @property
    def journal(self) -> Path | None:
        """The folder of the journals."""
        return self.settings.place(self.settings.journal)

    @property
    def categories(self) -> Path | None:
        """The file of the labels."""
        return self.settings.place(self.settings.categories)


def _files(settings: Settings, step: LoadStep) -> list[Path]:
    """Return the files of a step in the order of their names, without those of open workbooks."""
    pattern = settings.folder / step.files
    found = sorted(pattern.parent.glob(pattern.name))
    return [file for file in found if not file.name.startswith(("~$", "."))]


@contextmanager
def _alone(output: Path) -> Iterator[None]:
    """Hold the folder of the reports, so that two runs do not mix."""
    try:
        with held(output / _LOCK, wait_s=WAIT_S):
            yield
    except AtWorkError:
        raise JournalLockedError(
            f"another run is at work in {output}; wait for it to end, then run the same again"
        ) from None


@contextmanager
def _folder_of_the_day(output: Path, run: Run, step: Callable[[str], None]) -> Iterator[Path]:
    """Give a folder to write to, and rename it to the day's when all of it is there."""
    draft = output / _DRAFT
    shutil.rmtree(draft, ignore_errors=True)  # the lock is ours, so its writer is dead
    draft.mkdir()
    try:
        yield draft
        for file in draft.rglob("*"):
            sync(file)
        place = _free_place(output, run.day)
        draft.rename(place)
        sync(output)
        run.folder = place
        step("renamed")
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _free_place(output: Path, day: date) -> Path:
    """Return the folder of a day, or the next free one beside it."""
    place, number = output / day.isoformat(), 1
    while place.exists():
        number += 1
        place = output / f"{day.isoformat()}-{number}"
    return place
