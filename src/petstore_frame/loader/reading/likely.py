"""Which columns may identify an animal, each with its facts; a person decides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from petstore_frame.loader.reading.keys import is_date
from petstore_frame.schema.text import count_text

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")
IDENTIFIERS = {
    "id", "ids", "no", "nr", "num", "nummer", "number", "numero", "número", "key", "code", "ref",
    "reference", "tag", "chip", "microchip", "transponder", "kennung",
}  # fmt: skip
OF_ANIMALS = {
    "animal", "pet", "dog", "cat", "tier", "hund", "katze", "tag", "chip", "microchip",
    "transponder", "mascota", "dier", "animale",
}  # fmt: skip
# What else such a column may number: people, events, papers, places.
_OF_OTHERS = {
    "owner", "contact", "person", "people", "adopter", "customer", "client", "member", "besitzer",
    "halter", "kunde", "visit", "appointment", "besuch", "outcome", "intake", "impound", "event",
    "activity", "case", "movement", "record", "row", "line", "licence", "license", "lizenz",
    "permit", "invoice", "order", "receipt", "shelter", "location", "kennel", "cage", "breed",
    "species", "type", "category", "zip", "postal", "phone", "telefon", "house", "street", "vet",
}  # fmt: skip
_DECIMAL = re.compile(r"[+-]?\d+[.,]\d+")
_LEAST_REPEATED = 3


@dataclass(frozen=True)
class LikelyKey:
    """A column that may identify an animal, with its facts.

    Attributes:
        rows: How many rows were looked at.
        different: How many different values the column has in them.
        empty: In how many its cell is empty.
        with_several_names: How many of its values stand beside more than one name.
        repeated: How many of its values stand in several rows.
        agreeing: How many of these have the same name and category in all of them.
        is_of_animals: Whether its name says that it numbers animals, and nothing else.
        is_of_others: Whether its name says that it numbers something else, such as owners.
    """

    column: str
    rows: int
    different: int
    empty: int = 0
    with_several_names: int = 0
    repeated: int = 0
    agreeing: int = 0
    is_of_animals: bool = False
    is_of_others: bool = False

    @property
    def is_unique(self) -> bool:
        """Whether each row has a value of its own."""
        return self.different == self.rows

    @property
    def has_agreeing_repeats(self) -> bool:
        """Whether the rows of a value nearly always have the same name and category."""
        is_clear = self.repeated >= _LEAST_REPEATED and self.agreeing >= 0.9 * self.repeated
        return is_clear and self.empty <= 0.1 * self.rows

    def __str__(self) -> str:
        facts = [f"{self.column}: {self.different:,} different in {count_text(self.rows, 'row')}"]
        if self.empty:
            facts.append(f"{self.empty:,} empty")
        if self.with_several_names:
            facts.append(f"{self.with_several_names:,} with more than one name")
        return ", ".join(facts)


def likely_keys(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    mapping: Mapping[str, str | None],
    most: int | None = None,
) -> tuple[LikelyKey, ...]:
    """Return the columns that are called like an identifier, those of animals first.

    A mapped column, one of dates and one of numbers with decimals is none. Of the rows the first
    ``most`` are looked at, all for None.

    Example:
        >>> rows = [["7", "Rex"], ["8", "Rex"], ["8", "Bo"]]
        >>> print(*likely_keys(["Animal ID", "Name"], rows, {"name": "Name"}))
        Animal ID: 2 different in 3 rows, 1 with more than one name
    """
    used = {*mapping.values()}
    found = {
        at: _Values(column)
        for at, column in enumerate(columns)
        if column not in used and IDENTIFIERS.intersection(words_of(column))
    }
    sent = [columns.index(column) for field, column in mapping.items()
            if column in columns and field != "status"]  # fmt: skip
    name = mapping.get("name")
    name_at = columns.index(name) if name in columns else None
    for cells in islice(rows, most) if found else ():
        if not any(map(str.strip, cells)):
            continue
        content = tuple(cells[at].strip() if at < len(cells) else "" for at in sent)
        called = cells[name_at].strip() if name_at is not None and name_at < len(cells) else ""
        for at, values in found.items():
            values.add(cells[at].strip() if at < len(cells) else "", content, called)
    keys = [values.facts() for values in found.values() if values.is_plain and values.first]
    return tuple(sorted(keys, key=lambda each: (not each.is_of_animals, each.is_of_others)))


def proven_key(keys: Sequence[LikelyKey]) -> LikelyKey | None:
    """Return the only column that is an animal's own and different in every row, if one is."""
    unique = [each for each in keys if each.is_unique]
    return unique[0] if len(unique) == 1 and unique[0].is_of_animals else None


def proposed_key(keys: Sequence[LikelyKey]) -> LikelyKey | None:
    """Return the column to propose where nothing says which animal a row is.

    It is the proven one, or the only one whose repeated values agree in all that is sent.
    """
    clear = [each for each in keys if each.has_agreeing_repeats and not each.is_of_others]
    of_animals = [each for each in clear if each.is_of_animals] or clear
    return of_animals[0] if len(of_animals) == 1 else proven_key(keys)


def words_of(column: str) -> set[str]:
    """Return the words of a column's name: ``OWNER_ID`` has owner and id, ``PetName`` pet, name."""
    words = {word.casefold() for word in _WORD.findall(column)}
    for word in list(words):  # German writes them together: Tiernummer
        for end in ("nummer", "nr", "number", "id"):
            if word.endswith(end) and word.removesuffix(end) in OF_ANIMALS | _OF_OTHERS:
                words |= {word.removesuffix(end), end}
    return words


class _Values:
    """The values of one column as they are met."""

    def __init__(self, column: str) -> None:
        self._column, self._rows, self._empty = column, 0, 0
        self.is_plain, self.first = True, dict[str, tuple[tuple[str, ...], str]]()
        self._repeated, self._differing, self._renamed = set[str](), set[str](), set[str]()

    def add(self, value: str, content: tuple[str, ...], name: str) -> None:
        self._rows += 1
        if not value:
            self._empty += 1
            return
        known = self.first.setdefault(value, (content, name))
        if known[0] is not content:
            self._repeated.add(value)
            if known[0] != content:
                self._differing.add(value)
            if name and known[1] and known[1].casefold() != name.casefold():
                self._renamed.add(value)
            elif name and not known[1]:
                self.first[value] = known[0], name
        elif is_date(value) or _DECIMAL.fullmatch(value):
            self.is_plain = False

    def facts(self) -> LikelyKey:
        words = words_of(self._column)
        is_of_others = bool(words & _OF_OTHERS)
        return LikelyKey(
            self._column,
            self._rows,
            len(self.first),
            self._empty,
            len(self._renamed),
            len(self._repeated),
            len(self._repeated) - len(self._differing),
            bool(words & OF_ANIMALS) and not is_of_others,
            is_of_others,
        )
