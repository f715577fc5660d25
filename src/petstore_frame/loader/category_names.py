"""Compares the names of categories in a list with those that earlier lists gave to their numbers.

The interface has numbers only, so the name of a category is a fact about a store that somebody
stated. The journal of the store remembers it: a load writes the names of its list, and reports and
the dashboard read them there. A name has one number. A number may have several names, such as those
of lists in two languages, after somebody confirmed each of them.
"""

from __future__ import annotations

import sqlite3
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

from petstore_frame.errors import QuestionError
from petstore_frame.inventory import Provenance
from petstore_frame.loader.findings import NewCategoryNames
from petstore_frame.loader.journal.database import Writer, find_journal, holding, reading
from petstore_frame.loader.journal.decisions import (
    STORE,
    Decision,
    decide,
    read_decisions,
    remove_decisions,
)
from petstore_frame.loader.journal.rows import Import
from petstore_frame.loader.journal.store_pets import StorePets
from petstore_frame.loader.matching.folding import category_in, fold
from petstore_frame.questions import PLACEHOLDER, Example, Question, Step
from petstore_frame.schema import count_text
from petstore_frame.tables import Categories, Labels

RENAME = "rename_categories"
# The names of each number, in the order in which somebody stated them.
NamesByNumber = Mapping[int, Sequence[str]]
_NAME = "category_name"
_USED_NUMBERS = """
SELECT DISTINCT CAST(json_extract(CAST(payload AS TEXT), '$.categoryId') AS INTEGER) FROM rows
WHERE reading = ? AND payload IS NOT NULL
"""
_MAX_PETS, _MAX_EXAMPLES = 2, 10


def known_category_names(
    base_url: str,
    *,
    store_id: str | None = None,
    journal: str | PathLike[str] | None = None,
) -> NamesByNumber:
    """Return the names that loads gave to the categories of a store.

    Args:
        base_url: The address of the store.
        store_id: The id that the store sends, if it has one.
        journal: Folder of the journal; None is the user's state folder, where a load without
            ``journal=`` writes it.

    Raises:
        JournalError: The journal of this store is damaged.
    """
    path = find_journal(journal, base_url, lambda: store_id)
    if not path.exists():
        return {}
    with reading(path) as sql:
        return read_category_names(sql)


def read_category_names(sql: sqlite3.Connection) -> NamesByNumber:
    """Return the names in a journal."""
    names = defaultdict[int, list[str]](list)
    for decision in read_decisions(sql, STORE, _NAME):
        names[int(decision.subject)].append(decision.answer)
    return dict(names)


def remember_category_names(sql: sqlite3.Connection, categories: Categories, now: float) -> None:
    """Write the names of a list that agrees with the known ones, or that the user confirmed."""
    by_number = names_by_number(categories)
    numbers = _numbers_by_name(by_number)
    stale = [
        decision
        for decision in read_decisions(sql, STORE, _NAME)
        if int(decision.subject) not in numbers.get(decision.object, {int(decision.subject)})
    ]
    remove_decisions(sql, stale)
    known = {decision[2:4] for decision in read_decisions(sql, STORE, _NAME)}
    decisions = [
        Decision(STORE, _NAME, str(number), fold(name), name, now)
        for number, names in by_number.items()
        for name in names
    ]
    decide(sql, [decision for decision in decisions if decision[2:4] not in known])


def confirm_category_names(
    base_url: str,
    categories: Mapping[int, str],
    *,
    store_id: str | None = None,
    journal: str | PathLike[str] | None = None,
) -> None:
    """Write names that the user confirmed, so that no command asks about them again.

    Args:
        base_url, store_id, journal: As in ``known_category_names``.
        categories: The confirmed names.

    Raises:
        JournalLockedError: An import is running.
    """
    path = find_journal(journal, base_url, lambda: store_id)
    with holding(path), Writer(path, base_url) as writer, writer.transaction() as sql:
        remember_category_names(sql, categories, time.time())


def names_by_number(categories: Categories) -> NamesByNumber:
    """Return the names of each number in a list, without open placeholders of a recipe."""
    stated: Any = categories
    if isinstance(categories, Mapping):
        stated = {key: value for key, value in categories.items() if value != PLACEHOLDER}
    names = defaultdict[int, list[str]](list)
    for number, name in Labels.ids_and_labels(stated):
        names[number].append(name)
    return dict(names)


def names_of_pets(pets: Iterable[tuple[int | None, str]]) -> NamesByNumber:
    """Return the names of the first two pets of each category."""
    names = defaultdict[int, list[str]](list)
    for number, name in pets:
        if number is not None and len(names[number]) < _MAX_PETS:
            names[number].append(name)
    return dict(names)


def names_of_store(store: StorePets | None) -> NamesByNumber:
    """Return the names of the first two pets of each category in a reading of the store."""
    pets = () if store is None else store.pets.values()
    return names_of_pets((int(category_in(pet.content)), pet.name) for pet in pets)


def new_category_names(
    sql: sqlite3.Connection, run: Import, categories: Categories, pets: NamesByNumber
) -> NewCategoryNames | None:
    """Return the names that rows of a file use and that nobody stated before, with pets to check.

    A dry run shows them, because a pet that is sent with a wrong number cannot be changed.
    """
    listed, known = names_by_number(categories), read_category_names(sql)
    used = {number for (number,) in sql.execute(_USED_NUMBERS, [run.reading])}
    numbers = sorted(used & (listed.keys() - known.keys()))
    if not numbers:
        return None
    names = {str(number): " / ".join(listed[number]) for number in numbers}
    return NewCategoryNames(names, {str(number): [*pets.get(number, ())] for number in numbers})


def category_question(
    categories: Categories,
    known_names: NamesByNumber,
    *,
    pets: NamesByNumber | None = None,
    renamed: Collection[int] = (),
) -> Question | None:
    """Return the question about a list that contradicts the known names of a store, or None.

    Args:
        categories: The list.
        known_names: The result of ``known_category_names``.
        pets: Names of some pets of each category, to show next to the names.
        renamed: The numbers for which the user confirmed the list.
    """
    listed = names_by_number(categories)
    conflicts = {
        number: earlier
        for number, earlier in _conflicts(listed, known_names)
        if number not in renamed
    }
    if not conflicts:
        return None
    names = {number: " / ".join(listed[number]) for number in conflicts}
    facts = {number: _facts(number, earlier, pets or {}) for number, earlier in conflicts.items()}
    examples = [Example(None, f"{number}: {names[number]}", facts[number]) for number in conflicts]
    text = (
        "Your list of categories contradicts the names that earlier files gave to "
        f"{count_text(len(conflicts), 'number')} of this store"
    )
    if len(conflicts) == 1:
        (number,) = conflicts
        text = (
            f"Your list calls {number} {names[number]}; in earlier files for this store, "
            f"{facts[number]}"
        )
        examples = []
    return Question(
        RENAME,
        text,
        examples=tuple(examples[:_MAX_EXAMPLES]),
        answers=(
            Step(
                "Your list is right",
                {RENAME: [*sorted(conflicts)]},
                effect="pets with these numbers are shown with its names from now on",
            ),
            Step("Your list is not right for this store: correct it, or name another one"),
        ),
        option=(RENAME,),
        note="A pet that was sent with a wrong number cannot be changed afterwards.",
    )


def check_category_names(
    categories: Categories,
    store: Provenance,
    pets: Iterable[tuple[int | None, str]],
    *,
    renamed: Collection[int] = (),
    journal: str | PathLike[str] | None = None,
) -> None:
    """Check a list against the journal of a store, for files that show its names.

    Args:
        categories: The list.
        store: Where the pets were read.
        pets: The category and the name of each pet; read only if the journal has names.
        renamed: The numbers for which the user confirmed the list.
        journal: Folder of the journal; None is the user's state folder.

    Raises:
        QuestionError: The list contradicts the known names.
    """
    if categories is None or not store.base_url:
        return
    known = known_category_names(store.base_url, store_id=store.store_id, journal=journal)
    if known:
        question = category_question(categories, known, pets=names_of_pets(pets), renamed=renamed)
        raise_question(question)


def raise_question(question: Question | None) -> None:
    """Raise the question, if there is one."""
    if question is not None:
        raise QuestionError([question])


def _conflicts(listed: NamesByNumber, known: NamesByNumber) -> Iterator[tuple[int, list[str]]]:
    """Yield each number of a list that contradicts known names, with what is known."""
    listed_numbers, known_numbers = _numbers_by_name(listed), _numbers_by_name(known)
    for number, names in listed.items():
        folded = {*map(fold, names)}
        earlier = known.get(number, ())
        facts = []
        if earlier and not folded & {*map(fold, earlier)}:
            facts.append(f"{number} was {' / '.join(earlier)}")
        for name in names:
            numbers = known_numbers.get(fold(name), set())
            if numbers and not numbers & listed_numbers[fold(name)]:
                facts.append(f"{name} was {' and '.join(map(str, sorted(numbers)))}")
        if facts:
            yield number, facts


def _numbers_by_name(names: NamesByNumber) -> Mapping[str, set[int]]:
    """Return the numbers of each name, by its folded text."""
    numbers = defaultdict[str, set[int]](set)
    for number, of_number in names.items():
        for name in of_number:
            numbers[fold(name)].add(number)
    return dict(numbers)


def _facts(number: int, earlier: Sequence[str], pets: NamesByNumber) -> str:
    facts = " and ".join(earlier)
    names = pets.get(number)
    return f"{facts} (pets with {number}: {', '.join(names)})" if names else facts
