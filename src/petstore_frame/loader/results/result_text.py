"""Describes the outcome of an import and the next steps, for a terminal and a notebook.

All text of cells and stores is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import fspath

from petstore_frame.loader.duplicate_question import LIKELY
from petstore_frame.loader.journal.database import unusual_folder
from petstore_frame.loader.journal.row_counts import ExcludedRows
from petstore_frame.loader.journal.rows import RENAMED
from petstore_frame.loader.load_options import GRACE_S
from petstore_frame.loader.next_steps import Call, Reader, Step, load_call, resolve_call, to_add
from petstore_frame.loader.results.import_facts import (
    COMMON_CAUSE,
    IN_STORE,
    LIKELY_KEY,
    MAX_ERRORS,
    UNCONFIRMED,
    WHY_EXCLUDED,
    ImportSummary,
)
from petstore_frame.loader.row_state import FIX_STATES, Ending, Reason, State, short_text
from petstore_frame.loader.source.spreadsheet_text import without_invisible
from petstore_frame.rendering import PAGE, Markup, palette
from petstore_frame.schema import FIELDS, count_text, minute_text

_BADGES = {
    **dict.fromkeys(("Done", "Already loaded"), palette.VERDICT_BADGES["complete"]),
    "Dry run": palette.NO_CLAIM_BADGE,
    "Done, some unconfirmed": palette.FAILED_BADGE,
}
_MOST = 10  # of a list of lines, candidates or causes
_NEVER = "do not send them again by hand"
# What each fact means; ``{}`` has the rows and their lines, or the value of the fact.
_MEANINGS = {
    "equal_few": "Sent as new animals although they equal rows of earlier loads in name and "
    "category: {}",
    "store_few": "Sent as new animals although they equal pets in the store in name and category: "
    "{}",
    "gone_few": "{}: these animals were in the store before and are not there now; were they "
    "removed?",
    "not_shown": "{} pets of earlier loads are no longer in the store",
    "twins": "{} pets like yours were added by somebody else; did a colleague load the same file?",
    "moved": "Taken over from earlier files that did not send them: {}",
    RENAMED: "{} have another name in the store: not sent again",
    "stays_created": "{} were created before they were called known animals: they stay",
    "left_unsent": "{} animals of an earlier version of this file were not sent",
    "store_cut": "The store was not read to its end: {} pets were compared",
}

NOT_SHOWN = "not_shown_animals"  # a fact: animals of other files that the store has lost


def headline(facts: ImportSummary, reader: Reader = "python") -> tuple[str, str]:
    """Return a title of a few words, and one sentence, which names the file."""
    name, rows = facts.run.source, count_text(len(facts), "row")
    if not len(facts):
        return "Nothing to load", f"{name}: a header and no rows, so nothing was sent"
    if facts.is_rehearsal:
        is_open = facts.question is not None or facts.is_held
        sent = 0 if is_open else facts.counts[State.PENDING]
        return "Dry run", f"{name}: {rows} read, {count_text(sent, 'animal')} would be sent"
    return _title(facts), f"{name}: {_outcome(facts, reader)}"


def _title(facts: ImportSummary) -> str:
    """Return the first title that applies."""
    titles = {
        "Done, some unconfirmed": facts.count(*UNCONFIRMED) > 0,
        "Not finished": facts.counts[State.PENDING] > 0,
        "Nothing added": facts.to_fix > 0 and facts.count(*IN_STORE) == 0,
        "Done, some need fixing": facts.to_fix > 0,
        "Done, some not found": facts.counts[State.NOT_FOUND] > 0,
        "Already loaded": not facts.sent_now,
        "Nothing to add": facts.count(*IN_STORE) == 0,
        "Done": True,
    }
    return next(title for title, applies in titles.items() if applies)


def _outcome(facts: ImportSummary, reader: Reader) -> str:
    """Return the outcome of the rows in one sentence; what did not occur is left out."""
    run, groups = facts.run, facts.groups
    sentence = "; ".join(group.counted(rows) for group, rows in groups.items() if rows)
    if not facts.sent_now and run.ended_at is not None:
        sentence += f" (last sent {minute_text(run.ended_at)}, nothing new now)"
    # Why an import stopped before its end is what a reader needs first.
    why_stopped = _why_stopped(facts, reader)
    return f"{why_stopped}; {sentence}" if why_stopped else sentence


def _why_stopped(facts: ImportSummary, reader: Reader) -> str:
    """Return why an import stopped before its end; empty if it did not."""
    run = facts.run
    if run.ending in (None, Ending.DONE):
        return ""
    if run.ending is not Ending.BUDGET:
        return run.ending_detail
    if facts.common_cause is not None:
        return f"nothing was sent, as most rows fail for one reason: {facts.common_cause}"
    max_errors = run.facts.get(MAX_ERRORS)
    for state in FIX_STATES:
        rows = facts.counts[state]
        if max_errors is not None and rows > max_errors:
            verb = "is" if rows == 1 else "are"
            limit = to_add(MAX_ERRORS, max_errors, reader)
            too_many = f"{count_text(rows, 'row')} {verb} {state}, more than {limit} allows"
            return f"{too_many}; fix them, or allow more"
    return ""


def next_texts(facts: ImportSummary, reader: Reader = "python") -> list[str]:
    """Return each next step, with what to type for it below."""
    return ["\n  ".join([f"Next: {step.text}", *step.typed(reader)]) for step in _next_steps(facts)]


def result_text(facts: ImportSummary, reader: Reader = "python") -> str:
    """Return the view for a terminal."""
    word, sentence = headline(facts, reader)
    steps, lines = next_texts(facts, reader), [f"{word}: {sentence}"]
    if word == "Already loaded":  # all else was said when it was loaded
        return "\n".join([*lines, *steps[:1]])
    lines += [f"store {facts.run.base_url}", *_background(facts)]
    for title, sentences in _sections(facts):
        lines += [title, *(f"  {_plain(sentence)}" for sentence in sentences)]
    return "\n".join([*lines, *steps])


def result_html(facts: ImportSummary, *, has_steps: bool = True) -> Markup:
    """Return the view for a notebook."""
    word, sentence = headline(facts)
    parts = [
        PAGE.headline(_BADGES.get(word, palette.VERDICT_BADGES["incomplete"]), sentence, word),
        PAGE.quiet([facts.run.base_url, *_background(facts)]),
    ]
    for title, sentences in _sections(facts):
        parts += [PAGE.section(title), PAGE.items(sentences)]
    if has_steps:
        parts.append(PAGE.steps("\n  ".join([s.text, *s.typed()]) for s in _next_steps(facts)))
    return Markup("").join(parts)


def _background(facts: ImportSummary) -> list[str]:
    """Return which column is which field, and what a person should know of the file."""
    run = facts.run
    used = ", ".join(
        name if name == column else f"{FIELDS.named(name).label.lower()} from {short_text(column)}"
        for name, column in run.mapping.items()
    )
    columns = f"columns: {used}"
    if run.key:
        columns += f"; key: {', '.join(map(short_text, run.key))}"
    known = {*run.mapping.values(), *run.key}
    if unused := [short_text(name) for name in run.header if name not in known]:
        columns += f"; not sent: {', '.join(_cut(unused, 'columns'))}"
    asked = [] if facts.question is None else facts.question.lines()
    return [columns, *file_warnings(facts), *asked]


def file_warnings(facts: ImportSummary) -> list[str]:
    """Return what a person should know of the file as a whole, as sentences."""
    sentences = []
    cleaned = {name: without_invisible(name) for name in facts.run.header}
    if names := [short_text(text) for name, text in cleaned.items() if text != name]:
        names = _cut(names, "columns")
        sentences.append(f"Invisible characters in the header were ignored: {', '.join(names)}")
    for name, value in facts.run.facts.items():
        if not value or name in (COMMON_CAUSE, LIKELY_KEY, MAX_ERRORS, NOT_SHOWN):
            continue
        text = str(value)
        if isinstance(value, list):
            lines = [row["line"] for row in value] if name == RENAMED else value
            noun = "line" if len(lines) == 1 else "lines"
            text = f"{count_text(len(lines), 'row')} ({noun} {', '.join(_cut(lines, 'lines'))})"
        sentences.append(_MEANINGS.get(name, name + ": {}").replace("{}", text))
    if not_shown := facts.run.facts.get(NOT_SHOWN):
        names = [_plain(f"{animal['name']} ({animal['source']})") for animal in not_shown]
        shown = ", ".join(_cut(names, "animals"))
        sentences.append(
            f"Not in the store any more: {shown}. To create them again, load their files with "
            "duplicates={'gone': 'create'}"
        )
    return sentences


def _why_excluded(group: ExcludedRows) -> str:
    """Return how many rows are not sent for one reason, and which file has their animals."""
    rows = count_text(group.rows, "row")
    if group.reason.is_plain:
        return f"{rows}: {WHY_EXCLUDED[group.reason]}"
    if group.staged_at is None:
        values = ", with other values" if group.reason is Reason.CHANGED else ""
        return f"{rows}: same animal as another row of this file{values}"
    file = f"{group.source}, loaded {minute_text(group.staged_at)[:10]}"
    return f"{rows}: {WHY_EXCLUDED[group.reason]}, from {file}"


def _sections(facts: ImportSummary) -> Iterator[tuple[str, list[str]]]:
    """Yield the lists of sentences that a view shows, each under its title."""
    if facts.excluded:
        yield "Rows not sent", _cut([*map(_why_excluded, facts.excluded)], "reasons")
    if facts.causes:
        yield "Rows that need fixing", _cut(facts.causes, "causes")
    if facts.notes:
        yield "Warnings", _cut(facts.notes, "kinds")
    if open_rows := facts.open_rows:
        lines = [
            f"line {line} may be pet {', '.join(_cut(ids, 'pets'))}"
            for line, ids in open_rows.candidates.items()
        ]
        shown = [*_cut(lines, "lines with candidates"), *_cut(open_rows.notes, "notes")]
        yield "What reading the store showed", shown


def _cut(things: Sequence[object], what: str) -> list[str]:
    """Return the first of several things as texts, and how many more there are."""
    more = len(things) - _MOST
    return [*map(str, things[:_MOST]), *([f"and {more:,} more {what}"] if more > 0 else [])]


def _plain(text: str) -> str:
    """Make a store's text harmless on a terminal: no escapes, no line breaks."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _next_steps(facts: ImportSummary) -> list[Step]:
    """Return what to do next, the most urgent first."""
    if facts.question is not None:
        return facts.question.answers()
    steps = [*_reconciling(facts), *_sending(facts), *_fixing(facts), *_left(facts)]
    is_old = not (facts.sent_now or facts.is_rehearsal)
    if not steps and is_old and facts.counts[State.CREATED]:
        text = "If these are other animals than those of the first time, load them as new"
        steps = [Step(text, {"as_new": True})]
    return steps


def _reconciling(facts: ImportSummary) -> Iterator[Step]:
    """Yield how to look for unconfirmed rows, or what a person can do after that."""
    if open_rows := facts.open_rows:
        lines = ", ".join(_cut(open_rows.lines, "lines"))
        text = (
            f"still unconfirmed after reading the store: line {lines}. Look there, then replace "
            f"each ? with the id of the pet, or with None if there is none; {_NEVER}"
        )
        yield Step(text, calls=(resolve_call(open_rows.lines[:_MOST]),))
    elif rows := facts.count(*UNCONFIRMED):
        text = (
            f"{count_text(rows, 'row')} unconfirmed, perhaps in the store: look for them there, "
            f"{GRACE_S / 60:.0f} minutes after the last request; {_NEVER}"
        )
        yield Step(text, calls=(Call("result.reconcile(client)", "add --reconcile"),))


def _sending(facts: ImportSummary) -> Iterator[Step]:
    """Yield what says which animal a row is, and how to send what is left."""
    likely = facts.likely_key
    if likely is not None and (facts.sent_now or facts.is_rehearsal):
        yield Step(LIKELY.format(likely), {"key": likely.column})
    pending = facts.counts[State.PENDING]
    what = count_text(pending, "row")
    if pending and facts.is_held:
        text = f"{what} without a problem: to send them, whatever the others are"
        yield Step(text, {"max_errors": facts.counts[State.INVALID]})
    elif pending and facts.is_rehearsal:
        yield Step(f"{what} would be sent by the same call without dry_run; nothing was sent")
    elif pending:
        yield Step(f"{what} still to send: the same call continues")


def _fixing(facts: ImportSummary) -> Iterator[Step]:
    """Yield how to answer each cause for all its rows, then how to correct the rest."""
    for cause in facts.causes[:_MOST]:
        problem = cause.problem
        if problem.add is not None:
            place = f" in the column {problem.column!r}" if problem.column else ""
            text = f"{_need_fixing(cause.rows)}{place}: {problem.message}"
            yield Step(f"{text}; answer it once", dict([problem.add]))
    if not facts.to_fix or facts.is_rehearsal:
        return
    if facts.fix_file is not None and facts.folder is None:
        text = f"{_need_fixing(facts.to_fix)}: correct them in {facts.fix_file}, then load it again"
        journal = unusual_folder(facts.journal)
        yield Step(text, calls=(load_call(facts.fix_file, journal, facts.run.base_url),))
        return
    folder = fspath(facts.folder or "results")
    text = f"{_need_fixing(facts.to_fix)}: correct them in {folder}/fix.csv, then load it"
    write = Call(f"result.write({folder!r})", f"add {to_add('output', folder, 'shell')}")
    load = load_call(f"{folder}/fix.csv", unusual_folder(facts.journal), facts.run.base_url)
    yield Step(text, calls=(load,) if facts.folder else (write, load))


def _need_fixing(rows: int) -> str:
    return f"{count_text(rows, 'row')} {'needs' if rows == 1 else 'need'} fixing"


def _left(facts: ImportSummary) -> Iterator[Step]:
    """Yield what may be sent after all, once a person has looked."""
    if absent := facts.counts[State.NOT_FOUND]:
        what = f"{count_text(absent, 'row')} not found in the store"
        text = f"{what}: look there; if they are not there, create them again"
        yield Step(text, {"duplicates": {"not_found": "create"}})
    if facts.run.facts.get("left_unsent"):
        text = "animals of an earlier version of this file were not sent: send them"
        journal = unusual_folder(facts.journal)
        yield Step(text, calls=(load_call(None, journal, facts.run.base_url),))
    equal = sum(group.rows for group in facts.excluded if group.by == "same_content")
    if equal and not facts.is_rehearsal:
        what = f"{count_text(equal, 'row')} not sent, because they equal earlier ones"
        text = f"{what}; if they are other animals, create them"
        yield Step(text, {"duplicates": {"same_content": "create"}})
    if gone := facts.run.facts.get("gone_few"):
        what = f"{count_text(len(gone), 'animal')} not in the store any more"
        yield Step(f"{what}: create them again", {"duplicates": {"gone": "create"}})
