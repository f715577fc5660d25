"""What became of an import, in words: for a terminal, a notebook, and whoever writes it to a file.

Every text of a cell or a store is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.html import NOTEBOOK, Markup
from petstore_frame.html.palette import FAILED_BADGE, NO_CLAIM_BADGE, VERDICT_BADGES
from petstore_frame.loader.call import Call, Way
from petstore_frame.loader.causes import Cause, short_text
from petstore_frame.loader.journal.rows import Import
from petstore_frame.loader.options import GRACE_S
from petstore_frame.loader.record import Ending, State
from petstore_frame.loader.results.facts import COMMON_CAUSE, FATES, OUTDATED, Facts
from petstore_frame.loader.results.question_text import answers
from petstore_frame.loader.results.question_text import facts_of as asked_lines
from petstore_frame.schema.models import FIELD_BY_NAME
from petstore_frame.schema.text import minute_text, records_text

if TYPE_CHECKING:
    from petstore_frame.loader.results.results import LoadResult
    from petstore_frame.loader.settling.reconcile import Doubt

_BADGES = {
    **dict.fromkeys(("Done", "Loaded before", "Nothing new"), VERDICT_BADGES["complete"]),
    "Rehearsal": NO_CLAIM_BADGE,
    "In doubt": FAILED_BADGE,
}
_SHOWN_COLUMNS, _SHOWN_CAUSES, _SHOWN_NOTES, _SHOWN_RECORDS, _SHOWN_LINES = 12, 5, 10, 5, 10
_PROBLEM_HEAD = ("line", "column", "value", "what is wrong", "hint")


class Step(NamedTuple):
    """Something to do next, and what to type for it, if anything."""

    text: str
    calls: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n  ".join([self.text, *self.calls])


def headline(result: LoadResult) -> tuple[str, str]:
    """Return a title of one or two words, and one sentence."""
    facts = result.facts
    run, total = facts.run, len(facts)
    pending = facts.counts[State.PENDING]
    if total == 0:
        return "Nothing to load", f"{run.source}: a header and no records, so nothing was sent"
    if result.is_rehearsal:
        sends = f"{pending:,} would be sent"
        if COMMON_CAUSE in run.facts:
            sends = "and nothing would be sent while one cause fails most of them"
        if result.question is not None:
            sends = "and nothing would be sent before you say which animals they are"
        return "Rehearsal", f"{run.source}: {records_text(total)} read, {sends}"
    is_stopped = run.ending not in (None, Ending.DONE) and run.ending_detail
    # Why an import stopped before its end is what a reader needs first.
    sentence = f"{run.source}: {run.ending_detail}; " if is_stopped else f"{run.source}: "
    created, adopted = facts.counts[State.CREATED], facts.counts[State.ADOPTED]
    if pending and not created:
        sentence += f"nothing was created, {pending:,} of {records_text(total)} still to send"
    else:
        sentence += f"{created:,} of {records_text(total)} created"
    if adopted:
        sentence += f", {adopted:,} found in the store"
    if known := sum(group.records for group in facts.skipped if group.loaded_on):
        sentence += f", {known:,} known from earlier"
    if again := sum(group.records for group in facts.skipped if group.by and not group.loaded_on):
        sentence += f", {again:,} further rows of the same animals"
    if not result.sent_now and run.ended_at is not None:
        sentence += f" by {minute_text(run.ended_at)}; nothing was sent now"
    return _title(result), sentence


def _title(result: LoadResult) -> str:
    counts, elsewhere = result.counts, result.elsewhere
    if counts[State.UNKNOWN] or counts[State.IN_FLIGHT] or elsewhere.in_doubt:
        return "In doubt"
    if counts[State.PENDING] or elsewhere.not_sent:
        return "Not finished"
    has_fixes = result.to_fix or counts[State.ABSENT]
    if not result.sent_now and not has_fixes:
        return "Loaded before"
    if not counts[State.CREATED] + counts[State.ADOPTED]:
        return "Nothing created" if has_fixes else "Nothing new"
    return "Done, some to fix" if has_fixes else "Done"


def stopped_text(result: LoadResult) -> str:
    """Return why an import ended before its end, and how to go on."""
    steps = [f"Next: {step}" for step in next_steps(result)]
    return "\n".join([headline(result)[1], *steps])


def next_steps(result: LoadResult, reader: Call | None = None) -> list[Step]:
    """Return what to do next, the most urgent first, with the calls that do it.

    They are those of the caller, unless there is another reader, such as that of a file.
    """
    facts, call = result.facts, reader or result.call
    counts, elsewhere = facts.counts, facts.elsewhere
    typed = call.has_options
    steps = []

    def add(records: int, text: str, *calls: str) -> None:
        if records:
            said = f"{records_text(records)} {text}"
            steps.append(Step(said, calls if typed else ()))

    again = str(call.with_(again=None, dry_run=None))
    if result.question is not None:
        for answer in answers(result.question):
            steps.append(Step(answer.when, (answer.call,)))
        return steps
    doubt = result.doubt
    if doubt is not None:
        steps.append(_resolving(doubt, call))
    is_held = COMMON_CAUSE in facts.run.facts
    if result.is_rehearsal and not is_held:
        add(counts[State.PENDING], "would be sent; nothing was sent yet", again)
    looks = "looking for them in the store" if typed else call.reconcile()
    if not doubt:
        add(
            counts[State.UNKNOWN] + counts[State.IN_FLIGHT],
            f"in doubt, perhaps in the store: {looks} settles it, {GRACE_S / 60:.0f} minutes after "
            "the last request; never send these again by hand",
            call.reconcile(),
        )
    if is_held:
        _add_fixing(steps, result, call)
        others = str(call.with_(max_errors=counts[State.INVALID], dry_run=None))
        add(counts[State.PENDING], "have no problem: to send them all the same", others)
    elif not result.is_rehearsal:
        add(counts[State.PENDING], "still to send: the same call goes on", again)
    if not is_held:
        _add_fixing(steps, result, call)
    add(
        counts[State.ABSENT],
        "not found in the store: look there; if they are not there, send them again",
        call.reconcile(resends=True),
    )
    add(elsewhere.in_doubt, f"in doubt in an earlier import: {looks} settles it", call.reconcile())
    add(elsewhere.not_sent, "not sent yet by an earlier import: finish it", call.resume())
    add(
        elsewhere.to_fix,
        "known from an earlier import, which did not create them after all: load this file again",
        again,
    )
    equal = sum(group.records for group in facts.skipped if group.by == "equal")
    add(
        0 if result.is_rehearsal else equal,
        "not sent, because they equal earlier ones; if they are other animals, this sends them",
        str(call.with_(duplicates="send")),
    )
    if not result.sent_now and counts[State.CREATED] and not steps and not result.is_rehearsal:
        steps.append(Step(
            "If these are other animals than those of the first time, load them again on purpose",
            (str(call.with_(again=True)),) if typed else (),
        ))  # fmt: skip
    return steps


def _add_fixing(steps: list[Step], result: LoadResult, call: Call) -> None:
    """Add how each cause is answered for all its records, then how the rest is corrected."""
    to_fix = result.to_fix - result.elsewhere.to_fix
    if not to_fix:
        return
    for cause in result.causes[:_SHOWN_CAUSES]:
        if cause.option is not None and cause.records > 1 and call.way is not Way.FILE:
            steps.append(cause_step(cause, call))
    if result.is_rehearsal:
        return
    if call.way is Way.FILE:
        steps.append(Step(f"{records_text(to_fix)} to fix: correct the sheet Fix, and load it"))
        return
    folder = "results" if result.folder is None else str(result.folder)
    file = f"{folder}/fix.csv"
    text, calls = f"{records_text(to_fix)} to fix: correct {file}, then load it", []
    if result.folder is None:
        shell = str(call.with_(output=folder, again=None))
        calls.append(shell if call.way is Way.SHELL else f"result.write({folder!r})")
        text = f"{records_text(to_fix)} to fix: write them to a file, correct it, then load it"
    if call.has_options:
        steps.append(Step(text, (*calls, str(call.to_file(file)))))
    else:
        steps.append(Step(f"{records_text(to_fix)} to fix: correct fix.csv, and import it"))


def cause_step(cause: Cause, call: Call) -> Step:
    """Return how one cause is answered for all its records at once."""
    name, value = cause.option or ("", None)
    if call.way is Way.SHELL and name == "categories":  # there labels are in a file
        name, value = "value_map", {"category_id": value}
    place = f"the column {cause.column!r}" if cause.column else cause.message
    text = f"{records_text(cause.records)} for one cause, {place}: answer it once for all"
    if not call.has_options:
        return Step(f"{text}, by {call.option(name, value)}")
    for field, words in value.items() if name == "value_map" and value else ():
        if not FIELD_BY_NAME[field].is_required:  # it may be left out; else it must be filled in
            words.update(dict.fromkeys(words, ""))
    return Step(text, (str(call.with_(**{name: value}, again=None)),))


def _resolving(doubt: Doubt, call: Call) -> Step:
    """Return how a person settles what reading the store back has left in doubt."""
    listed = ", ".join(map(str, doubt.records[:_SHOWN_RECORDS]))
    more = ", …" if len(doubt.records) > _SHOWN_RECORDS else ""
    first = doubt.records[0]
    pet_id = next(iter(doubt.candidates.get(first, ())), None)
    ways = [call.resolve(first)] if pet_id is None else [call.resolve(first, pet_id)]
    if pet_id is not None:
        ways.append(call.resolve(first))
    return Step(
        f"still in doubt after reading back, record {listed}{more}: look in the store, then say "
        "which pet it is, or that there is none; never send these again by hand",
        tuple(ways) if call.has_options else (),
    )


def counted(facts: Facts) -> list[tuple[State, int, str]]:
    """Return the states that occur, with their counts and meanings; skipped ones by reason."""
    lines: list[tuple[State, int, str]] = []
    for state, fate in FATES.items():
        if state is State.SKIPPED and facts.skipped:
            lines += [(state, group.records, str(group)) for group in facts.skipped]
        elif facts.counts[state]:
            lines.append((state, facts.counts[state], fate.meaning))
    return lines


def result_text(result: LoadResult) -> str:
    """Return the view for a terminal."""
    facts = result.facts
    word, sentence = headline(result)
    steps = [f"Next: {step}" for step in next_steps(result)]
    lines = [f"{word}: {sentence}"]
    if word == "Loaded before":  # all else was told when it was loaded
        return "\n".join([*lines, *steps[:1]])
    lines += [f"store {facts.run.base_url}", *_background(result)]
    lines += [f"  {count:>9,}  {state:<9}  {meaning}" for state, count, meaning in counted(facts)]
    for title, sentences in _noted(result):
        lines += [title, *(f"  {_plain(sentence)}" for sentence in sentences)]
    for at, (record, line, column, value, message, hint) in enumerate(_problems(result)):
        if at == 0:
            lines.append(_problems_title(result))
        place = f"record {record}, line {line}" + (f": {column}" if column else "")
        shown = f" {value}" if value and value not in message else ""
        text = f"  {place}{shown}: {_plain(message)}"
        lines.append(f"{text}; {hint}" if hint else text)
    return "\n".join([*lines, *steps])


def result_html(result: LoadResult, *, has_steps: bool = True) -> str:
    """Return the view for a notebook; a page with buttons shows its own steps."""
    facts = result.facts
    word, sentence = headline(result)
    rows = ((f"{count:,}", state, meaning) for state, count, meaning in counted(facts))
    parts = [
        NOTEBOOK.headline(_BADGES.get(word, VERDICT_BADGES["incomplete"]), sentence, word),
        NOTEBOOK.quiet([facts.run.base_url, *_background(result)]),
        NOTEBOOK.table(rows, numbers={0}),
    ]
    for title, sentences in _noted(result):
        parts += [NOTEBOOK.section(title), NOTEBOOK.items(sentences)]
    if problems := [[f"{line:,}", *texts] for _, line, *texts in _problems(result)]:
        table = NOTEBOOK.table(problems, _PROBLEM_HEAD)
        parts += [NOTEBOOK.section(_problems_title(result)), table]
    if has_steps:
        parts.append(NOTEBOOK.steps(map(str, next_steps(result))))
    return Markup("").join(parts)


def _background(result: LoadResult) -> list[str]:
    """Return how the file is read, and what is known of it and of its records from before."""
    asked = [] if result.question is None else asked_lines(result.question)
    return [_columns(result.facts.run), *result.warnings, *asked]


def _columns(run: Import) -> str:
    """Describe which column is read as what, so that a misspelt one is seen before sending."""
    used = ", ".join(
        field if field == column else f"{field} from {short_text(column)}"
        for field, column in run.mapping.items()
    )
    keys = f"; key: {', '.join(map(short_text, run.key))}" if run.key else ""
    known = {*run.mapping.values(), *run.key}
    unused = [short_text(name) for name in run.header if name not in known]
    shown = ", ".join(unused[:_SHOWN_COLUMNS])
    more = len(unused) - _SHOWN_COLUMNS
    shown += f" and {more:,} more" if more > 0 else ""
    return f"columns: {used}{keys}" + (f"; not sent: {shown}" if unused else "")


def _noted(result: LoadResult) -> Iterator[tuple[str, list[str]]]:
    """Yield the lists of sentences that a view shows, each under its title."""
    facts = result.facts
    causes = [str(cause) for cause in facts.causes]
    if len(causes) < sum(cause.records for cause in facts.causes):  # else each record says it
        yield "What keeps records from being sent", _cut(causes, _SHOWN_CAUSES, "causes")
    if notes := [str(note) for note in facts.notes]:
        yield "Warnings", notes
    if doubt := result.doubt:
        lines = [
            f"record {record} may be pet {', '.join(map(str, ids[:_SHOWN_RECORDS]))}"
            for record, ids in doubt.candidates.items()
        ]
        shown = _cut(lines, _SHOWN_NOTES, "records with candidates")
        yield "What reading the store back has shown", [
            *shown, *_cut(list(doubt.notes), _SHOWN_NOTES, "notes"),
        ]  # fmt: skip


def _cut(lines: list[str], most: int, what: str) -> list[str]:
    more = len(lines) - most
    return [*lines[:most], f"and {more:,} more {what}"] if more > 0 else lines


def _problems(result: LoadResult) -> Iterator[tuple[int, int, str, str, str, str]]:
    """Yield record, line, column, value, what is wrong, and the hint of the first to fix."""
    for row, problem in result.facts.problems:
        value = short_text(problem.value) if problem.value else ""
        hint = problem.advice().phrased_by(Call(result.call.way))
        yield row.record, row.line, problem.column or "", value, problem.message, hint


def _problems_title(result: LoadResult) -> str:
    shown, total = len(result.facts.problems), result.to_fix - result.elsewhere.to_fix
    if total == shown:
        return "The record to fix" if total == 1 else f"The {total:,} records to fix"
    return f"The first {shown:,} of {total:,} records to fix"


def file_warnings(facts: Facts) -> list[str]:
    """Return what a person should know of the file as a whole, as sentences."""
    found = facts.run.facts
    return [_warned(name, found[name]) for name in found if found[name] and name != COMMON_CAUSE]


def _warned(name: str, value: Any) -> str:
    """Return what the identification found, as a sentence."""
    if name == OUTDATED:
        ((column, value),) = value.items()
        name = f"rows that stand, and are not the newest by the column {column!r}, as "
        name += f"'newest: {column}' would have it"
    if isinstance(value, list):
        more = ", …" if len(value) > _SHOWN_LINES else ""
        word = "line" if len(value) == 1 else "lines"
        listed = f"{word} {', '.join(map(str, value[:_SHOWN_LINES]))}{more}"
        value = f"{records_text(len(value))} ({listed})"
    return _FOUND.get(name, name + ": {}").format(value)


# By the name of a fact, what it means; ``{}`` has the records and their lines, or what was found.
_FOUND = {
    "equal_few": "too few to ask: {} in all but the status like records of earlier loads, taken "
    "for other animals",
    "others_pets_few": "too few to ask: {} like pets that the store had, taken for other animals",
    "withdrawn": "no longer in the file, and never sent: {} of what it held before",
    "store_unread": "the store could not be compared with the file, so that a load by somebody "
    "else would not be seen: {}",
    "store_cut": "the store was not read to its end, so that a load by somebody else may not be "
    "seen; {} pets were compared",
}


def _plain(text: str) -> str:
    """Make a store's text harmless on a terminal: no escapes, no line breaks."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
