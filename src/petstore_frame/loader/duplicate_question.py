"""Asks whether rows of a file are animals that may be loaded already."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from petstore_frame.loader.next_steps import compare_call
from petstore_frame.loader.row_state import State
from petstore_frame.loader.source import PLACEHOLDER, LikelyKey, Recipe
from petstore_frame.questions import Reader, Step
from petstore_frame.schema import FIELDS, count_text, minute_text


class CaseText(NamedTuple):
    """A reason to ask: the finding, and when each of the two answers is right."""

    finding: str
    skip: str
    create: str


# Options that the suggested comparison leaves out: they choose rows, and ``key`` excludes ``on``.
_NOT_COMPARED = ("key", "keep", "order_by", "quantity")
COMPARED = "Compare the file with the store first, by name and category (sends nothing)"
_LIKELY = "One column may identify the animals: {}"
# In the order of the question.
CASES: dict[str, CaseText] = {
    "gone": CaseText(
        "{} of {}: in the store before and no longer there, because somebody removed them, or the "
        "store was restored or emptied",
        "They were removed on purpose",
        "The store lost them: create them again",
    ),
    "in_store": CaseText(
        "{} of {}: similar to pets that are already in the store, from an export, from somebody "
        "else, from a load whose journal is lost, or with another key",
        "They are the same animals",
        "They are different animals",
    ),
    "same_content": CaseText(
        "{} of {}: same name and category as rows that were loaded before",
        "They are the same animals",
        "They are different animals",
    ),
    "similar_key": CaseText(
        "{} of {}: a key that looks like an existing one, except for zeros, capitals, "
        "punctuation, spaces, a prefix, a suffix, rounding or the name of the key column",
        "They are the same animals, and only the key is written differently",
        "They are different animals",
    ),
    "reused_key": CaseText(
        "{} of {}: an existing key, but another name",
        "They are the same animals, and their name has changed",
        "They are different animals, and their key was reused",
    ),
}
# ``resume_loads`` asks this if a later file may replace one that stopped.
UNSENT = "unsent"
_UNSENT_TEXT = CaseText(
    "{} of {}: not sent, and a later file with the same columns has been loaded since",
    "The later file replaces these rows: drop them",
    "They are additional animals: send them",
)
# ``duplicates="create"`` does not answer these cases, only ``duplicates={CASE: "create"}``, so that
# nothing is created a second time by accident. The last two are asked by ``reconcile`` and
# ``resume_loads``, not by a load.
BY_NAME = ("gone", "not_found", UNSENT)
# What an answer does with the rows of each state; other states have their own name.
_EFFECTS = {
    State.PENDING: "to send",
    State.EXCLUDED: "not sent again",
    State.MATCHED: "linked to pets in the store",
    State.CREATED: "sent before",
    State.INVALID: "need fixing",
    State.GONE: "removed from the store",
}


@dataclass(frozen=True)
class Example:
    """A row of the file, and the animal that it may be.

    Both are request bodies; for ``similar_key``, both are keys.
    """

    row: int
    line: int
    ours: str
    theirs: str
    source: str | None = None  # the file of the animal; None for a pet of the store
    day: float | None = None  # when that file was loaded
    pet_id: int | None = None

    def describe(self, case: str) -> tuple[str, str]:
        """Return a text for the row, and one for the animal that it may be."""
        if case == UNSENT:
            return f"line {self.line}: {_pet_text(self.ours)}", f"later: {self.source}"
        is_key = case == "similar_key"
        to_text = repr if is_key else _pet_text
        animal = to_text(self.theirs)
        if self.pet_id is not None:
            animal += f" (pet {self.pet_id})"
        if self.source is not None and is_key:
            animal += f" in {self.source}"
        if self.day is not None and case != "same_content":
            animal += f", loaded {minute_text(self.day)[:10]}"
        return f"line {self.line}: {to_text(self.ours)}", animal


@dataclass(frozen=True)
class Earlier:
    """An earlier import, and the number of new rows that may be its animals."""

    import_id: str
    source: str
    staged_at: float
    rows: int


@dataclass(frozen=True)
class Case:
    """One reason to ask, which concerns ``rows`` of the ``of`` rows that were compared.

    ``sources`` are the earlier imports, the one with the most rows first.
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
        """Yield the finding, the earlier files and the examples, line by line."""
        finding = self.text.finding.format(f"{self.rows:,}", f"{self.of:,} rows")
        yield f"{finding}:" if self.examples else f"{finding}."
        for source in self.sources[:3]:
            yield f"  {source.rows:,} of {source.source}, loaded {minute_text(source.staged_at)}"
        if len(self.sources) > 3:
            yield f"  and {len(self.sources) - 3:,} more files"
        pairs = [example.describe(self.name) for example in self.examples]
        width = max((len(row) for row, _ in pairs), default=0)
        yield from (f"    {row:<{width}}  |  {animal}" for row, animal in pairs)


@dataclass(frozen=True)
class Question:
    """The question that the user must answer before an import continues.

    ``if_skip`` and ``if_create`` are the number of rows in each state if that answers all open
    cases. ``likely`` is the column that may identify an animal.
    """

    source: str
    rows: int
    cases: tuple[Case, ...]
    base_url: str
    if_skip: dict[State, int]
    if_create: dict[State, int]
    likely: LikelyKey | None = None
    listed_pets: int | None = None  # pets of the store; None if it was not read
    is_listing_complete: bool = True
    needs_key: bool = False  # whether the user must also decide if ``likely`` is the key
    path: str | None = None  # the file as the user named it
    options: Mapping[str, Any] = field(default_factory=dict)  # to read the file a second time

    def with_source(self, path: str | None, recipe: Recipe) -> Question:
        """Return the question with the path and the options that reading the file again needs."""
        options = {
            name: value for name, value in recipe.to_dict().items() if name not in _NOT_COMPARED
        }
        return replace(self, path=path, options=options)

    def lines(self) -> list[str]:
        """Return the findings, line by line; the first line names the file."""
        if not self.cases:
            return [
                f"{self.source}: one column may identify the animals, and {self._repeats()}, so "
                "nothing was sent."
            ]
        if all(case.name == UNSENT for case in self.cases):
            lines = [f"{self.source}: not sent to its end, and nothing was sent now."]
        else:
            rows = "its row" if self.rows == 1 else f"some of its {self.rows:,} rows"
            lines = [f"{self.source}: {rows} may be loaded already, so nothing was sent."]
        for case in self.cases:
            lines += ["", *case.lines()]
        if self.listed_pets is not None and not self.is_listing_complete:
            lines += [
                "",
                f"Only {count_text(self.listed_pets, 'pet')} could be read and compared; the "
                "store may have more.",
            ]
        return lines

    def _repeats(self) -> str:
        """Return where the values of the likely key repeat."""
        if self.likely is not None and not self.likely.repeated:
            return "an earlier file with the same columns has some of its values"
        return "several rows have the same value in it"

    def does(self, answer: str) -> str:
        """Return how many rows are sent, skipped and so on if this answers all open cases."""
        counts = self.if_skip if answer == "skip" else self.if_create
        return ", ".join(_effect(state, rows) for state, rows in counts.items() if rows)

    def answers(self) -> list[Step]:
        """Return the possible answers, the most likely first.

        If the user must decide about the key, that comes first: the key decides which rows are
        compared in which way, so the cases are asked about again.
        """
        names, steps = [case.name for case in self.cases], list[Step]()
        if self.needs_key and self.likely is not None:
            steps += [
                Step("This column identifies the animals", {"key": self.likely.column}),
                Step("No column identifies the animals", {"key": ""}),
            ]
        if not names or steps:
            return steps
        if "in_store" in names:
            call = compare_call(self.path, self.base_url, self.options)
            steps.append(Step(COMPARED, calls=(call,)))
        skip = "All of these are loaded already"
        create = "All of these are different animals"
        if len(names) == 1:
            _, skip, create = self.cases[0].text
        for answer, when in (("skip", skip), ("create", create)):
            # Some cases must be answered by name.
            is_by_name = any(name in BY_NAME for name in names)
            duplicates = dict.fromkeys(names, answer) if is_by_name else answer
            steps.append(Step(f"{when} ({self.does(answer)})", {"duplicates": duplicates}))
        if len(names) > 1:
            mixed = dict.fromkeys(names, "skip") | {names[-1]: "create"}
            text = "Only some are loaded already; answer each case, such as"
            steps.append(Step(text, {"duplicates": mixed}))
        return steps

    def text(self, reader: Reader = "python") -> str:
        """Return the findings, and what to add for each answer."""
        lines = self.lines()
        if self.likely is not None and self.needs_key:
            repeats = f"; {self._repeats()}" if self.cases else ""  # else the first line says it
            lines.append(f"{_LIKELY.format(self.likely)}{repeats}")
        elif self.likely is not None:
            key = likely_key_step([self.likely])
            lines += [key.text, *(f"    {typed}" for typed in key.typed(reader))]
        lines.append("Choose one:")
        for answer in self.answers():
            lines += [f"  {answer.text}:", *(f"    {typed}" for typed in answer.typed(reader))]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Return the question as JSON values, for ``--json``."""
        answers = [{"text": answer.text, "add": dict(answer.add)} for answer in self.answers()]
        facts = asdict(self)
        del facts["options"]
        return facts | {"answers": answers}


def _effect(state: State, rows: int) -> str:
    """Return how many rows are in a state after an answer."""
    if state is State.INVALID and rows == 1:
        return "1 needs fixing"
    return f"{rows:,} {_EFFECTS.get(state, state)}"


def likely_key_step(likely: Sequence[LikelyKey]) -> Step:
    """Return the step that names the key; a placeholder, unless the only column is proven."""
    first, *others = likely
    if first.is_proven and not others:
        return Step(_LIKELY.format(first), {"key": first.column})
    facts = "; ".join(map(str, likely))
    text = f"{_LIKELY.format(facts)}; replace ? with its name, or with nothing if there is none"
    return Step(text, {"key": PLACEHOLDER})


def _pet_text(body: str) -> str:
    """Return the values of a request body as a short text: ``Luna, category 3, sold``."""
    values = json.loads(body or "{}")
    texts = [
        f"category {value}" if field.name == "category_id" else str(value)
        for field in FIELDS.sent
        if (value := values.get(field.wire_name)) is not None
    ]
    return ", ".join(texts)
