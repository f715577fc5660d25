"""Collects the outcomes of a weekly run, and returns the worst one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Any

from petstore_frame import errors, exit_codes
from petstore_frame.loader import RecipeOptions
from petstore_frame.questions import to_add


class WeeklyOutcome(Enum):
    """The possible outcomes of a run, from best to worst: an ``exit_code`` and a ``sentence``.

    The place of a member is its severity: of several outcomes, the last one counts. ``Run.note``
    records an outcome.
    """

    SUCCESS = exit_codes.DONE, "success"
    UNFINISHED = exit_codes.WITH_FINDINGS, "some rows need fixing, or are still to send"
    INVALID = exit_codes.INVALID, "a setting, a recipe or a list cannot be used"
    TOO_MANY_ERRORS = (
        exit_codes.TOO_MANY_ERRORS,
        "a file has too many errors, or most of its rows fail for one reason",
    )
    NOT_COMPLETE = exit_codes.NOT_COMPLETE, "the listing is not known to be complete"
    UNCONFIRMED = exit_codes.UNCONFIRMED, "some rows are unconfirmed: they may be in the store"
    QUESTION = (
        exit_codes.QUESTION,
        "a question is open; nothing that depends on it was sent",
    )
    LOCKED = exit_codes.LOCKED, "another process is loading or writing"
    DROP = exit_codes.MAX_DROP, "more pets are gone than max_drop allows"
    STORE = exit_codes.STORE, "the store could not be reached, or rejected a request"
    DISK = exit_codes.DISK, "the disk, a journal or the history cannot be used"
    FAILED = exit_codes.INTERNAL, "the run failed"
    INTERRUPTED = exit_codes.INTERRUPTED, "the run was interrupted"

    def __init__(self, exit_code: int, sentence: str) -> None:
        self.exit_code, self.sentence = exit_code, sentence

    @classmethod
    def of(cls, error: BaseException) -> WeeklyOutcome:
        """Return the outcome of a step that ended with an error."""
        code = exit_codes.exit_code(error)
        return next(outcome for outcome in cls if outcome.exit_code == code)


def _explain(error: BaseException) -> str:
    """Return an error; the option that solves it belongs to a recipe or to a command."""
    if not isinstance(error, errors.PetstoreError) or error.add is None:
        return str(error)
    option, value = error.add
    if option in RecipeOptions.__annotations__:
        return f"{error.sentence}; add to its recipe: {to_add(option, value, 'recipe')}"
    return f"{error.sentence}; in a shell, add {to_add(option, value, 'shell')}"


@dataclass
class Run:
    """One weekly run: its outcomes, and the folder of its files.

    Attributes:
        day: The day of the reading, in the time zone of the settings.
        started_at: Time when the run started.
        outcomes: Outcomes of all steps; the worst one decides the exit code.
        folder: The folder of the day; None until it is complete.
        facts: Other values of ``summary.json``.
        attention: What needs attention, as sentences.
        step: The current step.
    """

    day: date
    started_at: datetime
    outcomes: list[WeeklyOutcome] = field(default_factory=list)
    folder: Path | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    attention: list[str] = field(default_factory=list)
    step: str = "begin"

    def note(self, outcome: WeeklyOutcome, sentence: str) -> None:
        """Add an outcome, with a sentence for the list of what needs attention."""
        self.outcomes.append(outcome)
        self.attention.append(sentence)

    def note_error(self, error: BaseException) -> None:
        """Add the outcome of an error, with its first line."""
        lines = _explain(error).splitlines() or [type(error).__name__]
        self.note(WeeklyOutcome.of(error), f"{self.step}: {lines[0]}")

    @contextmanager
    def at(self, step: str) -> Iterator[None]:
        """Run a step. An error in it is recorded and does not stop the other steps."""
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
        """Return the facts as JSON values."""
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
