"""Counts over time, as lines that end where the knowledge ends.

Only exact numbers are joined, and only they set the scale. A number that is a minimum is a hollow
mark in a strip of its own below, for a line down to it would show a fall that nobody saw. A day
without a snapshot is a gap.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from petstore_frame.charts.svg import (
    Drawing,
    Figure,
    Scale,
    counted,
    element,
    figure,
    key,
    label,
    mark,
    share,
    svg,
)
from petstore_frame.counts.pet_table import category_ids
from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.html import Markup
from petstore_frame.html.palette import OTHER_HUES, status_colours
from petstore_frame.html.style import MUTED, PAPER, SHADE
from petstore_frame.inventory import StatusCount
from petstore_frame.schema.categories import Categories, category_name, shown_labels

if TYPE_CHECKING:
    import pandas as pd

LINES_SHOWN = 8
TOP, BOTTOM = 12, 240  # pixels down of the scale's ends
LANE_STEP = 9  # pixels between the hollow marks of two groups
RIGHT = 98.0  # share of the width where the last day lies
DATES_SHOWN = 6
_TREND = ("date", "pets", "claim")


@dataclass(frozen=True)
class _Point:
    day: date
    count: StatusCount | None


@dataclass(frozen=True)
class _Group:
    """One line: what it is called, what it stands for, and its points by day."""

    name: str
    meant: Mapping[str, Any]
    points: list[_Point]

    @property
    def highest(self) -> int:
        return max((p.count.count for p in self.points if p.count), default=0)


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
    return trend_figure(trend, shown_labels(categories)).alone()


def trend_figure(
    trend: pd.DataFrame, labels: Mapping[int, str], *, hidden: Collection[str] = ()
) -> Figure:
    """Draw a trend; groups whose names are ``hidden`` keep their place in the legend only."""
    check_table(trend, _TREND, "history.trend()")
    groups = _groups(trend, labels)
    by_size = sorted(groups, key=lambda group: -group.highest)
    largest = [group for group in groups if group in by_size[:LINES_SHOWN]]
    shades = _shades(largest, is_status=[*trend.columns].count("status") == 1)
    shown = [group for group in largest if group.name not in hidden]
    days = sorted({point.day for group in largest for point in group.points})
    plane = _Plane(days, shown)
    drawn = [_line(group, shades[group.name], plane) for group in shown]
    marks = [_marks(group, shades[group.name], at, plane) for at, group in enumerate(shown)]
    words = _in_words(largest, days)
    if len(groups) > len(largest):
        words += f"; {len(groups) - len(largest)} smaller groups not drawn"
    picture = svg(
        plane.scale.rules(),
        *_gaps(largest, plane),
        plane.dates(),
        plane.lines(drawn),
        *marks,
        height=plane.height,
        words=words,
    )
    keys = [
        key(each.name, shades[each.name], sign="●", is_hidden=each.name in hidden, **each.meant)
        for each in largest
    ]
    if plane.has_minimums:
        keys.append(
            key(
                "at least so many, not to scale" if plane.has_lane else "at least so many",
                None,
                sign="○",
            )
        )
    return figure("pets-over-time", keys, picture, words)


def check_table(table: Any, needed: Sequence[str], source: str) -> None:
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


def _groups(trend: pd.DataFrame, labels: Mapping[int, str]) -> list[_Group]:
    """Return the groups with their points, both in the order of the rows."""
    import pandas as pd

    by = [name for name in trend.columns if name not in _TREND]
    meant: list[dict[str, Any]] = [{} for _ in range(len(trend))]
    texts: list[list[str]] = []
    for name in by:
        values: list[Any] = [*trend[name].astype("str")]
        shown = values
        if name == "category_id":
            values = category_ids(trend[name])
            shown = [category_name(number, labels) for number in values]
        texts.append(shown)
        field = {"category_id": "category", "status": "status"}.get(name, "")
        for means, value in zip(meant, values if field else [], strict=False):
            means[field] = "" if value is None else value
    names = [" ".join(row) for row in zip(*texts, strict=True)] or [""] * len(trend)
    try:
        days = pd.to_datetime(trend["date"]).dt.date
        counts = trend["pets"].astype("Int64")
    except (AttributeError, TypeError, ValueError) as problem:
        raise InputError(
            f"a date or a number of pets cannot be read: {problem}",
            hint="pass what history.trend() returns",
        ) from None
    groups: dict[str, _Group] = {}
    for name, means, day, pets, claim in zip(
        names, meant, days, counts, trend["claim"], strict=True
    ):
        count = None if pd.isna(pets) else StatusCount(int(pets), claim == "exact")
        groups.setdefault(name, _Group(name, means, [])).points.append(_Point(day, count))
    return [*groups.values()]


def _shades(groups: Sequence[_Group], *, is_status: bool) -> dict[str, str]:
    names = [group.name for group in groups]
    if is_status:
        return status_colours(names)
    return dict(zip(names, OTHER_HUES, strict=False))


class _Plane:
    """Where a day and a number lie."""

    def __init__(self, days: Sequence[date], groups: Sequence[_Group]) -> None:
        counts = [point.count for group in groups for point in group.points if point.count]
        exact = [count.count for count in counts if count.is_exact]
        self.days = days
        self.has_minimums = len(exact) < len(counts)
        # Where nothing is exact, the minimums are all there is to see.
        self.has_lane = self.has_minimums and bool(exact)
        self.lane = BOTTOM + 14
        lane_height = LANE_STEP * len(groups) + 8 if self.has_lane else 0
        self.height = BOTTOM + lane_height + 30
        highest = max(exact or [count.count for count in counts], default=0)
        self.scale = Scale(highest, top=TOP, bottom=BOTTOM)

    def x(self, day: date) -> float:
        """Return the share of the width at which a day lies."""
        span = max((self.days[-1] - self.days[0]).days, 1)
        left = self.scale.left + 1
        return left + (RIGHT - left) * (day - self.days[0]).days / span

    def dates(self) -> Markup:
        """Write the first day, the last, and some between them."""
        last = len(self.days) - 1
        parts = min(DATES_SHOWN, last + 1)
        chosen = sorted({round(at * last / max(parts - 1, 1)) for at in range(parts)})
        return Markup("").join(
            label(
                _day_text(self.days[at], is_first=at == 0),
                at=self.x(self.days[at]),
                y=self.height - 8,
                anchor=_anchor(at, last),
                fill=MUTED,
            )
            for at in chosen
        )

    def lines(self, paths: Sequence[Markup]) -> Markup:
        """Put lines on the plane: x in thousandths of the width, stretched with the page."""
        return element(
            "svg",
            *paths,
            viewBox=f"0 0 1000 {self.height}",
            width="100%",
            height=self.height,
            preserveAspectRatio="none",
            pointer_events="none",
        )


def _day_text(day: date, *, is_first: bool) -> str:
    return f"{day.day} {day:%b %Y}" if is_first else f"{day.day} {day:%b}"


def _anchor(at: int, last: int) -> str:
    if at == 0 and last > 0:
        return "start"
    return "end" if at == last and last > 0 else "middle"


def _line(group: _Group, colour: str, plane: _Plane) -> Markup:
    """Join the exact numbers of one group, wherever two days in a row have one."""
    path, is_down = [], False
    for point in group.points:
        if point.count is None or not point.count.is_exact:
            is_down = False
            continue
        x, y = 10 * plane.x(point.day), plane.scale.y(point.count.count)
        path.append(f"{'L' if is_down else 'M'}{x:.1f} {y:.1f}")
        is_down = True
    return element(
        "path",
        d="".join(path),
        fill="none",
        stroke=colour,
        stroke_width=1.5,
        vector_effect="non-scaling-stroke",
    )


def _marks(group: _Group, colour: str, at: int, plane: _Plane) -> Markup:
    """Draw a mark for each day that has a number: full where it is exact, else hollow."""
    drawn = []
    for point in group.points:
        if point.count is None:
            continue
        y, fill = plane.scale.y(point.count.count), colour
        if not point.count.is_exact:
            fill = PAPER
            y = plane.lane + LANE_STEP * at if plane.has_lane else y
        tip = f"{group.name}, {point.day}: {counted(point.count)}"
        drawn.append(
            mark(
                "circle",
                tip,
                cx=share(plane.x(point.day)),
                cy=f"{y:.1f}",
                r=3,
                fill=None if fill == colour else fill,
            )
        )
    meant = {f"data_{name}": value for name, value in group.meant.items()}
    return element("g", *drawn, fill=colour, stroke=colour, stroke_width=1.5, **meant)


def _gaps(groups: Sequence[_Group], plane: _Plane) -> list[Markup]:
    """Shade the days of which nothing is known."""
    known = {point.day for group in groups for point in group.points if point.count}
    lost = [day for day in plane.days if day not in known]
    wide = (RIGHT - plane.scale.left) / max((plane.days[-1] - plane.days[0]).days, 1) if lost else 0
    return [
        element(
            "rect",
            element("title", f"{day}: no snapshot"),
            x=share(plane.x(day) - wide / 2),
            y=TOP,
            width=share(wide),
            height=BOTTOM - TOP,
            fill=SHADE,
        )
        for day in lost
    ]


def _in_words(groups: Sequence[_Group], days: Sequence[date]) -> str:
    if not days:
        return "no snapshots"
    parts = []
    for group in groups:
        known = [point.count for point in group.points if point.count]
        if known:
            parts.append(f"{group.name} {known[0]} to {known[-1]}")
    missing = {point.day for group in groups for point in group.points if not point.count}
    days_word = "1 day" if len(missing) == 1 else f"{len(missing)} days"
    gaps = f"; {days_word} without a snapshot" if missing else ""
    return f"{days[0]} to {days[-1]}: {', '.join(parts)}{gaps}"
