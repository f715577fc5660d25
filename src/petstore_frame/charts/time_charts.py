"""Draws counts over time as lines, and weekly moves and waiting times as columns.

A line joins exact numbers only. A minimum is a separate hollow mark, because a line down to it
would show a decrease that may not have happened. A day without a snapshot is a gap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from math import floor, log10
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from petstore_frame.charts import svg
from petstore_frame.inventory import Bound, StatusCount
from petstore_frame.pet_table import category_ids
from petstore_frame.rendering import Markup, element, palette
from petstore_frame.rendering import html_style as style
from petstore_frame.schema import count_text
from petstore_frame.tables import Categories, Labels
from petstore_frame.validation import checked_frame

if TYPE_CHECKING:
    import pandas as pd

MAX_LINES, MAX_WEEKS = 8, 26
_DAYS_OF_A_WEEK = 7
TOP, BOTTOM, HEIGHT = 20, 240, 270  # pixels: the ends of a scale, and the height of a drawing
RIGHT = 98.0  # percentage of the width at which a scale ends
_AGES = {0: "0-6", 7: "7-13", 14: "14-29", 30: "30-59", 60: "60-89", 90: "90+"}
# For each column, the kinds of moves, the color, and the pets that it represents. A pet that was
# "first seen" or "not seen" may have been added or removed.
_SERIES: dict[str, tuple[set[str], str, svg.Means]] = {
    "new": ({"new", "first seen"}, palette.NEW_COLOR, {}),
    "sold": ({"changed"}, palette.STATUS_COLORS["sold"], {"status": "sold"}),
    "gone": ({"gone", "not seen"}, palette.GONE_COLOR, {}),
}


class _Scale:
    """The vertical scale from 0 at ``BOTTOM`` to the highest number, and the horizontal scale."""

    def __init__(self, highest: int) -> None:
        # The step is 1, 2 or 5 times a power of ten, with at most five lines.
        power: int = 10 ** max(floor(log10(max(highest, 1))) - 1, 0)
        self._step = next(n * power for n in (1, 2, 5, 10, 20, 50) if n * power * 5 >= highest)
        self._highest = max(self._step * -(-highest // self._step), self._step)
        self._left = 1.5 * len(f"{self._highest:,}") + 2.0  # space for the numbers

    def x(self, part: float) -> float:
        """Return the horizontal position of a fraction of the axis, 0 to 1."""
        return self._left + 1 + (RIGHT - self._left - 1) * part

    def y(self, number: float) -> float:
        """Return the vertical position of a number, in pixels."""
        return BOTTOM - (BOTTOM - TOP) * number / self._highest

    def rules(self) -> Iterator[Markup]:
        """Draw a horizontal line and its number for each step."""
        for number in range(0, self._highest + 1, self._step):
            y = round(self.y(number), 1)
            yield element(
                "line", x1=svg.share(self._left), x2="100%", y1=y, y2=y, stroke=style.RULE
            )
            yield _axis_label(f"{number:,}", at=self._left - 1, y=y + 4, anchor="end")


def _axis_label(text: str, *, at: float, y: float, anchor: str) -> Markup:
    return svg.label(text, at=at, y=y, anchor=anchor, fill=style.MUTED)


class _Line(NamedTuple):
    """A line: its name, the pets that it represents, and its counts (None without a snapshot)."""

    name: str
    means: svg.Means
    counts: dict[date, StatusCount | None]

    @property
    def present_counts(self) -> dict[date, StatusCount]:
        """The counts of the days that have a snapshot."""
        return {day: count for day, count in self.counts.items() if count is not None}

    @property
    def highest(self) -> int:
        return max((count.count for count in self.present_counts.values()), default=0)


def trend_chart(trend: pd.DataFrame, *, categories: Categories = None) -> svg.Chart:
    """Draw counts over time, one line per group.

    Args:
        trend: ``date``, ``pets``, ``bound``, and the columns that make a group, as
            ``history.trend()`` returns them. The eight largest groups are drawn.
        categories: Labels by category id: a dict, a Series or a CSV path.

    Returns:
        A Chart: a notebook shows it, ``.save("x.svg")`` writes it, ``.html`` is its markup.
    """
    checked_frame("trend", trend, ("date", "pets", "bound"), "history.trend()")
    every = _lines(trend, Labels(categories))
    largest = sorted(every, key=lambda line: -line.highest)[:MAX_LINES]
    lines = [line for line in every if line in largest]
    names = [line.name for line in lines]
    shades = dict(zip(names, palette.OTHER_HUES, strict=False))
    if "status" in trend.columns:
        shades = palette.status_colors(names)
    keys = [svg.Key(name, shades[name], sign="●", means=means) for name, means, _ in lines]
    counts = [count for line in lines for count in line.present_counts.values()]
    if not all(count.is_exact for count in counts):
        keys.append(svg.Key("not exact (at least, or about)", None, sign="○"))
    scale = _Scale(max((count.count for count in counts), default=0))
    days = sorted({day for line in lines for day in line.counts})
    missing_days = [day for day in days if all(line.counts.get(day) is None for line in lines)]
    if missing_days:
        keys.append(svg.Key("gray band: no snapshot", None, sign="▯"))
    span = max((days[-1] - days[0]).days, 1) if days else 1
    x_of = {day: scale.x((day - days[0]).days / span) for day in days}
    body = [*scale.rules(), *_gaps(missing_days, x_of, gap_width=scale.x(1 / span) - scale.x(0))]
    body += _dates(x_of)
    # x is in thousandths of the width, which is stretched to the page.
    body.append(
        element(
            "svg",
            *(_path(line, shades[line.name], x_of, scale) for line in lines),
            viewBox=f"0 0 1000 {HEIGHT}",
            width="100%",
            height=HEIGHT,
            preserveAspectRatio="none",
            pointer_events="none",
        )
    )
    body += [_marks(line, shades[line.name], x_of, scale) for line in lines]
    description = _describe_trend(lines, days, missing_days)
    if len(every) > len(lines):
        description += f"; {len(every) - len(lines)} smaller groups not drawn"
    return svg.Chart("pets-over-time", keys, body, HEIGHT, description)


def _lines(trend: pd.DataFrame, labels: Labels) -> list[_Line]:
    """Return the groups with their counts, both in the order of the rows."""
    by = [name for name in trend.columns if name not in ("date", "pets", "bound", "category")]
    values: dict[str, list[Any]] = {
        name: category_ids(trend[name]) if name == "category_id" else trend[name].map(str).tolist()
        for name in by
    }
    if "category" in trend.columns:
        all_labels = Labels()
        all_labels.update(zip(values["category_id"], trend["category"], strict=True))
        all_labels.update(labels)
        labels = all_labels
    lines: dict[tuple[Any, ...], _Line] = {}
    counts = trend["pets"].astype("object").where(trend["pets"].notna(), None)
    rows = zip(trend["date"].dt.date, counts, trend["bound"], strict=True)
    for at, (day, pets, bound) in enumerate(rows):
        group = {name: column[at] for name, column in values.items()}
        key = (*group.values(),)
        if key not in lines:
            means = {name.removesuffix("_id"): value for name, value in group.items()}
            if "category_id" in group:
                group["category_id"] = labels[group["category_id"]]
            lines[key] = _Line(" ".join(group.values()), means, {})
        count = None if pets is None else StatusCount(int(pets), bound)
        lines[key].counts[day] = count
    return [*lines.values()]


def _describe_trend(
    lines: Sequence[_Line], days: Sequence[date], missing_days: Sequence[date]
) -> str:
    """Describe a trend in one sentence."""
    if not days:
        return "no snapshots"
    ends = [(line.name, [*line.present_counts.values()]) for line in lines]
    parts = [
        f"{name} {counts[0].in_words} to {counts[-1].in_words}" for name, counts in ends if counts
    ]
    description = f"{days[0]} to {days[-1]}: {', '.join(parts)}"
    if missing_days:
        description += f"; {count_text(len(missing_days), 'day')} without a snapshot"
    return description


def _gaps(
    missing_days: Sequence[date], x_of: Mapping[date, float], gap_width: float
) -> Iterator[Markup]:
    """Shade the days without a snapshot."""
    for day in missing_days:
        title = element("title", f"{day}: no snapshot")
        horizontal = {"x": svg.share(x_of[day] - gap_width / 2), "width": svg.share(gap_width)}
        fill = {"fill": style.RULE, "fill_opacity": 0.6}
        yield element("rect", title, y=TOP, height=BOTTOM - TOP, **fill, **horizontal)


def _dates(x_of: Mapping[date, float]) -> Iterator[Markup]:
    """Return labels for the first day, the last day, and as many others as fit."""
    days = list(x_of)
    for position, anchor in svg.spaced_labels(list(x_of.values())).items():
        day = days[position]
        yield _axis_label(f"{day}", at=x_of[day], y=HEIGHT - 8, anchor=anchor)


def _path(line: _Line, color: str, x_of: Mapping[date, float], scale: _Scale) -> Markup:
    """Return the path between exact numbers on neighboring days."""
    path, is_down = "", False
    for day, count in line.counts.items():
        if count is not None and count.is_exact:
            path += f"{'L' if is_down else 'M'}{10 * x_of[day]:.0f} {scale.y(count.count):.0f}"
        is_down = count is not None and count.is_exact
    return element(
        "path",
        d=path,
        fill="none",
        stroke=color,
        stroke_width=1.5,
        vector_effect="non-scaling-stroke",
    )


def _marks(line: _Line, color: str, x_of: Mapping[date, float], scale: _Scale) -> Markup:
    """Return a mark for each number: filled if it is exact, otherwise hollow."""
    circles = []
    for day, count in line.present_counts.items():
        title = element("title", f"{line.name}, {day}: {svg.counted(count)}")
        fill = None if count.is_exact else style.PAPER
        position = {"cx": svg.share(x_of[day]), "cy": round(scale.y(count.count), 1), "r": 3}
        circles.append(element("circle", title, class_="pf-mark", **position, fill=fill))
    stroke = {"fill": color, "stroke": color, "stroke_width": 1.5}
    return element("g", *circles, **stroke, **svg.data(line.means))


def moves_chart(moves: pd.DataFrame) -> svg.Chart:
    """Draw ``history.flow().moves``: pets that were added, sold and removed in the last 26 weeks.

    Weeks with fewer than seven days, such as the current week, are paler.
    """
    needed = ("since", "until", "kind", "was", "now", "pets", "bound")
    checked_frame("moves", moves, needed, "history.flow().moves")
    weeks: list[Any] = list(moves.groupby(["since", "until"]))[-MAX_WEEKS:]
    counts: dict[str, list[StatusCount]] = {name: [] for name in _SERIES}
    columns = []
    has_short_week = False
    for (since, until), moved in weeks:
        days = (until - since).days
        is_short = days < _DAYS_OF_A_WEEK
        has_short_week = has_short_week or is_short
        span = f"{since:%Y-%m-%d} to {until:%Y-%m-%d} ({count_text(days, 'day')})"
        marks = []
        for name, (kinds, color, means) in _SERIES.items():
            is_chosen = moved["kind"].isin(kinds)
            if name == "sold":
                is_chosen &= moved["now"].eq("sold")
            count = _count_moves(moved, moved[is_chosen])
            counts[name].append(count)
            tip = f"{name}, {span}: {svg.counted(count)}"
            marks.append(svg.Mark.of(count, tip, color, means, is_pale=is_short))
        columns.append(_Column(f"{until:%Y-%m-%d}", "", marks))
    totals = {name: svg.added(counts[name]) for name in _SERIES}
    keys = [
        svg.Key(name, color, totals[name], means=means)
        for name, (_, color, means) in _SERIES.items()
    ]
    if has_short_week:
        keys.append(svg.Key("paler: less than a week", None, sign="░"))
    return _columns_chart("new-sold-gone", keys, columns, _describe_moves(weeks, totals))


def _count_moves(week: pd.DataFrame, chosen: pd.DataFrame) -> StatusCount:
    """Sum the pets of selected rows of a week."""
    if chosen.empty:
        return StatusCount(0, "exact" if week["bound"].eq("exact").all() else "at_least")
    pairs = zip(chosen["pets"], chosen["bound"], strict=True)
    return svg.added(StatusCount(int(pets), bound) for pets, bound in pairs)


def _describe_moves(weeks: Sequence[Any], totals: Mapping[str, StatusCount]) -> str:
    """Describe the moves in one sentence."""
    if not weeks:
        return "no two snapshots to compare"
    (first, _), _ = weeks[0]
    (last_since, last), _ = weeks[-1]
    sums = ", ".join(f"{count.in_words} {name}" for name, count in totals.items())
    description = f"{first:%Y-%m-%d} to {last:%Y-%m-%d}: {sums}"
    last_days = (last - last_since).days
    if last_days < _DAYS_OF_A_WEEK:
        description += f"; the last week has {count_text(last_days, 'day')}"
    return description


def ageing_chart(ageing: pd.DataFrame) -> svg.Chart:
    """Draw how many of the available pets have waited for how many days.

    Args:
        ageing: What ``history.flow().ageing`` returns.

    Returns:
        A Chart of one bar per band of days; ages that are minimums are hatched.
    """
    needed = ("days_available", "is_at_least")
    checked_frame("ageing", ageing, needed, "history.flow().ageing")
    waits = ageing["days_available"]
    edges = [*_AGES, np.inf]
    numbers = np.histogram(waits, edges)[0].tolist()
    minimums = np.histogram(waits[ageing["is_at_least"]], edges)[0].tolist()
    # An empty table proves nothing about the store.
    bound: Bound = "at_least" if ageing.empty else ageing["bound"].iloc[0]
    color, means = palette.STATUS_COLORS["available"], {"status": "available"}
    columns, ages = [], []
    for days, number, minimum in zip(_AGES.values(), numbers, minimums, strict=True):
        count = StatusCount(number, bound)
        tip = f"{days} days: {svg.counted(count)}"
        if minimum > 0:
            tip += f", {minimum:,} of them at least"
        mark = svg.Mark(number, tip, color, means, minimum)
        columns.append(_Column(days, str(count), [mark]))
        ages.append(f"{count.in_words} for {days} days")
    description = f"{StatusCount(len(ageing), bound).in_words} pets available: {', '.join(ages)}"
    keys = []
    if any(minimums):
        description += f"; {sum(minimums):,} of them may be older than the snapshots show"
        keys.append(svg.Key("hatched: at least this long", None, sign="▨"))
    return _columns_chart("days-available", keys, columns, description, has_short_names=True)


class _Column(NamedTuple):
    """Bars side by side, with a name below and a text above the first one."""

    name: str
    above: str
    marks: Sequence[svg.Mark]


def _columns_chart(
    name: str,
    keys: Sequence[svg.Key],
    columns: Sequence[_Column],
    description: str,
    *,
    has_short_names: bool = False,
) -> svg.Chart:
    """Return columns on one scale, with as many names below them as fit."""
    scale = _Scale(max((int(mark.size) for column in columns for mark in column.marks), default=0))
    body = [*scale.rules()]
    step = (scale.x(1) - scale.x(0)) / max(len(columns), 1)
    centers = [scale.x(0) + step * (number + 0.5) for number in range(len(columns))]
    for center, column in zip(centers, columns, strict=True):
        body += _bars(column, scale, left=center - 0.36 * step, step=step)
    if has_short_names:
        names = dict.fromkeys(range(len(columns)), "middle")
    else:
        names = svg.spaced_labels(centers)
    for number, anchor in names.items():
        text = columns[number].name
        body.append(_axis_label(text, at=centers[number], y=HEIGHT - 8, anchor=anchor))
    return svg.Chart(name, keys, body, HEIGHT, description)


def _bars(column: _Column, scale: _Scale, *, left: float, step: float) -> Iterator[Markup]:
    width = step * 0.72 / max(len(column.marks), 1)
    for number, mark in enumerate(column.marks):
        y = scale.y(mark.size)
        if mark.size > 0:
            x = left + number * width
            yield svg.bar(mark, x=x, y=y, width=width * 0.92, height=BOTTOM - y)
    if column.above:
        top = scale.y(column.marks[0].size)
        yield svg.label(column.above, at=left + 0.46 * width, y=top - 4, anchor="middle")
