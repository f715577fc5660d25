"""What the Import tab does with a file: keep it, look into it, rehearse it, load it, settle it."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from petstore_frame.dashboard.import_choices import Choices, Plan, recipe_of
from petstore_frame.dashboard.kit import LARGEST_MESSAGE, Used
from petstore_frame.errors import (
    ArgumentError,
    DuplicatesError,
    InputError,
    LoadInterrupted,
    LoadStopped,
)
from petstore_frame.loader.journal.database import place_of
from petstore_frame.loader.journal.database import reading as open_journal
from petstore_frame.loader.journal.rows import Import, count_in, read_imports
from petstore_frame.loader.options import GRACE_S, LoadOptions
from petstore_frame.loader.question import CASES, Question, is_many
from petstore_frame.loader.reading.mapping import recognise
from petstore_frame.loader.reading.preview import Look, look
from petstore_frame.loader.reading.recipe import Recipe, as_recipe
from petstore_frame.loader.reading.returned import ACCEPT, RECORD, guarded, record_name
from petstore_frame.loader.record import FIX_STATES, State
from petstore_frame.loader.results.files import find_place
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.run import load
from petstore_frame.loader.sending.session import ignore
from petstore_frame.loader.settling.readback import SettlingClient, WatchedClient
from petstore_frame.loader.settling.reconcile import Reconciliation
from petstore_frame.schema.categories import category_labels
from petstore_frame.stocktake import Comparison

# These are about the layout of one file, so they are no words of a fix file.
_LAYOUT = ("encoding", "delimiter", "quoting", "columns", "header_row", "sheet")
ROWS_SHOWN, RECORDS_LOOKED_AT, MOST_SHEETS, PAST_SHOWN = 50, 100_000, 20, 20
LONGEST_NAME, LONGEST_SUFFIX = 200, 10  # bytes that file systems and stems of results allow


class ImportJob:
    """The files of one dashboard, and what is done with them.

    Each file's results get a folder in ``results``; None is the working directory. ``recipe`` is
    one that the user gave for the next file, or None. ``asked`` is called while a page of the store
    is awaited; what it raises ends the reading.
    """

    def __init__(
        self,
        client: SettlingClient,
        labels: Mapping[int, str],
        *,
        journal: Path | None = None,
        results: Path | None = None,
        grace_s: float = GRACE_S,
    ) -> None:
        self._client, self.labels, self.journal = client, dict(labels), journal
        self._results, self._grace_s = results, grace_s
        self._uploads = tempfile.TemporaryDirectory(prefix="petstore-upload-")
        self.close = self._uploads.cleanup
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
                f"{LARGEST_MESSAGE // 1024**2} MiB",
                hint="put the file on the machine that runs this and give its path instead",
            )
        # A browser may send any name; only its last part may choose where the file goes.
        name = Path(used["upload"].replace("\\", "/").replace("\0", "")).name
        if not name.strip("."):
            name = "upload"
        elif len(name.encode(errors="replace")) > LONGEST_NAME:
            suffix = Path(name).suffix
            name = "upload" + (suffix if len(suffix) <= LONGEST_SUFFIX else "")
        path = self._place(name)
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

    def save(self, seen: Look) -> Path:
        """Write how a file is read as a recipe."""
        return recipe_of(seen).write(self._place(f"{Path(seen.name).stem or 'recipe'}.toml"))

    def workbook(self, found: Comparison) -> Path:
        """Write the workbook of a comparison."""
        path = self._place(f"stocktake-{Path(found.name).stem}.xlsx")
        return found.write(path, categories=self.labels or None)

    def fresh(self) -> Choices:
        """Return the choices for a file of which nothing is known."""
        return Choices(Recipe(categories=self.labels or None))

    def begin(self, path: Path) -> tuple[Choices, float | None]:
        """Return the choices for a new file; those of the last one with its header, and when."""
        fresh = self.fresh()
        if self.recipe is not None:
            given, self.recipe = self.recipe, None
            labels = category_labels(given.categories) | self.labels
            return Choices(given.with_words(categories=labels or None)), None
        known = self._recall(self.look(path, fresh.reading).columns)
        if known is None:
            return fresh, None
        seen = self.look(path, known[0])
        is_clear = bool(seen.records) and not seen.questions
        return (Choices(known[0]), known[1]) if is_clear else (fresh, None)

    def _recall(self, header: tuple[str, ...]) -> tuple[Recipe, float] | None:
        journal = place_of(self.journal, self._client.base_url)
        if not header or not journal.exists():
            return None
        with open_journal(journal) as sql:
            runs = [run for run in read_imports(sql) if run.header == header and run.recipe]
        if not runs:
            return None
        run, options = runs[-1], runs[-1].recipe or {}
        words = {name: options[name] for name in Recipe.model_fields.keys() & options.keys()}
        words |= {"mapping": run.mapping, "key": run.key}
        try:
            known = category_labels(words.get("categories")) | self.labels
            words["categories"] = known or None
            return as_recipe(None, words), run.staged_at
        except (InputError, ArgumentError):  # its file is gone, or a word is no longer known
            return None

    def look(self, path: Path, reading: Recipe) -> Look:
        """Return what a file looks like, with what is recognised as its ``reading``.

        Raises:
            InputError: It cannot be read at all.
        """
        seen = look(path, reading, rows=ROWS_SHOWN, most=RECORDS_LOOKED_AT)
        if seen.records:
            return seen
        # Of several sheets, the first one whose columns are recognised.
        sheets = seen.sheets[:MOST_SHEETS] if reading.sheet is None else ()
        for sheet in sheets if len(sheets) > 1 else ():
            of_sheet = reading.replace(sheet=sheet)
            other = look(path, of_sheet, rows=ROWS_SHOWN, most=RECORDS_LOOKED_AT)
            if other.records:
                return other
        try:  # with the columns that are recognised, even if others are not
            found = recognise(seen.columns, seen.reading.mapping)
        except InputError:  # it is among the questions
            return seen
        return replace(seen, mapping={**found.proposed, **found.mapping})

    def rehearse(self, path: Path, choices: Choices, read: Callable[[int], None] = ignore) -> Plan:
        """Read and check all records, corrected ones as corrected, and send nothing.

        ``read`` gets the number of records read so far; what it raises ends the rehearsal.
        """
        result = self._load(path, choices, dry_run=True, progress=False, read=read)
        lines, fixed = self._load_fixes(path, result, choices, progress=False)
        return Plan(result, lines, fixed)

    def load(
        self, path: Path, choices: Choices, progress: Callable[[Mapping[State, int]], None]
    ) -> tuple[list[LoadResult], Question | None]:
        """Load a file, then its corrected records; an interrupt ends it in order.

        The second value is the question about the corrected records, which were then not sent.
        """
        done: list[LoadResult] = []
        try:
            done.append(self._load(path, choices, dry_run=False, progress=progress))
            _, fixed = self._load_fixes(path, done[0], choices, progress=progress)
            done += [] if fixed is None else [fixed]
        except (LoadInterrupted, LoadStopped) as stopped:
            done.append(stopped.result)
        except DuplicatesError as problem:
            if not done:
                raise
            return done, problem.question
        return done, None

    def _load_fixes(
        self,
        path: Path,
        result: LoadResult,
        choices: Choices,
        progress: Callable[[Mapping[State, int]], None] | bool,
    ) -> tuple[tuple[int, ...], LoadResult | None]:
        """Load the records to fix that the user has decided, as they are now, or rehearse that.

        They become a file that names the import and the record of each. The journal does not know
        the records of a rehearsal, so these are checked as new ones.
        """
        run, is_dry = result.facts.run, progress is False
        decided = {line for line, _ in choices.edits} | choices.confirmed
        rows = [row for row in result.rows(*FIX_STATES) if row.line in decided] if decided else []
        if not rows:
            return (), None
        own = self._place(f"{path.stem}-corrected.csv")
        with own.open("w", encoding="utf-8-sig", errors="surrogatepass", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*map(guarded, run.header), *([] if is_dry else [RECORD]), ACCEPT])
            for row in rows:
                filled = zip(run.header, [*row.cells, *[""] * len(run.header)], strict=False)
                cells = [choices.edits.get((row.line, column), cell) for column, cell in filled]
                name = [] if is_dry else [record_name(run.id, row.record)]
                # Whoever corrected a record has looked at it, so it needs no second yes.
                accept = "yes" if row.line in choices.confirmed else ""
                writer.writerow([*map(guarded, cells), *name, accept])
        # How their file was laid out is past.
        layout: dict[str, Any] = dict.fromkeys(_LAYOUT) | {"quoting": "strict"}
        duplicates = choices.duplicates
        if is_dry:
            layout["mapping"] = run.mapping
            of_others = duplicates
            if isinstance(duplicates, Mapping):
                of_others = duplicates.get("store")
            duplicates = dict.fromkeys(CASES, "send") | {"store": of_others}
            if of_others in (None, "refuse"):
                del duplicates["store"]
        fixed = self._load(
            own,
            Choices(choices.reading.replace(**layout), duplicates),
            dry_run=is_dry,
            progress=progress,
            # The store was compared with the whole file, so not again with a few records.
            check_store=is_many(len(rows), len(result)),
        )
        return tuple(row.line for row in rows), fixed

    def _load(
        self,
        path: Path,
        choices: Choices,
        *,
        dry_run: bool,
        progress: Callable[[Mapping[State, int]], None] | bool,
        check_store: bool = True,
        read: Callable[[int], None] = ignore,
    ) -> LoadResult:
        """Load a file as the same call in Python does."""
        duplicates = None if choices.duplicates == "refuse" else choices.duplicates
        options = LoadOptions(
            dry_run=dry_run,
            journal=self.journal,
            duplicates=duplicates,
            again=choices.again,
            leave_lines=tuple(choices.left_out),
            check_store=check_store,
            progress=progress,
        )
        client = WatchedClient(self._client, self.asked)
        return load(path, client, choices.reading, options, records_read=read)

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
        journal = place_of(self.journal, self._client.base_url)
        if not journal.exists():
            return []
        with open_journal(journal) as sql:
            condition = "import > (SELECT max(import) - ? FROM imports)"
            last = read_imports(sql, condition, [PAST_SHOWN])
            return [(run, count_in(sql, run.id)) for run in reversed(last)]

    def result_of(self, import_id: str) -> LoadResult:
        """Return what became of a past import."""
        path = place_of(self.journal, self._client.base_url)
        return LoadResult(path, import_id, sent_now=False)

    def write(self, result: LoadResult) -> Path:
        """Write the result files into a folder that the file's name names, and return it."""
        stem = Path(result.facts.run.source).stem
        folder = (self._results or Path.cwd()) / f"import-{stem}-{result.import_id[:8]}"
        return result.write(find_place(folder, result.facts.run)[0])[0].parent
