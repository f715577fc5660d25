"""How a result looks, on a terminal and in a notebook; every text of a cell or a store escaped."""

from __future__ import annotations

from petstore_frame.html import NOTEBOOK, Markup
from petstore_frame.html.palette import FAILED_BADGE, NO_CLAIM_BADGE, VERDICT_BADGES, Badge
from petstore_frame.loader.journal.rows import Run
from petstore_frame.loader.record import State
from petstore_frame.loader.results.account import ResultFacts, count_to_fix, headline, next_steps
from petstore_frame.loader.results.question import Question

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
_SHOWN_COLUMNS = 12
_DOUBT_TITLE = "What reading the store back has shown"
_NOTES_TITLE = "Warnings"


def result_text(facts: ResultFacts) -> str:
    """Return the view for a terminal."""
    word, sentence = headline(facts)
    lines = [f"{word}: {sentence}"]
    if word == "Loaded before":  # all else was told when it was loaded
        return "\n".join([*lines, *(f"Next: {step}" for step in next_steps(facts)[:1])])
    lines += [f"store {facts.run.base_url}", _columns(facts.run), *_found_before(facts)]
    lines += [f"  {count:>9,}  {state:<9}  {meaning}" for state, count, meaning in _counted(facts)]
    lines += _note_lines(facts) + _problem_lines(facts)
    if notes := _doubt_notes(facts):
        lines += [f"{_DOUBT_TITLE}:", *(f"  {_plain(note)}" for note in notes)]
    lines += [f"Next: {step}" for step in next_steps(facts)]
    return "\n".join(lines)


def _note_lines(facts: ResultFacts) -> list[str]:
    lines = [f"  {note.records:>9,}  {_plain(str(note))}" for note in facts.notes]
    return [_NOTES_TITLE, *lines] if lines else []


def _problem_lines(facts: ResultFacts) -> list[str]:
    if not facts.problems:
        return []
    lines = [_problems_title(facts)]
    for row, problem in facts.problems:
        place = f"record {row.record}, line {row.line}"
        column = f": {problem.column}" if problem.column else ""
        value = _shown(problem.value)
        value = f" {value}" if problem.value and value not in problem.message else ""
        told = problem.advice().phrased_by(facts.voice)
        hint = f"; {told}" if told else ""
        lines.append(f"  {place}{column}{value}: {_plain(problem.message)}{hint}")
    return lines


def result_html(facts: ResultFacts, *, has_steps: bool = True) -> str:
    """Return the view for a notebook.

    Args:
        facts: What became of the records.
        has_steps: Whether to end with what to type next; a page with buttons shows its own.
    """
    word, sentence = headline(facts)
    parts = [
        NOTEBOOK.headline(_badge(word), sentence, word),
        NOTEBOOK.quiet([facts.run.base_url, _columns(facts.run), *_found_before(facts)]),
        NOTEBOOK.table(
            ((f"{count:,}", state, meaning) for state, count, meaning in _counted(facts)),
            numbers={0},
        ),
        _notes_html(facts),
        _problems_html(facts),
    ]
    if notes := _doubt_notes(facts):
        parts += [NOTEBOOK.section(_DOUBT_TITLE), NOTEBOOK.items(notes)]
    if has_steps:
        parts.append(NOTEBOOK.steps(next_steps(facts)))
    return Markup("").join(parts)


def _notes_html(facts: ResultFacts) -> Markup:
    if not facts.notes:
        return Markup()
    rows = ((f"{note.records:,}", str(note)) for note in facts.notes)
    return NOTEBOOK.section(_NOTES_TITLE) + NOTEBOOK.table(rows, numbers={0})


def _badge(word: str) -> Badge:
    if word in ("Done", "Loaded before", "Nothing new"):
        return VERDICT_BADGES["complete"]
    if word == "Rehearsal":
        return NO_CLAIM_BADGE
    return FAILED_BADGE if word == "In doubt" else VERDICT_BADGES["incomplete"]


def _problems_html(facts: ResultFacts) -> Markup:
    if not facts.problems:
        return Markup()
    rows = (
        (
            f"{row.line:,}",
            problem.column or "",
            _shown(problem.value) if problem.value else "",
            problem.message,
            problem.advice().phrased_by(facts.voice),
        )
        for row, problem in facts.problems
    )
    head = ("line", "column", "value", "what is wrong", "hint")
    return NOTEBOOK.section(_problems_title(facts)) + NOTEBOOK.table(rows, head)


def _doubt_notes(facts: ResultFacts) -> list[str]:
    return facts.doubt.shown if facts.doubt is not None else []


def _problems_title(facts: ResultFacts) -> str:
    shown, total = len(facts.problems), count_to_fix(facts)
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


def _found_before(facts: ResultFacts) -> list[str]:
    """Return what is known of the file as a whole, and of these records from before."""
    asked = Question(facts.run, facts.repeats).facts() if facts.repeats is not None else []
    return [*facts.warnings, *asked]


def _counted(facts: ResultFacts) -> list[tuple[State, int, str]]:
    """Return the states that occur, with their counts and meanings; skipped ones by reason."""
    lines: list[tuple[State, int, str]] = []
    for state, meaning in MEANINGS.items():
        if state is State.SKIPPED and facts.skipped:
            lines += [(state, found.records, str(found)) for found in facts.skipped]
        elif facts.counts[state]:
            lines.append((state, facts.counts[state], meaning))
    return lines


def _shown(value: str | None) -> str:
    text = value or ""
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _plain(text: str) -> str:
    """Make a store's text harmless on a terminal: no escapes, no line breaks."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
