"""What is known of an import at one moment of its journal: the facts of every text and file."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from petstore_frame.loader.causes import Cause, Note, find_causes, kind_of
from petstore_frame.loader.journal import rows as journal
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.rows import Import, JournalRow, SkippedRows
from petstore_frame.loader.question import Question
from petstore_frame.loader.reading import field_name
from petstore_frame.loader.record import DOUBT_STATES, FIX_STATES, RecordProblem, State, exit_code
from petstore_frame.loader.settling import Doubt, read_doubt

IN_STORE = (State.CREATED, State.ADOPTED)
# A fact of an import: the cause that most rows share, so that nothing is sent.
COMMON_CAUSE = "common_cause"
# The column that may identify an animal, where nobody has said which does.
LIKELY_KEY = "likely_key"
_TIMES = ("staged_at", "started_at", "ended_at")


@dataclass(frozen=True)
class ImportSummary:
    """What is known of an import at one moment of its journal.

    Attributes:
        doubt: What reading the store back has left in doubt, or None.
        sent_now: Whether this call sent anything; else the result describes earlier ones.
        question: What the same call without ``dry_run`` would ask; None where it would send.
        folder: Where the result files are, or None.
    """

    run: Import
    counts: dict[State, int]
    skipped: list[SkippedRows]
    causes: list[Cause]
    notes: list[Note]
    doubt: Doubt | None = None
    sent_now: bool = True
    is_rehearsal: bool = False
    question: Question | None = None
    folder: Path | None = None
    journal: Path | None = None

    def __len__(self) -> int:
        return sum(self.counts.values())

    def count(self, *states: State) -> int:
        """Return how many rows are in some states."""
        return sum(self.counts[state] for state in states)

    @property
    def to_fix(self) -> int:
        """How many rows are surely not in the store, and are to be corrected."""
        return self.count(*FIX_STATES)

    @property
    def in_doubt(self) -> int:
        """How many rows may be in the store, and were not seen there."""
        return self.count(*DOUBT_STATES)

    @property
    def is_held(self) -> bool:
        """Whether nothing is sent while one cause fails most rows."""
        return COMMON_CAUSE in self.run.facts

    @property
    def exit_code(self) -> int:
        """What the command line ends with: 0 only if all rows are in the store."""
        return 2 if self.question is not None else exit_code(self.counts, self.run.ending)

    def as_dict(self) -> dict[str, Any]:
        """Return the facts, ready for JSON; times are ISO 8601 in UTC."""
        run, doubt = self.run, self.doubt
        moments = {name: getattr(run, name) for name in _TIMES}
        facts = {
            "import_id": run.id,
            **asdict(run),
            **{
                name: None if at is None else datetime.fromtimestamp(at, UTC).isoformat()
                for name, at in moments.items()
            },
            "journal": str(self.journal),
            "dry_run": self.is_rehearsal,
            "records": len(self),
            "states": self.counts,
            "skipped": [each._asdict() for each in self.skipped],
            "causes": [
                asdict(each.problem) | {"records": each.records, "lines": each.lines}
                for each in self.causes
            ],
            "notes": {note.kind: note.records for note in self.notes},
            "read_back": None if doubt is None else doubt.notes,
            "candidates": {} if doubt is None else doubt.candidates,
            "exit_code": self.exit_code,
        }
        known: dict[str, Any] = json.loads(json.dumps(facts))
        return known


def read_summary(path: Path, import_id: str) -> ImportSummary:
    """Read what is known of an import.

    Raises:
        JournalError: The journal has lost something, or does not know it.
    """
    run = journal.read_import(path, import_id)
    with reading(path) as sql:
        return ImportSummary(
            run=run,
            counts=journal.count_in(sql, import_id),
            skipped=journal.read_skipped(sql, run),
            causes=read_causes(sql, run),
            notes=_read_notes(sql, run),
            doubt=read_doubt(sql, run),
        )


def read_causes(sql: sqlite3.Connection, run: Import) -> list[Cause]:
    """Return what keeps rows from being sent, the commonest cause first."""
    problems = list(journal.read_problems(sql, run))
    for row in journal.read_rows(sql, run.id, State.REJECTED):
        problems.append((problem_of(row, run), [row.line], 1))
    if not problems:
        return []
    naming = sum(journal.count_in(sql, run.id).values())
    naming -= sum(each.records for each in journal.read_skipped(sql, run) if each.reason.is_plain)
    return find_causes(problems, naming, run.mapping, run.key)


def _read_notes(sql: sqlite3.Connection, run: Import) -> list[Note]:
    """Return the kinds of notes on rows that were not refused, the first row's first."""
    name = run.mapping.get("name")
    at = run.header.index(name) if name in run.header else 0
    rows, firsts = Counter[str](), dict[str, tuple[int, int, str]]()
    for found in journal.read_noted(sql, run):
        (name_cell,) = found.cells[at : at + 1] or ("",)
        for kind in dict.fromkeys(map(kind_of, found.notes)):
            rows[kind] += found.rows
            firsts.setdefault(kind, (found.record, found.line, name_cell))
    return [Note(rows[kind], kind, *first) for kind, first in firsts.items()]


def problem_of(row: JournalRow, run: Import) -> RecordProblem:
    """Return what is wrong with a row, by our own checks or by the store's answer."""
    if row.problem is not None:
        return row.problem
    if row.state is State.REJECTED:
        column = run.mapping.get(field_name(row.error_field or "") or "")
        at = run.header.index(column) if column in run.header else len(row.cells)
        return RecordProblem(
            row.error_code or row.reason or "",
            row.error_message or "the store refused it",
            column,
            row.cells[at] if at < len(row.cells) else None,
            "the store refused it; correct what its message names",
        )
    hint = row.state.hint
    if row.known is not None and row.known.import_id == run.id:
        hint = f"it is the animal of line {row.known.line}"
    return RecordProblem(row.error_code or "", row.error_message or "", hint=hint)
