"""Bars: pets by category, what came and went, and how long the available pets have waited."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from petstore_frame.charts import svg
from petstore_frame.counts import Line, Summary, check_table, short, summarize
from petstore_frame.inventory import Inventory, StatusCount
from petstore_frame.markup import Markup, palette
from petstore_frame.schema.categories import Categories

if TYPE_CHECKING:
    import pandas as pd

# Of bars across: pixels down, letters, and shares of the width: a letter of a name, the longest
# name, a count, and the gap between two parts of a bar.
_ROW_HEIGHT, _LABEL_LENGTH = 26, 22
_LETTER, _LONGEST_NAME, _COUNT, _GAP = 2.0, 27.0, 13.0, 0.2
# Of columns: pixels down, and a share of the width.
_TOP, _BOTTOM, _HEIGHT, _RIGHT = 20, 190, 220, 99.0
_PERIODS_SHOWN, _DATES_SHOWN = 26, 6
_AGEING = ("days_available", "is_at_least", "count_is")
_MOVES = ("since", "until", "kind", "was", "now", "pets", "count_is")
_AGES = {0: "0-6", 7: "7-13", 14: "14-29", 30: "30-59", 60: "60-89", 90: "90+"}
# The kinds of moves that a column counts, its colour, and the pets that it stands for. A pet
# "first seen" or "not seen" may have come or gone.
_SERIES: dict[str, tuple[set[str], str, svg.Means]] = {
    "new": ({"new", "first seen"}, palette.NEW_COLOUR, {}),
    "sold": ({"changed"}, palette.STATUS_COLOURS["sold"], {"status": "sold"}),
    "gone": ({"gone", "not seen"}, palette.GONE_COLOUR, {}),
}


class _Row(NamedTuple):
    """Bars with a name: across, the parts of one bar; upright, columns side by side.

    ``words`` stand at the end of the bar, or above the first column; the tooltip ``tip`` is that of
    the name.
    """

    name: str
    parts: Sequence[svg.Mark]
    words: str = ""
    tip: str = ""
    means: svg.Means = svg.NOTHING
    is_rest: bool = False


def status_chart(
    pets: Inventory | pd.DataFrame, *, categories: Categories = None, top: int = 15
) -> svg.Chart:
    """Draw pets by category as bars stacked by status, largest first.

    Args:
        pets: An Inventory, or a frame. Counts that are minimums are hatched and carry a "≥": those
            of a store that may hold more, and all of rows of which that is not known.
        categories: Labels by category id: a dict, a Series or a CSV path.
        top: How many categories get a bar of their own.

    Returns:
        A Chart: a notebook shows it, ``.save("x.svg")`` writes it, ``.html`` is its markup.

    Raises:
        ArgumentError: It is not a table of pets, or ``top`` is not 1 or more.
        InputError: A column is missing, or a category id is not a whole number.

    Example:
        >>> from petstore_frame import Inventory
        >>> from petstore_frame.schema.frame import to_frame
        >>> from petstore_frame.schema.frame import PetColumns
        >>> frame = to_frame(PetColumns([1, 2], ["Luna", "Max"], [3, 3], ["sold", None]))
        >>> status_chart(Inventory.made_up(frame), categories={3: "Cat"})
        <2 pets in 1 category: 0 available, 0 pending, 1 sold, 1 no status>
    """
    return status_figure(summarize(pets, categories=categories), top=top).alone()


def status_figure(counts: Summary, *, top: int = 15, hidden: Collection[str] = ()) -> svg.Figure:
    """Draw counts with a legend; statuses that are ``hidden`` are left out of the bars."""
    shades = palette.status_colours(counts.statuses)
    keys = [
        svg.Key(status, shades[status], count, is_hidden=status in hidden, means={"status": status})
        for status, count in counts.by_status.items()
    ]
    rows = [_status_row(line, hidden, shades) for line in counts.largest(top)]
    numbers = ", ".join(f"{count} {status}" for status, count in counts.by_status.items())
    words = f"{counts.total} pets in {counts.categories_in_words}: {numbers}"
    return _across("pets-by-category", keys, rows, words)


def _status_row(line: Line, hidden: Collection[str], shades: Mapping[str, str]) -> _Row:
    pairs = zip(shades, line.counts, strict=True)
    shown = {status: count for status, count in pairs if status not in hidden}
    parts = [
        svg.Mark.of(
            count,
            f"{line.label}, {status}: {svg.counted(count)}",
            shades[status],
            {} if line.is_rest else {"status": status},
        )
        for status, count in shown.items()
        if count.count
    ]
    # The total of all statuses may be exact where those of single ones are not.
    total = _added([*shown.values()]) if len(shown) < len(line.counts) else line.total
    means: svg.Means = svg.NOTHING if line.is_rest else {"category": line.category_id}
    tip = f"{line.label}, all: {svg.counted(line.total)}"
    return _Row(line.label, parts, short(total), tip, means, line.is_rest)


def moves_figure(moves: pd.DataFrame, *, hidden: Collection[str] = ()) -> svg.Figure:
    """Draw ``history.flow(period=...).moves``: what came, was sold and went in 26 periods.

    Of ``new``, ``sold`` and ``gone`` those that are ``hidden`` are left out.
    """
    check_table(moves, _MOVES, "history.flow().moves")
    moves = moves.assign(is_exact=moves["count_is"] == "exact")
    periods = [*moves.groupby(["since", "until"])][-_PERIODS_SHOWN:]
    counts: dict[str, list[StatusCount]] = {name: [] for name in _SERIES}
    rows = []
    for at, ((since, until), moved) in enumerate(periods):
        columns = []
        for name, (kinds, colour, means) in _SERIES.items():
            chosen = moved[moved["kind"].isin(kinds)]
            if name == "sold":
                chosen = chosen[chosen["now"] == "sold"]
            count = StatusCount(int(chosen["pets"].sum()), bool(moved["is_exact"].all()))
            counts[name].append(count)
            if name not in hidden:
                tip = f"{name}, {since:%Y-%m-%d} to {until:%Y-%m-%d}: {svg.counted(count)}"
                columns.append(svg.Mark.of(count, tip, colour, means))
        is_named = at % max(1, -(-len(periods) // _DATES_SHOWN)) == 0
        rows.append(_Row(f"{until:%Y-%m-%d}" if is_named else "", columns))
    totals = {name: _added(counts[name]) for name in _SERIES}
    words = "no two snapshots to compare"
    if periods:
        (first, _), (_, last) = periods[0][0], periods[-1][0]
        sums = ", ".join(f"{count} {name}" for name, count in totals.items())
        words = f"{first:%Y-%m-%d} to {last:%Y-%m-%d}: {sums}"
    keys = [
        svg.Key(name, colour, totals[name], is_hidden=name in hidden, means=means)
        for name, (_, colour, means) in _SERIES.items()
    ]
    return svg.Figure("new-sold-gone", keys, [*_upright(rows)], _HEIGHT, words)


def ageing_chart(ageing: pd.DataFrame) -> svg.Chart:
    """Draw how many of the available pets have waited for how many days.

    Args:
        ageing: What ``history.flow().ageing`` returns.

    Returns:
        A Chart of one bar per band of days; ages that are minimums are hatched.

    Raises:
        ArgumentError: ``ageing`` is not a DataFrame.
        InputError: A column is missing or has another dtype.
    """
    return ageing_figure(ageing).alone()


def ageing_figure(ageing: pd.DataFrame) -> svg.Figure:
    """Draw the ages of the pets still available."""
    check_table(ageing, _AGEING, "history.flow().ageing", kinds="ib")
    waits = ageing["days_available"]
    days_of = (waits, waits[ageing["is_at_least"]])
    numbers, minimums = (np.histogram(days, [*_AGES, np.inf])[0].tolist() for days in days_of)
    # An empty table proves nothing about the store.
    is_exact = len(ageing) > 0 and bool((ageing["count_is"] == "exact").all())
    rows, ages, keys = [], [], []
    for days, number, minimum in zip(_AGES.values(), numbers, minimums, strict=True):
        count = StatusCount(number, is_exact)
        tip = f"{days} days: {svg.counted(count)}"
        if minimum:
            tip += f", {minimum:,} of them at least"
        means = {"status": "available"}
        column = svg.Mark(number, tip, palette.STATUS_COLOURS["available"], means, minimum)
        rows.append(_Row(f"{days} days", [column], short(count)))
        ages.append(f"{count} for {days} days")
    words = f"{StatusCount(len(ageing), is_exact)} pets available: {', '.join(ages)}"
    if any(minimums):
        words += f"; {sum(minimums):,} of them may be older than the snapshots show"
        keys = [svg.Key("hatched: for so long at least", None, sign="▨")]
    return svg.Figure("days-available", keys, [*_upright(rows)], _HEIGHT, words)


def _across(name: str, keys: Sequence[svg.Key], rows: Sequence[_Row], words: str) -> svg.Figure:
    """Draw bars across; a bar of all others that is longer than the longest category is broken."""
    sizes = [sum(part.size for part in row.parts) for row in rows]
    pairs = zip(rows, sizes, strict=True)
    longest = max((size for row, size in pairs if not row.is_rest), default=0)
    letters = max((min(len(row.name), _LABEL_LENGTH) for row in rows), default=0)
    left = min(_LETTER * (letters + 1), _LONGEST_NAME)
    room, body = 100 - _COUNT - left, []
    for at, (row, size) in enumerate(zip(rows, sizes, strict=True)):
        # The others together may be many times the longest bar, which would flatten all bars.
        is_cut = size > longest > 0
        x, y, scale = left, at * _ROW_HEIGHT, room / (size if is_cut else longest or 1)
        drawn = []
        for part in row.parts:
            wide = part.size * scale
            shown = wide - _GAP if wide > 1 else wide
            drawn.append(svg.bar(part, x=x, y=y + 5, width=shown, height=_ROW_HEIGHT - 8))
            x += wide
        for step in (0.0, 1.2) if is_cut else ():
            title = svg.element("title", "not to scale")
            across = {"x": svg.share(left + room * 0.9 + step), "y": y + 3, "width": 3}
            slash = svg.element("rect", title, fill="#FFFFFF", **across, height=_ROW_HEIGHT - 4)
            drawn.append(slash)
        middle = y + _ROW_HEIGHT / 2 + 5
        title = svg.element("title", row.tip) + palette.shorten(row.name, _LABEL_LENGTH)
        named = svg.label(title, at=0, y=middle, class_="pf-mark")
        end = svg.label(row.words, at=x + 1, y=middle)
        body.append(svg.element("g", named, *drawn, end, **svg.data(row.means)))
    return svg.Figure(name, keys, body, _ROW_HEIGHT * len(rows) + 4, words)


def _upright(rows: Sequence[_Row]) -> Iterator[Markup]:
    """Draw groups of columns on one scale."""
    highest = max((int(column.size) for row in rows for column in row.parts), default=0)
    scale = svg.Scale(highest, top=_TOP, bottom=_BOTTOM)
    yield scale.rules()
    step = (_RIGHT - scale.left) / max(len(rows), 1)
    for at, row in enumerate(rows):
        left, wide = scale.left + step * (at + 0.14), step * 0.72 / max(len(row.parts), 1)
        for place, column in enumerate(row.parts):
            x, top = left + place * wide, scale.y(column.size)
            if column.size:
                yield svg.bar(column, x=x, y=top, width=wide * 0.92, height=_BOTTOM - top)
            if row.words and not place:
                yield svg.label(row.words, at=x + 0.46 * wide, y=top - 4, anchor="middle")
        if row.name:
            middle = left + step * 0.36
            yield svg.axis_label(row.name, at=middle, y=_HEIGHT - 8, anchor="middle")


def _added(counts: Sequence[StatusCount]) -> StatusCount:
    """Return the sum of counts, which is exact where each of them is."""
    return StatusCount(sum(each.count for each in counts), all(each.is_exact for each in counts))
