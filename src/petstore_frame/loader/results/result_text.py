"""Says what became of an import in words: for a terminal, and for a notebook.

Every text of a cell or a store is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator

from petstore_frame.loader.proposals import Reader
from petstore_frame.loader.record import FIX_STATES, Ending, State
from petstore_frame.loader.results.steps import next_steps
from petstore_frame.loader.results.summary import (
    COMMON_CAUSE,
    IN_STORE,
    LIKELY_KEY,
    ImportSummary,
)
from petstore_frame.markup import PAGE, Markup
from petstore_frame.markup.palette import FAILED_BADGE, NO_CLAIM_BADGE, VERDICT_BADGES
from petstore_frame.schema.models import FIELD_BY_NAME
from petstore_frame.schema.text import count_text, minute_text, short_text

_BADGES = {
    **dict.fromkeys(("Done", "Loaded before", "Nothing new"), VERDICT_BADGES["complete"]),
    "Rehearsal": NO_CLAIM_BADGE,
    "In doubt": FAILED_BADGE,
}
_SHOWN_CAUSES, _SHOWN_COLUMNS, _SHOWN_LINES, _SHOWN_PETS = 5, 12, 10, 5
_DOUBT = (State.UNKNOWN, State.IN_FLIGHT)
# By the name of a fact, what it means; ``{}`` has the records and their lines, or what was found.
_FOUND = {
    "equal_few": "Sent as other animals: {} equal to records of earlier loads in all but the "
    "status, too few to ask about",
    "store_few": "Sent as other animals: {} equal to pets of the store in all but the "
    "status, too few to ask about",
    "gone_few": "{} are animals that the store showed before, and does not show any more: were "
    "they taken out?",
    "not_shown": "{} pets of earlier loads are not in the store any more",
    "twins": "{} pets that equal yours were added by somebody else: has a colleague loaded the "
    "same file?",
    "withdrawn": "No longer in the file, and never sent: {} of an earlier version of it",
    "left_unsent": "{} animals of an earlier version of this file were not sent",
    "store_cut": "The store was not read to its end: {} pets were compared",
}


def headline(facts: ImportSummary) -> tuple[str, str]:
    """Return a title of one or two words, and one sentence, which names the file."""
    name, total = facts.run.source, len(facts)
    if not total:
        return "Nothing to load", f"{name}: a header and no records, so nothing was sent"
    if facts.is_rehearsal:
        sent = f"{facts.counts[State.PENDING]:,} would be sent"
        if facts.question is not None:
            sent = "and nothing would be sent before you say which animals they are"
        elif facts.is_held:
            sent = "and nothing would be sent while one cause fails most of them"
        return "Rehearsal", f"{name}: {count_text(total, 'record')} read, {sent}"
    has_fixes = facts.count(*FIX_STATES, State.ABSENT)
    title = "Done, some to fix" if has_fixes else "Done"
    if facts.count(State.UNKNOWN, State.IN_FLIGHT):
        title = "In doubt"
    elif facts.counts[State.PENDING]:
        title = "Not finished"
    elif not facts.sent_now and not has_fixes:
        title = "Loaded before"
    elif not facts.count(*IN_STORE):
        title = "Nothing created" if has_fixes else "Nothing new"
    return title, f"{name}: {_what_became(facts)}"


def _what_became(facts: ImportSummary) -> str:
    """Return what became of the rows in one sentence; what did not occur is left out."""
    run, counts = facts.run, facts.counts
    known = sum(group.records for group in facts.skipped if group.loaded_on)
    repeats = sum(group.records for group in facts.skipped if group.by and not group.loaded_on)
    parts = [
        text
        for number, text in (
            (counts[State.CREATED], f"{count_text(counts[State.CREATED], 'animal')} added"),
            (counts[State.ADOPTED], f"{counts[State.ADOPTED]:,} found in the store"),
            (known, f"{known:,} known already"),
            (repeats, f"{count_text(repeats, 'repeat')} skipped"),
            (counts[State.PENDING], f"{counts[State.PENDING]:,} still to send"),
            (facts.count(*FIX_STATES), f"{facts.count(*FIX_STATES):,} to fix"),
            (facts.count(*_DOUBT), f"{facts.count(*_DOUBT):,} in doubt"),
            (counts[State.ABSENT], f"{counts[State.ABSENT]:,} not found in the store"),
        )
        if number
    ]
    sentence = "; ".join(parts) or f"{count_text(len(facts), 'row')}, none of them to send"
    if not facts.sent_now and run.ended_at is not None:
        sentence += f" (sent by {minute_text(run.ended_at)}, nothing new now)"
    # Why an import stopped before its end is what a reader needs first.
    is_stopped = run.ending not in (None, Ending.DONE) and run.ending_detail
    return f"{run.ending_detail}; {sentence}" if is_stopped else sentence


def stopped_text(facts: ImportSummary) -> str:
    """Return why an import ended before its end, and how to go on."""
    steps = (f"Next: {step.typed()}" for step in next_steps(facts))
    return "\n".join([headline(facts)[1], *steps])


def counted(facts: ImportSummary) -> list[tuple[State, int, str]]:
    """Return the states that occur, with their counts and meanings; skipped ones by reason."""
    lines: list[tuple[State, int, str]] = []
    for state in State:
        if state is State.SKIPPED and facts.skipped:
            lines += [(state, group.records, str(group)) for group in facts.skipped]
        elif facts.counts[state]:
            lines.append((state, facts.counts[state], state.text))
    return lines


def result_text(facts: ImportSummary, reader: Reader = Reader.PYTHON) -> str:
    """Return the view for a terminal."""
    word, sentence = headline(facts)
    steps = [f"Next: {step.typed(reader)}" for step in next_steps(facts)]
    lines = [f"{word}: {sentence}"]
    if word == "Loaded before":  # all else was said when it was loaded
        return "\n".join([*lines, *steps[:1]])
    lines += [f"store {facts.run.base_url}", *_background(facts)]
    lines += [f"  {n:>9,}  {state:<9}  {meaning}" for state, n, meaning in counted(facts)]
    for title, sentences in _sections(facts):
        lines += [title, *(f"  {_plain(sentence)}" for sentence in sentences)]
    return "\n".join([*lines, *steps])


def result_html(facts: ImportSummary, *, has_steps: bool = True) -> Markup:
    """Return the view for a notebook; a page with buttons shows its own steps."""
    word, sentence = headline(facts)
    counts = ((f"{count:,}", state, meaning) for state, count, meaning in counted(facts))
    parts = [
        PAGE.headline(_BADGES.get(word, VERDICT_BADGES["incomplete"]), sentence, word),
        PAGE.quiet([facts.run.base_url, *_background(facts)]),
        PAGE.table(counts, numbers={0}),
    ]
    for title, sentences in _sections(facts):
        parts += [PAGE.section(title), PAGE.items(sentences)]
    if has_steps:
        parts.append(PAGE.steps(step.typed() for step in next_steps(facts)))
    return Markup("").join(parts)


def _background(facts: ImportSummary) -> list[str]:
    """Return which column is which field, so that a person sees a mistake before sending.

    What earlier imports know of the file follows.
    """
    run = facts.run
    used = ", ".join(
        name if name == column else f"{FIELD_BY_NAME[name].label.lower()} from {short_text(column)}"
        for name, column in run.mapping.items()
    )
    columns = f"columns: {used}"
    if run.key:
        columns += f"; key: {', '.join(map(short_text, run.key))}"
    known = {*run.mapping.values(), *run.key}
    unused = [short_text(name) for name in run.header if name not in known]
    if unused:
        columns += f"; not sent: {', '.join(_cut(unused, _SHOWN_COLUMNS, 'columns'))}"
    asked = [] if facts.question is None else facts.question.lines()
    return [columns, *file_warnings(facts), *asked]


def _sections(facts: ImportSummary) -> Iterator[tuple[str, list[str]]]:
    """Yield the lists of sentences that a view shows, each under its title."""
    causes = [str(cause) for cause in facts.causes]
    if len(causes) < sum(cause.records for cause in facts.causes):  # else each row says it
        yield "What keeps records from being sent", _cut(causes, _SHOWN_CAUSES, "causes")
    if facts.notes:
        yield "Warnings", [str(note) for note in facts.notes]
    if doubt := facts.doubt:
        lines = [
            f"record {record} may be pet {', '.join(map(str, ids[:_SHOWN_PETS]))}"
            for record, ids in doubt.candidates.items()
        ]
        shown = _cut(lines, _SHOWN_LINES, "records with candidates")
        shown += _cut(list(doubt.notes), _SHOWN_LINES, "notes")
        yield "What reading the store back has shown", shown
    if facts.problems:
        shown_count, total = len(facts.problems), facts.count(*FIX_STATES)
        title = f"The first {shown_count:,} of {total:,} records to fix"
        if total == shown_count:
            title = "The record to fix" if total == 1 else f"The {total:,} records to fix"
        yield title, [*_problems(facts)]


def _problems(facts: ImportSummary) -> Iterator[str]:
    """Yield what is wrong with the first rows to fix, and how to fix it."""
    for row, problem in facts.problems:
        place = f"record {row.record}, line {row.line}"
        if problem.column:
            place += f": {problem.column}"
        value = short_text(problem.value) if problem.value else ""
        shown = f" {value}" if value not in problem.message else ""
        hint = f"; {problem.hint}" if problem.hint else ""
        yield f"{place}{shown}: {problem.message}{hint}"


def _cut(lines: list[str], most: int, what: str) -> list[str]:
    more = len(lines) - most
    return [*lines[:most], f"and {more:,} more {what}"] if more > 0 else lines


def file_warnings(facts: ImportSummary) -> list[str]:
    """Return what a person should know of the file as a whole, as sentences."""
    sentences = []
    for name, found in facts.run.facts.items():
        if not found or name in (COMMON_CAUSE, LIKELY_KEY):
            continue
        shown = str(found)
        if isinstance(found, list):
            word = "line" if len(found) == 1 else "lines"
            lines = ", ".join(map(str, found[:_SHOWN_LINES]))
            more = ", …" if len(found) > _SHOWN_LINES else ""
            shown = f"{count_text(len(found), 'record')} ({word} {lines}{more})"
        sentences.append(_FOUND.get(name, name + ": {}").replace("{}", shown))
    return sentences


def _plain(text: str) -> str:
    """Make a store's text harmless on a terminal: no escapes, no line breaks."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
