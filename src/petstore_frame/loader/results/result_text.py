"""Says what became of an import in words: for a terminal, and for a notebook.

Every text of a cell or a store is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator

from petstore_frame.loader.journal.groups import SkippedRows
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
from petstore_frame.schema.text import count_text, day_text, minute_text, short_text

_BADGES = {
    **dict.fromkeys(("Done", "Loaded before", "Nothing new"), VERDICT_BADGES["complete"]),
    "Rehearsal": NO_CLAIM_BADGE,
    "In doubt": FAILED_BADGE,
}
_SHOWN_CAUSES, _SHOWN_COLUMNS, _SHOWN_LINES, _SHOWN_PETS = 5, 12, 10, 5
_DOUBT = (State.UNKNOWN, State.IN_FLIGHT)
# By what shows that an animal is known.
_KNOWN_BY = {
    "key": "known by the key, from {}",
    "record": "the same row of {}",
    "equal": "equal to a row of {}",
    "store": "found in the store, from {}",
    "repeat": "the same animal as another row of {}",
}
# By the name of a fact, what it means; ``{}`` has the records and their lines, or what was found.
_FOUND = {
    "equal_few": "Sent as other animals: {} equal to rows of earlier loads in all but the "
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
        return "Nothing to load", f"{name}: a header and no rows, so nothing was sent"
    if facts.is_rehearsal:
        sent = f"{facts.counts[State.PENDING]:,} would be sent"
        if facts.question is not None:
            sent = "and nothing would be sent before you say which animals they are"
        elif facts.is_held:
            sent = "and nothing would be sent while one cause fails most of them"
        return "Rehearsal", f"{name}: {count_text(total, 'row')} read, {sent}"
    has_fixes = facts.count(*FIX_STATES, State.ABSENT)
    title = "Done, some to fix" if has_fixes else "Done"
    if facts.count(*_DOUBT):
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
    skipped = [group for group in facts.skipped if not group.reason.is_plain]
    repeats = sum(group.records for group in skipped if group.staged_at is None)
    known = sum(group.records for group in skipped) - repeats
    parts = {
        f"{count_text(counts[State.CREATED], 'animal')} added": counts[State.CREATED],
        f"{counts[State.ADOPTED]:,} found in the store": counts[State.ADOPTED],
        f"{known:,} known already": known,
        f"{count_text(repeats, 'repeat')} skipped": repeats,
        f"{counts[State.PENDING]:,} still to send": counts[State.PENDING],
        f"{facts.count(*FIX_STATES):,} to fix": facts.count(*FIX_STATES),
        f"{facts.count(*_DOUBT):,} in doubt": facts.count(*_DOUBT),
        f"{counts[State.ABSENT]:,} not found in the store": counts[State.ABSENT],
    }
    sentence = "; ".join(text for text, number in parts.items() if number)
    sentence = sentence or f"{count_text(len(facts), 'row')}, none of them to send"
    if not facts.sent_now and run.ended_at is not None:
        sentence += f" (sent by {minute_text(run.ended_at)}, nothing new now)"
    # Why an import stopped before its end is what a reader needs first.
    is_stopped = run.ending not in (None, Ending.DONE) and run.ending_detail
    return f"{run.ending_detail}; {sentence}" if is_stopped else sentence


def stopped_text(facts: ImportSummary) -> str:
    """Return why an import ended before its end, and how to go on."""
    return "\n".join([headline(facts)[1], *_steps(facts)])


def _steps(facts: ImportSummary, reader: Reader = "python") -> list[str]:
    """Return each next step, with what to type for it below."""
    return ["\n  ".join([f"Next: {step.text}", *step.typed(reader)]) for step in next_steps(facts)]


def _counted(facts: ImportSummary) -> list[tuple[State, int, str]]:
    """Return the states that occur, with their counts and meanings; skipped ones by reason."""
    lines: list[tuple[State, int, str]] = []
    for state in State:
        if state is State.SKIPPED and facts.skipped:
            lines += [(state, group.records, _why_skipped(group)) for group in facts.skipped]
        elif facts.counts[state]:
            lines.append((state, facts.counts[state], state.text))
    return lines


def _why_skipped(group: SkippedRows) -> str:
    if group.reason.is_plain:
        return group.reason.text
    there = "this file"
    if group.staged_at is not None:
        there = f"{group.source}, loaded {day_text(group.staged_at)}"
    return _KNOWN_BY.get(group.by or "", "known from {}").format(there) + group.reason.text


def result_text(facts: ImportSummary, reader: Reader = "python") -> str:
    """Return the view for a terminal."""
    word, sentence = headline(facts)
    steps, lines = _steps(facts, reader), [f"{word}: {sentence}"]
    if word == "Loaded before":  # all else was said when it was loaded
        return "\n".join([*lines, *steps[:1]])
    lines += [f"store {facts.run.base_url}", *_background(facts)]
    lines += [f"  {n:>9,}  {state:<9}  {meaning}" for state, n, meaning in _counted(facts)]
    for title, sentences in _sections(facts):
        lines += [title, *(f"  {_plain(sentence)}" for sentence in sentences)]
    return "\n".join([*lines, *steps])


def result_html(facts: ImportSummary, *, has_steps: bool = True) -> Markup:
    """Return the view for a notebook; a page with buttons shows its own steps."""
    word, sentence = headline(facts)
    counts = ((f"{count:,}", state, meaning) for state, count, meaning in _counted(facts))
    parts = [
        PAGE.headline(_BADGES.get(word, VERDICT_BADGES["incomplete"]), sentence, word),
        PAGE.quiet([facts.run.base_url, *_background(facts)]),
        PAGE.table(counts, numbers={0}),
    ]
    for title, sentences in _sections(facts):
        parts += [PAGE.section(title), PAGE.items(sentences)]
    if has_steps:
        parts.append(PAGE.steps("\n  ".join([s.text, *s.typed()]) for s in next_steps(facts)))
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
    if facts.causes:
        causes = [str(cause) for cause in facts.causes]
        yield "What keeps rows from being sent", _cut(causes, _SHOWN_CAUSES, "causes")
    if facts.notes:
        yield "Warnings", [str(note) for note in facts.notes]
    if doubt := facts.doubt:
        lines = [
            f"record {record} may be pet {', '.join(map(str, ids[:_SHOWN_PETS]))}"
            for record, ids in doubt.candidates.items()
        ]
        shown = _cut(lines, _SHOWN_LINES, "rows with candidates")
        shown += _cut(list(doubt.notes), _SHOWN_LINES, "notes")
        yield "What reading the store back has shown", shown


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
            shown = f"{count_text(len(found), 'row')} ({word} {lines}{more})"
        sentences.append(_FOUND.get(name, name + ": {}").replace("{}", shown))
    return sentences


def _plain(text: str) -> str:
    """Make a store's text harmless on a terminal: no escapes, no line breaks."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
