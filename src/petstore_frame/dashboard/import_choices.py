"""What a user has chosen for a file, and what sending it so would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from petstore_frame.loader.journal.question import Question
from petstore_frame.loader.reading.options import RecipeOptions
from petstore_frame.loader.reading.preview import Look
from petstore_frame.loader.record import DOUBT_STATES, FIX_STATES, State
from petstore_frame.loader.results.results import LoadResult


@dataclass(frozen=True)
class Choices:
    """What the user has chosen for a file.

    Attributes:
        reading: How it is read.
        duplicates: The answer for records that may be known animals: one, or one for each case.
        edits: Corrected cells, by line and column.
        left_out: The lines of records that are not to be sent.
        confirmed: The lines of records that are sent although they look wrong.
        again: Whether a file that was sent before is sent as other animals.
    """

    reading: RecipeOptions
    duplicates: Any = "refuse"
    edits: Mapping[tuple[int, str], str] = field(default_factory=dict)
    left_out: frozenset[int] = frozenset()
    confirmed: frozenset[int] = frozenset()
    again: bool = False


@dataclass(frozen=True)
class Plan:
    """What sending would do, by a rehearsal of the file and one of its corrected records.

    ``lines`` are those of the corrected records, in the order of ``fixed``; ``asked`` is a question
    that came up when these were sent.
    """

    result: LoadResult
    lines: tuple[int, ...] = ()
    fixed: LoadResult | None = None
    asked: Question | None = None

    def count(self, state: State) -> int:
        """Return how many records are in a state, those that were corrected as they are now."""
        here = self.result.counts[state]
        if self.fixed is None:
            return here
        corrected = len(self.lines) if state is State.INVALID else 0
        return here - corrected + self.fixed.counts[state]

    @property
    def question(self) -> Question | None:
        """The question to answer first, about the file or its corrected records."""
        of_fixed = None if self.fixed is None else self.fixed.question
        return self.asked or self.result.question or of_fixed

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


class Fixed(NamedTuple):
    """A record as it was corrected on the screen."""

    record: int
    line: int
    cells: Sequence[str]
    accept: str


@dataclass
class Seen:
    """A file as far as it is known, and the user's choices for it.

    ``recalled`` is the moment of the import whose recipe it was opened with, if so;
    ``is_unchecked`` tells that checking it was stopped.
    """

    look: Look
    choices: Choices
    plan: Plan | None = None
    only_problems: bool = False
    recalled: float | None = None
    is_unchecked: bool = False


def corrected(result: LoadResult, choices: Choices) -> list[Fixed]:
    """Return the records to fix that the user has decided, as they are now."""
    run, fixes = result.facts.run, list[Fixed]()
    edited = {line for line, _ in choices.edits}
    for row in result.rows(*FIX_STATES) if edited or choices.confirmed else ():
        if row.line not in edited | choices.confirmed:
            continue
        filled = [*row.cells, *[""] * len(run.header)]
        pairs = zip(run.header, filled, strict=False)
        cells = [choices.edits.get((row.line, column), cell) for column, cell in pairs]
        # Whoever corrected a record has looked at it, so it needs no second yes.
        accept = "yes" if row.line in choices.confirmed else ""
        fixes.append(Fixed(row.record, row.line, cells, accept))
    return fixes
