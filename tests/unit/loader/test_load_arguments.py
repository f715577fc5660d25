"""Arguments of the loader: wrong ones stage nothing, words of pandas are taken or answered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.loader.options import GRACE_S
from petstore_frame.transport.settings import DEFAULT_TIMEOUT_S
from unit.conftest import inventory
from unit.loader.opened import workbook_of, written

WRONG = [
    ({"max_errors": -1}, "max_errors is 0 or more, got -1"),
    ({"max_errors": "x"}, "max_errors is a whole number, got the text 'x'"),
    ({"workers": 0}, "workers is 1 to 32, got 0"),
    ({"journal": 3}, "journal= is a folder's path, got 3"),
    ({"dry_run": "no"}, "dry_run is True or False, got 'no'"),
    ({"progress": 3}, "progress is a function, True, False or None, got 3"),
    ({"mapping": 3}, "mapping= is the column of each field"),
    ({"mapping": {"name": 3}}, "mapping= is the column of each field, as text"),
    ({"mapping": {"categoryId": "a", "category": "b"}}, "names the field category_id twice"),
    ({"value_map": 3}, "value_map= is what words mean"),
    ({"value_map": {"status": "sold"}}, "value_map= is what words mean"),
    ({"value_map": {"colour": {"red": 1}}}, "nothing was sent"),
    ({"value_map": {"status": {"gone": "lost"}}}, "nothing was sent"),
    ({"value_map": {"category_id": {"Dog": "five"}}}, "nothing was sent"),
    ({"value_map": {"status": {"gone": ["lost"]}}}, "value_map= is what words mean"),
    ({"value_map": {"category_id": {"Dog": np.True_}}}, "value_map= expected a text or a number"),
    ({"categories": 3}, "categories are labels by id"),
    ({"keep_spaces": "x"}, "keep_spaces= is true"),
    ({"encoding": 3}, "encoding= is of a text file"),
    ({"encoding": "base64"}, "'base64' is no encoding"),
    ({"delimiter": "::"}, "delimiter= is one character"),
    ({"delimiter": '"'}, "delimiter= is one character"),
    ({"quoting": "bogus"}, "quoting= is strict, or none"),
    ({"header_row": 0}, "header_row= is the row of the header"),
    ({"thousands": "x"}, "thousands= is the separator in numbers"),
    ({"columns": "name,category_id"}, "columns= is a list of the columns' names"),
    ({"columns": ["name", "name"]}, "columns= names the column 'name' twice"),
]


# Words of other libraries, answered in one sentence.
FOREIGN = [
    ({"header": 2}, "header=2 is header_row=3 here"),
    ({"header": None}, "needs columns="),
    ({"dtype": str}, "cells are read as text"),
    ({"external_id": "id"}, "is named by key="),
    ({"delimeter": ";"}, "did you mean delimiter=?"),
    ({"sep": ";", "delimiter": ","}, "delimiter= is given twice"),
    ({"accept_loss": True}, "put the latest copy of the journal back"),
    ({"sheet_name": "Pets"}, "load has no option sheet_name"),
    ({"colour": "red"}, "load has no option colour; it has recipe, key, mapping"),
]


@pytest.fixture
def plan(client: pf.Client, tmp_path: Path) -> Callable[..., pf.LoadResult]:
    """Rehearse the load of a file with this text, or of another source."""

    def run(source: Any, **options: Any) -> pf.LoadResult:
        given = {"dry_run": True, "journal": tmp_path / "journal", "progress": False} | options
        if isinstance(source, pd.DataFrame):
            return pf.load(source, client, **given)
        if isinstance(source, Path):
            return pf.load(source, client, **given)
        return pf.load(written(tmp_path, source), client, **given)

    return run


@pytest.mark.parametrize(("options", "words"), [*WRONG, *FOREIGN], ids=str)
def test_a_wrong_argument_stages_nothing(plan, tmp_path: Path, options, words: str) -> None:
    """Each is refused with what it can be, before a journal is made."""
    with pytest.raises(pf.ArgumentError) as refused:
        plan("name,category_id\nRex,3\n", **{"dry_run": False} | options)
    assert words in str(refused.value)
    assert [path.name for path in tmp_path.iterdir()] == ["pets.csv"]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("name|category_id\nRex|3\n", {"sep": "|", "header": 0}),
        ("name|category_id\nRex|3\n", {"header": "infer", "delimiter": "|"}),
        ("Rex,3\n", {"header": None, "names": ["name", "category_id"]}),
    ],
    ids=str,
)
def test_a_word_with_one_meaning_is_taken(plan, text: str, options: dict[str, Any]) -> None:
    """``sep=`` is the delimiter, ``names=`` the columns; the header that is meant may be said."""
    assert plan(text, **options).frame["sent_name"].tolist() == ["Rex"]


def test_a_sheet_is_named(plan, tmp_path: Path) -> None:
    """``sheet_name=`` is the sheet where it is a name; a number is asked about."""
    path, book = tmp_path / "pets.xlsx", workbook_of(tmp_path, ("name", "category_id"), ("Rex", 3))
    book.create_sheet("More")
    book.save(path)
    assert len(plan(path, sheet_name="Pets").frame) == 1
    with pytest.raises(pf.ArgumentError, match="sheet= is the name"):
        plan(path, sheet_name=0)


@pytest.mark.parametrize(
    ("load", "source", "words"),
    [
        (pf.load, inventory(), "in a store already; pass its .frame"),
        (pf.load, pd.DataFrame({"name": ["Rex"]}), "got a DataFrame; load takes"),
        (pf.load, "pets.xlsx", "pets.xlsx is a workbook; use load"),
        (pf.load, "pets.csv", "pets.csv is not a workbook; use load"),
    ],
)
def test_what_is_meant_for_another_function_names_it(
    client: pf.Client, tmp_path: Path, load: Any, source: Any, words: str
) -> None:
    """A caller who passes the wrong kind of thing is told what would be right."""
    with pytest.raises(pf.ArgumentError, match=words):
        load(source, client, journal=tmp_path)


@pytest.mark.parametrize("load", [pf.load, pf.load, pf.load])
def test_what_is_not_a_client_is_refused(load: Any, tmp_path: Path) -> None:
    """A missing client is named before the file is opened."""
    with pytest.raises(pf.ArgumentError, match=r"[Cc]lient"):
        load("pets.xlsx" if load is pf.load else "pets.csv", None, journal=tmp_path / "j")
    assert list(tmp_path.iterdir()) == []


def test_the_grace_is_two_timeouts() -> None:
    """The number of the light module is derived from the client's own."""
    assert GRACE_S == 2 * DEFAULT_TIMEOUT_S
