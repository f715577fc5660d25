"""The dashboard's pieces of markup: header, key figures, notices."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from petstore_frame.charts.svg import Figure, element
from petstore_frame.counts.tally import StatusCounts, categories_in_words, per_cent, short
from petstore_frame.dashboard.kit import Live
from petstore_frame.dashboard.model import ShownPets
from petstore_frame.errors import PetstoreError
from petstore_frame.html import PAGE, Card, Markup, Renderer
from petstore_frame.html.palette import status_colours, status_word
from petstore_frame.inventory import Inventory
from petstore_frame.inventory.completeness_view import (
    after_badge,
    completeness_badge,
    evidence_lines,
)
from petstore_frame.loader.call import FORM
from petstore_frame.schema.text import minute_text

NOT_READ = "not read yet"
_FILES = ".csv,.tsv,.txt,.gz,.xlsx,.xlsm,.toml"
_MEDIA = {
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".csv": "text/csv",
    ".html": "text/html",
}

progress, success, warning = PAGE.progress, PAGE.success, PAGE.warning


def header(inventory: Inventory | None, base_url: str) -> Markup:
    """Name the store, the time of the data and what they cover."""
    as_of = None if inventory is None else f"Data as of {minute_text(inventory.fetched_at)}"
    return element(
        "div",
        element("h2", "Pet store inventory", class_="pf-title"),
        element("bdi", base_url, class_="pf-faint"),
        element("span", as_of),
        verdict(inventory),
        class_="pf-header",
    )


def verdict(inventory: Inventory | None) -> Markup:
    """Show what was read as a badge, which opens into the evidence by mouse or by key."""
    if inventory is None:
        return PAGE.badge(completeness_badge(None), NOT_READ)
    known = inventory.completeness
    lines = evidence_lines(known)
    summary = element("summary", PAGE.badge(completeness_badge(known)), " ", after_badge(known))
    return element("details", summary, PAGE.items(lines))


def cards(shown: ShownPets, everything: StatusCounts, place: Renderer = PAGE) -> Markup:
    """Draw the key figures: all pets, then each status."""
    counts, is_filtered = shown.counts, shown.selection.is_filtered
    under = f"of {short(everything.total)}" if is_filtered else categories_in_words(counts)
    drawn = [Card("Pets", short(counts.total), under, None, counts.total.is_exact)]
    shades = status_colours(counts.statuses)
    for status, count in counts.by_status.items():
        if is_filtered:
            under = f"of {short(everything.by_status[status])}"
        elif not counts.is_exact:
            under = "exact" if count.is_exact else "at least"
        else:
            under = per_cent(count.count, counts.total.count)
        word = status_word(status)
        drawn.append(Card(word, short(count), under, shades[status], count.is_exact))
    return place.cards(drawn)


def two(*titles_and_parts: str) -> Markup:
    """Put titled parts side by side; they wrap where it is narrow."""
    pairs = zip(titles_and_parts[::2], titles_and_parts[1::2], strict=True)
    return element("div", *(titled(title, part) for title, part in pairs), class_="pf-two")


def titled(title: str, part: str) -> Markup:
    """Put a heading over a part."""
    return element("section", element("h3", title, class_="pf-section"), part)


def chart(figure: Figure) -> Markup:
    """Show a figure with the buttons that save it."""
    saves = []
    for kind in ("svg", "png"):
        what = f"Save {figure.name} as {kind.upper()}"
        saves.append(element("button", kind.upper(), data_save=kind, aria_label=what))
    return figure.with_tools(element("div", *saves, class_="pf-save"))


def row(*children: str) -> Markup:
    """Put controls side by side; they wrap where it is narrow."""
    return element("div", *children, class_="pf-steps")


def step(way: str, text: str, tip: str = "", *, is_off: bool = False) -> Markup:
    """Draw a button; ``way`` is what it does."""
    return element(
        "button", text, class_="jupyter-button", title=tip or None, data_way=way,
        disabled="" if is_off else None,
    )  # fmt: skip


def mark(way: str, text: str) -> Markup:
    """Draw one of many buttons of a table, among which arrow keys walk."""
    return element("span", text, class_="pf-mark pf-way", data_way=way)


def choice(name: str, words: Mapping[str, str], chosen: object, **data: object) -> Markup:
    """Draw a list to choose from, with its name before it."""
    return element("label", name, " ", select(words, chosen, aria_label=name, **data))


def select(words: Mapping[str, str], chosen: object, **data: object) -> Markup:
    """Draw a list to choose from: texts by their values."""
    options = (
        element("option", text, value=value, selected="" if value == str(chosen) else None)
        for value, text in words.items()
    )
    return element("select", *options, **data)


def box(name: str, value: str, hint: str, **data: object) -> Markup:
    """Draw a box to write into, with its name before it."""
    written = element("input", value=value, placeholder=hint, aria_label=name, **data)
    return element("label", name, " ", written)


def file_button(text: str, *, kinds: str = _FILES, **data: object) -> Markup:
    """Draw a button that opens the browser's list of files."""
    chosen = element("input", type="file", accept=kinds, **data)
    return element("label", text, chosen, class_="jupyter-button pf-file")


def sources(what: str, *others: Markup) -> Markup:
    """Draw the ways to give a file: choose, drop, paste, or name its path."""
    path = box("or its path", "", "on the machine that runs this", data_path="", class_="pf-path")
    words = "Drop a file here, or paste a table from a spreadsheet; a saved recipe is taken, too"
    drop = element("textarea", class_="pf-drop", rows=2, placeholder=words, aria_label=words)
    return row(file_button(f"Choose {what}"), path, *others) + drop


def download(live: Live, path: Path) -> None:
    """Have the browser save a file."""
    live.download(path.read_bytes(), path.name, media_of(path.name))


def media_of(name: str) -> str:
    """Return what kind of file a browser takes a name for."""
    return _MEDIA.get(Path(name).suffix, "application/octet-stream")


def send_figure(live: Live, figure: Figure, kind: str) -> None:
    """Put a figure into the downloads, drawn on paper; the page makes a PNG of it itself."""
    live.download(figure.file().encode(), f"{figure.name}.{kind}", "image/svg+xml")


def selection_words(shown: ShownPets) -> str:
    """Return what part of the store is on the screen."""
    if not shown.selection.is_filtered:
        is_whole = shown.counts.total.is_exact
        return "Showing all pets." if is_whole else "Showing all pets that could be read."
    return f"Showing {shown.counts.total} of the {shown.of:,} pets read."


def nothing_to_show(shown: ShownPets) -> Markup:
    """Return why no pet is shown, and what to do."""
    if shown.of:
        return PAGE.empty("No pet matches these filters. Remove one above, or clear them all.")
    return PAGE.empty(
        "The store holds no pets that could be read. Add some under Import, or refresh after "
        "others did."
    )


def failure(title: str, problem: BaseException, after: str = "") -> Markup:
    """Show what went wrong, phrased for a reader of the dashboard, and what still holds."""
    text = problem.phrased_by(FORM) if isinstance(problem, PetstoreError) else str(problem)
    return PAGE.failure(title, [text or "Nothing more is known.", *filter(None, [after])])
