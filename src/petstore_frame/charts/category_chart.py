"""Draws pets by category as bars, stacked by status."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from petstore_frame.charts import svg
from petstore_frame.inventory import Inventory, StatusCount
from petstore_frame.rendering import Markup, element, palette, shorten
from petstore_frame.summary import Summary, summarize
from petstore_frame.tables import Categories

if TYPE_CHECKING:
    import pandas as pd

# Row height in pixels, maximum label length in characters, and percentages of the width: a
# character of a label, the longest label, a count, and the gap between two parts of a bar.
_ROW_HEIGHT, _LABEL_LENGTH = 26, 22
_LETTER, _LONGEST_NAME, _COUNT, _GAP = 2.0, 27.0, 13.0, 0.2


class _Bar(NamedTuple):
    """A bar of several parts, with a name on its left and the sum of its parts at its end."""

    name: str
    tip: str
    parts: Sequence[svg.Mark]
    total: StatusCount
    means: svg.Means


def status_chart(
    pets: Inventory | pd.DataFrame | Summary,
    *,
    categories: Categories = None,
    top: int = 15,
) -> svg.Chart:
    """Draw pets by category as bars stacked by status, largest first.

    Args:
        pets: An Inventory, a frame, or a Summary. Counts that are minimums are hatched and have a
            "≥".
        categories: Labels by category id: a dict, a Series or a CSV path.
        top: Number of categories with their own bar; all others share one.

    Returns:
        A Chart: a notebook shows it, ``.save("x.svg")`` writes it, ``.html`` is its markup.

    Raises:
        ArgumentError: ``pets`` is not a table of pets, or ``top`` is less than 1.
        InputError: A column is missing, or a category id is not a whole number.

    Example:
        >>> from petstore_frame import Inventory
        >>> from petstore_frame.schema import PetColumns
        >>> columns = PetColumns([[1, 2], ["Luna", "Max"], [3, 3], ["sold", None]])
        >>> frame = columns.to_frame()
        >>> status_chart(Inventory.from_frame(frame), categories={3: "Cat"})
        <2 pets in 1 category: 0 available, 0 pending, 1 sold, 1 no status>
    """
    counts = pets if isinstance(pets, Summary) else summarize(pets, categories=categories)
    shades = palette.status_colors(counts.statuses)
    keys = [
        svg.Key(status, shades[status], count, means={"status": status})
        for status, count in counts.by_status.items()
    ]
    bars = []
    for line in counts.largest(top):
        tip = f"{line.label}, all: {svg.counted(line.total)}"
        if line.is_rest:  # the sum could be far longer than any bar, so it would shorten all bars
            bars.append(_Bar(line.label, tip, [], line.total, {}))
            continue
        parts = []
        for status, count in zip(counts.statuses, line.counts, strict=True):
            part_tip = f"{line.label}, {status}: {svg.counted(count)}"
            if count.count:
                parts.append(svg.Mark.of(count, part_tip, shades[status], {"status": status}))
        bars.append(_Bar(line.label, tip, parts, line.total, {"category": line.category_id}))
    numbers = ", ".join(f"{count.in_words} {status}" for status, count in counts.by_status.items())
    description = f"{counts.total.in_words} pets in {counts.categories_in_words}: {numbers}"
    height = _ROW_HEIGHT * len(bars) + 4
    return svg.Chart("pets-by-category", keys, _bar_elements(bars), height, description)


def _bar_elements(bars: Sequence[_Bar]) -> list[Markup]:
    """Return horizontal bars."""
    longest = max((bar.total.count for bar in bars if bar.parts), default=0)
    letters = max((min(len(bar.name), _LABEL_LENGTH) for bar in bars), default=0)
    left = min(_LETTER * (letters + 1), _LONGEST_NAME)
    scale, body = (100 - _COUNT - left) / (longest or 1), []
    for at, bar in enumerate(bars):
        x, y, elements = left, at * _ROW_HEIGHT, []
        for part in bar.parts:
            wide = part.size * scale
            visible_width = wide - _GAP if wide > 1 else wide
            elements.append(
                svg.bar(part, x=x, y=y + 5, width=visible_width, height=_ROW_HEIGHT - 8)
            )
            x += wide
        middle = y + _ROW_HEIGHT / 2 + 5
        name = element("title", bar.tip) + shorten(bar.name, _LABEL_LENGTH)
        named = svg.label(name, at=0, y=middle, class_="pf-mark")
        end = svg.label(str(bar.total), at=x + 1, y=middle)
        body.append(element("g", named, *elements, end, **svg.data(bar.means)))
    return body
