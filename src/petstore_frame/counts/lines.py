"""The lines in which a Summary is shown, and their table as markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from petstore_frame.counts.words import short
from petstore_frame.inventory import StatusCount
from petstore_frame.markup import PAGE, Cell, Markup
from petstore_frame.markup.palette import STATUS_COLOURS, VERDICT_BADGES, shorten, status_word

_NAME_LENGTH = 40
_STRONGEST = 0.45  # of the colour behind a number; with more, the number is hard to read
_SHADE = "{},{},{}".format(*bytes.fromhex(STATUS_COLOURS["available"][1:]))
_NOTHING = (
    f"background:{VERDICT_BADGES['incomplete'].fill};color:{VERDICT_BADGES['incomplete'].ink}"
)


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
    deepest = max((n.count for line in lines if not line.is_rest for n in line.counts), default=0)
    rows = []
    for line in lines:
        place: dict[str, str] = {}
        if is_picked and deepest and not line.is_rest:
            place = {"category": "" if line.category_id is None else str(line.category_id)}
        row = [_cell(shorten(line.label, _NAME_LENGTH), place)]
        for status, count in zip(statuses, line.counts, strict=True):
            data = place and {**place, "status": status}
            if not is_selection and status == "available" and count.is_exact and not count.count:
                row.append(_cell(Markup("none"), data, _NOTHING))
            else:
                row.append(_number(count, data, count.count / deepest if place else 0))
        rows.append([*row, _number(line.total, place)])
    return PAGE.table(
        rows,
        [*head, Cell("Pets")],
        numbers=range(1, len(statuses) + 2),
        caption=caption,
        foot=[Cell("Sum"), *(_number(count, {}) for count in sums.cells)],
        is_named=True,
    )


def _number(count: StatusCount, data: Mapping[str, str], shade: float = 0) -> Cell:
    css = f"background:rgba({_SHADE},{shade * _STRONGEST:.2f})" if shade else ""
    return _cell(Markup(short(count)), data, css)  # a number


def _cell(value: str, data: Mapping[str, str], css: str = "") -> Cell:
    """Return a cell; one with ``data`` holds a mark that a script makes answer."""
    shown = Markup('<span class="pf-mark">{}</span>').format(value) if data else value
    return Cell(shown, data, css)
