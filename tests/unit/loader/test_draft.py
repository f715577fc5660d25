"""A drafted recipe states what is proven and asks the rest; filled in, its file loads whole."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.errors import InputError
from petstore_frame.loader.source import FilePreview, LikelyKey, Recipe
from shop import Shop


def table(header: str, row: str, count: int = 40) -> str:
    """Rows of a register; ``{n}`` is the row's number, ``{half}`` one that two rows share."""
    rows = (row.format(n=n, half=n // 2) for n in range(count))
    return "\n".join([header, *rows])


REGISTER = table("OWNER_ID,DogName,Kind,State", "{half},Rex {n},3,WA")
LICENSES = table("License Number,Pet Name,Species,License Issue Date", "L{n},Rex,Dog,2026-01-{n}")
VISITS = table(
    "visitid,petname,movementtype,speciesname,gender_status", "{n},Rex {n},Adoption,Dog,Neutered"
)
PETS = "name,category_id,status\nLuna,1,available\nMax,2,available\nBo,1,sold\nAda,2,pending"
SHELTER = table("Animal ID,Name,Category,Seen", "A{half},Rex {half},3,2026-01-05")
TITLE = "Bestand Tierheim;;;\nChip;Tiername;Art;Zustand\nA1;Zoë;Hund;im Haus\nA2;;Katze;vermittelt"
# A file, what its draft states, what a person writes for question marks, and the animals then.
DRAFTED: dict[str, tuple[str | bytes, dict[str, object], dict[str, str], int]] = {
    "a list without numbers": (
        PETS, {"mapping": {"name": "name", "category_id": "category_id", "status": "status"}},
        {}, 4,
    ),
    "each row of a register of owners is an animal": (
        REGISTER,
        {"key": "?", "mapping": {"name": "?", "category_id": "?", "status": "?"},
         "value_map": {"status": {"WA": "?"}}},
        {'key = "?"': 'key = ""', 'name = "?"': 'name = "DogName"',
         'category_id = "?"': 'category_id = "Kind"', 'status = "?"': 'status = ""'}, 40,
    ),
    "a license has its number": (
        LICENSES,
        {"key": "?", "mapping": {"name": "?", "category_id": "?"}, "categories": {"Dog": "?"}},
        {'key = "?"': 'key = "License Number"', 'name = "?"': 'name = "Pet Name"',
         'category_id = "?"': 'category_id = "Species"', 'Dog = "?"': "Dog = 1"}, 40,
    ),
    "no column names the animal of a visit": (
        VISITS,
        {"key": "?", "mapping": {"name": "?", "category_id": "?"}, "categories": {"Dog": "?"}},
        {'key = "?"': 'key = ""', 'name = "?"': 'name = "petname"',
         'category_id = "?"': 'category_id = "speciesname"', 'Dog = "?"': "Dog = 1"}, 40,
    ),
    "rows of one animal": (
        SHELTER, {"key": "?", "keep": "?", "mapping": {"name": "Name", "category_id": "Category"}},
        {'key = "?"': 'key = "Animal ID"', 'keep = "?"': 'keep = "last"\norder_by = "Seen"'}, 20,
    ),
    "a title, another language and another encoding": (
        TITLE.encode("cp1252"),
        {"key": "Chip", "mapping": {"name": "?", "category_id": "?", "status": "?"},
         "value_map": {"status": {"im Haus": "?", "vermittelt": "?"}},
         "categories": {"Hund": "?", "Katze": "?"}, "encoding": "?", "header_row": 2},
        {'encoding = "?"': 'encoding = "cp1252"',
         '# name = "?"': 'name = "Ohne Namen {Chip}"',
         'name = "?"': 'name = "Tiername"', 'category_id = "?"': 'category_id = "Art"',
         'status = "?"': 'status = "Zustand"', 'Haus" = "?"': 'Haus" = "available"',
         'vermittelt = "?"': 'vermittelt = "sold"', 'Hund = "?"': "Hund = 1",
         'Katze = "?"': "Katze = 2", "# [defaults]": "[defaults]"}, 2,
    ),
    "a title of empty cells": (
        ";;\nname;category;State\nRex;3;sold", {
            "mapping": {"name": "name", "category_id": "category", "status": "?"}},
        {'status = "?"': 'status = "State"'}, 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("content", "stated", "filled", "count"), DRAFTED.values(), ids=DRAFTED)
def test_a_draft_asks_what_is_not_proven(
    memory_shop: Shop, content, stated, filled, count: int
) -> None:
    """With its question marks it is refused; filled in as its comments say, all animals load."""
    path, recipe = memory_shop.folder / "list.csv", memory_shop.folder / "r.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    text = Recipe.draft(path)
    recipe.write_text(text, encoding="utf-8")
    assert Recipe.read(recipe).to_dict() == stated
    if "?" in stated.values() or "?" in stated["mapping"].values():
        with pytest.raises(InputError, match="placeholder"):
            pf.load(path, memory_shop.client, recipe=recipe, journal=memory_shop.journal)
    for blank, answer in filled.items():
        assert blank in text
        text = text.replace(blank, answer)
    recipe.write_text(text, encoding="utf-8")
    pf.load(path, memory_shop.client, recipe=recipe, journal=memory_shop.journal)
    assert len(memory_shop.names) == count


def test_a_draft_shows_the_facts(tmp_path: Path) -> None:
    """It has the values of the key, the ties of each date, and the rows of a label."""
    (tmp_path / "a.csv").write_text(SHELTER.replace(",3,", ",Dog,"))
    text = Recipe.draft(tmp_path / "a.csv")
    assert max(map(len, text.splitlines())) <= 100
    comments = text.replace("\n# ", " ")  # long ones take several lines
    assert 'key = "?" # Animal ID: 20 different values in 40 rows' in text
    assert (
        '20 values of Animal ID have several rows. "first" or "last", by the order of the'
        in comments
    )
    assert '"last" with order_by = "Seen" decides all' in comments
    assert 'Dog = "?" # 40 rows' in text


@pytest.mark.parametrize(("names", "fact"), [(0, ""), (1, ", 1 value has several names"),
                                             (2, ", 2 values have several names")])  # fmt: skip
def test_a_key_says_how_many_of_its_values_have_several_names(names: int, fact: str) -> None:
    """The facts about a likely key are a sentence for one value and for several."""
    key = LikelyKey("Chip", 9, 4, 0, names, 3, 3, 4)
    assert str(key) == f"Chip: 4 different values in 9 rows{fact}"


# By the column's name, its cells beside the names of the animals.
REX_TWICE = ["Rex", "Rex", "Bo", "Bo", "Mia", "Mia", "Ada"]
TWICE = ["1", "1", "2", "2", "3", "3", "4"]
EACH = [*"1234567"]


@pytest.mark.parametrize(
    ("columns", "proven", "proposed"),
    [
        ({"Animal ID": EACH}, True, True),
        ({"Animal ID": TWICE}, False, True),
        ({"ID": TWICE}, False, True),
        ({"ID": EACH}, False, False),
        ({"OWNER_ID": EACH}, False, False),
        ({"License Number": EACH}, False, False),
        ({"Visit ID": EACH, "Chip": [*"11", "", *"3345"]}, False, False),
        ({"Animal ID": TWICE, "ID": TWICE}, False, True),
        ({"Chip": EACH, "Tag no": EACH}, False, False),
        ({"Tag": [f"2026-03-0{n}" for n in EACH]}, False, False),
        ({"Animal no": [f"{n}.5" for n in EACH]}, False, False),
        ({"Pet name": EACH}, False, False),
    ],
)
def test_a_key_is_proven_or_proposed(columns, proven: bool, proposed: bool) -> None:
    """Proven: an animal's own, different in every row. Proposed: its repeats agree, too."""
    frame = pd.DataFrame({"name": REX_TWICE, "category_id": 3, **columns})
    stated = tomllib.loads(Recipe.draft(frame))
    assert (stated.get("key", "?") != "?") == proven
    assert (FilePreview.of(frame, Recipe()).proposed_key is not None) == proposed


@pytest.mark.parametrize("sign", ["\x1b[31m", "\x00", "\x7f", "\u2028"])
def test_a_draft_of_any_column_can_be_read_back(tmp_path: Path, sign: str) -> None:
    """A control character in a header or a value stands in no comment, and comes back in values."""
    frame = pd.DataFrame({"name": ["Rex", "Bo"], f"kind{sign}": [f"Dog{sign}", "Cat"],
                          "Animal ID": ["1", f"2{sign}"]})  # fmt: skip
    path = tmp_path / "r.toml"
    path.write_text(Recipe.draft(frame, mapping={"category_id": f"kind{sign}"}), encoding="utf-8")
    assert Recipe.read(path).mapping["category_id"] == f"kind{sign}"
