"""Pets by category, as bars stacked by status."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from petstore_frame._internal.arguments import whole_number
from petstore_frame.charts.svg import (
    Drawing,
    Figure,
    counted,
    element,
    figure,
    key,
    label,
    mark,
    share,
    svg,
)
from petstore_frame.counts.tally import CategoryCounts, CodedPets, StatusCounts
from petstore_frame.counts.words import categories_in_words, short
from petstore_frame.html import Markup
from petstore_frame.html.palette import shorten, status_colours
from petstore_frame.html.style import INK
from petstore_frame.inventory import Inventory, StatusCount
from petstore_frame.schema.categories import Categories, shown_labels

if TYPE_CHECKING:
    import pandas as pd

ROW_HEIGHT = 26
LABEL_LENGTH = 22
# Shares of the width: of a sign of a label, at most of a label, and of the number at the end.
SIGN_SHARE, MOST_LABEL_SHARE, NUMBER_SHARE = 2.0, 27.0, 13.0
# A part of an Inventory's frame must not be taken for the whole.
PART = "these rows only: some were left out, added or changed after the store was read"


def status_chart(
    pets: Inventory | pd.DataFrame, *, categories: Categories = None, top: int = 15
) -> Drawing:
    """Draw pets by category as bars stacked by status, largest first.

    Args:
        pets: An Inventory, or any part of its frame. Counts that are minimums are hatched and
            carry a "≥"; a part of a frame is drawn as it is, with a note that it is a part.
        categories: Labels by category id: a dict, a Series or a CSV path.
        top: How many categories get a bar of their own.

    Returns:
        A Drawing: a notebook shows it, ``.html`` is the markup for a page of your own.

    Raises:
        ArgumentError: It is not a table of pets, or ``top`` is not 1 or more.
        InputError: A column is missing, or a category id is not a whole number.

    Example:
        >>> from petstore_frame.schema.frame import to_frame
        >>> from petstore_frame.schema.frame import PetColumns
        >>> frame = to_frame(PetColumns([1, 2], ["Luna", "Max"], [3, 3], ["sold", None]))
        >>> status_chart(frame, categories={3: "Cat"})
        <2 pets in 1 category: 0 available, 0 pending, 1 sold, 1 no status>
    """
    top = whole_number("top", top, 1)
    coded = CodedPets.of(pets, shown_labels(categories))
    drawn = status_figure(coded.everything, top=top)
    if not coded.is_changed:
        return drawn.alone()
    noted = drawn.markup + element("div", PART)
    return Figure(noted, f"{drawn.words}; {PART}").alone()


def status_figure(counts: StatusCounts, *, top: int = 15, hidden: Collection[str] = ()) -> Figure:
    """Draw counts with a legend; statuses that are ``hidden`` are left out of the bars."""
    shades = status_colours(counts.statuses)
    keys = [
        key(status, shades[status], number=count, is_hidden=status in hidden, status=status)
        for status, count in counts.by_status.items()
    ]
    picture = bars(counts, top=top, hidden=hidden)
    return figure("pets-by-category", keys, picture, counts_in_words(counts))


def counts_in_words(counts: StatusCounts) -> str:
    """Return in one line what a chart of these counts shows."""
    parts = ", ".join(f"{count} {status}" for status, count in counts.by_status.items())
    return f"{counts.total} pets in {categories_in_words(counts)}: {parts}"


def bars(
    counts: StatusCounts,
    *,
    top: int = 15,
    hidden: Collection[str] = (),
    ink: str = INK,
    width: int | None = None,
) -> Markup:
    """Draw categories as bars stacked by status.

    Args:
        counts: What to draw.
        top: How many categories get a bar of their own; the rest share the last line.
        hidden: Statuses to leave out.
        ink: Colour of the text.
        width: Pixels, for a picture on its own; None fills the place that the page gives.
    """
    lines = counts.largest(top)
    shown = [at for at, status in enumerate(counts.statuses) if status not in hidden]
    longest = max((_pets(line, shown).count for line in lines if not line.is_rest), default=0)
    signs = max((min(len(line.label), LABEL_LENGTH) for line in lines), default=0)
    left = min(SIGN_SHARE * (signs + 1), MOST_LABEL_SHARE)
    shades = status_colours(counts.statuses)
    rows = (
        _row(line, at * ROW_HEIGHT, shown, counts.statuses, longest, left, shades)
        for at, line in enumerate(lines)
    )
    return svg(
        *rows,
        height=ROW_HEIGHT * len(lines) + 4,
        words=counts_in_words(counts),
        width=width or "100%",
        ink=ink,
    )


def _pets(line: CategoryCounts, shown: list[int]) -> StatusCount:
    """Return how many pets of a line are drawn."""
    if len(shown) == len(line.counts):
        return line.total
    held = [line.counts[at] for at in shown]
    return StatusCount(sum(each.count for each in held), all(each.is_exact for each in held))


def _row(
    line: CategoryCounts,
    y: int,
    shown: list[int],
    statuses: tuple[str, ...],
    longest: int,
    left: float,
    shades: Mapping[str, str],
) -> Markup:
    total = _pets(line, shown)
    # The rest together may be many times the longest bar, which would flatten all the others.
    is_broken = total.count > longest > 0
    room = 100 - NUMBER_SHARE - left
    scale = room / (total.count if is_broken else max(longest, 1))
    x, parts = left, []
    for at in shown:
        status, count = statuses[at], line.counts[at]
        if not count.count:
            continue
        wide = count.count * scale
        parts.append(
            mark(
                "rect",
                f"{line.label}, {status}: {counted(count)}",
                hatched=not count.is_exact,
                status=None if line.is_rest else status,
                x=share(x),
                y=y + 5,
                width=share(wide),
                height=ROW_HEIGHT - 8,
                fill=shades[status],
                stroke="var(--jp-layout-color1,#FFFFFF)" if wide > 1 else None,
            )
        )
        x += wide
    if is_broken:
        parts.append(_break(y, left + room * 0.9))
    middle = y + ROW_HEIGHT / 2 + 5
    name = element("title", f"{line.label}, all: {counted(line.total)}")
    return element(
        "g",
        label(
            name + shorten(line.label, LABEL_LENGTH), at=0, y=middle, font_size=13, class_="pf-mark"
        ),
        *parts,
        label(short(total), at=x + 1, y=middle, font_size=13),
        data_category=_category(line),
    )


def _category(line: CategoryCounts) -> str | None:
    """Return the category that a line stands for; empty for none, None for several."""
    if line.is_rest:
        return None
    return "" if line.category_id is None else str(line.category_id)


def _break(y: int, x: float) -> Markup:
    """Two slashes through a bar that is not drawn to scale."""
    return Markup("").join(
        element(
            "rect",
            element("title", "not to scale"),
            x=share(x + step),
            y=y + 3,
            width=3,
            height=ROW_HEIGHT - 4,
            fill="#FFFFFF",
        )
        for step in (0.0, 1.2)
    )
