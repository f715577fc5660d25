"""Pieces of HTML that look the same wherever a notebook shows a result.

In: texts and a Badge. Out: markup with inline styles, for light and dark pages alike. It is the one
door to ``html``: each text that comes from outside is escaped here. It draws no chart.
"""

from __future__ import annotations

import html
from collections.abc import Collection, Iterable, Sequence

from petstore_frame.schema.palette import Badge

# The page's own ink at part strength, so that it reads on white and on black.
FAINT = "color-mix(in srgb, currentColor 62%, transparent)"
_RULE = "1px solid color-mix(in srgb, currentColor 22%, transparent)"
_CELL = (
    "padding:2px 14px 2px 0;text-align:left;vertical-align:top;background:none;"
    f"border-bottom:{_RULE}"
)
NUMBER = "text-align:right;font-variant-numeric:tabular-nums"
_NUMBERED = ' class="pf-number"'
_TABLE = "border-collapse:collapse;border:none;margin:0;font-size:inherit;color:inherit"


def escape(text: object) -> str:
    """Return a text as markup that shows it to the letter, also within quotes.

    Example:
        >>> escape("Tom & <Jerry>")
        'Tom &amp; &lt;Jerry&gt;'
    """
    return html.escape(str(text))


def isolated(text: object) -> str:
    """Return an escaped text whose writing direction does not affect its neighbours."""
    return f"<bdi>{escape(text)}</bdi>"


def headline(badge: Badge, sentence: str, word: str | None = None) -> str:
    """Return a word in the colours of a badge, and a sentence after it.

    Args:
        badge: How the word looks.
        sentence: What it means here.
        word: Another word than the badge's own.
    """
    style = (
        f"color:{badge.ink};background:{badge.fill};border:1px solid {badge.edge};"
        "border-radius:4px;padding:1px 8px;font-weight:600;white-space:nowrap"
    )
    return (
        f'<div role="status"><span style="{style}">{escape(word or badge.word)}</span> '
        f'<span style="margin-left:4px">{isolated(sentence)}</span></div>'
    )


def quiet_lines(lines: Iterable[str]) -> str:
    """Return lines that stay in the background; empty ones are left out."""
    body = "<br>".join(isolated(line) for line in lines if line)
    return f'<div style="color:{FAINT};margin:2px 0 8px">{body}</div>'


def items(lines: Iterable[str]) -> str:
    """Return a list of texts."""
    body = "".join(f"<li>{isolated(line)}</li>" for line in lines)
    return f'<ul style="margin:2px 0 4px 1.2em;padding:0">{body}</ul>'


def per_cent(part: int, whole: int) -> str:
    """Write a part as a percentage of a whole, or a dash where the whole is 0.

    Example:
        >>> per_cent(1, 3), per_cent(0, 0)
        ('33.3%', '–')
    """
    return f"{part / whole:.1%}" if whole else "–"


def cell(markup: str, look: str = "") -> str:
    """Return a cell of a table.

    Args:
        markup: What it holds, escaped.
        look: More styles.
    """
    return f'<td style="{_CELL};{look}">{markup}</td>'


def row_name(text: object) -> str:
    """Return the cell that names its row."""
    return f'<th scope="row" style="{_CELL};font-weight:400">{isolated(text)}</th>'


def table(
    rows: Iterable[Iterable[str]], head: Sequence[object] = (), *, numbers: Collection[int] = ()
) -> str:
    """Return a table.

    Args:
        rows: The cells of each row, made by ``cell``.
        head: The texts above the columns; none for a table without a head.
        numbers: Places of the columns, from 0, whose head is at the right, above numbers.
    """
    names = "".join(
        f'<th scope="col" style="{_CELL};font-weight:600;{NUMBER if at in numbers else ""}">'
        f"{escape(name)}</th>"
        for at, name in enumerate(head)
    )
    above = f'<thead><tr style="background:none">{names}</tr></thead>' if names else ""
    body = "".join(f'<tr style="background:none">{"".join(row)}</tr>' for row in rows)
    return f'<table style="{_TABLE}">{above}<tbody>{body}</tbody></table>'


def page_table(
    rows: Iterable[Sequence[str]],
    head: Sequence[str],
    *,
    caption: str,
    css_class: str = "",
    numbers: Collection[int] = (),
    foot: Sequence[str] = (),
    is_headed: bool = True,
) -> str:
    """Return a table for a page that has the styles of ``charts.STYLE``.

    Args:
        rows: The cells of each row, as markup; the first names its row.
        head: The cells above the columns, as markup.
        caption: What the table holds, as text.
        css_class: A further class of the table.
        numbers: Places of the columns, from 0, that hold numbers.
        foot: The cells of a last row of sums.
        is_headed: Whether caption and head are visible; a screen reader always reads them.
    """
    hidden = "" if is_headed else ' class="pf-hidden"'
    names = "".join(
        f'<th scope="col"{_NUMBERED if at in numbers else ""}>{name}</th>'
        for at, name in enumerate(head)
    )
    body = "".join(_page_row(cells, numbers) for cells in rows)
    sums = f"<tfoot>{_page_row(foot, numbers)}</tfoot>" if foot else ""
    return (
        f'<table class="pf-table {css_class}"><caption{hidden}>{escape(caption)}</caption>'
        f"<colgroup>{'<col>' * len(head)}</colgroup><thead{hidden}><tr>{names}</tr></thead>"
        f"<tbody>{body}</tbody>{sums}</table>"
    )


def _page_row(cells: Sequence[str], numbers: Collection[int]) -> str:
    name, *others = cells
    drawn = "".join(
        f"<td{_NUMBERED if at in numbers else ''}>{held}</td>"
        for at, held in enumerate(others, start=1)
    )
    return f'<tr><th scope="row">{name}</th>{drawn}</tr>'
