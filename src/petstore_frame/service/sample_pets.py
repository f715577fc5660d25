"""Generates sample pets for an empty store; the same seed gives the same pets."""

from __future__ import annotations

import random
from collections.abc import Iterator

from petstore_frame.service.wire_models import NewPet, PetStatus

# fmt: off
_NAMES = (
    "Luna", "Bella", "Max", "Charlie", "Lucy", "Cooper", "Daisy", "Milo", "Rocky", "Buddy",
    "Coco", "Ruby", "Bailey", "Sadie", "Oscar", "Molly", "Pepper", "Nala", "Simba", "Leo", "Zoe",
    "Chloe", "Jack", "Duke", "Rosie", "Lola", "Toby", "Gus", "Hazel", "Willow", "Biscuit",
    "Mochi", "Pickles", "Ginger", "Shadow", "Smokey", "Tiger", "Felix", "Otis", "Maple", "Clover",
    "Poppy", "Ziggy", "Loki", "Thor", "Freya", "Bär", "Señorita", "Zoë", "Łatka", "Mačka",
    "Пушок", "Μίκης", "小雪", "ポチ", "해피", "Ćuko", "Åse", "Garçon", "Ñandú",
)
# fmt: on
_SECOND = ("", "", "", "", "", "", " II", " Jr.", " Blue", " Rae", " Bean", " O'Malley")
_CATEGORIES = (1, 1, 1, 1, 2, 2, 2, 3, 4, 5, 6, 7)
_STATUSES = (PetStatus.AVAILABLE,) * 11 + (PetStatus.PENDING,) * 3 + (PetStatus.SOLD,) * 5 + (None,)


def sample_pets(size: int, seed: int) -> Iterator[NewPet]:
    """Yield sample pets: every status, some without one, names in several scripts."""
    chance = random.Random(seed)
    for _ in range(size):
        name = chance.choice(_NAMES) + chance.choice(_SECOND)
        pet = NewPet(name=name, categoryId=chance.choice(_CATEGORIES))
        yield pet.model_copy(update={"status": chance.choice(_STATUSES)})
