"""What a history answers, the same on every engine, and how it marks what it does not know."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame import errors
from petstore_frame.inventory import Verdict
from unit.history.conftest import BIG, listing

DAYS = {
    "2026-11-01": [(1, "Ada", 3, "available"), (2, "Bo", 3, "available"), (BIG, "<b>", 7, None)],
    "2026-11-02": [(1, "Ada", 3, "pending"), (2, "Bo", 3, "available"), (5, "Jo", 7, "available")],
    "2026-11-04": [(1, "Ada", 3, "sold"), (5, "Jo", 7, "available")],
}
LAST = [(5, "Jo", 7, "sold"), (6, "Ki", 7, "available")]


@pytest.fixture
def folder(tmp_path):
    """Three complete days, one of them after a gap, and one that is not proven complete."""
    # The name, read as a pattern, is that of another history, too, which no question is about.
    pf.History(tmp_path / "aXb 1").add(listing("2026-11-01", LAST))
    history = pf.History(tmp_path / "a*b [1]")
    for day, pets in DAYS.items():
        history.add(listing(day, pets))
    history.add(listing("2026-11-05", LAST, verdict=Verdict.UNKNOWN))
    return history.folder


@pytest.fixture
def asked(folder, engine) -> pf.History:
    """The history, as each engine answers for it."""
    return pf.History(folder, engine=engine)


def test_trend(asked) -> None:
    """Each day has each group: 0 is a count, a dash is a day without a snapshot."""
    trend = asked.trend()
    wide = trend.pivot(index="date", columns="status", values="pets")
    assert wide["available"].tolist() == [2, 2, pd.NA, 1, 1]
    assert wide["no status"].tolist() == [1, 0, pd.NA, 0, 0]
    words = trend.groupby("date")["count_is"].unique().map(list).tolist()
    assert words == [["exact"], ["exact"], ["no snapshot"], ["exact"], ["at least"]]
    text = pd.Series(dtype="str").dtype
    assert trend.dtypes.tolist() == ["datetime64[us]", text, "Int64", text]
    both = asked.trend(["status", "category_id"], every_days=None)
    assert list(both.columns) == ["date", "category_id", "status", "pets", "count_is"]
    assert both.groupby("date")["pets"].sum().tolist() == [3, 3, 2, 2]
    days = {"since": "2026-11-02", "until": "2026-11-04", "every_days": 2}
    by_category = asked.trend("category_id", categories={3: "Cat"}, **days)
    assert set(by_category["category"]) == {"Cat", "Category 7"}
    assert by_category["pets"].tolist() == [2, 1, 1, 1]
    assert by_category["category_id"].dtype == "int64"


def test_diff(asked) -> None:
    """Gone is said where the later day is complete, and not seen where it is not."""
    proven, unproven = asked.diff("2026-11-01", "2026-11-04"), asked.diff()
    assert str(proven) == "2026-11-01 to 2026-11-04: 1 new, 1 changed, 2 gone"
    assert proven.frame["id"].tolist() == [1, 2, 5, BIG]
    assert unproven.counts == {"new": 1, "first seen": 0, "changed": 1, "gone": 0, "not seen": 1}
    assert "nothing is proven to be gone (unknown: at least 2 pets" in str(unproven)
    html = unproven._repr_html_()
    assert html.index("Ada") < html.index("Ki")
    # A name is data, and an id is whole.
    assert str(BIG) in (html := proven._repr_html_()) and "&lt;b&gt;" in html


def test_flow(asked) -> None:
    """It has the moves of each week, and how long the available pets were seen so."""
    flow = asked.flow(until="2026-11-04")
    day = {n: pd.Timestamp(2026, 11, n) for n in (1, 4)}
    moves = flow.moves.fillna("")
    assert moves[["since", "until"]].drop_duplicates().values.tolist() == [[day[1], day[4]]]
    assert moves[["kind", "was", "now", "pets", "count_is"]].values.tolist() == [
        ["new", "", "available", 1, "exact"],
        ["changed", "available", "sold", 1, "exact"],
        ["gone", "available", "", 1, "exact"],
        ["gone", "no status", "", 1, "exact"],
    ]
    ages = flow.ageing[["id", "days_available", "is_at_least", "count_is"]]
    assert ages.values.tolist() == [[5, 2, False, "exact"]]


def test_waiting_begins_with_the_last_unbroken_run(asked) -> None:
    """A pet that was gone or sold in between waits from the day on which it was back."""
    was_gone, was_sold, stays = ((n, f"P{n}", 1, "available") for n in (1, 2, 3))
    history = pf.History(asked.folder.parent / "waits", engine=asked.engine)
    for number, pets in enumerate(
        [[was_gone, was_sold, stays], [(2, "P2", 1, "sold"), stays], [was_gone, was_sold, stays]]
    ):
        history.add(listing(f"2026-11-0{number + 1}", pets))
    assert history.flow().ageing[["id", "days_available"]].values.tolist() == [
        [3, 2],
        [1, 0],
        [2, 0],
    ]


def test_each_week_is_compared_with_the_one_before(asked) -> None:
    """A week's last snapshot stands for it; one snapshot has no moves."""
    asked.add(listing("2026-11-12", [(2, "Bo", 3, "sold"), (5, "Jo", 7, "available")]))
    flow = asked.flow()
    assert flow.moves["since"].dt.day.unique().tolist() == [1, 5]
    assert flow.ageing[["id", "days_available", "is_at_least"]].values.tolist() == [[5, 0, True]]
    assert asked.flow(since="2026-11-12").moves.empty


def test_questions_from_threads(folder) -> None:
    """One history may be asked from several threads at once, as a dashboard does."""
    history = pf.History(folder)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: (history.diff().counts, len(history.trend())), range(8)))
    assert answers == [answers[0]] * 8


def test_an_empty_store_has_the_same_tables(asked) -> None:
    """Days without a pet answer with tables of the same columns and dtypes as any other."""
    empty = pf.History(asked.folder.parent / "empty", engine=asked.engine)
    for day in ("2026-11-01", "2026-11-02"):
        empty.add(listing(day, []))
    assert str(empty.diff()) == "2026-11-01 to 2026-11-02: no change"
    for ask in (pf.History.trend, lambda h: h.flow().moves, lambda h: h.flow().ageing):
        assert ask(empty).dtypes.equals(ask(asked).dtypes)


ELSEWHERE = listing("2026-11-06", LAST, base_url="https://other.example/v1")
WRONG = {
    "old comes before new": lambda h: h.diff("2026-11-01", "2026-11-01"),
    "expected a day, got 'yesterday'; pass a date": lambda h: h.read("yesterday"),
    "expected a day, got NaT": lambda h: h.read(pd.NaT),
    "by is one or more of category_id, status": lambda h: h.trend([["status"]]),
    "not its frame": lambda h: h.add(h.read().frame),
    "duckdb, pandas, polars, dask, sp": lambda h: pf.History(h.folder, engine=[]),
    r"one store; got .* and https://other\.ex": lambda h: pf.diff(h.read(), ELSEWHERE),
}
UNANSWERED = {
    "a diff needs two snapshots": lambda h: pf.History(h.folder.parent / "one").diff(),
    "no snapshot from 2026-12-01": lambda h: h.trend(since="2026-12-01"),
    "petstore-frame snapshot": lambda h: pf.History(h.folder / "none").trend(),
    r"no snapshot of 2026-11-03; .* has 4, 2026-11-01": lambda h: h.read("2026-11-03"),
    "file cannot be written to": lambda h: pf.History(h.folder.parent / "file").add(h.read()),
}


@pytest.mark.parametrize(("text", "ask"), [*WRONG.items(), *UNANSWERED.items()])
def test_refusals(folder, text: str, ask) -> None:
    """A wrong call or a question without an answer is named."""
    pf.History(folder.parent / "one").add(listing("2026-11-01", LAST))
    (folder.parent / "file").write_text("")
    with pytest.raises(pf.ArgumentError if text in WRONG else errors.HistoryError, match=text):
        ask(pf.History(folder))


@pytest.mark.parametrize(
    "day",
    [
        "2026-11-04",
        date(2026, 11, 4),
        np.datetime64("2026-11-04T23:59"),
        datetime(2026, 11, 5, 1, tzinfo=timezone(timedelta(hours=2))),
    ],
)
def test_a_day_may_come_as_any_date(folder, day) -> None:
    """A day is a date, an instant, also of numpy, or a text."""
    assert pf.History(folder, timezone="UTC").read(day).frame["id"].tolist() == [1, 5]


def test_a_lost_day_is_warned_of_once_at_the_caller(folder) -> None:
    """A question warns once of a damaged file, and names the line that asked."""
    history = pf.History(folder)
    (folder / "date=2026-11-02" / "pets.parquet").write_bytes(b"")
    asked = [
        history.diff, history.trend, history.flow, history.snapshots, history.open,
        lambda: len(history),
    ]  # fmt: skip
    for ask in asked:
        with pytest.warns(errors.HistoryWarning) as warned:
            ask()
        assert [warning.filename for warning in warned] == [__file__]


def test_a_listing_of_one_status_proves_no_absence(tmp_path) -> None:
    """A pet that a listing of sold pets lacks may have another status: it is not gone."""
    history = pf.History(tmp_path)
    history.add(listing("2026-11-01", [(1, "Ada", 3, "sold"), (900, "Bo", 3, "sold")]))
    history.add(listing("2026-11-02", [], status="sold"))
    assert history.diff("2026-11-01", "2026-11-02").counts["not seen"] == 2


@pytest.mark.parametrize(("library", "extra"), [("duckdb", "history"), ("pyspark", "spark")])
def test_an_absent_engine_names_its_extra(folder, monkeypatch, library: str, extra: str) -> None:
    """Where an engine's library is absent the error has the line that installs it."""
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(errors.MissingExtraError, match=rf'pip install "petstore-frame\[{extra}\]"'):
        pf.History(folder, engine=library.removeprefix("py")).trend()
