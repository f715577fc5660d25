"""Counts over time as lines.

In: a trend of a History. Out: one SVG, with the same in words for those who cannot see it. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from petstore_frame.charts import colours, spell_status

if TYPE_CHECKING:
    import pandas as pd

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 240, 60, 110, 12, 24


def trend_chart(trend: pd.DataFrame) -> str:
    """Draw counts by day and status as one line a status; a missing day leaves a gap.

    Args:
        trend: ``date``, ``status``, ``pets`` (missing where there is no snapshot), ``claim``.
    """
    days = sorted(trend["date"].unique())
    series = _series(trend, days)
    highest = max((number for values in series.values() for number in values if number), default=1)
    shades = colours(list(series))
    ends: list[float] = []
    lines = [
        _line(status, values, highest, shades[status], ends) for status, values in series.items()
    ]
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="100%" style="max-width:{WIDTH}px" role="img"'
        f' aria-label="{escape(_words(series, days))}" font-size="12">'
        f"{_axes(days, highest)}{''.join(lines)}</svg>"
    )


def _series(trend: pd.DataFrame, days: list[Any]) -> dict[str, list[int | None]]:
    """Return the counts of each status by day, None where there is no snapshot."""
    known = trend.dropna(subset=["pets"])
    counts: dict[str, dict[Any, int]] = {}
    for day, status, pets in zip(known["date"], known["status"], known["pets"], strict=True):
        counts.setdefault(spell_status(status), {})[day] = int(pets)
    return {status: [found.get(day) for day in days] for status, found in counts.items()}


def _x(place: int, places: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (place / (places - 1) if places > 1 else 0.5)


def _y(value: float, highest: int) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / highest)


def _line(
    status: str, values: list[int | None], highest: int, colour: str, ends: list[float]
) -> str:
    known = [
        None if value is None else (_x(at, len(values)), _y(value, highest))
        for at, value in enumerate(values)
    ]
    path, is_down = "", False
    for point in known:
        if point is not None:
            path += f"{'L' if is_down else 'M'}{point[0]:.1f} {point[1]:.1f}"
        is_down = point is not None
    dots = "".join(
        f'<circle class="pf-dot" cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
        for x, y in (point for point in known if point is not None)
    )
    last = next((point for point in reversed(known) if point is not None), None)
    name = ""
    if last is not None:
        y = _free_place(last[1], ends)
        name = (
            f'<text x="{last[0] + 9:.1f}" y="{y + 4:.1f}" fill="currentColor">'
            f"{escape(status)}</text>"
        )
    stroke = f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    return stroke + dots + name


def _free_place(y: float, ends: list[float]) -> float:
    """Move a name up until it lies on no other."""
    while any(abs(y - other) < 14 for other in ends):
        y -= 14
    ends.append(y)
    return y


def _axes(days: list[Any], highest: int) -> str:
    marks = []
    for value in (0, highest // 2, highest):
        y = _y(value, highest)
        marks.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"'
            ' stroke="currentColor" stroke-opacity="0.2"/>'
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="currentColor">'
            f"{value:,}</text>"
        )
    for at in sorted({0, len(days) // 2, len(days) - 1}):
        marks.append(
            f'<text x="{_x(at, len(days)):.1f}" y="{HEIGHT - 6}" text-anchor="middle"'
            f' fill="currentColor">{days[at]:%Y-%m-%d}</text>'
        )
    return "".join(marks)


def _words(series: Mapping[str, list[int | None]], days: list[Any]) -> str:
    counts = ", ".join(
        f"{status} {'not known' if values[-1] is None else f'{values[-1]:,}'}"
        for status, values in series.items()
    )
    return f"Pets by status from {days[0]:%Y-%m-%d} to {days[-1]:%Y-%m-%d}; at the end {counts}"
