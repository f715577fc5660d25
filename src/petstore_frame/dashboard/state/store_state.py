"""The store of a dashboard and its last reading, which all tabs share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from petstore_frame.client import Client
from petstore_frame.dashboard.state.category_numbers import CategoryNumbers
from petstore_frame.dashboard.state.remembered_answers import Memory
from petstore_frame.inventory import Inventory
from petstore_frame.loader import (
    category_question,
    confirm_category_names,
    known_category_names,
)
from petstore_frame.questions import Question, Step

RENAME, EARLIER_NAMES = "rename_categories", "The earlier names are right"


@dataclass
class StoreState:
    """A store, its folders, and its last reading.

    Attributes:
        client: The store, with the key that was entered last.
        memory: The saved answers for files of this store.
        folder: Folder for result files, and the start of relative paths.
        journal: Folder of the import journals; None is the user's state directory.
        inventory: The last reading, or None.
        outdated: Why the last reading is out of date; empty if it is not.
        own_clients: Clients for keys that were entered on the page.
    """

    client: Client
    memory: Memory
    folder: Path
    journal: Path | None = None
    inventory: Inventory | None = None
    outdated: str = ""
    own_clients: list[Client] = field(default_factory=list)

    @property
    def pets_read(self) -> int:
        """The number of pets in the last reading, which tells how long the next one takes."""
        return 0 if self.inventory is None else len(self.inventory)

    @property
    def used_numbers(self) -> set[int]:
        """The category numbers of the pets that were read."""
        if self.inventory is None:
            return set()
        return {*self.inventory.frame["category_id"].dropna().unique().tolist()}

    def category_question(self) -> Question | None:
        """Return the question about names that contradict those of earlier files, or None."""
        known, pets = self._known_names(), dict[int, list[str]]()
        if known and self.inventory is not None:
            first = self.inventory.frame.dropna(subset="category_id").groupby("category_id").head(2)
            for number, name in zip(first["category_id"], first["name"], strict=True):
                pets.setdefault(int(number), []).append(str(name))
        question = category_question(self.memory.categories, known, pets=pets)
        return None if question is None else with_earlier_names(question)

    def category_names(self) -> Mapping[int, str]:
        """Return the names to show: while the question is open, those of earlier files."""
        question = self.category_question()
        if question is None:
            return self.memory.categories
        return agreed_names(question, self.memory.categories, self.earlier_names)

    def answer_category_question(self, text: str) -> None:
        """Use the names of the list, and remember that; or use those of earlier files."""
        question = self.category_question()
        if question is None:
            return
        if text == EARLIER_NAMES:
            self.memory.categories = {**self.category_names()}
            return
        names = {number: self.memory.categories[number] for number in conflicts_of(question)}
        confirm_category_names(
            self.client.base_url, names, store_id=self._store_id, journal=self.journal
        )

    @property
    def earlier_names(self) -> Mapping[int, str]:
        """The names that earlier files gave to the categories."""
        return first_names(self._known_names())

    @property
    def _store_id(self) -> str | None:
        return None if self.inventory is None else self.inventory.provenance.store_id

    def _known_names(self) -> Mapping[int, Sequence[str]]:
        return known_category_names(
            self.client.base_url, store_id=self._store_id, journal=self.journal
        )

    @property
    def categories(self) -> CategoryNumbers:
        """The names of the categories, and the numbers that the pets use."""
        return CategoryNumbers(self.memory.categories, self.used_numbers)


def conflicts_of(question: Question) -> frozenset[int]:
    """Return the numbers that a question about the names of categories is about."""
    return frozenset(question.answers[0].add[RENAME])


def with_earlier_names(question: Question) -> Question:
    """Return the question with an answer that the page can carry out if the list is wrong."""
    effect = "the page uses them instead of those of your list"
    return replace(question, answers=(question.answers[0], Step(EARLIER_NAMES, effect=effect)))


def agreed_names(
    question: Question, listed: Mapping[int, str], earlier: Mapping[int, str]
) -> dict[int, str]:
    """Return the names of a list, without those that contradict earlier names."""
    numbers = conflicts_of(question)
    agreed = {number: name for number, name in listed.items() if number not in numbers}
    return {**agreed, **earlier}


def first_names(names: Mapping[int, Sequence[str]]) -> dict[int, str]:
    """Return the first name of each category."""
    return {number: of_number[0] for number, of_number in names.items()}


def all_names(stated: Mapping[int, str], known: Mapping[int, Sequence[str]]) -> dict[int, str]:
    """Return the stated names, and the known names that they do not replace.

    Example:
        >>> all_names({5: "Bird"}, {3: ["Cat"], 4: ["Bird"]})
        {3: 'Cat', 5: 'Bird'}
    """
    folded = {name.casefold() for name in stated.values()}
    more = {
        number: name for number, name in first_names(known).items() if name.casefold() not in folded
    }
    return {**more, **stated}
