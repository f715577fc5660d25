"""The lines in which a Summary is shown, and their table as markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from petstore_frame.counts.words import short
from petstore_frame.inventory import StatusCount
from petstore_frame.markup import Cell, Markup, Renderer
from petstore_frame.markup.palette import STATUS_COLOURS, shorten, status_word, verdict_badge

_NAME_LENGTH = 40
_STRONGEST = 0.45  # of the colour behind a number; with more, the number is hard to read
_NO_DATA: Mapping[str, str] = MappingProxyType({})


class Line(NamedTuple):
    """A category as it is shown, or several together (``is_rest``), with its counts by status."""

    label: str
    category_id: int | None
    counts: tuple[StatusCount, ...]
    total: StatusCount
    is_rest: bool = False

    @property
    def cells(self) -> tuple[StatusCount, ...]:
        """The numbers of the line: by status, then the total."""
        return (*self.counts, self.total)


def lines_table(
    place: Renderer,
    statuses: Sequence[str],
    lines: Sequence[Line],
    sums: Line,
    caption: str,
    *,
    is_picked: bool,
    is_selection: bool,
) -> Markup:
    """Return the lines with their sums; ``is_picked`` as of ``Summary.to_html``."""
    head = [Cell("Category")]
    for status in statuses:
        word = shorten(status_word(status), _NAME_LENGTH)
        head.append(_cell(word, {"status": status} if is_picked else {}))
    single = [line for line in lines if not line.is_rest]
    deepest = max((count.count for line in single for count in line.counts), default=0)
    rows = []
    for line in lines:
        here: dict[str, str] = {}
        if is_picked and deepest and not line.is_rest:
            here = {"category": "" if line.category_id is None else str(line.category_id)}
        row = [_cell(shorten(line.label, _NAME_LENGTH), here)]
        for status, count in zip(statuses, line.counts, strict=True):
            if not is_selection and status == "available" and count.is_exact and not count.count:
                row.append(_nothing(here and {**here, "status": status}))
            else:
                shade = count.count / deepest if here else 0
                row.append(_number(count, here and {**here, "status": status}, shade))
        rows.append([*row, _number(line.total, here)])
    return place.table(
        rows,
        [*head, Cell("Pets")],
        numbers=range(1, len(statuses) + 2),
        caption=caption,
        foot=[Cell("Sum"), *map(_number, sums.cells)],
        is_named=True,
    )


def _number(count: StatusCount, data: Mapping[str, str] = _NO_DATA, shade: float = 0) -> Cell:
    red, green, blue = bytes.fromhex(STATUS_COLOURS["available"][1:])
    css = f"background:rgba({red},{green},{blue},{shade * _STRONGEST:.2f})" if shade else ""
    return _cell(Markup(short(count)), data, css)  # a number


def _nothing(data: Mapping[str, str]) -> Cell:
    """Return the mark of a category with nothing available."""
    mark = verdict_badge("incomplete")
    return _cell(Markup("none"), data, f"background:{mark.fill};color:{mark.ink}")


def _cell(value: str, data: Mapping[str, str], css: str = "") -> Cell:
    """Return a cell; one with ``data`` holds a mark that a script makes answer."""
    shown = Markup('<span class="pf-mark">{}</span>').format(value) if data else value
    return Cell(shown, data, css)
