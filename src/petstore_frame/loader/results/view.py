"""What became of an import, in words: for a terminal, a notebook, and whoever writes it to a file.

Every text of a cell or a store is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from petstore_frame.html import NOTEBOOK, Markup
from petstore_frame.html.palette import FAILED_BADGE, NO_CLAIM_BADGE, VERDICT_BADGES, Badge
from petstore_frame.loader.journal.rows import Run
from petstore_frame.loader.limits import GRACE_S
from petstore_frame.loader.record import Ending, State
from petstore_frame.loader.results.question import Question
from petstore_frame.loader.results.skipped import BLANK
from petstore_frame.schema.text import minute_text

if TYPE_CHECKING:
    from petstore_frame.loader.results.results import LoadResult

# In the order in which they are shown.
MEANINGS: dict[State, str] = {
    State.CREATED: "in the store",
    State.INVALID: "not sent: to fix",
    State.REJECTED: "refused by the store: to fix",
    State.UNKNOWN: "in doubt: may be in the store",
    State.ABSENT: "not found in the store",
    State.IN_FLIGHT: "on the way",
    State.PENDING: "not sent yet",
    State.SKIPPED: "blank, or known from an earlier import",
}
_BADGES = {
    **dict.fromkeys(("Done", "Loaded before", "Nothing new"), VERDICT_BADGES["complete"]),
    "Rehearsal": NO_CLAIM_BADGE,
    "In doubt": FAILED_BADGE,
}
_SHOWN_COLUMNS = 12
_PROBLEM_HEAD = ("line", "column", "value", "what is wrong", "hint")


def headline(result: LoadResult) -> tuple[str, str]:
    """Return a title of one or two words, and one sentence."""
    total, pending = len(result), result.counts[State.PENDING]
    name = result.run.source_name
    if total == 0:
        return "Nothing to load", f"{name}: a header and no records, so nothing was sent"
    if result.is_rehearsal:
        sends = f"{pending:,} would be sent"
        if result.repeats is not None:
            sends = "and nothing would be sent before you say what the repeated ones are"
        return "Rehearsal", f"{name}: {_records(total)} read, {sends}"
    sentence = f"{name}: {_cause(result.run)}{_created(result)}"
    if result.is_from_earlier_run and result.run.ended_at is not None:
        sentence += f" by {minute_text(result.run.ended_at)}; nothing was sent now"
    if fixed := sum(found.records for found in result.skipped if found.by == "fix"):
        sentence += f"; {fixed:,} more created from a fix file"
    return _title(result), sentence


def _title(result: LoadResult) -> str:
    counts, elsewhere = result.counts, result.elsewhere
    if counts[State.UNKNOWN] or counts[State.IN_FLIGHT] or elsewhere.in_doubt:
        return "In doubt"
    if counts[State.PENDING] or elsewhere.not_sent:
        return "Not finished"
    has_fixes = result.to_fix or counts[State.ABSENT]
    if result.is_from_earlier_run and not has_fixes:
        return "Loaded before"
    if not counts[State.CREATED]:
        return "Nothing created" if has_fixes else "Nothing new"
    return "Done, some to fix" if has_fixes else "Done"


def _cause(run: Run) -> str:
    """Return why an import stopped before its end: a reader needs that first."""
    is_stopped = run.ending not in (None, Ending.DONE)
    return f"{run.ending_detail}; " if is_stopped and run.ending_detail else ""


def _created(result: LoadResult) -> str:
    created, pending = result.counts[State.CREATED], result.counts[State.PENDING]
    records = _records(len(result))
    if pending and not created:
        return f"nothing was created, {pending:,} of {records} still to send"
    before = sum(
        found.records for found in result.skipped if found.reason != BLANK and found.by != "fix"
    )
    return f"{created:,} of {records} created" + (f", {before:,} known from earlier" * bool(before))


def _records(count: int) -> str:
    return "1 record" if count == 1 else f"{count:,} records"


def next_steps(result: LoadResult) -> list[str]:
    """Return what to do next, the most urgent first, as ``result.voice`` puts it."""
    counts, elsewhere, voice = result.counts, result.elsewhere, result.voice
    pending, to_fix = counts[State.PENDING], result.to_fix - elsewhere.to_fix
    doubtful = counts[State.UNKNOWN] + counts[State.IN_FLIGHT]
    equal = sum(found.records for found in result.skipped if found.by == "equal")
    steps: list[str] = []
    if doubt := result.doubt:
        steps.append(doubt.step(voice))
    elif doubtful:
        steps.append(
            f"{_records(doubtful)} in doubt, perhaps in the store: {voice.reconcile()} looks for "
            f"them there, {GRACE_S / 60:.0f} minutes after the last request; never send these "
            "again by hand"
        )
    if pending and not result.is_rehearsal:
        steps.append(f"{_records(pending)} still to send: {voice.again()} again goes on")
    elif pending and result.repeats is None:
        steps.append(f"nothing was sent: load it without {voice.option('dry_run', True)}")
    if to_fix:
        steps.append(f"{_records(to_fix)} to fix: {voice.fix()}, then load that file")
    if counts[State.ABSENT]:
        steps.append(
            f"{_records(counts[State.ABSENT])} not found in the store: look, then "
            f"{voice.reconcile(resends=True)} sends again"
        )
    if elsewhere.in_doubt:
        steps.append(
            f"{_records(elsewhere.in_doubt)} in doubt in an earlier import: {voice.reconcile()} "
            "looks for them too"
        )
    if elsewhere.not_sent:
        steps.append(
            f"{_records(elsewhere.not_sent)} not sent yet by an earlier import: {voice.resume()} "
            "finishes it"
        )
    if elsewhere.to_fix:
        steps.append(
            f"{_records(elsewhere.to_fix)} known from an earlier import, which did not create "
            "them after all: load this file again"
        )
    if equal and not result.is_rehearsal:
        steps.append(
            f"{_records(equal)} not sent, because they equal earlier ones: if they are other "
            f"animals, {voice.again()} with {voice.option('duplicates', 'send')} sends just these"
        )
    if result.is_from_earlier_run and counts[State.CREATED] and not steps:
        steps.append(
            f"if these are other animals, {voice.again()} with {voice.option('again', True)} "
            "sends them"
        )
    return steps


def counted(result: LoadResult) -> list[tuple[State, int, str]]:
    """Return the states that occur, with their counts and meanings; skipped ones by reason."""
    lines: list[tuple[State, int, str]] = []
    for state, meaning in MEANINGS.items():
        if state is State.SKIPPED and result.skipped:
            lines += [(state, found.records, str(found)) for found in result.skipped]
        elif result.counts[state]:
            lines.append((state, result.counts[state], meaning))
    return lines


def result_text(result: LoadResult) -> str:
    """Return the view for a terminal."""
    word, sentence = headline(result)
    lines, steps = [f"{word}: {sentence}"], [f"Next: {step}" for step in next_steps(result)]
    if word == "Loaded before":  # all else was told when it was loaded
        return "\n".join([*lines, *steps[:1]])
    lines += [f"store {result.run.base_url}", *_background(result)]
    lines += [f"  {count:>9,}  {state:<9}  {meaning}" for state, count, meaning in counted(result)]
    for title, sentences in _noted(result):
        lines += [title, *(f"  {_plain(sentence)}" for sentence in sentences)]
    if result.problems:
        lines.append(_problems_title(result))
    for row, problem in result.problems:
        hint = problem.advice().phrased_by(result.voice)
        value = _shown(problem.value)
        value = f" {value}" if problem.value and value not in problem.message else ""
        column = f": {problem.column}" if problem.column else ""
        place = f"record {row.record}, line {row.line}{column}{value}"
        lines.append(f"  {place}: {_plain(problem.message)}" + f"; {hint}" * bool(hint))
    return "\n".join([*lines, *steps])


def result_html(result: LoadResult, *, has_steps: bool = True) -> str:
    """Return the view for a notebook.

    Args:
        result: What became of the records.
        has_steps: Whether to end with what to type next; a page with buttons shows its own.
    """
    word, sentence = headline(result)
    rows = ((f"{count:,}", state, meaning) for state, count, meaning in counted(result))
    parts = [
        NOTEBOOK.headline(_badge(word), sentence, word),
        NOTEBOOK.quiet([result.run.base_url, *_background(result)]),
        NOTEBOOK.table(rows, numbers={0}),
    ]
    for title, sentences in _noted(result):
        parts += [NOTEBOOK.section(title), NOTEBOOK.items(sentences)]
    problems = [
        (
            f"{row.line:,}",
            problem.column or "",
            _shown(problem.value) if problem.value else "",
            problem.message,
            problem.advice().phrased_by(result.voice),
        )
        for row, problem in result.problems
    ]
    if problems:
        title = _problems_title(result)
        parts += [NOTEBOOK.section(title), NOTEBOOK.table(problems, _PROBLEM_HEAD)]
    if has_steps:
        parts.append(NOTEBOOK.steps(next_steps(result)))
    return Markup("").join(parts)


def _badge(word: str) -> Badge:
    return _BADGES.get(word, VERDICT_BADGES["incomplete"])


def _background(result: LoadResult) -> list[str]:
    """Return how the file is read, and what is known of it and of its records from before."""
    asked = Question(result.run, result.repeats).facts() if result.repeats is not None else []
    return [_columns(result.run), *result.warnings, *asked]


def _columns(run: Run) -> str:
    """Describe which column is read as what, so that a misspelt one is seen before sending."""
    used = ", ".join(
        field if field == column else f"{field} from {_shown(column)}"
        for field, column in run.mapping.items()
    )
    keys = f"; key: {', '.join(map(_shown, run.key))}" if run.key else ""
    known = {*run.mapping.values(), *run.key}
    unused = [_shown(name) for name in run.header if name not in known]
    shown = ", ".join(unused[:_SHOWN_COLUMNS])
    more = len(unused) - _SHOWN_COLUMNS
    shown += f" and {more:,} more" if more > 0 else ""
    return f"columns: {used}{keys}" + (f"; not sent: {shown}" if unused else "")


def _noted(result: LoadResult) -> Iterator[tuple[str, list[str]]]:
    """Yield the lists of sentences that a view shows, each under its title."""
    if notes := [str(note) for note in result.notes]:
        yield "Warnings", notes
    if result.doubt and result.doubt.shown:
        yield "What reading the store back has shown", result.doubt.shown


def _problems_title(result: LoadResult) -> str:
    shown, total = len(result.problems), result.to_fix - result.elsewhere.to_fix
    if total == shown:
        return "The record to fix" if total == 1 else f"The {total:,} records to fix"
    return f"The first {shown:,} of {total:,} records to fix"


def _shown(value: str | None) -> str:
    text = value or ""
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _plain(text: str) -> str:
    """Make a store's text harmless on a terminal: no escapes, no line breaks."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
