"""Makes up animals for trials: a CSV with mistakes, category labels, a month of snapshots."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from os import PathLike
from pathlib import Path

from petstore_frame.history import History
from petstore_frame.inventory import Inventory
from petstore_frame.schema import Pet, PetColumns
from petstore_frame.validation import whole_number

# fmt: off
SAMPLE_CATEGORIES: dict[int, str] = {
    1: "Dog", 2: "Cat", 3: "Rabbit", 4: "Bird", 5: "Fish", 6: "Hamster",
    7: "Guinea pig", 8: "Tortoise", 9: "Snake", 10: "Ferret", 11: "Goat", 12: "Horse",
}
_WEIGHTS = (34, 30, 8, 6, 6, 4, 4, 2, 2, 2, 1, 1)
_STATUSES = ("available",) * 11 + ("pending",) * 3 + ("sold",) * 5 + ("",)
_NAMES = (
    "Luna", "Bella", "Max", "Charlie", "Lucy", "Cooper", "Daisy", "Milo", "Rocky", "Buddy",
    "Coco", "Ruby", "Bailey", "Sadie", "Oscar", "Molly", "Pepper", "Nala", "Simba", "Leo",
    "Zoe", "Stella", "Jack", "Duke", "Rosie", "Lola", "Toby", "Gus", "Hazel", "Willow",
    "Biscuit", "Mochi", "Pickles", "Ginger", "Shadow", "Smokey", "Tiger", "Felix", "Otis",
    "Maple", "Clover", "Poppy", "Ziggy", "Loki", "Thor", "Freya", "Honeysuckle", "Marmalade",
    "Zoë", "Señorita", "Łatka", "Mačka", "Crème Brûlée", "Пушок", "Μίκης", "小雪", "ポチ", "해피",
    "NA", "Null", "007",
)
_SECONDS = ("", "", "", "", "", " II", " Jr.", " Blue", " Rae", " Bean", " O'Malley", " de Lux")
# Behind the names of arrivals: without these, a third of them would equal a pet of the sample
# store, and a load would rightly ask whether they are those.
_AFTER = (
    "Abbey", "Acorn", "Alder", "Amber", "Apple", "Ash", "Aspen", "Basil", "Bay", "Beech", "Berry",
    "Birch", "Brook", "Cedar", "Cherry", "Chestnut", "Coral", "Cove", "Dale", "Dawn", "Elder",
    "Elm", "Fern", "Field", "Fir", "Flint", "Forest", "Garden", "Gate", "Glen", "Grove", "Harbor",
    "Heath", "Hill", "Holly", "Ivy", "Juniper", "Lake", "Larch", "Laurel", "Linden", "Meadow",
    "Mill", "Moss", "Oak", "Olive", "Orchard", "Pebble", "Pine", "Plum", "Pond", "Quarry", "Reed",
    "Ridge", "River", "Rowan", "Sage", "Spruce", "Thistle", "Vale", "Walnut",
)
# fmt: on
__all__ = [
    "SAMPLE_CATEGORIES",
    "write_sample_categories",
    "write_sample_csv",
    "write_sample_history",
]

_FIRST_DAY = date(2026, 1, 5)
_DIRTY_SHARE = 0.05

_DAY_WITHOUT_SNAPSHOT, _DAY_CUT_SHORT = 11, 19
# In a hundred nights, a pet of each status has these on the next day.
_MOVES: dict[str | None, dict[str | None, int]] = {
    "available": {"available": 92, "pending": 8},
    "pending": {"pending": 55, "sold": 35, "available": 10},
    "sold": {"sold": 88, "removed": 12},
    None: {None: 90, "available": 10},
}

# The cell that a mistake changes (None cuts the row short) and the new texts, as often as it comes.
_MISTAKES: tuple[tuple[int | None, list[str]], ...] = (
    *3 * [(0, ["", "", "  "])],
    *2 * [(1, ["{word}", "{lower}", "{word}s"])],
    *2 * [(2, ["Available", " SOLD ", "Pending", "available "])],
    *2 * [(2, ["avail", "reserved", "adopted", "in stock"])],
    (1, ["9223372036854775808", "99999999999999999999", "3.5"]),
    (0, ["=1+1", '=HYPERLINK("x")', "@Bo", "-Rex", "+Max"]),
    (0, ['{name}\n"the brave"', '{name}\n"of Austin"', '{name}\n"aka Bo"']),
    (None, []),
)


def write_sample_csv(
    path: str | PathLike[str], rows: int = 2000, seed: int = 7, *, dirty: bool = True
) -> Path:
    """Write made-up arrivals: ``animal_id,name,categoryId,status,arrived``.

    Each animal has an id, such as ``A7-00042``, for ``key="animal_id"``. A longer file of the same
    seed begins with the same animals; files of two seeds have no animal in common.

    Args:
        path: The file to write; an older one is replaced.
        rows: Number of records, 0 or more.
        seed: The same seed gives the same bytes.
        dirty: Spoil about one record in twenty as people do: a missing name, a category given as
            a word, a status in odd case or an unknown one, a number that is too large, a name that
            a spreadsheet would run as a formula, a line break inside a name, a short row.
    """
    whole_number("rows", rows, 0)
    chance = random.Random(seed)
    target = Path(path)
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["animal_id", "name", "categoryId", "status", "arrived"])
        for at in range(rows):
            row = _row(chance, at, rows)
            if dirty and chance.random() < _DIRTY_SHARE:
                cell, texts = chance.choice(_MISTAKES)
                if cell is None:
                    row = row[: chance.choice([1, 2])]
                else:
                    word = SAMPLE_CATEGORIES[int(row[1])]
                    spoilt = chance.choice(texts)
                    row[cell] = spoilt.format(name=row[0], word=word, lower=word.lower())
            writer.writerow([f"A{seed}-{at + 1:05}", *row])
    return target


def write_sample_categories(path: str | PathLike[str]) -> Path:
    """Write the labels of the sample's categories as ``category_id,label``.

    Interface: Gaps in the resources (no category records are shown).
    """
    target = Path(path)
    lines = [f"{number},{label}" for number, label in SAMPLE_CATEGORIES.items()]
    target.write_text("\n".join(["category_id,label", *lines, ""]), encoding="utf-8")
    return target


def write_sample_history(
    folder: str | PathLike[str], *, days: int = 30, pets: int = 300, seed: int = 7
) -> History:
    """Keep made-up days of a store: pets arrive, are reserved, sold and removed.

    Two days went wrong, as they do: on the twelfth nobody kept a snapshot, and on the twentieth
    the store showed only its first page, so that day is not known to be complete.

    Args:
        folder: Where the snapshots go.
        days: Days from 5 January 2026 on.
        pets: Animals on the first day, 1 or more.
        seed: The same seed gives the same days.
    """
    whole_number("days", days, 0)
    whole_number("pets", pets, 1)
    chance = random.Random(seed)
    history = History(folder, timezone=UTC)
    start = datetime.combine(_FIRST_DAY, time(12), UTC)
    for day, living in enumerate(_days(pets, days, chance)):
        if day == _DAY_WITHOUT_SNAPSHOT:
            continue
        shown, verdict, basis = living, "complete", "made-up sample data"
        if day == _DAY_CUT_SHORT:
            shown, verdict = living[:100], "unknown"
            basis = "the page was full and the store shows no next page"
        frame, now = PetColumns.of_pets(shown).to_frame(), start + timedelta(days=day)
        history.add(Inventory.from_frame(frame, verdict=verdict, basis=basis, fetched_at=now))
    return history


def _row(chance: random.Random, at: int, rows: int) -> list[str]:
    (category,) = chance.choices(list(SAMPLE_CATEGORIES), _WEIGHTS)
    name = chance.choice(_NAMES) + chance.choice(_SECONDS)
    if name not in ("NA", "Null", "007"):  # these are there as they are, to be read as text
        name += f" {_AFTER[at % len(_AFTER)]}"
    arrived = _FIRST_DAY + timedelta(days=at * 90 // max(rows, 1))
    return [name, str(category), chance.choice(_STATUSES), arrived.isoformat()]


def _arrival(number: int, chance: random.Random) -> Pet:
    name = chance.choice(_NAMES) + chance.choice(_SECONDS)
    (category_id,) = chance.choices(list(SAMPLE_CATEGORIES), _WEIGHTS)
    status = None if chance.random() < 0.05 else "available"
    return Pet(id=number, name=name, category_id=category_id, status=status)


def _days(pets: int, days: int, chance: random.Random) -> Iterator[list[Pet]]:
    """Yield the animals of each day."""
    living = [_arrival(number, chance) for number in range(1, pets + 1)]
    known, most = pets, max(pets // 20, 1)
    for _ in range(days):
        yield living
        stayed = []
        for pet in living:
            odds = _MOVES[pet.status]
            (status,) = chance.choices(list(odds), list(odds.values()))
            if status != "removed":
                stayed.append(pet.model_copy(update={"status": status}))
        arrivals = range(known + 1, known + 1 + chance.randint(0, most))
        known += len(arrivals)
        living = [*stayed, *(_arrival(number, chance) for number in arrivals)]
