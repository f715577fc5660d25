"""What is known of an import at one moment of its journal: the facts of every text and file."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.loader.call import PYTHON, Call
from petstore_frame.loader.causes import Cause, Causes, Note, kind_of
from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.question import Question
from petstore_frame.loader.journal.rows import (
    Import,
    JournalRow,
    count_in,
    read_cells,
    read_import,
    read_problem,
    read_rows,
)
from petstore_frame.loader.journal.tables import is_live
from petstore_frame.loader.reading.mapping import field_name
from petstore_frame.loader.record import (
    DOUBT_STATES,
    FIX_STATES,
    RecordProblem,
    State,
    exit_code,
)
from petstore_frame.loader.settling.reconcile import Doubt, read_doubt
from petstore_frame.schema.text import day_text

SHOWN_PROBLEMS = 5
IN_STORE = (State.CREATED, State.ADOPTED)
# Facts of an import: the cause that most records share, so that nothing is sent; and the column of
# dates by which the rows that count are not the newest.
COMMON_CAUSE, OUTDATED = "common_cause", "outdated"


class StateMeaning(NamedTuple):
    """What a state means to a reader, what to do about it, and how."""

    text: str
    action: str = "none"
    hint: str = ""


# In the order in which they are shown.
MEANINGS: dict[State, StateMeaning] = {
    State.CREATED: StateMeaning("in the store"),
    State.ADOPTED: StateMeaning("in the store already, found there"),
    State.INVALID: StateMeaning("not sent: to fix", "fix"),
    State.REJECTED: StateMeaning("refused by the store: to fix", "fix"),
    State.UNKNOWN: StateMeaning(
        "in doubt: may be in the store",
        "check",
        "it may be in the store already: do not send it again by hand",
    ),
    State.ABSENT: StateMeaning(
        "not found in the store",
        "resend",
        "its pet was not found: send it again only if you are sure",
    ),
    State.IN_FLIGHT: StateMeaning(
        "on the way",
        "check",
        "it is on its way, or was when its import was killed; load the file again",
    ),
    State.PENDING: StateMeaning("not sent yet", "resend"),
    State.SKIPPED: StateMeaning("not sent: blank, known already, or left out"),
}

# Why a record was skipped.
BLANK, LEFT_OUT, WITHDRAWN = "blank", "left_out", "withdrawn"
KNOWN, CHANGED = "known", "changed"
IN_DOUBT, NOT_SENT, NOT_CREATED = "in_doubt_earlier", "not_sent_earlier", "not_created_earlier"
PLAIN_REASONS = {
    BLANK: "blank",
    LEFT_OUT: "left out, as you said",
    WITHDRAWN: "no longer in the file",
}
_KNOWN_BY = {
    "key": "known by the key, from {}",
    "record": "the same record of {}",
    "equal": "equal to a record of {}",
    "store": "found in the store, from {}",
}
_KNOWN_REASONS = {
    KNOWN: "",
    CHANGED: ", with other values now",
    IN_DOUBT: ", which is in doubt",
    NOT_SENT: ", which was not sent yet",
    NOT_CREATED: ", which was not created",
}


class Skipped(NamedTuple):
    """Records that were skipped for one reason.

    Attributes:
        records: How many.
        reason: blank, left_out, withdrawn, known, changed (known, with other values),
            in_doubt_earlier, not_sent_earlier, or not_created_earlier.
        by: What shows that it is a known animal: key, record (it was fixed from it), equal or
            store.
        source: The file of the import that has the animal, or an empty text.
        loaded_on: Its day, as ``2026-11-20``, or an empty text within the same import.
    """

    records: int
    reason: str
    by: str = ""
    source: str = ""
    loaded_on: str = ""

    def __str__(self) -> str:
        if self.reason in PLAIN_REASONS:
            return PLAIN_REASONS[self.reason]
        there = f"{self.source}, loaded {self.loaded_on}" if self.loaded_on else "this file"
        known = _KNOWN_BY.get(self.by, "known from {}").format(there)
        return known + _KNOWN_REASONS[self.reason]

    def as_dict(self) -> dict[str, Any]:
        """Return the facts, ready for JSON."""
        return {name: value for name, value in self._asdict().items() if value}


class Elsewhere(NamedTuple):
    """Skipped records whose animal may not be in the store, by its state."""

    in_doubt: int = 0
    not_sent: int = 0
    to_fix: int = 0


@dataclass(frozen=True)
class ImportSummary:
    """What is known of an import at one moment of its journal, and of the call that asks.

    Attributes:
        run: The import.
        counts: How many records are in each state, none left out.
        problems: The first records to fix, with what is wrong.
        in_doubt_elsewhere: The ids of earlier imports in which animals of this one are in doubt.
        doubt: What reading the store back has left in doubt, or None.
        call: How it was called; the next steps are made from it, for its reader.
        sent_now: Whether this call sent anything; else the result describes earlier ones.
        is_rehearsal: Whether nothing was sent, and the journal has no trace of it.
        question: What the same call without ``dry_run`` would ask; None where it would send.
        folder: Where the result files are, or None.
        journal: The journal of the store.
    """

    run: Import
    counts: dict[State, int]
    skipped: list[Skipped]
    causes: list[Cause]
    problems: list[tuple[JournalRow, RecordProblem]]
    notes: list[Note]
    in_doubt_elsewhere: list[str]
    doubt: Doubt | None = None
    call: Call = PYTHON
    sent_now: bool = True
    is_rehearsal: bool = False
    question: Question | None = None
    folder: Path | None = None
    journal: Path | None = None

    def __len__(self) -> int:
        return sum(self.counts.values())

    def count(self, *states: State) -> int:
        """Return how many records are in some states."""
        return sum(self.counts[state] for state in states)

    @property
    def elsewhere(self) -> Elsewhere:
        """How many skipped records have an animal of another import, perhaps not in the store."""
        found = Counter[str]()
        for group in self.skipped:
            if group.loaded_on or group.reason == NOT_CREATED:
                found[group.reason] += group.records
        return Elsewhere(found[IN_DOUBT], found[NOT_SENT], found[NOT_CREATED])

    @property
    def is_held(self) -> bool:
        """Whether nothing is sent while one cause fails most records."""
        return COMMON_CAUSE in self.run.facts

    @property
    def exit_code(self) -> int:
        """What the command line ends with: 0 only if all records are in the store."""
        if self.question is not None:
            return 2
        return exit_code(self.counts, self.run.ending, has_doubt_elsewhere=any(self.elsewhere))

    def as_dict(self) -> dict[str, Any]:
        """Return the facts, ready for JSON; times are ISO 8601 in UTC."""
        run, doubt = self.run, self.doubt or Doubt((), (), {})
        plain = ("base_url", "store_id", "source", "place", "mapping", "duplicates", "copy")
        return {
            "import_id": run.id,
            **{name: getattr(run, name) for name in plain},
            "header": list(run.header),
            "key": list(run.key),
            "call": str(self.call),
            "journal": str(self.journal),
            "dry_run": self.is_rehearsal,
            "records": len(self),
            "states": {str(state): count for state, count in self.counts.items()},
            "skipped": [group.as_dict() for group in self.skipped],
            "elsewhere": self.elsewhere._asdict(),
            "causes": [cause.as_dict() for cause in self.causes],
            "notes": {note.kind: note.records for note in self.notes},
            "facts": run.facts,
            "read_back": None if self.doubt is None else list(doubt.notes),
            "candidates": {str(record): [*ids] for record, ids in doubt.candidates.items()},
            "ending": None if run.ending is None else str(run.ending),
            "ending_detail": run.ending_detail,
            "exit_code": self.exit_code,
            **{name: _iso(getattr(run, name)) for name in ("staged_at", "started_at", "ended_at")},
        }


def _iso(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()


_IN_DOUBT_ELSEWHERE = f"""
SELECT DISTINCT other.id FROM records AS mine
JOIN records AS live ON live.animal = mine.animal AND {is_live("live")}
JOIN imports AS other ON other.import = live.import
WHERE mine.import = ? AND mine.state = 'skipped' AND live.import <> mine.import
  AND live.state IN ('unknown', 'in_flight', 'absent')
"""


def read_summary(path: Path, import_id: str) -> ImportSummary:
    """Read what is known of an import.

    Raises:
        JournalError: The journal has lost something, or does not know it.
    """
    run = read_import(path, import_id)
    with reading(path) as sql:
        to_fix = islice(read_rows(sql, run.id, *FIX_STATES), SHOWN_PROBLEMS)
        return ImportSummary(
            run=run,
            counts=count_in(sql, import_id),
            skipped=_read_skipped(sql, run),
            causes=read_causes(sql, run),
            problems=[(row, problem_of(row, run)) for row in to_fix],
            notes=_read_notes(sql, run),
            in_doubt_elsewhere=[name for (name,) in sql.execute(_IN_DOUBT_ELSEWHERE, [run.number])],
            doubt=read_doubt(path, import_id),
        )


_INVALID = """
SELECT problem, count(*), min(line), max(line) FROM records
WHERE import = ? AND state = 'invalid' AND problem IS NOT NULL GROUP BY problem
ORDER BY min(record)
"""
# Rows that name an animal, known ones too: neither blank nor left out.
_ANIMALS = """
SELECT count(*) FROM records WHERE import = ?
AND (state <> 'skipped' OR known_by IS NOT NULL AND reason IS NOT ?)
"""


def read_causes(sql: sqlite3.Connection, run: Import) -> list[Cause]:
    """Return what keeps records from being sent, the commonest cause first."""
    causes = Causes(run.mapping, run.key)
    for text, records, *lines in sql.execute(_INVALID, [run.number]):
        causes.add(read_problem(text), lines, records)
    for row in read_rows(sql, run.id, State.REJECTED):
        causes.add(problem_of(row, run), [row.line])
    ((animals,),) = sql.execute(_ANIMALS, [run.number, LEFT_OUT]).fetchall()
    return causes.found(animals)


def problem_of(row: JournalRow, run: Import) -> RecordProblem:
    """Return what is wrong with a record, by our own checks or by the store's answer."""
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
    hint = MEANINGS[row.state].hint
    if row.known is not None and row.known.import_id == run.id:
        hint = f"it is the animal of line {row.known.line}"
    return RecordProblem(row.error_code or "", row.error_message or "", hint=hint)


_SKIPPED = f"""
SELECT coalesce(mine.known_by, iif(live.id IS NULL, NULL, 'record')), mine.reason,
  other.source, other.staged_at, live.state,
  mine.payload IS NOT NULL AND mine.payload IS NOT live.payload, live.import IS mine.import,
  count(*)
FROM records AS mine
LEFT JOIN records AS live ON live.animal = mine.animal AND {is_live("live")}
LEFT JOIN imports AS other ON other.import = live.import
WHERE mine.import = ? AND mine.state = 'skipped' GROUP BY 1, 2, 3, 4, 5, 6, 7
ORDER BY min(mine.record)
"""


def _read_skipped(sql: sqlite3.Connection, run: Import) -> list[Skipped]:
    """Return the skipped records by their reasons."""
    groups: Counter[Skipped] = Counter()
    for by, why, source, staged_at, state, is_changed, is_within, records in sql.execute(
        _SKIPPED, [run.number]
    ):
        reason = _reason(by, why, state and State(state), is_changed=bool(is_changed))
        group = Skipped(0, reason)
        if reason not in PLAIN_REASONS:
            day = day_text(staged_at) if staged_at and not is_within else ""
            group = Skipped(0, reason, by or "", source or "", day)
        groups[group] += records
    return [group._replace(records=records) for group, records in groups.items()]


def _reason(by: str | None, why: str | None, state: State | None, *, is_changed: bool) -> str:
    if why in (LEFT_OUT, WITHDRAWN):
        return why
    if by is None:
        return BLANK
    if state in DOUBT_STATES:
        return IN_DOUBT
    if state is State.PENDING:
        return NOT_SENT
    if state is None:
        return NOT_CREATED
    return CHANGED if is_changed else KNOWN


def reason_of(row: JournalRow) -> str | None:
    """Return why a record was skipped; for others the journal's own reason."""
    if row.state is not State.SKIPPED:
        return CHANGED if row.reads_now is not None else row.reason
    if row.known is None:
        return _reason(row.known_by, row.reason, None, is_changed=False)
    is_changed = row.payload not in (None, row.known.payload)
    return _reason(row.known.by, row.reason, row.known.state, is_changed=is_changed)


_NOTED = """
SELECT notes, count(*), min(record) FROM records
WHERE import = ? AND notes IS NOT NULL AND notes <> 'blank' AND state <> 'invalid'
GROUP BY notes
"""


def _read_notes(sql: sqlite3.Connection, run: Import) -> list[Note]:
    """Return the kinds of notes on records that were not refused, the first record's first."""
    records, firsts = Counter[str](), dict[str, int]()
    for notes, count, record in sql.execute(_NOTED, [run.number]).fetchall():
        for kind in {kind_of(note) for note in notes.split("\n")}:
            records[kind] += count
            firsts[kind] = min(record, firsts.get(kind, record))
    name = run.mapping.get("name")
    at = run.header.index(name) if name in run.header else 0
    found = []
    for kind, record in sorted(firsts.items(), key=lambda item: item[1]):
        asked = "SELECT line, cells FROM records WHERE import = ? AND record = ?"
        line, packed = sql.execute(asked, [run.number, record]).fetchone()
        (name_cell,) = read_cells(packed)[at : at + 1] or ("",)
        found.append(Note(records[kind], kind, record, line, name_cell))
    return found
