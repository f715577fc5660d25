"""Describes the outcome of an import and the next steps, for a terminal and a notebook.

Texts from cells and from the store are escaped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from os import fspath

from petstore_frame.loader.findings import NewCategoryNames
from petstore_frame.loader.journal.row_counts import LoadedBefore
from petstore_frame.loader.journal.rows import JournalRow, Possible, read_payload
from petstore_frame.loader.load_options import GRACE_S
from petstore_frame.loader.next_steps import (
    compare_call,
    file_call,
    likely_key_step,
    load_call,
    resolve_call,
)
from petstore_frame.loader.results.import_facts import (
    FILE_PATH,
    FILE_WARNINGS,
    IN_STORE,
    MAX_ERRORS,
    UNCONFIRMED,
    WHY_NOT_SENT,
    Cause,
    ImportSummary,
)
from petstore_frame.loader.results.row_groups import RowGroup
from petstore_frame.loader.row_state import FIX_STATES, Ending, Reason, State, Suspicion
from petstore_frame.loader.source.spreadsheet_text import without_invisible
from petstore_frame.questions import PLACEHOLDER, Call, Reader, Step, to_add
from petstore_frame.rendering import PAGE, Markup, palette
from petstore_frame.schema import FIELDS, count_text, line_text, minute_text
from petstore_frame.schema.text import short_text

_BADGES = {
    **dict.fromkeys(("Done", "Already loaded"), palette.VERDICT_BADGES["complete"]),
    "Dry run": palette.NO_CLAIM_BADGE,
    "Done, some unconfirmed": palette.FAILED_BADGE,
}
# Typed after an error that was not caught.
_RESULT_OF_ERROR = "import sys; result = sys.last_value.result"
_MAX_ITEMS = 10  # maximum number of lines, candidates or causes in a list
_RECONCILE = Call("result.reconcile(client)", "add --reconcile")
_NEVER = "do not send them again by hand"
# Options that the suggested comparison leaves out: they choose rows, and ``key`` excludes ``on``.
_NOT_COMPARED = ("key", "keep", "order_by", "quantity")


def headline(facts: ImportSummary, reader: Reader = "python") -> tuple[str, str]:
    """Return a short title, and one sentence that starts with the name of the file."""
    name, rows = facts.run.source, count_text(len(facts), "row")
    if not len(facts):
        return "Nothing to load", f"{name}: a header and no rows, so nothing was sent"
    if facts.is_rehearsal:
        is_open = facts.question is not None or facts.is_held
        sent = 0 if is_open else facts.would_send
        return "Dry run", f"{name}: {rows} read, {count_text(sent, 'animal')} would be sent"
    return _title(facts), f"{name}: {_outcome(facts, reader)}"


def _title(facts: ImportSummary) -> str:
    """Return the first title whose condition is true."""
    titles = {
        "Done, some unconfirmed": facts.count(*UNCONFIRMED) > 0,
        "Possible duplicates": facts.counts[State.POSSIBLE_DUPLICATE] > 0,
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
    """Return the number of rows in each group as one sentence, without empty groups."""
    run = facts.run
    sentence = "; ".join(facts.group_counts.texts(has_quantity=facts.has_quantity))
    if not facts.sent_now and run.ended_at is not None:
        sent = f"last sent {minute_text(run.ended_at)}, " if facts.has_sent else ""
        sentence += f" ({sent}nothing new now)"
    # If an import stopped early, the reason comes first.
    why_stopped = _why_stopped(facts, reader)
    return f"{why_stopped}; {sentence}" if why_stopped else sentence


def _why_stopped(facts: ImportSummary, reader: Reader) -> str:
    """Return why an import stopped early; empty if it did not."""
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
            too_many = f"{count_text(rows, facts.noun)} {verb} {state}, more than {limit} allows"
            return f"{too_many}; fix them, or allow more"
    return ""


def next_texts(facts: ImportSummary, reader: Reader = "python") -> list[str]:
    """Return each next step, followed by the commands to type."""
    return [
        "\n  ".join([f"Next: {step.sentence(reader)}", *step.typed(reader)])
        for step in _next_steps(facts)
    ]


def stopped_text(facts: ImportSummary) -> str:
    """Return the message of an error that ends a load: no variable has its result yet."""
    _, sentence = headline(facts)
    steps = next_texts(facts)
    if any("\n  result." in step for step in steps):
        steps.insert(0, f"Next: keep the result of this load\n  {_RESULT_OF_ERROR}")
    return "\n".join([sentence, *steps])


def result_text(facts: ImportSummary, reader: Reader = "python") -> str:
    """Return the result for a terminal."""
    title, sentence = headline(facts, reader)
    steps, lines = next_texts(facts, reader), [f"{title}: {sentence}"]
    if title == "Already loaded":  # the first load showed the rest
        return "\n".join([*lines, *map(_plain, map(str, facts.findings)), *steps])
    lines += [f"store {facts.run.base_url}", *_background(facts, reader)]
    for heading, sentences in _sections(facts):
        lines += [heading, *(f"  {_plain(sentence)}" for sentence in sentences)]
    return "\n".join([*lines, *steps])


def result_html(facts: ImportSummary) -> Markup:
    """Return the result for a notebook."""
    title, sentence = headline(facts)
    badge = _BADGES.get(title, palette.VERDICT_BADGES["incomplete"])
    parts = [
        PAGE.headline(badge, sentence, title),
        PAGE.quiet([facts.run.base_url, *_background(facts)]),
    ]
    for heading, sentences in _sections(facts):
        parts += [PAGE.section(heading), PAGE.items(sentences)]
    parts.append(PAGE.steps("\n  ".join([s.text, *s.typed()]) for s in _next_steps(facts)))
    return Markup("").join(parts)


def _background(facts: ImportSummary, reader: Reader = "python") -> list[str]:
    """Return the columns that were used, the warnings about the file, and the open question."""
    run = facts.run
    fields = ", ".join(
        name if name == column else f"{FIELDS.named(name).label.lower()} from {short_text(column)}"
        for name, column in run.mapping.items()
    )
    columns = f"columns: {fields}"
    if run.key:
        columns += f"; key: {', '.join(map(short_text, run.key))}"
    used = {*run.mapping.values(), *run.key}
    if unused := [short_text(name) for name in run.header if name not in used]:
        columns += f"; not sent: {', '.join(_cut(unused, 'columns'))}"
    question = [] if facts.question is None else facts.question.lines(reader)
    return [columns, *file_warnings(facts), *question]


def file_warnings(facts: ImportSummary) -> list[str]:
    """Return what a user should know besides the states of the rows, as sentences."""
    sentences = []
    cleaned = {name: without_invisible(name) for name in facts.run.header}
    if names := [short_text(text) for name, text in cleaned.items() if text != name]:
        names = _cut(names, "columns")
        sentences.append(f"Invisible characters in the header were ignored: {', '.join(names)}")
    sentences += map(_plain, facts.run.facts.get(FILE_WARNINGS, ()))
    sentences += [
        _plain(str(finding))
        for finding in facts.findings
        if not isinstance(finding, NewCategoryNames)  # they have a list of their own
    ]
    return sentences


def _not_sent(facts: ImportSummary) -> list[str]:
    """Return how many rows were not sent for each reason."""
    rows = Counter[str]()
    for group in facts.not_sent:
        rows[_why_not_sent(group)] += group.rows
    return [f"{count_text(count, facts.noun)}: {reason}" for reason, count in rows.items()]


def _why_not_sent(group: LoadedBefore) -> str:
    """Return why rows were not sent, and the file that has their animals."""
    if group.group == RowGroup.REPEATED:
        values = ", with other values" if group.reason is Reason.CHANGED else ""
        return f"same animal as another row of this file{values}"
    reason = WHY_NOT_SENT[group.reason or Reason.KNOWN]
    if group.staged_at is None:
        return reason
    file = f"from {group.source}, loaded {minute_text(group.staged_at)[:10]}"
    if group.reason is Reason.LEFT_OUT:
        return f"already loaded, {file}, and excluded by you now"
    return f"{reason}, {file}"


def _possible_lines(facts: ImportSummary) -> list[str]:
    """Return the first possible duplicates, each next to what it may be."""
    lines = [f"{_row_text(row)}  |  {_possible_text(row.possible)}" for row in facts.possible]
    more = facts.counts[State.POSSIBLE_DUPLICATE] - len(lines)
    return [*lines, *([f"and {more:,} more"] if more > 0 else [])]


def _row_text(row: JournalRow) -> str:
    key = f"{row.key}: " if row.key is not None else ""
    return f"line {row.line}: {key}{_pet_text(row.payload)}"


def _possible_text(possible: Possible | None) -> str:
    """Return the animal or pet that a row may be, and where it is from."""
    if possible is None:
        return ""
    if possible.same_line is not None:
        return f"line {possible.same_line} of this file"
    key = f"{possible.key}: " if possible.key is not None else ""
    pet = "" if possible.pet_id is None else f" (pet {possible.pet_id})"
    origin = ", in the store"
    if possible.source is not None and possible.staged_at is not None:
        origin = f", from {possible.source}, loaded {minute_text(possible.staged_at)[:10]}"
    return f"{key}{_pet_text(possible.payload)}{pet}{origin}"


def _pet_text(payload: bytes | None) -> str:
    """Return the values of a request body as a short text: ``Luna, category 3, sold``."""
    values = read_payload(payload)
    texts = [
        f"category {value}" if field.name == "category_id" else str(value)
        for field in FIELDS.sent
        if (value := values.get(field.wire_name)) is not None
    ]
    return ", ".join(texts)


def _sections(facts: ImportSummary) -> Iterator[tuple[str, list[str]]]:
    """Yield the headings of a result, each with its list of sentences."""
    if facts.possible:
        yield "Possible duplicates, not sent", _possible_lines(facts)
    if facts.not_sent:
        yield "Rows not sent", _cut(_not_sent(facts), "reasons")
    if facts.causes:
        yield "Rows that need fixing", _cut(facts.causes, "causes")
    if new_categories := facts.new_categories:
        names = [_plain(line) for line in new_categories.lines()]
        yield "Names of categories that are new for this store", _cut(names, "names")
    if facts.notes:
        yield "Warnings", _cut(facts.notes, "kinds")
    if open_rows := facts.open_rows:
        lines = [
            f"line {line} may be pet {', '.join(_cut(ids, 'pets'))}"
            for line, ids in open_rows.candidates.items()
        ]
        sentences = [*_cut(lines, "lines with candidates"), *_cut(open_rows.notes, "notes")]
        yield "What reading the store showed", sentences


def _cut(items: Sequence[object], noun: str) -> list[str]:
    """Return the first items as texts, followed by the number of omitted items."""
    more = len(items) - _MAX_ITEMS
    return [*map(str, items[:_MAX_ITEMS]), *([f"and {more:,} more {noun}"] if more > 0 else [])]


def _plain(text: str) -> str:
    """Remove escape sequences and line breaks, so that a text is safe on a terminal."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _next_steps(facts: ImportSummary) -> list[Step]:
    """Return the next steps, most urgent first."""
    if facts.question is not None:
        return [Step(facts.question.text, facts.question.add)]
    steps = [
        *_answering(facts),
        *_reconciling(facts),
        *_sending(facts),
        *_fixing(facts),
        *_updating(facts),
        *_creating(facts),
        *(step for finding in facts.findings for step in finding.steps()),
    ]
    is_old = not (facts.sent_now or facts.is_rehearsal)
    is_plain = facts.counts[State.CREATED] > 0 and not (facts.run.copy or facts.run.key)
    if not steps and is_old and is_plain:
        text = (
            "nothing to do. Only if these are different animals than the first time, load them as "
            "new"
        )
        steps = [Step(text, {"as_new": True})]
    return steps


def _answering(facts: ImportSummary) -> Iterator[Step]:
    """Yield the answers about possible duplicates."""
    count = facts.counts[State.POSSIBLE_DUPLICATE]
    if not count:
        return
    rows = count_text(count, "possible duplicate")
    yield Step(
        f"{rows}: the same animals, so do not send them",
        {"duplicates": "skip"},
        effect=f"{facts.would_send:,} to send" if facts.is_rehearsal else "",
    )
    yield Step(f"{rows}: different animals, so create them", {"duplicates": "create"})
    if count > 1:
        yield Step(
            f"{rows}: only some are different; replace ? with the lines of these",
            {"duplicates": "skip", "as_new": [PLACEHOLDER]},
        )
    path = facts.run.facts.get(FILE_PATH)
    options = {
        name: value for name, value in (facts.run.recipe or {}).items() if name not in _NOT_COMPARED
    }
    yield Step(
        "To decide, compare the file with the store by name and category (sends nothing)",
        calls=(compare_call(path, facts.run.base_url, options),),
    )


def _reconciling(facts: ImportSummary) -> Iterator[Step]:
    """Yield how to look for unconfirmed rows, or how to resolve those that were not found."""
    if open_rows := facts.open_rows:
        lines = line_text(open_rows.lines)
        text = (
            f"still unconfirmed after reading the store: {lines}. Look there, then replace "
            "each ? with the id of the pet, or with {} if there is no pet; " + _NEVER
        )
        call = resolve_call(open_rows.lines[:_MAX_ITEMS])
        yield Step(text.format("None"), calls=(call,), shell_text=text.format("none"))
    elif rows := facts.count(*UNCONFIRMED):
        text = (
            f"{count_text(rows, facts.noun)} unconfirmed, perhaps in the store: look for them "
            f"there, {GRACE_S / 60:.0f} minutes after the last request; {_NEVER}"
        )
        yield Step(text, calls=(_RECONCILE,))
    elif facts.without_id:
        text = f"{count_text(facts.without_id, facts.noun)} in the store without a known pet id"
        yield Step(f"{text}: read the id from the store", calls=(_RECONCILE,))


def _sending(facts: ImportSummary) -> Iterator[Step]:
    """Yield the column to use as the key, and how to send pending rows."""
    if facts.likely_keys and (facts.sent_now or facts.is_rehearsal):
        yield likely_key_step(facts.likely_keys)
    pending = facts.pending
    rows = count_text(pending, facts.noun)
    if pending and facts.is_held:
        text = f"{rows} without a problem: send them although the others need fixing"
        yield Step(text, {"max_errors": facts.counts[State.INVALID]})
    elif pending and facts.is_rehearsal:
        would_send = facts.would_send
        more = f", and {pending - would_send:,} more after it" if would_send < pending else ""
        text = f"{count_text(would_send, facts.noun)} would be sent by the same"
        yield Step(
            f"{text} call without dry_run{more}; nothing was sent",
            shell_text=f"{text} command without --dry-run{more}; nothing was sent",
        )
    elif pending and not facts.sent_now:
        yield _unfinished_step(facts, pending)
    elif pending:
        step = Step(
            f"{rows} still to send: the same call continues",
            shell_text=f"{rows} still to send: the same command continues",
        )
        yield step if facts.command is None else step._replace(calls=(Call("", facts.command),))


def _fixing(facts: ImportSummary) -> Iterator[Step]:
    """Yield the option that solves each cause for all its rows, then how to correct the rest."""
    for cause in facts.causes[:_MAX_ITEMS]:
        problem = cause.problem
        if problem.add is not None:
            column = f" in the column {problem.column!r}" if problem.column else ""
            text = f"{_need_fixing(cause.rows, cause.noun)}{column}: {problem.message}"
            if problem.allow == Suspicion.TOTAL_ROW:
                yield from _answering_total(text, cause)
            else:
                yield Step(f"{text}; answer it once", dict([problem.add]))
    if not facts.to_fix or facts.is_rehearsal:
        return
    if facts.fix_file is not None and facts.folder is None:
        text = f"{_to_correct(facts)} in {facts.fix_file}, then load it again"
        load = load_call(facts.fix_file, facts.journal_folder, facts.run.base_url)
        yield Step(text, calls=(load,))
        return
    folder = fspath(facts.folder or "results")
    text = f"{_to_correct(facts)} in {folder}/fix.csv, then load it"
    write = Call(f"result.write({folder!r})", f"add {to_add('output', folder, 'shell')}")
    load = load_call(f"{folder}/fix.csv", facts.journal_folder, facts.run.base_url)
    yield Step(text, calls=(load,) if facts.folder else (write, load))


def _answering_total(text: str, cause: Cause) -> Iterator[Step]:
    """Yield how to exclude rows that are no animals; both answers if some may be animals."""
    problem = cause.problem
    is_one = cause.rows == 1
    if cause.option == "exclude_lines" and problem.add is not None:
        pronoun = "it" if is_one else "them"
        yield Step(f"{text}; exclude {pronoun}, or correct {pronoun}", dict([problem.add]))
        return
    subject = "it is an animal" if is_one else "they are animals"
    lines = line_text(cause.lines)
    yield Step(f"{text} ({lines}); if {subject}, allow {str(problem.allow)!r}", {"allow": "?"})
    excluded = "its line" if is_one else "their lines"
    yield Step(f"if not, exclude {excluded}", {"exclude_lines": ["?"]})


def _need_fixing(rows: int, noun: str) -> str:
    return f"{count_text(rows, noun)} {'needs' if rows == 1 else 'need'} fixing"


def _to_correct(facts: ImportSummary) -> str:
    pronoun = "it" if facts.to_fix == 1 else "them"
    return f"{_need_fixing(facts.to_fix, facts.noun)}: correct {pronoun}"


def _updating(facts: ImportSummary) -> Iterator[Step]:
    """Yield the animals that the store still shows although their rows are now excluded."""
    for status, lines in facts.still_shown.items():
        animals = count_text(len(lines), "animal")
        pronoun = "it" if len(lines) == 1 else "them"
        yield Step(
            f"{animals} excluded now ({line_text(lines)}), but loaded as {status}: if the store "
            f"still shows {pronoun} like that, tell the people who run it; a load changes no pet"
        )


def _creating(facts: ImportSummary) -> Iterator[Step]:
    """Yield how to create animals that were not sent, after the user has checked them."""
    if not_found := facts.counts[State.NOT_FOUND]:
        rows = f"{count_text(not_found, facts.noun)} not found in the store"
        text = f"{rows}: look there yourself, and create again only what is not there"
        yield Step(text, {"as_new": [PLACEHOLDER]})


def _unfinished_step(facts: ImportSummary, rows: int) -> Step:
    """Return how to send the remaining rows of a file that ``resume_loads`` does not continue."""
    run = facts.run
    text = f"{count_text(rows, 'row')} of {run.source} still to send"
    path = run.facts.get(FILE_PATH)
    calls: tuple[Call, ...] = ()
    if path is not None and run.recipe is not None and run.copy <= 1:
        options = run.recipe | ({"as_new": True} if run.copy else {})
        calls = (file_call(path, facts.journal_folder, run.base_url, options),)
    way = "load it" if calls else "load it again in the same way"
    if run.ending is not Ending.MAX_ROWS:
        return Step(f"{text}: {way}", calls=calls)
    text = f"{text}, after a trial: {way} without "
    return Step(f"{text}max_rows", calls=calls, shell_text=f"{text}--max-rows")
