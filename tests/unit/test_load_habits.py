"""Options that people bring from pandas are taken, or answered in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import petstore_frame as pf


def told(load: Callable[..., Any], data: Any, client: pf.Client, **options: Any) -> str:
    with pytest.raises(pf.ArgumentError) as refused:
        load(data, client, **options)
    return str(refused.value)


@pytest.mark.parametrize(
    "options",
    [{"sep": "|"}, {"sep": "|", "header": 0}, {"header": "infer", "delimiter": "|"}],
    ids=str,
)
def test_a_word_with_one_meaning_is_taken(
    options: dict[str, Any], client: pf.Client, tmp_path: Path
) -> None:
    """``sep=`` is the delimiter, and the header that is meant anyway may be said."""
    path = tmp_path / "pets.csv"
    path.write_text("name|category_id\nRex|3\n", encoding="utf-8")
    result = pf.load_csv(path, client, dry_run=True, journal=tmp_path / "j", **options)
    assert result.frame["sent_name"].tolist() == ["Rex"]


def test_names_are_the_columns_of_a_file_without_a_header(
    client: pf.Client, tmp_path: Path
) -> None:
    """pandas' pair for such a file is taken together."""
    path = tmp_path / "pets.csv"
    path.write_text("Rex,3\n", encoding="utf-8")
    names = {"header": None, "names": ["name", "category_id"]}
    result = pf.load_csv(path, client, dry_run=True, journal=tmp_path / "j", **names)  # type: ignore[arg-type]
    assert result.frame["line"].tolist() == [1]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"header": 2}, "header=2 is header_row=3 here"),
        ({"header": None}, "needs columns="),
        ({"dtype": str}, "cells are read as text"),
        ({"external_id": "id"}, "is named by key="),
        ({"delimeter": ";"}, "did you mean delimiter=?"),
        ({"sep": ";", "delimiter": ","}, "delimiter= is given twice"),
        ({"accept_loss": True}, "put the latest copy of the journal back"),
        ({"sheet_name": "Pets"}, "load_csv has no option sheet_name"),
        ({"colour": "red"}, "load_csv has no option colour; it has recipe, key, mapping"),
    ],
    ids=str,
)
def test_any_other_word_names_the_right_one(
    options: dict[str, Any], words: str, client: pf.Client, tmp_path: Path
) -> None:
    """One sentence says what is meant; nothing is read."""
    assert words in told(pf.load_csv, tmp_path / "none.csv", client, **options)


def test_a_sheet_is_named(client: pf.Client, tmp_path: Path) -> None:
    """``sheet_name=`` is the sheet where it is a name; a number is asked about."""
    frame = pd.DataFrame({"name": ["Rex"], "category_id": [3]})
    with pd.ExcelWriter(tmp_path / "pets.xlsx", engine="openpyxl") as book:
        frame.to_excel(book, sheet_name="Pets", index=False)
        frame.to_excel(book, sheet_name="More", index=False)
    options: dict[str, Any] = {"dry_run": True, "journal": tmp_path / "j", "sheet_name": "More"}
    result = pf.load_excel(tmp_path / "pets.xlsx", client, **options)
    assert len(result.frame) == 1
    assert "sheet= is the name" in told(pf.load_excel, tmp_path / "pets.xlsx", client, sheet_name=0)
