"""The main job on real records, typed as a user types it: draft a recipe, load, fetch, report."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from end_to_end.shell import typed
from unit.conftest import read_book

PLACES = [folder / "shared" / "data" for folder in Path(__file__).parents]
DATA = next((folder for folder in PLACES if folder.exists()), PLACES[0])
RECORDS = DATA / "raw_austin.csv"
EVERY = 30  # of so many records one is taken, unless --times is 2 or more
# What a person writes for question marks; all other labels are 2, all other statuses sold.
ANSWERS = {
    'key = "?"': 'key = "Animal ID"', 'keep = "?"': 'keep = "last"',
    'category_id = "?"': 'category_id = "Type"', 'status = "?"': 'status = "Outcome Status"',
    "# [defaults]": "[defaults]", '# name = "?"': 'name = "No {Animal ID}"',
    'Cat = "?"': "Cat = 1",
}  # fmt: skip


def rows_of(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.skipif(not RECORDS.exists(), reason="the real shelter records are not here")
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("server_here")
def test_each_animal_is_one_pet(times: int) -> None:
    """By the draft, its question marks answered, each animal is a pet once, by its last row."""
    header, *lines = RECORDS.read_text(encoding="utf-8").splitlines(keepends=True)
    text = header + "".join(lines[:: EVERY if times == 1 else 1])
    Path("raw.csv").write_text(text, encoding="utf-8")
    typed("petstore-frame recipe raw.csv --output raw.toml")
    recipe = Path("raw.toml").read_text(encoding="utf-8")
    for blank, answer in ANSWERS.items():
        assert blank in recipe
        recipe = recipe.replace(blank, answer)
    head, labels = recipe.split("[categories]")
    recipe = head.replace('= "?"', '= "sold"') + "[categories]" + labels.replace('= "?"', "= 2")
    Path("raw.toml").write_text(recipe, encoding="utf-8")
    load = typed("petstore-frame load raw.csv --recipe raw.toml --output results --json")
    fetch = typed("petstore-frame fetch --output fetched.csv --json")
    report = typed("petstore-frame report --output stock.xlsx")
    codes = [run.exit_code for run in (load, fetch, report)]
    assert codes == [0, 0, 0], load.stderr + fetch.stderr + report.stderr

    rows = rows_of("raw.csv")
    last = {row["Animal ID"]: row for row in rows}
    assert times == 1 or len(last) == 11_898
    states = Counter(row["_pf_state"] for row in rows_of("results/results.csv"))
    assert states == {"created": len(rows)}  # a repeated row shows the state of its animal
    expected = Counter(row["Name"].strip() or f"No {key}" for key, row in last.items())
    assert Counter(row["name"] for row in rows_of("fetched.csv")) == expected
    assert json.loads(fetch.stdout)["completeness"]["verdict"] == "complete"
    book = read_book(Path("stock.xlsx"))
    assert len(last) in {cell for sheet in book.worksheets for row in sheet.values for cell in row}
