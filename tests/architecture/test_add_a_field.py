"""A field that is added to the model of a pet is everywhere, and nothing else is changed for it.

As a program, with a package that has the fields, this file walks them through the store and back,
and prints one JSON object: what each place shows of them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import petstore_frame as pf
from petstore_frame.bundled.samples import write_sample_history

HOUSE = Path(pf.__file__).parent
TESTS = Path(__file__).parents[1]

# The three files that CONTRIBUTING names: what lines are put before, and the lines.
THREE_FILES = {
    "schema/models.py": (
        "    @classmethod\n    def __pydantic_on_complete__",
        """\
    age: Annotated[Int64 | None, PetField("Age", "Int64", headers=("years",))] = None
    weight_kg: Annotated[
        float | None, Field(alias="weightKg"), PetField("Weight (kg)", "Float64")
    ] = None

""",
    ),
    "service/models.py": (
        "\n\nclass NewPet(PetFields)",
        "    age: Int64 | None = None\n"
        '    weight_kg: float | None = Field(None, alias="weightKg")\n',
    ),
    "service/store.py": (
        "    sqlite_autoincrement",
        '    sa.Column("age", sa.BigInteger),\n    sa.Column("weight_kg", sa.Float),\n',
    ),
}
# Tests whose fixtures make stores, inventories and lists by hand.
CHOSEN = (
    "unit/dashboard/test_model.py",
    "unit/stocktake/test_matching.py",
    "faults/test_load_answers.py",
)


def run(home: Path, *words: str) -> str:
    """Run Python with the package of a folder and return what it prints."""
    paths = os.pathsep.join([str(home), str(TESTS)])
    environ = {**os.environ, "PYTHONPATH": paths}
    command = [sys.executable, "-W", "ignore", *words]
    done = subprocess.run(
        command, env=environ, cwd=TESTS.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Add two fields by the three files in a copy of the package."""
    home = tmp_path_factory.mktemp("copy")
    shutil.copytree(HOUSE, home / "petstore_frame", ignore=shutil.ignore_patterns("__pycache__"))
    for name, (place, lines) in THREE_FILES.items():
        file = home / "petstore_frame" / name
        text = file.read_text(encoding="utf-8")
        assert text.count(place) == 1
        file.write_text(text.replace(place, lines + place), encoding="utf-8")
    return home


@pytest.fixture(scope="module")
def walk(changed: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Walk the fields through store and package, with yesterday's snapshot."""
    files = tmp_path_factory.mktemp("files")
    write_sample_history(files / "history", days=1, pets=5)
    return json.loads(run(changed, __file__, str(files)))


def test_a_field_comes_from_the_wire_into_frames(walk: dict[str, Any]) -> None:
    """Wire name, dtype and missing values are those that its annotation states."""
    assert walk["sent"] == {"name": "Kim", "categoryId": 1, "age": 7}
    assert (walk["created"], walk["ben"]["age"], walk["ben"]["weight_kg"]) == (7, 71, 2.75)
    assert walk["dtypes"] == {"age": "Int64", "weight_kg": "Float64"}
    assert walk["values"] == [{"Kim": 7, "Ben": 71}, {"Ben": 2.75}]


def test_a_field_is_kept_and_reported(walk: dict[str, Any]) -> None:
    """Snapshots, the workbook, the CSV and the page have it, under its label or name."""
    assert (walk["kept_as"], walk["kept"]) == (["BIGINT", "DOUBLE"], [7, 71])
    header, ben = walk["workbook"][0], walk["workbook"][4]
    assert header[4:] == ["Age", "Weight (kg)"]
    assert [str(cell) for cell in ben[4:]] == ["71", "2.75"]
    assert "status,age,weight_kg" in walk["csv"].splitlines()[0]
    assert "Ben,3,,71,2.75" in walk["csv"]
    for place in ("page", "table", "dashboard"):
        assert "Weight (kg)" in walk[place], place
        assert ">2.75<" in walk[place], place


def test_a_field_goes_from_a_file_to_the_store(walk: dict[str, Any]) -> None:
    """A column of a file is found by the headers that the field states, and read by its dtype."""
    assert walk["states"] == ["created", "created", "invalid"]
    assert {"sent_age", "sent_weight_kg"} <= set(walk["columns"])
    assert walk["to_fix"] == ["years"]


def test_a_change_of_a_field_is_seen(walk: dict[str, Any]) -> None:
    """An edited frame is no longer what was read; a list with another age is not the store's.

    Yesterday's snapshot is read with the new column, empty; its claim stands, and it is compared.
    """
    assert walk["covered"] == [True, False, False]
    assert walk["compared"] == [2, 1]
    assert walk["yesterday"] == ["complete: 5 pets", 5]
    assert walk["diff"] == 5


def test_the_fixtures_of_the_suite_take_a_field(changed: Path) -> None:
    """Stores, inventories and lists of the tests go without a field that they do not know."""
    # Of the faults, which wait for time-outs, one is enough.
    words = ["-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
    words += ["-k", "not test_load_answers or redirect"]
    run(changed, *words, *(str(TESTS / name) for name in CHOSEN))


# -- the walk, in a process of its own ------------------------------------------------------------

FIELDS = ("age", "weight_kg")
CSV = "tag,name,category_id,years,Weight kg\nA1,Ben,3,71,2.75\nA2,Zoe,3,,\nA3,Tom,3,old,\n"


def cells(path: Path) -> list[list[Any]]:
    """The lines of a workbook's sheet of pets."""
    rows = openpyxl.load_workbook(path, read_only=True)["Inventory"].iter_rows(values_only=True)
    return [list(row) for row in rows]


def texts(widget: Any) -> Iterator[str]:
    """Every text of a widget and of those inside it."""
    for name in ("value", "description", "markup", "html"):
        yield str(getattr(widget, name, ""))
    for child in getattr(widget, "children", ()):
        yield from texts(child)


def walk_through(folder: Path) -> dict[str, Any]:
    listed, edited, journal = folder / "new.csv", folder / "edited.csv", folder / "journal"
    listed.write_text(CSV)
    edited.write_text(CSV.replace("71", "72"))
    with pf.serve(sample=2) as server, server.client() as client:
        new = pf.NewPet(name="Kim", category_id=1, age=7)
        created = client.post_pet(new.to_json()).pet_like(new)
        result = pf.load_csv(listed, client, key="tag", journal=journal, progress=False)
        ben = client.list_pets().pets[3]
        inventory = pf.fetch_inventory(client, progress=False)
        same, other = (
            pf.compare(path, inventory, key="tag", journal=journal) for path in (listed, edited)
        )
        dashboard = pf.Dashboard(client, inventory=inventory, folder=folder)
        shown = " ".join(texts(dashboard.widget))
        dashboard.close()
    frame = inventory.frame
    changed = (frame.iloc[::-1], frame.assign(age=range(len(frame))), frame.assign(age=71))
    history = pf.History(folder / "history")
    yesterday = history.read("2026-01-05")
    history.add(inventory)
    return {
        "sent": json.loads(new.to_json()),
        "created": created.age,
        "ben": ben.model_dump(),
        "dtypes": {name: str(frame[name].dtype) for name in FIELDS},
        "values": [frame.set_index("name")[name].dropna().to_dict() for name in FIELDS],
        "covered": [pf.completeness(each) == inventory.completeness for each in changed],
        "states": result.frame["state"].astype(str).tolist(),
        "columns": list(result.frame.columns),
        "to_fix": result.fix["error_column"].tolist(),
        "compared": [len(same.of("same")), len(other.of("same"))],
        "kept_as": [str(type_) for type_ in history.open().types[4:6]],
        "kept": [int(age) for age in history.read().frame["age"].dropna()],
        "yesterday": [str(yesterday.completeness), int(yesterday.frame["age"].isna().sum())],
        "diff": len(history.diff("2026-01-05")),
        "workbook": cells(pf.write_report(inventory, folder / "stock.xlsx")),
        "csv": pf.write_report(inventory, folder / "stock.csv").read_text("utf-8-sig"),
        "page": pf.write_report(inventory, folder / "stock.html").read_text("utf-8"),
        "table": str(pf.charts.inventory_table(inventory).html),
        "dashboard": shown,
    }


if __name__ == "__main__":
    print(json.dumps(walk_through(Path(sys.argv[1]))))
