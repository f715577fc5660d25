"""A field that is added to the model of a pet is everywhere, and nothing else is changed for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import petstore_frame as pf
from petstore_frame.schema import PetColumns

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
    chip: Annotated[str | None, PetField("Chip", "str", headers=("microchip",))] = None

""",
    ),
    "service/wire_models.py": (
        '    @validator("category_id"',
        "    age: Int64 | None = None\n"
        '    weight_kg: float | None = Field(None, alias="weightKg")\n'
        "    chip: str | None = None\n",
    ),
    "service/database.py": (
        "    sqlite_autoincrement",
        '    sa.Column("age", sa.BigInteger),\n    sa.Column("weight_kg", sa.Float),\n'
        '    sa.Column("chip", sa.String),\n',
    ),
}


def test_three_fields_are_added_by_three_files(tmp_path: Path) -> None:
    """Every place shows three fields more: a whole number, a number and a text."""
    shutil.copytree(HOUSE, tmp_path / HOUSE.name, ignore=shutil.ignore_patterns("__pycache__"))
    for name, (place, lines) in THREE_FILES.items():
        file = tmp_path / HOUSE.name / name
        text = file.read_text(encoding="utf-8")
        assert text.count(place) == 1
        file.write_text(text.replace(place, lines + place), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
    command += [str(TESTS / "architecture/added_fields.py")]
    frame = PetColumns([[1], ["Ada"], [3], ["sold"]]).to_frame()
    pf.History(tmp_path / "before").add(pf.Inventory.from_frame(frame))
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(TESTS)])}
    environ["HISTORY_OF_BEFORE"] = str(tmp_path / "before")
    done = subprocess.run(
        command, env=environ, cwd=TESTS.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
