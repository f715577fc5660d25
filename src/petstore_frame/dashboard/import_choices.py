"""What a user has chosen for a file, and what sending it so would do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from petstore_frame.errors import InputError
from petstore_frame.loader.question import Question
from petstore_frame.loader.reading.preview import Look
from petstore_frame.loader.reading.recipe import Recipe
from petstore_frame.loader.record import DOUBT_STATES, State
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.schema.categories import category_labels
from petstore_frame.schema.models import FIELD_BY_NAME, SENT_FIELDS

NOTHING = "none"  # a value that means no status
_LABELLED = re.compile(r"(.+?)\s*\((-?\d+)\)")


@dataclass(frozen=True)
class Choices:
    """What the user has chosen for a file; records are named by their lines."""

    reading: Recipe
    duplicates: Any = "refuse"  # one answer, or one for each case
    edits: Mapping[tuple[int, str], str] = field(default_factory=dict)  # cells by line and column
    left_out: frozenset[int] = frozenset()
    confirmed: frozenset[int] = frozenset()  # sent although they look wrong
    again: bool = False  # a file that was sent before holds other animals


@dataclass(frozen=True)
class Plan:
    """What sending would do, by a rehearsal of the file and one of its corrected records.

    ``lines`` are those of the corrected records, in the order of ``fixed``; ``asked`` is a question
    that came up when these were sent.
    """

    result: LoadResult
    lines: tuple[int, ...] = ()
    fixed: LoadResult | None = None
    asked: Question | None = None

    def count(self, state: State) -> int:
        """Return how many records are in a state, those that were corrected as they are now."""
        here = self.result.counts[state]
        if self.fixed is None:
            return here
        corrected = len(self.lines) if state is State.INVALID else 0
        return here - corrected + self.fixed.counts[state]

    @property
    def question(self) -> Question | None:
        """The question to answer first, about the file or its corrected records."""
        of_fixed = None if self.fixed is None else self.fixed.question
        return self.asked or self.result.question or of_fixed

    @property
    def to_send(self) -> int:
        """How many pets sending would add; none while a question is open."""
        return 0 if self.question is not None else self.count(State.PENDING)

    @property
    def in_doubt(self) -> LoadResult | None:
        """What became of the file when it was sent before, where records of it are in doubt."""
        if not any(self.result.counts[state] for state in DOUBT_STATES):
            return None
        return LoadResult(self.result.path, self.result.import_id, sent_now=False)


@dataclass
class Seen:
    """A file as far as it is known, and the user's choices for it."""

    look: Look
    choices: Choices
    plan: Plan | None = None
    only_problems: bool = False
    recalled: float | None = None  # when the file was loaded that it is read as
    is_unchecked: bool = False  # checking it was stopped


def recipe_of(seen: Look) -> Recipe:
    """Return how a file is read, with the columns that were recognised."""
    return Recipe(**seen.reading.given() | {"mapping": dict(seen.mapping)})


def as_chosen(seen: Seen, used: Mapping[str, str], labels: Mapping[int, str]) -> Recipe:
    """Return how a file is read after a list, a box or a tick was used.

    ``labels`` are those of categories that the user gave on the tab.

    Raises:
        InputError: A category is neither known by its label nor has a number.
    """
    reading, value = seen.choices.reading, used.get("value", "")
    if used.get("read") == "key":
        return reading.replace(key=value or None)
    if "read" in used:  # another layout: recognise the columns anew
        to: Any = int(value) if used["read"] == "header_row" else value or None
        return reading.replace(**{used["read"]: to}, mapping=None, columns=None, key=None)
    if "field" in used:
        columns = {each.name: seen.look.mapping.get(each.name) for each in SENT_FIELDS}
        columns[used["field"]] = value or None
        # An open choice of a required field is a question; of another field: leave it out.
        mapping = {name: each for name, each in columns.items()
                   if each is not None or not FIELD_BY_NAME[name].is_required}  # fmt: skip
        return reading.replace(mapping=mapping)
    if "map" in used:
        meant, known = _meaning(reading, used["map"], value)
        words = {name: dict(values) for name, values in (reading.value_map or {}).items()}
        values = words.setdefault(used["map"], {})
        values.pop(used["text"], None)
        if meant != "":
            values[used["text"]] = "" if meant == NOTHING else meant
        given = {name: values for name, values in words.items() if values}
        return reading.replace(value_map=given, categories=known)
    if "default" in used:
        meant, known = _meaning(reading, used["default"], value.strip())
        defaults = {**(reading.defaults or {}), used["default"]: meant}
        given = {name: each for name, each in defaults.items() if each != ""}
        return reading.replace(defaults=given or None, categories=known)
    if "labels" in used:
        return reading.replace(categories=labels or None)
    if "keep" in used:
        return reading.replace(keep=value or None)
    if "accept" in used:
        return reading.replace(accept={*reading.accept} ^ {used["accept"]})
    return reading


def _meaning(reading: Recipe, name: str, text: str) -> tuple[int | str, Mapping[int, str] | None]:
    """Return what was chosen or written for a field, and the categories, a new one among them."""
    labels = category_labels(reading.categories)
    if name != "category_id" or not text:
        return text, labels or None
    if found := _LABELLED.fullmatch(text):
        # Without a list of categories no category is new; a list of one would make all others odd.
        return int(found[2]), labels | {int(found[2]): found[1]} if labels else None
    if text.removeprefix("-").isdecimal():
        return int(text), labels or None
    for number, label in labels.items():
        if label.casefold() == text.casefold():
            return number, labels
    raise InputError(
        f"no category is called {text!r}",
        hint="choose one of the list, or write a new one with its number: Ferret (9)",
    )
