"""A searchable list of categories with checkboxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import traitlets

from petstore_frame.dashboard.page.live_html import LiveHTML
from petstore_frame.rendering import Markup, element

SEARCH = "type to search"


class CategoryMenu(LiveHTML):
    """A menu to choose several categories; if none is chosen, all are shown.

    Attributes:
        value: Names of the chosen categories, such as ``menu.value = ("Dog", "Cat")``.
        options: Names to choose from.
    """

    value = traitlets.Tuple()
    options = traitlets.Tuple()

    def __init__(self, label: str, **options: Any) -> None:
        self._label = label
        super().__init__(self._toggle, **options)
        self.observe(self._update_markup, ["value", "options"])
        self._update_markup()

    @traitlets.validate("value")
    def _as_tuple(self, proposal: Any) -> tuple[str, ...]:
        return tuple(proposal["value"])

    def _toggle(self, used: Mapping[str, Any]) -> None:
        name = used.get("option")
        if name is None:
            return
        if used.get("value") == "on":
            self.value = (*self.value, name)
        else:
            self.value = tuple(chosen for chosen in self.value if chosen != name)

    def _update_markup(self, _: object = None) -> None:
        items = [self._item(name) for name in self.options]
        search = element(
            "input",
            type="search",
            class_="pf-search",
            placeholder=SEARCH,
            aria_label=f"{self._label}: {SEARCH}",
        )
        summary = element("summary", f"{self._label}: {_chosen_text(self.value)}")
        entries = element("div", *items, class_="pf-options", role="group", aria_label=self._label)
        self.markup = element("details", summary, element("div", search, entries), class_="pf-menu")

    def _item(self, name: str) -> Markup:
        checked = "checked" if name in self.value else None
        box = element("input", type="checkbox", data_option=name, checked=checked)
        return element("label", box, element("bdi", name))


def _chosen_text(names: Sequence[str]) -> str:
    if not names:
        return "all"
    if len(names) > 2:
        return f"{len(names)} chosen"
    return " or ".join(names)
