"""Which columns are certainly, likely or not at all the numbers of animals."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd
import pytest

from petstore_frame.loader.source import FilePreview, Recipe
from petstore_frame.loader.source.key_columns import likely_columns, likely_keys, proposed_key

ROWS = 200
NAMES = [
    "ID", "No.", "Nr", "RFID", "Passport", "Ref", "Code", "Serial", "Animal ID", "#", "Animal #",
    "N\u00b0",
]  # fmt: skip


class Column(NamedTuple):
    """A column of a file with 200 rows."""

    name: str
    different: int  # number of different values
    names_per_value: int = 1
    empty: int = 0
    has_one_name: bool = False  # for all animals

    def table(self) -> list[tuple[str, str, str]]:
        rows = []
        for number in range(ROWS - self.empty):
            value = f"X{number % self.different}"
            name = f"{value} {number // self.different % self.names_per_value}"
            rows.append((value, "Kitten" if self.has_one_name else name, "3"))
        return rows + [("none", f"Other {number}", "3") for number in range(self.empty)]


CERTAIN = [
    Column("ID", 190),
    Column("ID", 190, empty=5),
    Column("ID", 30),  # several visits of each animal
    Column("Animal ID", 190, names_per_value=2),
    Column("Animal ID", 3),
    Column("Tag", 190, has_one_name=True),
]
LIKELY = [
    Column("ID", 200),
    Column("ID", 190, names_per_value=2),
    Column("ID", 150, empty=40),
    Column("Animal ID", 150, empty=40),
]
NO_KEYS = [
    Column("Code", 3, names_per_value=67),
    Column("Code", 3),  # kinds, with one name for all animals of a kind
    Column("Ref", 60, names_per_value=4),  # litters
    Column("Ref", 60, has_one_name=True),
    Column("ID", 80, empty=110),
    Column("Tag color", 3, names_per_value=67),
    Column("Owner ID", 190),
    Column("Note", 190),
]


@pytest.mark.parametrize("column", [*CERTAIN, *LIKELY, *NO_KEYS], ids=str)
def test_facts_decide_about_a_column(column: Column) -> None:
    """A certain key is asked for before sending, and a likely one is named afterward."""
    mapping = {"name": "name", "category_id": "category"}
    keys = likely_keys([column.name, "name", "category"], column.table(), mapping)
    proposed = proposed_key(keys)
    assert (proposed is not None and proposed.repeated > 0) == (column in CERTAIN)
    assert bool(likely_columns(keys)) == (column not in NO_KEYS)


@pytest.mark.parametrize("column", NAMES)
def test_repeated_numbers_with_one_name_are_asked_about(column: str) -> None:
    """Two of twenty-two rows repeat a number and its name."""
    numbers = [*range(20), 3, 7]
    values = {column: [f"X{n}" for n in numbers], "name": [f"Pet {n}" for n in numbers]}
    proposed = FilePreview.of(pd.DataFrame(values | {"category_id": 3}), Recipe()).proposed_key
    assert proposed is not None and (proposed.column, proposed.repeated) == (column, 2)


def test_the_fullest_of_several_certain_columns_is_asked_about() -> None:
    """An animal with two numbers, in two rows, must not be sent twice."""
    names = ["Z", *"AABBCCDDEE"]
    columns = {"Chip": ["", *"aabbccddee"], "Tag": [*"zaabbccddee"], "name": names}
    proposed = FilePreview.of(pd.DataFrame(columns | {"category_id": 3}), Recipe()).proposed_key
    assert proposed is not None and proposed.column == "Tag"


@pytest.mark.parametrize(
    ("empty", "fact"),
    [(0, "Chip: different in 40 rows"), (1, "Chip: different in 39 rows, empty in 1"),
     (4, "Chip: different in 36 rows, empty in 4"), (5, None)],
)  # fmt: skip
def test_an_animal_without_a_number_does_not_hide_the_key(empty: int, fact: str | None) -> None:
    """A column is proposed if at most one in ten of its cells is empty, with the numbers."""
    chips = ["" if n < empty else f"C{n}" for n in range(40)]
    frame = pd.DataFrame({"Chip": chips, "name": [f"Pet {n}" for n in range(40)], "category_id": 3})
    proposed = FilePreview.of(frame, Recipe()).proposed_key
    assert (None if proposed is None else str(proposed)) == fact
