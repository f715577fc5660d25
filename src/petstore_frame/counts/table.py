"""How counts and shares read where there is little room, and the table of counts as markup."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from petstore_frame.inventory import StatusCount
from petstore_frame.markup import PAGE, Cell, Markup
from petstore_frame.markup.palette import STATUS_COLOURS, VERDICT_BADGES, shorten, status_word

_SIGNS = {"exact": "", "at least": "≥ ", "about": "≈ "}
_NAME_LENGTH = 40
_STRONGEST = 0.45  # of the colour behind a number; with more, the number is hard to read
_SHADE = "{},{},{}".format(*bytes.fromhex(STATUS_COLOURS["available"][1:]))
_BADGE = VERDICT_BADGES["incomplete"]
_NOTHING = f"background:{_BADGE.fill};color:{_BADGE.ink}"


class Line(NamedTuple):
    """A category as it is shown, or several together (``is_rest``): counts by status, and all."""

    label: str
    category_id: int | None
    counts: tuple[StatusCount, ...]
    total: StatusCount
    is_rest: bool = False

    @property
    def cells(self) -> tuple[StatusCount, ...]:
        """The numbers of the line: by status, then the total."""
        return (*self.counts, self.total)


def counts_table(
    statuses: Sequence[str],
    lines: Sequence[Line],
    sums: Line,
    caption: str,
    *,
    is_picked: bool,
    is_selection: bool,
) -> Markup:
    """Return the lines with their sums; ``is_picked`` as of ``Summary.to_html``."""
    deepest = max((n.count for line in lines if not line.is_rest for n in line.counts), default=0)
    head = [Cell("Category")]
    for status in statuses:
        word = shorten(status_word(status), _NAME_LENGTH)
        head.append(_cell(word, {"status": status} if is_picked else {}))
    rows = []
    for line in lines:
        place = {}
        if is_picked and deepest and not line.is_rest:
            place = {"category": "" if line.category_id is None else str(line.category_id)}
        row = [_cell(shorten(line.label, _NAME_LENGTH), place)]
        for status, count in zip(statuses, line.counts, strict=True):
            shown, css = short(count), ""
            if not is_selection and status == "available" and shown == "0":
                shown, css = "none", _NOTHING
            elif place and count.count:
                css = f"background:rgba({_SHADE},{count.count / deepest * _STRONGEST:.2f})"
            row.append(_cell(Markup(shown), place and {**place, "status": status}, css))
        rows.append([*row, _cell(Markup(short(line.total)), place)])
    return PAGE.table(
        rows,
        [*head, Cell("Pets")],
        numbers=range(1, len(statuses) + 2),
        caption=caption,
        foot=["Sum", *(Markup(short(count)) for count in sums.cells)],
        is_named=True,
    )


def _cell(value: str, data: Mapping[str, str], css: str = "") -> Cell:
    """Return a cell; one with ``data`` holds a mark that a script makes answer."""
    shown = Markup('<span class="pf-mark">{}</span>').format(value) if data else value
    return Cell(shown, data, css)


def short(count: StatusCount) -> str:
    """Write a count where there is little room: ``100``, ``≥ 100`` at least, ``≈ 100`` about."""
    return f"{_SIGNS[count.kind]}{count.count:,}"


def shares(parts: Sequence[int]) -> list[float]:
    """Return the share of each part in their sum, in steps of 0.001 that add up to 1.

    Rounded each by itself, three thirds would read as 99.9 %. So all are rounded down, and what
    is missing then goes to those that lost most. Of a part too small for a step it is the share.

    Example:
        >>> shares([1, 1, 1]), shares([0, 0])
        ([0.334, 0.333, 0.333], [0.0, 0.0])
    """
    whole = sum(parts)
    if not whole:
        return [0.0] * len(parts)
    steps = [part * 1000 // whole for part in parts]
    by_loss = sorted(range(len(parts)), key=lambda at: -(parts[at] * 1000 % whole))
    for at in by_loss[: 1000 - sum(steps)]:
        steps[at] += 1
    return [step / 1000 or part / whole for step, part in zip(steps, parts, strict=True)]


def share_text(share: float) -> str:
    """Return a share as text, a dash for nothing, and never ``0.0%`` for something.

    Example:
        >>> [share_text(share) for share in shares([1, 5000, 0])]
        ['< 0.1%', '100.0%', '–']
    """
    if 0 < share < 0.001:
        return "< 0.1%"
    return f"{share:.1%}" if share else "–"
