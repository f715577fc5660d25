"""The same facts as small SVG and HTML strings.

In: counts, or a few rows as text. Out: markup that any notebook, page or mail can show: no script,
nothing from elsewhere, every text escaped. It makes no widget and sends no request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from petstore_frame._internal.arguments import whole_number
from petstore_frame.counts.pet_table import category_ids, pandas_frame
from petstore_frame.counts.tally import CategoryCounts, CodedPets, StatusCounts, claim_of, is_whole
from petstore_frame.counts.words import categories_in_words, short
from petstore_frame.html.markup import escape, isolated, page_table
from petstore_frame.inventory import Inventory, StatusCount
from petstore_frame.schema.categories import Categories, category_name, shown_labels
from petstore_frame.schema.models import NO_STATUS
from petstore_frame.schema.palette import shorten, status_colours, status_word

if TYPE_CHECKING:
    import pandas as pd

ROW_HEIGHT = 26
# Per cent of the width: of a sign of a label, at most of a label, and of the number at the end.
SIGN_SHARE, MOST_LABEL_SHARE, NUMBER_SHARE = 2.0, 27.0, 13.0
LABEL_LENGTH = 22
LONG_TEXT = 80  # may be cut on the screen, so the whole text is shown as a tooltip
INK = "var(--jp-ui-font-color1,var(--vscode-foreground,currentColor))"
_FAINT = "color-mix(in srgb,currentColor {}%,transparent)"  # on light and dark pages alike
RULE = f"var(--jp-border-color2,var(--vscode-panel-border,{_FAINT.format(20)}))"
SHADE = f"var(--jp-layout-color2,var(--vscode-editorWidget-background,{_FAINT.format(8)}))"
FONT = "var(--jp-ui-font-family,system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif)"

HATCH_ID = "pf-at-least"
# Diagonal lines over a colour: this number is a minimum.
HATCH = (
    f'<defs><pattern id="{HATCH_ID}" width="6" height="6" patternUnits="userSpaceOnUse"'
    ' patternTransform="rotate(45)"><rect width="2" height="6" fill="#FFFFFF"'
    ' fill-opacity="0.55"/></pattern></defs>'
)
# A part of an Inventory's frame must not be taken for the whole.
_PART = "these rows only: some were left out, added or changed after the store was read"
_GAP = ' stroke="var(--jp-layout-color1,#FFFFFF)"'

# The doubled class outweighs Jupyter's own rule, which puts every cell to the right.
STYLE = f"""<style>
.pf-drawing{{color:{INK};font:13px/1.45 {FONT}}}
.pf-drawing svg{{display:block;font-family:inherit}}
.pf-table{{border-collapse:collapse;width:100%;color:{INK};font:13px/1.45 {FONT};margin:0}}
.pf-table caption{{text-align:left;padding:0 0 4px;caption-side:top;color:inherit}}
.pf-table th,.pf-table td{{padding:4px 10px;border-bottom:1px solid {RULE};
 vertical-align:top;background:transparent;overflow-wrap:anywhere;max-width:34em;
 unicode-bidi:isolate}}
.pf-table.pf-table :is(th,td):not(.pf-number){{text-align:left}}
.pf-table thead th{{background:{SHADE};font-weight:600}}
.pf-table .pf-number{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
.pf-table tbody th{{font-weight:400}}
.pf-pets tbody th{{font-family:var(--jp-code-font-family,Menlo,'DejaVu Sans Mono',monospace);
 white-space:nowrap}}
</style>"""


@dataclass(frozen=True)
class Drawing:
    """Markup that a notebook shows, with the same facts as text.

    Attributes:
        html: The markup, complete in itself.
        words: The facts as text, for a reader who does not see the picture.
    """

    html: str
    words: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<{self.words}>"


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
        >>> from petstore_frame.schema.columns import PetColumns
        >>> frame = to_frame(PetColumns([1, 2], ["Luna", "Max"], [3, 3], ["sold", None]))
        >>> status_chart(frame, categories={3: "Cat"})
        <2 pets in 1 category: 0 available, 0 pending, 1 sold, 1 no status>
    """
    top = whole_number("top", top, 1)
    coded = CodedPets.of(pets, shown_labels(categories))
    counts = coded.everything
    note = _PART * coded.is_changed
    body = legend(counts) + bars(counts, top=top) + f"<div>{note}</div>" * coded.is_changed
    words = "; ".join(filter(None, (counts_in_words(counts), note)))
    return Drawing(f'{STYLE}<div class="pf-drawing">{body}</div>', words)


def inventory_table(
    pets: Inventory | pd.DataFrame, *, categories: Categories = None, page: int = 1, rows: int = 50
) -> Drawing:
    """Draw one page of pets as a table, ids exact and every text escaped.

    Args:
        pets: An Inventory, or any part of its frame. The caption has the number of pets, "at
            least" where the store may hold more, or a note that the rows are a part.
        categories: Labels by category id: a dict, a Series or a CSV path.
        page: 1 for the first.
        rows: Pets on a page.

    Raises:
        ArgumentError: It is not a table of pets, or there is no such page.
        InputError: A column is missing, or a category id is not a whole number.
    """
    frame = pandas_frame(pets)
    rows = whole_number("rows", rows, 1)
    page = whole_number("page", page, 1, max(1, -(-len(frame) // rows)))
    first = (page - 1) * rows
    part = frame.iloc[first : first + rows]
    claim, is_changed = claim_of(pets)
    place = place_in_words(first, len(part), StatusCount(len(frame), is_whole(claim)))
    words = "; ".join(filter(None, (place, _PART * is_changed)))
    shades = status_colours(map(spell_status, frame["status"].unique()))
    table = pets_table(pet_rows(part, shown_labels(categories)), shades, caption=words)
    return Drawing(f'{STYLE}<div class="pf-drawing">{table}</div>', words)


def pet_rows(part: pd.DataFrame, labels: Mapping[int, str]) -> list[tuple[str, str, str, str]]:
    """Return a few pets as text: id, name, category, status."""
    columns = [part[name].tolist() for name in ("id", "name", "status")]
    categories = category_ids(part["category_id"])
    return [
        (str(pet_id), str(name), category_name(category_id, labels), spell_status(status))
        for pet_id, name, status, category_id in zip(*columns, categories, strict=True)
    ]


def spell_status(status: object) -> str:
    """Return a status as the store spells it, and ``no status`` for a missing one."""
    return status if isinstance(status, str) else NO_STATUS


def place_in_words(first: int, shown: int, of: StatusCount) -> str:
    """Return which rows of how many are shown: ``1-50 of 312``, ``1-50 of at least 312``."""
    return f"{first + 1:,}–{first + shown:,} of {of}" if shown else f"{of} pets"


def counts_in_words(counts: StatusCounts) -> str:
    """Return in one line what a chart of these counts shows."""
    parts = ", ".join(f"{count} {status}" for status, count in counts.by_status.items())
    return f"{counts.total} pets in {categories_in_words(counts)}: {parts}"


def legend(counts: StatusCounts) -> str:
    """Name the colours, with the count of each status."""
    shades = status_colours(counts.statuses)
    items = "".join(
        f'<span style="display:inline-block;margin-right:16px">'
        f'<span style="color:{shades[status]}" aria-hidden="true">■</span> '
        f"{escape(status_word(status))} {short(count)}</span>"
        for status, count in counts.by_status.items()
    )
    return f'<div style="margin:0 0 4px">{items}</div>'


def bars(
    counts: StatusCounts, *, top: int = 15, ink: str = "currentColor", width: int | None = None
) -> str:
    """Draw categories as bars stacked by status.

    Args:
        counts: What to draw.
        top: How many categories get a bar of their own; the rest share the last line.
        ink: Colour of the text.
        width: Pixels, for a picture on its own; None fills the place that the page gives.
    """
    lines = counts.largest(top)
    single = (line.total.count for line in lines if not line.is_rest)
    longest = max(single, default=0)
    height = ROW_HEIGHT * len(lines) + 4
    shades = status_colours(counts.statuses)
    signs = max((min(len(line.label), LABEL_LENGTH) for line in lines), default=0)
    label_share = min(SIGN_SHARE * (signs + 1), MOST_LABEL_SHARE)
    body = "".join(
        _bar(line, at * ROW_HEIGHT + 2, counts, longest, label_share, shades, ink)
        for at, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width or "100%"}" height="{height}"'
        f' role="img" aria-label="{escape(counts_in_words(counts))}" font-size="13"'
        f" font-family=\"system-ui,'Segoe UI',Roboto,'DejaVu Sans',sans-serif\">"
        f"{HATCH}{body}</svg>"
    )


def _bar(
    line: CategoryCounts,
    y: int,
    counts: StatusCounts,
    longest: int,
    label_share: float,
    shades: Mapping[str, str],
    ink: str,
) -> str:
    total = line.total.count
    # The rest together may be many times the longest bar, which would flatten all the others.
    is_broken = total > longest > 0
    room = 100 - NUMBER_SHARE - label_share
    scale = room / (total if is_broken else max(longest, 1))
    x, parts = label_share, []
    for status, count in zip(counts.statuses, line.counts, strict=True):
        if not count.count:
            continue
        span = count.count * scale
        box = f'x="{x:.2f}%" y="{y + 3}" width="{span:.2f}%" height="{ROW_HEIGHT - 8}"'
        tip = f"<title>{escape(line.label)}, {escape(status)}: {count}</title>"
        gap = _GAP if span > 1 else ""
        parts.append(f'<rect class="pf-bar" {box} fill="{shades[status]}"{gap}>{tip}</rect>')
        if not count.is_exact:
            parts.append(f'<rect {box} fill="url(#{HATCH_ID})" pointer-events="none"/>')
        x += span
    if is_broken:
        parts.append(_break(y, label_share + room * 0.9))
    middle = y + ROW_HEIGHT / 2 + 3.5
    return (
        f'<text x="0" y="{middle}" fill="{ink}">'
        f"<title>{escape(line.label)}</title>{escape(shorten(line.label, LABEL_LENGTH))}</text>"
        f"{''.join(parts)}"
        f'<text x="{x + 1:.2f}%" y="{middle}" fill="{ink}">{short(line.total)}</text>'
    )


def _break(y: int, x: float) -> str:
    """Two slashes through a bar that is not drawn to scale."""
    return "".join(
        f'<rect x="{x + step:.2f}%" y="{y + 1}" width="3" height="{ROW_HEIGHT - 4}"'
        ' fill="#FFFFFF"><title>not to scale</title></rect>'
        for step in (0.0, 1.2)
    )


def pets_table(
    rows: Iterable[Sequence[str]],
    shades: Mapping[str, str],
    *,
    caption: str,
    is_headed: bool = True,
) -> str:
    """Draw pets, given as text, as a table.

    Args:
        rows: id, name, category and status of each pet.
        shades: The colour of each status.
        caption: What the table holds.
        is_headed: Whether the column names are visible; a screen reader always reads them.
    """
    cells = (
        (escape(pet_id), _isolated(name), _isolated(category), _status_cell(status, shades))
        for pet_id, name, category, status in rows
    )
    head = ("ID", "Name", "Category", "Status")
    return page_table(cells, head, caption=caption, css_class="pf-pets", is_headed=is_headed)


def _isolated(text: str) -> str:
    """Return an escaped text whose writing direction does not affect its neighbours."""
    whole = f' title="{escape(text)}"' if len(text) > LONG_TEXT else ""
    return f"<bdi{whole}>{escape(text)}</bdi>"


def _status_cell(status: str, shades: Mapping[str, str]) -> str:
    """Show a status by name and colour."""
    square = f'<span style="color:{shades[status]}" aria-hidden="true">■</span>'
    return f"{square}&nbsp;{isolated(status)}"
