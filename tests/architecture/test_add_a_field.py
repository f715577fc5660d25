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
    "service/database.py": (
        "    sqlite_autoincrement",
        '    sa.Column("age", sa.BigInteger),\n    sa.Column("weight_kg", sa.Float),\n',
    ),
}
# Tests whose fixtures make stores, inventories and lists by hand.
CHOSEN = (
    "unit/dashboard/test_model.py",
    "unit/stocktake/test_matching.py",
    "faults/test_load_verdicts.py",
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
    return json.loads(run(changed, str(WALK), str(files)))


def test_a_field_comes_from_the_wire_into_frames(walk: dict[str, Any]) -> None:
    """Wire name, dtype and missing values are those that its annotation states."""
    assert walk["sent"] == {"name": "Kim", "categoryId": 1, "age": 7}
    assert (walk["created"], walk["ben"]["age"], walk["ben"]["weight_kg"]) == (7, 71, 2.75)
    assert walk["dtypes"] == {"age": "Int64", "weight_kg": "Float64"}
    assert walk["values"] == [{"Kim": 7, "Ben": 71}, {"Ben": 2.75}]


def test_a_field_that_was_edited_is_seen(walk: dict[str, Any]) -> None:
    """A frame in which an added field was edited is no longer what was read."""
    assert walk["covered"] == [True, False, False]


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


def test_a_list_is_compared_by_a_field(walk: dict[str, Any]) -> None:
    """The list that was loaded is the same as the store; one with another age is not."""
    assert walk["compared"] == [2, 1]


def test_yesterdays_snapshot_lacks_a_field(walk: dict[str, Any]) -> None:
    """It is read with the new column, empty, its claim stands, and it can be compared."""
    assert walk["yesterday"] == ["complete: 5 pets", 5]
    assert walk["diff"] == 5


def test_the_fixtures_of_the_suite_take_a_field(changed: Path) -> None:
    """Stores, inventories and lists of the tests go without a field that they do not know."""
    words = ["-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
    run(changed, *words, *(str(TESTS / name) for name in CHOSEN))
