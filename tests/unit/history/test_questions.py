"""What a history answers, the same on every engine, and how it marks what it does not know."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import narwhals as nw
import numpy as np
import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame import errors
from petstore_frame.history import Flow
from petstore_frame.history.engines import to_pandas
from petstore_frame.inventory import Verdict

BIG = 2**53 + 1
DAYS = {
    "2026-11-01": [(1, "Ada", 3, "available"), (2, "Bo", 3, "available"), (BIG, "Di", 7, None)],
    "2026-11-02": [(1, "Ada", 3, "pending"), (2, "Bo", 3, "available"), (5, "Jo", 7, "available")],
    "2026-11-04": [(1, "Ada", 3, "sold"), (5, "Jo", 7, "available")],
}
LAST = [(5, "Jo", 7, "sold"), (6, "Ki", 7, "available")]


@pytest.fixture
def folder(tmp_path: Path, make_inventory: Callable[..., pf.Inventory]) -> Path:
    """Three complete days, one of them after a gap, and one that is not proven complete."""
    history = pf.History(tmp_path / "history")
    for day, pets in DAYS.items():
        history.add(make_inventory(day, pets))
    history.add(make_inventory("2026-11-05", LAST, verdict=Verdict.UNKNOWN))
    return history.folder


def test_trend(folder: Path, engine: str) -> None:
    """Each day has each group: 0 is a count, a dash is a day without a snapshot."""
    trend = pf.History(folder, engine=engine).trend()
    wide = trend.pivot(index="date", columns="status", values="pets")
    assert wide["available"].tolist() == [2, 2, pd.NA, 1, 1]
    assert wide["no status"].tolist() == [1, 0, pd.NA, 0, 0]
    words = trend.groupby("date")["count_is"].unique().map(list).tolist()
    assert words == [["exact"], ["exact"], ["no snapshot"], ["exact"], ["at least"]]
    text = pd.Series(dtype="str").dtype
    assert trend.dtypes.tolist() == ["datetime64[us]", text, "Int64", text]


def test_trend_by_both(folder: Path, engine: str) -> None:
    """By category and status, the counts of a day add up to its pets."""
    history = pf.History(folder, engine=engine)
    both = history.trend(["status", "category_id"], every_days=None)
    by_category = history.trend("category_id", since="2026-11-02", until="2026-11-04", every_days=2)
    assert list(both.columns) == ["date", "category_id", "status", "pets", "count_is"]
    assert both.groupby("date")["pets"].sum().tolist() == [3, 3, 2, 2]
    assert by_category["pets"].tolist() == [2, 1, 1, 1]
    assert by_category["category_id"].dtype == "int64"


def test_trend_by_week_is_the_last_snapshot_of_each(folder: Path, engine: str) -> None:
    """A week or a month has the numbers of its last snapshot, under its last day, gaps marked."""
    history = pf.History(folder, engine=engine)
    weeks = history.trend(freq="W", wide=True, until="2026-11-04")
    assert weeks.index.strftime("%m-%d").tolist() == ["11-01", "11-08"]
    assert weeks["available"].tolist() == [2, 1]
    assert list(weeks.columns) == ["available", "pending", "sold", "no status"]
    assert history.trend(freq="M")["date"].unique().tolist() == [pd.Timestamp("2026-11-30")]


def test_a_wide_trend_warns_of_a_minimum(folder: Path) -> None:
    """A minimum becomes a number only with a warning that names it, unless it is left out."""
    history = pf.History(folder)
    with pytest.warns(errors.HistoryWarning, match="such as at least 0 of no status on 2026-11-05"):
        history.trend(wide=True)
    exact = history.trend(wide=True, exact_only=True)
    assert exact["available"].tolist() == [2, 2, pd.NA, 1, pd.NA]
    assert history.trend(exact_only=True).query("count_is != 'exact'")["pets"].isna().all()


def test_trend_has_the_labels_of_categories(folder: Path) -> None:
    """Labels are a column beside the ids, and name the columns of a wide table."""
    history, labels = pf.History(folder), {3: "Cat"}
    long = history.trend("category_id", categories=labels)
    assert set(zip(long["category_id"], long["category"], strict=True)) == {
        (3, "Cat"), (7, "Category 7"),
    }  # fmt: skip
    wide = history.trend("category_id", categories=labels, wide=True, exact_only=True)
    assert list(wide.columns) == ["Cat", "Category 7"]
    both = history.trend(["category_id", "status"], categories=labels, wide=True, exact_only=True)
    assert both["Cat", "sold"].tolist() == [0, 0, pd.NA, 1, pd.NA]


def test_diff(folder: Path, engine: str) -> None:
    """Gone is said where the later day is complete, and not seen where it is not."""
    history = pf.History(folder, engine=engine)
    proven, unproven = history.diff("2026-11-01", "2026-11-04"), history.diff()
    assert str(proven) == "2026-11-01 to 2026-11-04: 1 new, 1 changed, 2 gone"
    assert proven.frame.fillna("").to_dict("list") == {
        "id": [1, 2, 5, BIG],
        "name": ["Ada", "Bo", "Jo", "Di"],
        "category_id": [3, 3, 7, 7],
        "kind": ["changed", "gone", "new", "gone"],
        "was": ["available", "available", "", "no status"],
        "now": ["sold", "", "available", ""],
        "difference": ["status", "", "", ""],
    }
    assert unproven.counts == {"new": 1, "first seen": 0, "changed": 1, "gone": 0, "not seen": 1}
    assert "nothing is proven to be gone (unknown: at least 2 pets" in str(unproven)
    html = unproven._repr_html_()
    assert html.index("Ada") < html.index("Ki")


@pytest.fixture
def flow(folder: Path, engine: str) -> Flow:
    """The pets' ways through the three complete days, on every engine."""
    return pf.History(folder, engine=engine).flow(stale_days=2, until="2026-11-04")


def test_moves(flow: Flow) -> None:
    """Each period has each move that any period has, with the pets that made it."""
    occurred = flow.moves[flow.moves["pets"] > 0].fillna("")
    moves = occurred[["until", "kind", "was", "now", "pets"]]
    assert flow.moves.groupby("until").size().tolist() == [5, 5]
    day = {n: pd.Timestamp(2026, 11, n) for n in (1, 2, 4)}
    assert list(moves.itertuples(index=False, name=None)) == [
        (day[2], "new", "", "available", 1),
        (day[2], "changed", "available", "pending", 1),
        (day[2], "gone", "no status", "", 1),
        (day[4], "changed", "pending", "sold", 1),
        (day[4], "gone", "available", "", 1),
    ]


def test_sell_through(flow: Flow) -> None:
    """Of the pets seen on offer, those sold when last seen, by category."""
    assert flow.sell_through.drop(columns="count_is").values.tolist() == [
        [3, 2, 1, 0.5],
        [7, 1, 0, 0],
    ]
    assert set(flow.sell_through["count_is"]) == {"exact"}


def test_sell_through_of_part_of_the_pets(tmp_path: Path, make_inventory) -> None:
    """Where pets may be missing, a share is an estimate: it has no direction in which it errs."""
    history = pf.History(tmp_path / "partial", engine="pandas")
    history.add(make_inventory("2026-11-01", [(1, "Ada", 3, "available")]))
    history.add(make_inventory("2026-11-02", [(1, "Ada", 3, "sold")], verdict=Verdict.INCOMPLETE))
    flow = history.flow()
    assert set(flow.sell_through["count_is"]) == {"estimate"}
    assert set(flow.moves["count_is"]) == {"at least"}


def test_ageing(flow: Flow) -> None:
    """Days are counted from the first to the last snapshot of the run that shows it available."""
    columns = ["id", "days_available", "is_listed", "is_at_least"]
    assert flow.ageing[columns].values.tolist() == [[5, 2, True, False], [2, 1, False, True]]


def test_stale(flow: Flow) -> None:
    """Stale is what is still listed after so many days, the last of them included."""
    assert flow.stale["id"].tolist() == [5]
    assert flow.stale["days_available"].tolist() == [flow.stale_days]


def test_flow_by_week(folder: Path, make_inventory) -> None:
    """A longer period compares the last snapshots of each, so two moves count as one."""
    pf.History(folder).add(make_inventory("2026-11-12", [(2, "Bo", 3, "sold")]))
    moves = pf.History(folder).flow(period="week").moves
    assert moves["since"].dt.day.unique().tolist() == [1, 5]
    assert set(moves["count_is"]) == {"at least"}
    assert pf.History(folder).flow(since="2026-11-12").moves.empty


def test_summarize(folder: Path, engine: str) -> None:
    """A snapshot is counted on the engine and keeps what it covers."""
    history = pf.History(folder, engine=engine)
    assert str(history.summarize("2026-11-01").count("available", 3)) == "2"
    assert str(history.summarize().count()) == "at least 2"


def test_open_hands_out_the_engine_s_own_frame(folder: Path, engine: str) -> None:
    """What a history does not answer, the engine does: ``open_all`` gives rows with their date."""
    history = pf.History(folder, engine=engine)
    opened = history.open_all(columns=("id", "status"), since="2026-11-02")
    counted = pf.summarize(history.open("2026-11-04"))
    days = to_pandas(opened)["date"].astype("datetime64[us]").nunique()
    assert days == len(history.snapshots().query("date >= '2026-11-02'"))
    assert nw.from_native(opened).collect_schema().names() == ["id", "status", "date"]
    assert type(counted) is type(opened)


def test_questions_from_threads(folder: Path) -> None:
    """One history may be asked from several threads at once, as a dashboard does."""
    history = pf.History(folder)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: (history.diff().counts, len(history.trend())), range(8)))
    assert answers == [answers[0]] * 8


def test_at_and_read(folder: Path) -> None:
    """``at`` looks back to the last snapshot, ``read`` wants that very day."""
    history = pf.History(folder)
    assert history.at("2026-11-03").fetched_at.date() == date(2026, 11, 2)
    assert len(history.read(datetime(2026, 11, 4, 23, tzinfo=UTC))) == 2
    with pytest.raises(
        errors.HistoryError, match=r"no snapshot of 2026-11-03; .* has 4, 2026-11-01"
    ):
        history.read("2026-11-03")
    with pytest.raises(errors.HistoryError, match="no snapshot to 2026-10-31"):
        history.at(date(2026, 10, 31))


def test_no_day_is_the_last_one(folder: Path) -> None:
    """Where a question is about one day, leaving it out takes the last snapshot."""
    history = pf.History(folder, engine="pandas")
    last_day = history.snapshots()["date"].max()
    last = history.read(last_day)
    pd.testing.assert_frame_equal(history.read().frame, last.frame)
    assert history.open()["id"].tolist() == last.frame["id"].tolist()
    assert history.summarize().frame.equals(history.summarize(last_day).frame)


def test_snapshots(folder: Path) -> None:
    """The list shows days, rows and verdicts with fixed dtypes, also when it is empty."""
    listed, empty = pf.History(folder).snapshots(), pf.History(folder / "none").snapshots()
    assert listed["rows"].tolist() == [3, 3, 2, 2]
    assert listed["verdict"].tolist() == ["complete", "complete", "complete", "unknown"]
    assert listed.dtypes.equals(empty.dtypes)


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda history: history.diff(), "a diff needs two snapshots"),
        (lambda history: history.trend(since="2026-12-01"), "no snapshot from 2026-12-01"),
        (
            lambda history: pf.History(history.folder / "none").trend(),
            "petstore-frame snapshot",
        ),
    ],
)
def test_refusals(tmp_path: Path, make_inventory, ask, text: str) -> None:
    """A question that cannot be answered says what is there."""
    history = pf.History(tmp_path / "history")
    history.add(make_inventory("2026-11-01", LAST))
    with pytest.raises(errors.HistoryError, match=text):
        ask(history)
    assert len(history) == 1


@pytest.mark.parametrize("engine", ["duckdb", "pandas", "polars"])
def test_an_empty_store_has_the_same_tables(folder: Path, engine: str, make_inventory) -> None:
    """Days without a pet answer with tables of the same columns and dtypes as any other."""
    empty = pf.History(folder.parent / "empty", engine=engine)
    for day in ("2026-11-01", "2026-11-02"):
        empty.add(make_inventory(day, []))
    full = pf.History(folder, engine=engine)
    assert str(empty.diff()) == "2026-11-01 to 2026-11-02: no change"
    assert empty.trend(["status", "category_id"]).dtypes.equals(
        full.trend(["status", "category_id"]).dtypes
    )
    for name in ("moves", "sell_through", "ageing"):
        none, some = getattr(empty.flow(), name), getattr(full.flow(), name)
        assert (len(none), none.dtypes.to_dict()) == (0, some.dtypes.to_dict())


def test_a_path_is_no_pattern(tmp_path: Path, engine: str, make_inventory) -> None:
    """A star or bracket in the folder's name does not bring in another history that it matches."""
    for name, pets in (("a*b [1]", DAYS["2026-11-04"]), ("aXb 1", DAYS["2026-11-01"])):
        pf.History(tmp_path / name).add(make_inventory("2026-11-01", pets))
    trend = pf.History(tmp_path / "a*b [1]", engine=engine).trend()
    assert trend["pets"].tolist() == [1, 0, 1, 0]
    assert trend["status"].tolist() == ["available", "pending", "sold", "no status"]


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda history: history.diff("2026-11-01", "2026-11-01"), "old comes before new"),
        (lambda history: history.at("yesterday"), "expected a day, got 'yesterday'; pass a date"),
        (lambda history: history.read(20261101), "expected a day, got 20261101"),
        (lambda history: history.read(pd.NaT), "expected a day, got NaT"),
        (lambda history: history.trend("name"), "got 'name'"),
        (lambda history: history.trend(3), "got 3"),
        (lambda history: history.trend([["status"]]), "by is one or more of category_id, status"),
        (lambda history: history.trend(every_days=0), "every_days is 1 or more, got 0"),
        (lambda history: history.flow(period=["week"]), "period is one of snapshot, week, month"),
        (lambda history: history.flow(stale_days="30"), "stale_days is a whole number"),
        (lambda history: history.open(columns="age"), "columns is one or more of id, name"),
        (lambda history: history.open(columns=3), "columns is one or more of id, name"),
        (lambda history: pf.History(history.folder, session=3).diff(), "a DuckDB connection"),
        (lambda history: history.add(3), "expected an Inventory, got int"),
        (lambda history: pf.History(history.folder, engine=[]), "duckdb, pandas, polars, dask, sp"),
        (lambda history: pf.History(3), "folder is a path, got 3"),
    ],
)
def test_wrong_calls_are_argument_errors(folder: Path, ask, text: str) -> None:
    """Whatever is wrong in a call is named as an argument; no history speaks of sending."""
    with pytest.raises(pf.ArgumentError, match=text) as caught:
        ask(pf.History(folder))
    assert "sent" not in str(caught.value)


@pytest.mark.parametrize(
    "day",
    [
        "2026-11-04",
        date(2026, 11, 4),
        datetime(2026, 11, 5, 1, tzinfo=timezone(timedelta(hours=2))),
        pd.Timestamp(2026, 11, 4, 23),
        np.datetime64("2026-11-04"),
        np.datetime64("2026-11-04T23:59", "ns"),
    ],
)
def test_a_day_may_come_as_any_date(folder: Path, day) -> None:
    """A day is a date, an instant of any library, or a text."""
    assert pf.History(folder).read(day).fetched_at.date() == date(2026, 11, 4)


def test_a_lost_day_is_warned_of_once_at_the_caller(folder: Path) -> None:
    """A question warns once of a damaged file, and names the line that asked."""
    history = pf.History(folder)
    (folder / "date=2026-11-02" / "pets.parquet").write_bytes(b"")
    asked = [
        history.diff, history.trend, history.flow, history.snapshots, history.summarize,
        history.open, lambda: history.at("2026-11-04"), lambda: len(history),
    ]  # fmt: skip
    for ask in asked:
        with pytest.warns(errors.HistoryWarning) as warned:
            ask()
        assert [warning.filename for warning in warned] == [__file__]


@pytest.mark.parametrize(
    ("engine", "library", "extra"),
    [
        ("duckdb", "duckdb", "history"),
        ("polars", "polars", "polars"),
        ("spark", "pyspark", "spark"),
    ],
)
def test_an_absent_engine_names_its_extra(
    folder: Path, monkeypatch: pytest.MonkeyPatch, engine: str, library: str, extra: str
) -> None:
    """Where an engine's library is absent the error has the line that installs it."""
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(errors.MissingExtraError, match=rf"pip install 'petstore-frame\[{extra}\]'"):
        pf.History(folder, engine=engine).trend()
    assert len(pf.History(folder, engine="pandas").trend()) > 0


def test_a_listing_of_one_status_proves_no_absence(tmp_path: Path, make_inventory) -> None:
    """A pet that a listing of sold pets lacks may have another status: it is not gone."""
    history = pf.History(tmp_path / "history")
    history.add(make_inventory("2026-11-01", [(1, "Ada", 3, "sold"), (900, "Bo", 3, "sold")]))
    history.add(make_inventory("2026-11-02", [], status="sold"))
    assert history.diff("2026-11-01", "2026-11-02").counts["not seen"] == 2


def test_hostile_names_stay_text(tmp_path: Path, make_inventory) -> None:
    """A name is data: it is escaped in every view."""
    history = pf.History(tmp_path / "history")
    history.add(make_inventory("2026-11-01", []))
    history.add(make_inventory("2026-11-02", [(BIG, "<img src=x>", 3, "<b>odd</b>")]))
    html = history.diff()._repr_html_() + history._repr_html_() + history.summarize()._repr_html_()
    assert "<img" not in html and "<b>odd" not in html
    assert str(BIG) in html
