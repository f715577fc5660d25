"""Counts over time, as lines.

Only exact numbers are joined, and only they set the scale. A minimum is a hollow mark in a strip
below: a line down to it would show a fall that nobody saw. A day without a snapshot is a gap.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.charts import svg
from petstore_frame.counts import category_ids, check_table, dated_counts
from petstore_frame.inventory import StatusCount
from petstore_frame.markup import Markup
from petstore_frame.markup.palette import OTHER_HUES, status_colours
from petstore_frame.markup.style import PAPER, SHADE
from petstore_frame.schema.categories import Categories, category_name, shown_labels
from petstore_frame.schema.text import count_text

if TYPE_CHECKING:
    import pandas as pd

LINES_SHOWN = 8
TOP, BOTTOM = 12, 240  # pixels down of the scale's ends
LANE_STEP = 9  # pixels between the hollow marks of two groups
RIGHT = 98.0  # share of the width where the last day lies
DATES_SHOWN = 6
_TREND = ("date", "pets", "count_is")
_MEANT = {"category_id": "category", "status": "status"}


class _Line(NamedTuple):
    """One line: its name, the pets that it stands for, and its counts, None without a snapshot."""

    name: str
    means: svg.Means
    counts: dict[date, StatusCount | None]

    @property
    def known(self) -> list[StatusCount]:
        return [count for count in self.counts.values() if count]


def trend_chart(trend: pd.DataFrame, *, categories: Categories = None) -> svg.Chart:
    """Draw counts over time, one line per group.

    Args:
        trend: ``date``, ``pets``, ``count_is``, and the columns that make a group, as
            ``history.trend()`` returns them. The eight largest groups are drawn.
        categories: Labels by category id: a dict, a Series or a CSV path.

    Returns:
        A Chart: a notebook shows it, ``.save("x.svg")`` writes it, ``.html`` is its markup.

    Raises:
        ArgumentError: ``trend`` is not a DataFrame.
        InputError: A column is missing, or a date or a number cannot be read.
    """
    return trend_figure(trend, shown_labels(categories)).alone()


def trend_figure(
    trend: pd.DataFrame, labels: Mapping[int, str], *, hidden: Collection[str] = ()
) -> svg.Figure:
    """Draw a trend; groups whose names are ``hidden`` keep their place in the legend only."""
    check_table(trend, _TREND, "history.trend()")
    lines = _lines(trend, labels)
    by_size = sorted(lines, key=lambda line: -max((c.count for c in line.known), default=0))
    largest = [line for line in lines if line in by_size[:LINES_SHOWN]]
    names = [line.name for line in largest]
    shades = dict(zip(names, OTHER_HUES, strict=False))
    if "status" in trend.columns:
        shades = status_colours(names)
    plane = _Plane(largest, [line for line in largest if line.name not in hidden])
    words = plane.words(largest)
    if len(lines) > len(largest):
        words += f"; {len(lines) - len(largest)} smaller groups not drawn"
    keys = [
        svg.Key(name, shades[name], sign="●", is_hidden=name in hidden, means=means)
        for name, means, _ in largest
    ]
    if plane.has_minimums:
        scaled = ", not to scale" if plane.has_lane else ""
        keys.append(svg.Key(f"at least so many{scaled}", None, sign="○"))
    return svg.Figure("pets-over-time", keys, [*plane.drawn(shades)], plane.height, words)


def _lines(trend: pd.DataFrame, labels: Mapping[int, str]) -> list[_Line]:
    """Return the groups with their counts, both in the order of the rows."""
    dated = dated_counts(trend)
    columns: dict[str, Sequence[Any]] = {
        name: category_ids(trend[name]) if name == "category_id" else [*trend[name].astype("str")]
        for name in trend.columns
        if name not in (*_TREND, "category")  # a label stands beside its id
    }
    if "category" in trend.columns:
        labels = {**dict(zip(columns["category_id"], trend["category"], strict=True)), **labels}
    lines: dict[tuple[Any, ...], _Line] = {}
    for at, (day, count) in enumerate(dated):
        values = {name: column[at] for name, column in columns.items()}
        if (group := (*values.values(),)) not in lines:
            texts = [
                category_name(value, labels) if name == "category_id" else value
                for name, value in values.items()
            ]
            means = {_MEANT[name]: value for name, value in values.items() if name in _MEANT}
            lines[group] = _Line(" ".join(texts), means, {})
        lines[group].counts[day] = count
    return [*lines.values()]


class _Plane:
    """Where a day and a number lie, and what is drawn there.

    All lines decide the days, and those that are shown the scale.
    """

    def __init__(self, lines: Sequence[_Line], shown: Sequence[_Line]) -> None:
        counts = [count for line in shown for count in line.known]
        exact = [count.count for count in counts if count.is_exact]
        self.days = sorted({day for line in lines for day in line.counts})
        self.has_minimums = len(exact) < len(counts)
        # Where nothing is exact, the minimums set the scale.
        self.has_lane = self.has_minimums and bool(exact)
        self.height = BOTTOM + 30
        if self.has_lane:
            self.height += LANE_STEP * len(shown) + 8
        highest = max(exact or [count.count for count in counts], default=0)
        self._scale = svg.Scale(highest, top=TOP, bottom=BOTTOM)
        self._shown = shown
        known = {day for line in lines for day, count in line.counts.items() if count}
        self._lost = [day for day in self.days if day not in known]
        self._span = max((self.days[-1] - self.days[0]).days, 1) if self.days else 1

    def words(self, lines: Sequence[_Line]) -> str:
        """Return the facts in one sentence."""
        if not self.days:
            return "no snapshots"
        parts = [f"{each.name} {each.known[0]} to {each.known[-1]}" for each in lines if each.known]
        words = f"{self.days[0]} to {self.days[-1]}: {', '.join(parts)}"
        if self._lost:
            words += f"; {count_text(len(self._lost), 'day')} without a snapshot"
        return words

    def drawn(self, shades: Mapping[str, str]) -> Iterator[Markup]:
        """Draw the lines in their colours, over the rules and the days without a snapshot."""
        yield self._scale.rules()
        wide = (RIGHT - self._scale.left) / self._span
        for day in self._lost:
            title = svg.element("title", f"{day}: no snapshot")
            across = {"x": svg.share(self._x(day) - wide / 2), "width": svg.share(wide)}
            yield svg.element("rect", title, y=TOP, height=BOTTOM - TOP, fill=SHADE, **across)
        yield from self._dates()
        # x in thousandths of the width, stretched with the page.
        yield svg.element(
            "svg", *(self._path(line, shades[line.name]) for line in self._shown),
            viewBox=f"0 0 1000 {self.height}", width="100%", height=self.height,
            preserveAspectRatio="none", pointer_events="none",
        )  # fmt: skip
        for at, line in enumerate(self._shown):
            yield self._marks(line, shades[line.name], BOTTOM + 14 + LANE_STEP * at)

    def _x(self, day: date) -> float:
        """Return the share of the width at which a day lies."""
        left = self._scale.left + 1
        return left + (RIGHT - left) * (day - self.days[0]).days / self._span

    def _dates(self) -> Iterator[Markup]:
        """Write the first day, the last, and some between them."""
        last = len(self.days) - 1
        parts = min(DATES_SHOWN, last + 1)
        for at in sorted({round(part * last / max(parts - 1, 1)) for part in range(parts)}):
            day = self.days[at]
            anchor = {0: "start", last: "end"}.get(at, "middle") if last else "middle"
            yield svg.axis_label(f"{day}", at=self._x(day), y=self.height - 8, anchor=anchor)

    def _path(self, line: _Line, colour: str) -> Markup:
        """Join the exact numbers of one line that are on neighbouring days."""
        path, is_down = "", False
        for day, count in line.counts.items():
            if count is not None and count.is_exact:
                x, y = 10 * self._x(day), self._scale.y(count.count)
                path += f"{'L' if is_down else 'M'}{x:.0f} {y:.0f}"
            is_down = count is not None and count.is_exact
        return svg.element("path", d=path, fill="none", stroke=colour, stroke_width=1.5,
                       vector_effect="non-scaling-stroke")  # fmt: skip

    def _marks(self, line: _Line, colour: str, lane: int) -> Markup:
        """Draw a mark for each day that has a number: full where it is exact, else hollow."""
        drawn = []
        for day, count in line.counts.items():
            if count is None:
                continue
            is_below = self.has_lane and not count.is_exact
            y = lane if is_below else round(self._scale.y(count.count), 1)
            fill = None if count.is_exact else PAPER
            title = svg.element("title", f"{line.name}, {day}: {svg.counted(count)}")
            x = svg.share(self._x(day))
            drawn.append(svg.element("circle", title, class_="pf-mark", cx=x, cy=y, r=3, fill=fill))
        look: svg.Means = {"fill": colour, "stroke": colour, "stroke_width": 1.5}
        return svg.element("g", *drawn, **look, **svg.data(line.means))
