"""The part of the dashboard that shows pets: filters, figures, bars, matrix and table.

It has the static copy, too, that a notebook keeps of them.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace

from petstore_frame.charts.bars import status_figure
from petstore_frame.charts.pet_list import HEAD, pets_table
from petstore_frame.charts.svg import Figure, element
from petstore_frame.counts.summary import CountTable
from petstore_frame.counts.tally import StatusCounts, categories_in_words, per_cent, short
from petstore_frame.dashboard.kit import Kit, Used, chart, draw
from petstore_frame.dashboard.model import SORT_COLUMNS, Selection, ShownPets, StoreModel
from petstore_frame.inventory.completeness_view import completeness_line
from petstore_frame.markup import NOTEBOOK, PAGE, Card, Cell, Markup
from petstore_frame.markup.palette import status_colours, status_word
from petstore_frame.schema.text import minute_text

BARS = 15
SUGGESTIONS = 500  # categories offered while typing; any other is found by its name or id
PICTURE_WIDTH = 720


class Filters:
    """The selection that every drawing on the screen follows; ``changed`` is called after each."""

    def __init__(self, kit: Kit, changed: Callable[[], None], say: Callable[[str], None]) -> None:
        self.selection = Selection()
        self._model: StoreModel | None = None
        self._lock, self._changed, self._say = kit.lock, changed, say
        self._before: list[Selection] = []
        self.view = kit.live(self._used)
        # Sent once for a reading, for it is long.
        self._known, self._list = kit.html(), f"pf-known-{id(self)}"
        self.widget = kit.column("pf-filters", self.view, self._known)

    def take(self, model: StoreModel) -> None:
        """Offer what another reading of the store holds; filters that are set stay."""
        with self._lock:
            self._model = model
            if self.selection.status not in model.pets.statuses:
                self.selection = replace(self.selection, status=None)
            known = [*model.category_options()][:SUGGESTIONS]
            options = (element("option", value=name) for name in known)
            self._known.value = element("datalist", *options, id=self._list)

    def choose(self, selection: Selection) -> None:
        """Show a selection everywhere."""
        with self._lock:
            self.selection = selection
            self._changed()

    def drill(self, selection: Selection) -> None:
        """Go to a selection with a way back."""
        with self._lock:
            if selection != self.selection:
                self._before.append(self.selection)
                self.choose(selection)
                # The mark that was clicked may no longer be there.
                self.view.send({"focus": "[data-way=back]"})

    def picked(self, used: Used) -> None:
        """Follow a click on a mark: to its pets, or to another order of the rows."""
        if used.get("sort") in SORT_COLUMNS:
            self.choose(self.selection.sorted_by(used["sort"]))
            return
        chosen = replace(self.selection, page=1)
        if "status" in used:
            chosen = replace(chosen, status=used["status"] or None)
        if "category" in used:
            number = used["category"]
            chosen = replace(chosen, categories=frozenset({int(number) if number else None}))
        self.drill(chosen)

    def shown(self, shown: ShownPets, model: StoreModel) -> None:
        """Say what is on the screen, and offer to take each filter away."""
        self.selection = now = shown.selection
        words = f"Showing {shown.counts.total} of the {shown.of:,} pets read."
        if not now.is_filtered:
            is_whole = shown.counts.total.is_exact
            words = "Showing all pets." if is_whole else "Showing all pets that could be read."
        self.view.markup = draw(
            "filters",
            statuses={"": "All statuses"}
            | {each: status_word(each) for each in model.pets.statuses},
            now=now,
            list=self._list,
            words=words,
            may_return=bool(self._before),
            filters=[text for text, _ in model.describe(now)],
        )

    def _used(self, used: Used) -> None:
        if self._model is None:
            return
        now, value = replace(self.selection, page=1), used.get("value", "").strip()
        way, _, at = used.get("way", "").partition(":")
        if way == "back":
            with self._lock:
                self.choose(self._before.pop() if self._before else now.cleared())
        elif way == "clear":
            self.choose(now.cleared())
        elif way == "drop":
            self.choose(self._model.describe(now)[int(at)][1])
        elif used.get("filter") == "status":
            self.choose(replace(now, status=value or None))
        elif used.get("filter") == "text":
            self.choose(replace(now, text=value))
        elif value and (found := self._model.find_categories(value)):
            self.choose(replace(now, categories=now.categories | frozenset(found)))
        elif value:
            words = f"Nothing here is called {value!r}."
            self._say(PAGE.warning("No such category", [words]))


class InventoryTab:
    """Figures, bars, matrix and table of one store, under the filters."""

    def __init__(self, kit: Kit, filters: Filters) -> None:
        self.model: StoreModel | None = None
        self.shown: ShownPets | None = None
        self._lock, self._filters = kit.lock, filters
        self._hidden: frozenset[str] = frozenset()
        self.view = kit.live(self._used)
        self.widget = kit.column("pf-inventory", self.view)

    def take(self, model: StoreModel) -> None:
        """Show another reading of the store under the filters that are set."""
        with self._lock:
            self.model = model
            self._filters.take(model)

    def show(self, selection: Selection, *, is_seen: bool) -> None:
        """Draw a selection, where it is seen; every figure on the screen is of the same one."""
        with self._lock:
            if self.model is not None:
                self.shown = self.model.show(selection)
                self._filters.shown(self.shown, self.model)
                if is_seen:
                    self._draw(self.model, self.shown)

    def _draw(self, model: StoreModel, shown: ShownPets) -> None:
        self.view.markup = draw(
            "inventory",
            cards=cards(shown, model.pets.everything),
            shown=shown,
            page=shown.selection.page,
            bars=chart(self._figure(shown)),
            matrix=CountTable(shown.counts, BARS).to_html(PAGE, is_picked=True),
            table=_table(shown),
        )

    def _figure(self, shown: ShownPets) -> Figure:
        return status_figure(shown.counts, top=BARS, hidden=self._hidden)

    def _used(self, used: Used) -> None:
        with self._lock:
            if self.model is None or self.shown is None:
                return
            if "save" in used:
                self.view.download_figure(self._figure(self.shown), used["save"])
            elif "toggle" in used:
                self._hidden ^= {used["toggle"]}
                self._draw(self.model, self.shown)
            elif "page" in used:
                page = int(used.get("value") or used["page"] or 1)
                self._filters.choose(replace(self._filters.selection, page=page))
            else:
                self._filters.picked(used)


def cards(shown: ShownPets, everything: StatusCounts, *, is_copy: bool = False) -> Markup:
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
    return (NOTEBOOK if is_copy else PAGE).cards(drawn)


def _table(shown: ShownPets) -> Markup:
    now, head = shown.selection, list[Cell]()
    for name, column in zip(HEAD, SORT_COLUMNS, strict=True):
        arrow = "" if column != now.sort_by else " ▼" if now.is_descending else " ▲"
        head.append(Cell(element("span", name + arrow, class_="pf-mark"), {"sort": column}))
    return pets_table(
        shown.rows,
        status_colours(shown.counts.statuses),
        caption=f"Pets {shown.place}",
        head=[*head, *shown.further],
        numbers=shown.numbers,
    )


def static_copy(model: StoreModel | None) -> Markup:
    """Return the last numbers as markup that needs no kernel, no network and no trust."""
    if model is None:
        return NOTEBOOK.render("dashboard/copy.html.j2", inventory=None)
    shown = model.show(Selection())
    drawing = status_figure(shown.counts).file(PICTURE_WIDTH).encode()
    return NOTEBOOK.render(
        "dashboard/copy.html.j2",
        inventory=model.inventory,
        as_of=minute_text(model.inventory.fetched_at),
        headline=completeness_line(model.inventory.completeness),
        cards=cards(shown, shown.counts, is_copy=True),
        total=short(shown.counts.total),
        drawing=b64encode(drawing).decode(),
        matrix=CountTable(shown.counts, BARS).to_html(),
    )
