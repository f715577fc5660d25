"""Dates are read in one place, in all forms that spreadsheets and programs write."""

from __future__ import annotations

import pytest

from petstore_frame.loader.matching.dates import is_spreadsheet_date, read_date

OF_SPREADSHEETS = [
    "12-Mar", "12. M\u00e4rz 2026", "Mar-26", "Mar-2026", "3. Dez", "12 avr. 2026", "1-ene",
    "02-Set-26", "30 d\u00e9c", "Sept-12", "12\u2013MAR", "3/12/2026", "12.03.2026",
    "31/12/2026 0:00", "12/31/2026 00:00:00",
]  # fmt: skip
ISO = [
    "2026-03-12", "2026-03-12 00:00:00", "2026-11-03T00:00:00", "2026-11-03T00:00:00Z",
    "2026-11-03T00:00:00.000+01:00",
]  # fmt: skip
KEYS = [
    "MAR-0012", "MAR-7", "3-12", "2026-0312", "12", "A-12", "Marley-22", "Decker-17", "Mayor-12",
    "Junior-07", "123/05/2026", "45/99/2026", "0/12/2026", "2026-Mar", "", "17/3", "MAY12-26",
]  # fmt: skip


@pytest.mark.parametrize("text", OF_SPREADSHEETS)
def test_a_spreadsheet_writes_dates_like_this(text: str) -> None:
    """A key that it turned into a date is recognized, with or without its year."""
    assert is_spreadsheet_date(text)


@pytest.mark.parametrize("text", [*ISO, *KEYS])
def test_other_texts_may_be_keys(text: str) -> None:
    """Names of months are whole words; days and months are in their ranges; ISO dates are keys."""
    assert not is_spreadsheet_date(text)


@pytest.mark.parametrize(
    ("text", "days", "time"),
    [
        ("01/05/2026", "2026-05-01 2026-01-05", "00:00:00"),
        ("13/05/2026 1:30 PM", "2026-05-13", "13:30:00"),
        ("5/13/26", "2026-05-13", "00:00:00"),
        ("31.12.69", "1969-12-31", "00:00:00"),
        ("2026-05-01T10:30:15.5Z", "2026-05-01", "10:30:15.500000+00:00"),
        ("2026/5/1", "2026-05-01", "00:00:00"),
        ("May 1, 2026", "2026-05-01", "00:00:00"),
        ("1. Mai 2026", "2026-05-01", "00:00:00"),
        ("20260501", "2026-05-01", "00:00:00"),
    ],
)
def test_a_date_has_the_days_that_it_may_be(text: str, days: str, time: str) -> None:
    """Day and month are in either order, if the text does not say which."""
    written = read_date(text)
    assert written is not None
    assert " ".join(day.isoformat() for day in written.days) == days
    assert written.time.isoformat() == time


@pytest.mark.parametrize("text", [*KEYS, "12-Mar", "2026-02-30", "31/02/2026", "2026-05-01 25:00"])
def test_what_is_no_day_is_no_date(text: str) -> None:
    """A day that does not exist, an impossible time, or a date without its year."""
    assert read_date(text) is None
