"""What a history answers, and how it marks what it does not know."""

from __future__ import annotations

import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta, timezone
from itertools import pairwise
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import petstore_frame as pf
from petstore_frame import errors
from petstore_frame.history import statement
from petstore_frame.inventory import Evidence, Fact, StatusCount, Verdict
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
def history(folder) -> pf.History:
    """The history of these days."""
    return pf.History(folder)


def test_trend(history) -> None:
    """Each day has each group: 0 is a count, a dash is a day without a snapshot."""
    trend = history.trend()
    wide = trend.pivot(index="date", columns="status", values="pets")
    assert wide["available"].tolist() == [2, 2, pd.NA, 1, 1]
    assert wide["no status"].tolist() == [1, 0, pd.NA, 0, 0]
    bounds = trend.groupby("date")["bound"].unique().map(list).tolist()
    assert bounds == [["exact"], ["exact"], ["no_snapshot"], ["exact"], ["at_least"]]
    text = pd.Series(dtype="str").dtype
    assert trend.dtypes.tolist() == ["datetime64[us]", text, "Int64", text]
    both = history.trend(["status", "category_id"], every_days=None)
    assert list(both.columns) == ["date", "category_id", "status", "pets", "bound"]
    assert both.groupby("date")["pets"].sum().tolist() == [3, 3, 2, 2]
    days = {"since": "2026-11-02", "until": "2026-11-04", "every_days": 2}
    by_category = history.trend("category_id", categories={3: "Cat"}, **days)
    assert set(by_category["category"]) == {"Cat", "Category 7"}
    assert by_category["pets"].tolist() == [2, 1, 1, 1]
    assert by_category["category_id"].dtype == "int64"


def test_diff(history) -> None:
    """Gone is said where the later day is complete, and not seen where it is not."""
    proven, unproven = history.diff("2026-11-01", "2026-11-04"), history.diff()
    assert str(proven) == "2026-11-01 to 2026-11-04: 1 new, 1 changed, 2 gone"
    assert proven.frame["id"].tolist() == [1, 2, 5, BIG]
    assert unproven.counts == {"new": 1, "first seen": 0, "changed": 1, "gone": 0, "not seen": 1}
    assert "nothing is proven to be gone (unknown: at least 2 pets" in str(unproven)
    html = unproven._repr_html_()
    assert html.index("Ada") < html.index("Ki")
    # A name is data, and an id is whole.
    assert str(BIG) in (html := proven._repr_html_()) and "&lt;b&gt;" in html


def test_flow(history) -> None:
    """It has the moves of each week, and how long the available pets were seen so."""
    flow = history.flow(until="2026-11-04")
    day = {n: pd.Timestamp(2026, 11, n) for n in (1, 4)}
    moves = flow.moves.fillna("")
    assert moves[["since", "until"]].drop_duplicates().values.tolist() == [[day[1], day[4]]]
    assert moves[["kind", "was", "now", "pets", "bound"]].values.tolist() == [
        ["new", "", "available", 1, "exact"],
        ["changed", "available", "sold", 1, "exact"],
        ["gone", "available", "", 1, "exact"],
        ["gone", "no status", "", 1, "exact"],
    ]
    ages = flow.ageing[["id", "days_available", "is_at_least", "bound"]]
    assert ages.values.tolist() == [[5, 2, False, "exact"]]


def test_waiting_begins_with_the_last_unbroken_run(history) -> None:
    """A pet that was gone or sold in between waits from the day on which it was back."""
    was_gone, was_sold, stays = ((n, f"P{n}", 1, "available") for n in (1, 2, 3))
    history = pf.History(history.folder.parent / "waits")
    for number, pets in enumerate(
        [[was_gone, was_sold, stays], [(2, "P2", 1, "sold"), stays], [was_gone, was_sold, stays]]
    ):
        history.add(listing(f"2026-11-0{number + 1}", pets))
    assert history.flow().ageing[["id", "days_available"]].values.tolist() == [
        [3, 2],
        [1, 0],
        [2, 0],
    ]


def test_each_week_is_compared_with_the_one_before(history) -> None:
    """A week's last snapshot stands for it; one snapshot has no moves."""
    history.add(listing("2026-11-12", [(2, "Bo", 3, "sold"), (5, "Jo", 7, "available")]))
    flow = history.flow()
    assert flow.moves["since"].dt.day.unique().tolist() == [1, 5]
    assert flow.ageing[["id", "days_available", "is_at_least"]].values.tolist() == [[5, 0, True]]
    assert history.flow(since="2026-11-12").moves.empty


def test_questions_from_threads(folder) -> None:
    """One history may be asked from several threads at once, as a dashboard does."""
    history = pf.History(folder)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: (history.diff().counts, len(history.trend())), range(8)))
    assert answers == [answers[0]] * 8


def test_an_empty_store_has_the_same_tables(history) -> None:
    """Days without a pet answer with tables of the same columns and dtypes as any other."""
    empty = pf.History(history.folder.parent / "empty")
    for day in ("2026-11-01", "2026-11-02"):
        empty.add(listing(day, []))
    assert str(empty.diff()) == "2026-11-01 to 2026-11-02: no change"
    for ask in (pf.History.trend, lambda h: h.flow().moves, lambda h: h.flow().ageing):
        assert ask(empty).dtypes.equals(ask(history).dtypes)


ELSEWHERE = listing("2026-11-06", LAST, base_url="https://other.example/v1")
WRONG = {
    "old must be before new, got 2026-11-01": lambda h: h.diff("2026-11-01", "2026-11-01"),
    "^day must be a date, or .* as 2026-11-01, got 'yesterday'": lambda h: h.read("yesterday"),
    "^day must be a date, or a text such as 2026-11-01, got NaT": lambda h: h.read(pd.NaT),
    "by must be one or more of category_id, status": lambda h: h.trend([["status"]]),
    "not its frame": lambda h: h.add(h.read().frame),
    "folder must be a path, as text or a Path, got 3": lambda h: pf.History(3),
    "folder must be a folder, .*file' is a file": lambda h: pf.History(h.folder.parent / "file"),
    r"one store; got .* and https://other\.ex": lambda h: pf.diff(h.read(), ELSEWHERE),
    "name must be one of trend_by_status, .* got 'trend'": lambda h: statement("trend"),
}
UNANSWERED = {
    "a diff needs two snapshots": lambda h: pf.History(h.folder.parent / "one").diff(),
    "no snapshot from 2026-12-01": lambda h: h.trend(since="2026-12-01"),
    "^no snapshots in '.*none'; add one first": lambda h: pf.History(h.folder / "none").trend(),
    r"no snapshot of 2026-11-03; .* has 4, 2026-11-01": lambda h: h.read("2026-11-03"),
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
        history.diff,
        history.trend,
        history.flow,
        history.snapshots,
        history.coverage,
        lambda: len(history),
    ]
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


def test_without_duckdb_the_extra_is_named(folder, monkeypatch) -> None:
    """If DuckDB is not installed, the error has the line that installs it."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "duckdb"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(errors.MissingExtraError, match=r"petstore-frame\[history\]"):
        pf.History(folder).trend()


def test_a_number_that_may_be_too_high_is_about(tmp_path) -> None:
    """Counts of a day on which pets left while it was read are about right, and no minimums."""
    left = Evidence(Fact.PETS_LEFT, count=1)
    counts = {status: StatusCount(1, "about") for status in ("available", "sold")}
    moving = listing(
        "2026-11-01",
        [(1, "Ada", 3, "available"), (2, "Bo", 7, "sold")],
        verdict=Verdict.UNSTABLE,
        evidence=(left,),
        by_status=counts,
    )
    history = pf.History(tmp_path)
    history.add(moving)
    for by in ("status", "category_id", ["status", "category_id"]):
        assert set(history.trend(by)["bound"]) == {"about"}
    assert set(history.flow().ageing["bound"]) == {"about"}


def test_only_proven_changes_make_a_minimum(tmp_path) -> None:
    """Pets that were first seen or not seen may have been there all the time."""
    history = pf.History(tmp_path)
    luna, max_, kim = ((n, f"P{n}", 1, "available") for n in (1, 2, 3))
    sold = (2, "P2", 1, "sold")
    history.add(listing("2026-11-01", [luna, max_]))
    history.add(listing("2026-11-02", [sold, kim]))
    history.add(listing("2026-11-03", [luna, max_, kim], verdict=Verdict.UNKNOWN))
    history.add(listing("2026-11-04", [max_, kim], verdict=Verdict.UNKNOWN))
    exact = history.diff("2026-11-01", "2026-11-02")
    proven = history.diff("2026-11-02", "2026-11-03")
    unproven = history.diff("2026-11-03", "2026-11-04")
    assert [str(diff.total) for diff in (exact, proven, unproven)] == ["3", "≥ 2", "≈ 1"]
    assert str(unproven.count("changed")) == "≥ 0"
    moves = history.flow(since="2026-11-02", until="2026-11-03").moves
    assert dict(zip(moves["kind"], moves["bound"], strict=True)) == {
        "new": "at_least",
        "changed": "at_least",
    }
    moves = history.flow(since="2026-11-03").moves
    assert dict(zip(moves["kind"], moves["bound"], strict=True)) == {"not seen": "about"}


def test_a_diff_is_neither_true_nor_false(history) -> None:
    """``if diff:`` could mean that there is one, or that something changed."""
    with pytest.raises(TypeError, match=r"use len\(diff\)"):
        bool(history.diff())


def test_a_repeated_id_is_named() -> None:
    """Two rows of one id would be counted as more changes than there are."""
    twice = pd.concat([listing("2026-11-01", LAST).frame] * 2)
    with pytest.raises(pf.InputError, match="id 5 appears more than once"):
        pf.diff(twice, listing("2026-11-02", LAST))


STATUSES = ("available", "pending", "sold", "lost", "no status", None)
PETS = st.dictionaries(
    st.integers(1, 5), st.tuples(st.sampled_from([3, BIG]), st.sampled_from(STATUSES)), max_size=5
)
DRAWN_DAYS = st.dictionaries(
    st.integers(0, 20), st.tuples(PETS, st.booleans()), min_size=2, max_size=6
)
MONDAY = date(2026, 11, 2)


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(drawn=DRAWN_DAYS)
def test_statements_agree_with_plain_python(drawn) -> None:
    """Each statement returns what a few lines of Python count from the same pets."""
    days = {MONDAY + timedelta(days=offset): drawn[offset] for offset in sorted(drawn)}
    with TemporaryDirectory() as folder:
        history = pf.History(folder, timezone="UTC")
        for day, (pets, is_complete) in days.items():
            rows = [(pet, f"P{pet}", *values) for pet, values in pets.items()]
            verdict = Verdict.COMPLETE if is_complete else Verdict.UNKNOWN
            history.add(listing(day.isoformat(), rows, verdict=verdict))
        trend = history.trend(["category_id", "status"], every_days=None)
        by_status, by_category = history.trend(every_days=None), history.trend("category_id")
        flow, last_diff = history.flow(), history.diff()
        moves, ageing = flow.moves, flow.ageing
    statuses = {day: plain_statuses(pets) for day, (pets, _) in days.items()}
    for row in by_status.itertuples():
        day = row.date.date()
        assert row.pets == list(statuses[day].values()).count(row.status)
        assert row.bound == ("exact" if days[day][1] else "at_least")
    assert by_status["pets"].sum() == by_category["pets"].sum() == trend["pets"].sum()
    assert by_status["pets"].sum() == sum(len(pets) for pets, _ in days.values())
    for row in trend.itertuples():
        pets = days[row.date.date()][0].values()
        assert row.pets == [(c, s or "no status") for c, s in pets].count(
            (row.category_id, row.status)
        )
    assert plain_moves(days, statuses) == {
        (row.until.date(), row.kind, row.was, row.now): row.pets
        for row in moves.astype("object").where(moves.notna(), None).itertuples()
        if row.pets
    }
    assert plain_ages(statuses) == dict(zip(ageing["id"], ageing["days_available"], strict=True))
    *_, before, last = days
    changed_ids = {
        pet
        for pet in {**days[before][0], **days[last][0]}
        if statuses[before].get(pet) != statuses[last].get(pet)
        or days[before][0][pet][0] != days[last][0][pet][0]
    }
    assert set(last_diff.frame["id"]) == changed_ids


def plain_statuses(pets) -> dict[int, str]:
    return {pet: status or "no status" for pet, (_, status) in pets.items()}


def plain_moves(days, statuses) -> Counter:
    """Moves from the first day to the last of its week, and from there week by week."""
    last_of_week = {day.isocalendar()[:2]: day for day in days}
    ends = sorted({min(days), *last_of_week.values()})
    moves = Counter()
    for since, until in pairwise(ends):
        for pet in {*statuses[since], *statuses[until]}:
            was, now = statuses[since].get(pet), statuses[until].get(pet)
            if was is None:
                kind = "new" if days[since][1] else "first seen"
            elif now is None:
                kind = "gone" if days[until][1] else "not seen"
            else:
                kind = "changed"
            if was != now:
                moves[until, kind, was, now] += 1
    return moves


def plain_ages(statuses) -> dict[int, int]:
    """Days from the first of the last unbroken run of available days to the last day."""
    last = max(statuses)
    ages = {}
    for pet, status in statuses[last].items():
        if status == "available":
            since = last
            for day in sorted(statuses, reverse=True):
                if statuses[day].get(pet) != "available":
                    break
                since = day
            ages[pet] = (last - since).days
    return ages
