"""The steps of a weekly run, in their order; each writes its files into one draft folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from petstore_frame.client import Client
from petstore_frame.comparison import compare
from petstore_frame.errors import (
    ArgumentError,
    HistoryError,
    IncompleteInventoryError,
    LoadStoppedError,
    QuestionError,
    result_of,
)
from petstore_frame.exit_codes import ExitCode
from petstore_frame.history import Diff, History, Snapshot, diff
from petstore_frame.inventory import Inventory, fetch_inventory
from petstore_frame.loader import LoadResult, as_recipe, check_category_names, read_ids, view_of
from petstore_frame.loader.loading import load
from petstore_frame.loader.row_state import State
from petstore_frame.questions import command_line
from petstore_frame.report import write_report
from petstore_frame.storage import harmless
from petstore_frame.weekly.run_log import RUNS, RunFacts, is_complete
from petstore_frame.weekly.weekly_outcome import Run
from petstore_frame.weekly.weekly_settings import CompareStep, LoadStep, WeeklySettings

_TO_SEND = (State.PENDING, State.NOT_FOUND)


@dataclass(frozen=True)
class WeeklySteps:
    """The steps of one run.

    Attributes:
        settings: What ``weekly.toml`` says.
        run: What was found so far.
        client: The store.
        draft: The folder to write into.
        now: The time of the reading, for a trial; None is the clock.
        earlier_runs: What the log says about the runs before this one.
    """

    settings: WeeklySettings
    run: Run
    client: Client
    draft: Path
    now: datetime | None
    earlier_runs: Sequence[RunFacts]

    def run_all(self) -> None:
        """Run all steps; an error in one of them does not stop the others."""
        self.load_files()
        inventory = None
        with self.run.at("read the store"):
            inventory = self.read_store()
        self.run.inventory = inventory
        if inventory is not None:
            self.write_files(inventory)
        self.run.step = "write the summary"
        self.write_summary()

    # -- loading

    def load_files(self) -> None:
        """Load every file that the settings name."""
        self.run.facts["loads"] = []
        for load_step in self.settings.load:
            for file in load_step.paths():
                with self.run.at(f"load {file.name}"):
                    self.load_file(file, load_step)

    def load_file(self, file: Path, load_step: LoadStep) -> None:
        """Load one file, and keep its question or its rows that need a person."""
        state_counts: dict[str, int] = {}
        self.run.facts["loads"].append({"file": file.name, "states": state_counts})
        try:
            result = load(
                file,
                self.client,
                recipe=load_step.recipe,
                rename_categories=self.settings.rename_categories,
                journal=self.settings.journal,
            )
        except QuestionError as error:
            self.write_question(file, load_step, error.text("shell"))
            raise
        except KeyboardInterrupt as interrupt:
            if result_of(interrupt) is None:
                interrupt.add_note(f"nothing of {file.name} was sent")
            raise
        except LoadStoppedError as error:
            self.note_result(file, load_step, error.result, state_counts)
            raise
        self.note_result(file, load_step, result, state_counts)
        to_send = sum(state_counts.get(state, 0) for state in _TO_SEND)
        if to_send:
            self.run.note(ExitCode.WITH_FINDINGS, f"{file.name}: {to_send:,} still to send")

    def write_question(self, file: Path, load_step: LoadStep, text: str) -> None:
        """Write what a person must answer about a file, and the command that states the answer."""
        command = self.load_command(file, load_step)
        answer = f"To answer, type this with the option of the answer:\n  {command}\n"
        question_file = self.draft / f"question {file.name}.txt"
        question_file.write_text(f"{text}\n\n{answer}", encoding="utf-8")

    def load_command(self, file: Path, load_step: LoadStep) -> str:
        """Return the command that loads a file as this run does."""
        arguments = ["petstore-frame", "load", str(file)]
        if load_step.recipe is not None:
            arguments += ["--recipe", str(load_step.recipe)]
        if self.settings.journal is not None:
            arguments += ["--journal", str(self.settings.journal)]
        if self.settings.base_url is not None:
            arguments += ["--base-url", self.settings.base_url]
        return command_line(arguments)

    def note_result(
        self, file: Path, load_step: LoadStep, result: LoadResult, state_counts: dict[str, int]
    ) -> None:
        """Count the rows of a file by state, and write those that need a person."""
        state_counts |= {str(state): count for state, count in result.counts.items() if count}
        folder = f"results {file.name}"
        problems = (
            (ExitCode.QUESTION, len(result.possible_duplicates), "possible duplicates"),
            (ExitCode.WITH_FINDINGS, len(result.fix), "to fix"),
            (ExitCode.UNCONFIRMED, len(result.unconfirmed), "unconfirmed"),
        )
        for outcome, row_count, text in problems:
            if row_count:
                self.run.note(outcome, f"{file.name}: {row_count:,} {text}; see {folder}")
        if any(row_count for _, row_count, _ in problems):
            result.write(self.draft / folder)
        if state_counts.get(State.POSSIBLE_DUPLICATE):
            self.write_question(file, load_step, view_of(result).text("shell"))

    # -- reading

    def read_store(self) -> Inventory:
        """Read the store once; every file shows the time in the time zone of the settings."""
        try:
            inventory = fetch_inventory(self.client)
        except IncompleteInventoryError as error:
            inventory = error.partial
        read_at = (self.now or inventory.fetched_at).astimezone(self.settings.timezone)
        provenance = replace(inventory.provenance, fetched_at=read_at)
        inventory = replace(inventory, provenance=provenance)
        completeness = inventory.completeness
        self.run.day = read_at.date()
        self.run.facts |= {
            "pets": len(inventory),
            "is_complete": completeness.covers_all,
            "verdict": str(completeness),
            "read_at": f"{read_at:%Y-%m-%d %H:%M %Z}",
            "fetched_at": read_at.isoformat(),
            "base_url": inventory.base_url,
            "store_id": inventory.store_id,
            "completeness": completeness.to_dict(),
        }
        if not completeness.covers_all:
            self.run.note(ExitCode.NOT_COMPLETE, f"the listing: {completeness}")
        return inventory

    # -- writing

    def write_files(self, inventory: Inventory) -> None:
        """Add the day's snapshot, and write every file from the one reading."""
        settings, run = self.settings, self.run
        history = History(settings.history, timezone=settings.timezone)
        last_snapshot: Snapshot | None = None
        with run.at("add a snapshot"):
            last_snapshot = self.add_snapshot(inventory, history)
        self.check_history(inventory, history, last_snapshot)
        self.check_drop(inventory, last_snapshot)
        changes: Diff | None = None
        if last_snapshot is not None:
            with run.at("compare with the last snapshot"):
                changes = self.write_changes(inventory, last_snapshot)
        run.facts["comparisons"] = []
        categories = self.checked_categories(inventory)
        for compare_step in settings.compare:
            with run.at(f"compare {compare_step.list.name}"):
                self.compare_list(compare_step, inventory, categories)
        with run.at("read the keys"):
            inventory = inventory.with_ids(read_ids(self.client, journal=settings.journal))
        with run.at("write stock.csv"):
            self.write_stock(inventory, "stock.csv", categories)
        with run.at("write stock.xlsx"):  # last, as it says what needs a person
            self.write_stock(
                inventory, "stock.xlsx", categories, changes=changes, attention=run.attention
            )

    def checked_categories(self, inventory: Inventory) -> Path | None:
        """Return the list of categories; None, so that files show numbers, if it is in question."""
        frame, settings = inventory.frame, self.settings
        with self.run.at("name the categories"):
            try:
                check_category_names(
                    settings.categories,
                    inventory.provenance,
                    zip(frame["category_id"], frame["name"], strict=True),
                    renamed=settings.rename_categories,
                    journal=settings.journal,
                )
            except QuestionError as error:
                text = f"{error.text('recipe')}\n\nThe answer belongs into the weekly settings.\n"
                (self.draft / "question categories.txt").write_text(text, encoding="utf-8")
                raise
            return settings.categories
        return None

    def write_stock(
        self, inventory: Inventory, name: str, categories: Path | None, **more: Any
    ) -> None:
        """Write a file of the whole stock."""
        write_report(
            inventory,
            self.draft / name,
            categories=categories,
            rename_categories=self.settings.rename_categories,
            journal=self.settings.journal,
            **more,
        )

    def add_snapshot(self, inventory: Inventory, history: History) -> Snapshot | None:
        """Add the day's snapshot, and return the last complete one of an earlier day."""
        try:
            history.add(inventory)
        except HistoryError as error:
            is_less_complete = error.add is not None  # the day has a snapshot that proves more
            if not is_less_complete:
                raise
        return history.last_complete(before=self.run.day)

    def check_history(
        self, inventory: Inventory, history: History, last_snapshot: Snapshot | None
    ) -> None:
        """Note if something is missing between the last snapshot and today."""
        today = str(self.run.day)
        last_day = "" if last_snapshot is None else str(last_snapshot.date)
        reasons = []
        for problem in history.problems():
            problem_day = str(problem.date or last_day)
            if last_day < problem_day < today:
                reasons.append(str(problem))
        later_runs = [
            facts for facts in self.earlier_runs if is_complete(facts) and facts["day"] > last_day
        ]
        if later_runs and not self.is_same_store(later_runs[-1], inventory):
            facts = later_runs[-1]
            reasons.append(f"the run of {facts['day']} read another store, {facts['base_url']}")
        unsaved_run = self.run_without_snapshot(inventory, last_day)
        if unsaved_run is not None:
            day, pets = unsaved_run["day"], unsaved_run["pets"]
            reasons.append(f"no complete snapshot of {day}, when {RUNS} has {pets:,} pets")
        for reason in reasons:
            sentence = f"the history: {reason}; what changed since then is not known"
            self.run.note(ExitCode.DISK, sentence)

    def check_drop(self, inventory: Inventory, last_snapshot: Snapshot | None) -> None:
        """Note if more pets are gone than ``max_drop`` allows."""
        max_drop = self.settings.max_drop
        if max_drop is None or not inventory.completeness.covers_all:
            return
        day, pets = "", 0
        if last_snapshot is not None:
            day, pets = str(last_snapshot.date), last_snapshot.rows
        unsaved_run = self.run_without_snapshot(inventory, day)
        if unsaved_run is not None:
            day, pets = unsaved_run["day"], unsaved_run["pets"]
        if pets == 0:
            return
        drop = 1 - len(inventory) / pets
        if drop > max_drop:
            text = f"{drop:.0%} fewer pets than the {pets:,} of {day}"
            self.run.note(ExitCode.MAX_DROP, text)

    def run_without_snapshot(self, inventory: Inventory, last_day: str) -> RunFacts | None:
        """Return the last complete run of this store between the last snapshot and today."""
        today = str(self.run.day)
        runs = [
            facts
            for facts in self.earlier_runs
            if is_complete(facts)
            and last_day < facts["day"] < today
            and self.is_same_store(facts, inventory)
        ]
        return runs[-1] if runs else None

    @staticmethod
    def is_same_store(facts: RunFacts, inventory: Inventory) -> bool:
        """Return whether a run read the store of an inventory."""
        read_from = replace(
            inventory.provenance, base_url=facts["base_url"], store_id=facts["store_id"]
        )
        return not inventory.provenance.is_other_store(read_from)

    def write_changes(self, inventory: Inventory, last_snapshot: Snapshot) -> Diff:
        """Write what changed since the last snapshot."""
        changes = diff(last_snapshot, inventory, timezone=self.settings.timezone)
        self.run.facts |= {"compared_with": f"{changes.since}", "changes": changes.counts}
        rows = changes.frame.assign(name=changes.frame["name"].map(harmless))
        rows.to_csv(self.draft / "changes.csv", index=False, encoding="utf-8-sig")
        return changes

    def compare_list(
        self, compare_step: CompareStep, inventory: Inventory, categories: Path | None
    ) -> None:
        """Write the workbook of one list, and note the differences."""
        name, recipe = compare_step.list.name, as_recipe(compare_step.recipe, {})
        if not recipe.key:
            raise ArgumentError(
                "a list is compared by the key that its animals were loaded with: under the "
                f"[[compare]] of {name}, set recipe to a file that names it"
            )
        workbook = self.draft / f"compare {name.removesuffix('.xlsx')}.xlsx"
        comparison = compare(
            compare_step.list,
            inventory,
            recipe=recipe,
            journal=self.settings.journal,
        )
        comparison.write(workbook, categories=categories)
        kinds = comparison.frame["kind"].astype("str").value_counts().to_dict()
        self.run.facts["comparisons"].append({"list": name, "kinds": kinds})
        differences = [f"{count:,} {kind}" for kind, count in comparison.differences.items()]
        if differences:
            text = f"{name}: {', '.join(differences)}; see {workbook.name}"
            self.run.attention.append(text)

    def write_summary(self) -> None:
        """Write what was found, as text and as JSON."""
        facts = json.dumps(self.run.as_dict(), indent=2)
        (self.draft / "summary.txt").write_text(f"{self.run}\n", encoding="utf-8")
        (self.draft / "summary.json").write_text(f"{facts}\n", encoding="utf-8")
