"""What became of an import, in words: for a terminal, a notebook, and whoever writes it to a file.

Every text of a cell or a store is escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from petstore_frame.loader.advice import Advice
from petstore_frame.loader.call import PYTHON
from petstore_frame.loader.call import Call as Audience
from petstore_frame.html import NOTEBOOK, Markup
from petstore_frame.html.palette import FAILED_BADGE, NO_CLAIM_BADGE, VERDICT_BADGES
from petstore_frame.loader.journal.earlier import Repeats, Source
from petstore_frame.loader.journal.rows import Run
from petstore_frame.loader.options import GRACE_S
from petstore_frame.loader.record import Ending, State
from petstore_frame.loader.results.facts import FATES
from petstore_frame.schema.text import minute_text, records_text

if TYPE_CHECKING:
    from petstore_frame.loader.results.results import LoadResult

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
        return "Rehearsal", f"{name}: {records_text(total)} read, {sends}"
    run = result.run
    is_stopped = run.ending not in (None, Ending.DONE) and run.ending_detail
    # Why an import stopped before its end is what a reader needs first.
    sentence = f"{name}: {run.ending_detail}; " if is_stopped else f"{name}: "
    created = result.counts[State.CREATED]
    if pending and not created:
        sentence += f"nothing was created, {pending:,} of {records_text(total)} still to send"
    else:
        sentence += f"{created:,} of {records_text(total)} created"
        if before := _skipped(result, "key", "record", "equal"):
            sentence += f", {before:,} known from earlier"
    if result.is_from_earlier_run and run.ended_at is not None:
        sentence += f" by {minute_text(run.ended_at)}; nothing was sent now"
    if fixed := _skipped(result, "fix"):
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


def next_steps(result: LoadResult) -> list[str]:
    """Return what to do next, the most urgent first, as ``result.voice`` puts it."""
    counts, elsewhere, voice, doubt = result.counts, result.elsewhere, result.voice, result.doubt
    pending, is_rehearsal = counts[State.PENDING], result.is_rehearsal
    steps = [] if doubt is None else [doubt.step(voice)]
    if pending and is_rehearsal and result.repeats is None:
        steps.append(f"nothing was sent: load it without {voice.option('dry_run', True)}")
    for records, step in (
        (
            0 if doubt else counts[State.UNKNOWN] + counts[State.IN_FLIGHT],
            f"in doubt, perhaps in the store: {voice.reconcile()} looks for them there, "
            f"{GRACE_S / 60:.0f} minutes after the last request; never send these again by hand",
        ),
        (0 if is_rehearsal else pending, f"still to send: {voice.again()} again goes on"),
        (result.to_fix - elsewhere.to_fix, f"to fix: {voice.fix()}, then load that file"),
        (
            counts[State.ABSENT],
            f"not found in the store: look, then {voice.reconcile(resends=True)} sends again",
        ),
        (
            elsewhere.in_doubt,
            f"in doubt in an earlier import: {voice.reconcile()} looks for them too",
        ),
        (
            elsewhere.not_sent,
            f"not sent yet by an earlier import: {voice.resume()} finishes it",
        ),
        (
            elsewhere.to_fix,
            "known from an earlier import, which did not create them after all: load this file "
            "again",
        ),
        (
            0 if is_rehearsal else _skipped(result, "equal"),
            "not sent, because they equal earlier ones: if they are other animals, "
            f"{voice.again()} with {voice.option('duplicates', 'send')} sends just these",
        ),
    ):
        if records:
            steps.append(f"{records_text(records)} {step}")
    if result.is_from_earlier_run and counts[State.CREATED] and not steps:
        again = f"{voice.again()} with {voice.option('again', True)}"
        steps.append(f"if these are other animals, {again} sends them")
    return steps


def _skipped(result: LoadResult, *by: str) -> int:
    """Return how many records were skipped because of what shows that they are known."""
    return sum(found.records for found in result.skipped if found.by in by)


def counted(result: LoadResult) -> list[tuple[State, int, str]]:
    """Return the states that occur, with their counts and meanings; skipped ones by reason."""
    lines: list[tuple[State, int, str]] = []
    for state, fate in FATES.items():
        if state is State.SKIPPED and result.skipped:
            lines += [(state, found.records, str(found)) for found in result.skipped]
        elif result.counts[state]:
            lines.append((state, result.counts[state], fate.meaning))
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
    for at, (record, line, column, value, message, hint) in enumerate(_problems(result)):
        if at == 0:
            lines.append(_problems_title(result))
        place = f"record {record}, line {line}" + f": {column}" * bool(column)
        place += f" {value}" * bool(value and value not in message)
        lines.append(f"  {place}: {_plain(message)}" + f"; {hint}" * bool(hint))
    return "\n".join([*lines, *steps])


def result_html(result: LoadResult, *, has_steps: bool = True) -> str:
    """Return the view for a notebook; a page with buttons shows its own steps."""
    word, sentence = headline(result)
    rows = ((f"{count:,}", state, meaning) for state, count, meaning in counted(result))
    parts = [
        NOTEBOOK.headline(_BADGES.get(word, VERDICT_BADGES["incomplete"]), sentence, word),
        NOTEBOOK.quiet([result.run.base_url, *_background(result)]),
        NOTEBOOK.table(rows, numbers={0}),
    ]
    for title, sentences in _noted(result):
        parts += [NOTEBOOK.section(title), NOTEBOOK.items(sentences)]
    if problems := [[f"{line:,}", *texts] for _, line, *texts in _problems(result)]:
        table = NOTEBOOK.table(problems, _PROBLEM_HEAD)
        parts += [NOTEBOOK.section(_problems_title(result)), table]
    if has_steps:
        parts.append(NOTEBOOK.steps(next_steps(result)))
    return Markup("").join(parts)


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


def _problems(result: LoadResult) -> Iterator[tuple[int, int, str, str, str, str]]:
    """Yield record, line, column, value, what is wrong, and the hint of the first to fix."""
    for row, problem in result.problems:
        value = _shown(problem.value) if problem.value else ""
        hint = problem.advice().phrased_by(result.voice)
        yield row.record, row.line, problem.column or "", value, problem.message, hint


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


# Returns what to type for a way on: the call or the command with this option.
Way = Callable[[str, Any], str]


@dataclass(frozen=True)
class Question(Advice):
    """What was found, and the ways on, phrased for Python unless another voice is asked for.

    Attributes:
        run: The import that was not made.
        repeats: What it has in common with earlier ones.
    """

    run: Run
    repeats: Repeats

    def phrased_by(self, voice: Audience) -> str:
        """Return the question as a voice phrases it."""
        return self.text(voice.option if voice is not PYTHON else self._call)

    def text(self, way: Way) -> str:
        """Return the question, with what to type for each way on."""
        ways = [f"  {reason}\n    {way(option, value)}" for reason, option, value in self.ways()]
        return "\n".join([*self.facts(), "Say which it is:", *ways])

    def facts(self) -> list[str]:
        """Return what was found, line by line; the first names the file."""
        repeats, name = self.repeats, self.run.source_name
        lines = [f"{name} may hold animals that are loaded already, so nothing was sent."]
        if repeats.same_path is not None:
            day = minute_text(repeats.same_path)
            lines.append(f"  This file was loaded {day}; it has changed since.")
        if not repeats.equal:
            return [*lines, f"  None of its {records_text(repeats.records)} equals an earlier one."]
        other = f" ({repeats.changed:,} have another status)" if repeats.changed else ""
        records = records_text(repeats.records)
        lines.append(
            f"  {repeats.equal:,} of its {records} equal earlier ones in all but the status{other}:"
        )
        lines += [f"    {_described(source)}" for source in repeats.sources]
        if repeats.others:
            lines.append(f"    and {repeats.others:,} more imports")
        return lines

    def ways(self) -> list[tuple[str, str, Any]]:
        """Return the ways on: when it is right, and its option with the value."""
        repeats, rest = self.repeats, self.repeats.records - self.repeats.equal
        column = repeats.key_column
        found = []
        if column is not None:
            reason = f"The column {column!r}, different in each record, names the animals:"
            found.append((reason, "key", column))
        elif not self.run.key:
            found.append(("A column of the file names each animal:", "key", "COLUMN"))
        if repeats.equal:
            known = ", which then have its key" if self.run.key else ""
            reason = f"Equal records are the same animals{known} (sends the other {rest:,}):"
            found.append((reason, "duplicates", "skip"))
        found.append((f"All {repeats.records:,} are other animals:", "duplicates", "send"))
        return found

    def _call(self, option: str, value: Any) -> str:
        run, options = self.run, f"{option}={value!r}"
        if run.key and option != "key":
            key = run.key[0] if len(run.key) == 1 else list(run.key)
            options = f"key={key!r}, {options}"
        if run.source_path is None:
            return f"load_frame(frame, client, {options})"
        is_book = run.source_path.lower().endswith((".xlsx", ".xlsm"))
        file = run.source_name.partition(" (sheet ")[0]
        return f"{'load_excel' if is_book else 'load_csv'}({file!r}, client, {options})"


def _described(source: Source) -> str:
    equal = f": {source.equal:,} of them" if source.equal else ""
    text = f"{source.name}, loaded {minute_text(source.created_at)}{equal}"
    if source.pending:
        left = f"{records_text(source.pending)} of it not sent yet"
        text += f"; {left}, which resume_loads (load --resume) sends"
    return text
