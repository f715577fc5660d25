"""What the user has chosen to see, for the whole dashboard: filters, chips and the way back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from petstore_frame.dashboard import parts
from petstore_frame.dashboard.kit import ButtonGroup, Kit, Meant
from petstore_frame.dashboard.model import SORT_COLUMNS, Selection, ShownPets, StoreModel
from petstore_frame.html.palette import status_word

if TYPE_CHECKING:
    from threading import RLock

ALL_STATUSES = "All statuses"
SUGGESTIONS = 500  # categories offered while typing; any other is found by its name or id


class Filters:
    """The selection that every drawing on the screen follows; ``changed`` is called after each."""

    def __init__(
        self,
        kit: Kit,
        lock: RLock,
        changed: Callable[[], None],
        say: Callable[[str], None],
    ) -> None:
        self.selection = Selection()
        self._model: StoreModel | None = None
        self._lock, self._changed, self._say = lock, changed, say
        self._before: list[Selection] = []
        self._is_drawing = False
        self._kit = kit
        self.status = kit.make(widgets.Dropdown, options=[(ALL_STATUSES, "")], description="Status")
        late: dict[str, Any] = {"continuous_update": False}
        tip = "type to search"
        self.category = kit.make(widgets.Combobox, description="Category", placeholder=tip, **late)
        tip = "name or id, then Enter"
        self.text = kit.make(widgets.Text, description="Name", placeholder=tip, **late)
        self.back = kit.button("← Back", "to the view before", self.go_back, is_hidden=True)
        self.chips = ButtonGroup(kit, self._drop, "pf-chips")
        self.words = kit.html()
        controls = kit.row(self.status, self.category, self.text)
        active = kit.row(self.words, self.back, self.chips.widget)
        self.widget = kit.column(controls, active, is_hidden=True)
        self.status.observe(self._status_chosen, "value")
        self.category.observe(self._category_chosen, "value")
        self.text.observe(self._text_typed, "value")

    def take(self, model: StoreModel) -> None:
        """Offer what another reading of the store holds; filters that are set stay."""
        with self._lock:
            self._model = model
            statuses = model.pets.statuses
            if self.selection.status not in statuses:
                self.selection = replace(self.selection, status=None)
            self._is_drawing = True
            self.status.options = [(ALL_STATUSES, ""), *((status_word(s), s) for s in statuses)]
            self.category.options = tuple(model.category_options())[:SUGGESTIONS]
            self._is_drawing = False

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
                self.back.focus()  # the mark that was clicked may no longer be there

    def picked(self, meant: Meant) -> None:
        """Follow a click on a mark: to its pets, or to another order of the rows."""
        if "sort" in meant and meant["sort"] in SORT_COLUMNS:
            self.choose(self.selection.sorted_by(meant["sort"]))
            return
        chosen = replace(self.selection, page=1)
        if "status" in meant:
            chosen = replace(chosen, status=meant["status"] or None)
        if "category" in meant:
            number = meant["category"]
            chosen = replace(chosen, categories=frozenset({int(number) if number else None}))
        self.drill(chosen)

    def go_back(self) -> None:
        """Return to the selection before the last drill-down."""
        with self._lock:
            self.choose(self._before.pop() if self._before else self.selection.cleared())

    def shown(self, shown: ShownPets) -> None:
        """Say what is on the screen, and offer to take each filter away."""
        if self._model is None:
            return
        self.selection = now = shown.selection
        self._is_drawing = True
        self.status.value = now.status or ""
        self.category.value = ""
        self.text.value = now.text
        self._is_drawing = False
        self.words.value = f'<span role="status">{parts.selection_words(shown)}</span>'
        filters = [f"{words} ✕" for words, _ in self._model.describe(now)]
        self.chips.show([*filters, "Clear all filters"] if filters else [])
        self._kit.show(self.back, bool(self._before))

    def _status_chosen(self, change: Any) -> None:
        if not self._is_drawing:
            self.choose(replace(self.selection, status=change.new or None, page=1))

    def _text_typed(self, change: Any) -> None:
        if not self._is_drawing:
            self.choose(replace(self.selection, text=change.new.strip(), page=1))

    def _category_chosen(self, change: Any) -> None:
        if self._is_drawing or not change.new or self._model is None:
            return
        found = self._model.find_categories(change.new)
        if not found:
            nothing = f"Nothing here is called {change.new!r}."
            self._say(parts.warning("No such category", [nothing]))
            return
        chosen = self.selection.categories | frozenset(found)
        self.choose(replace(self.selection, categories=chosen, page=1))

    def _drop(self, index: int) -> None:
        if self._model is None:
            return
        filters = self._model.describe(self.selection)
        is_last = index >= len(filters)
        self.choose(self.selection.cleared() if is_last else filters[index][1])
