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

HOUSE = Path(petstore_frame.__file__).parent
WALK = Path(__file__).with_name("add_a_field.py")
BEHIND = "    @classmethod\n    def __pydantic_on_complete__"
ADDED = """    age: Annotated[Int64 | None, Column("Age", "Int64", headers=("years",))] = None
    weight_kg: Annotated[
        float | None, Field(alias="weightKg"), Column("Weight (kg)", "Float64")
    ] = None


"""


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
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(WALK), str(home / "files")],
        env={**os.environ, "PYTHONPATH": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


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
