"""Matches rows with animals by their keys, exact or in another spelling."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from petstore_frame.loader.matching.folding import SEPARATOR, compact, name_in
from petstore_frame.loader.matching.not_keys import (
    EXACT_DIGITS,
    is_missing_key,
    may_be_rounded,
)
from petstore_frame.loader.matching.repeated_keys import key_texts
from petstore_frame.loader.matching.thresholds import is_many
from petstore_frame.loader.matching.values import (
    Animal,
    Match,
    Row,
    differs_in_category,
    differs_in_name,
)

_LONG_NUMBER = re.compile(r"\d{16,}")
# A key must have this many characters to be part of another, and more if digits continue it:
# 1001 and 10012 are different numbers, but a microchip may lack the digits of its country.
_MIN_PART, _MIN_DIGITS = 4, 9
# A longer text in the column of the key is compared as a whole only.
_LONGEST_KEY = 100


class KeyMatches(NamedTuple):
    """Rows whose keys have animals, by how the rows differ from these."""

    same: list[Match]  # the same name; another category is a changed value
    renamed: list[Match]  # another name, same category
    reused: list[Match]  # another name, and another category or a number that may be rounded
    not_keys: list[Row]  # a text such as "none", which also is the key of another animal


def match_existing_keys(
    rows: Iterable[Row],
    animals_of_key: Mapping[str, Sequence[Animal]],
    earlier: frozenset[tuple[int, str]] | set[tuple[int, str]] = frozenset(),
) -> KeyMatches:
    """Match rows with the animals of their keys.

    ``earlier`` has the contents of earlier rows of the animals. A row with one of these contents
    is not asked about again.
    """
    matches = KeyMatches([], [], [], [])
    for row in rows:
        animals = animals_of_key.get(row.key or "", ())
        if not animals or any(animal.id == row.animal for animal in animals):
            continue
        chosen = animal_of_key(row, animals)
        has_other_name = differs_in_name(row, chosen)
        has_other_category = differs_in_category(row, chosen)
        if is_missing_key(key_texts(row.key)) and (has_other_name or has_other_category):
            matches.not_keys.append(row)
            continue
        match = Match(row.number, chosen.id)
        was_decided = (chosen.id, row.content) in earlier or not chosen.is_sent
        if was_decided or not has_other_name:
            matches.same.append(match)
        elif has_other_category or may_be_rounded(key_texts(row.key)):
            matches.reused.append(match)
        else:
            matches.renamed.append(match)
    return matches


def animal_of_key(row: Row, animals: Sequence[Animal]) -> Animal:
    """Return the most likely animal of a row: one that was sent, with the most similar content."""
    sent = [animal for animal in animals if animal.is_sent] or list(animals)

    def difference(animal: Animal) -> tuple[bool, bool, bool]:
        has_other_name = differs_in_name(row, animal)
        has_other_category = differs_in_category(row, animal)
        return (
            has_other_name and has_other_category,
            has_other_name or has_other_category,
            has_other_name,
        )

    return min(sent, key=difference)


def match_similar_keys(
    rows: Sequence[Row],
    animals_of_core: Mapping[str, Sequence[Animal]],
    animals_of_content: Mapping[str, Sequence[Animal]],
    long_numbers: Mapping[str, Sequence[Animal]],
    keys_of_file: frozenset[str] | set[str],
) -> list[Match]:
    """Match rows with new keys with animals whose keys may be other spellings of them.

    If two new keys in the file have the same core, the second row is matched with the first one.
    """
    matches: list[Match] = []
    first_of_core: dict[str, Row] = {}
    spellings = _OtherSpellings(animals_of_content, keys_of_file)
    for row in rows:
        core = row.core or ""
        if not core:
            continue
        animal = _likeliest(row, animals_of_core.get(core, ()))
        if animal is None:
            animal = spellings.animal_of(row)
        if animal is None:
            animal = _with_rounded_key(core, long_numbers)
        first = first_of_core.get(core)
        if animal is not None:
            matches.append(Match(row.number, animal.id))
        elif first is not None and row.is_to_send:
            matches.append(Match(row.number, same_as=first.number))
        elif row.is_to_send:
            first_of_core[core] = row
    return matches


def match_renamed_columns(
    rows: Sequence[Row], animals_of_core: Mapping[str, Sequence[Animal]]
) -> list[Match]:
    """Match rows with animals that have their keys in a column that the file lacks.

    The column may have been renamed, if many of these animals have the names of the rows. Other
    columns have the same texts by chance, such as running numbers.
    """
    pairs: list[tuple[Row, Animal]] = []
    for row in rows:
        animal = _likeliest(row, animals_of_core.get(row.core or "", ()))
        if animal is not None:
            pairs.append((row, animal))
    with_equal_names = sum(_has_equal_name(row, animal) for row, animal in pairs)
    if not is_many(with_equal_names, len(pairs)):
        return []
    return [
        Match(row.number, animal.id)
        for row, animal in pairs
        if not (differs_in_name(row, animal) and differs_in_category(row, animal))
    ]


def _has_equal_name(row: Row, animal: Animal) -> bool:
    """Return whether a row and an animal have the same name, which is not from ``defaults``."""
    if row.content is None or animal.content is None:
        return False
    if row.has_default_name or animal.has_default_name:
        return False
    return name_in(row.content) == name_in(animal.content)


def _likeliest(row: Row, animals: Sequence[Animal]) -> Animal | None:
    """Return the most likely animal: preferably sent, then with equal content, then the latest."""
    if not animals:
        return None
    return max(
        animals, key=lambda animal: (animal.is_sent, animal.content == row.content, animal.id)
    )


class _OtherSpellings:
    """Finds animals of equal content whose keys, which the file lacks, may be the key of a row.

    Many animals may have the same content, so they are found by the beginnings and ends of their
    keys instead of comparing each row with each animal.
    """

    def __init__(
        self,
        animals_of_content: Mapping[str, Sequence[Animal]],
        keys_of_file: frozenset[str] | set[str],
    ) -> None:
        self._animals_of_content, self._keys_of_file = animals_of_content, keys_of_file
        self._ends_of_content: dict[str, _KeyEnds] = {}

    def animal_of(self, row: Row) -> Animal | None:
        """Return the first animal whose key has more or fewer groups, or is spelled differently."""
        if row.content is None or row.has_default_name:
            return None
        ends = self._ends_of_content.get(row.content)
        if ends is None:
            animals = self._animals_of_content.get(row.content, ())
            ends = self._ends_of_content[row.content] = _KeyEnds(list(self._not_in_file(animals)))
        for animal in ends.find(row):
            if any(is_extended(row.core or "", core) for core in animal.cores):
                return animal
            if any(is_respelled(_compact_key(row.key), _compact_key(key)) for key in animal.keys):
                return animal
        return None

    def _not_in_file(self, animals: Sequence[Animal]) -> Iterator[Animal]:
        for animal in animals:
            if any(key in self._keys_of_file for key in animal.keys):
                continue
            yield animal


class _KeyEnds:
    """Animals by the beginnings and ends of the first columns of their cores and compact keys."""

    def __init__(self, animals: Sequence[Animal]) -> None:
        self._animals = animals
        self._by_text = defaultdict[str, list[int]](list)
        self._by_end = defaultdict[str, list[int]](list)
        for position, animal in enumerate(animals):
            for core, key in zip(animal.cores, animal.keys, strict=True):
                for text in _first_columns(core, key):
                    self._by_text[text].append(position)
                    for end in _ends(text):
                        self._by_end[end].append(position)

    def find(self, row: Row) -> list[Animal]:
        """Return the animals whose key may begin or end with that of a row, or the reverse."""
        positions = set[int]()
        for text in _first_columns(row.core or "", row.key):
            positions.update(self._by_end.get(text, ()))
            for end in _ends(text):
                positions.update(self._by_text.get(end, ()))
        return [self._animals[position] for position in sorted(positions)]


def _first_columns(core: str, key: str | None) -> set[str]:
    return {core.partition(SEPARATOR)[0], *_compact_key(key)[:1]}


def _ends(text: str) -> set[str]:
    """Return all beginnings and ends of a text, or only the text if it is too long for a key."""
    if len(text) > _LONGEST_KEY:
        return {text}
    lengths = range(len(text) + 1)
    return {text[:length] for length in lengths} | {text[length:] for length in lengths}


def is_extended(core: str, other: str) -> bool:
    """Return whether one core starts or ends with the whole groups of the other, in each column.

    Example:
        >>> is_extended("aus-17", "17"), is_extended("17", "17-26"), is_extended("aus-17", "7")
        (True, True, False)
    """
    columns, other_columns = core.split(SEPARATOR), other.split(SEPARATOR)
    if len(columns) != len(other_columns):
        return False
    pairs = list(zip(columns, other_columns, strict=True))
    return any(column != other_column for column, other_column in pairs) and all(
        _extends(column, other_column) or _extends(other_column, column)
        for column, other_column in pairs
    )


def _extends(core: str, other: str) -> bool:
    if not other or other.startswith("="):
        return core == other
    return core == other or core.startswith(f"{other}-") or core.endswith(f"-{other}")


def is_respelled(columns: Sequence[str], other_columns: Sequence[str]) -> bool:
    """Return whether two compact keys are equal, or one is part of the other, in each column.

    A part is the beginning or the end, and has at least four characters. If digits continue its
    digits, it has at least nine.

    Example:
        >>> is_respelled(["276098000"], ["276098000"]), is_respelled(["deka1001"], ["ka1001"])
        (True, True)
        >>> is_respelled(["10012"], ["1001"]), is_respelled(["x1"], ["1"])
        (False, False)
    """
    if len(columns) != len(other_columns):
        return False
    return any(columns) and all(
        column == other_column or _is_part(column, other_column) or _is_part(other_column, column)
        for column, other_column in zip(columns, other_columns, strict=True)
    )


@lru_cache(maxsize=10_000)
def _compact_key(key: str | None) -> tuple[str, ...]:
    """Return the compact form of each column of a stored key."""
    return tuple(map(compact, key_texts(key)))


def _is_part(part: str, whole: str) -> bool:
    """Return whether a compact key starts or ends with another one."""
    if not _MIN_PART <= len(part) < len(whole):
        return False
    rest, end = len(whole) - len(part), len(part)
    is_short = len(part) < _MIN_DIGITS
    if whole.startswith(part) and not (is_short and whole[end - 1 : end + 1].isdecimal()):
        return True
    return whole.endswith(part) and not (is_short and whole[rest - 1 : rest + 1].isdecimal())


def first_digits(core: str) -> str | None:
    """Return the digits of a long number that spreadsheets keep; None for other keys.

    Example:
        >>> first_digits("9810001234567890"), first_digits("981000123456789")
        ('981000123456789', None)
    """
    return core[:EXACT_DIGITS] if _LONG_NUMBER.fullmatch(core) else None


def _with_rounded_key(core: str, long_numbers: Mapping[str, Sequence[Animal]]) -> Animal | None:
    """Return an animal whose number equals a key except for digits that spreadsheets drop."""
    digits = first_digits(core)
    if digits is None:
        return None
    for animal in long_numbers.get(digits, ()):
        for animal_core in animal.cores:
            is_rounded = {core[EXACT_DIGITS:].strip("0"), animal_core[EXACT_DIGITS:].strip("0")}
            if len(core) == len(animal_core) and "" in is_rounded:
                return animal
    return None
