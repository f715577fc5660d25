"""What the lines and bars show, and what they leave open."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame import samples


@pytest.fixture(scope="module")
def history(tmp_path_factory) -> pf.History:
    return samples.write_sample_history(tmp_path_factory.mktemp("sample") / "history", pets=150)


def svg(drawing: pf.Drawing) -> ElementTree.Element:
    """Return the picture of a drawing, parsed, so that broken markup fails."""
    return ElementTree.fromstring(re.search(r"<svg.*</svg>", drawing.html, re.S)[0])


def test_sample_history_is_the_same_story_each_time(history, tmp_path) -> None:
    """The same seed gives the same days: one missing, one not known to be complete."""
    again = samples.write_sample_history(tmp_path, pets=150).snapshots()
    pd.testing.assert_frame_equal(history.snapshots(), again)
    assert len(again) == 29
    assert again["verdict"].value_counts().to_dict() == {"complete": 28, "unknown": 1}


def test_trend_breaks_at_a_gap(history) -> None:
    """No line crosses the missing day, and the uncertain day is hollow and dashed."""
    drawing = pf.trend_chart(history.trend())
    tags = [element.tag.rpartition("}")[2] for element in svg(drawing).iter()]
    groups = 4
    assert tags.count("circle") == 29 * groups
    assert (
        drawing.html.count('stroke-width="1.5"/>') + drawing.html.count("dasharray") == 27 * groups
    )
    assert drawing.html.count("dasharray") == 2 * groups
    assert "1 day without a snapshot" in repr(drawing)
    assert "at least" in drawing.html


def test_trend_by_category_has_labels_and_says_what_it_leaves_out(history) -> None:
    """Eight lines are drawn, by label, and the rest is counted."""
    drawing = pf.trend_chart(history.trend("category_id"), categories={1: "Dog & <co>"})
    assert "Dog &amp; &lt;co&gt;" in drawing.html
    assert "smaller groups not drawn" in repr(drawing)
    assert svg(drawing).get("role") == "img"


def test_trend_of_few_points() -> None:
    """One day, and only zeros, can be drawn."""
    trend = pd.DataFrame(
        {"date": [pd.Timestamp(2026, 1, 1)], "status": ["sold"], "pets": [0], "claim": ["exact"]}
    )
    assert repr(pf.trend_chart(trend)) == "<2026-01-01 to 2026-01-01: sold 0 to 0>"
    assert "no snapshots" in repr(pf.trend_chart(trend.iloc[:0]))


def test_ageing_counts_each_listed_pet_once(history) -> None:
    """The bars add up to the pets that are listed as available, the minimums among them named."""
    ageing = history.flow().ageing
    listed = ageing[ageing["is_listed"]]
    drawing = pf.ageing_chart(ageing)
    tips = re.findall(r"days: ([\d,]+)(?:, ([\d,]+) of them at least)?</title>", drawing.html)
    counts, least = (
        sum(int(number.replace(",", "") or 0) for number in part)
        for part in zip(*tips, strict=True)
    )
    assert (counts, least) == (len(listed), listed["is_at_least"].sum())
    assert f"{counts:,} pets available" in repr(drawing)


@pytest.mark.parametrize("draw", [pf.trend_chart, pf.ageing_chart])
def test_another_table_is_refused(draw) -> None:
    """What is not the table to draw is named, with what to pass."""
    with pytest.raises(pf.ArgumentError, match=r"expected what history\..* returns, got int"):
        draw(3)
    with pytest.raises(pf.InputError, match=r"the table lacks .*; pass what history\."):
        draw(pd.DataFrame({"id": [1]}))


def test_dates_may_be_of_any_kind() -> None:
    """A trend that went through a CSV has its dates as text, and is drawn; no date is named."""
    trend = pd.DataFrame(
        {"date": ["2026-01-01"], "status": ["sold"], "pets": [3], "claim": ["exact"]}
    )
    assert repr(pf.trend_chart(trend)) == "<2026-01-01 to 2026-01-01: sold 3 to 3>"
    with pytest.raises(pf.InputError, match="a date or a number of pets cannot be read"):
        pf.trend_chart(trend.assign(date="soon"))


def test_ages_of_another_dtype_are_refused() -> None:
    """Ages that went through text are named by their dtypes, not drawn wrong."""
    ageing = pd.DataFrame(
        {"days_available": ["1"], "is_listed": [1], "is_at_least": [0], "claim": ["exact"]}
    )
    with pytest.raises(pf.InputError, match="whole numbers and truth values, got str, int64"):
        pf.ageing_chart(ageing)
