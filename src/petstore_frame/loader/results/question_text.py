"""The one question that an import asks: its error, what was found in words, and the answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, NamedTuple

from petstore_frame.errors import PetstoreError
from petstore_frame.loader.call import Call
from petstore_frame.loader.journal.animals import is_many
from petstore_frame.loader.journal.question import Case, Example, Question
from petstore_frame.loader.record import State
from petstore_frame.schema.models import SENT_FIELDS
from petstore_frame.schema.text import day_text, minute_text, records_text


class _CaseText(NamedTuple):
    """A case in words: what was found, and when each answer is right."""

    found: str
    skip: str
    send: str


# The last case is the one whose answer most often differs from that of the others.
_CASES = {
    "own_pets": _CaseText(
        "{records} of {of} are pets of this store: they have its ids with their names",
        "They are these pets",
        "Copies of them are wanted",
    ),
    "others_pets": _CaseText(
        "{records} of {of} equal pets that the store has, and that were not loaded from here: by "
        "somebody else, or with a journal that is lost",
        "They are these pets",
        "They are other animals",
    ),
    "equal": _CaseText(
        "{records} of {of} equal records of earlier loads in all but the status",
        "They are the same animals",
        "They are other animals",
    ),
    "similar_key": _CaseText(
        "{records} of {of} have a key that differs from a known one only in how it is written: "
        "zeros in front, a .0 behind, capitals, spaces or an apostrophe",
        "They are the same animals, however the key is written",
        "They are other animals",
    ),
    "reused_key": _CaseText(
        "{records} of {of} have a known key, and the name of another animal",
        "They are the same animals under a new name",
        "They are other animals, and the key was used again",
    ),
}
# By case and answer, when it is right.
CASE_ANSWERS = {name: {"skip": text.skip, "send": text.send} for name, text in _CASES.items()}
# What an answer does with records; states without a phrase are named as they are.
_BECOMES = {
    State.PENDING: "sent",
    State.SKIPPED: "not sent again",
    State.ADOPTED: "taken for their pets, not sent",
    State.CREATED: "created before",
    State.INVALID: "to fix",
}


class DuplicatesError(PetstoreError):
    """Some records may be known animals, and the user has not said whether they are.

    Nothing was sent. ``str()`` has what was found, what each answer would do, and the call for it.

    Attributes:
        question: What was found, as values: the cases, with their counts and examples.
    """

    __module__ = PetstoreError.__module__  # the name by which it is imported

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.question = question

    def phrased_by(self, reader: Call | None = None) -> str:
        """Return the question; a reader in the dashboard gets buttons instead of calls."""
        lines = facts_of(self.question)
        if reader is None or reader.has_options:
            lines.append("Say which it is:")
            for answer in answers(self.question):
                lines += [f"  {answer}:", f"    {answer.call}"]
        return "\n".join(lines)


class PossibleAnswer(NamedTuple):
    """An answer to the question.

    Attributes:
        letter: What to type for it on a terminal.
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

    def __str__(self) -> str:
        return f"{self.when} ({self.does})" if self.does else self.when


def facts_of(question: Question) -> list[str]:
    """Return what was found, line by line; the first names the file."""
    lines = [
        f"{question.source}: some of its {records_text(question.records)} may be animals that are "
        "known already, so nothing was sent."
    ]
    for case in question.cases:
        lines += ["", *_case_lines(case)]
    return lines


def _case_lines(case: Case) -> Iterator[str]:
    found = _CASES[case.name].found
    found = found.format(records=f"{case.records:,}", of=records_text(case.of))
    yield f"{found}:" if case.examples else f"{found}."
    for source in case.sources[:3]:
        day = minute_text(source.staged_at)
        yield f"  {source.records:,} of {source.source}, loaded {day}"
    if len(case.sources) > 3:
        yield f"  and {len(case.sources) - 3:,} more files"
    shown = [_sides(case.name, example) for example in case.examples[:2]]
    width = max((len(ours) for ours, _ in shown), default=0)
    for ours, theirs in shown:
        yield f"    {ours:<{width}}  |  {theirs}"


def _sides(case: str, example: Example) -> tuple[str, str]:
    """Return a record and what it may be."""
    is_key = case == "similar_key"
    shown = repr if is_key else _pet_text
    theirs = shown(example.theirs)
    if example.pet_id is not None:
        theirs += f" (pet {example.pet_id})"
    if example.source is not None and is_key:
        theirs += f" in {example.source}"
    if example.day is not None and case != "equal":
        theirs += f", loaded {day_text(example.day)}"
    return f"line {example.line}: {shown(example.ours)}", theirs


def _pet_text(body: str) -> str:
    """Return what is sent of an animal in a few words."""
    values = json.loads(body or "{}")
    shown = [
        f"category {value}" if field.name == "category_id" else str(value)
        for field in SENT_FIELDS
        if (value := values.get(field.wire_name)) is not None
    ]
    return ", ".join(shown)


def answers(question: Question) -> list[PossibleAnswer]:
    """Return the possible answers, the likeliest first; each has a whole call."""
    call = (question.call or Call()).with_(dry_run=None)
    names = [case.name for case in question.cases]
    first, is_one = question.cases[0], len(names) == 1
    found: list[PossibleAnswer] = []

    def add(letter: str, when: str, does: str = "", **options: Any) -> None:
        answered = str(call.with_(**options))
        found.append(PossibleAnswer(letter, when, options, does, answered))

    if "own_pets" in names:
        when = "You want to see what differs from the store, by name and category"
        found.append(PossibleAnswer("", when, {}, "nothing is sent", call.compare()))
    same = _CASES[first.name].skip if is_one else "All of these are known animals"
    add("s", same, _does(first.if_skip), duplicates="skip")
    other = _CASES[first.name].send if is_one else "All of these are other animals"
    add("a", other, _does(first.if_send), duplicates="send")
    if not is_one:
        mixed = dict.fromkeys(names, "skip")
        mixed[max(names, key=list(_CASES).index)] = "send"
        add("", "It differs from case to case; answer each", duplicates=mixed)
    equal = next((case for case in question.cases if case.name == "equal"), None)
    # With a key, the next load takes fewer equal records than these for others without a question.
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
    return {
        "question": "which animals are these records",
        "source": question.source,
        "records": question.records,
        "cases": [asdict(case) for case in question.cases],  # a state is a text
        "likely_key": question.likely_key,
        "answers": [
            {name: value for name, value in answer._asdict().items() if name != "letter"}
            for answer in answers(question)
        ],
    }
