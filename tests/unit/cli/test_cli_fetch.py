"""``petstore-frame fetch``: the store's own values in a file, and what they cover."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import petstore_frame as pf
from journey.shell import typed
from threaded import serve

NAMES = [
    "NA", "=1+1", "'=quoted", "@home", "007", 'a "b", c', "two\nlines", "carriage\rreturn",
    "Žofie 🐱", "-",
]  # fmt: skip


@pytest.fixture(scope="module")
def store():
    """A store of the names, which no test changes."""
    with serve() as running, running.client() as client:
        for name in NAMES:
            client.create_pet(name, 3)
        yield running


@pytest.fixture
def fetch(store, tmp_path, monkeypatch):
    """Fetches the store into a file of the test's folder."""
    monkeypatch.chdir(tmp_path)
    place = {"PETSTORE_BASE_URL": store.base_url}
    place |= {"PETSTORE_API_KEY": store.api_key.get_secret_value()}
    return lambda name, *more: typed("petstore-frame fetch --output", name, *more, **place)


def test_a_csv_holds_names_byte_for_byte(fetch) -> None:
    """Names come back as the store has them."""
    result = fetch("pets.csv")
    with Path("pets.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert result.exit_code == 0, result.output
    assert [row["name"] for row in rows] == NAMES
    assert list(rows[0]) == ["id", "name", "category_id", "status"]


def test_a_status_is_known_in_any_case(fetch) -> None:
    """SOLD is sold, and what was not asked for has no count."""
    told = fetch("pets.csv", "--status", "SOLD")
    assert told.exit_code == 0 and "sold" in told.stdout and "at least 0" not in told.stdout


@pytest.mark.parametrize(("words", "code"), [([], 0), (["--max-pets", "3"], 1)])
def test_only_a_complete_listing_ends_with_0(fetch, words: list[str], code: int) -> None:
    """Exit code, ``is_complete``, the headline of the JSON, the file and the text agree."""
    told = fetch("a.parquet", "--json", *words)
    known = json.loads(told.stdout)["completeness"]
    assert (told.exit_code, known["is_complete"]) == (code, code == 0)
    assert known["text"].startswith("complete: ") is (code == 0)
    assert pf.read_inventory("a.parquet").completeness.covers_all is (code == 0)
    shown = fetch("b.csv", *words)
    assert (shown.exit_code, known["basis"] in shown.stdout) == (code, code == 1)
