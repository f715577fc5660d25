"""What the Import tab does with a file: keep it, look into it, rehearse it, load it, settle it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame.bundled.samples import write_template
from petstore_frame.client import Client
from petstore_frame.dashboard.import_memory import Watched, recall
from petstore_frame.errors import (
    DuplicatesError,
    InputError,
    LoadInterrupted,
    LoadStopped,
    PetstoreError,
)
from petstore_frame.inventory import Inventory
from petstore_frame.loader.call import LAYOUT, Call
from petstore_frame.loader.journal.animals import is_many
from petstore_frame.loader.journal.question import CASES, Question
from petstore_frame.loader.options import GRACE_S, Limits, LoadOptions
from petstore_frame.loader.reading.look import Look, look
from petstore_frame.loader.reading.mapping import recognise
from petstore_frame.loader.reading.opening import is_workbook
from petstore_frame.loader.reading.options import RecipeOptions, merged
from petstore_frame.loader.reading.recipe import Recipe
from petstore_frame.loader.reading.returned import ACCEPT
from petstore_frame.loader.record import DOUBT_STATES, State
from petstore_frame.loader.results.columns import original_columns
from petstore_frame.loader.results.files import find_place
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.run import load
from petstore_frame.loader.sending.session import ignore
from petstore_frame.loader.settling.reconcile import Reconciliation
from petstore_frame.stocktake import Comparison, compare

if TYPE_CHECKING:
    import pandas as pd

# A browser's upload beyond 10 MiB breaks the websocket without an error.
LARGEST_UPLOAD = 8 * 1024 * 1024
ROWS_SHOWN, RECORDS_LOOKED_AT, MOST_SHEETS = 50, 100_000, 20
LONGEST_NAME, LONGEST_SUFFIX = 200, 10  # bytes that file systems and stems of results allow
Counts = Mapping[State, int]
Edits = Mapping[tuple[int, str], str]


@dataclass(frozen=True)
class Choices:
    """What the user has chosen for a file.

    Attributes:
        reading: How it is read.
        duplicates: What records are that may be known animals: one answer, or one for each case.
        edits: Corrected cells, by line and column.
        left_out: The lines of records that are not to be sent.
        confirmed: The lines of records that are sent although they look wrong.
        again: Whether a file that was sent before is sent as other animals.
    """

    reading: RecipeOptions
    duplicates: Any = "refuse"
    edits: Edits = field(default_factory=dict)
    left_out: frozenset[int] = frozenset()
    confirmed: frozenset[int] = frozenset()
    again: bool = False


@dataclass(frozen=True)
class Plan:
    """What sending would do: the rehearsal of the file, and that of its corrected records.

    ``lines`` are those of the corrected records, in the order of ``fixed``.
    """

    result: LoadResult
    lines: tuple[int, ...] = ()
    fixed: LoadResult | None = None

    def count(self, state: State) -> int:
        """Return how many records are in a state, those that were corrected as they are now."""
        here = self.result.counts[state]
        if self.fixed is None:
            return here
        corrected = len(self.lines) if state is State.INVALID else 0
        return here - corrected + self.fixed.counts[state]

    @property
    def question(self) -> Question | None:
        """What is to be answered first, of the file or of its corrected records."""
        of_fixed = None if self.fixed is None else self.fixed.question
        return self.result.question or of_fixed

    @property
    def is_in_doubt(self) -> bool:
        """Whether records of the file, sent before, may or may not be in the store."""
        return any(self.result.counts[state] for state in DOUBT_STATES)

    @property
    def sent_before(self) -> LoadResult:
        """What became of the file when it was sent before."""
        return LoadResult(self.result.path, self.result.import_id, sent_now=False)

    @property
    def to_send(self) -> int:
        """How many pets sending would add; none while a question is open."""
        return 0 if self.question is not None else self.count(State.PENDING)


class ImportJob:
    """The files of one Import tab, and what is done with them.

    Each file's results get a folder in ``results``; None is the working directory. ``recipe`` is
    one that the user gave for the next file, or None. ``asked`` is told when a page of the store is
    waited for; what it raises ends the reading.
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

    def keep(self, name: str, content: bytes) -> Path:
        """Keep an upload as a file of its own name.

        Raises:
            InputError: It is too large to have come whole.
        """
        if len(content) > LARGEST_UPLOAD:
            raise InputError(
                f"{name} has {len(content) / 1024**2:.0f} MiB; an upload carries 8 MiB",
                hint="put the file on the machine that runs this and give its path instead",
            )
        # A browser may send any name; only its last part may choose where the file goes.
        path = Path(self._uploads.name) / _safe_name(name)
        path.write_bytes(content)
        return path

    def template(self) -> Path:
        """Write a file with the columns that an import may have, to be filled in."""
        return write_template(Path(self._uploads.name, "pets-template.csv"))

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
            return Choices(merged(given, {"categories": self.labels or None})), None
        header = self.look(path, fresh.reading).columns
        known = recall(self._journal, self._client.base_url, header, self.labels)
        if known is None:
            return fresh, None
        seen = self.look(path, known[0])
        is_clear = bool(seen.records) and not seen.questions
        return (Choices(known[0]), known[1]) if is_clear else (fresh, None)

    def save(self, seen: Look) -> Path:
        """Write how a file is read as a recipe."""
        name = Path(seen.name).stem or "recipe"
        words = seen.reading.given() | {"mapping": dict(seen.mapping)}
        return Recipe(**words).write(Path(self._uploads.name, f"{name}.toml"))

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

        ``read`` is told how many records were read; what it raises ends the rehearsal.
        """
        result = self._load(path, choices, dry_run=True, progress=False, read=read)
        fixes, lines = _corrected(result, choices)
        if not lines:
            return Plan(result)
        # The journal does not know the records of a rehearsal, so these are checked as new ones.
        own = fixes[original_columns(result.facts.run)].assign(**{ACCEPT: fixes["accept"]})
        reading = replace(choices.reading, mapping=result.facts.run.mapping)
        given = choices.duplicates
        answer = given.get("others_pets") if isinstance(given, Mapping) else given
        answers = dict.fromkeys(CASES, "send") | {"others_pets": answer}
        if answer in (None, "refuse"):
            del answers["others_pets"]
        alone = replace(_for_fixes(replace(choices, reading=reading)), duplicates=answers)
        is_asked = is_many(len(lines), len(result))
        fixed = self._load(own, alone, dry_run=True, progress=False, check_store=is_asked)
        return Plan(result, lines, fixed)

    def load(
        self, path: Path, choices: Choices, progress: Callable[[Counts], None]
    ) -> list[LoadResult]:
        """Load a file, then what was corrected of it; an interrupt ends it in order.

        ``refused`` is then why the corrected records were not sent, if so.
        """
        self.refused: PetstoreError | None = None
        try:
            result = self._load(path, choices, dry_run=False, progress=progress)
            fixes, lines = _corrected(result, choices)
            if not lines:
                return [result]
            # Of a file the store was asked; few records of it are no question of their own.
            is_asked = is_many(len(lines), len(result))
            again = _for_fixes(choices)
            done = [result]
            with self._refusals_kept():
                done.append(
                    self._load(fixes, again, dry_run=False, progress=progress, check_store=is_asked)
                )
        except (LoadInterrupted, LoadStopped) as stopped:
            return [stopped.result]
        return done

    @contextmanager
    def _refusals_kept(self) -> Iterator[None]:
        try:
            yield
        except DuplicatesError as problem:
            self.refused = problem

    def settle(
        self,
        result: LoadResult,
        pause: Callable[[float], None],
        *,
        sole_writer: bool,
        resend_absent: bool = False,
    ) -> Reconciliation:
        """Look for the records in doubt in the store; ``result`` shows them settled afterwards.

        Before, ``pause`` lets the seconds pass in which a late request may still be applied.
        """
        result.wait = pause
        return result.reconcile(
            self._client,
            grace_s=self._grace_s,
            sole_writer=sole_writer,
            resend_absent=resend_absent,
        )

    def write(self, result: LoadResult, stem: str) -> Path:
        """Write the result files into a folder that a file's stem names, and return it."""
        folder = (self._results or Path.cwd()) / f"import-{stem}-{result.import_id[:8]}"
        return result.write(find_place(folder, result.facts.run)[0])[0].parent

    def compare(
        self, path: Path, inventory: Inventory, recipe: Recipe, on: tuple[str, ...]
    ) -> Comparison:
        """Compare a list with what was read of the store."""
        return compare(path, inventory, on=on, recipe=recipe, journal=self._journal)

    def workbook(self, found: Comparison) -> Path:
        """Write the workbook of a comparison."""
        path = Path(self._uploads.name, f"stocktake-{Path(found.name).stem}.xlsx")
        return found.write(path, categories=self.labels or None)

    def close(self) -> None:
        """Remove the uploads."""
        self._uploads.cleanup()

    def _call(self, path: Path | None, choices: Choices) -> Call:
        """Return the same call in Python, for the next cell of a notebook."""
        reading = choices.reading
        chosen = {
            each.name: value
            for each in fields(reading)
            if (value := getattr(reading, each.name)) not in (each.default, frozenset())
        }
        given: dict[str, Any] = {
            "journal": self._journal,
            "leave_lines": sorted(choices.left_out) or None,
        }
        if choices.duplicates != "refuse":
            given["duplicates"] = choices.duplicates
        if choices.again:
            given["again"] = True
        return Call.of(_function_for(path), path, {**chosen, **given})

    def _load(
        self,
        source: Path | pd.DataFrame,
        choices: Choices,
        *,
        dry_run: bool,
        progress: Callable[[Counts], None] | bool,
        check_store: bool = True,
        read: Callable[[int], None] = ignore,
    ) -> LoadResult:
        path = source if isinstance(source, Path) else None
        return load(
            source,
            Watched(self._client, self.asked),
            choices.reading,
            Limits(),
            LoadOptions(
                dry_run=dry_run,
                journal=self._journal,
                duplicates=None if choices.duplicates == "refuse" else choices.duplicates,
                again=choices.again and path is not None,
                leave_lines=tuple(choices.left_out) if path is not None else (),
                check_store=check_store,
                progress=progress,
            ),
            call=self._call(path, choices),
            records_read=read,
        )


def _function_for(path: Path | None) -> str:
    """Return what loads a file in Python."""
    if path is None:
        return "load_frame"
    return "load_excel" if is_workbook(path) else "load_csv"


def _as_far_as_known(seen: Look) -> Look:
    """Return a look with the columns that are recognised, although others are not."""
    try:
        found = recognise(seen.columns, seen.reading.mapping)
    except InputError:  # it is among the questions
        return seen
    return replace(seen, mapping={**found.proposed, **found.mapping})


def _corrected(result: LoadResult, choices: Choices) -> tuple[pd.DataFrame, tuple[int, ...]]:
    """Return the records to fix that were decided, each still naming the record that it is."""
    fix = result.fix
    wanted = {line for line, _ in choices.edits} | choices.confirmed
    part = fix[fix["line"].isin(wanted)].reset_index(drop=True)
    lines = tuple(part["line"].tolist())
    for (line, column), text in choices.edits.items():
        if line in lines and column in part:
            # Who corrected a record that was held has looked at it.
            part.loc[part["line"] == line, [column, "accept"]] = [text, None]
    part.loc[part["line"].isin(choices.confirmed), "accept"] = "yes"
    return part, lines


def _for_fixes(choices: Choices) -> Choices:
    """Return the choices for corrected records: how their file was laid out is past."""
    layout: dict[str, Any] = dict.fromkeys(LAYOUT) | {"quoting": "strict"}
    reading = replace(choices.reading, **layout)
    return replace(choices, reading=reading, edits={}, confirmed=frozenset(), again=False)


def _safe_name(name: str) -> str:
    """Return the last part of a name as any file system takes it, its ending kept."""
    last = Path(name.replace("\\", "/").replace("\0", "")).name
    if not last.strip("."):
        return "upload"
    if len(last.encode(errors="replace")) <= LONGEST_NAME:
        return last
    suffix = Path(last).suffix
    return "upload" + (suffix if len(suffix) <= LONGEST_SUFFIX else "")


def share_done(counts: Counts, at_start: int) -> float:
    """Return how much of the sending is done, 0 to 1, of ``at_start`` records."""
    left = counts.get(State.PENDING, 0) + counts.get(State.IN_FLIGHT, 0)
    return min(1.0, max(0.0, 1 - left / at_start)) if at_start else 1.0
