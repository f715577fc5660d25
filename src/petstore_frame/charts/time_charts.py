"""Draws counts over time as lines, and weekly moves and waiting times as columns.

Of lines only exact numbers are joined. A minimum is a hollow mark by itself: a line down to it
would show a fall that nobody saw. A day without a snapshot is a gap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from math import floor, log10
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from petstore_frame.charts import svg
from petstore_frame.inventory import StatusCount
from petstore_frame.pet_table import category_ids
from petstore_frame.rendering import Markup, count_text, palette, style
from petstore_frame.schema import Categories, Labels
from petstore_frame.summary import short

if TYPE_CHECKING:
    import pandas as pd

LINES_SHOWN, PERIODS_SHOWN, DATES_SHOWN = 8, 26, 6
TOP, BOTTOM, HEIGHT = 20, 240, 270  # pixels down of a scale's ends, and of a drawing
RIGHT = 98.0  # share of the width where a scale ends
_AGES = {0: "0-6", 7: "7-13", 14: "14-29", 30: "30-59", 60: "60-89", 90: "90+"}
# The kinds of moves that a column counts, its colour, and the pets that it stands for. A pet
# "first seen" or "not seen" may have come or gone.
_SERIES: dict[str, tuple[set[str], str, svg.Means]] = {
    "new": ({"new", "first seen"}, palette.NEW_COLOUR, {}),
    "sold": ({"changed"}, palette.STATUS_COLOURS["sold"], {"status": "sold"}),
    "gone": ({"gone", "not seen"}, palette.GONE_COLOUR, {}),
}


class _Scale:
    """Numbers from 0, at ``BOTTOM``, up to the highest; shares of the width from left to right."""

    def __init__(self, highest: int) -> None:
        # A step of 1, 2 or 5 times a power of ten that needs at most five rules.
        power: int = 10 ** max(floor(log10(max(highest, 1))) - 1, 0)
        self._step = next(n * power for n in (1, 2, 5, 10, 20, 50) if n * power * 5 >= highest)
        self._highest = max(self._step * -(-highest // self._step), self._step)
        self._left = 1.5 * len(f"{self._highest:,}") + 2.0  # room for the numbers

    def x(self, part: float) -> float:
        """Return the place across of a part, 0 to 1, of the way to the right."""
        return self._left + 1 + (RIGHT - self._left - 1) * part

    def y(self, number: float) -> float:
        """Return the pixels down of a number."""
        return BOTTOM - (BOTTOM - TOP) * number / self._highest

    def rules(self) -> Iterator[Markup]:
        """Draw a line across and its number for each step."""
        for number in range(0, self._highest + 1, self._step):
            y = round(self.y(number), 1)
            yield svg.element(
                "line", x1=svg.share(self._left), x2="100%", y1=y, y2=y, stroke=style.RULE
            )
            yield _axis_label(f"{number:,}", at=self._left - 1, y=y + 4, anchor="end")


def _axis_label(text: str, *, at: float, y: float, anchor: str) -> Markup:
    return svg.label(text, at=at, y=y, anchor=anchor, fill=style.MUTED)


class _Line(NamedTuple):
    """One line: its name, the pets that it stands for, and its counts, None without a snapshot."""

    name: str
    means: svg.Means
    counts: dict[date, StatusCount | None]

    @property
    def known(self) -> dict[date, StatusCount]:
        """The counts of the days that have a snapshot."""
        return {day: count for day, count in self.counts.items() if count is not None}

    @property
    def highest(self) -> int:
        return max((count.count for count in self.known.values()), default=0)


def trend_chart(trend: pd.DataFrame, *, categories: Categories = None) -> svg.Chart:
    """Draw counts over time, one line per group.

    Args:
        trend: ``date``, ``pets``, ``bound``, and the columns that make a group, as
            ``history.trend()`` returns them. The eight largest groups are drawn.
        categories: Labels by category id: a dict, a Series or a CSV path.

    Returns:
        A Chart: a notebook shows it, ``.save("x.svg")`` writes it, ``.html`` is its markup.
    """
    every = _lines(trend, Labels(categories))
    largest = sorted(every, key=lambda line: -line.highest)[:LINES_SHOWN]
    lines = [line for line in every if line in largest]
    names = [line.name for line in lines]
    shades = dict(zip(names, palette.OTHER_HUES, strict=False))
    if "status" in trend.columns:
        shades = palette.status_colours(names)
    keys = [svg.Key(name, shades[name], sign="●", means=means) for name, means, _ in lines]
    counts = [count for line in lines for count in line.known.values()]
    if not all(count.is_exact for count in counts):
        keys.append(svg.Key("at least so many", None, sign="○"))
    scale = _Scale(max((count.count for count in counts), default=0))
    days = sorted({day for line in lines for day in line.counts})
    lost = [day for day in days if all(line.counts.get(day) is None for line in lines)]
    span = max((days[-1] - days[0]).days, 1) if days else 1
    x_of = {day: scale.x((day - days[0]).days / span) for day in days}
    body = [*scale.rules(), *_gaps(lost, x_of, wide=scale.x(1 / span) - scale.x(0))]
    body += _dates(x_of)
    # x in thousandths of the width, stretched with the page.
    body.append(svg.element(
        "svg", *(_path(line, shades[line.name], x_of, scale) for line in lines),
        viewBox=f"0 0 1000 {HEIGHT}", width="100%", height=HEIGHT,
        preserveAspectRatio="none", pointer_events="none",
    ))  # fmt: skip
    body += [_marks(line, shades[line.name], x_of, scale) for line in lines]
    words = _trend_words(lines, days, lost)
    if len(every) > len(lines):
        words += f"; {len(every) - len(lines)} smaller groups not drawn"
    return svg.Chart("pets-over-time", keys, body, HEIGHT, words)


def _lines(trend: pd.DataFrame, labels: Labels) -> list[_Line]:
    """Return the groups with their counts, both in the order of the rows."""
    by = [name for name in trend.columns if name not in ("date", "pets", "bound", "category")]
    values: dict[str, list[Any]] = {
        name: category_ids(trend[name]) if name == "category_id" else trend[name].map(str).tolist()
        for name in by
    }
    if "category" in trend.columns:  # a label stands beside its id
        beside = Labels()
        beside.update(zip(values["category_id"], trend["category"], strict=True))
        beside.update(labels)
        labels = beside
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


def _trend_words(lines: Sequence[_Line], days: Sequence[date], lost: Sequence[date]) -> str:
    """Return the facts of a trend in one sentence."""
    if not days:
        return "no snapshots"
    ends = [(line.name, [*line.known.values()]) for line in lines]
    parts = [f"{name} {counts[0]} to {counts[-1]}" for name, counts in ends if counts]
    words = f"{days[0]} to {days[-1]}: {', '.join(parts)}"
    return f"{words}; {count_text(len(lost), 'day')} without a snapshot" if lost else words


def _gaps(lost: Sequence[date], x_of: Mapping[date, float], wide: float) -> Iterator[Markup]:
    """Shade the days without a snapshot."""
    for day in lost:
        title = svg.element("title", f"{day}: no snapshot")
        across = {"x": svg.share(x_of[day] - wide / 2), "width": svg.share(wide)}
        yield svg.element("rect", title, y=TOP, height=BOTTOM - TOP, fill=style.SHADE, **across)


def _dates(x_of: Mapping[date, float]) -> Iterator[Markup]:
    """Write the first day, the last, and some between them."""
    days = [*x_of]
    last, parts = len(days) - 1, min(DATES_SHOWN, len(days))
    for at in sorted({round(part * last / max(parts - 1, 1)) for part in range(parts)}):
        anchor = {0: "start", last: "end"}.get(at, "middle") if last else "middle"
        yield _axis_label(f"{days[at]}", at=x_of[days[at]], y=HEIGHT - 8, anchor=anchor)


def _path(line: _Line, colour: str, x_of: Mapping[date, float], scale: _Scale) -> Markup:
    """Join the exact numbers of one line that are on neighbouring days."""
    path, is_down = "", False
    for day, count in line.counts.items():
        if count is not None and count.is_exact:
            path += f"{'L' if is_down else 'M'}{10 * x_of[day]:.0f} {scale.y(count.count):.0f}"
        is_down = count is not None and count.is_exact
    return svg.element("path", d=path, fill="none", stroke=colour, stroke_width=1.5,
                       vector_effect="non-scaling-stroke")  # fmt: skip


def _marks(line: _Line, colour: str, x_of: Mapping[date, float], scale: _Scale) -> Markup:
    """Draw a mark for each number: full where it is exact, else hollow."""
    drawn = []
    for day, count in line.known.items():
        title = svg.element("title", f"{line.name}, {day}: {svg.counted(count)}")
        fill = None if count.is_exact else style.PAPER
        place = {"cx": svg.share(x_of[day]), "cy": round(scale.y(count.count), 1), "r": 3}
        drawn.append(svg.element("circle", title, class_="pf-mark", **place, fill=fill))
    look = {"fill": colour, "stroke": colour, "stroke_width": 1.5}
    return svg.element("g", *drawn, **look, **svg.data(line.means))


def moves_chart(moves: pd.DataFrame) -> svg.Chart:
    """Draw ``history.flow().moves``: what came, was sold and went in 26 weeks."""
    periods = [*moves.groupby(["since", "until"])][-PERIODS_SHOWN:]
    counts: dict[str, list[StatusCount]] = {name: [] for name in _SERIES}
    groups = []
    for at, ((since, until), moved) in enumerate(periods):
        is_exact, marks = bool(moved["bound"].eq("exact").all()), []
        for name, (kinds, colour, means) in _SERIES.items():
            is_chosen = moved["kind"].isin(kinds) & (moved["now"].eq("sold") | (name != "sold"))
            number = int(moved.loc[is_chosen, "pets"].sum())
            count = StatusCount(number, "exact" if is_exact else "at_least")
            counts[name].append(count)
            tip = f"{name}, {since:%Y-%m-%d} to {until:%Y-%m-%d}: {svg.counted(count)}"
            marks.append(svg.Mark.of(count, tip, colour, means))
        is_named = at % max(1, -(-len(periods) // DATES_SHOWN)) == 0
        groups.append((f"{until:%Y-%m-%d}" if is_named else "", "", marks))
    totals = {name: svg.added(counts[name]) for name in _SERIES}
    words = "no two snapshots to compare"
    if periods:
        (first, _), (_, last) = periods[0][0], periods[-1][0]
        sums = ", ".join(f"{count} {name}" for name, count in totals.items())
        words = f"{first:%Y-%m-%d} to {last:%Y-%m-%d}: {sums}"
    keys = [
        svg.Key(name, colour, totals[name], means=means)
        for name, (_, colour, means) in _SERIES.items()
    ]
    return _columns("new-sold-gone", keys, groups, words)


def ageing_chart(ageing: pd.DataFrame) -> svg.Chart:
    """Draw how many of the available pets have waited for how many days.

    Args:
        ageing: What ``history.flow().ageing`` returns.

    Returns:
        A Chart of one bar per band of days; ages that are minimums are hatched.
    """
    waits, keys, groups, ages = ageing["days_available"], list[svg.Key](), [], []
    days_of = (waits, waits[ageing["is_at_least"]])
    numbers, minimums = (np.histogram(days, [*_AGES, np.inf])[0].tolist() for days in days_of)
    # An empty table proves nothing about the store.
    is_exact = len(ageing) > 0 and bool((ageing["bound"] == "exact").all())
    colour, means = palette.STATUS_COLOURS["available"], {"status": "available"}
    for days, number, minimum in zip(_AGES.values(), numbers, minimums, strict=True):
        count = StatusCount(number, "exact" if is_exact else "at_least")
        more = f", {minimum:,} of them at least" if minimum else ""
        tip = f"{days} days: {svg.counted(count)}{more}"
        groups.append(
            (f"{days} days", short(count), [svg.Mark(number, tip, colour, means, minimum)])
        )
        ages.append(f"{count} for {days} days")
    total = StatusCount(len(ageing), "exact" if is_exact else "at_least")
    words = f"{total} pets available: {', '.join(ages)}"
    if any(minimums):
        words += f"; {sum(minimums):,} of them may be older than the snapshots show"
        keys = [svg.Key("hatched: for so long at least", None, sign="▨")]
    return _columns("days-available", keys, groups, words)


def _columns(
    name: str,
    keys: Sequence[svg.Key],
    groups: Sequence[tuple[str, str, Sequence[svg.Mark]]],
    words: str,
) -> svg.Chart:
    """Draw groups of columns on one scale: a name below each, and words above its first column."""
    scale = _Scale(max((int(mark.size) for *_, marks in groups for mark in marks), default=0))
    body = [*scale.rules()]
    step = (scale.x(1) - scale.x(0)) / max(len(groups), 1)
    for at, (below, above, marks) in enumerate(groups):
        left = scale.x(0) + step * (at + 0.14)
        wide = step * 0.72 / max(len(marks), 1)
        for place, mark in enumerate(marks):
            x, y = left + place * wide, scale.y(mark.size)
            if mark.size:
                body.append(svg.bar(mark, x=x, y=y, width=wide * 0.92, height=BOTTOM - y))
        if above:
            top = scale.y(marks[0].size)
            body.append(svg.label(above, at=left + 0.46 * wide, y=top - 4, anchor="middle"))
        if below:
            body.append(_axis_label(below, at=left + step * 0.36, y=HEIGHT - 8, anchor="middle"))
    return svg.Chart(name, keys, body, HEIGHT, words)
