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
from warnings import catch_warnings, simplefilter

import petstore_frame as pf
from petstore_frame.files.whole import AtWorkError, held, sync, whole_file
from petstore_frame.history import Diff, Snapshot
from petstore_frame.loader.reading import harmless
from petstore_frame.loader.sending.session import ignore
from petstore_frame.monday.outcome import MondayOutcome, Run
from petstore_frame.monday.settings import MondaySettings

RUNS, _DRAFT, _LOCK, WAIT_S = "runs.jsonl", ".writing", ".lock", 10.0


def run(
    path: str | Path = "monday.toml",
    *,
    client: pf.Client | None = None,
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
        progress: As in ``load``.
        now: What counts as the time of the run and of its reading, for a trial; None is the clock.
        step: Called with the name of each step when it is done, where a test ends the process.

    Raises:
        InputError: The settings cannot be read; nothing was sent.
        JournalLockedError: Another run is at work in the same folder.
    """
    settings = MondaySettings.read(path)
    started_at = (now or datetime.now(UTC)).astimezone(settings.timezone)
    monday, output = Run(started_at.date(), started_at), settings.output
    output.mkdir(parents=True, exist_ok=True)
    try:
        with held(output / _LOCK, wait_s=WAIT_S):
            earlier = _runs(output)
            try:
                with (
                    _folder_of_the_day(output, monday, step) as draft,
                    nullcontext(client) if client else pf.Client(settings.base_url) as store,
                ):
                    _Work(settings, monday, store, draft, progress, now, step, earlier).do()
            except BaseException as problem:
                monday.note_error(problem)
                problem.add_note(f"Monday stopped at: {monday.doing}")
                raise
            finally:
                facts = monday.as_dict() | {"folder": monday.folder and monday.folder.name}
                facts.pop("completeness", None)  # the day's summary.json has it
                with whole_file(output / RUNS) as beside:
                    lines = [json.dumps(each) + "\n" for each in (*earlier, facts)]
                    beside.write_text("".join(lines), encoding="utf-8")
    except AtWorkError:
        raise pf.errors.JournalLockedError(
            f"another run is at work in {output}; wait for it to end, then run the same again"
        ) from None
    return monday


def plan(path: str | Path = "monday.toml") -> str:
    """Return what a run would load and write, as text; nothing is sent or written."""
    settings = MondaySettings.read(path)
    loads = (
        f"load {each.files}: {', '.join(file.name for file in each.paths()) or 'no file is there'}"
        for each in settings.load
    )
    place = _free_place(settings.output, datetime.now(settings.timezone).date())
    return "\n".join(
        [*loads, *(f"compare {each.list}" for each in settings.compare), f"write {place}"]
    )


def check(
    path: str | Path, *, max_age_days: int = 8, today: date | None = None
) -> tuple[bool, str]:
    """Tell whether the newest complete run is at most so many days old, and say it in a sentence.

    It asks no store and needs no API key: it is for a second scheduler, or a person, to notice
    that the first one never ran. ``today`` is the day to count from, for a trial.
    """
    settings = MondaySettings.read(path)
    runs, last = _runs(settings.output), ""
    complete = [run["day"] for run in _complete(runs)]
    if runs:
        sentence = MondayOutcome[runs[-1]["outcome"].upper()].sentence
        last = f"; the last attempt, of {runs[-1]['day']}, said: {sentence}"
    if not complete:
        return False, f"no complete run yet{last}"
    newest = date.fromisoformat(max(complete))
    age = ((today or datetime.now(settings.timezone).date()) - newest).days
    if age > max_age_days:
        return False, f"the newest complete run is of {newest}, {age} days ago{last}"
    return True, f"the newest complete run is of {newest}"


def _runs(output: Path) -> list[dict[str, Any]]:
    """Return what ``runs.jsonl`` says of each run so far."""
    path, runs = output / RUNS, []
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    for number, line in enumerate(lines, 1):
        try:
            runs.append(dict(json.loads(line)))
        except (ValueError, TypeError):
            what, hint = "this line is damaged", "delete it"
            raise pf.errors.InputError(what, path=str(path), line=number, hint=hint) from None
    return runs


def _complete(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [run for run in runs if run.get("folder") and run.get("is_complete")]


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


@dataclass(frozen=True)
class _Work:
    """The steps of one run, each of which writes into the same draft."""

    settings: MondaySettings
    run: Run
    client: pf.Client
    draft: Path
    progress: Any
    now: datetime | None
    step: Callable[[str], None]
    earlier: list[dict[str, Any]]  # the runs before this one

    def do(self) -> None:
        """Do all of it, in order; what fails for one file does not stop the others."""
        loads = self.run.facts.setdefault("loads", [])
        for each in self.settings.load:
            for file in each.paths():
                loads.append({"file": file.name, "states": self._load(file, each.recipe)})
                self.step("loaded")
        inventory = self._read_store()
        if inventory is not None:
            changes = self._compare_with_last(inventory)
            self._compare_lists(inventory)
            self._write_stock(inventory, changes)
        facts = json.dumps(self.run.as_dict(), indent=2)
        for name, text in (("summary.txt", self.run), ("summary.json", facts)):
            (self.draft / name).write_text(f"{text}\n", encoding="utf-8")
        self.step("written")

    def _load(self, file: Path, recipe: Path | None) -> dict[str, int]:
        """Load one file, and return its records by state."""
        journal, progress = self.settings.journal, self.progress
        result = None
        with self.run.at(f"load {file.name}"):
            try:
                result = pf.load(
                    file, self.client, recipe=recipe, journal=journal, progress=progress
                )
            except pf.errors.DuplicatesError as problem:
                place = self.draft / f"question {file.name}.txt"
                place.write_text(f"{problem}\n", encoding="utf-8")
                text = f"{file.name}: nothing was sent; see {place.name}"
                self.run.note(MondayOutcome.QUESTION, text)
            except pf.errors.LoadStopped as problem:
                result = problem.result
                raise
        return {} if result is None else self._write_result(file, result)

    def _write_result(self, file: Path, result: pf.LoadResult) -> dict[str, int]:
        folder = f"results {file.name}"
        to_fix, in_doubt = len(result.fix), len(result.unknown)
        for outcome, count, what in (
            (MondayOutcome.ROWS_TO_FIX, to_fix, "to fix"),
            (MondayOutcome.IN_DOUBT, in_doubt, "in doubt"),
        ):
            if count:
                self.run.note(outcome, f"{file.name}: {count:,} {what}; see {folder}")
        if to_fix or in_doubt:
            result.write(self.draft / folder)
        return {state: count for state, count in result.summary["states"].items() if count}

    def _read_store(self) -> pf.Inventory | None:
        """Read the store once; None where it is away."""
        inventory = None
        with self.run.at("read the store"):
            try:
                inventory = pf.fetch_inventory(self.client, progress=self.progress)
            except pf.errors.IncompleteInventoryError as problem:
                inventory = problem.partial
        if inventory is None:
            return None
        read_at = (self.now or inventory.fetched_at).astimezone(self.settings.timezone)
        # Each file shows the time in the zone that it has here.
        inventory = pf.Inventory(inventory.frame, replace(inventory.provenance, fetched_at=read_at))
        known = inventory.completeness
        self.run.day = read_at.date()
        self.run.facts |= {
            "pets": len(inventory),
            "is_complete": known.covers_all,
            "verdict": str(known),
            "read_at": f"{read_at:%Y-%m-%d %H:%M %Z}",
            "fetched_at": read_at.isoformat(),
            "base_url": inventory.base_url,
            "store_id": inventory.store_id,
            "completeness": known.to_dict(),
        }
        if not known.covers_all:
            self.run.note(MondayOutcome.NOT_COMPLETE, f"the listing: {known}")
        self.step("read")
        return inventory

    def _compare_with_last(self, inventory: pf.Inventory) -> Diff | None:
        """Keep the day's snapshot; return what changed since the last complete one."""
        history = pf.History(self.settings.history, timezone=self.settings.timezone)
        last = changes = None
        with self.run.at("keep a snapshot"):
            try:
                history.add(inventory)
            except pf.errors.HistoryError as problem:
                if problem.add is None:
                    raise
                # The day's snapshot is there and proves more: it stays.
            self.step("kept")
            with catch_warnings():
                simplefilter("ignore", pf.errors.HistoryWarning)  # what is lost is noted below
                last = history.last_complete(before=self.run.day)
        self._check_drop(inventory, history, last)
        if last is not None:
            with self.run.at("compare with the last snapshot"):
                changes = pf.diff(last, inventory, timezone=self.settings.timezone)
                self._write_changes(changes)
        return changes

    def _check_drop(
        self, inventory: pf.Inventory, history: pf.History[Any], last: Snapshot | None
    ) -> None:
        """Raise the alarm where too many pets are gone, or where the history cannot tell."""
        today, here, elsewhere = self.run.day, inventory.provenance, []
        day, pets = (date.min, 0) if last is None else (last.date, last.rows)
        lost = [str(each) for each in history.problems() if day < (each.date or day) < today]
        for run in _complete(self.earlier):
            run_day = date.fromisoformat(run["day"])
            there = replace(here, base_url=run["base_url"], store_id=run.get("store_id"))
            if not day < run_day <= today:
                continue
            if here.is_other_store(there):
                elsewhere = [f"the run of {run_day} read another store, {run['base_url']}"]
                continue
            elsewhere = []
            if run_day < today:
                day, pets = run_day, run["pets"]
        if (last is None or day > last.date) and pets:
            lost.append(f"no complete snapshot of {day}, when {RUNS} has {pets:,} pets")
        for text in (*lost, *elsewhere):
            self.run.note(
                MondayOutcome.DISK, f"the history: {text}; what changed since then is not known"
            )
        most, gone = self.settings.max_drop, 1 - len(inventory) / pets if pets else 0.0
        if most is not None and gone > most and inventory.completeness.covers_all:
            text = f"{gone:.0%} fewer pets than the {pets:,} of {day}"
            self.run.note(MondayOutcome.DROP, text)

    def _write_changes(self, changes: Diff) -> None:
        self.run.facts |= {"compared_with": changes.since.isoformat(), "changes": changes.counts}
        rows = changes.frame.assign(name=changes.frame["name"].map(harmless))
        rows.to_csv(self.draft / "changes.csv", index=False, encoding="utf-8-sig")

    def _compare_lists(self, inventory: pf.Inventory) -> None:
        """Write one workbook for each list of our own."""
        found = self.run.facts.setdefault("comparisons", [])
        for each in self.settings.compare:
            name, journal = each.list.name, self.settings.journal
            place = self.draft / f"compare {name.removesuffix('.xlsx')}.xlsx"
            with self.run.at(f"compare {name}"):
                comparison = pf.compare(each.list, inventory, recipe=each.recipe, journal=journal)
                comparison.write(place, categories=self.settings.categories)
                kinds = comparison.frame["kind"].value_counts()
                counts = kinds[kinds > 0].to_dict()
                found.append({"list": name, "kinds": counts})
                differing = [
                    f"{count:,} {kind}" for kind, count in counts.items() if kind != "same"
                ]
                if differing:
                    text = f"{name}: {', '.join(differing)}; see {place.name}"
                    self.run.attention.append(text)
                self.step("compared")

    def _write_stock(self, inventory: pf.Inventory, changes: Diff | None) -> None:
        """Write the workbook and the CSV file, with the user's own keys beside the pets."""
        with self.run.at("read our keys"):
            inventory = inventory.with_ids(pf.read_ids(self.client, journal=self.settings.journal))
        labels, attention = self.settings.categories, self.run.attention
        with self.run.at("write stock.csv"):
            pf.write_report(inventory, self.draft / "stock.csv", categories=labels)
        with self.run.at("write stock.xlsx"):  # last, as it says what needs attention
            pf.write_report(
                inventory, self.draft / "stock.xlsx", categories=labels, changes=changes,
                attention=attention,
            )  # fmt: skip
        self.step("stock")
