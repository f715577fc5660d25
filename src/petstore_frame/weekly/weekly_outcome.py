"""Collects all that came up on a Monday, and names the worst of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Any

from petstore_frame import errors


class WeeklyOutcome(Enum):
    """What a run can come to, from good to worst: ``exit_code``, and the ``sentence`` for it."""

    GOOD = 0, "nothing but good news"
    ROWS_TO_FIX = 1, "some rows are to fix"
    REFUSED = 2, "a setting, a recipe or a list cannot be used"
    NOT_COMPLETE = 8, "the listing is not known to be complete"
    UNCONFIRMED = 3, "some rows are unconfirmed: they may be in the store"
    QUESTION = 9, "a file may hold animals that are loaded already; none of it was sent"
    DROP = 10, "more pets are gone than max_drop allows"
    STORE_AWAY = 5, "the store did not answer, or refused"
    DISK = 6, "the disk, a journal or the history cannot be used"
    FAILED = 11, "the run ended before its end"

    def __init__(self, exit_code: int, sentence: str) -> None:
        self.exit_code, self.sentence = exit_code, sentence

    @classmethod
    def of(cls, problem: BaseException) -> WeeklyOutcome:
        """Return what an error makes of a run."""
        if isinstance(problem, errors.LoadStoppedError):
            of_ending = {"journal": cls.DISK, "budget": cls.REFUSED}
            return of_ending.get(problem.ending, cls.STORE_AWAY)
        store = (errors.APIStatusError, errors.APIConnectionError, errors.ContractError)
        disk = (errors.JournalError, errors.HistoryError, errors.ReportError, OSError)
        kinds: dict[Any, WeeklyOutcome] = {
            (*store, errors.CrossOriginError): cls.STORE_AWAY,
            disk: cls.DISK,
            errors.DuplicatesError: cls.QUESTION,
            errors.PetstoreError: cls.REFUSED,
        }
        found = (outcome for kind, outcome in kinds.items() if isinstance(problem, kind))
        return next(found, cls.FAILED)


@dataclass
class Run:
    """One Monday: what came up, and where its files are."""

    day: date  # in its time zone
    started_at: datetime
    outcomes: list[WeeklyOutcome] = field(default_factory=list)  # the worst is the exit code
    folder: Path | None = None  # of its files; None until they are whole
    facts: dict[str, Any] = field(default_factory=dict)  # what ``summary.json`` says besides
    attention: list[str] = field(default_factory=list)  # what needs a person, as sentences
    doing: str = "begin"  # the step that it is at

    def note(self, outcome: WeeklyOutcome, sentence: str) -> None:
        self.outcomes.append(outcome)
        self.attention.append(sentence)

    def note_error(self, problem: BaseException) -> None:
        first = next(iter(str(problem).splitlines()), type(problem).__name__)
        self.note(WeeklyOutcome.of(problem), f"{self.doing}: {first}")

    @contextmanager
    def at(self, step: str) -> Iterator[None]:
        """Do a step, whose error is noted and does not stop the others."""
        self.doing = step
        try:
            yield
        except errors.PetstoreError as problem:
            self.note_error(problem)

    @property
    def outcome(self) -> WeeklyOutcome:
        """The worst of all that came up."""
        return max(self.outcomes, key=list(WeeklyOutcome).index, default=WeeklyOutcome.GOOD)

    @property
    def exit_code(self) -> int:
        """What the command ends with."""
        return self.outcome.exit_code

    def as_dict(self) -> dict[str, Any]:
        """Return the facts, ready for JSON."""
        return {
            "day": self.day.isoformat(),
            "started_at": self.started_at.isoformat(timespec="seconds"),
            "outcome": self.outcome.name.lower(),
            "exit_code": self.exit_code,
            "attention": self.attention,
            **self.facts,
        }

    def __str__(self) -> str:
        lines = [f"{self.day}: {self.outcome.sentence}"]
        if "verdict" in self.facts:
            lines.append(f"{self.facts['verdict']}, read {self.facts['read_at']}")
        lines += [f"- {sentence}" for sentence in self.attention]
        lines += [] if self.folder is None else [f"wrote {self.folder}"]
        return "\n".join(lines)
