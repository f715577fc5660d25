"""``petstore-frame fetch``: the store's own values in a file, and what they cover."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas as pd
import pytest

import petstore_frame as pf
from end_to_end.shell import typed
from petstore_frame.report import write_data

NAMES = [
    "NA", "=1+1", "'=quoted", "@home", "007", 'a "b", c', "two\nlines", "carriage\rreturn",
    "Žofie 🐱", "-",
]  # fmt: skip


def test_a_csv_holds_names_byte_for_byte(server_here) -> None:
    """Names come back as the store has them; of one status, in any case, nothing else is told."""
    with server_here.client() as client:
        for name in NAMES:
            client.create_pet(name, 3)
    result = typed("petstore-frame fetch --output pets.csv")
    with Path("pets.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert result.exit_code == 0, result.output
    assert [row["name"] for row in rows] == NAMES
    assert list(rows[0]) == ["id", "name", "category_id", "status"]
    ended = typed("petstore-frame fetch --output sold.csv --status SOLD")
    assert ended.exit_code == 0 and "sold" in ended.stdout and "≥ 0" not in ended.stdout


def test_a_part_is_written_with_what_it_covers(tmp_path: Path, monkeypatch) -> None:
    """Pets that were read before the store failed are kept, and a later reader sees that."""
    monkeypatch.chdir(tmp_path)
    with pf.serve(sample=250, seed=7) as server, server.client() as client:
        inventory = pf.fetch_inventory(client, max_pets=120)
        write_data(inventory, Path("pets.jsonl"))
    facts = json.loads(Path("pets.jsonl.coverage.json").read_text(encoding="utf-8"))
    assert facts["completeness"]["verdict"] == "incomplete"
    assert len(Path("pets.jsonl").read_text(encoding="utf-8").splitlines()) == 120
    saved = pf.read_inventory("pets.jsonl")
    assert saved.completeness == inventory.completeness
    pd.testing.assert_frame_equal(saved.frame, inventory.frame)


def test_json_lines_go_to_a_file_or_to_stdout(server_here) -> None:
    """Each pet is one JSON object with the names of the frame, and ids stay whole numbers."""
    with server_here.client() as client:
        client.create_pet("Žofie\n", 3, "sold")
        client.create_pet("Max", 3)
    to_stdout = typed("petstore-frame fetch --output -")
    to_file = typed("petstore-frame fetch --output pets.jsonl")
    assert (to_stdout.exit_code, to_file.exit_code) == (0, 0)
    lines = to_stdout.stdout.splitlines()
    assert lines == Path("pets.jsonl").read_text(encoding="utf-8").splitlines()
    first, second = map(json.loads, lines)
    assert first == {"id": first["id"], "name": "Žofie\n", "category_id": 3, "status": "sold"}
    assert second["status"] is None
    assert "complete: 2 pets" in to_stdout.stderr
    saved = pf.read_inventory("pets.jsonl")
    assert saved.completeness.covers_all
    assert saved.frame["name"].tolist() == ["Žofie\n", "Max"]


OTHER_LINES = {
    "[1]": (pf.ArgumentError, r"pets\.jsonl is not an inventory: it lacks id"),
    '{"': (pf.InputError, r"pets\.jsonl: this is a JSON document"),
    "{}": (pf.ArgumentError, r"pets\.jsonl is not an inventory: it lacks id"),
    '{"id": 1}': (pf.ArgumentError, r"pets\.jsonl is not an inventory: it lacks name"),
    '{"id": 1.5, "name": "x"}': (pf.InputError, r"pets\.jsonl, line 1, column 'id': '1.5' is not"),
}


@pytest.mark.parametrize("line", OTHER_LINES)
def test_other_json_lines_are_no_inventory(tmp_path: Path, line: str) -> None:
    """A line that is no pet is refused with the name of the file."""
    path = tmp_path / "pets.jsonl"
    path.write_text(line, encoding="utf-8")
    error, message = OTHER_LINES[line]
    with pytest.raises(error, match=message):
        pf.read_inventory(path)


def test_changed_json_lines_are_not_called_complete(server_here) -> None:
    """If an id was changed by hand, what the rows cover is unknown."""
    with server_here.client() as client:
        client.create_pet("Max", 3)
    typed("petstore-frame fetch --output pets.jsonl")
    path = Path("pets.jsonl")
    path.write_text(path.read_text(encoding="utf-8").replace('"id":', '"id":9'), encoding="utf-8")
    assert not pf.read_inventory(path).completeness.covers_all
