"""Charts and tables as strings: right, escaped, and honest about what they leave open."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import petstore_frame as pf
from petstore_frame import errors, sample_data
from petstore_frame.charts import Chart, moves_chart, svg
from petstore_frame.inventory import Verdict
from unit.conftest import make_inventory, pets


def parts(drawing: Chart, tag: str) -> list[ElementTree.Element]:
    """The elements of a picture with this tag; broken markup fails."""
    picture = ElementTree.fromstring(re.search(r"<svg.*</svg>", drawing.html, re.S)[0])
    return [element for element in picture.iter() if element.tag.endswith(tag)]


def test_bars_are_as_long_as_their_counts(tmp_path) -> None:
    """There is a bar a category and status held, as wide as its count; a chart alone is XML."""
    pets = make_inventory([(1, "a", 1, "sold"), (2, "b", 1, "sold"), (3, "c", 2, None)])
    drawing = pf.charts.status_chart(pets)
    widths = [float(bar.get("width")[:-1]) for bar in parts(drawing, "rect") if bar.get("class")]
    assert widths == [pytest.approx(2 * widths[1], rel=0.01), widths[1]]
    file = drawing.save(tmp_path / "stock.svg")
    ElementTree.fromstring(file.read_text("utf-8"))


def test_minimums_look_different() -> None:
    """A count that may be short is hatched and has a sign, also of rows taken out of a frame."""
    whole, part = make_inventory(pets(40)), make_inventory(pets(40), Verdict.UNKNOWN)
    plain = pf.charts.status_chart(whole).html
    assert "≥" not in plain and "url(#pf-at-least" not in plain
    assert pf.charts.status_chart(whole.frame).html == plain
    for source in (part, part.frame, whole.frame.head(7)):
        drawn = pf.charts.status_chart(source)
        assert "≥" in drawn.html and "url(#pf-at-least" in drawn.html
        assert f"at least {len(source)} pets" in repr(drawn)


@pytest.fixture(scope="module")
def history(tmp_path_factory) -> pf.History:
    return sample_data.write_sample_history(tmp_path_factory.mktemp("sample") / "history", pets=150)


def trend_of(*rows: tuple[str, str, int, str]) -> pd.DataFrame:
    """A trend made by hand."""
    frame = pd.DataFrame(rows, columns=["date", "status", "pets", "bound"])
    return frame.assign(date=pd.to_datetime(frame["date"]))


def test_only_exact_numbers_of_neighboring_days_are_joined(history) -> None:
    """A line stops before a missing day and before a minimum, which is a hollow mark by itself."""
    drawing = pf.charts.trend_chart(history.trend())
    paths = [path.get("d") for path in parts(drawing, "path")]
    assert [path.count("M") for path in paths] == [3] * 4
    assert [path.count("L") for path in paths] == [28 - 3] * 4
    marks = parts(drawing, "circle")
    hollow = [mark for mark in marks if mark.get("fill")]
    assert (len(marks), len(hollow)) == (29 * 4, 4)
    assert all("at least" in mark[0].text for mark in hollow)
    assert "1 day without a snapshot" in repr(drawing)


def test_moves_add_up_to_those_of_the_flow(history) -> None:
    """The legend counts what came, was sold and went, week by week, and the bars are its parts."""
    moves = history.flow().moves
    drawn = moves_chart(moves)
    sold = moves[(moves["kind"] == "changed") & (moves["now"] == "sold")]["pets"].sum()
    tips = re.findall(
        r"sold, [\d-]+ to [\d-]+ \(\d days?\): (?:at least )?([\d,]+) pet", drawn.markup()
    )
    assert sum(int(tip.replace(",", "")) for tip in tips) == sold
    assert f"{sold:,} sold" in drawn.description


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
    assert repr(pf.charts.ageing_chart(ageing.head(0))).startswith("<at least 0 pets available")


def test_one_day_is_a_trend_and_no_day_is_said() -> None:
    """A trend needs no second day; without snapshots the words say so."""
    trend = trend_of(("2026-01-01", "sold", 0, "exact"))
    assert repr(pf.charts.trend_chart(trend)) == "<2026-01-01 to 2026-01-01: sold 0 to 0>"
    assert "no snapshots" in repr(pf.charts.trend_chart(trend.iloc[:0]))
    with pytest.raises(pf.ArgumentError, match=r"top must be 1 or more, got 0$"):
        pf.charts.status_chart(make_inventory(), top=0)


WIDTHS = (svg.NARROWEST_DRAWING, 900)  # pixels
CHARACTER = 7  # pixels, of the widest digits at the size of an axis


def label_intervals(drawing: Chart, width: int) -> list[tuple[float, float]]:
    """Where the dates of an axis begin and end, in pixels of a drawing of this width."""
    intervals = []
    for text in parts(drawing, "text"):
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text.text or ""):
            at, length = float(text.get("x")[:-1]) / 100 * width, len(text.text) * CHARACTER
            shift = {"start": 0, "middle": length / 2, "end": length}[text.get("text-anchor")]
            intervals.append((at - shift, at - shift + length))
    return intervals


@given(days=st.sets(st.integers(0, 400), min_size=1, max_size=40), pets=st.integers(0, 10**7))
def test_dates_never_overlap(days: set[int], pets: int) -> None:
    """However the snapshots are spread, the dates of an axis stay apart and in the drawing."""
    first = pd.Timestamp("2026-01-01")
    dates = [first + pd.Timedelta(days=day) for day in sorted(days)]
    trend = trend_of(*((f"{date:%Y-%m-%d}", "sold", pets, "exact") for date in dates))
    moves = pd.DataFrame(
        [(a, b, "new", None, "sold", pets, "exact") for a, b in pairwise(dates)],
        columns=["since", "until", "kind", "was", "now", "pets", "bound"],
    )
    for drawing in (pf.charts.trend_chart(trend), moves_chart(moves)):
        for width in WIDTHS:
            intervals = label_intervals(drawing, width)
            assert all(one[1] < next_[0] for one, next_ in pairwise(intervals))
            assert all(start >= -1 and end <= width + 1 for start, end in intervals)
    assert len(label_intervals(pf.charts.trend_chart(trend), 900)) >= min(len(days), 2)


def test_a_short_week_is_drawn_paler() -> None:
    """A week that is not over has fewer days than the others, and so fewer moves."""
    days = [pd.Timestamp(2026, 1, day) for day in (4, 11, 13)]
    moves = pd.DataFrame(
        [(a, b, "new", None, "sold", 5, "exact") for a, b in pairwise(days)],
        columns=["since", "until", "kind", "was", "now", "pets", "bound"],
    )
    drawing = moves_chart(moves)
    bars = [bar for bar in parts(drawing, "rect") if bar.get("class")]
    assert [bar.get("fill-opacity") is not None for bar in bars] == [False, True]
    assert "less than a week" in drawing.html
    assert repr(drawing).endswith("; the last week has 2 days>")
    assert "less than a week" not in moves_chart(moves.head(1)).html


def test_a_number_that_is_about_is_not_called_a_minimum() -> None:
    """Pets that were first seen may have been there before, so their number may be too high."""
    trend = trend_of(("2026-01-01", "sold", 3, "about"), ("2026-01-02", "sold", 4, "exact"))
    drawing = pf.charts.trend_chart(trend)
    assert "sold about 3 to 4" in repr(drawing)
    moves = pd.DataFrame(
        [
            ("first seen", None, "sold", 2, "about"),
            ("changed", "pending", "sold", 1, "at_least"),
            ("gone", "sold", None, 0, "at_least"),
        ],
        columns=["kind", "was", "now", "pets", "bound"],
    )
    moves = moves.assign(since=pd.Timestamp(2026, 1, 4), until=pd.Timestamp(2026, 1, 11))
    assert repr(moves_chart(moves)).endswith("about 2 new, at least 1 sold, at least 0 gone>")


def test_a_chart_is_saved_as_png(tmp_path) -> None:
    """A PNG has twice the pixels of the SVG, with its text."""
    drawing = pf.charts.status_chart(make_inventory(pets(40)))
    picture = drawing.save(tmp_path / "stock.png").read_bytes()
    assert picture.startswith(b"\x89PNG\r\n")
    root = ElementTree.fromstring(drawing.save(tmp_path / "stock.svg").read_text("utf-8"))
    width, height = (int.from_bytes(picture[at : at + 4], "big") for at in (16, 20))
    assert (width, height) == (2 * int(root.get("width")), 2 * int(float(root.get("height"))))
    with pytest.raises(errors.ReportError, match=r"unsupported extension '\.jpg'; use \.svg or"):
        drawing.save(tmp_path / "stock.jpg")


def test_without_a_font_no_png_is_written(tmp_path, monkeypatch) -> None:
    """A PNG whose text is missing would be a chart without numbers."""
    resvg = pytest.importorskip("resvg_py")
    draw = resvg.svg_to_bytes
    monkeypatch.setattr(
        resvg, "svg_to_bytes", lambda text, **options: draw(text, skip_system_fonts=True, **options)
    )
    with pytest.raises(errors.ReportError, match="a PNG needs one of the fonts"):
        pf.charts.status_chart(make_inventory()).save(tmp_path / "stock.png")
    assert list(tmp_path.iterdir()) == []
