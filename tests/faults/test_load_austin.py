"""A whole file of a real shelter, from the shell, into the real service."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import petstore_frame as pf

# The file is not part of this repository; it lies beside it where the project is worked on.
FOUND = [
    folder / "shared" / "data" / "pets_austin.csv"
    for folder in Path(__file__).resolve().parents
    if (folder / "shared" / "data" / "pets_austin.csv").exists()
]


@pytest.mark.skipif(not FOUND, reason="needs shared/data/pets_austin.csv beside the repository")
def test_each_of_22810_records_has_one_fate(tmp_path: Path) -> None:
    """14,001 named animals are created, name for name; 8,809 without a name are invalid."""
    with pf.serve(database=tmp_path / "store.sqlite3") as server:
        command = [sys.executable, "-m", "petstore_frame", "load", str(FOUND[0]), "--json"]
        command += ["--base-url", server.base_url, "--journal", str(tmp_path / "journal")]
        done = subprocess.run(
            [*command, "--output", str(tmp_path / "out")],
            env=os.environ | {"PETSTORE_API_KEY": server.api_key.get_secret_value()},
            capture_output=True,
            text=True,
            timeout=170,
        )
        with server.client() as client:
            inventory = pf.fetch_inventory(client)
    summary = json.loads(done.stdout)
    assert (done.returncode, summary["records"]) == (1, 22_810)
    assert (summary["states"]["created"], summary["states"]["invalid"]) == (14_001, 8_809)
    with FOUND[0].open(encoding="utf-8", newline="") as file:
        wanted = Counter(
            (row["name"].strip(), int(row["categoryId"]), row["status"] or None)
            for row in csv.DictReader(file)
            if row["name"].strip()
        )
    frame = inventory.frame.astype({"status": "object"})
    found = Counter(
        (name, kind, status if isinstance(status, str) else None)
        for _, name, kind, status in frame.itertuples(index=False)
    )
    assert found == wanted
