"""Dates that a spreadsheet made of keys are recognized in one place."""

from __future__ import annotations

import pytest

from petstore_frame.loader.key_dates import DateForm, date_form

MONTH = [
    "12-Mar", "12. M\u00e4rz 2026", "Mar-26", "Mar-2026", "3. Dez", "12 avr. 2026", "1-ene",
    "02-Set-26", "30 d\u00e9c", "Sept-12", "12\u2013MAR",
]  # fmt: skip
NUMBERS = ["3/12/2026", "12.03.2026", "31/12/2026 0:00", "12/31/2026 00:00:00"]
ISO = [
    "2026-03-12", "2026-03-12 00:00:00", "2026-11-03T00:00:00", "2026-11-03T00:00:00Z",
    "2026-11-03T00:00:00.000+01:00",
]  # fmt: skip
KEYS = [
    "MAR-0012", "MAR-7", "3-12", "2026-0312", "12", "A-12", "Marley-22", "Decker-17", "Mayor-12",
    "Junior-07", "123/05/2026", "45/99/2026", "0/12/2026", "2026-Mar", "", "17/3",
]  # fmt: skip


@pytest.mark.parametrize(
    ("texts", "form"),
    [(MONTH, DateForm.MONTH), (NUMBERS, DateForm.NUMBERS), (ISO, DateForm.ISO), (KEYS, None)],
)
def test_a_date_has_one_form(texts: list[str], form: DateForm | None) -> None:
    """The names of months are whole words; days and months are in their ranges."""
    assert {text: date_form(text) for text in texts} == dict.fromkeys(texts, form)
