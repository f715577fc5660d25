"""What became of an import in a few words, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from petstore_frame.errors.advice import PYTHON, Audience
from petstore_frame.loader.journal.earlier import Repeats
from petstore_frame.loader.journal.rows import JournalRow, Run
from petstore_frame.loader.limits import GRACE_S
from petstore_frame.loader.record import Ending, RecordProblem, State
from petstore_frame.loader.results.notes import Note
from petstore_frame.loader.results.skipped import BLANK, Elsewhere, Skipped
from petstore_frame.loader.settling.reconcile import Doubt
from petstore_frame.schema.text import minute_text


class ResultFacts(NamedTuple):
    """What is shown of a result."""

    run: Run
    counts: Mapping[State, int]
    problems: list[tuple[JournalRow, RecordProblem]]
    is_rehearsal: bool
    is_from_earlier_run: bool = False
    voice: Audience = PYTHON
    skipped: Sequence[Skipped] = ()
    notes: Sequence[Note] = ()
    warnings: Sequence[str] = ()
    elsewhere: Elsewhere = Elsewhere()
    doubt: Doubt | None = None
    repeats: Repeats | None = None


def headline(facts: ResultFacts) -> tuple[str, str]:
    """Return a title of one or two words, and one sentence."""
    total = sum(facts.counts.values())
    name = facts.run.source_name
    if total == 0:
        return "Nothing to load", f"{name}: a header and no records, so nothing was sent"
    records = _records(total)
    if facts.is_rehearsal:
        return "Rehearsal", f"{name}: {records} read, {_rehearsed(facts)}"
    created = f"{name}: {_cause(facts.run)}{_created(facts, records)}"
    if facts.is_from_earlier_run and facts.run.ended_at is not None:
        created += f" by {minute_text(facts.run.ended_at)}; nothing was sent now"
    return _title(facts), created


def _rehearsed(facts: ResultFacts) -> str:
    if facts.repeats is not None:
        return "and nothing would be sent before you say what the repeated ones are"
    return f"{_n(facts, State.PENDING)} would be sent"


def _title(facts: ResultFacts) -> str:
    counts, elsewhere = facts.counts, facts.elsewhere
    if counts[State.UNKNOWN] or counts[State.IN_FLIGHT] or elsewhere.in_doubt:
        return "In doubt"
    if counts[State.PENDING] or elsewhere.not_sent:
        return "Not finished"
    has_fixes = count_to_fix(facts) or counts[State.ABSENT] or elsewhere.to_fix
    if facts.is_from_earlier_run and not has_fixes:
        return "Loaded before"
    if not counts[State.CREATED]:
        return "Nothing created" if has_fixes else "Nothing new"
    return "Done, some to fix" if has_fixes else "Done"


def _cause(run: Run) -> str:
    """Return why an import stopped before its end: a reader needs that first."""
    is_stopped = run.ending not in (None, Ending.DONE)
    return f"{run.ending_detail}; " if is_stopped and run.ending_detail else ""


def _created(facts: ResultFacts, records: str) -> str:
    pending = facts.counts[State.PENDING]
    if facts.counts[State.CREATED] or not pending:
        before = sum(found.records for found in facts.skipped if found.reason != BLANK)
        known = f", {before:,} known from earlier" if before else ""
        return f"{_n(facts, State.CREATED)} of {records} created{known}"
    return f"nothing was created, {pending:,} of {records} still to send"


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count:,} records"


def next_steps(facts: ResultFacts) -> list[str]:
    """Return what to do next, the most urgent first."""
    counts, voice = facts.counts, facts.voice
    steps: list[str] = []
    doubtful = counts[State.UNKNOWN] + counts[State.IN_FLIGHT]
    if facts.doubt:
        steps.append(facts.doubt.step(voice))
    elif doubtful:
        steps.append(
            f"{_records(doubtful)} in doubt, perhaps in the store: {voice.reconcile()} looks for "
            f"them there, {GRACE_S / 60:.0f} minutes after the last request; never send these "
            "again by hand"
        )
    if facts.is_rehearsal and counts[State.PENDING] and facts.repeats is None:
        steps.append(f"nothing was sent: load it without {voice.option('dry_run', True)}")
    elif counts[State.PENDING] and not facts.is_rehearsal:
        steps.append(
            f"{_records(counts[State.PENDING])} still to send: {voice.again()} again goes on"
        )
    if count_to_fix(facts):
        steps.append(f"{_records(count_to_fix(facts))} to fix: {voice.fix()}, then load that file")
    if counts[State.ABSENT]:
        steps.append(
            f"{_records(counts[State.ABSENT])} not found in the store: look, then "
            f"{voice.reconcile(resends=True)} sends again"
        )
    steps += _steps_elsewhere(facts)
    equal = sum(found.records for found in facts.skipped if found.by == "equal")
    if equal and not facts.is_rehearsal:
        steps.append(
            f"{_records(equal)} not sent, because they equal earlier ones: if they are other "
            f"animals, {voice.again()} with {voice.option('duplicates', 'send')} sends just these"
        )
    if facts.is_from_earlier_run and counts[State.CREATED] and not steps:
        steps.append(
            f"if these are other animals, {voice.again()} with {voice.option('again', True)} "
            "sends them"
        )
    return steps


def _steps_elsewhere(facts: ResultFacts) -> list[str]:
    elsewhere = facts.elsewhere
    steps: list[str] = []
    if elsewhere.in_doubt:
        steps.append(
            f"{_records(elsewhere.in_doubt)} in doubt in an earlier import: "
            f"{facts.voice.reconcile()} looks for them too"
        )
    if elsewhere.not_sent:
        steps.append(
            f"{_records(elsewhere.not_sent)} not sent yet by an earlier import: "
            f"{facts.voice.resume()} finishes it"
        )
    if elsewhere.to_fix:
        steps.append(
            f"{_records(elsewhere.to_fix)} known from an earlier import, which did not create "
            "them after all: load this file again"
        )
    return steps


def count_to_fix(facts: ResultFacts) -> int:
    """Return how many records of this import are to fix."""
    return facts.counts[State.INVALID] + facts.counts[State.REJECTED]


def _n(facts: ResultFacts, state: State) -> str:
    return f"{facts.counts[state]:,}"
