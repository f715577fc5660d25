"""Keys that are spelled differently share a core or a day, and other keys do not."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from petstore_frame.loader.matching.dates import day_of_serial
from petstore_frame.loader.matching.key_cores import DayCore, core_of_key, date_cores, day_core

days = st.dates(date(1900, 3, 1), date(2068, 12, 31))
FORMS = {
    "ISO": "{0:%Y-%m-%d}",
    "a time": "{0:%Y-%m-%d}T00:00:00",
    "dots": "{0:%d.%m.%Y}",
    "slashes, day first": "{0.day}/{0.month}/{0.year}",
    "slashes, month first": "{0.month}/{0.day}/{0.year}",
    "month": "{0.day}-{0:%b}-{0.year}",
    "American": "{0:%B} {0.day}, {0.year}",
    "no signs": "{0:%Y%m%d}",
}


def day_of(key: list[str]) -> DayCore:
    core = day_core(key)
    assert core is not None
    return core


def serial_of(day: date) -> str:
    """Return the number that a spreadsheet has for a day."""
    return str((day - date(1899, 12, 30)).days)


@pytest.mark.parametrize("form", FORMS)
@given(day=days)
def test_a_date_has_the_day_of_its_serial_number(form: str, day: date) -> None:
    """A date that a spreadsheet shows as a number keeps its day, in every form of dates."""
    assert day_of([FORMS[form].format(day)]).is_of(day_of([serial_of(day)]))


@given(day=days, first=st.sampled_from([*FORMS]), second=st.sampled_from([*FORMS]))
def test_a_day_in_another_form_is_compared(day: date, first: str, second: str) -> None:
    """A day is the same day in each form, and is compared with all forms but its own."""
    first_core, second_core = (day_of([FORMS[form].format(day)]) for form in (first, second))
    assert first_core.day == second_core.day
    assert first_core.is_of(second_core) == (first_core.form != second_core.form)


@given(day=days, other=days, form=st.sampled_from([*FORMS]))
def test_days_in_one_form_are_not_compared(day: date, other: date, form: str) -> None:
    """A column that is written in one way has different keys for different animals."""
    first_core, second_core = (day_of([FORMS[form].format(day)]) for day in (day, other))
    assert not first_core.is_of(second_core) or "slashes" in form


@given(number=st.integers(1, 2_958_465))
def test_a_number_may_be_a_day(number: int) -> None:
    """A key that a workbook formats as a date is compared with the plain number."""
    day = day_of_serial(number)
    assume(day is not None)
    assert day is not None
    assert day_of([f"{number}"]).is_of(day_of([day.isoformat()]))


@pytest.mark.parametrize(
    "text", ["A-17", "", "Luna", "3-12", "12-Mar", "45/99/2026", "2026", "99999999", "1.2.3.4"]
)
def test_other_keys_are_no_days(text: str) -> None:
    """Most keys have a core only; a plain number may be a day of long ago."""
    core = day_core([text])
    assert core is None or text == "2026"


@given(number=st.decimals(0, 10**6, places=3), zeros=st.integers(1, 5))
def test_zeros_at_the_end_of_a_decimal_number_do_not_count(number: object, zeros: int) -> None:
    """Excel drops them, and Python writes them: 90.750 is 90.75, and 7.000 is 7."""
    text = f"{number}"
    core = core_of_key([text])
    assert core == core_of_key([text + "0" * zeros]) == core_of_key([text.rstrip("0")])


@pytest.mark.parametrize(
    ("text", "other"), [("90.75", "9.075"), ("101.1", "101.11"), ("1.2.10", "1.2.1"), ("70", "7")]
)
def test_other_zeros_make_another_key(text: str, other: str) -> None:
    """Only zeros at the end of decimals are dropped."""
    assert core_of_key([text]) != core_of_key([other])


def test_days_are_compared_column_by_column() -> None:
    """A date in one column of the key is compared if the other columns have equal cores."""
    iso = day_core(["Luna", "2026-05-01"])
    assert iso is not None
    assert iso.is_of(day_of(["LUNA ", "1.5.2026"])) and iso.is_of(day_of(["luna", "46143"]))
    assert not iso.is_of(day_of(["Max", "1.5.2026"]))


def test_a_date_that_may_be_two_days_has_the_serial_numbers_of_both() -> None:
    """Nobody knows whether 01.05.2026 is in January or in May; an ISO date is one day."""
    either = [serial_of(date(2026, 5, 1)), serial_of(date(2026, 1, 5))]
    assert date_cores(["01.05.2026"])[1:] == either
    assert date_cores(["2026-05-01"])[1:] == either[:1]
