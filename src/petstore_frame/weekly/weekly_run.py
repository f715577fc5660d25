"""Runs a Monday: loads what is new, reads the store once, and writes the day's folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import petstore_frame as pf
from petstore_frame.history import Snapshot
from petstore_frame.storage import AtWorkError, harmless, locked, sync, whole_file
from petstore_frame.weekly.weekly_outcome import Run, WeeklyOutcome
from petstore_frame.weekly.weekly_settings import WeeklySettings

RUNS, _DRAFT, _LOCK, WAIT_S = "runs.jsonl", ".writing", ".lock", 10.0


def run(
    path: str | Path = "weekly.toml",
    *,
    client: pf.Client | None = None,
    now: datetime | None = None,
) -> Run:
    """Load the files, read the store once, and write one folder for the day.

    A file with a question does not stop the others, and a store that is away leaves a folder that
    says so. The folder appears whole or not at all; a second run of the same day gets ``-2``.

    Args:
        path: The ``weekly.toml``.
        client: The store; None makes a client of ``base_url`` and PETSTORE_API_KEY.
        now: What counts as the time of the run and of its reading, for a trial; None is the clock.

    Raises:
        InputError: The settings cannot be read; nothing was sent.
        JournalLockedError: Another run is at work in the same folder.
    """
    settings = WeeklySettings.read(path)
    started_at = (now or datetime.now(UTC)).astimezone(settings.timezone)
    weekly, output = Run(started_at.date(), started_at), settings.output
    output.mkdir(parents=True, exist_ok=True)
    try:
        with locked(output / _LOCK, wait_s=WAIT_S):
            earlier = _runs(output)
            try:
                with (
                    _folder_of_the_day(output, weekly) as draft,
                    nullcontext(client) if client else pf.Client(settings.base_url) as store,
                ):
                    _Work(settings, weekly, store, draft, now, earlier).do()
            except BaseException as problem:
                weekly.note_error(problem)
                problem.add_note(f"Monday stopped at: {weekly.doing}")
                raise
            finally:
                facts = weekly.as_dict() | {"folder": weekly.folder and weekly.folder.name}
                with whole_file(output / RUNS) as beside:
                    lines = [json.dumps(each) + "\n" for each in (*earlier, facts)]
                    beside.write_text("".join(lines), encoding="utf-8")
    except AtWorkError:
        text = f"another run is at work in {output}; wait for it to end, then run the same again"
        raise pf.errors.JournalLockedError(text) from None
    return weekly


def plan(path: str | Path = "weekly.toml") -> str:
    """Return what a run would load and write, as text; nothing is sent or written."""
    settings = WeeklySettings.read(path)
    loads = (
        f"load {each.files}: {', '.join(file.name for file in each.paths()) or 'no file is there'}"
        for each in settings.load
    )
    place = _free_place(settings.output, datetime.now(settings.timezone).date())
    compares = (f"compare {each.list}" for each in settings.compare)
    return "\n".join([*loads, *compares, f"write {place}"])


def check(
    path: str | Path, *, max_age_days: int = 8, today: date | None = None
) -> tuple[bool, str]:
    """Tell whether the newest complete run is at most so many days old, and say it in a sentence.

    It needs no API key, so a second scheduler can notice that the first one never ran.
    """
    settings = WeeklySettings.read(path)
    runs, last = _runs(settings.output), ""
    if runs:
        sentence = WeeklyOutcome[runs[-1]["outcome"].upper()].sentence
        last = f"; the last attempt, of {runs[-1]['day']}, said: {sentence}"
    newest = max((run["day"] for run in runs if _is_complete(run)), default=None)
    if newest is None:
        return False, f"no complete run yet{last}"
    sentence = f"the newest complete run is of {newest}"
    age = ((today or datetime.now(settings.timezone).date()) - date.fromisoformat(newest)).days
    if age > max_age_days:
        return False, f"{sentence}, {age} days ago{last}"
    return True, sentence


def _runs(output: Path) -> list[dict[str, Any]]:
    """Return what ``runs.jsonl`` says of each run so far."""
    path = output / RUNS
    try:
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [dict(json.loads(line)) for line in lines]
    except (ValueError, TypeError) as problem:
        what = f"a line is damaged: {problem}"
        raise pf.errors.InputError(what, path=str(path), hint="delete it") from None


def _is_complete(run: dict[str, Any]) -> bool:
    return bool(run.get("folder") and run.get("is_complete"))


@contextmanager
def _folder_of_the_day(output: Path, run: Run) -> Iterator[Path]:
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

    settings: WeeklySettings
    run: Run
    client: pf.Client
    draft: Path
    now: datetime | None
    earlier: list[dict[str, Any]]  # the runs before this one

    def do(self) -> None:
        """Do all of it, in order; what fails for one file does not stop the others."""
        self.run.facts["loads"] = []
        for load in self.settings.load:
            for file in load.paths():
                with self.run.at(f"load {file.name}"):
                    self._load(file, load.recipe)
        inventory = None
        with self.run.at("read the store"):
            inventory = self._read_store()
        if inventory is not None:
            self._write_reports(inventory)
        self.run.doing = "write the summary"
        facts = json.dumps(self.run.as_dict(), indent=2)
        (self.draft / "summary.txt").write_text(f"{self.run}\n", encoding="utf-8")
        (self.draft / "summary.json").write_text(f"{facts}\n", encoding="utf-8")

    def _load(self, file: Path, recipe: Path | None) -> None:
        """Load one file, and count its records by state."""
        stopped, states = None, dict[str, int]()
        self.run.facts["loads"].append({"file": file.name, "states": states})
        try:
            result = pf.load(file, self.client, recipe=recipe, journal=self.settings.journal)
        except pf.errors.DuplicatesError as problem:
            place = self.draft / f"question {file.name}.txt"
            place.write_text(f"{problem}\n", encoding="utf-8")
            raise
        except pf.errors.LoadStoppedError as problem:
            result, stopped = problem.result, problem
        states |= {str(state): count for state, count in result.counts.items() if count}
        folder = f"results {file.name}"
        for outcome, rows, what in (
            (WeeklyOutcome.ROWS_TO_FIX, len(result.fix), "to fix"),
            (WeeklyOutcome.UNCONFIRMED, len(result.unconfirmed), "unconfirmed"),
        ):
            if rows:
                self.run.note(outcome, f"{file.name}: {rows:,} {what}; see {folder}")
                result.write(self.draft / folder)
        if stopped is not None:
            raise stopped

    def _read_store(self) -> pf.Inventory:
        """Read the store once, in the time zone in which each file shows the time."""
        try:
            inventory = pf.fetch_inventory(self.client)
        except pf.errors.IncompleteInventoryError as problem:
            inventory = problem.partial
        read_at = (self.now or inventory.fetched_at).astimezone(self.settings.timezone)
        origin = replace(inventory.provenance, fetched_at=read_at)
        inventory = pf.Inventory(inventory.frame, origin)
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
            self.run.note(WeeklyOutcome.NOT_COMPLETE, f"the listing: {known}")
        return inventory

    def _write_reports(self, inventory: pf.Inventory) -> None:
        """Keep the day's snapshot, and write every file from the one reading."""
        settings, run = self.settings, self.run
        history = pf.History(settings.history, timezone=settings.timezone)
        last: Snapshot | None = None
        changes = None
        with run.at("keep a snapshot"):
            try:
                history.add(inventory)
            except pf.errors.HistoryError as problem:
                if problem.add is None:  # else the day's snapshot is there and proves more
                    raise
            last = history.last_complete(before=run.day)
        self._check_drop(inventory, history, last)
        if last is not None:
            with run.at("compare with the last snapshot"):
                changes = pf.diff(last, inventory, timezone=settings.timezone)
                run.facts |= {"compared_with": f"{changes.since}", "changes": changes.counts}
                rows = changes.frame.assign(name=changes.frame["name"].map(harmless))
                rows.to_csv(self.draft / "changes.csv", index=False, encoding="utf-8-sig")
        run.facts["comparisons"] = []
        for each in settings.compare:
            with run.at(f"compare {each.list.name}"):
                self._compare(each.list, each.recipe, inventory)
        with run.at("read our keys"):
            inventory = inventory.with_ids(pf.read_ids(self.client, journal=settings.journal))
        with run.at("write stock.csv"):
            place = self.draft / "stock.csv"
            pf.write_report(inventory, place, categories=settings.categories)
        with run.at("write stock.xlsx"):  # last, as it says what needs attention
            pf.write_report(
                inventory, self.draft / "stock.xlsx", categories=settings.categories,
                changes=changes, attention=run.attention,
            )  # fmt: skip

    def _check_drop(
        self, inventory: pf.Inventory, history: pf.History, last: Snapshot | None
    ) -> None:
        """Raise the alarm where too many pets are gone, or where the history cannot tell."""
        here, today = inventory.provenance, str(self.run.day)
        day, pets = ("", 0) if last is None else (str(last.date), last.rows)
        days = {problem: str(problem.date or day) for problem in history.problems()}
        lost = [str(problem) for problem, of in days.items() if day < of < today]
        later = [run for run in self.earlier if _is_complete(run) and run["day"] > day]
        of_here = []
        for run in later:
            store = replace(here, base_url=run["base_url"], store_id=run["store_id"])
            if not here.is_other_store(store):
                of_here.append(run)
        if later[-1:] != of_here[-1:]:
            there = later[-1]
            lost.append(f"the run of {there['day']} read another store, {there['base_url']}")
        for run in [each for each in of_here if each["day"] < today][-1:]:
            day, pets = run["day"], run["pets"]
            lost.append(f"no complete snapshot of {day}, when {RUNS} has {pets:,} pets")
        for text in lost:
            sentence = f"the history: {text}; what changed since then is not known"
            self.run.note(WeeklyOutcome.DISK, sentence)
        most, gone = self.settings.max_drop, 1 - len(inventory) / pets if pets else 0.0
        if most is not None and gone > most and inventory.completeness.covers_all:
            text = f"{gone:.0%} fewer pets than the {pets:,} of {day}"
            self.run.note(WeeklyOutcome.DROP, text)

    def _compare(self, ours: Path, recipe: Path | None, inventory: pf.Inventory) -> None:
        """Write the workbook of one list of our own."""
        place = self.draft / f"compare {ours.name.removesuffix('.xlsx')}.xlsx"
        found = pf.compare(ours, inventory, recipe=recipe, journal=self.settings.journal)
        found.write(place, categories=self.settings.categories)
        kinds = found.frame["kind"].astype("str").value_counts().to_dict()
        self.run.facts["comparisons"].append({"list": ours.name, "kinds": kinds})
        differing = [f"{count:,} {kind}" for kind, count in kinds.items() if kind != "same"]
        if differing:
            text = f"{ours.name}: {', '.join(differing)}; see {place.name}"
            self.run.attention.append(text)
