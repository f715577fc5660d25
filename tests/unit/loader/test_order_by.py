"""The order of the rows of one key: dates, instants and numbers, and never a guess."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petstore_frame.errors import InputError
from petstore_frame.loader.source.order_values import OrderReader
from petstore_frame.tables.table import TableRow

ZONES = st.integers(-14, 14).map(lambda hours: timezone(timedelta(hours=hours)))


def order_values(
    texts: list[str], thousands: str | None = None, date_order: str | None = None
) -> list[str]:
    """Return what a column of these texts is sorted by."""
    reader = OrderReader(0, "seen", thousands, date_order)
    rows = [TableRow(line, [text]) for line, text in enumerate(texts, 2)]
    for row in rows:
        reader.observe(row)
    reader.finish()
    return [reader.read(row) for row in rows]


@given(st.lists(st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=ZONES)))
def test_instants_sort_as_instants(moments: list[datetime]) -> None:
    """What is later sorts later, whatever the time zones are."""
    values = order_values([moment.isoformat() for moment in moments])
    in_utc = [moment.astimezone(UTC) for moment in moments]
    assert sorted(range(len(values)), key=values.__getitem__) == sorted(
        range(len(values)), key=in_utc.__getitem__
    )


@given(st.lists(st.decimals(-(10**15), 10**15, places=2, allow_nan=False)))
def test_numbers_sort_as_numbers(numbers: list[Decimal]) -> None:
    """Also negative ones and decimals."""
    values = order_values([f"{number:.2f}" for number in numbers])
    assert sorted(values) == [
        values[at] for at in sorted(range(len(values)), key=numbers.__getitem__)
    ]


@pytest.mark.parametrize(
    ("text", "order", "day"),
    [("03/04/2026", "DMY", "2026-04-03"), ("03/04/2026", "MDY", "2026-03-04"),
     ("26-05-01", "YMD", "2026-05-01"), ("31.12.99", "DMY", "1999-12-31"),
     ("2026-05-01", "MDY", "2026-05-01"), ("1 May 2026", None, "2026-05-01")],
)  # fmt: skip
def test_dates_are_read_in_the_stated_order(text: str, order: str | None, day: str) -> None:
    """An ISO date or one with the name of a month needs no order."""
    assert order_values([text, "", "soon"], date_order=order) == [
        f"{day}T00:00:00.000000", "", "?soon",
    ]  # fmt: skip


def test_grouped_digits_are_read_by_the_option() -> None:
    """``thousands`` says what the comma is, in this column as in the others."""
    assert sorted(order_values(["1,024", "999"], ","))[0] == order_values(["999"])[0]
    assert order_values(["1.024", "1.5"], ".") == [*order_values(["1024"]), "?1.5"]


@pytest.mark.parametrize("text", ["Monday", "2026-02-30", "1 000", "10:30", "1,000,000"])
def test_a_value_that_cannot_be_read_is_not_an_empty_one(text: str) -> None:
    """The problem of its row can show it."""
    assert order_values([text, ""]) == [f"?{text}", ""]


@pytest.mark.parametrize("typo", ["13/13/2026", "2026-13-45", "99/99/99", "31/02/2026 10:00"])
def test_a_typo_says_nothing_about_the_other_dates(typo: str) -> None:
    """A date that no order can read is a problem of its row, and needs no order."""
    assert order_values(["2026-04-13", typo])[1] == f"?{typo}"
    assert order_values(["13/04/2026", "04/13/2026"], date_order="DMY")[1] == "?04/13/2026"


@pytest.mark.parametrize(
    ("texts", "line"),
    [
        (["2026-01-31", "2026-02-01", "46054"], 4),
        (["46054", "2026-02-01", "2026-01-31"], 2),
        (["2026-04-13", "31/12/99"], 3),
        (["03/03/2026", "03/04/2026"], 2),
        (["20", "1,000"], 3),
    ],
)
def test_an_error_about_the_order_names_the_option_and_a_line(texts: list[str], line: int) -> None:
    """A reader who has never thought of the order finds the value."""
    with pytest.raises(InputError, match="order_by") as caught:
        order_values(texts)
    assert (caught.value.line, caught.value.column) == (line, "seen")
    assert repr(texts[line - 2]).strip("'") in caught.value.message and caught.value.hint


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["03/04/2026", "05/06/2026"], "DMY reads 2026-04-03 and 2026-06-05, MDY reads 2026-03-04"),
        (["03/04/2026", "13/04/2026"], "date_order: DMY reads"),
        (["04/03/2026", "05/04/2026", "04/13/2026"], "date_order: MDY reads"),
        (["13/04/2026", "04/13/2026"], "13/2026'; state it with date_order: DMY, MDY, YMD;"),
        (["31/12/99"], "date_order: DMY reads 1999-12-31;"),
        (["2026-01-31", "46054"], "'2026-01-31' is a date and '46054' is a number"),
        (["2026-01-31T08:00Z", "2026-01-31"], "is an instant with a time zone and .* is a date"),
        (["1,000", "20"], "'1,000' is 1000 or 1.000"),
        (["1.000", "20"], "'1.000' is 1000 or 1.000"),
        (["1,000", "2.5"], "'1,000' is 1000 or 1.000"),
        (["1.000", "2.50"], "'1.000' is 1000 or 1.000"),
    ],
)
def test_what_can_be_read_in_two_ways_is_rejected(texts: list[str], words: str) -> None:
    """Both readings are named, in either order of the rows, and nothing is sorted."""
    with pytest.raises(InputError, match=words):
        order_values(texts)
    with pytest.raises(InputError):
        order_values(texts[::-1])
