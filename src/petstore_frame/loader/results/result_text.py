"""What became of an import, in words: for a terminal, and for a notebook.

Every text of a cell or a store is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from petstore_frame.html import NOTEBOOK, Markup
from petstore_frame.html.palette import FAILED_BADGE, NO_CLAIM_BADGE, VERDICT_BADGES
from petstore_frame.loader.causes import short_text
from petstore_frame.loader.journal.rows import Import
from petstore_frame.loader.record import FIX_STATES, Ending, State
from petstore_frame.loader.results.next_steps import SHOWN_CAUSES, SHOWN_RECORDS, next_steps
from petstore_frame.loader.results.question_text import facts_of
from petstore_frame.loader.results.summary import (
    COMMON_CAUSE,
    IN_STORE,
    MEANINGS,
    OUTDATED,
    ImportSummary,
)
from petstore_frame.schema.models import FIELD_BY_NAME
from petstore_frame.schema.text import minute_text, records_text

_BADGES = {
    **dict.fromkeys(("Done", "Loaded before", "Nothing new"), VERDICT_BADGES["complete"]),
    "Rehearsal": NO_CLAIM_BADGE,
    "In doubt": FAILED_BADGE,
}
_SHOWN_COLUMNS, _SHOWN_NOTES, _SHOWN_LINES = 12, 10, 10
_PROBLEM_HEAD = ("line", "column", "value", "what is wrong", "hint")


def headline(facts: ImportSummary) -> tuple[str, str]:
    """Return a title of one or two words, and one sentence, which names the file."""
    name, total = facts.run.source, len(facts)
    if not total:
        return "Nothing to load", f"{name}: a header and no records, so nothing was sent"
    if facts.is_rehearsal:
        return "Rehearsal", f"{name}: {records_text(total)} read, {_would_send(facts)}"
    return _title(facts), f"{name}: {_what_became(facts)}"


def _would_send(facts: ImportSummary) -> str:
    if facts.question is not None:
        return "and nothing would be sent before you say which animals they are"
    if facts.is_held:
        return "and nothing would be sent while one cause fails most of them"
    return f"{facts.counts[State.PENDING]:,} would be sent"


def _what_became(facts: ImportSummary) -> str:
    run, counts, skipped = facts.run, facts.counts, facts.skipped
    pending, created, total = counts[State.PENDING], counts[State.CREATED], len(facts)
    parts = [f"{created:,} of {records_text(total)} created"]
    if pending and not created:
        parts = [f"nothing was created, {pending:,} of {records_text(total)} still to send"]
    if counts[State.ADOPTED]:
        parts.append(f"{counts[State.ADOPTED]:,} found in the store")
    if known := sum(group.records for group in skipped if group.loaded_on):
        parts.append(f"{known:,} known from earlier")
    if repeated := sum(group.records for group in skipped if group.by and not group.loaded_on):
        rows = "row" if repeated == 1 else "rows"
        parts.append(f"{repeated:,} further {rows} of the same animals")
    sentence = ", ".join(parts)
    if not facts.sent_now and run.ended_at is not None:
        sentence += f" by {minute_text(run.ended_at)}; nothing was sent now"
    # Why an import stopped before its end is what a reader needs first.
    is_stopped = run.ending not in (None, Ending.DONE) and run.ending_detail
    return f"{run.ending_detail}; {sentence}" if is_stopped else sentence


def _title(facts: ImportSummary) -> str:
    elsewhere = facts.elsewhere
    if facts.count(State.UNKNOWN, State.IN_FLIGHT) or elsewhere.in_doubt:
        return "In doubt"
    if facts.counts[State.PENDING] or elsewhere.not_sent:
        return "Not finished"
    has_fixes = facts.count(*FIX_STATES, State.ABSENT) or elsewhere.to_fix
    if not facts.sent_now and not has_fixes:
        return "Loaded before"
    if not facts.count(*IN_STORE):
        return "Nothing created" if has_fixes else "Nothing new"
    return "Done, some to fix" if has_fixes else "Done"


def stopped_text(facts: ImportSummary) -> str:
    """Return why an import ended before its end, and how to go on."""
    return "\n".join([headline(facts)[1], *(f"Next: {step}" for step in next_steps(facts))])


def counted(facts: ImportSummary) -> list[tuple[State, int, str]]:
    """Return the states that occur, with their counts and meanings; skipped ones by reason."""
    lines: list[tuple[State, int, str]] = []
    for state, meaning in MEANINGS.items():
        if state is State.SKIPPED and facts.skipped:
            lines += [(state, group.records, str(group)) for group in facts.skipped]
        elif facts.counts[state]:
            lines.append((state, facts.counts[state], meaning.text))
    return lines


def result_text(facts: ImportSummary) -> str:
    """Return the view for a terminal."""
    word, sentence = headline(facts)
    steps = [f"Next: {step}" for step in next_steps(facts)]
    lines = [f"{word}: {sentence}"]
    if word == "Loaded before":  # all else was said when it was loaded
        return "\n".join([*lines, *steps[:1]])
    lines += [f"store {facts.run.base_url}", *_background(facts)]
    lines += [f"  {n:>9,}  {state:<9}  {meaning}" for state, n, meaning in counted(facts)]
    for title, sentences in _noted(facts):
        lines += [title, *(f"  {_plain(sentence)}" for sentence in sentences)]
    if problems := list(_problems(facts)):
        lines.append(_problems_title(facts))
    for record, line, column, value, message, hint in problems:
        place = f"record {record}, line {line}" + (f": {column}" if column else "")
        shown = f" {value}" if value and value not in message else ""
        text = f"  {place}{shown}: {_plain(message)}"
        lines.append(f"{text}; {hint}" if hint else text)
    return "\n".join([*lines, *steps])


def result_html(facts: ImportSummary, *, has_steps: bool = True) -> Markup:
    """Return the view for a notebook; a page with buttons shows its own steps."""
    word, sentence = headline(facts)
    badge = _BADGES.get(word, VERDICT_BADGES["incomplete"])
    counts = ((f"{count:,}", state, meaning) for state, count, meaning in counted(facts))
    parts = [
        NOTEBOOK.headline(badge, sentence, word),
        NOTEBOOK.quiet([facts.run.base_url, *_background(facts)]),
        NOTEBOOK.table(counts, numbers={0}),
    ]
    for title, sentences in _noted(facts):
        parts += [NOTEBOOK.section(title), NOTEBOOK.items(sentences)]
    found = _problems(facts)
    if problems := [[f"{line:,}", *texts] for _, line, *texts in found]:
        table = NOTEBOOK.table(problems, _PROBLEM_HEAD)
        parts += [NOTEBOOK.section(_problems_title(facts)), table]
    if has_steps:
        parts.append(NOTEBOOK.steps(map(str, next_steps(facts))))
    return Markup("").join(parts)


def _background(facts: ImportSummary) -> list[str]:
    """Return how the file was read, and what earlier imports know of it."""
    asked = [] if facts.question is None else facts_of(facts.question)
    return [_columns(facts.run), *file_warnings(facts), *asked]


def _columns(run: Import) -> str:
    """Describe which column is which field, so that a person sees a mistake before sending."""
    used = ", ".join(
        name if name == column else f"{FIELD_BY_NAME[name].label.lower()} from {short_text(column)}"
        for name, column in run.mapping.items()
    )
    keys = f"; key: {', '.join(map(short_text, run.key))}" if run.key else ""
    known = {*run.mapping.values(), *run.key}
    unused = [short_text(name) for name in run.header if name not in known]
    shown = ", ".join(unused[:_SHOWN_COLUMNS])
    if len(unused) > _SHOWN_COLUMNS:
        shown += f" and {len(unused) - _SHOWN_COLUMNS:,} more"
    return f"columns: {used}{keys}" + (f"; not sent: {shown}" if unused else "")


def _noted(facts: ImportSummary) -> Iterator[tuple[str, list[str]]]:
    """Yield the lists of sentences that a view shows, each under its title."""
    causes = [str(cause) for cause in facts.causes]
    if len(causes) < sum(cause.records for cause in facts.causes):  # else each record says it
        yield "What keeps records from being sent", _cut(causes, SHOWN_CAUSES, "causes")
    if facts.notes:
        yield "Warnings", [str(note) for note in facts.notes]
    if doubt := facts.doubt:
        lines = [
            f"record {record} may be pet {', '.join(map(str, ids[:SHOWN_RECORDS]))}"
            for record, ids in doubt.candidates.items()
        ]
        shown = _cut(lines, _SHOWN_NOTES, "records with candidates")
        shown += _cut(list(doubt.notes), _SHOWN_NOTES, "notes")
        yield "What reading the store back has shown", shown


def _cut(lines: list[str], most: int, what: str) -> list[str]:
    more = len(lines) - most
    return [*lines[:most], f"and {more:,} more {what}"] if more > 0 else lines


def _problems(facts: ImportSummary) -> Iterator[tuple[int, int, str, str, str, str]]:
    """Yield record, line, column, value, what is wrong, and the hint of the first to fix."""
    for row, problem in facts.problems:
        value = short_text(problem.value) if problem.value else ""
        hint = problem.advice().phrased_by(facts.call)
        yield row.record, row.line, problem.column or "", value, problem.message, hint


def _problems_title(facts: ImportSummary) -> str:
    shown, total = len(facts.problems), facts.count(*FIX_STATES)
    if total == shown:
        return "The record to fix" if total == 1 else f"The {total:,} records to fix"
    return f"The first {shown:,} of {total:,} records to fix"


def file_warnings(facts: ImportSummary) -> list[str]:
    """Return what a person should know of the file as a whole, as sentences."""
    found = facts.run.facts
    return [_warned(name, found[name]) for name in found if found[name] and name != COMMON_CAUSE]


def _warned(name: str, value: Any) -> str:
    """Return what the rules of identity found, as a sentence."""
    if name == OUTDATED:
        ((column, value),) = value.items()
        name = f"Rows that are sent, though another row of their key is newer by {column!r}"
        name += f" (the choice 'newest: {column}' sends that one)"
    if isinstance(value, list):
        more = ", …" if len(value) > _SHOWN_LINES else ""
        word = "line" if len(value) == 1 else "lines"
        listed = f"{word} {', '.join(map(str, value[:_SHOWN_LINES]))}{more}"
        value = f"{records_text(len(value))} ({listed})"
    return _FOUND.get(name, name + ": {}").format(value)


# By the name of a fact, what it means; ``{}`` has the records and their lines, or what was found.
_FOUND = {
    "equal_few": "Sent as other animals: {} equal to records of earlier loads in all but the "
    "status, too few to ask about",
    "others_pets_few": "Sent as other animals: {} equal to pets of the store in all but the "
    "status, too few to ask about",
    "withdrawn": "No longer in the file, and never sent: {} of an earlier version",
    "store_unread": "The store could not be compared with the file, so a load by somebody else "
    "would not be seen: {}",
    "store_cut": "The store was not read to its end, so a load by somebody else may not be seen; "
    "{} pets were compared",
}


def _plain(text: str) -> str:
    """Make a store's text harmless on a terminal: no escapes, no line breaks."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
