"""Columns side by side: what came, was sold and went by period, and how old the pets are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from petstore_frame.charts import svg
from petstore_frame.counts.tally import added, short
from petstore_frame.errors import InputError
from petstore_frame.html import Markup
from petstore_frame.html.palette import GONE_COLOUR, NEW_COLOUR, STATUS_COLOURS
from petstore_frame.inventory import StatusCount

if TYPE_CHECKING:
    import pandas as pd

TOP, BOTTOM, HEIGHT, RIGHT = 20, 190, 220, 99.0  # pixels down; share of the width
PERIODS_SHOWN, DATES_SHOWN = 26, 6
_AGEING = ("days_available", "is_listed", "is_at_least", "count_is")
_MOVES = ("since", "until", "kind", "was", "now", "pets", "count_is")
_AGES = ((0, "0-6"), (7, "7-13"), (14, "14-29"), (30, "30-59"), (60, "60-89"), (90, "90+"))


class _Series(NamedTuple):
    """One of the columns of a period: the kinds of moves that it counts, and its colour.

    A pet "first seen" or "not seen" may have come or gone.
    """

    kinds: set[str]
    colour: str
    means: svg.Means


_SERIES = {
    "new": _Series({"new", "first seen"}, NEW_COLOUR, {}),
    "sold": _Series({"changed"}, STATUS_COLOURS["sold"], {"status": "sold"}),
    "gone": _Series({"gone", "not seen"}, GONE_COLOUR, {}),
}


class _SideBySide(NamedTuple):
    """Columns side by side over a name; ``words`` stand above the first."""

    name: str
    columns: Sequence[svg.Mark]
    words: str = ""


def moves_figure(moves: pd.DataFrame, *, hidden: Collection[str] = ()) -> svg.Figure:
    """Draw ``history.flow(period=...).moves``: what came, was sold and went in 26 periods.

    Of ``new``, ``sold`` and ``gone`` those that are ``hidden`` are left out.
    """
    svg.check_table(moves, _MOVES, "history.flow().moves")
    periods = sorted({*zip(moves["since"], moves["until"], strict=True)})[-PERIODS_SHOWN:]
    counts = {name: _per_period(moves, name, periods) for name in _SERIES}
    names = [name for name in _SERIES if name not in hidden]
    groups = []
    for at, (since, until) in enumerate(periods):
        span = f"{since:%Y-%m-%d} to {until:%Y-%m-%d}"
        is_named = at % max(1, -(-len(periods) // DATES_SHOWN)) == 0
        columns = [_moved(name, counts[name][at], span) for name in names]
        groups.append(_SideBySide(f"{until:%Y-%m-%d}" if is_named else "", columns))
    totals = {name: added(counts[name]) for name in _SERIES}
    words = "no two snapshots to compare"
    if periods:
        moved = ", ".join(f"{count} {name}" for name, count in totals.items())
        words = f"{periods[0][0]:%Y-%m-%d} to {periods[-1][1]:%Y-%m-%d}: {moved}"
    keys = [
        svg.Key(name, each.colour, totals[name], is_hidden=name in hidden, means=each.means)
        for name, each in _SERIES.items()
    ]
    return svg.Figure("new-sold-gone", keys, [*_drawn(groups)], HEIGHT, words)


def ageing_chart(ageing: pd.DataFrame) -> svg.Drawing:
    """Draw how many listed pets have been available for how many days.

    Args:
        ageing: What ``history.flow().ageing`` returns; pets no longer listed are left out.

    Returns:
        A Drawing of one bar per band of days; ages that are minimums are hatched.

    Raises:
        ArgumentError: ``ageing`` is not a DataFrame.
        InputError: A column is missing or has another dtype.
    """
    return ageing_figure(ageing).alone()


def ageing_figure(ageing: pd.DataFrame) -> svg.Figure:
    """Draw the ages of the pets still available."""
    svg.check_table(ageing, _AGEING, "history.flow().ageing")
    typed = _AGEING[:3]
    if [ageing[name].dtype.kind for name in typed] != ["i", "b", "b"]:
        raise InputError(
            f"{', '.join(typed)} are whole numbers and truth values, got "
            f"{', '.join(str(ageing[name].dtype) for name in typed)}",
            hint="pass what history.flow().ageing returns",
        )
    listed = ageing[ageing["is_listed"]]
    numbers = _by_age(listed["days_available"])
    minimums = _by_age(listed.loc[listed["is_at_least"], "days_available"])
    # An empty table proves nothing about the store.
    is_exact = len(ageing) > 0 and bool((ageing["count_is"] == "exact").all())
    groups, ages = [], []
    for (_, days), number, minimum in zip(_AGES, numbers, minimums, strict=True):
        count = StatusCount(number, is_exact)
        tip = f"{days} days: {svg.counted(count)}"
        if minimum:
            tip += f", {minimum:,} of them at least"
        colour = STATUS_COLOURS["available"]
        column = svg.Mark(number, tip, colour, {"status": "available"}, minimum)
        groups.append(_SideBySide(f"{days} days", [column], short(count)))
        ages.append(f"{count} for {days} days")
    words = f"{StatusCount(len(listed), is_exact)} pets available: {', '.join(ages)}"
    keys = []
    if any(minimums):
        words += f"; {sum(minimums):,} of them may be older than the snapshots show"
        keys.append(svg.Key("hatched: for so long at least", None, sign="▨"))
    return svg.Figure("days-available", keys, [*_drawn(groups)], HEIGHT, words)


def _per_period(
    moves: pd.DataFrame, name: str, periods: list[tuple[pd.Timestamp, pd.Timestamp]]
) -> list[StatusCount]:
    """Count one series in each period."""
    chosen = moves[moves["kind"].isin(_SERIES[name].kinds)]
    if name == "sold":
        chosen = chosen[chosen["now"] == "sold"]
    sums = chosen.groupby("until")["pets"].sum()
    exact = moves.assign(is_exact=moves["count_is"] == "exact").groupby("until")["is_exact"].all()
    return [StatusCount(int(sums.get(until, 0)), bool(exact[until])) for _, until in periods]


def _moved(name: str, count: StatusCount, span: str) -> svg.Mark:
    minimum = 0 if count.is_exact else count.count
    tip = f"{name}, {span}: {svg.counted(count)}"
    return svg.Mark(count.count, tip, _SERIES[name].colour, _SERIES[name].means, minimum)


def _by_age(days: pd.Series[int]) -> list[int]:
    """Count in bands of age."""
    bounds, bands = [low for low, _ in _AGES], [0] * len(_AGES)
    for number in days:
        bands[bisect_right(bounds, number) - 1] += 1
    return bands


def _drawn(groups: Sequence[_SideBySide]) -> Iterator[Markup]:
    """Draw groups of columns on one scale."""
    highest = max((int(column.size) for group in groups for column in group.columns), default=0)
    scale = svg.Scale(highest, top=TOP, bottom=BOTTOM)
    yield scale.rules()
    step = (RIGHT - scale.left) / max(len(groups), 1)
    for at, group in enumerate(groups):
        left, wide = scale.left + step * (at + 0.14), step * 0.72 / max(len(group.columns), 1)
        for place, column in enumerate(group.columns):
            x, top = left + place * wide, scale.y(column.size)
            if column.size:
                yield svg.bar(column, x=x, y=top, width=wide * 0.92, height=BOTTOM - top)
            if group.words and not place:
                yield svg.label(group.words, at=x + 0.46 * wide, y=top - 4, anchor="middle")
        if group.name:
            middle = left + step * 0.36
            yield svg.axis_label(group.name, at=middle, y=HEIGHT - 8, anchor="middle")
