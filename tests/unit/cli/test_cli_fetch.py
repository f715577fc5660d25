"""``petstore-frame fetch``: the store's own values in a file, and what they cover."""

from __future__ import annotations

import csv
from pathlib import Path

from end_to_end.shell import typed

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
    told = typed("petstore-frame fetch --output sold.csv --status SOLD")
    assert told.exit_code == 0 and "sold" in told.stdout and "≥ 0" not in told.stdout
