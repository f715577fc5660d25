"""Finds the animal that agrees most with a row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from petstore_frame.loader.matching.folding import category_in, name_in
from petstore_frame.loader.matching.values import Animal, Row, has_category_of, has_name_of

# A name and a category, or one of them; the name None agrees with any name.
_Trait = tuple[str, str | None, str | None]


def most_similar(row: Row, animals: Sequence[Animal]) -> Animal:
    """Return the animal that agrees most with a row, preferably one that is not gone."""

    def similarity(animal: Animal) -> tuple[int, bool, int]:
        agreements = has_name_of(row, animal) + has_category_of(row, animal)
        return agreements, *_rank(animal)

    return max(animals, key=similarity)


class SimilarAnimals:
    """Animals of which a row is compared only with the first for each trait that they share."""

    def __init__(self, animals: Iterable[Animal]) -> None:
        self._by_trait: dict[_Trait, Animal] = {}
        for animal in sorted(animals, key=_rank):
            for trait in _traits(_name_of(animal), category_in(animal.content or "")):
                self._by_trait[trait] = animal

    def most_similar(self, row: Row) -> Animal:
        """Return the same animal as a comparison with all of them."""
        category = category_in(row.content or "")
        traits = {*_traits(_name_of(row), category), *_traits(None, category)}
        return most_similar(
            row, [self._by_trait[trait] for trait in traits if trait in self._by_trait]
        )


def _rank(animal: Animal) -> tuple[bool, int]:
    return not animal.is_gone, animal.id


def _name_of(compared: Row | Animal) -> str | None:
    """Return the name of a row or an animal; None for one that agrees with any name."""
    if compared.content is None or compared.has_default_name:
        return None
    return name_in(compared.content)


def _traits(name: str | None, category: str) -> list[_Trait]:
    return [
        ("both", name, category),
        ("name", name, None),
        ("category", None, category),
        ("any", None, None),
    ]
