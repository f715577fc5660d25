"""Counts over time, as lines.

Only exact numbers are joined, and only they set the scale. A minimum is a hollow mark in a strip
below: a line down to it would show a fall that nobody saw. A day without a snapshot is a gap.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.charts import svg
from petstore_frame.counts.pet_table import category_ids
from petstore_frame.errors import InputError
from petstore_frame.html import Markup
from petstore_frame.html.palette import OTHER_HUES, status_colours
from petstore_frame.html.style import PAPER, SHADE
from petstore_frame.inventory import StatusCount
from petstore_frame.schema.categories import Categories, category_name, shown_labels

if TYPE_CHECKING:
    import pandas as pd

LINES_SHOWN = 8
TOP, BOTTOM = 12, 240  # pixels down of the scale's ends
LANE_STEP = 9  # pixels between the hollow marks of two groups
RIGHT = 98.0  # share of the width where the last day lies
DATES_SHOWN = 6
_TREND = ("date", "pets", "count_is")
_NO_GROUP = (*_TREND, "category")  # a label stands beside its id
_MEANT = {"category_id": "category", "status": "status"}


class _Counts(NamedTuple):
    """One line: its name, the pets that it stands for, and its counts, None without a snapshot."""

    name: str
    means: svg.Means
    counts: dict[date, StatusCount | None]

    @property
    def known(self) -> list[StatusCount]:
        return [count for count in self.counts.values() if count]


def trend_chart(trend: pd.DataFrame, *, categories: Categories = None) -> svg.Drawing:
    """Draw counts over time, one line per group.

    Args:
        trend: ``date``, ``pets``, ``count_is``, and the columns that make a group, as
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
) -> svg.Figure:
    """Draw a trend; groups whose names are ``hidden`` keep their place in the legend only."""
    svg.check_table(trend, _TREND, "history.trend()")
    groups = _groups(trend, labels)
    by_size = sorted(groups, key=lambda group: -max((c.count for c in group.known), default=0))
    largest = [group for group in groups if group in by_size[:LINES_SHOWN]]
    names = [group.name for group in largest]
    shades = dict(zip(names, OTHER_HUES, strict=False))
    if "status" in trend.columns:
        shades = status_colours(names)
    plane = _Plane(largest, [group for group in largest if group.name not in hidden])
    words = _in_words(largest, plane)
    if len(groups) > len(largest):
        words += f"; {len(groups) - len(largest)} smaller groups not drawn"
    keys = [
        svg.Key(name, shades[name], sign="●", is_hidden=name in hidden, means=means)
        for name, means, _ in largest
    ]
    if plane.has_minimums:
        scaled = ", not to scale" if plane.has_lane else ""
        keys.append(svg.Key(f"at least so many{scaled}", None, sign="○"))
    return svg.Figure("pets-over-time", keys, [*plane.drawn(shades)], plane.height, words)


def _groups(trend: pd.DataFrame, labels: Mapping[int, str]) -> list[_Counts]:
    """Return the groups with their counts, both in the order of the rows."""
    import pandas as pd

    try:
        days = pd.to_datetime(trend["date"]).dt.date
        counts = trend["pets"].astype("Int64")
    except (AttributeError, TypeError, ValueError) as problem:
        raise InputError(
            f"a date or a number of pets cannot be read: {problem}",
            hint="pass what history.trend() returns",
        ) from None
    columns: dict[str, Sequence[Any]] = {
        name: category_ids(trend[name]) if name == "category_id" else [*trend[name].astype("str")]
        for name in trend.columns
        if name not in _NO_GROUP
    }
    if "category" in trend.columns:
        labels = {**dict(zip(columns["category_id"], trend["category"], strict=True)), **labels}
    groups: dict[tuple[Any, ...], _Counts] = {}
    for at, (day, pets, count_is) in enumerate(zip(days, counts, trend["count_is"], strict=True)):
        values = {name: column[at] for name, column in columns.items()}
        group = groups.setdefault((*values.values(),), _group(values, labels))
        group.counts[day] = None if pd.isna(pets) else StatusCount(int(pets), count_is == "exact")
    return [*groups.values()]


def _group(values: Mapping[str, Any], labels: Mapping[int, str]) -> _Counts:
    """Return the group of these values, without counts."""
    texts = [
        category_name(value, labels) if name == "category_id" else value
        for name, value in values.items()
    ]
    means = {_MEANT[name]: value for name, value in values.items() if name in _MEANT}
    return _Counts(" ".join(texts), means, {})


class _Plane:
    """Where a day and a number lie, and what is drawn there.

    All groups decide the days, and those that are shown the scale.
    """

    def __init__(self, groups: Sequence[_Counts], shown: Sequence[_Counts]) -> None:
        counts = [count for group in shown for count in group.known]
        exact = [count.count for count in counts if count.is_exact]
        self.days = sorted({day for group in groups for day in group.counts})
        self.has_minimums = len(exact) < len(counts)
        # Where nothing is exact, the minimums set the scale.
        self.has_lane = self.has_minimums and bool(exact)
        self.height = BOTTOM + 30
        if self.has_lane:
            self.height += LANE_STEP * len(shown) + 8
        highest = max(exact or [count.count for count in counts], default=0)
        self._scale = svg.Scale(highest, top=TOP, bottom=BOTTOM)
        self._shown = shown
        known = {day for group in groups for day, count in group.counts.items() if count}
        self.lost = [day for day in self.days if day not in known]

    def drawn(self, shades: Mapping[str, str]) -> Iterator[Markup]:
        """Draw the groups in their colours, over the rules and the days without a snapshot."""
        yield self._scale.rules()
        yield from self._gaps()
        yield from self._dates()
        lines = [self._line(group, shades[group.name]) for group in self._shown]
        # x in thousandths of the width, stretched with the page.
        yield svg.element(
            "svg", *lines, viewBox=f"0 0 1000 {self.height}", width="100%", height=self.height,
            preserveAspectRatio="none", pointer_events="none",
        )  # fmt: skip
        for at, group in enumerate(self._shown):
            yield self._marks(group, shades[group.name], BOTTOM + 14 + LANE_STEP * at)

    def _x(self, day: date) -> float:
        """Return the share of the width at which a day lies."""
        left = self._scale.left + 1
        return left + (RIGHT - left) * (day - self.days[0]).days / self._span

    @property
    def _span(self) -> int:
        return max((self.days[-1] - self.days[0]).days, 1)

    def _gaps(self) -> Iterator[Markup]:
        """Shade the days without a snapshot."""
        for day in self.lost:
            wide = (RIGHT - self._scale.left) / self._span
            title = svg.element("title", f"{day}: no snapshot")
            across = {"x": svg.share(self._x(day) - wide / 2), "width": svg.share(wide)}
            yield svg.element("rect", title, y=TOP, height=BOTTOM - TOP, fill=SHADE, **across)

    def _dates(self) -> Iterator[Markup]:
        """Write the first day, the last, and some between them."""
        last = len(self.days) - 1
        parts = min(DATES_SHOWN, last + 1)
        for at in sorted({round(part * last / max(parts - 1, 1)) for part in range(parts)}):
            day = self.days[at]
            anchor = {0: "start", last: "end"}.get(at, "middle") if last else "middle"
            yield svg.axis_label(f"{day}", at=self._x(day), y=self.height - 8, anchor=anchor)

    def _line(self, group: _Counts, colour: str) -> Markup:
        """Join the exact numbers of one group that are on neighbouring days."""
        path, is_down = "", False
        for day, count in group.counts.items():
            if count is not None and count.is_exact:
                x, y = 10 * self._x(day), self._scale.y(count.count)
                path += f"{'L' if is_down else 'M'}{x:.0f} {y:.0f}"
            is_down = count is not None and count.is_exact
        return svg.element("path", d=path, fill="none", stroke=colour, stroke_width=1.5,
                       vector_effect="non-scaling-stroke")  # fmt: skip

    def _marks(self, group: _Counts, colour: str, lane: int) -> Markup:
        """Draw a mark for each day that has a number: full where it is exact, else hollow."""
        drawn = []
        for day, count in group.counts.items():
            if count is None:
                continue
            is_below = self.has_lane and not count.is_exact
            y = lane if is_below else round(self._scale.y(count.count), 1)
            fill = None if count.is_exact else PAPER
            title = svg.element("title", f"{group.name}, {day}: {svg.counted(count)}")
            x = svg.share(self._x(day))
            drawn.append(svg.element("circle", title, class_="pf-mark", cx=x, cy=y, r=3, fill=fill))
        look: svg.Means = {"fill": colour, "stroke": colour, "stroke_width": 1.5}
        return svg.element("g", *drawn, **look, **svg.data(group.means))


def _in_words(groups: Sequence[_Counts], plane: _Plane) -> str:
    if not plane.days:
        return "no snapshots"
    parts = [f"{each.name} {each.known[0]} to {each.known[-1]}" for each in groups if each.known]
    words = f"{plane.days[0]} to {plane.days[-1]}: {', '.join(parts)}"
    if plane.lost:
        days = "1 day" if len(plane.lost) == 1 else f"{len(plane.lost)} days"
        words += f"; {days} without a snapshot"
    return words
