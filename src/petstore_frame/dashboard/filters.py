"""What the user has chosen to see, for the whole dashboard: filters, chips and the way back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from petstore_frame.charts.svg import element
from petstore_frame.dashboard import parts
from petstore_frame.dashboard.kit import Kit, Used
from petstore_frame.dashboard.model import SORT_COLUMNS, Selection, ShownPets, StoreModel
from petstore_frame.html import Markup
from petstore_frame.html.palette import status_word

if TYPE_CHECKING:
    from threading import RLock

ALL_STATUSES = "All statuses"
SUGGESTIONS = 500  # categories offered while typing; any other is found by its name or id


class Filters:
    """The selection that every drawing on the screen follows; ``changed`` is called after each."""

    def __init__(
        self, kit: Kit, lock: RLock, changed: Callable[[], None], say: Callable[[str], None]
    ) -> None:
        self.selection = Selection()
        self._model: StoreModel | None = None
        self._lock, self._changed, self._say = lock, changed, say
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
                self.view.focus("[data-way=back]")

    def picked(self, used: Used) -> None:
        """Follow a click on a mark: to its pets, or to another order of the rows."""
        if "sort" in used and used["sort"] in SORT_COLUMNS:
            self.choose(self.selection.sorted_by(used["sort"]))
            return
        chosen = replace(self.selection, page=1)
        if "status" in used:
            chosen = replace(chosen, status=used["status"] or None)
        if "category" in used:
            number = used["category"]
            chosen = replace(chosen, categories=frozenset({int(number) if number else None}))
        self.drill(chosen)

    def shown(self, shown: ShownPets) -> None:
        """Say what is on the screen, and offer to take each filter away."""
        if self._model is None:
            return
        self.selection = now = shown.selection
        statuses = {each: status_word(each) for each in self._model.pets.statuses}
        tips = "type to search", "name or id, then Enter"
        controls = [
            parts.choice(
                "Status", {"": ALL_STATUSES} | statuses, now.status or "", data_filter="status"
            ),
            parts.box("Category", "", tips[0], data_filter="category", list=self._list),
            parts.box("Name", now.text, tips[1], data_filter="text"),
        ]
        active = [element("span", parts.selection_words(shown), role="status")]
        if self._before:
            active.append(parts.step("back", "← Back", "to the view before"))
        filters = [words for words, _ in self._model.describe(now)]
        for at, words in enumerate(filters):
            active.append(parts.step(f"drop:{at}", f"{words} ✕"))
        if filters:
            active.append(parts.step("clear", "Clear all filters"))
        self.view.markup = Markup("").join(parts.row(*each) for each in (controls, active))

    def _used(self, used: Used) -> None:
        if self._model is None:
            return
        now, value = self.selection, used.get("value", "").strip()
        way, _, at = used.get("way", "").partition(":")
        if way == "back":
            with self._lock:
                self.choose(self._before.pop() if self._before else now.cleared())
        elif way == "clear":
            self.choose(now.cleared())
        elif way == "drop":
            self.choose(self._model.describe(now)[int(at)][1])
        elif used.get("filter") == "status":
            self.choose(replace(now, status=value or None, page=1))
        elif used.get("filter") == "text":
            self.choose(replace(now, text=value, page=1))
        elif value:
            self._choose_category(self._model, value)

    def _choose_category(self, model: StoreModel, text: str) -> None:
        found = model.find_categories(text)
        if not found:
            words = f"Nothing here is called {text!r}."
            self._say(parts.warning("No such category", [words]))
            return
        chosen = self.selection.categories | frozenset(found)
        self.choose(replace(self.selection, categories=chosen, page=1))
