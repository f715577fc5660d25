"""What the Import tab does with a file: keep it, look into it, rehearse it, load it, settle it."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from petstore_frame.client import Client
from petstore_frame.dashboard.import_choices import Choices, Fixed, Plan, corrected
from petstore_frame.dashboard.import_progress import WatchedClient
from petstore_frame.dashboard.kit import LARGEST_UPLOAD, Used
from petstore_frame.errors import (
    ArgumentError,
    DuplicatesError,
    InputError,
    LoadInterrupted,
    LoadStopped,
)
from petstore_frame.inventory import Inventory
from petstore_frame.loader.call import LAYOUT, Call
from petstore_frame.loader.journal.animals import is_many
from petstore_frame.loader.journal.database import place_of
from petstore_frame.loader.journal.database import reading as open_journal
from petstore_frame.loader.journal.question import CASES, Question
from petstore_frame.loader.journal.rows import Import, count_in, read_imports
from petstore_frame.loader.options import GRACE_S, Limits, LoadOptions
from petstore_frame.loader.reading.mapping import recognise
from petstore_frame.loader.reading.opening import is_workbook
from petstore_frame.loader.reading.options import RecipeOptions, merged
from petstore_frame.loader.reading.preview import Look, look
from petstore_frame.loader.reading.recipe import Recipe, as_recipe
from petstore_frame.loader.reading.returned import ACCEPT, RECORD, guarded, record_name
from petstore_frame.loader.record import State
from petstore_frame.loader.results.files import find_place
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.run import load
from petstore_frame.loader.sending.session import ignore
from petstore_frame.loader.settling.reconcile import Reconciliation
from petstore_frame.schema.categories import category_labels
from petstore_frame.stocktake import Comparison, compare

ROWS_SHOWN, RECORDS_LOOKED_AT, MOST_SHEETS, PAST_SHOWN = 50, 100_000, 20, 20
# How a file was read last; the question which animals its records are comes with each file.
_REMEMBERED = {each.name for each in fields(Recipe)} - {"duplicates"}
LONGEST_NAME, LONGEST_SUFFIX = 200, 10  # bytes that file systems and stems of results allow


class ImportJob:
    """The files of one Import tab, and what is done with them.

    Each file's results get a folder in ``results``; None is the working directory. ``recipe`` is
    one that the user gave for the next file, or None. ``asked`` is called while a page of the store
    is awaited; what it raises ends the reading.
    """

    def __init__(
        self,
        client: Client,
        labels: Mapping[int, str],
        *,
        journal: Path | None = None,
        results: Path | None = None,
        grace_s: float = GRACE_S,
    ) -> None:
        self._client, self.labels = client, dict(labels)
        self._journal, self._results, self._grace_s = journal, results, grace_s
        self._uploads = tempfile.TemporaryDirectory(prefix="petstore-upload-")
        self.recipe: Recipe | None = None
        self.asked: Callable[[bool], None] = ignore

    def given(self, used: Used, content: bytes | None = None) -> Path:
        """Return where a file is that was uploaded, or named by its path.

        Raises:
            InputError: It is too large for an upload.
        """
        if "upload" not in used:
            return Path(used["value"].strip()).expanduser()
        if content is None:
            raise InputError(
                f"{used['upload']} has {int(used['size']) / 1024**2:,.0f} MiB; an upload carries "
                f"{LARGEST_UPLOAD // 1024**2} MiB",
                hint="put the file on the machine that runs this and give its path instead",
            )
        # A browser may send any name; only its last part may choose where the file goes.
        path = self._place(_safe_name(used["upload"]))
        path.write_bytes(content)
        return path

    def is_recipe(self, path: Path) -> bool:
        """Take a recipe for the next file; False where it is none."""
        if path.suffix == ".toml":
            self.recipe = Recipe.read(path)
        return path.suffix == ".toml"

    def _place(self, name: str) -> Path:
        return Path(self._uploads.name, name)

    def as_known(self, words: str) -> str:
        """Return a text that names an upload without its folder, which the user does not know."""
        return words.replace(f"{self._uploads.name}{os.sep}", "")

    def fresh(self) -> Choices:
        """Return the choices for a file of which nothing is known."""
        return Choices(Recipe(categories=self.labels or None))

    def begin(self, path: Path) -> tuple[Choices, float | None]:
        """Return the choices for a new file; those of the last one with its header, and when."""
        fresh = self.fresh()
        if self.recipe is not None:
            given, self.recipe = self.recipe, None
            labels = category_labels(given.categories) | self.labels
            return Choices(merged(given, {"categories": labels or None})), None
        header = self.look(path, fresh.reading).columns
        known = recall(self._journal, self._client.base_url, header, self.labels)
        if known is None:
            return fresh, None
        seen = self.look(path, known[0])
        is_clear = bool(seen.records) and not seen.questions
        return (Choices(known[0]), known[1]) if is_clear else (fresh, None)

    def save(self, seen: Look) -> Path:
        """Write how a file is read as a recipe."""
        return recipe_of(seen).write(self._place(f"{Path(seen.name).stem or 'recipe'}.toml"))

    def look(self, path: Path, reading: RecipeOptions) -> Look:
        """Return what a file looks like, with what is recognised as its ``reading``.

        Raises:
            InputError: It cannot be read at all.
        """
        seen = look(path, reading, rows=ROWS_SHOWN, most=RECORDS_LOOKED_AT)
        if reading.sheet is not None or len(seen.sheets) < 2 or seen.records:
            return seen if seen.records else _as_far_as_known(seen)
        # Of several sheets, the first one whose columns are recognised.
        others = (
            look(path, replace(reading, sheet=sheet), rows=ROWS_SHOWN, most=RECORDS_LOOKED_AT)
            for sheet in seen.sheets[:MOST_SHEETS]
        )
        return next((each for each in others if each.records), _as_far_as_known(seen))

    def rehearse(self, path: Path, choices: Choices, read: Callable[[int], None] = ignore) -> Plan:
        """Read and check all records, corrected ones as corrected, and send nothing.

        ``read`` gets the number of records read so far; what it raises ends the rehearsal.
        """
        result = self._load(path, choices, dry_run=True, progress=False, read=read)
        fixes = corrected(result, choices)
        if not fixes:
            return Plan(result)
        run = result.facts.run
        reading = replace(choices.reading, mapping=run.mapping)
        given = choices.duplicates
        answer = given.get("others_pets") if isinstance(given, Mapping) else given
        answers = dict.fromkeys(CASES, "send") | {"others_pets": answer}
        if answer in (None, "refuse"):
            del answers["others_pets"]
        alone = replace(_for_fixes(replace(choices, reading=reading)), duplicates=answers)
        # The journal does not know the records of a rehearsal, so these are checked as new ones.
        own = self._written(path, run, fixes, has_records=False)
        is_asked = is_many(len(fixes), len(result))
        fixed = self._load(
            own, alone, of_fixes=True, dry_run=True, progress=False, check_store=is_asked
        )
        return Plan(result, tuple(each.line for each in fixes), fixed)

    def load(
        self, path: Path, choices: Choices, progress: Callable[[Mapping[State, int]], None]
    ) -> tuple[list[LoadResult], Question | None]:
        """Load a file, then its corrected records; an interrupt ends it in order.

        The second value is the question about the corrected records, which were then not sent.
        """
        done: list[LoadResult] = []
        try:
            done.append(self._load(path, choices, dry_run=False, progress=progress))
            if fixes := corrected(done[0], choices):
                own = self._written(path, done[0].facts.run, fixes)
                # The store was compared with the whole file, so not again with a few records.
                is_asked = is_many(len(fixes), len(done[0]))
                again = _for_fixes(choices)
                done.append(
                    self._load(
                        own, again, of_fixes=True, dry_run=False, progress=progress,
                        check_store=is_asked,
                    )
                )  # fmt: skip
        except (LoadInterrupted, LoadStopped) as stopped:
            done.append(stopped.result)
        except DuplicatesError as problem:
            if not done:
                raise
            return done, problem.question
        return done, None

    def _written(
        self, path: Path, run: Import, fixes: Sequence[Fixed], *, has_records: bool = True
    ) -> Path:
        """Write corrected records as a file that names the import and the record of each."""
        place = self._place(f"{path.stem}-corrected.csv")
        own = [RECORD, ACCEPT] if has_records else [ACCEPT]
        with place.open("w", encoding="utf-8-sig", errors="surrogatepass", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*map(guarded, run.header), *own])
            for fixed in fixes:
                names = (record_name(run.id, fixed.record), fixed.accept)
                writer.writerow([*map(guarded, fixed.cells), *names[-len(own) :]])
        return place

    def settle(
        self, result: LoadResult, pause: Callable[[float], None], **stated: bool
    ) -> Reconciliation:
        """Look for the records in doubt in the store; ``result`` shows them settled afterwards.

        Before, ``pause`` lets the seconds pass in which a late request may still be applied.
        ``stated`` is what the user says of the store, as for ``LoadResult.reconcile``.
        """
        result.wait = pause
        return result.reconcile(self._client, grace_s=self._grace_s, **stated)

    def past(self) -> list[tuple[Import, dict[State, int]]]:
        """Return the last imports, the latest first, with their counts by state."""
        journal = place_of(self._journal, self._client.base_url)
        if not journal.exists():
            return []
        with open_journal(journal) as sql:
            condition = "import > (SELECT max(import) - ? FROM imports)"
            last = read_imports(sql, condition, [PAST_SHOWN])
            return [(run, count_in(sql, run.id)) for run in reversed(last)]

    def result_of(self, import_id: str) -> LoadResult:
        """Return what became of a past import."""
        path = place_of(self._journal, self._client.base_url)
        return LoadResult(path, import_id, sent_now=False)

    def write(self, result: LoadResult) -> Path:
        """Write the result files into a folder that the file's name names, and return it."""
        stem = Path(result.facts.run.source).stem
        folder = (self._results or Path.cwd()) / f"import-{stem}-{result.import_id[:8]}"
        return result.write(find_place(folder, result.facts.run)[0])[0].parent

    def compare(
        self, path: Path, inventory: Inventory, recipe: Recipe, on: tuple[str, ...]
    ) -> Comparison:
        """Compare a list with what was read of the store."""
        return compare(path, inventory, on=on, recipe=recipe, journal=self._journal)

    def workbook(self, found: Comparison) -> Path:
        """Write the workbook of a comparison."""
        path = self._place(f"stocktake-{Path(found.name).stem}.xlsx")
        return found.write(path, categories=self.labels or None)

    def close(self) -> None:
        """Remove the uploads."""
        self._uploads.cleanup()

    def _call(self, path: Path | None, choices: Choices) -> Call:
        """Return the same call in Python, for the next cell of a notebook."""
        reading = choices.reading
        given: dict[str, Any] = {
            each.name: value
            for each in fields(reading)
            if (value := getattr(reading, each.name)) not in (each.default, frozenset())
        }
        given |= {
            "journal": self._journal,
            "leave_lines": sorted(choices.left_out) or None,
            "again": choices.again or None,
        }
        if choices.duplicates != "refuse":
            given["duplicates"] = choices.duplicates
        if path is None:
            return Call.of("load_frame", None, given)
        return Call.of("load_excel" if is_workbook(path) else "load_csv", path, given)

    def _load(
        self,
        path: Path,
        choices: Choices,
        *,
        dry_run: bool,
        progress: Callable[[Mapping[State, int]], None] | bool,
        of_fixes: bool = False,
        check_store: bool = True,
        read: Callable[[int], None] = ignore,
    ) -> LoadResult:
        return load(
            path,
            WatchedClient(self._client, self.asked),
            choices.reading,
            Limits(),
            LoadOptions(
                dry_run=dry_run,
                journal=self._journal,
                duplicates=None if choices.duplicates == "refuse" else choices.duplicates,
                again=choices.again,
                leave_lines=tuple(choices.left_out),
                check_store=check_store,
                progress=progress,
            ),
            call=self._call(None if of_fixes else path, choices),
            records_read=read,
        )


def recall(
    folder: Path | None, base_url: str, header: tuple[str, ...], labels: Mapping[int, str]
) -> tuple[Recipe, float] | None:
    """Return how the last file with a header was read, and when."""
    journal = place_of(folder, base_url)
    if not header or not journal.exists():
        return None
    with open_journal(journal) as sql:
        runs = [run for run in read_imports(sql) if run.header == header and run.call]
    calls = [(run, Call.from_json(run.call or {})) for run in runs]
    # A call without a source loaded corrected records, and has no layout of a file.
    of_files = [(run, call.options) for run, call in calls if call.source is not None]
    if not of_files:
        return None
    run, options = of_files[-1]
    words = {name: options[name] for name in _REMEMBERED & options.keys()}
    words |= {"mapping": run.mapping, "key": run.key}
    try:
        known = category_labels(words.get("categories")) | dict(labels)
        words["categories"] = known or None
        return as_recipe(options.get("recipe"), words), run.staged_at
    except (InputError, ArgumentError):  # its file is gone, or a word is no longer known
        return None


def recipe_of(seen: Look) -> Recipe:
    """Return how a file is read, with the columns that were recognised."""
    return Recipe(**seen.reading.given() | {"mapping": dict(seen.mapping)})


def _as_far_as_known(seen: Look) -> Look:
    """Return a look with the columns that are recognised, even if others are not."""
    try:
        found = recognise(seen.columns, seen.reading.mapping)
    except InputError:  # it is among the questions
        return seen
    return replace(seen, mapping={**found.proposed, **found.mapping})


def _for_fixes(choices: Choices) -> Choices:
    """Return the choices for corrected records: how their file was laid out is past."""
    layout: dict[str, Any] = dict.fromkeys(LAYOUT) | {"quoting": "strict"}
    reading = replace(choices.reading, **layout)
    return Choices(reading, choices.duplicates)


def _safe_name(name: str) -> str:
    """Return the last part of a name as any file system takes it, its ending kept."""
    last = Path(name.replace("\\", "/").replace("\0", "")).name
    if not last.strip("."):
        return "upload"
    if len(last.encode(errors="replace")) <= LONGEST_NAME:
        return last
    suffix = Path(last).suffix
    return "upload" + (suffix if len(suffix) <= LONGEST_SUFFIX else "")
