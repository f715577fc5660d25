"""The one question that an import asks, in words: what was found, and what each answer does."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from petstore_frame.loader.call import Call
from petstore_frame.loader.journal.animals import is_many
from petstore_frame.loader.journal.question import Case, Example, Question
from petstore_frame.loader.record import State
from petstore_frame.schema.models import SENT_FIELDS
from petstore_frame.schema.text import day_text, minute_text, records_text

_FOUND = {
    "equal": "{records} of {of} equal records of earlier loads in all but the status",
    "similar_key": "{records} of {of} have a key that differs from a known one only in how it is "
    "written: zeros in front, a .0 behind, capitals, spaces or an apostrophe",
    "reused_key": "{records} of {of} have a known key, and the name of another animal",
    "own_pets": "{records} of {of} are pets of this store: they have its ids with their names",
    "others_pets": "{records} of {of} equal pets that the store has, and that were not loaded from "
    "here: by somebody else, or with a journal that is lost",
}
_SAME = {
    "equal": "They are the same animals",
    "similar_key": "They are the same animals, however the key is written",
    "reused_key": "They are the same animals under a new name",
    "own_pets": "They are these pets",
    "others_pets": "They are these pets",
}
_OTHER = {
    "equal": "They are other animals",
    "similar_key": "They are other animals",
    "reused_key": "They are other animals, and the key was used again",
    "own_pets": "Copies of them are wanted",
    "others_pets": "They are other animals",
}
# By case and answer, when it is right.
CASE_ANSWERS = {name: {"skip": _SAME[name], "send": _OTHER[name]} for name in _SAME}
# What becomes of records, as an answer says it; the others are told by their state.
_BECOMES = {
    State.PENDING: "sent",
    State.SKIPPED: "not sent again",
    State.ADOPTED: "taken for their pets, not sent",
    State.CREATED: "created before",
    State.INVALID: "to fix",
}
_LIKELY = ("own_pets", "others_pets", "equal", "similar_key", "reused_key")


class Answer(NamedTuple):
    """A way on.

    Attributes:
        letter: What one types for it on a terminal.
        when: When it is right.
        options: The options that say so.
        does: What becomes of the records, in words.
        call: What to type for it.
    """

    letter: str
    when: str
    options: dict[str, Any]
    does: str
    call: str


@dataclass(frozen=True)
class QuestionText:
    """The text of a question; the ways on are shown as the caller would type them."""

    question: Question

    def phrased_by(self, reader: Call) -> str:
        """Return the question for a reader; the calls are of the way in that asked."""
        if not reader.has_options:
            return "\n".join(facts_of(self.question))
        return str(self)

    def __str__(self) -> str:
        lines = [*facts_of(self.question), "Say which it is:"]
        for answer in answers(self.question):
            does = f" ({answer.does})" if answer.does else ""
            lines += [f"  {answer.when}{does}:", f"    {answer.call}"]
        return "\n".join(lines)


def facts_of(question: Question) -> list[str]:
    """Return what was found, line by line; the first names the file."""
    lines = [
        f"{question.source}: some of its {records_text(question.records)} may be animals that are "
        "known already, so nothing was sent."
    ]
    for case in question.cases:
        lines += ["", *_case_lines(case)]
    return lines


def _case_lines(case: Case) -> list[str]:
    found = _FOUND[case.name].format(records=f"{case.records:,}", of=records_text(case.of))
    lines = [f"{found}:" if case.examples else f"{found}."]
    for source in case.sources[:3]:
        day = minute_text(source.staged_at)
        lines.append(f"  {source.records:,} of {source.source}, loaded {day}")
    if len(case.sources) > 3:
        lines.append(f"  and {len(case.sources) - 3:,} more files")
    shown = [_sides(case, example) for example in case.examples[:2]]
    width = max((len(ours) for ours, _ in shown), default=0)
    return [*lines, *(f"    {ours:<{width}}  |  {theirs}" for ours, theirs in shown)]


def _sides(case: Case, example: Example) -> tuple[str, str]:
    """Return a record and what it may be."""
    if case.name == "similar_key":
        ours, theirs = repr(example.ours), repr(example.theirs)
    else:
        ours, theirs = _pet_text(example.ours), _pet_text(example.theirs)
    where = f" (pet {example.pet_id})" if example.pet_id is not None else ""
    if example.source is not None and case.name == "similar_key":
        where += f" in {example.source}"
    if example.day is not None and case.name != "equal":
        where += f", loaded {day_text(example.day)}"
    return f"line {example.line}: {ours}", f"{theirs}{where}"


def _pet_text(body: str) -> str:
    """Return what is sent of an animal in a few words."""
    try:
        values = json.loads(body)
    except ValueError:
        return body
    if not isinstance(values, dict):
        return body
    shown = [
        f"category {value}" if field.name == "category_id" else str(value)
        for field in SENT_FIELDS
        if (value := values.get(field.wire_name)) is not None
    ]
    return ", ".join(shown)


def answers(question: Question) -> list[Answer]:
    """Return the ways on, the likeliest first; each is a whole call."""
    call = question.call or Call()
    call = call.with_(dry_run=None)
    names = [case.name for case in question.cases]
    found: list[Answer] = []

    def add(letter: str, when: str, does: str = "", **options: Any) -> None:
        found.append(Answer(letter, when, options, does, str(call.with_(**options))))

    if "own_pets" in names:
        column = "name and category"
        compared = call.compare()
        when = f"You want to see what differs from the store, by {column}"
        found.append(Answer("", when, {}, "nothing is sent", compared))
    first = question.cases[0]
    is_one = len(names) == 1
    same = _SAME[first.name] if is_one else "All of these are known animals"
    other = _OTHER[first.name] if is_one else "All of these are other animals"
    add("s", same, _does(first.if_skip), duplicates="skip")
    add("a", other, _does(first.if_send), duplicates="send")
    if not is_one:
        mixed = {name: "send" if name == "reused_key" else "skip" for name in names}
        if set(mixed.values()) == {"skip"}:
            mixed[max(names, key=_LIKELY.index)] = "send"
        add("", "It differs from case to case; answer each", "", duplicates=mixed)
    equal = next((case for case in question.cases if case.name == "equal"), None)
    # With a key, fewer than these are taken for other animals without being asked about.
    if equal is not None and question.likely_key and is_many(equal.records, equal.of):
        when = f"They are the same, and the column {question.likely_key!r} names each from now on"
        add("k", when, key=question.likely_key, duplicates="skip")
    return found


def _does(counts: dict[State, int]) -> str:
    """Return what becomes of records, in numbers."""
    shown = (f"{count:,} {_BECOMES.get(state, state)}" for state, count in counts.items() if count)
    return ", ".join(shown)


def question_facts(question: Question) -> dict[str, Any]:
    """Return the question as values that JSON has, for ``--json``."""
    cases = [
        asdict(case)
        | {name: {str(state): count for state, count in getattr(case, name).items()}
           for name in ("if_skip", "if_send")}
        for case in question.cases
    ]  # fmt: skip
    return {
        "question": "which animals are these records",
        "source": question.source,
        "records": question.records,
        "cases": cases,
        "likely_key": question.likely_key,
        "answers": [
            {"when": each.when, "options": each.options, "does": each.does, "call": each.call}
            for each in answers(question)
        ],
    }
