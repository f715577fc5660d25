"""Collects the outcomes of a weekly run, and returns the worst one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

from petstore_frame import errors
from petstore_frame.exit_codes import ExitCode
from petstore_frame.inventory import Inventory
from petstore_frame.loader import RecipeOptions
from petstore_frame.questions import to_add


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
        inventory: The pets that were read; None until then.
    """

    day: date
    started_at: datetime
    outcomes: list[ExitCode] = field(default_factory=list)
    folder: Path | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    attention: list[str] = field(default_factory=list)
    step: str = "begin"
    inventory: Inventory | None = None

    def note(self, outcome: ExitCode, sentence: str) -> None:
        """Add an outcome, with a sentence for the list of what needs attention."""
        self.outcomes.append(outcome)
        self.attention.append(sentence)

    def note_error(self, error: BaseException) -> None:
        """Add the outcome of an error, with its first line."""
        lines = _explain(error).splitlines() or [type(error).__name__]
        self.note(errors.exit_code_of(error), f"{self.step}: {lines[0]}")

    @contextmanager
    def at(self, step: str) -> Iterator[None]:
        """Run a step. An error in it is recorded and does not stop the other steps."""
        self.step = step
        try:
            yield
        except errors.PetstoreError as error:
            self.note_error(error)

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of the command: the worst outcome."""
        return ExitCode.worst(self.outcomes)

    def as_dict(self) -> dict[str, Any]:
        """Return the facts as JSON values."""
        return {
            "day": self.day.isoformat(),
            "started_at": self.started_at.isoformat(timespec="seconds"),
            "outcome": self.exit_code.name.lower(),
            "exit_code": self.exit_code,
            "attention": self.attention,
            **self.facts,
        }

    def __str__(self) -> str:
        lines = [f"{self.day}: {self.exit_code.meaning}"]
        if "verdict" in self.facts:
            lines.append(f"{self.facts['verdict']}, read {self.facts['read_at']}")
        lines += [f"- {sentence}" for sentence in self.attention]
        if self.folder is not None:
            lines.append(f"wrote {self.folder}")
        return "\n".join(lines)
