"""Charts and tables as strings: right, escaped, and honest about what they leave open."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame import sample_data
from petstore_frame.charts import Chart, moves_chart
from petstore_frame.inventory import Verdict
from unit.conftest import inventory, pets


def parts(drawing: Chart, tag: str) -> list[ElementTree.Element]:
    """The elements of a picture with this tag; broken markup fails."""
    picture = ElementTree.fromstring(re.search(r"<svg.*</svg>", drawing.html, re.S)[0])
    return [element for element in picture.iter() if element.tag.endswith(tag)]


def test_bars_are_as_long_as_their_counts(tmp_path) -> None:
    """There is a bar a category and status held, as wide as its count; a chart alone is XML."""
    pets = inventory([(1, "a", 1, "sold"), (2, "b", 1, "sold"), (3, "c", 2, None)])
    drawing = pf.charts.status_chart(pets)
    widths = [float(bar.get("width")[:-1]) for bar in parts(drawing, "rect") if bar.get("class")]
    assert widths == [pytest.approx(2 * widths[1], rel=0.01), widths[1]]
    file = drawing.save(tmp_path / "stock.svg")
    ElementTree.fromstring(file.read_text("utf-8"))


def test_minimums_look_different() -> None:
    """A count that may be short is hatched and has a sign, also of rows taken out of a frame."""
    whole, part = inventory(pets(40)), inventory(pets(40), Verdict.UNKNOWN)
    plain = pf.charts.status_chart(whole).html
    assert "≥" not in plain and "url(#pf-at-least" not in plain
    assert pf.charts.status_chart(whole.frame).html == plain
    for each in (part, part.frame, whole.frame.head(7)):
        drawn = pf.charts.status_chart(each)
        assert "≥" in drawn.html and "url(#pf-at-least" in drawn.html
        assert f"≥ {len(each)} pets" in repr(drawn)


@pytest.fixture(scope="module")
def history(tmp_path_factory) -> pf.History:
    return sample_data.write_sample_history(tmp_path_factory.mktemp("sample") / "history", pets=150)


def trend_of(*rows: tuple[str, str, int, str]) -> pd.DataFrame:
    """A trend made by hand."""
    frame = pd.DataFrame(rows, columns=["date", "status", "pets", "bound"])
    return frame.assign(date=pd.to_datetime(frame["date"]))


def test_only_exact_numbers_of_neighbouring_days_are_joined(history) -> None:
    """A line stops before a missing day and before a minimum, which is a hollow mark by itself."""
    drawing = pf.charts.trend_chart(history.trend())
    paths = [each.get("d") for each in parts(drawing, "path")]
    assert [path.count("M") for path in paths] == [3] * 4
    assert [path.count("L") for path in paths] == [28 - 3] * 4
    marks = parts(drawing, "circle")
    hollow = [mark for mark in marks if mark.get("fill")]
    assert (len(marks), len(hollow)) == (29 * 4, 4)
    assert all("≥" in mark[0].text for mark in hollow)
    assert "1 day without a snapshot" in repr(drawing)


def test_moves_add_up_to_those_of_the_flow(history) -> None:
    """The legend counts what came, was sold and went, week by week, and the bars are its parts."""
    moves = history.flow().moves
    drawn = moves_chart(moves)
    sold = moves[(moves["kind"] == "changed") & (moves["now"] == "sold")]["pets"].sum()
    tips = re.findall(r"sold, [\d-]+ to [\d-]+: (?:≥ )?([\d,]+) pet", drawn.markup())
    assert sum(int(tip.replace(",", "")) for tip in tips) == sold
    assert f"{sold:,} sold" in drawn.words


def test_ageing_counts_each_pet_once(history) -> None:
    """The bars add up to the available pets, the minimums among them named."""
    ageing = history.flow().ageing
    drawing = pf.charts.ageing_chart(ageing)
    tips = re.findall(
        r"days: (\d+) pets? \(exact\)(?:, (\d+) of them at least)?</title>", drawing.html
    )
    assert sum(int(all_) for all_, _ in tips) == len(ageing)
    assert sum(int(least or 0) for _, least in tips) == ageing["is_at_least"].sum()
    assert f"{len(ageing)} pets available" in repr(drawing)
    assert repr(pf.charts.ageing_chart(ageing.head(0))).startswith("<≥ 0 pets available")


def test_one_day_is_a_trend_and_no_day_is_said() -> None:
    """A trend needs no second day; without snapshots the words say so."""
    trend = trend_of(("2026-01-01", "sold", 0, "exact"))
    assert repr(pf.charts.trend_chart(trend)) == "<2026-01-01 to 2026-01-01: sold 0 to 0>"
    assert "no snapshots" in repr(pf.charts.trend_chart(trend.iloc[:0]))
    with pytest.raises(pf.ArgumentError, match=r"top is 1 or more, got 0$"):
        pf.charts.status_chart(inventory(), top=0)
