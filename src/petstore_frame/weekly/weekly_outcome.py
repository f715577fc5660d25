"""Collects what a weekly run found, and names the worst of it."""

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
    """What a run can come to, from best to worst: an ``exit_code`` and a ``sentence``.

    The exit codes are those of all commands.
    """

    SUCCESS = 0, "success"
    ROWS_TO_FIX = 1, "some rows need fixing"
    ROWS_TO_SEND = 1, "some rows are still to send"
    INVALID = 2, "a setting, a recipe or a list cannot be used"
    TOO_MANY_ERRORS = 4, "a file has too many errors, or one reason for most of its rows"
    NOT_COMPLETE = 8, "the listing is not known to be complete"
    UNCONFIRMED = 3, "some rows are unconfirmed: they may be in the store"
    QUESTION = 9, "a file may have animals that are loaded already; nothing of it was sent"
    LOCKED = 7, "another process is loading or writing"
    DROP = 10, "more pets are gone than max_drop allows"
    STORE = 5, "the store could not be reached, or refused"
    DISK = 6, "the disk, a journal or the history cannot be used"
    FAILED = 11, "the run failed"

    def __init__(self, exit_code: int, sentence: str) -> None:
        self.exit_code, self.sentence = exit_code, sentence

    @classmethod
    def of(cls, error: BaseException) -> WeeklyOutcome:
        """Return the outcome of a step that ended with an error."""
        if isinstance(error, errors.LoadStoppedError):
            return _OUTCOMES_OF_ENDINGS.get(error.ending, cls.STORE)
        for error_types, outcome in _OUTCOMES_OF_ERRORS:
            if isinstance(error, error_types):
                return outcome
        return cls.FAILED


_OUTCOMES_OF_ENDINGS = {
    "journal": WeeklyOutcome.DISK,
    "budget": WeeklyOutcome.TOO_MANY_ERRORS,
}
_OUTCOMES_OF_ERRORS: tuple[tuple[tuple[type[BaseException], ...], WeeklyOutcome], ...] = (
    ((errors.JournalLockedError, errors.HistoryLockedError), WeeklyOutcome.LOCKED),
    (
        (
            errors.APIStatusError,
            errors.APIConnectionError,
            errors.ContractError,
            errors.CrossOriginError,
            errors.IncompleteInventoryError,
        ),
        WeeklyOutcome.STORE,
    ),
    (
        (errors.JournalError, errors.HistoryError, errors.ReportError, OSError),
        WeeklyOutcome.DISK,
    ),
    ((errors.DuplicatesError,), WeeklyOutcome.QUESTION),
    ((errors.PetstoreError,), WeeklyOutcome.INVALID),
)


@dataclass
class Run:
    """One weekly run: what it found, and where its files are.

    Attributes:
        day: The day of the reading, in the time zone of the settings.
        started_at: When the run began.
        outcomes: What was found; the worst decides the exit code.
        folder: The folder of the day; None until it is whole.
        facts: What ``summary.json`` says besides.
        attention: Sentences about what needs a person.
        step: The step that runs now.
    """

    day: date
    started_at: datetime
    outcomes: list[WeeklyOutcome] = field(default_factory=list)
    folder: Path | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    attention: list[str] = field(default_factory=list)
    step: str = "begin"

    def note(self, outcome: WeeklyOutcome, sentence: str) -> None:
        """Add an outcome, and the sentence that tells a person about it."""
        self.outcomes.append(outcome)
        self.attention.append(sentence)

    def note_error(self, error: BaseException) -> None:
        """Add the outcome of an error, with its first line."""
        lines = str(error).splitlines() or [type(error).__name__]
        self.note(WeeklyOutcome.of(error), f"{self.step}: {lines[0]}")

    @contextmanager
    def at(self, step: str) -> Iterator[None]:
        """Run a step; its error is noted and does not stop the other steps."""
        self.step = step
        try:
            yield
        except errors.PetstoreError as error:
            self.note_error(error)

    @property
    def outcome(self) -> WeeklyOutcome:
        """The worst outcome."""
        return max(self.outcomes, key=list(WeeklyOutcome).index, default=WeeklyOutcome.SUCCESS)

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
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
        if self.folder is not None:
            lines.append(f"wrote {self.folder}")
        return "\n".join(lines)
