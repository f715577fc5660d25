"""One Monday: load what is new, read the store once, and write the day's folder from that."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
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
from petstore_frame.loader.reading.fields import harmless
from petstore_frame.loader.reading.opening import is_workbook
from petstore_frame.loader.results.columns import read_ids
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.sending.session import ignore
from petstore_frame.monday.outcome import MondayOutcome, Run, add_line
from petstore_frame.monday.settings import MondaySettings
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
    settings = MondaySettings.read(path)
    started_at = (now or datetime.now(UTC)).astimezone(settings.timezone)
    monday = Run(started_at.date(), started_at)
    settings.output.mkdir(parents=True, exist_ok=True)
    with _alone(settings.output):
        try:
            with (
                _folder_of_the_day(settings.output, monday, step) as draft,
                Client(settings.base_url) if client is None else nullcontext(client) as store,
            ):
                _Work(settings, monday, store, draft, progress, now, step).do()
        except BaseException as problem:
            monday.note_error(problem)
            raise
        finally:
            add_line(settings.output, monday)
    return monday


def plan(path: str | Path = "monday.toml") -> str:
    """Return what a run would load and write, as text; nothing is sent or written."""
    settings = MondaySettings.read(path)
    lines = []
    for each in settings.load:
        names = ", ".join(file.name for file in each.paths()) or "no file is there"
        lines.append(f"load {each.files}: {names}")
    lines += [f"compare {each.list}" for each in settings.compare]
    day = datetime.now(settings.timezone).date()
    lines.append(f"write {_free_place(settings.output, day)}")
    return "\n".join(lines)


@dataclass(frozen=True)
class _Work:
    """The steps of one run, each of which writes into the same draft."""

    settings: MondaySettings
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
        for each in self.settings.load:
            for file in each.paths():
                states = self._load_file(file, each.recipe)
                loads.append({"file": file.name, "states": states})
                self.step("loaded")

    def _load_file(self, file: Path, recipe: Path | None) -> dict[str, int]:
        load: Callable[..., LoadResult] = load_excel if is_workbook(file) else load_csv
        options = {"recipe": recipe, "journal": self.settings.journal, "progress": self.progress}
        try:
            result = load(file, self.client, **options)
        except DuplicatesError as problem:
            place = self.draft / f"question {file.name}.txt"
            place.write_text(f"{problem}\n", encoding="utf-8")
            self.run.note(
                MondayOutcome.QUESTION, f"{file.name}: nothing was sent; see {place.name}"
            )
            return {}
        except LoadStopped as problem:
            self.run.note_error(problem, file.name)
            result = problem.result
        except PetstoreError as problem:
            self.run.note_error(problem, file.name)
            return {}
        folder = f"results {file.name}"
        for outcome, count, what in (
            (MondayOutcome.ROWS_TO_FIX, result.to_fix, "to fix"),
            (MondayOutcome.IN_DOUBT, result.in_doubt, "in doubt"),
        ):
            if count:
                self.run.note(outcome, f"{file.name}: {count:,} {what}; see {folder}")
        if result.to_fix or result.in_doubt:
            result.write(self.draft / folder)
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
        read_at = (self.now or inventory.fetched_at).astimezone(self.settings.timezone)
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
            self.run.note(MondayOutcome.NOT_COMPLETE, f"the listing: {known}")
        self.step("read")
        return inventory

    def compare_with_last(self, inventory: Inventory) -> Diff | None:
        """Keep the day's snapshot; return what changed since the last complete one."""
        zone = self.settings.timezone
        history = History(self.settings.history, timezone=zone)
        try:
            try:
                history.add(inventory)
            except HistoryError as problem:
                if problem.option is None:
                    raise
                # The day's snapshot is there and proves more: it stays.
            self.step("kept")
            last = history.last_complete(before=self.run.day)
            if last is None:
                return None
            self._note_drop(last, inventory)
            changes = diff(last, inventory, timezone=zone)
        except HistoryError as problem:
            self.run.note_error(problem, "the history")
            return None
        self.run.facts |= {"compared_with": changes.since.isoformat(), "changes": changes.counts}
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
            self.run.note(MondayOutcome.DROP, text)

    def compare_lists(self, inventory: Inventory) -> None:
        """Write one workbook for each list of our own."""
        found = self.run.facts.setdefault("comparisons", [])
        for each in self.settings.compare:
            name, journal = each.list.name, self.settings.journal
            place = self.draft / f"compare {name.removesuffix('.xlsx')}.xlsx"
            try:
                comparison = compare(each.list, inventory, recipe=each.recipe, journal=journal)
                comparison.write(place, categories=self.settings.categories)
            except PetstoreError as problem:
                self.run.note_error(problem, f"{name} cannot be compared")
                continue
            kinds = comparison.frame["kind"].value_counts()
            counts = kinds[kinds > 0].to_dict()
            found.append({"list": name, "kinds": counts})
            differing = [f"{count:,} {kind}" for kind, count in counts.items() if kind != "same"]
            if differing:
                self.run.attention.append(f"{name}: {', '.join(differing)}; see {place.name}")
            self.step("compared")

    def write_stock(self, inventory: Inventory, changes: Diff | None) -> None:
        """Write the workbook and the CSV file, with the user's own keys beside the pets."""
        try:
            inventory = inventory.with_ids(read_ids(self.client, journal=self.settings.journal))
        except PetstoreError as problem:
            self.run.note_error(problem, "our keys")
        labels, attention = self.settings.categories, self.run.attention
        book = self.draft / "stock.xlsx"
        write_report(inventory, book, categories=labels, changes=changes, attention=attention)
        write_report(inventory, self.draft / "stock.csv", categories=labels)
        self.step("stock")


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
