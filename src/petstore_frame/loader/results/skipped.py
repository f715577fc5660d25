"""Why records of an import were skipped: blank, or the same animal as an earlier record."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.loader.journal.database import reading
from petstore_frame.loader.journal.rows import JournalRow, Run
from petstore_frame.loader.record import DOUBT_STATES, FIX_STATES, State
from petstore_frame.schema.text import day_text

BLANK, KNOWN, CHANGED = "blank", "known", "changed"
IN_DOUBT, NOT_SENT, NOT_CREATED = "in_doubt_earlier", "not_sent_earlier", "not_created_earlier"
_GROUPS = """
SELECT coalesce(mine.same_by, ''), imports.source_name, imports.created_at,
  coalesce(fates.state, 'pending'),
  other.payload IS NOT mine.payload AND mine.payload IS NOT NULL AND mine.same_by <> 'fix',
  mine.same_import = mine.import,
  count(*)
FROM records AS mine
LEFT JOIN imports ON imports.import = mine.same_import
LEFT JOIN contents AS other ON other.import = mine.same_import AND other.record = mine.same_record
LEFT JOIN fates ON fates.import = mine.same_import AND fates.record = mine.same_record
WHERE mine.import = ? AND mine.state = 'skipped' GROUP BY 1, 2, 3, 4, 5, 6
ORDER BY min(mine.record)
"""
_BY = {
    "key": "known by the key, from {}",
    "record": "the same record of {}",
    "fix": "fixed: created from {}",
    "equal": "equal to a record of {}",
}


class Skipped(NamedTuple):
    """Records that were skipped for one reason.

    Attributes:
        records: How many.
        reason: blank, known, changed (known, with other values), in_doubt_earlier,
            not_sent_earlier, or not_created_earlier.
        by: What shows that it is the same animal: key, record (it was fixed from it), fix (its fix
            file created it) or equal.
        source: The file of the earlier import, or an empty text.
        loaded_on: Its day, UTC, as ``2026-11-20``, or an empty text.
    """

    records: int
    reason: str
    by: str = ""
    source: str = ""
    loaded_on: str = ""

    def __str__(self) -> str:
        if self.reason == BLANK:
            return "blank"
        there = f"{self.source}, loaded {self.loaded_on}" if self.loaded_on else "this file"
        more = {
            CHANGED: ", with other values now",
            IN_DOUBT: ", which is in doubt",
            NOT_SENT: ", which was not sent yet",
            NOT_CREATED: ", which was not created",
        }
        return _BY[self.by].format(there) + more.get(self.reason, "")

    def as_dict(self) -> dict[str, Any]:
        """Return the facts, ready for JSON."""
        return {name: value for name, value in self._asdict().items() if value}


class Elsewhere(NamedTuple):
    """Skipped records whose animal is not surely in the store, by what became of it."""

    in_doubt: int = 0
    not_sent: int = 0
    to_fix: int = 0


def reason_of(row: JournalRow) -> str | None:
    """Return why a record was skipped; for others the journal's own reason."""
    if row.state is not State.SKIPPED:
        return row.reason
    if row.same is None:
        return BLANK
    is_changed = row.payload not in (None, row.same.payload) and row.same.by != "fix"
    return _reason(row.same.state, is_changed=is_changed)


def read_skipped(path: Path, run: Run) -> list[Skipped]:
    """Return the skipped records of an import by their reasons."""
    with reading(path) as sql:
        groups = sql.execute(_GROUPS, [run.number]).fetchall()
    found: dict[Skipped, int] = {}
    for by, source, created_at, state, is_changed, is_within, records in groups:
        reason = _reason(State(state), is_changed=bool(is_changed)) if by else BLANK
        day = day_text(created_at) if by and not is_within else ""
        group = Skipped(0, reason, by, source or "", day)
        found[group] = found.get(group, 0) + records
    return [group._replace(records=records) for group, records in found.items()]


def count_elsewhere(skipped: list[Skipped]) -> Elsewhere:
    """Count the skipped records that are not surely in the store."""
    counts = {
        reason: sum(found.records for found in skipped if found.reason == reason)
        for reason in (IN_DOUBT, NOT_SENT, NOT_CREATED)
    }
    return Elsewhere(counts[IN_DOUBT], counts[NOT_SENT], counts[NOT_CREATED])


def runs_in_doubt(path: Path, run: Run) -> list[str]:
    """Return the earlier imports that answer for skipped records which are in doubt."""
    with reading(path) as sql:
        found = sql.execute(
            "SELECT DISTINCT imports.run_id FROM records AS mine"
            " JOIN records AS other ON other.import = mine.same_import"
            "  AND other.record = mine.same_record"
            " JOIN imports ON imports.import = other.import"
            " WHERE mine.import = ? AND mine.state = 'skipped' AND other.import <> mine.import"
            "  AND other.state IN ('unknown', 'in_flight', 'absent')",
            [run.number],
        )
        return [run_id for (run_id,) in found]


def _reason(state: State, *, is_changed: bool) -> str:
    if state in DOUBT_STATES:
        return IN_DOUBT
    if state is State.PENDING:
        return NOT_SENT
    if state in FIX_STATES or state is State.SKIPPED:
        return NOT_CREATED
    return CHANGED if is_changed else KNOWN
