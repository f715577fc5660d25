"""Asks the one question of an import: are these rows animals that are known?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from petstore_frame.loader.next_steps import Reader, Step, compare_call
from petstore_frame.loader.row_state import State
from petstore_frame.loader.source import LikelyKey, Recipe
from petstore_frame.schema import FIELDS, count_text, minute_text


class CaseText(NamedTuple):
    """A reason to ask: what was found, and when each of the two answers is right."""

    found: str
    skip: str
    create: str


# Options that say which row counts, and not how to read a file; ``key`` excludes ``on``.
_NOT_COMPARED = ("key", "keep", "order_by", "quantity")
COMPARED = "You want to see what differs from the store, by name and category (nothing is sent)"
LIKELY = "Which animal is each row? One column may say so: {}"
# In the order in which they are asked.
CASES: dict[str, CaseText] = {
    "gone": CaseText(
        "{} of {} are animals that the store showed before, and does not show any more: were they "
        "taken out, or was the store restored or emptied?",
        "They were taken out on purpose",
        "The store has lost them: create them again",
    ),
    "in_store": CaseText(
        "{} of {} are, or equal, pets that the store has already: from an export of it, from "
        "somebody else, with a journal that is lost, or under another key",
        "They are these pets",
        "They are other animals",
    ),
    "same_content": CaseText(
        "{} of {} equal rows of earlier loads in all but the status",
        "They are the same animals",
        "They are other animals",
    ),
    "similar_key": CaseText(
        "{} of {} have a key that may be a known one, written in another way: with other zeros, "
        "capitals or signs, with something in front or behind, or rounded",
        "They are the same animals, however the key is written",
        "They are other animals",
    ),
    "reused_key": CaseText(
        "{} of {} have a known key, and the name of another animal",
        "They are the same animals under a new name",
        "They are other animals, and the key was used again",
    ),
}
# What ``resume_loads`` asks, where a later file may have taken the place of one that stopped.
UNSENT = "unsent"
_UNSENT_TEXT = CaseText(
    "{} of {} were not sent, and a later file with the same columns was loaded since",
    "The later file replaces this one: drop them",
    "They are animals of their own: send them",
)
# A plain word does not answer these: nothing is created again unless it is said by name. The
# last two are no cases of a load: ``reconcile`` and ``resume_loads`` ask them.
BY_NAME = ("gone", "not_found", UNSENT)
# What an answer does with rows; states without a phrase are named as they are.
_BECOMES = {
    State.PENDING: "to send",
    State.EXCLUDED: "not sent again",
    State.MATCHED: "taken for their pets, not sent",
    State.CREATED: "sent before",
    State.INVALID: "to fix",
    State.GONE: "taken out of the store",
}


@dataclass(frozen=True)
class Example:
    """A row of the file and what it may be: request bodies, or keys for ``similar_key``."""

    row: int
    line: int
    ours: str
    theirs: str
    source: str | None = None  # the file of the other one; None for a pet
    day: float | None = None  # when that was loaded
    pet_id: int | None = None

    def shown(self, case: str) -> tuple[str, str]:
        """Return this row and what it may be, as a line shows them."""
        if case == UNSENT:
            return f"line {self.line}: {_pet_text(self.ours)}", f"later: {self.source}"
        is_key = case == "similar_key"
        show = repr if is_key else _pet_text
        theirs = show(self.theirs)
        if self.pet_id is not None:
            theirs += f" (pet {self.pet_id})"
        if self.source is not None and is_key:
            theirs += f" in {self.source}"
        if self.day is not None and case != "same_content":
            theirs += f", loaded {minute_text(self.day)[:10]}"
        return f"line {self.line}: {show(self.ours)}", theirs


@dataclass(frozen=True)
class Earlier:
    """An earlier import as the user knows it: how many new rows may be animals of it."""

    import_id: str
    source: str
    staged_at: float
    rows: int


@dataclass(frozen=True)
class Case:
    """One reason to ask: it concerns ``rows`` rows ``of`` so many that are compared.

    ``sources`` are the earlier imports, those with most of the rows first.
    """

    name: str
    rows: int
    of: int
    examples: tuple[Example, ...] = ()
    sources: tuple[Earlier, ...] = ()

    @property
    def text(self) -> CaseText:
        return _UNSENT_TEXT if self.name == UNSENT else CASES[self.name]

    def lines(self) -> Iterator[str]:
        """Yield what was found, line by line."""
        found = self.text.found.format(f"{self.rows:,}", f"{self.of:,} rows")
        yield f"{found}:" if self.examples else f"{found}."
        for source in self.sources[:3]:
            yield f"  {source.rows:,} of {source.source}, loaded {minute_text(source.staged_at)}"
        if len(self.sources) > 3:
            yield f"  and {len(self.sources) - 3:,} more files"
        pairs = [each.shown(self.name) for each in self.examples]
        width = max((len(ours) for ours, _ in pairs), default=0)
        yield from (f"    {ours:<{width}}  |  {theirs}" for ours, theirs in pairs)


@dataclass(frozen=True)
class Question:
    """All that is to be answered before an import goes on.

    ``if_skip`` and ``if_create`` count the rows in each state where all open cases are answered
    so; ``likely`` is the column that may identify an animal.
    """

    source: str
    rows: int
    cases: tuple[Case, ...]
    base_url: str
    if_skip: dict[State, int]
    if_create: dict[State, int]
    likely: LikelyKey | None = None
    listed_pets: int | None = None  # of the store that were compared; None if it was not read
    is_listing_complete: bool = True
    needs_key: bool = False  # ``likely`` identifies animals, so nothing is sent before an answer
    path: str | None = None  # the file as the user named it
    options: Mapping[str, Any] = field(default_factory=dict)  # how a second read has to read it

    def with_source(self, path: str | None, recipe: Recipe) -> Question:
        """Return the question with the path and the options that a second read needs."""
        options = {
            name: value for name, value in recipe.to_dict().items() if name not in _NOT_COMPARED
        }
        return replace(self, path=path, options=options)

    def lines(self) -> list[str]:
        """Return what was found, line by line; the first names the file."""
        if not self.cases:
            return [
                f"{self.source}: one column seems to say which animal each row is, and its values "
                "repeat, so nothing was sent."
            ]
        lines = [
            f"{self.source}: some of its {count_text(self.rows, 'row')} may be animals "
            "that are known already, so nothing was sent."
        ]
        for case in self.cases:
            lines += ["", *case.lines()]
        if self.listed_pets is not None and not self.is_listing_complete:
            lines += [
                "",
                f"Only the {count_text(self.listed_pets, 'pet')} that could be listed were "
                "compared; the store may have more.",
            ]
        return lines

    def does(self, answer: str) -> str:
        """Say in numbers what ``skip`` or ``create`` does as the answer to all open cases."""
        counts = self.if_skip if answer == "skip" else self.if_create
        return ", ".join(f"{n:,} {_BECOMES.get(each, each)}" for each, n in counts.items() if n)

    def answers(self) -> list[Step]:
        """Return the possible answers, the likeliest first."""
        names, steps = [case.name for case in self.cases], list[Step]()
        if self.needs_key and self.likely is not None:
            steps += [
                Step("It is the animal's own number", {"key": self.likely.column}),
                Step("No column says which animal a row is", {"key": ""}),
            ]
        if not names:
            return steps
        if "in_store" in names:
            call = compare_call(self.path, self.base_url, self.options)
            steps.append(Step(COMPARED, calls=(call,)))
        skip, create = "All of these are known animals", "All of these are other animals"
        if len(names) == 1:
            _, skip, create = self.cases[0].text
        for word, when in (("skip", skip), ("create", create)):
            # Some cases are answered by name only.
            is_by_name = any(name in BY_NAME for name in names)
            answer = dict.fromkeys(names, word) if is_by_name else word
            steps.append(Step(f"{when} ({self.does(word)})", {"duplicates": answer}))
        if len(names) > 1:
            mixed = dict.fromkeys(names, "skip") | {names[-1]: "create"}
            text = "It differs from case to case; answer each, such as"
            steps.append(Step(text, {"duplicates": mixed}))
        return steps

    def text(self, reader: Reader = "python") -> str:
        """Return what was found, and what to add for each answer."""
        lines = self.lines()
        if self.likely is not None and self.needs_key:
            lines.append(LIKELY.format(self.likely))
        elif self.likely is not None:
            key = Step(LIKELY.format(self.likely), {"key": self.likely.column})
            lines += [key.text, *(f"    {typed}" for typed in key.typed(reader))]
        lines.append("Say which it is:")
        for answer in self.answers():
            lines += [f"  {answer.text}:", *(f"    {typed}" for typed in answer.typed(reader))]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Return the question as values that JSON has, for ``--json``."""
        answers = [{"text": each.text, "add": dict(each.add)} for each in self.answers()]
        facts = asdict(self)
        del facts["options"]
        return facts | {"answers": answers}


def _pet_text(body: str) -> str:
    """Return what is sent of an animal in a few words."""
    values = json.loads(body or "{}")
    shown = [
        f"category {value}" if field.name == "category_id" else str(value)
        for field in FIELDS.sent
        if (value := values.get(field.wire_name)) is not None
    ]
    return ", ".join(shown)
