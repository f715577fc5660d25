"""Counts over time as lines.

In: a trend of a History. Out: one SVG, with the same in words for those who cannot see it. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from petstore_frame.charts import colours, spell_status
from petstore_frame.inventory import StatusCount

if TYPE_CHECKING:
    import pandas as pd

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 240, 60, 120, 12, 24
NAME_HEIGHT = 15
Series = Mapping[str, list[StatusCount | None]]


def trend_chart(trend: pd.DataFrame) -> str:
    """Draw counts by day and status as one line a status.

    A day without a snapshot leaves a gap; a count that may be short of the store's has a hollow
    dot.

    Args:
        trend: ``date``, ``status``, ``pets`` (missing where there is no snapshot), ``claim``.
    """
    days = sorted(trend["date"].unique())
    series = _series(trend, days)
    counts = [count for values in series.values() for count in values if count is not None]
    highest = max((count.count for count in counts), default=0) or 1
    shades = colours(list(series))
    lines = [_line(values, highest, shades[status]) for status, values in series.items()]
    has_minimums = any(not count.is_exact for count in counts)
    note = "<p>○ at least so many: that listing is not known to be complete</p>"
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="100%" style="max-width:{WIDTH}px" role="img"'
        f' aria-label="{escape(_words(series, days))}" font-size="12">'
        f"{_axes(days, highest)}{''.join(lines)}{_names(series, highest, shades)}</svg>"
        f"{note if has_minimums else ''}"
    )


def _series(trend: pd.DataFrame, days: list[Any]) -> dict[str, list[StatusCount | None]]:
    """Return the counts of each status by day, None where there is no snapshot."""
    known = trend.dropna(subset=["pets"])
    counts: dict[str, dict[Any, StatusCount]] = {}
    for day, status, pets, claim in zip(
        known["date"], known["status"], known["pets"], known["claim"], strict=True
    ):
        count = StatusCount(int(pets), claim == "exact")
        counts.setdefault(spell_status(status), {})[day] = count
    return {status: [found.get(day) for day in days] for status, found in counts.items()}


def _x(place: int, places: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (place / (places - 1) if places > 1 else 0.5)


def _y(value: float, highest: int) -> float:
    return TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / highest)


def _line(values: list[StatusCount | None], highest: int, colour: str) -> str:
    path, dots, is_down = "", "", False
    for at, count in enumerate(values):
        if count is not None:
            x, y = _x(at, len(values)), _y(count.count, highest)
            path += f"{'L' if is_down else 'M'}{x:.1f} {y:.1f}"
            fill = colour if count.is_exact else "var(--jp-layout-color1,#FFFFFF)"
            dots += (
                f'<circle class="pf-dot" cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{fill}"'
                f' stroke="{colour}" stroke-width="1.5"><title>{count}</title></circle>'
            )
        is_down = count is not None
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>{dots}'


def _names(series: Series, highest: int, shades: Mapping[str, str]) -> str:
    """Name the lines at their ends, lowest first, each above the last where they would meet."""
    last = {
        status: [c.count for c in values if c is not None][-1] for status, values in series.items()
    }
    names, lowest_free = "", float(HEIGHT)
    for status in sorted(last, key=last.__getitem__):
        y = min(_y(last[status], highest) + 4, lowest_free)
        lowest_free = y - NAME_HEIGHT
        names += (
            f'<text x="{WIDTH - RIGHT + 9}" y="{y:.1f}" fill="currentColor">'
            f'<tspan fill="{shades[status]}">■</tspan> {escape(status)}</text>'
        )
    return names


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


def _words(series: Series, days: list[Any]) -> str:
    counts = ", ".join(
        f"{status} {'not known' if values[-1] is None else values[-1]}"
        for status, values in series.items()
    )
    return f"Pets by status from {days[0]:%Y-%m-%d} to {days[-1]:%Y-%m-%d}; at the end {counts}"
