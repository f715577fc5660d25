"""Made-up animals in a file, as a store's staff would send them: most good, some not.

In: a number of rows and a seed. Out: a CSV that is the same, byte for byte, for the same seed,
and the labels of its categories. It knows nothing of the loader that will read it.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from datetime import date, timedelta
from os import PathLike
from pathlib import Path

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
# fmt: on
_FIRST_DAY = date(2026, 1, 5)
_DIRTY_SHARE = 0.05

Row = list[str]


def write_sample_csv(
    path: str | PathLike[str], rows: int = 2000, seed: int = 7, *, dirty: bool = True
) -> Path:
    """Write made-up arrivals: ``name,categoryId,status,arrived``.

    Args:
        path: The file to write; one that is there is replaced.
        rows: Number of records, 0 or more.
        seed: The same seed writes the same bytes.
        dirty: Spoil about one record in twenty the way people do: a missing name, a category
            given as a word, a status in odd case or none of the three, a number too long, a name
            that a spreadsheet would run as a formula, a line break inside a name, a short row.

    Returns:
        The path written.
    """
    chance = random.Random(seed)
    target = Path(path)
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["name", "categoryId", "status", "arrived"])
        for at in range(rows):
            row = _good_row(chance, at, rows)
            if dirty and chance.random() < _DIRTY_SHARE:
                row = chance.choice(_FLAWS)(row, chance)
            writer.writerow(row)
    return target


def write_sample_categories(path: str | PathLike[str]) -> Path:
    """Write the labels of the sample's categories as ``category_id,label``.

    Interface: Gaps in the resources (no category records are shown).
    """
    target = Path(path)
    lines = [f"{number},{label}" for number, label in SAMPLE_CATEGORIES.items()]
    target.write_text("\n".join(["category_id,label", *lines, ""]), encoding="utf-8")
    return target


def _good_row(chance: random.Random, at: int, rows: int) -> Row:
    (category,) = chance.choices(list(SAMPLE_CATEGORIES), _WEIGHTS)
    name = chance.choice(_NAMES) + chance.choice(_SECONDS)
    arrived = _FIRST_DAY + timedelta(days=at * 90 // max(rows, 1))
    return [name, str(category), chance.choice(_STATUSES), arrived.isoformat()]


def _no_name(row: Row, chance: random.Random) -> Row:
    return [chance.choice(["", "", "  "]), *row[1:]]


def _category_word(row: Row, chance: random.Random) -> Row:
    word = SAMPLE_CATEGORIES[int(row[1])]
    return [row[0], chance.choice([word, word.lower(), word + "s"]), *row[2:]]


def _odd_case(row: Row, chance: random.Random) -> Row:
    return [*row[:2], chance.choice(["Available", " SOLD ", "Pending", "available "]), row[3]]


def _unknown_status(row: Row, chance: random.Random) -> Row:
    return [*row[:2], chance.choice(["avail", "reserved", "adopted", "in stock"]), row[3]]


def _long_number(row: Row, chance: random.Random) -> Row:
    return [row[0], chance.choice(["9223372036854775808", "99999999999999999999", "3.5"]), *row[2:]]


def _formula(row: Row, chance: random.Random) -> Row:
    return [chance.choice(["=1+1", '=HYPERLINK("x")', "@Bo", "-Rex", "+Max"]), *row[1:]]


def _line_break(row: Row, chance: random.Random) -> Row:
    return [f'{row[0]}\n"{chance.choice(["the brave", "of Austin", "aka Bo"])}"', *row[1:]]


def _short_row(row: Row, chance: random.Random) -> Row:
    return row[: chance.choice([1, 2])]


_FLAWS: tuple[Callable[[Row, random.Random], Row], ...] = (
    _no_name, _no_name, _no_name, _category_word, _category_word, _odd_case, _odd_case,
    _unknown_status, _unknown_status, _long_number, _formula, _line_break, _short_row,
)  # fmt: skip
