"""A bar for each category: its pets stacked by status, or the share that was sold."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from petstore_frame._internal.arguments import whole_number
from petstore_frame.charts import svg
from petstore_frame.counts.pet_table import category_ids
from petstore_frame.counts.tally import (
    CategoryCounts,
    CodedPets,
    StatusCounts,
    added,
    categories_in_words,
    short,
)
from petstore_frame.html import Markup
from petstore_frame.html.palette import STATUS_COLOURS, shorten, status_colours
from petstore_frame.inventory import Inventory
from petstore_frame.schema.categories import Categories, category_name, shown_labels

if TYPE_CHECKING:
    import pandas as pd

ROW_HEIGHT, LABEL_LENGTH = 26, 22
# Shares of the width: a letter of a name, the longest name, a count, and a share in words.
_LETTER, _LONGEST_NAME, _COUNT, _RATE = 2.0, 27.0, 13.0, 40.0
_GAP = 0.2  # share of the width between two parts of a bar
_CATEGORIES_SHOWN = 15
_SOLD = ("category_id", "offered", "sold", "sell_through", "count_is")


class _CategoryBar(NamedTuple):
    """A name with a tooltip, its bar, and the words at the end of the bar."""

    name: str
    tip: str
    parts: Sequence[svg.Mark]
    words: str
    means: svg.Means
    is_rest: bool = False

    @property
    def size(self) -> float:
        return sum(part.size for part in self.parts)


def status_chart(
    pets: Inventory | pd.DataFrame, *, categories: Categories = None, top: int = 15
) -> svg.Drawing:
    """Draw pets by category as bars stacked by status, largest first.

    Args:
        pets: An Inventory, or a frame. Counts that are minimums are hatched and carry a "≥": those
            of a store that may hold more, and all of rows of which that is not known.
        categories: Labels by category id: a dict, a Series or a CSV path.
        top: How many categories get a bar of their own.

    Returns:
        A Drawing: a notebook shows it, ``.html`` is the markup for a page of your own.

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
    top = whole_number("top", top, 1)
    coded = CodedPets.of(pets, shown_labels(categories))
    return status_figure(coded.everything, top=top).alone()


def status_figure(
    counts: StatusCounts, *, top: int = 15, hidden: Collection[str] = ()
) -> svg.Figure:
    """Draw counts with a legend; statuses that are ``hidden`` are left out of the bars."""
    shades = status_colours(counts.statuses)
    keys = [
        svg.Key(status, shades[status], count, is_hidden=status in hidden, means={"status": status})
        for status, count in counts.by_status.items()
    ]
    rows = [_row(line, counts.statuses, hidden, shades) for line in counts.largest(top)]
    longest = max((row.size for row in rows if not row.is_rest), default=0)
    numbers = ", ".join(f"{count} {status}" for status, count in counts.by_status.items())
    words = f"{counts.total} pets in {categories_in_words(counts)}: {numbers}"
    body = [*_drawn(rows, longest, _COUNT)]
    return svg.Figure("pets-by-category", keys, body, ROW_HEIGHT * len(rows) + 4, words)


def sell_through_figure(table: pd.DataFrame, labels: Mapping[int, str]) -> svg.Figure:
    """Draw ``history.flow().sell_through``: what share was sold, by category, most first."""
    svg.check_table(table, _SOLD, "history.flow().sell_through")
    largest = table.sort_values("offered", ascending=False, kind="stable").head(_CATEGORIES_SHOWN)
    ids = category_ids(largest["category_id"])
    columns = (largest[name].tolist() for name in _SOLD[1:])
    rows = [_sold_row(labels, *facts) for facts in zip(ids, *columns, strict=True)]
    is_estimate = any(part.minimum for row in rows for part in row.parts)
    keys = [svg.Key("hatched: an estimate", None, sign="▨")] if is_estimate else []
    words = "; ".join(f"{row.name} {row.words} sold" for row in rows) or "no pet was on offer"
    body = [*_drawn(rows, 1, _RATE)]
    return svg.Figure("sell-through", keys, body, ROW_HEIGHT * len(rows) + 4, words)


def _sold_row(
    labels: Mapping[int, str],
    category_id: int | None,
    offered: int,
    sold: int,
    rate: float,
    count_is: str,
) -> _CategoryBar:
    name, about = category_name(category_id, labels), "" if count_is == "exact" else "about "
    words = f"{about}{rate:.0%}: {sold:,} of {offered:,}"
    tip = f"{name}: {words}"
    part = svg.Mark(rate, tip, STATUS_COLOURS["sold"], {}, rate if about else 0)
    return _CategoryBar(name, tip, [part], words, {"category": category_id})


def _row(
    line: CategoryCounts,
    statuses: Sequence[str],
    hidden: Collection[str],
    shades: Mapping[str, str],
) -> _CategoryBar:
    pairs = zip(statuses, line.counts, strict=True)
    shown = {status: count for status, count in pairs if status not in hidden}
    parts = [
        svg.Mark(
            count.count,
            f"{line.label}, {status}: {svg.counted(count)}",
            shades[status],
            {} if line.is_rest else {"status": status},
            0 if count.is_exact else count.count,
        )
        for status, count in shown.items()
        if count.count
    ]
    # The total of all statuses may be exact where those of single ones are not.
    total = added([*shown.values()]) if len(shown) < len(statuses) else line.total
    means: svg.Means = {} if line.is_rest else {"category": line.category_id}
    tip = f"{line.label}, all: {svg.counted(line.total)}"
    return _CategoryBar(line.label, tip, parts, short(total), means, line.is_rest)


def _drawn(rows: Sequence[_CategoryBar], longest: float, room_for_words: float) -> Iterator[Markup]:
    """Draw rows; a row of the others that is longer than the rest is cut through."""
    letters = max((min(len(row.name), LABEL_LENGTH) for row in rows), default=0)
    left = min(_LETTER * (letters + 1), _LONGEST_NAME)
    room = 100 - room_for_words - left
    for at, row in enumerate(rows):
        # The others together may be many times the longest bar, which would flatten all bars.
        is_cut = row.size > longest > 0
        x, y, scale = left, at * ROW_HEIGHT, room / (row.size if is_cut else longest or 1)
        drawn = []
        for part in row.parts:
            wide = part.size * scale
            shown = wide - _GAP if wide > 1 else wide
            drawn.append(svg.bar(part, x=x, y=y + 5, width=shown, height=ROW_HEIGHT - 8))
            x += wide
        if is_cut:
            drawn += [_slash(left + room * 0.9 + step, y) for step in (0.0, 1.2)]
        middle = y + ROW_HEIGHT / 2 + 5
        name = svg.element("title", row.tip) + shorten(row.name, LABEL_LENGTH)
        named = svg.label(name, at=0, y=middle, class_="pf-mark")
        yield svg.element(
            "g", named, *drawn, svg.label(row.words, at=x + 1, y=middle), **svg.data(row.means)
        )


def _slash(x: float, y: int) -> Markup:
    """Draw a slash through a bar that is not drawn to scale."""
    place = {"x": svg.share(x), "y": y + 3, "width": 3, "height": ROW_HEIGHT - 4}
    return svg.element("rect", svg.element("title", "not to scale"), fill="#FFFFFF", **place)
