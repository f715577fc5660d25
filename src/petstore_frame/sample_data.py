"""Writes sample data: a CSV with mistakes, category labels, a month of snapshots."""

from __future__ import annotations

import csv
import io
import random
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from os import PathLike
from pathlib import Path

from petstore_frame.history import History
from petstore_frame.inventory import Inventory
from petstore_frame.schema import Pet, PetColumns
from petstore_frame.storage import refuse_overwriting, write_atomically
from petstore_frame.validation import checked_integer, checked_path

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
_SUFFIXES = ("", "", "", "", "", " II", " Jr.", " Blue", " Rae", " Bean", " O'Malley", " de Lux")
# Appended to the names of arrivals: without these, a third of them would equal a pet of the sample
# store, and a load would rightly ask whether they are the same animals.
_LAST_NAMES = (
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
# The status of a pet on the next day, in a hundred nights.
_MOVES: dict[str | None, dict[str | None, int]] = {
    "available": {"available": 92, "pending": 8},
    "pending": {"pending": 55, "sold": 35, "available": 10},
    "sold": {"sold": 88, "removed": 12},
    None: {None: 90, "available": 10},
}

# The cell that a mistake changes (None cuts the row short) and the new texts; a mistake that
# appears more often is chosen more often.
_MISTAKES: tuple[tuple[int | None, list[str]], ...] = (
    *3 * [(0, ["", "", "  "])],
    *2 * [(1, ["{category}", "{lower}", "{category}s"])],
    *2 * [(2, ["Available", " SOLD ", "Pending", "available "])],
    *2 * [(2, ["avail", "reserved", "adopted", "in stock"])],
    (1, ["9223372036854775808", "99999999999999999999", "3.5"]),
    (0, ["=1+1", '=HYPERLINK("x")', "@Bo", "-Rex", "+Max"]),
    (0, ['{name}\n"the brave"', '{name}\n"of Austin"', '{name}\n"aka Bo"']),
    (None, []),
)


def write_sample_csv(
    path: str | PathLike[str],
    rows: int = 2000,
    seed: int = 7,
    *,
    dirty: bool = True,
    overwrite: bool = False,
) -> Path:
    """Write sample arrivals: ``animal_id,name,categoryId,status,arrived``.

    Each animal has an id, such as ``A7-00042``, for ``key="animal_id"``. A longer file of the same
    seed starts with the same animals; files with different seeds have no animal in common.

    Args:
        path: File to write. An unchanged file of an earlier call is replaced.
        rows: Number of rows, 0 or more.
        seed: The same seed gives the same bytes.
        dirty: Whether about one row in twenty has a typical mistake: a missing name, the
            name of a category, a status in another case or an unknown one, a number that is too
            large, a name that a spreadsheet would run as a formula, a line break inside a name, a
            short row.
        overwrite: Whether to replace any other file, too.

    Returns:
        The path of the file.

    Raises:
        ReportError: The file cannot be written, or is another file; it was not changed.
    """
    checked_integer("rows", rows, 0)
    target = checked_path("path", path)
    if not _is_sample(target):
        refuse_overwriting(target, overwrite=overwrite)
    with write_atomically(target, ".csv") as draft:
        draft.write_bytes(_sample_csv(rows, seed, dirty=dirty))
    return target


def _sample_csv(rows: int, seed: int, *, dirty: bool) -> bytes:
    """Return the bytes of a sample file."""
    chance = random.Random(seed)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["animal_id", "name", "categoryId", "status", "arrived"])
    for index in range(rows):
        row = _arrival_row(chance, index, rows)
        if dirty and chance.random() < _DIRTY_SHARE:
            row = _with_mistake(row, chance)
        writer.writerow([f"A{seed}-{index + 1:05}", *row])
    return text.getvalue().encode()


def _is_sample(path: Path) -> bool:
    """Return whether a file is an unchanged sample: its seed and length give the same bytes."""
    content = path.read_bytes() if path.is_file() else b""
    ids = re.findall(rb"^A(-?\d+)-(\d+),", content, re.MULTILINE)
    if not ids:
        return False
    seed, rows = map(int, ids[-1])
    return rows == len(ids) and any(
        _sample_csv(rows, seed, dirty=dirty) == content for dirty in (True, False)
    )


def _with_mistake(row: list[str], chance: random.Random) -> list[str]:
    cell, texts = chance.choice(_MISTAKES)
    if cell is None:
        return row[: chance.choice([1, 2])]
    category = SAMPLE_CATEGORIES[int(row[1])]
    text = chance.choice(texts)
    mistaken = text.format(name=row[0], category=category, lower=category.lower())
    return [*row[:cell], mistaken, *row[cell + 1 :]]


def write_sample_categories(path: str | PathLike[str], *, overwrite: bool = False) -> Path:
    """Write the labels of the sample categories as ``id,name``.

    ``overwrite=True`` replaces an existing file with another content.

    Raises:
        ReportError: The file cannot be written, or has another content; it was not changed.

    Interface: Gaps in the resources (it has no category records).
    """
    target = checked_path("path", path)
    lines = [f"{number},{label}" for number, label in SAMPLE_CATEGORIES.items()]
    content = "\n".join(["id,name", *lines, ""]).encode()
    refuse_overwriting(target, overwrite=overwrite, content=content)
    with write_atomically(target) as draft:
        draft.write_bytes(content)
    return target


def write_sample_history(
    folder: str | PathLike[str], *, days: int = 30, pets: int = 300, seed: int = 7
) -> History:
    """Write sample snapshots of a store: pets arrive, are reserved, sold and removed.

    Two days have problems: the twelfth has no snapshot, and on the twentieth the store returned
    only its first page, so that day may be incomplete.

    Args:
        folder: Folder for the snapshots.
        days: Number of days, from January 5, 2026.
        pets: Animals on the first day, 1 or more.
        seed: The same seed gives the same days.
    """
    checked_integer("days", days, 0)
    checked_integer("pets", pets, 1)
    chance = random.Random(seed)
    history = History(folder, timezone=UTC)
    start = datetime.combine(_FIRST_DAY, time(12), UTC)
    for day, present in enumerate(_days(pets, days, chance)):
        if day == _DAY_WITHOUT_SNAPSHOT:
            continue
        fetched, verdict, reason = present, "complete", "sample data"
        if day == _DAY_CUT_SHORT:
            fetched, verdict = present[:100], "unknown"
            reason = "the page was full and the store shows no next page"
        frame, now = PetColumns.of_pets(fetched).to_frame(), start + timedelta(days=day)
        history.add(Inventory.from_frame(frame, verdict=verdict, reason=reason, fetched_at=now))
    return history


def _arrival_row(chance: random.Random, index: int, rows: int) -> list[str]:
    (category,) = chance.choices(list(SAMPLE_CATEGORIES), _WEIGHTS)
    name = chance.choice(_NAMES) + chance.choice(_SUFFIXES)
    if name not in ("NA", "Null", "007"):  # unchanged: names that look like other values
        name += f" {_LAST_NAMES[index % len(_LAST_NAMES)]}"
    arrived = _FIRST_DAY + timedelta(days=index * 90 // max(rows, 1))
    return [name, str(category), chance.choice(_STATUSES), arrived.isoformat()]


def _new_pet(pet_id: int, chance: random.Random) -> Pet:
    name = chance.choice(_NAMES) + chance.choice(_SUFFIXES)
    (category_id,) = chance.choices(list(SAMPLE_CATEGORIES), _WEIGHTS)
    status = None if chance.random() < 0.05 else "available"
    return Pet(id=pet_id, name=name, category_id=category_id, status=status)


def _days(pets: int, days: int, chance: random.Random) -> Iterator[list[Pet]]:
    """Yield the animals of each day."""
    present = [_new_pet(pet_id, chance) for pet_id in range(1, pets + 1)]
    last_id, max_arrivals = pets, max(pets // 20, 1)
    for _ in range(days):
        yield present
        remaining = []
        for pet in present:
            odds = _MOVES[pet.status]
            (status,) = chance.choices(list(odds), list(odds.values()))
            if status != "removed":
                remaining.append(pet.model_copy(update={"status": status}))
        new_ids = range(last_id + 1, last_id + 1 + chance.randint(0, max_arrivals))
        last_id += len(new_ids)
        present = [*remaining, *(_new_pet(pet_id, chance) for pet_id in new_ids)]
