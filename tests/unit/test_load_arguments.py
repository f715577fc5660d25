"""Wrong arguments of the loader are an ArgumentError, before anything is staged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.http.settings import DEFAULT_TIMEOUT_S
from petstore_frame.loader.options import GRACE_S

WRONG = [
    ({"max_errors": -1}, "max_errors is 0 or more, got -1"),
    ({"max_errors": "x"}, "max_errors is a whole number, got the text 'x'"),
    ({"workers": 0}, "workers is 1 to 32, got 0"),
    ({"journal": 3}, "journal= is a folder's path, got 3"),
    ({"dry_run": "no"}, "dry_run is True or False, got 'no'"),
    ({"again": 1}, "again is True or False, got 1"),
    ({"progress": 3}, "progress is a function, True, False or None, got 3"),
    ({"mapping": 3}, "mapping= goes from field to column, as in mapping={'name': 'Animal'}, got 3"),
    ({"mapping": {"name": 3}}, "mapping= names the column 3, which is not text"),
    (
        {"mapping": {"categoryId": "a", "category": "b"}},
        "names the field category_id twice",
    ),
    ({"value_map": 3}, "value_map= goes from field to values by word"),
    ({"value_map": {"status": "sold"}}, "value_map= goes from field to values by word"),
    ({"value_map": {"status": {"gone": ["lost"]}}}, "value_map gives ['lost'] as a status"),
    ({"value_map": {"category_id": {"Dog": np.True_}}}, "as a category id; give a whole number"),
    ({"categories": 3}, "categories are labels by id"),
    ({"keep_spaces": "x"}, "keep_spaces is True or False, got 'x'"),
    ({"encoding": 3}, "encoding= is the name of a text encoding, got 3"),
    ({"encoding": "base64"}, "encoding= is the name of a text encoding, got 'base64'"),
    ({"delimiter": "::"}, "delimiter= is one character"),
    ({"delimiter": '"'}, "delimiter= is one character"),
    ({"quoting": "bogus"}, "quoting= is 'strict' or 'none', got 'bogus'"),
    ({"thousands": "x"}, "thousands= is ',' or '.', got 'x'"),
    ({"columns": "name,category_id"}, "columns= is a list of column names"),
    ({"columns": ["name", "name"]}, "columns= names the column 'name' twice"),
]


@pytest.mark.parametrize(("options", "words"), WRONG, ids=str)
def test_a_wrong_argument_stages_nothing(
    options: dict[str, Any], words: str, client: pf.Client, tmp_path: Path
) -> None:
    """Each is refused with what it can be, before a journal is made."""
    path = tmp_path / "pets.csv"
    path.write_text("name,category_id\nRex,3\n", encoding="utf-8")
    given = {"journal": tmp_path / "journal", "progress": False} | options
    with pytest.raises(pf.ArgumentError) as refused:
        pf.load_csv(path, client, **given)
    assert words in str(refused.value)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("load", [pf.load_csv, pf.load_excel, pf.load_frame])
def test_what_is_not_a_client_is_refused(load: Any, tmp_path: Path) -> None:
    """A missing client is named before the file is opened."""
    with pytest.raises(pf.ArgumentError, match=r"[Cc]lient"):
        load("pets.xlsx" if load is pf.load_excel else "pets.csv", None, journal=tmp_path / "j")
    assert list(tmp_path.iterdir()) == []


def test_the_grace_is_two_timeouts() -> None:
    """The number of the light module is derived from the client's own."""
    assert GRACE_S == 2 * DEFAULT_TIMEOUT_S
    assert isinstance(GRACE_S, float)


def test_every_way_in_takes_grouped_digits(client: pf.Client, tmp_path: Path) -> None:
    """The option that the refusal of 1,024 names is there for a sheet and a frame too."""
    frame = pd.DataFrame({"name": ["Rex"], "category_id": ["1,024"]})
    frame.to_excel(tmp_path / "pets.xlsx", index=False)
    given = {"dry_run": True, "journal": tmp_path / "journal", "thousands": ","}
    for result in (
        pf.load_frame(frame, client, **given),
        pf.load_excel(tmp_path / "pets.xlsx", client, **given),
    ):
        assert result.frame["sent_category_id"].tolist() == [1024]
