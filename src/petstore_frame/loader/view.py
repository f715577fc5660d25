"""How a result looks, on a terminal and in a notebook.

In: the facts of a run, its counts and its first problems. Out: one text or one HTML string, with
every cell and every text of the store escaped, for light and dark pages alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from petstore_frame import markup
from petstore_frame.loader.alike import read_alike
from petstore_frame.loader.before import describe_alike, describe_overlap
from petstore_frame.loader.doubt import Doubt
from petstore_frame.loader.elsewhere import Elsewhere
from petstore_frame.loader.journal import JournalRow, Run
from petstore_frame.loader.limits import GRACE_S
from petstore_frame.loader.notes import Note
from petstore_frame.loader.record import Ending, RecordProblem, State
from petstore_frame.loader.skipped import IN_DOUBT_EARLIER, Skipped
from petstore_frame.palette import FAILED_BADGE, NO_CLAIM_BADGE, VERDICT_BADGES, Badge
from petstore_frame.voice import PYTHON, Voice

# In the order in which they are shown.
_MEANINGS: dict[State, str] = {
    State.CREATED: "in the store",
    State.INVALID: "not sent: to fix",
    State.REJECTED: "refused by the store: to fix",
    State.UNKNOWN: "in doubt: may be in the store",
    State.ABSENT: "not found in the store",
    State.IN_FLIGHT: "on the way",
    State.PENDING: "not sent yet",
    State.SKIPPED: "blank, or known from an earlier import",
}


_SHOWN_COLUMNS = 12
_DOUBT_TITLE = "What reading the store back has shown"
_NOTES_TITLE = "To look at, sent as read"


class ResultFacts(NamedTuple):
    """What a view shows of a result."""

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
        ended = datetime.fromtimestamp(facts.run.ended_at, UTC)
        created += f" by {ended:%Y-%m-%d %H:%M} UTC; nothing was sent now"
    counts, elsewhere = facts.counts, facts.elsewhere
    if counts[State.UNKNOWN] or counts[State.IN_FLIGHT] or elsewhere.in_doubt:
        return "In doubt", created
    if counts[State.PENDING] or elsewhere.not_sent:
        return "Not finished", created
    if _to_fix(facts) or counts[State.ABSENT] or elsewhere.to_fix:
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
    if _to_fix(facts):
        steps.append(f"{_records(_to_fix(facts))} to fix: {facts.voice.fix()}, then load that file")
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
    day = f"{datetime.fromtimestamp(facts.run.created_at, UTC):%Y-%m-%d}"
    return (
        f"nothing was sent now, as a file of the same content was loaded {day}: if these are other "
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


def result_text(facts: ResultFacts) -> str:
    """Return the view for a terminal."""
    word, sentence = headline(facts)
    lines = [f"{word}: {sentence}", f"store {facts.run.base_url}", _columns(facts.run)]
    lines += [line for line in _found_before(facts) if line]
    lines += [f"  {count:>9,}  {state:<9}  {meaning}" for state, count, meaning in _counted(facts)]
    lines += _note_lines(facts) + _problem_lines(facts)
    if notes := _doubt_notes(facts):
        lines += [f"{_DOUBT_TITLE}:", *(f"  {_plain(note)}" for note in notes)]
    lines += [f"Next: {step}" for step in next_steps(facts)]
    return "\n".join(lines)


def _note_lines(facts: ResultFacts) -> list[str]:
    lines = [
        f"  {note.records:>9,}  {_plain(note.meaning)}, first in {_place(note)}"
        for note in facts.notes
    ]
    return [_NOTES_TITLE, *lines] if lines else []


def _place(note: Note) -> str:
    return f"record {note.number}, line {note.line}: {_shown(note.name)}"


def _notes_html(facts: ResultFacts) -> str:
    rows = (
        (
            markup.cell(f"{note.records:,}", "text-align:right"),
            markup.cell(markup.isolated(f"{note.meaning}, first in {_place(note)}")),
        )
        for note in facts.notes
    )
    return _title(_NOTES_TITLE) + markup.table(rows) if facts.notes else ""


def _problem_lines(facts: ResultFacts) -> list[str]:
    if not facts.problems:
        return []
    lines = [_problems_title(facts)]
    for row, problem in facts.problems:
        place = f"record {row.number}, line {row.line}"
        column = f": {problem.column}" if problem.column else ""
        value = _shown(problem.value)
        value = f" {value}" if problem.value and value not in problem.message else ""
        hint = f"; {problem.hint}" if problem.hint else ""
        lines.append(f"  {place}{column}{value}: {_plain(problem.message)}{hint}")
    return lines


def result_html(facts: ResultFacts, *, has_steps: bool = True) -> str:
    """Return the view for a notebook.

    Args:
        facts: What became of the records.
        has_steps: Whether to end with what to type next; a page with buttons shows its own.
    """
    word, sentence = headline(facts)
    lines = [facts.run.base_url, _columns(facts.run), *_found_before(facts)]
    return (
        '<div class="petstore-frame-result" style="line-height:1.5;max-width:72em">'
        f"{markup.headline(_badge(word), sentence, word)}{markup.quiet_lines(lines)}"
        f"{_counts_html(facts)}{_notes_html(facts)}{_problems_html(facts)}{_doubt_html(facts)}"
        f"{_steps_html(facts) if has_steps else ''}</div>"
    )


def _badge(word: str) -> Badge:
    if word == "Done":
        return VERDICT_BADGES["complete"]
    if word == "Rehearsal":
        return NO_CLAIM_BADGE
    return FAILED_BADGE if word == "In doubt" else VERDICT_BADGES["incomplete"]


def _counts_html(facts: ResultFacts) -> str:
    return markup.table(
        (
            markup.cell(f"<strong>{count:,}</strong>", markup.NUMBER),
            markup.cell(markup.escape(state)),
            markup.cell(markup.escape(meaning), f"color:{markup.FAINT}"),
        )
        for state, count, meaning in _counted(facts)
    )


def _problems_html(facts: ResultFacts) -> str:
    if not facts.problems:
        return ""
    rows = (
        (
            f"{row.line:,}",
            problem.column or "",
            _shown(problem.value) if problem.value else "",
            problem.message,
            problem.hint,
        )
        for row, problem in facts.problems
    )
    cells = ([markup.cell(markup.isolated(text)) for text in row] for row in rows)
    head = ("line", "column", "value", "what is wrong", "hint")
    return _title(_problems_title(facts)) + markup.table(cells, head)


def _doubt_html(facts: ResultFacts) -> str:
    notes = _doubt_notes(facts)
    return _title(_DOUBT_TITLE) + markup.items(notes) if notes else ""


def _doubt_notes(facts: ResultFacts) -> list[str]:
    doubts = [*facts.doubts_elsewhere, *[facts.doubt] * (facts.doubt is not None)]
    return [note for doubt in doubts if doubt for note in doubt.shown]


def _steps_html(facts: ResultFacts) -> str:
    steps = next_steps(facts)
    return _title("What to do next") + markup.items(steps) if steps else ""


def _title(text: str) -> str:
    return f'<div style="margin:10px 0 2px">{markup.escape(text)}</div>'


def _problems_title(facts: ResultFacts) -> str:
    shown, total = len(facts.problems), _to_fix(facts)
    if total == shown:
        return "The record to fix" if total == 1 else f"The {total:,} records to fix"
    return f"The first {shown:,} of {total:,} records to fix"


def _columns(run: Run) -> str:
    """Describe which column is read as what, so that a misspelt one is seen before sending."""
    used = ", ".join(
        field if field == column else f"{field} from {_shown(column)}"
        for field, column in run.mapping.items()
    )
    unused = [_shown(name) for name in run.header if name not in run.mapping.values()]
    shown = ", ".join(unused[:_SHOWN_COLUMNS])
    more = len(unused) - _SHOWN_COLUMNS
    shown += f" and {more:,} more" if more > 0 else ""
    return f"columns: {used}" + (f"; not sent: {shown}" if unused else "")


def _found_before(facts: ResultFacts) -> tuple[str, ...]:
    """Return what is known of these records from before, by the file and by earlier imports."""
    run = facts.run
    return (
        *facts.unsent,
        describe_overlap(run),
        describe_alike(run, is_rehearsal=facts.is_rehearsal),
    )


def _counted(facts: ResultFacts) -> list[tuple[State, int, str]]:
    """Return the states that occur, with their counts and meanings; skipped ones by reason."""
    lines: list[tuple[State, int, str]] = []
    for state, meaning in _MEANINGS.items():
        if state is State.SKIPPED and facts.skipped:
            lines += [(state, found.records, str(found)) for found in facts.skipped]
        elif facts.counts[state]:
            is_past = facts.is_from_earlier_run and state is State.CREATED
            lines.append((state, facts.counts[state], "created then" if is_past else meaning))
    return lines


def _to_fix(facts: ResultFacts) -> int:
    return facts.counts[State.INVALID] + facts.counts[State.REJECTED]


def _n(facts: ResultFacts, state: State) -> str:
    return f"{facts.counts[state]:,}"


def _shown(value: str | None) -> str:
    text = value or ""
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _plain(text: str) -> str:
    """Make a store's text harmless on a terminal: no escapes, no line breaks."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
