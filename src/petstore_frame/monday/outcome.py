"""What a Monday came to, and whether the last one is recent enough."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Any

from petstore_frame import errors
from petstore_frame.files.whole import whole_file
from petstore_frame.monday.settings import MondaySettings

RUNS = "runs.jsonl"


class MondayOutcome(Enum):
    """What a run can come to, from good to worst: the exit code, and what it means.

    Attributes:
        exit_code: What the command ends with.
        sentence: What it means to somebody who gets the exit code.
    """

    GOOD = 0, "nothing but good news"
    ROWS_TO_FIX = 1, "some rows are to fix"
    REFUSED = 2, "a setting, a recipe or a list cannot be used"
    NOT_COMPLETE = 8, "the listing is not known to be complete"
    IN_DOUBT = 3, "some rows are in doubt: they may be in the store"
    QUESTION = 9, "a file may hold animals that are loaded already; none of it was sent"
    DROP = 10, "more pets are gone than max_drop allows"
    STORE_AWAY = 5, "the store did not answer, or refused"
    DISK = 6, "the disk or the journal failed"
    FAILED = 11, "the run ended before its end"

    def __init__(self, exit_code: int, sentence: str) -> None:
        self.exit_code = exit_code
        self.sentence = sentence

    @classmethod
    def of(cls, problem: BaseException) -> MondayOutcome:
        """Return what an error makes of a run."""
        if isinstance(problem, errors.LoadStopped):
            return cls.DISK if problem.ending == "journal" else cls.STORE_AWAY
        # The first line that fits decides.
        for kinds, outcome in (
            ((errors.DuplicatesError,), cls.QUESTION),
            ((errors.APIStatusError, errors.APIConnectionError), cls.STORE_AWAY),
            ((errors.ContractError, errors.CrossOriginError), cls.STORE_AWAY),
            ((errors.JournalError, errors.HistoryError, errors.ReportError, OSError), cls.DISK),
            ((errors.InputError,), cls.ROWS_TO_FIX),
            ((errors.PetstoreError,), cls.REFUSED),
        ):
            if isinstance(problem, kinds):
                return outcome
        return cls.FAILED


@dataclass
class Run:
    """One Monday.

    Attributes:
        day: The day of the run in its time zone.
        started_at: When it began, with its zone.
        outcomes: All that came up; the worst one decides the exit code.
        folder: Where its files are; None until they are whole.
        facts: What ``summary.json`` says besides, ready for JSON.
        attention: What needs a person, as sentences.
    """

    day: date
    started_at: datetime
    outcomes: list[MondayOutcome] = field(default_factory=list)
    folder: Path | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    attention: list[str] = field(default_factory=list)

    def note(self, outcome: MondayOutcome, sentence: str) -> None:
        """Take in something that a person must know."""
        self.outcomes.append(outcome)
        self.attention.append(sentence)

    def note_error(self, problem: BaseException, what: str = "") -> None:
        """Take in an error, which stopped ``what``."""
        first = next(iter(str(problem).splitlines()), "") or type(problem).__name__
        self.note(MondayOutcome.of(problem), f"{what}: {first}" if what else first)

    @property
    def outcome(self) -> MondayOutcome:
        """The worst of all that came up."""
        return max(self.outcomes, key=list(MondayOutcome).index, default=MondayOutcome.GOOD)

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
        if self.folder is not None:
            lines.append(f"wrote {self.folder}")
        return "\n".join(lines)


def add_line(output: Path, run: Run) -> None:
    """Add a run to ``runs.jsonl``, which is on disk, whole, when this returns."""
    facts = run.as_dict() | {"folder": run.folder and run.folder.name}
    facts.pop("completeness", None)  # the day's summary.json has it
    with whole_file(output / RUNS) as draft:
        lines = [*_lines(output), json.dumps(facts)]
        draft.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _lines(output: Path) -> list[str]:
    path = output / RUNS
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def check(
    path: str | Path, *, max_age_days: int = 8, today: date | None = None
) -> tuple[bool, str]:
    """Tell whether the newest complete run is young enough, and say so in a sentence.

    It asks no store and needs no API key: it is for a second scheduler, or a person, to notice
    that the first one never ran.

    Args:
        path: The ``monday.toml``.
        max_age_days: How many days old the newest complete run may be.
        today: The day to count from; None is today in the time zone of the runs.
    """
    settings = MondaySettings.read(path)
    runs = [json.loads(line) for line in _lines(settings.output)]
    complete = [run["day"] for run in runs if run["folder"] and run.get("is_complete")]
    last = ""
    if runs:
        sentence = MondayOutcome[runs[-1]["outcome"].upper()].sentence
        last = f"; the last attempt, of {runs[-1]['day']}, said: {sentence}"
    if not complete:
        return False, f"no complete run yet{last}"
    newest = date.fromisoformat(max(complete))
    age = ((today or datetime.now(settings.timezone).date()) - newest).days
    if age > max_age_days:
        return False, f"the newest complete run is of {newest}, {age} days ago{last}"
    return True, f"the newest complete run is of {newest}"
