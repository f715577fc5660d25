"""Keys of rows: what is a key, and what a person or a spreadsheet wrote in its place."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pandas as pd
import pytest

from unit.loader.opened import rows_of, workbook_of


def keys_of(tags: list[object], key: str | list[str] = "tag") -> list[str | None]:
    """Return the keys of a frame with these tags, joined; None for a row without one."""
    frame = pd.DataFrame({"name": "A", "category_id": 3, "tag": tags, "house": "N"}, dtype=object)
    return [None if row.key is None else "+".join(row.key) for row in rows_of(frame, key=key)]


WORDS = [
    "none", "N/A", "Unknown", "TBD", "0", "000", "-", "?", "N.A.", "none.", "no tag", "No Chip",
    "no id", "no microchip", "not chipped", "unchipped", "not applicable", "none found",
    "kein Chip", "ohne", "keine", "sans", "aucun", "ninguno", "sin chip", "pending", "to follow",
    "geen chip", "0" * 15,
]  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_a_word_for_none_is_no_key(word: str) -> None:
    """One such row is enough, in any language."""
    assert keys_of([word, "A-17"]) == [None, "A-17"]


@pytest.mark.parametrize("text", ["99", "900", "999999", "Nala", "N-0", "No. 9", "*"])
def test_a_short_number_and_a_name_are_keys(text: str) -> None:
    """99 is the number after 98, and may be in several rows."""
    assert keys_of([text, "A-17", text]) == [text, "A-17", text]


@pytest.mark.parametrize("text", ["12-Mar", "Mar-12", "3. Dez", "3/12/2026", "12.03.2026"])
def test_a_date_among_other_keys_was_made_by_a_spreadsheet(text: str) -> None:
    """It is a key if all keys are dates, and words for no number are not others."""
    assert keys_of([text, "A-17"]) == [None, "A-17"]
    assert keys_of([text, "none"]) == [text, None]


def test_numbers_with_a_year_are_not_dates() -> None:
    """123/05/2026 shows what 12/05/2026 is here; 3-12 and 2026-03-12 may be numbers, too."""
    assert keys_of(["12/05/2026", "123/05/2026"]) == ["12/05/2026", "123/05/2026"]
    assert keys_of(["3-12", "2026-03-12", "A-17"]) == ["3-12", "2026-03-12", "A-17"]


def test_a_date_cell_is_no_key_among_others(tmp_path: Path) -> None:
    """The workbook says that it is a date, and a number past 15 digits was rounded."""
    header, first = ("name", "category_id", "tag"), ("A", 3, "A-17")
    workbook_of(tmp_path, header, first, ("B", 3, date(2026, 3, 12)), ("C", 3, 1234567890123456))
    rows = rows_of(tmp_path / "pets.xlsx", key="tag")
    assert [row.key for row in rows] == [("A-17",), None, None]
    assert all(row.problems[0].column == "tag" for row in rows[1:])


def test_a_part_of_a_composite_key_may_be_a_word() -> None:
    """Only a key that says nothing at all is none."""
    assert keys_of(["0", "0"], key=["house", "tag"]) == ["N+0", "N+0"]


def test_a_key_with_an_e_between_digits_is_a_key() -> None:
    """Only decimals or a plus sign make it a rounded number."""
    assert keys_of(["1E5", "9e14", "A-17"]) == ["1E5", "9e14", "A-17"]


@pytest.mark.parametrize(
    "text", ["", "#N/A", "#BEZUG!", "9.81E+14", "9,81E14", "9.81e14", "9.81 E+14"]
)
def test_what_a_spreadsheet_wrote_in_place_of_a_key_is_no_key(text: str) -> None:
    """One such row is enough: nothing of its key is left, nor of a key of several columns."""
    assert keys_of([text, "A-17"]) == [None, "A-17"]
    if text:
        assert keys_of([text, "A-17"], key=["tag", "house"]) == [None, "A-17+N"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "no animal ID"), ("#N/A", "a spreadsheet error"), ("9.81E+14", "a spreadsheet rounded")],
)
def test_a_text_that_is_no_key_is_named(text: str, reason: str) -> None:
    """The problem says what the text is."""
    frame = pd.DataFrame({"name": ["A", "B"], "category_id": 3, "tag": [text, "A-17"]})
    assert reason in rows_of(frame, key="tag")[0].problems[0].message
