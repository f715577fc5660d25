"""What is done with a file: it is rehearsed, loaded with its corrected rows, and looked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame.dashboard.file_steps import LAYOUT
from petstore_frame.errors import DuplicatesError, LoadInterrupted, LoadStopped
from petstore_frame.loader.journal.database import place_of
from petstore_frame.loader.journal.database import reading as open_journal
from petstore_frame.loader.journal.rows import Import, count_in, read_imports
from petstore_frame.loader.options import GRACE_S, LoadOptions, Word
from petstore_frame.loader.question import CASES, Question
from petstore_frame.loader.reading import Recipe
from petstore_frame.loader.record import DOUBT_STATES, FIX_STATES, State, Suspicion
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.run import load, resume_loads
from petstore_frame.loader.settling.readback import WatchedClient
from petstore_frame.schema.text import day_text

if TYPE_CHECKING:
    import pandas as pd

PAST_SHOWN, MANY = 20, 2**31


@dataclass(frozen=True)
class Choices:
    """What the user has decided about a file; rows are named by their lines.

    Attributes:
        recipe: How it is read.
        answers: The answer to each case of the question.
        edits: Corrected cells, by line and column.
        left_out, confirmed: Rows that are not sent, and rows that are although they look wrong.
        again: Whether a file that was sent before stands for other animals.
        anyway: Whether the rows that are fine are sent although most fail for one cause.
    """

    recipe: Recipe
    answers: Mapping[str, Word] = field(default_factory=dict)
    edits: Mapping[tuple[int, str], str] = field(default_factory=dict)
    left_out: frozenset[int] = frozenset()
    confirmed: frozenset[int] = frozenset()
    again: bool = False
    anyway: bool = False

    @property
    def decided(self) -> set[int]:
        """The lines of the rows to fix that were corrected or confirmed."""
        return {line for line, _ in self.edits} | self.confirmed


@dataclass(frozen=True)
class Plan:
    """What sending would do: a rehearsal of the file, and one of its corrected rows.

    ``problems`` has the lines of rows that are still wrong, each with its column and a message.
    """

    result: LoadResult
    fixed: LoadResult | None = None
    problems: Mapping[int, tuple[str | None, str]] = field(default_factory=dict)

    def count(self, *states: State) -> int:
        """Return how many rows are in some states, corrected ones as they are now."""
        counted = sum(self.result.counts[state] for state in states)
        if self.fixed is not None:
            counted += sum(self.fixed.counts[state] for state in states)
            counted -= len(self.fixed) if State.INVALID in states else 0
        return counted

    @property
    def question(self) -> Question | None:
        """The question to answer first."""
        return self.result.question

    @property
    def to_send(self) -> int:
        """How many pets sending would add; none while a question is open."""
        is_open = self.question is not None or self.is_held
        return 0 if is_open else self.count(State.PENDING)

    @property
    def is_held(self) -> bool:
        """Whether most rows fail for one cause, so that nothing would be sent."""
        return self.result.facts.is_held


class Importing:
    """Loads files into one store.

    Args:
        client: Returns the store's client, with the key that is right now.
        journal: Folder of the journals; None is the user's state directory.
        folder: Where results go; None is the working directory.
        check: Called at each step; what it raises ends the work in order.
    """

    def __init__(
        self,
        client: Callable[[], Any],
        journal: Path | None,
        folder: Path | None,
        check: Callable[[], None],
    ) -> None:
        self._client, self._journal, self._check = client, journal, check
        self._folder, self.grace_s = folder or Path.cwd(), GRACE_S

    @property
    def place(self) -> Path:
        """Where the journal of the store is."""
        return place_of(self._journal, self._client().base_url)

    def rehearse(self, path: Path, choices: Choices, read: Callable[[int], None]) -> Plan:
        """Read and check all rows, corrected ones as corrected, and send nothing.

        ``read`` gets the number of rows read so far.
        """
        result = self._load(path, choices, read=read, dry_run=True, progress=False)
        rows = _corrected(result, choices)
        problems = dict[int, tuple[str | None, str]]()
        if rows is None:
            return Plan(result)
        # The journal does not know the rows of a rehearsal, so these are checked as new ones.
        as_new = choices.recipe.replace(
            **dict.fromkeys(LAYOUT),
            mapping=result.facts.run.mapping,
            leave_out=None,
            accept=[*map(str, Suspicion)],
        )
        own = rows[[name for name in result.facts.run.header if name in rows]]
        options = LoadOptions(
            dry_run=True, journal=self._journal, check_store=False, progress=False,
            duplicates=dict.fromkeys(CASES, "send"),
        )  # fmt: skip
        fixed = load(own, self._client(), as_new, options)
        for line, found in zip(rows["line"].tolist(), fixed.frame.itertuples(), strict=True):
            if found.state in FIX_STATES:
                problems[line] = _text(found.error_column), str(found.error_message)
        return Plan(result, fixed, problems)

    def load(
        self, path: Path, choices: Choices, progress: Callable[[Mapping[State, int]], None]
    ) -> tuple[list[LoadResult], Question | None]:
        """Load a file, then its corrected rows; an interrupt ends it in order.

        The second value is a question about the corrected rows, which were then not sent.
        """
        done: list[LoadResult] = []
        try:
            done.append(self._load(path, choices, dry_run=False, progress=progress))
            if (rows := _corrected(done[0], choices)) is not None:
                options = LoadOptions(
                    journal=self._journal, progress=progress, duplicates=dict(choices.answers)
                )
                done.append(load(rows, self._client(), Recipe(), options))
        except (LoadInterrupted, LoadStopped) as stopped:
            done.append(stopped.result)
        except DuplicatesError as problem:
            if not done:
                raise
            return done, problem.question
        return done, None

    def _load(
        self,
        path: Path,
        choices: Choices,
        *,
        read: Callable[[int], None] = lambda _: None,
        **options: Any,
    ) -> LoadResult:
        given = LoadOptions(
            **options,
            journal=self._journal,
            duplicates=dict(choices.answers),
            again=choices.again,
            max_errors=MANY if choices.anyway else None,
            leave_lines=tuple(sorted(choices.left_out)),
        )
        client = WatchedClient(self._client(), lambda _: self._check())
        return load(path, client, choices.recipe, given, records_read=read)

    def go_on(self, progress: Callable[[Mapping[State, int]], None]) -> list[LoadResult]:
        """Send what earlier imports have left; their files are not needed."""
        try:
            return resume_loads(self._client(), journal=self._journal, progress=progress)
        except (LoadInterrupted, LoadStopped) as stopped:
            return [stopped.result]

    def settle(self, imports: Collection[str], pause: Callable[[float], None]) -> list[str]:
        """Look in the store for the rows in doubt; return what was found, as sentences.

        Before, ``pause`` lets the seconds pass in which a late request may still be applied.
        """
        said = []
        for import_id in imports:
            result = self.result_of(import_id)
            result.wait = pause
            said.append(str(result.reconcile(self._client(), grace_s=self.grace_s)))
        return said

    def past(self) -> list[tuple[Import, dict[State, int]]]:
        """Return the last imports, the latest first, with their counts by state."""
        if not self.place.exists():
            return []
        with open_journal(self.place) as sql:
            condition = "import > (SELECT max(import) - ? FROM imports)"
            last = read_imports(sql, condition, [PAST_SHOWN])
            return [(run, count_in(sql, run.id)) for run in reversed(last)]

    def result_of(self, import_id: str) -> LoadResult:
        """Return what became of a past import."""
        return LoadResult(self.place, import_id, sent_now=False)

    def write(self, result: LoadResult) -> list[Path]:
        """Write the result files of an import into a folder that the file's name names."""
        stem = Path(result.facts.run.source).stem
        return result.write(self._folder / f"import-{stem}-{result.import_id[:8]}")


def _corrected(result: LoadResult, choices: Choices) -> pd.DataFrame | None:
    """Return the rows to fix that the user has decided, as they are now; None where none are.

    They are rows of ``result.fix``, which name their records, with the corrected cells.
    """
    if not choices.decided:
        return None
    fix = result.fix
    rows = fix[fix["line"].isin(choices.decided)].copy()
    if rows.empty:
        return None
    for (line, column), text in choices.edits.items():
        rows.loc[rows["line"].eq(line), column] = text
    # Whoever corrected a row has looked at it, so it needs no second yes.
    rows["accept"] = "yes"
    return rows


def in_doubt(counts: Mapping[State, int]) -> int:
    """Return how many rows may or may not be in the store."""
    return sum(counts.get(state, 0) for state in DOUBT_STATES)


def becomes(counts: Mapping[State, int]) -> str:
    """Say what would become of the rows."""
    said = (f"{n:,} {WORDS.get(state, state.text)}" for state, n in counts.items() if n)
    return ", ".join(said) or "nothing changes"


WORDS = {
    State.PENDING: "to send",
    State.SKIPPED: "not sent again",
    State.ADOPTED: "taken for their pets",
    State.CREATED: "sent before",
    State.INVALID: "to fix",
}


def past_words(run: Import, counts: Mapping[State, int]) -> str:
    """Say what became of the rows of an import."""
    words = {State.CREATED: "sent", State.PENDING: "waiting to be sent"}
    said = (f"{counts[state]:,} {words.get(state, state.text)}" for state in State
            if counts.get(state))  # fmt: skip
    return f"{run.source}, {day_text(run.staged_at)}: {', '.join(said)}"


def has_rows(path: Path, results: Collection[LoadResult]) -> bool:
    """Whether a file of results holds anything."""
    states = {"fix.csv": FIX_STATES, "unknown.csv": DOUBT_STATES}.get(path.name)
    return states is None or any(each.facts.count(*states) for each in results)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


class Speed:
    """How fast rows are sent, and how long the rest takes: ``340 a second, 23 s left``."""

    def __init__(self, total: int) -> None:
        self._total, self._began = total, time.monotonic()

    def words(self, done: int) -> str:
        """Return how far a load is."""
        passed = time.monotonic() - self._began
        words = f"Sending: {done:,} of {self._total:,}"
        if done < 20 or passed < 1:
            return words
        rate = done / passed
        left = (self._total - done) / rate
        shown = f"{left:,.0f} s" if left < 120 else f"{left / 60:,.0f} minutes"
        return f"{words}, {rate:,.0f} a second, {shown} left"

    def share(self, done: int) -> float:
        """Return how much of a load is done."""
        return min(1.0, done / self._total) if self._total else 1.0
