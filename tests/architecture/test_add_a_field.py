"""A field that is added to the model of a pet is everywhere, and nothing else is changed for it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import petstore_frame
from petstore_frame.bundled.samples import write_sample_history

HOUSE = Path(petstore_frame.__file__).parent
WALK = Path(__file__).with_name("add_a_field.py")
SERVICE_WALK = Path(__file__).with_name("add_a_field_service.py")
BEHIND = "    @classmethod\n    def __pydantic_on_complete__"
ADDED = """    age: Annotated[Int64 | None, PetField("Age", "Int64", headers=("years",))] = None
    weight_kg: Annotated[
        float | None, Field(alias="weightKg"), PetField("Weight (kg)", "Float64")
    ] = None


"""


# Files that CONTRIBUTING names, without create_pet: what a line is put before, and the line.
THREE_FILES = {
    "schema/models.py": (
        BEHIND,
        '    age: Annotated[Int64 | None, PetField("Age", "Int64")] = None\n\n',
    ),
    "service/models.py": ("\n\nclass NewPet(PetFields)", "    age: Int64 | None = None\n"),
    "service/database.py": ("    sqlite_autoincrement", '    sa.Column("age", sa.BigInteger),\n'),
}


def run_walk(program: Path, home: Path) -> dict[str, Any]:
    """Run a program with the package of a folder and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(program), str(home / "files")],
        env={**os.environ, "PYTHONPATH": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Add two fields to the model in a copy of the package and walk them through it."""
    home = tmp_path_factory.mktemp("copy")
    shutil.copytree(
        HOUSE, home / "petstore_frame", ignore=shutil.ignore_patterns("service", "__pycache__")
    )
    models = home / "petstore_frame/schema/models.py"
    before, behind, after = models.read_text(encoding="utf-8").partition(BEHIND)
    models.write_text(before.rstrip() + "\n" + ADDED + behind + after, encoding="utf-8")
    (home / "files").mkdir()
    return run_walk(WALK, home)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Add a field by the three files in a copy of the whole package."""
    home = tmp_path_factory.mktemp("whole")
    shutil.copytree(HOUSE, home / "petstore_frame", ignore=shutil.ignore_patterns("__pycache__"))
    for name, (place, line) in THREE_FILES.items():
        file = home / "petstore_frame" / name
        text = file.read_text(encoding="utf-8")
        assert text.count(place) == 1
        file.write_text(text.replace(place, line + place), encoding="utf-8")
    return home


@pytest.fixture(scope="module")
def service_walk(whole: Path) -> dict[str, Any]:
    """Walk the field through the store, with yesterday's snapshot."""
    (whole / "files").mkdir()
    write_sample_history(whole / "files/history", days=1, pets=5)
    return run_walk(SERVICE_WALK, whole)


def test_a_field_comes_from_the_wire_into_frames(walk: dict[str, Any]) -> None:
    """Wire name, dtype and missing values are those that its annotation states."""
    assert (walk["page"]["age"], walk["page"]["weight_kg"]) == (71, 2.75)
    assert walk["dtypes"] == {"age": "Int64", "weight_kg": "Float64"}
    assert (walk["first"], walk["missing"]) == ([71, 2.75], [True, True])


def test_a_field_that_was_edited_is_seen(walk: dict[str, Any]) -> None:
    """A frame in which an added field was edited is no longer what was read."""
    assert walk["covered"] == [True, False, False]


def test_a_field_is_kept_and_reported(walk: dict[str, Any]) -> None:
    """Snapshots, the workbook, the CSV and the page have it, under its label or name."""
    assert walk["kept"] == ["BIGINT", "DOUBLE"]
    header, luna = walk["workbook"]
    assert header[4:] == ["Age", "Weight (kg)"]
    assert [str(cell) for cell in luna[4:]] == ["71", "2.75"]
    assert "status,age,weight_kg" in walk["csv"].splitlines()[0]
    assert "71,2.75" in walk["csv"]
    for place in ("page_of_report", "table", "dashboard"):
        assert "Weight (kg)" in walk[place], place
        assert ">2.75<" in walk[place], place


def test_a_field_goes_from_a_file_to_the_wire(walk: dict[str, Any]) -> None:
    """A column of a file is found by the headers that the field states, and read by its dtype."""
    assert walk["created"] == {"name": "Kim", "categoryId": 1, "age": 7}
    assert walk["sent"] == [
        {"name": "Ben", "categoryId": 3, "age": 71, "weightKg": 2.75},
        {"name": "Zoe", "categoryId": 3},
    ]
    assert {"sent_age", "sent_weight_kg"} <= set(walk["columns"])
    assert walk["to_fix"] == ["years"]


def test_the_store_keeps_a_field(service_walk: dict[str, Any]) -> None:
    """What is sent of it is there when it is read, reported and kept."""
    assert service_walk["created"] == 7
    assert service_walk["states"] == ["created", "created"]
    assert service_walk["ages"] == {"Kim": 7, "Ben": 71}
    assert "Ben,3,,71" in service_walk["report"]
    columns = zip(*service_walk["workbook"], strict=True)
    ages = next(column for column in columns if column[0] == "Age")
    assert [str(age) for age in ages if age is not None][1:] == ["7", "71"]
    assert ">71<" in service_walk["dashboard"]
    assert service_walk["kept"] == [7, 71]


def test_a_list_is_compared_by_a_field(service_walk: dict[str, Any]) -> None:
    """The list that was loaded is the same as the store; one with another age is not."""
    assert service_walk["compared"] == [2, 1]


def test_yesterdays_snapshot_lacks_a_field(service_walk: dict[str, Any]) -> None:
    """It is read with the new column, empty, its claim stands, and it can be compared."""
    assert service_walk["yesterday"] == ["complete: 5 pets", 5]
    assert service_walk["diff"] == 5


def test_the_fixtures_of_the_suite_take_a_field(whole: Path) -> None:
    """Stores, inventories and lists of the tests go without a field that they do not know."""
    tests = Path(__file__).parents[1]
    chosen = (
        "unit/dashboard/test_model.py", "unit/stocktake/test_matching.py",
        "unit/test_load_writer.py", "zoo/test_find_pet.py", "faults/test_load_verdicts.py",
    )  # fmt: skip
    words = ["-q", "-n", "0", "-p", "no:cacheprovider", *(str(tests / name) for name in chosen)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(whole), str(tests)])},
        cwd=tests.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
