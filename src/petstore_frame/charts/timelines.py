"""Counts over time and ages of listings as small SVG strings.

In: what ``history.trend()`` and ``history.flow()`` return. Out: Drawings. A day without a snapshot
breaks the line; a minimum is a hollow dot on a faint dashed line. It opens no snapshot.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from math import floor, log10
from typing import TYPE_CHECKING, Any

from petstore_frame.charts.drawing import HATCH, HATCH_ID, INK, RULE, STYLE, Drawing
from petstore_frame.counts.pet_table import category_ids
from petstore_frame.counts.words import short
from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.html.markup import escape
from petstore_frame.inventory import StatusCount
from petstore_frame.schema.categories import Categories, category_name, shown_labels
from petstore_frame.schema.palette import STATUS_COLOURS, shorten, status_colours, status_word

if TYPE_CHECKING:
    import pandas as pd

WIDTH, HEIGHT = 760, 280
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 12, 30
LINES_SHOWN = 8
# Okabe and Ito's colours, for groups other than statuses.
_HUES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#767676", "#B8A900")
_TREND = ("date", "pets", "claim")
_AGEING = ("days_available", "is_listed", "is_at_least", "claim")
_AGES = ((0, "0-6"), (7, "7-13"), (14, "14-29"), (30, "30-59"), (60, "60-89"), (90, "90 or more"))


@dataclass(frozen=True)
class _Point:
    day: date
    count: StatusCount | None


def trend_chart(trend: pd.DataFrame, *, categories: Categories = None) -> Drawing:
    """Draw counts over time, one line per group.

    Args:
        trend: ``date``, ``pets``, ``claim``, and the columns that make a group, as
            ``history.trend()`` returns them. The eight largest groups are drawn.
        categories: Labels by category id: a dict, a Series or a CSV path.

    Returns:
        A Drawing; a notebook shows it, ``.html`` is the markup for a page of your own.

    Raises:
        ArgumentError: ``trend`` is not a DataFrame.
        InputError: A column is missing, or a date or a number cannot be read.
    """
    _check_table(trend, _TREND, "history.trend()")
    by = [name for name in trend.columns if name not in _TREND]
    lines = _lines(trend, _group_names(trend[by], categories))
    largest = sorted(lines, key=lambda name: -_highest(lines[name]))[:LINES_SHOWN]
    shown = {name: points for name, points in lines.items() if name in largest}
    shades = status_colours(lines) if by == ["status"] else dict(zip(shown, _HUES, strict=False))
    days = sorted({point.day for points in shown.values() for point in points})
    plane = _Plane(days, max(map(_highest, shown.values()), default=0))
    drawn = "".join(_line(name, points, shades[name], plane) for name, points in shown.items())
    left_out = len(lines) - len(shown)
    words = _in_words(shown, days) + (f"; {left_out} smaller groups not drawn" if left_out else "")
    has_minimums = bool((trend["claim"] == "at least").any())
    body = _keys([*shown], shades, has_minimums) + _svg(plane.frame() + drawn, words)
    return _drawing(body, words)


def _group_names(groups: pd.DataFrame, categories: Categories) -> list[str]:
    """Return what the group of each row is called."""
    if "category_id" in groups:
        labels = shown_labels(categories)
        named = [category_name(id_, labels) for id_ in category_ids(groups["category_id"])]
        groups = groups.assign(category_id=named)
    return [" ".join(row) for row in groups.astype("str").itertuples(index=False)]


def _lines(trend: pd.DataFrame, names: Sequence[str]) -> dict[str, list[_Point]]:
    """Return the points of each group, groups and days in the order of the rows."""
    import pandas as pd

    try:
        days = pd.to_datetime(trend["date"]).dt.date
        counts = trend["pets"].astype("Int64")
    except (AttributeError, TypeError, ValueError) as problem:
        raise InputError(
            f"a date or a number of pets cannot be read: {problem}",
            hint="pass what history.trend() returns",
        ) from None
    lines: dict[str, list[_Point]] = {}
    for name, day, pets, claim in zip(names, days, counts, trend["claim"], strict=True):
        count = None if pd.isna(pets) else StatusCount(int(pets), claim == "exact")
        lines.setdefault(name, []).append(_Point(day, count))
    return lines


def _highest(points: Sequence[_Point]) -> int:
    return max((point.count.count for point in points if point.count), default=0)


def ageing_chart(ageing: pd.DataFrame) -> Drawing:
    """Draw how many listed pets have been available for how many days.

    Args:
        ageing: What ``history.flow().ageing`` returns; pets no longer listed are left out.

    Returns:
        A Drawing of one bar per band of days; ages that are minimums are hatched.

    Raises:
        ArgumentError: ``ageing`` is not a DataFrame.
        InputError: A column is missing or has another dtype.
    """
    _check_table(ageing, _AGEING, "history.flow().ageing")
    typed = _AGEING[:3]
    if [ageing[name].dtype.kind for name in typed] != ["i", "b", "b"]:
        raise InputError(
            f"{', '.join(typed)} are whole numbers and truth values, got "
            f"{', '.join(str(ageing[name].dtype) for name in typed)}",
            hint="pass what history.flow().ageing returns",
        )
    listed = ageing[ageing["is_listed"]]
    known, least = (
        _by_age(listed.loc[listed["is_at_least"] == is_least, "days_available"])
        for is_least in (False, True)
    )
    # A table without a row proves nothing of the store.
    is_exact = len(ageing) > 0 and bool((ageing["claim"] == "exact").all())
    held = [StatusCount(sum(both), is_exact) for both in zip(known, least, strict=True)]
    plane = _Plane([], max(count.count for count in held))
    bars = "".join(
        _age_bar(at, label, count, more, plane)
        for at, ((_, label), count, more) in enumerate(zip(_AGES, held, least, strict=True))
    )
    words = (
        f"{StatusCount(len(listed), is_exact)} pets available: "
        + ", ".join(
            f"{count} for {label} days" for (_, label), count in zip(_AGES, held, strict=True)
        )
        + (f"; {sum(least):,} of them may be older than the snapshots show" if any(least) else "")
    )
    key = '<div style="margin:0 0 6px">hatched: for so long at least</div>' if any(least) else ""
    return _drawing(key + _svg(HATCH + plane.frame() + bars, words), words)


def _check_table(table: Any, needed: Sequence[str], source: str) -> None:
    """Refuse what is not the table that ``source`` returns."""
    import pandas as pd

    if not isinstance(table, pd.DataFrame):
        raise ArgumentError(f"expected what {source} returns, got {type(table).__name__}")
    missing = [name for name in needed if name not in table.columns]
    if missing:
        raise InputError(
            f"this drawing needs {', '.join(needed)}; the table lacks {', '.join(missing)}",
            column=missing[0],
            hint=f"pass what {source} returns",
        )


def _by_age(days: pd.Series[int]) -> list[int]:
    """Count in bands of age."""
    bounds, bands = [low for low, _ in _AGES], [0] * len(_AGES)
    for number in days:
        bands[bisect_right(bounds, number) - 1] += 1
    return bands


def _age_bar(at: int, label: str, count: StatusCount, least: int, plane: _Plane) -> str:
    """Draw one band: the ages that are known, and hatched above them those that are minimums."""
    step = (WIDTH - LEFT - RIGHT) / len(_AGES)
    x, width, top = LEFT + at * step + step * 0.15, step * 0.7, plane.y(count.count)
    middle = x + width / 2
    tip = f"{label} days: {count}" + (f", {least:,} of them at least" if least else "")
    across = f'x="{x:.1f}" width="{width:.1f}"'
    height = plane.y(count.count - least) - top
    return (
        f'<rect {across} y="{top:.1f}" height="{HEIGHT - BOTTOM - top:.1f}"'
        f' fill="{STATUS_COLOURS["available"]}"><title>{tip}</title></rect>'
        f'<rect {across} y="{top:.1f}" height="{height:.1f}" fill="url(#{HATCH_ID})"'
        ' pointer-events="none"/>'
        f'<text x="{middle:.1f}" y="{top - 4:.1f}" text-anchor="middle">{short(count)}</text>'
        f'<text x="{middle:.1f}" y="{HEIGHT - 10}" text-anchor="middle">{label} days</text>'
    )


class _Plane:
    """Where a day and a number lie on the drawing."""

    def __init__(self, days: Sequence[date], highest: int) -> None:
        self.days = days
        self.step = _round_step(highest)
        self.top = max(self.step * -(-highest // self.step), self.step)

    def x(self, day: date) -> float:
        span = max((self.days[-1] - self.days[0]).days, 1)
        return LEFT + (WIDTH - LEFT - RIGHT) * (day - self.days[0]).days / span

    def y(self, pets: int) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * pets / self.top

    def frame(self) -> str:
        rules = "".join(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{self.y(n):.1f}" y2="{self.y(n):.1f}"'
            f' stroke="{RULE}"/>'
            f'<text x="{LEFT - 8}" y="{self.y(n) + 4:.1f}" text-anchor="end">{n:,}</text>'
            for n in range(0, self.top + 1, self.step)
        )
        # As many dates as fit beside each other; ISO dates stay within the edges.
        ends = self.days[:: max(1, len(self.days) // 6)]
        ticks = "".join(
            f'<text x="{min(max(self.x(day), LEFT + 20), WIDTH - 40):.1f}" y="{HEIGHT - 10}"'
            f' text-anchor="middle">{day.isoformat()}</text>'
            for day in ends
        )
        return rules + ticks


def _round_step(highest: int) -> int:
    """Return a step of 1, 2 or 5 times a power of ten that needs at most five lines."""
    power: int = 10 ** max(floor(log10(max(highest, 1))) - 1, 0)
    return next(step * power for step in (1, 2, 5, 10, 20, 50) if step * power * 5 >= highest)


def _line(name: str, points: Sequence[_Point], colour: str, plane: _Plane) -> str:
    """Draw one group: one dot per day, joined where two days in a row have a number."""
    drawn = [_joint(*pair, colour, plane) for pair in pairwise(points)]
    drawn += [_dot(name, point, colour, plane) for point in points]
    return "".join(drawn)


def _joint(here: _Point, there: _Point, colour: str, plane: _Plane) -> str:
    if here.count is None or there.count is None:
        return ""
    # A line down to a minimum would show a fall that may not have happened.
    is_exact = here.count.is_exact and there.count.is_exact
    look = "" if is_exact else ' stroke-dasharray="2 4" stroke-opacity="0.5"'
    return (
        f'<line x1="{plane.x(here.day):.1f}" y1="{plane.y(here.count.count):.1f}"'
        f' x2="{plane.x(there.day):.1f}" y2="{plane.y(there.count.count):.1f}"'
        f' stroke="{colour}" stroke-width="1.5"{look}/>'
    )


def _dot(name: str, point: _Point, colour: str, plane: _Plane) -> str:
    if point.count is None:
        return ""
    fill = colour if point.count.is_exact else "var(--jp-layout-color1,#FFFFFF)"
    tip = f"{name}, {point.day}: {point.count}"
    return (
        f'<circle cx="{plane.x(point.day):.1f}" cy="{plane.y(point.count.count):.1f}" r="3"'
        f' fill="{fill}" stroke="{colour}" stroke-width="1.5"><title>{escape(tip)}</title></circle>'
    )


def _keys(names: Sequence[str], shades: dict[str, str], has_minimums: bool) -> str:
    items = "".join(
        '<span style="display:inline-block;margin-right:16px;white-space:nowrap">'
        f'<span style="color:{shades[name]}" aria-hidden="true">●</span> '
        f"{escape(shorten(status_word(name), 40))}</span>"
        for name in names
    )
    note = (
        '<span style="display:inline-block;white-space:nowrap">○ at least</span>'
        if has_minimums
        else ""
    )
    return f'<div style="margin:0 0 6px">{items}{note}</div>'


def _in_words(points: dict[str, list[_Point]], days: Sequence[date]) -> str:
    if not days:
        return "no snapshots"
    parts = []
    for name, line in points.items():
        known = [point.count for point in line if point.count]
        if known:
            parts.append(f"{name} {known[0]} to {known[-1]}")
    missing = {point.day for line in points.values() for point in line if not point.count}
    days_word = "1 day" if len(missing) == 1 else f"{len(missing)} days"
    gaps = f"; {days_word} without a snapshot" if missing else ""
    return f"{days[0]} to {days[-1]}: {', '.join(parts)}{gaps}"


def _svg(body: str, words: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        f' aria-label="{escape(words)}" style="width:100%;max-width:{WIDTH}px" font-size="12"'
        f' fill="{INK}">{body}</svg>'
    )


def _drawing(body: str, words: str) -> Drawing:
    return Drawing(f'{STYLE}<div class="pf-drawing">{body}</div>', words)
