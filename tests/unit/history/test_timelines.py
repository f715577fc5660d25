"""What the lines and bars show, and what they leave open."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame import samples
from petstore_frame.charts import trend as trend_module
from petstore_frame.charts.bars import sell_through_figure
from petstore_frame.charts.columns import moves_figure
from petstore_frame.charts.svg import Drawing


@pytest.fixture(scope="module")
def history(tmp_path_factory) -> pf.History:
    return samples.write_sample_history(tmp_path_factory.mktemp("sample") / "history", pets=150)


def svg(drawing: Drawing) -> ElementTree.Element:
    """Return the picture of a drawing, parsed, so that broken markup fails."""
    return ElementTree.fromstring(re.search(r"<svg.*</svg>", drawing.html, re.S)[0])


def test_sample_history_is_the_same_story_each_time(history, tmp_path) -> None:
    """The same seed gives the same days: one missing, one not known to be complete."""
    again = samples.write_sample_history(tmp_path, pets=150).snapshots()
    pd.testing.assert_frame_equal(history.snapshots(), again)
    assert len(again) == 29
    assert again["verdict"].value_counts().to_dict() == {"complete": 28, "unknown": 1}


def test_only_exact_numbers_of_neighbouring_days_are_joined(history) -> None:
    """Each line stops before the missing day and before the day that is only a minimum."""
    drawing = svg(pf.charts.trend_chart(history.trend()))
    paths = [element.get("d") for element in drawing.iter() if element.tag.endswith("path")]
    assert [path.count("M") for path in paths] == [3] * 4
    assert [path.count("L") for path in paths] == [28 - 3] * 4


def test_a_minimum_is_a_hollow_mark_below_the_scale(history) -> None:
    """Every number has its mark; those of the uncertain day lie under the line of 0, hollow."""
    trend = history.trend()
    drawing = pf.charts.trend_chart(trend)
    marks = [element for element in svg(drawing).iter() if element.tag.endswith("circle")]
    hollow = [mark for mark in marks if mark.get("fill")]
    assert (len(marks), len(hollow)) == (29 * 4, 4)
    assert min(float(mark.get("cy")) for mark in hollow) > trend_module.BOTTOM
    assert all("at least" in mark[0].text for mark in hollow)
    assert "1 day without a snapshot" in repr(drawing)


def test_minimums_do_not_set_the_scale() -> None:
    """A larger number that is only a minimum leaves the exact ones as high as they were."""
    exact = [(day, "sold", 10, "exact") for day in pd.date_range("2026-01-01", periods=3)]
    least = [(pd.Timestamp(2026, 1, 4), "sold", 9_000, "at least")]
    columns = ["date", "status", "pets", "count_is"]
    heights = [
        [mark.get("cy")
         for mark in svg(pf.charts.trend_chart(pd.DataFrame(rows, columns=columns))).iter()
         if mark.tag.endswith("circle")][:3]
        for rows in (exact, exact + least)
    ]  # fmt: skip
    assert heights[0] == heights[1]


def test_where_nothing_is_exact_minimums_stand_at_their_value() -> None:
    """A store that is never whole still has a drawing, without a line."""
    rows = [(pd.Timestamp(2026, 1, day), "sold", 10 * day, "at least") for day in (1, 2, 3)]
    drawing = svg(
        pf.charts.trend_chart(pd.DataFrame(rows, columns=["date", "status", "pets", "count_is"]))
    )
    marks = [element for element in drawing.iter() if element.tag.endswith("circle")]
    assert len({mark.get("cy") for mark in marks}) == 3
    assert not any(element.get("d") for element in drawing.iter() if element.tag.endswith("path"))


def test_moves_add_up_to_those_of_the_flow(history) -> None:
    """The legend counts what came, was sold and went, week by week, and the bars are its parts."""
    moves = history.flow(period="week").moves
    drawn = moves_figure(moves)
    sold = moves[(moves["kind"] == "changed") & (moves["now"] == "sold")]["pets"].sum()
    tips = re.findall(r"sold, [\d-]+ to [\d-]+: (?:at least )?([\d,]+) pet", drawn.markup)
    assert sum(int(tip.replace(",", "")) for tip in tips) == sold
    assert f"{sold:,} sold" in drawn.words
    assert ">sold, " not in moves_figure(moves, hidden={"sold"}).markup


def test_sell_through_says_what_it_is_a_share_of(history) -> None:
    """Each category has its share with both numbers, called about where it is an estimate."""
    table = history.flow().sell_through
    drawn = sell_through_figure(table, {1: "Cat"})
    cat = table[table["category_id"] == 1].iloc[0]
    assert (
        f"Cat: about {cat['sell_through']:.0%}: {cat['sold']} of {cat['offered']}" in drawn.markup
    )
    assert 'data-category="1"' in drawn.markup and "an estimate" in drawn.markup


def test_trend_by_category_has_labels_and_says_what_it_leaves_out(history) -> None:
    """Eight lines are drawn, by label, and the rest is counted."""
    drawing = pf.charts.trend_chart(history.trend("category_id"), categories={1: "Dog & <co>"})
    assert "Dog &amp; &lt;co&gt;" in drawing.html
    assert "smaller groups not drawn" in repr(drawing)
    assert svg(drawing).get("role") == "img"


def test_trend_of_few_points() -> None:
    """One day, and only zeros, can be drawn."""
    trend = pd.DataFrame(
        {"date": [pd.Timestamp(2026, 1, 1)], "status": ["sold"], "pets": [0], "count_is": ["exact"]}
    )
    assert repr(pf.charts.trend_chart(trend)) == "<2026-01-01 to 2026-01-01: sold 0 to 0>"
    assert "no snapshots" in repr(pf.charts.trend_chart(trend.iloc[:0]))


def test_ageing_counts_each_listed_pet_once(history) -> None:
    """The bars add up to the pets that are listed as available, the minimums among them named."""
    ageing = history.flow().ageing
    listed = ageing[ageing["is_listed"]]
    drawing = pf.charts.ageing_chart(ageing)
    tips = re.findall(
        r"days: ([\d,]+) pets? \(exact\)(?:, ([\d,]+) of them at least)?</title>", drawing.html
    )
    counts, least = (
        sum(int(number.replace(",", "") or 0) for number in part)
        for part in zip(*tips, strict=True)
    )
    assert (counts, least) == (len(listed), listed["is_at_least"].sum())
    assert f"{counts:,} pets available" in repr(drawing)


@pytest.mark.parametrize("draw", [pf.charts.trend_chart, pf.charts.ageing_chart])
def test_another_table_is_refused(draw) -> None:
    """What is not the table to draw is named, with what to pass."""
    with pytest.raises(pf.ArgumentError, match=r"expected what history\..* returns, got int"):
        draw(3)
    with pytest.raises(pf.InputError, match=r"the table lacks .*; pass what history\."):
        draw(pd.DataFrame({"id": [1]}))


def test_dates_may_be_of_any_kind() -> None:
    """A trend that went through a CSV has its dates as text, and is drawn; no date is named."""
    trend = pd.DataFrame(
        {"date": ["2026-01-01"], "status": ["sold"], "pets": [3], "count_is": ["exact"]}
    )
    assert repr(pf.charts.trend_chart(trend)) == "<2026-01-01 to 2026-01-01: sold 3 to 3>"
    with pytest.raises(pf.InputError, match="a date or a number of pets cannot be read"):
        pf.charts.trend_chart(trend.assign(date="soon"))


def test_ages_of_another_dtype_are_refused() -> None:
    """Ages that went through text are named by their dtypes, not drawn wrong."""
    ageing = pd.DataFrame(
        {"days_available": ["1"], "is_listed": [1], "is_at_least": [0], "count_is": ["exact"]}
    )
    with pytest.raises(pf.InputError, match=r"whole numbers .* got (str|object), int64"):
        pf.charts.ageing_chart(ageing)
