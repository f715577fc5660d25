"""Moves per period, ages and sell-through, as bars."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from petstore_frame.charts.bars import LABEL_LENGTH, ROW_HEIGHT
from petstore_frame.charts.svg import (
    HATCH,
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
from petstore_frame.charts.trend import check_table
from petstore_frame.counts.pet_table import category_ids
from petstore_frame.counts.words import short
from petstore_frame.errors import InputError
from petstore_frame.html import Markup
from petstore_frame.html.palette import GONE_COLOUR, NEW_COLOUR, STATUS_COLOURS, shorten
from petstore_frame.html.style import MUTED
from petstore_frame.inventory import StatusCount
from petstore_frame.schema.categories import category_name

if TYPE_CHECKING:
    import pandas as pd

TOP, BOTTOM, HEIGHT = 20, 190, 220  # pixels
RIGHT = 99.0
PERIODS_SHOWN, CATEGORIES_SHOWN = 26, 15
_AGEING = ("days_available", "is_listed", "is_at_least", "claim")
_MOVES = ("since", "until", "kind", "was", "now", "pets", "claim")
_SOLD = ("category_id", "offered", "sold", "sell_through", "claim")
_AGES = ((0, "0-6"), (7, "7-13"), (14, "14-29"), (30, "30-59"), (60, "60-89"), (90, "90+"))
# What is counted of a period's moves. A pet "first seen" or "not seen" may have come or gone.
_SERIES = {
    "new": ({"new", "first seen"}, NEW_COLOUR),
    "sold": ({"changed"}, STATUS_COLOURS["sold"]),
    "gone": ({"gone", "not seen"}, GONE_COLOUR),
}


def moves_figure(moves: pd.DataFrame, *, hidden: Collection[str] = ()) -> Figure:
    """Draw how many pets came, were sold and went, period by period.

    Args:
        moves: What ``history.flow(period=...).moves`` returns; the last 26 periods are drawn.
        hidden: ``new``, ``sold`` or ``gone``, to be left out.
    """
    check_table(moves, _MOVES, "history.flow().moves")
    periods = sorted({*zip(moves["since"], moves["until"], strict=True)})[-PERIODS_SHOWN:]
    names = [name for name in _SERIES if name not in hidden]
    counts = {name: _per_period(moves, name, periods) for name in _SERIES}
    scale = Scale(
        max((count.count for name in names for count in counts[name]), default=0),
        top=TOP,
        bottom=BOTTOM,
    )
    step = (RIGHT - scale.left) / max(len(periods), 1)
    drawn = []
    for at, (since, until) in enumerate(periods):
        left, wide = scale.left + step * (at + 0.14), step * 0.72 / max(len(names), 1)
        span = f"{since:%Y-%m-%d} to {until:%Y-%m-%d}"
        for place, name in enumerate(names):
            tip = f"{name}, {span}: {counted(counts[name][at])}"
            drawn.append(_column(tip, counts[name][at], left + place * wide, wide, name, scale))
        drawn.append(
            label(
                f"{until.day} {until:%b}",
                at=left + step * 0.36,
                y=HEIGHT - 8,
                anchor="middle",
                fill=MUTED,
            )
            if _is_named(at, len(periods))
            else None
        )
    totals = {name: _total(counts[name]) for name in _SERIES}
    words = (
        "no two snapshots to compare"
        if not periods
        else (
            f"{periods[0][0]:%Y-%m-%d} to {periods[-1][1]:%Y-%m-%d}: "
            + ", ".join(f"{count} {name}" for name, count in totals.items())
        )
    )
    keys = [
        key(
            name,
            colour,
            number=totals[name],
            is_hidden=name in hidden,
            status="sold" if name == "sold" else None,
        )
        for name, (_, colour) in _SERIES.items()
    ]
    picture = svg(scale.rules(), *drawn, height=HEIGHT, words=words)
    return figure("new-sold-gone", keys, picture, words)


def _per_period(
    moves: pd.DataFrame, name: str, periods: list[tuple[pd.Timestamp, pd.Timestamp]]
) -> list[StatusCount]:
    """Count one series in each period."""
    chosen = moves[moves["kind"].isin(_SERIES[name][0])]
    if name == "sold":
        chosen = chosen[chosen["now"] == "sold"]
    sums = chosen.groupby("until")["pets"].sum()
    exact = moves.assign(is_exact=moves["claim"] == "exact").groupby("until")["is_exact"].all()
    return [StatusCount(int(sums.get(until, 0)), bool(exact[until])) for _, until in periods]


def _total(counts: list[StatusCount]) -> StatusCount:
    is_exact = all(count.is_exact for count in counts)
    return StatusCount(sum(count.count for count in counts), is_exact)


def _is_named(at: int, periods: int) -> bool:
    """Whether there is room for the date of a period."""
    return at % max(1, -(-periods // 8)) == 0


def _column(
    tip: str, count: StatusCount, x: float, wide: float, name: str, scale: Scale
) -> Markup | None:
    if not count.count:
        return None
    top = scale.y(count.count)
    return mark(
        "rect",
        tip,
        hatched=not count.is_exact,
        status="sold" if name == "sold" else None,
        x=share(x),
        y=f"{top:.1f}",
        width=share(wide * 0.92),
        height=f"{BOTTOM - top:.1f}",
        fill=_SERIES[name][1],
    )


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
    return ageing_figure(ageing).alone()


def ageing_figure(ageing: pd.DataFrame) -> Figure:
    """Draw the ages of the pets still available."""
    check_table(ageing, _AGEING, "history.flow().ageing")
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
    scale = Scale(max(count.count for count in held), top=TOP, bottom=BOTTOM)
    bars = [
        _age_bar(at, name, count, more, scale)
        for at, ((_, name), count, more) in enumerate(zip(_AGES, held, least, strict=True))
    ]
    words = (
        f"{StatusCount(len(listed), is_exact)} pets available: "
        + ", ".join(
            f"{count} for {name} days" for (_, name), count in zip(_AGES, held, strict=True)
        )
        + (f"; {sum(least):,} of them may be older than the snapshots show" if any(least) else "")
    )
    keys = [key("hatched: for so long at least", None, sign="▨")] if any(least) else []
    picture = svg(scale.rules(), *bars, height=HEIGHT, words=words)
    return figure("days-available", keys, picture, words)


def _by_age(days: pd.Series[int]) -> list[int]:
    """Count in bands of age."""
    bounds, bands = [low for low, _ in _AGES], [0] * len(_AGES)
    for number in days:
        bands[bisect_right(bounds, number) - 1] += 1
    return bands


def _age_bar(at: int, name: str, count: StatusCount, least: int, scale: Scale) -> Markup:
    """Draw one band: the ages that are known, and hatched above them those that are minimums."""
    step = (RIGHT - scale.left) / len(_AGES)
    x, wide, top = scale.left + step * (at + 0.15), step * 0.7, scale.y(count.count)
    tip = f"{name} days: {counted(count)}" + (f", {least:,} of them at least" if least else "")
    across: dict[str, Any] = {"x": share(x), "width": share(wide), "y": f"{top:.1f}"}
    shape = mark(
        "rect",
        tip,
        status="available",
        fill=STATUS_COLOURS["available"],
        height=f"{BOTTOM - top:.1f}",
        **across,
    )
    if least:
        height = f"{scale.y(count.count - least) - top:.1f}"
        shape += element("rect", fill=HATCH, pointer_events="none", height=height, **across)
    number = label(short(count), at=x + wide / 2, y=top - 4, anchor="middle")
    days = label(f"{name} days", at=x + wide / 2, y=HEIGHT - 8, anchor="middle", fill=MUTED)
    return shape + number + days


def sell_through_figure(table: pd.DataFrame, labels: Mapping[int, str]) -> Figure:
    """Draw which share of the pets on offer was sold, by category, most offered first.

    Args:
        table: What ``history.flow().sell_through`` returns.
        labels: What categories are called, by id.
    """
    check_table(table, _SOLD, "history.flow().sell_through")
    largest = table.sort_values("offered", ascending=False, kind="stable").head(CATEGORIES_SHOWN)
    ids = category_ids(largest["category_id"])
    columns = (largest[name].tolist() for name in ("offered", "sold", "sell_through", "claim"))
    rows, parts = [], []
    for at, (number, offered, sold, rate, claim) in enumerate(zip(ids, *columns, strict=True)):
        name = category_name(number, labels)
        sign = "" if claim == "exact" else "about "
        words = f"{sign}{rate:.0%}: {sold:,} of {offered:,}"
        parts.append(f"{name} {words} sold")
        rows.append(_rate_bar(at, name, words, rate, claim == "exact", number))
    text = "; ".join(parts) or "no pet was on offer"
    keys = []
    if bool((largest["claim"] != "exact").any()):
        keys.append(key("hatched: an estimate", None, sign="▨"))
    picture = svg(*rows, height=ROW_HEIGHT * len(rows) + 4, words=text)
    return figure("sell-through", keys, picture, text)


def _rate_bar(
    at: int, name: str, words: str, rate: float, is_exact: bool, category_id: int | None
) -> Markup:
    y, left, room = at * ROW_HEIGHT, 24.0, 44.0
    shape: Mapping[str, Any] = {"x": share(left), "y": y + 5, "height": ROW_HEIGHT - 8}
    return element(
        "g",
        label(shorten(name, LABEL_LENGTH), at=0, y=y + ROW_HEIGHT / 2 + 5, font_size=13),
        element("rect", width=share(room), fill="currentColor", fill_opacity=0.08, **shape),
        mark(
            "rect",
            f"{name}: {words}",
            hatched=not is_exact,
            width=share(room * rate),
            fill=STATUS_COLOURS["sold"],
            **shape,
        ),
        label(words, at=left + room + 1.5, y=y + ROW_HEIGHT / 2 + 5, font_size=13),
        data_category="" if category_id is None else category_id,
    )
