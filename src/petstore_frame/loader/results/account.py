"""What a result says: a headline, what to do next, and the facts of the import.

In: the facts of a run, its counts and its first problems. Out: plain sentences and pairs, which
view.py, workbook.py and the report lay out. It knows neither HTML nor the width of a terminal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from petstore_frame._internal.moments import day_text, minute_text
from petstore_frame._internal.voice import PYTHON, Voice
from petstore_frame.loader.journal.alike import read_alike
from petstore_frame.loader.journal.elsewhere import Elsewhere
from petstore_frame.loader.journal.journal import JournalRow, Run
from petstore_frame.loader.limits import GRACE_S
from petstore_frame.loader.record import Ending, RecordProblem, State
from petstore_frame.loader.results.notes import Note
from petstore_frame.loader.results.skipped import IN_DOUBT_EARLIER, Skipped
from petstore_frame.loader.settling.doubt import Doubt


class ResultFacts(NamedTuple):
    """What is shown of a result."""

    run: Run
    counts: Mapping[State, int]
    problems: list[tuple[JournalRow, RecordProblem]]
    is_rehearsal: bool
    is_from_earlier_run: bool = False
    voice: Voice = PYTHON
    skipped: Sequence[Skipped] = ()
    notes: Sequence[Note] = ()
    unsent: Sequence[str] = ()
    elsewhere: Elsewhere = Elsewhere()
    doubt: Doubt | None = None
    doubts_elsewhere: Sequence[Doubt] = ()


def headline(facts: ResultFacts) -> tuple[str, str]:
    """Return a title of one or two words, and one sentence."""
    total = sum(facts.counts.values())
    if total == 0:
        return "Done", f"{facts.run.source_name}: a header and no records, so nothing was sent"
    records = _records(total)
    name = facts.run.source_name
    if facts.is_rehearsal:
        return "Rehearsal", f"{name}: {records} read, {_n(facts, State.PENDING)} would be sent"
    created = f"{name}: {_cause(facts.run)}{_created(facts, records)}"
    if facts.is_from_earlier_run and facts.run.ended_at is not None:
        created += f" by {minute_text(facts.run.ended_at)}; nothing was sent now"
    counts, elsewhere = facts.counts, facts.elsewhere
    if counts[State.UNKNOWN] or counts[State.IN_FLIGHT] or elsewhere.in_doubt:
        return "In doubt", created
    if counts[State.PENDING] or elsewhere.not_sent:
        return "Not finished", created
    if count_to_fix(facts) or counts[State.ABSENT] or elsewhere.to_fix:
        return "Done, some to fix", created
    return "Done", created


def _cause(run: Run) -> str:
    """Return why an import stopped before its end: a reader needs that first."""
    is_stopped = run.ending not in (None, Ending.DONE)
    return f"{run.ending_detail}; " if is_stopped and run.ending_detail else ""


def _created(facts: ResultFacts, records: str) -> str:
    pending = facts.counts[State.PENDING]
    if facts.counts[State.CREATED] or not pending:
        before = _loaded_before(facts)
        known = f", {before:,} loaded before" if before and not facts.is_from_earlier_run else ""
        return f"{_n(facts, State.CREATED)} of {records} created{known}"
    return f"nothing was created, {pending:,} of {records} still to send"


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count:,} records"


def next_steps(facts: ResultFacts) -> list[str]:
    """Return what to do next, the most urgent first."""
    counts, steps = facts.counts, []
    doubtful = counts[State.UNKNOWN] + counts[State.IN_FLIGHT]
    if facts.doubt:
        steps.append(facts.doubt.step(facts.voice))
    elif doubtful:
        steps.append(
            f"{_records(doubtful)} in doubt, perhaps in the store: {facts.voice.reconcile()} "
            f"settles that by reading back, {GRACE_S / 60:.0f} minutes after the last request; "
            "never send these again by hand"
        )
    if facts.is_rehearsal and counts[State.PENDING]:
        steps.append(f"nothing was sent: load it without {facts.voice.option('dry_run', True)}")
    elif counts[State.PENDING]:
        steps.append(
            f"{_records(counts[State.PENDING])} still to send: {facts.voice.again()} again goes on"
        )
    if count_to_fix(facts):
        steps.append(
            f"{_records(count_to_fix(facts))} to fix: {facts.voice.fix()}, then load that file"
        )
    if counts[State.ABSENT]:
        steps.append(
            f"{_records(counts[State.ABSENT])} not found in the store: look, then "
            f"{facts.voice.reconcile(resends=True)} sends again"
        )
    steps += [doubt.step_elsewhere() for doubt in facts.doubts_elsewhere]
    steps += _steps_elsewhere(facts)
    if _loaded_before(facts):
        steps.append(_step_for_others(facts))
    if facts.is_from_earlier_run and counts[State.CREATED] and not steps:
        steps.append(_step_for_a_copy(facts))
    return steps


def _steps_elsewhere(facts: ResultFacts) -> list[str]:
    elsewhere, steps = facts.elsewhere, []
    if elsewhere.in_doubt and not facts.doubts_elsewhere:
        steps.append(
            f"{_records(elsewhere.in_doubt)} in doubt in an earlier import: "
            f"{facts.voice.reconcile()} settles that too"
        )
    if elsewhere.not_sent:
        steps.append(
            f"{_records(elsewhere.not_sent)} left to the import of an edited file, which has not "
            "sent them: load this file again, which takes them back, or that one"
        )
    if elsewhere.to_fix:
        steps.append(
            f"{_records(elsewhere.to_fix)} left to the import of an edited file, and refused "
            "there: load this file again, which takes them back, or fix them in its fix.csv"
        )
    return steps


def _step_for_others(facts: ResultFacts) -> str:
    """Return what to do where records were skipped that are other animals."""
    before = [found for found in facts.skipped if found.is_loaded_before]
    skipped = sum(found.records for found in before if found.reason == IN_DOUBT_EARLIER)
    doubtful = min(skipped, facts.elsewhere.in_doubt)
    there = sorted({found.earlier for found in before})
    named = there[0] if len(there) == 1 else f"{len(there)} earlier imports"
    first = f"{_records(_loaded_before(facts))} not sent, the same as in {named}"
    warned = f"; {_records(doubtful)} of these in doubt there: settle that first" * bool(doubtful)
    how = facts.voice.option("ignore_earlier", True)
    sends = "load with" if facts.is_rehearsal else f"{facts.voice.again()} with"
    return (
        f"{first}{warned}: if they are other animals, {sends} {how}"
        f"{'' if facts.is_rehearsal else ' sends just these'}"
    )


def _step_for_a_copy(facts: ResultFacts) -> str:
    """Return what to do where other animals have the content of a file that was loaded."""
    return (
        f"nothing was sent now, as a file of the same content was loaded "
        f"{day_text(facts.run.created_at)}: if these are other "
        f"animals, {facts.voice.again()} with {facts.voice.option('again', True)} sends them"
    )


def _loaded_before(facts: ResultFacts) -> int:
    return sum(found.records for found in facts.skipped if found.is_loaded_before)


def fact_pairs(facts: ResultFacts) -> list[tuple[str, str | int]]:
    """Return the facts of the import and its counts, as pairs."""
    run = facts.run
    counts = [(str(state), count) for state, count in facts.counts.items()]
    counts += [(f"skipped: {found}", found.records) for found in facts.skipped]
    if (alike := read_alike(run)) is not None:
        counts.append((f"sent, though {alike}", alike.records))
    return [
        ("file", run.source_path or run.source_name),
        ("SHA-256", run.source_sha256),
        ("store", run.base_url),
        ("run", run.run_id),
        ("ended", run.ending_detail or str(run.ending or "not yet")),
        ("records", sum(facts.counts.values())),
        *counts,
    ]


def count_to_fix(facts: ResultFacts) -> int:
    """Return how many records of this import are to fix."""
    return facts.counts[State.INVALID] + facts.counts[State.REJECTED]


def _n(facts: ResultFacts, state: State) -> str:
    return f"{facts.counts[state]:,}"
