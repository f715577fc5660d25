"""The report as one page that any browser opens, without a script and without the network.

In: Facts. Out: HTML with its styles and drawings inside. It lists the first pets, with their
number; the workbook and the CSV have all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from petstore_frame import __version__
from petstore_frame.charts.drawing import STYLE, pet_rows, pets_table, place_in_words, status_chart
from petstore_frame.counts.words import categories_in_words, short
from petstore_frame.html.markup import escape, isolated, page_table, per_cent
from petstore_frame.inventory import StatusCount
from petstore_frame.report import look
from petstore_frame.report.about_sheet import coverage, grounds
from petstore_frame.report.facts import Facts
from petstore_frame.schema.palette import status_word

LISTED_PETS = 1_000

_PAGE_STYLE = """<style>
:root{color-scheme:light dark;--paper:#FFFFFF;--ink:#1F2933;--quiet:#5F6B7A;--rule:#D5DBE1;
 --band:#F6F8FA;--jp-ui-font-color1:var(--ink);--jp-border-color2:var(--rule);
 --jp-layout-color1:var(--paper);--jp-layout-color2:var(--band)}
@media (prefers-color-scheme:dark){:root{--paper:#16191D;--ink:#E6E9EC;--quiet:#A3ADB8;
 --rule:#3A424B;--band:#20252B}}
body{margin:0;background:var(--paper);color:var(--ink);
 font:15px/1.5 system-ui,'Segoe UI',Roboto,Carlito,'DejaVu Sans',sans-serif}
main{max-width:1000px;margin:0 auto;padding:28px 20px 60px}
h1{font-size:30px;line-height:1.2;margin:0 0 4px}h2{font-size:19px;margin:34px 0 10px}
.quiet{color:var(--quiet);margin:0;overflow-wrap:anywhere}
.claim{margin:16px 0;padding:9px 14px;border-left:5px solid;font-weight:600}
.cards{display:grid;grid-auto-flow:column;grid-auto-columns:minmax(min-content,1fr);gap:8px;
 margin:0;padding:0;list-style:none}
@media (max-width:640px){.cards{grid-auto-flow:row;grid-template-columns:1fr 1fr}
 .cards li:first-child:nth-last-child(odd){grid-column:1/-1}}
.cards li{padding:8px 14px;background:var(--band);border-top:4px solid var(--ink)}
.cards b{display:block;font-size:25px;line-height:1.3;font-variant-numeric:tabular-nums}
.cards span{color:var(--quiet);font-size:13px}
.wide{overflow-x:auto}.pf-table .none{background:#FFF3D6;color:#6B4400;padding:1px 6px}
.pf-table tfoot th,.pf-table tfoot td{font-weight:700;border-top:2px solid var(--ink)}
dl{display:grid;grid-template-columns:minmax(9em,14em) 1fr;gap:4px 16px;margin:0}
dt{color:var(--quiet)}dd{margin:0;overflow-wrap:anywhere}
@media print{main{max-width:none}}
</style>"""


def write_html(facts: Facts, path: Path, *, advance: Callable[[int], None]) -> None:
    """Write the page."""
    path.write_text(page(facts), encoding="utf-8", errors="replace", newline="\n")
    advance(len(facts.frame))


def page(facts: Facts) -> str:
    """Return the whole page as text."""
    parts = [_heading(facts), _cards(facts)]
    if len(facts.frame):
        drawn = status_chart(facts.inventory, categories=facts.labels)
        parts += ["<h2>Pets by category</h2>", drawn.html, _counts_table(facts)]
    parts += [_pets(facts), "<h2>What it covers</h2>", _lines(coverage(facts))]
    parts += ["<h2>How that is known</h2>", _lines(grounds(facts))]
    body = "".join(parts)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Store inventory</title>{STYLE}{_PAGE_STYLE}</head><body><main>{body}"
        f'<p class="quiet" style="margin-top:34px">petstore-frame {escape(__version__)}</p>'
        "</main></body></html>\n"
    )


def _heading(facts: Facts) -> str:
    badge = look.badge_of(facts)
    colours = f"color:{badge.ink};background:{badge.fill};border-color:{badge.edge}"
    return (
        "<h1>Store inventory</h1>"
        f'<p class="quiet">{escape(facts.base_url or "Store: not recorded")}</p>'
        f'<p class="quiet">{escape(look.as_of_words(facts.as_of))}</p>'
        f'<p class="claim" role="status" style="{colours}">{escape(look.claim_words(facts))}</p>'
    )


def _cards(facts: Facts) -> str:
    total = facts.counts.total
    cards = [_card("All pets", total, categories_in_words(facts.counts))]
    for status, count in facts.counts.by_status.items():
        share = per_cent(count.count, total.count)
        words = share if total.is_exact else look.exactness(count)
        cards.append(_card(status_word(status), count, words, facts.colours[status]))
    return f'<ul class="cards">{"".join(cards)}</ul>'


def _card(word: str, count: StatusCount, words: str, colour: str = "") -> str:
    style = f' style="border-color:{colour}"' if colour else ""
    return (
        f"<li{style}><span>{escape(word)}</span><b>{_number(count)}</b>"
        f"<span>{escape(words)}</span></li>"
    )


def _number(count: StatusCount) -> str:
    return short(count).replace(" ", "&nbsp;")


def _counts_table(facts: Facts) -> str:
    counts = facts.counts
    head = ["Category", "All pets", *(escape(status_word(status)) for status in facts.statuses)]
    table = page_table(
        (_counts_row(line.label, line.total, line.counts) for line in counts.largest()),
        head,
        caption=f"{categories_in_words(counts)}, largest first",
        numbers=range(1, len(head)),
        foot=_counts_row("All categories", counts.total, counts.by_status.values()),
    )
    return f'<h2>Status by category</h2><div class="wide">{table}</div>'


def _counts_row(label: str, total: StatusCount, counts: Iterable[StatusCount]) -> list[str]:
    available, *others = counts
    is_none = available == StatusCount(0, is_exact=True)
    first = '<span class="none">none</span>' if is_none else _number(available)
    return [isolated(label), _number(total), first, *map(_number, others)]


def _pets(facts: Facts) -> str:
    listed = facts.frame.head(LISTED_PETS)
    caption = place_in_words(0, len(listed), facts.counts.total)
    if len(listed) < len(facts.frame):
        caption += ", in the order read; the .xlsx and .csv reports have all"
    table = pets_table(pet_rows(listed, facts.labels), facts.colours, caption=caption)
    return f'<h2>Pets</h2><div class="wide">{table}</div>'


def _lines(lines: Iterable[tuple[str, str]]) -> str:
    body = "".join(f"<dt>{escape(word)}</dt><dd>{escape(text)}</dd>" for word, text in lines)
    return f"<dl>{body}</dl>"
