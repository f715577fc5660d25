"""What became of an import, and what to do next, in words: for a terminal, and for a notebook.

Every text of a cell or a store is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from os import fspath
from types import MappingProxyType
from typing import Any, NamedTuple

from petstore_frame.loader.options import GRACE_S
from petstore_frame.loader.proposals import (
    Reader,
    compare_call,
    fix_call,
    reconcile_call,
    resolve_call,
    resume_call,
    to_add,
)
from petstore_frame.loader.record import FIX_STATES, Ending, State
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
_SHOWN_CAUSES, _SHOWN_RECORDS, _SHOWN_COLUMNS, _SHOWN_LINES = 5, 5, 12, 10
_DOUBT = (State.UNKNOWN, State.IN_FLIGHT)
_PROBLEM_HEAD = ("line", "column", "value", "what is wrong", "hint")
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
    "left_unsent": "{} animals of an earlier version of this file were not sent: "
    "petstore_frame.resume_loads(client) sends them",
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
    steps = (f"Next: {step.typed(facts)}" for step in next_steps(facts))
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
    steps = [f"Next: {step.typed(facts, reader)}" for step in next_steps(facts)]
    lines = [f"{word}: {sentence}"]
    if word == "Loaded before":  # all else was said when it was loaded
        return "\n".join([*lines, *steps[:1]])
    lines += [f"store {facts.run.base_url}", *_background(facts)]
    lines += [f"  {n:>9,}  {state:<9}  {meaning}" for state, n, meaning in counted(facts)]
    for title, sentences in _noted(facts):
        lines += [title, *(f"  {_plain(sentence)}" for sentence in sentences)]
    title, problems = _problems(facts)
    lines += [title] if problems else []
    for record, line, column, value, message, hint in problems:
        place = f"record {record}, line {line}" + (f": {column}" if column else "")
        shown = f" {value}" if value and value not in message else ""
        text = f"  {place}{shown}: {_plain(message)}"
        lines.append(f"{text}; {hint}" if hint else text)
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
    for title, sentences in _noted(facts):
        parts += [PAGE.section(title), PAGE.items(sentences)]
    title, problems = _problems(facts)
    if problems:
        rows = [[f"{line:,}", *texts] for _, line, *texts in problems]
        parts += [PAGE.section(title), PAGE.table(rows, _PROBLEM_HEAD)]
    if has_steps:
        parts.append(PAGE.steps(step.typed(facts) for step in next_steps(facts)))
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
    if unused := [short_text(name) for name in run.header if name not in known]:
        columns += f"; not sent: {', '.join(unused[:_SHOWN_COLUMNS])}"
    if len(unused) > _SHOWN_COLUMNS:
        columns += f" and {len(unused) - _SHOWN_COLUMNS:,} more"
    asked = [] if facts.question is None else facts.question.lines()
    return [columns, *file_warnings(facts), *asked]


def _noted(facts: ImportSummary) -> Iterator[tuple[str, list[str]]]:
    """Yield the lists of sentences that a view shows, each under its title."""
    causes = [str(cause) for cause in facts.causes]
    if len(causes) < sum(cause.records for cause in facts.causes):  # else each record says it
        yield "What keeps records from being sent", _cut(causes, _SHOWN_CAUSES, "causes")
    if facts.notes:
        yield "Warnings", [str(note) for note in facts.notes]
    if doubt := facts.doubt:
        lines = [
            f"record {record} may be pet {', '.join(map(str, ids[:_SHOWN_RECORDS]))}"
            for record, ids in doubt.candidates.items()
        ]
        shown = _cut(lines, _SHOWN_LINES, "records with candidates")
        shown += _cut(list(doubt.notes), _SHOWN_LINES, "notes")
        yield "What reading the store back has shown", shown


def _cut(lines: list[str], most: int, what: str) -> list[str]:
    more = len(lines) - most
    return [*lines[:most], f"and {more:,} more {what}"] if more > 0 else lines


def _problems(facts: ImportSummary) -> tuple[str, list[tuple[int, int, str, str, str, str]]]:
    """Return a title, and the first to fix: record, line, column, value, what is wrong, hint."""
    problems = [
        (
            row.record,
            row.line,
            problem.column or "",
            short_text(problem.value) if problem.value else "",
            problem.message,
            problem.hint,
        )
        for row, problem in facts.problems
    ]
    shown, total = len(problems), facts.count(*FIX_STATES)
    title = f"The first {shown:,} of {total:,} records to fix"
    if total == shown:
        title = "The record to fix" if total == 1 else f"The {total:,} records to fix"
    return title, problems


def file_warnings(facts: ImportSummary) -> list[str]:
    """Return what a person should know of the file as a whole, as sentences."""
    sentences = []
    for name, found in facts.run.facts.items():
        if not found or name in (COMMON_CAUSE, LIKELY_KEY):
            continue
        shown, text = found, _FOUND.get(name, name + ": {}")
        if isinstance(shown, list):
            word = "line" if len(shown) == 1 else "lines"
            shown = f"{count_text(len(shown), 'record')} ({word} {_listed(shown, _SHOWN_LINES)})"
        sentences.append(text.replace("{}", str(shown)))
    return sentences


def _listed(numbers: Sequence[int], most: int) -> str:
    """Return the first numbers, and whether there are more."""
    return ", ".join(map(str, numbers[:most])) + (", …" if len(numbers) > most else "")


def _plain(text: str) -> str:
    """Make a store's text harmless on a terminal: no escapes, no line breaks."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


class Kind(Enum):
    """Another call that a step may be."""

    WRITE = auto()
    FIX = auto()
    RECONCILE = auto()
    RESOLVE = auto()
    RESUME = auto()
    COMPARE = auto()


class Step(NamedTuple):
    """Something to do next.

    Attributes:
        text: What, in words that do without any call.
        add: Words to add to the same call, with their values.
        calls: The other calls that do it.
        pets: The pet of each record in doubt, of ``RESOLVE``.
    """

    text: str
    add: Mapping[str, Any] = MappingProxyType({})
    calls: tuple[Kind, ...] = ()
    pets: Mapping[int, int | None] = MappingProxyType({})

    def typed(self, facts: ImportSummary, reader: Reader = Reader.PYTHON) -> str:
        """Return the step with what to type for it."""
        mark = ", " if reader is Reader.PYTHON else " "
        words = mark.join(to_add(word, value, reader) for word, value in self.add.items())
        lines = [self.text, f"add {words}"] if words else [self.text]
        for kind in self.calls:
            text = self._call(kind, facts, reader)
            is_flag = text.startswith("--")
            lines.append(f"add {text}" if is_flag else text)
        return "\n  ".join(lines)

    def _call(self, kind: Kind, facts: ImportSummary, reader: Reader) -> str:
        folder, base_url = fspath(facts.folder or "results"), facts.run.base_url
        if kind is Kind.WRITE:
            is_shell = reader is Reader.SHELL
            return to_add("output", folder, reader) if is_shell else f"result.write({folder!r})"
        if kind is Kind.FIX:
            return fix_call(f"{folder}/fix.csv", facts.journal, base_url, reader)
        if kind is Kind.RECONCILE:
            return reconcile_call(reader)
        if kind is Kind.RESOLVE:
            return resolve_call(self.pets, reader)
        if kind is Kind.RESUME:
            return resume_call(facts.journal, base_url, reader)
        source = None if facts.run.place is None else facts.run.source
        return compare_call(source, base_url, reader)


def next_steps(facts: ImportSummary) -> list[Step]:
    """Return what to do next, the most urgent first."""
    counts = facts.counts
    if facts.question is not None:
        return [
            Step(answer.when, answer.options, () if answer.options else (Kind.COMPARE,))
            for answer in facts.question.answers()
        ]
    steps = [*_reconciling(facts)]
    if likely := facts.run.facts.get(LIKELY_KEY):
        text = f"which animal is each row? One column may say so: {likely['facts']}"
        steps.append(Step(text, {"key": likely["column"]}))

    def say(records: int, text: str, *calls: Kind, **add: Any) -> None:
        if records:
            steps.append(Step(f"{count_text(records, 'record')} {text}", add, calls))

    pending = counts[State.PENDING]
    if facts.is_held:
        text = "have no problem: to send them all the same, whatever the others are"
        say(pending, text, max_errors=counts[State.INVALID])
    elif facts.is_rehearsal:
        say(pending, "would be sent by the same call without dry_run; nothing was sent yet")
    else:
        say(pending, "still to send: the same call goes on")
    steps += _fixing(facts)
    text = "not found in the store: look there; if they are not there, send them again"
    say(counts[State.ABSENT], text, duplicates={"absent": "send"})
    if not facts.is_rehearsal:
        equal = sum(group.records for group in facts.skipped if group.by == "equal")
        text = "not sent, because they equal earlier ones; if they are other animals, send them"
        say(equal, text, duplicates="send")
    if not steps and counts[State.CREATED] and not (facts.sent_now or facts.is_rehearsal):
        text = "If these are other animals than those of the first time, load them again on purpose"
        steps = [Step(text, {"again": True})]
    return steps


def _reconciling(facts: ImportSummary) -> Iterator[Step]:
    """Yield how to look for records in doubt, or what a person can do after that."""
    doubt, never = facts.doubt, "never send these again by hand"
    if doubt is not None:
        first = doubt.records[0]
        (pet,) = doubt.candidates.get(first, ())[:1] or (None,)
        yield Step(
            f"still in doubt after reading back, record {_listed(doubt.records, _SHOWN_RECORDS)}: "
            f"look in the store, then say which pet it is, or None if there is none; {never}",
            calls=(Kind.RESOLVE,),
            pets={first: pet},
        )
    elif records := facts.count(State.UNKNOWN, State.IN_FLIGHT):
        yield Step(
            f"{count_text(records, 'record')} in doubt, perhaps in the store: have it read for "
            f"them, {GRACE_S / 60:.0f} minutes after the last request; {never}",
            calls=(Kind.RECONCILE,),
        )


def _fixing(facts: ImportSummary) -> Iterator[Step]:
    """Yield how to answer each cause for all its records, then how to correct the rest."""
    records = facts.count(*FIX_STATES)
    for cause in facts.causes[:_SHOWN_CAUSES]:
        if cause.add is not None and cause.records > 1:
            place = f"the column {cause.column!r}" if cause.column else cause.message
            of_cause = f"{count_text(cause.records, 'record')} for one cause, {place}"
            yield Step(f"{of_cause}: answer it for all of them", dict([cause.add]))
    if facts.is_rehearsal or not records:
        return
    to_fix, folder = f"{count_text(records, 'record')} to fix", facts.folder
    if folder is not None:
        yield Step(f"{to_fix}: correct {folder}/fix.csv, then load it", calls=(Kind.FIX,))
    else:
        text = f"{to_fix}: write them to a file, correct it, then load it"
        yield Step(text, calls=(Kind.WRITE, Kind.FIX))
