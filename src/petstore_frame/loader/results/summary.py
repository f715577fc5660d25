"""One import as a dictionary: its facts, its counts, and why records are not in the store."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.loader.record import FIX_STATES
from petstore_frame.loader.results.columns import moment_of, problem_of
from petstore_frame.loader.results.notes import kind_of
from petstore_frame.loader.results.skipped import reason_of

if TYPE_CHECKING:
    from petstore_frame.loader.results.results import LoadResult


class Causes(NamedTuple):
    """How many records have each problem, note and reason, by its code."""

    problems: Counter[str]
    notes: Counter[str]
    reasons: Counter[str]


def count_causes(result: LoadResult) -> Causes:
    """Count the codes of problems, the notes and the reasons over all records."""
    causes, run = Causes(Counter(), Counter(), Counter()), result.run
    for row in result.rows():
        if row.state in FIX_STATES:
            causes.problems[problem_of(row, run).code] += 1
        if reason := reason_of(row):
            causes.reasons[reason] += 1
        causes.notes.update(kind_of(note) for note in row.warnings)
    return causes


def summarize(result: LoadResult) -> dict[str, Any]:
    """Return the facts of an import and its counts, ready for JSON."""
    run, causes, doubt = result.run, result.causes, result.doubt
    ended = run.ended_at
    return {
        "run_id": run.run_id,
        "base_url": run.base_url,
        "store_id": run.store_id,
        "source": run.source_name,
        "path": run.source_path,
        "records_sha256": run.records_sha256,
        "header": list(run.header),
        "mapping": run.mapping,
        "journal": str(result.path),
        "dry_run": result.is_rehearsal,
        "again": run.is_again,
        "key": list(run.key),
        "duplicates": run.duplicates,
        "plan": run.plan,
        "records": len(result),
        "elsewhere": result.elsewhere._asdict(),
        "states": {str(state): count for state, count in result.counts.items()},
        "skipped": [found.as_dict() for found in result.skipped],
        "problems": dict(causes.problems.most_common()),
        "warnings": dict(causes.notes.most_common()),
        "reasons": dict(causes.reasons.most_common()),
        "read_back": None if doubt is None else list(doubt.notes),
        "candidates": {str(record): [*ids] for record, ids in doubt.candidates.items()}
        if doubt
        else {},
        "ending": None if run.ending is None else str(run.ending),
        "ending_detail": run.ending_detail,
        "exit_code": result.exit_code,
        "created_at": _iso(run.created_at),
        "started_at": _iso(run.started_at),
        "ended_at": _iso(ended),
        "seconds": ended - run.started_at if ended and run.started_at else None,
    }


def _iso(seconds: float | None) -> str | None:
    moment = moment_of(seconds)
    return None if moment is None else moment.isoformat()
