"""Shows animals whose rows disagree, and asks which row to use."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from petstore_frame.dashboard.import_plan import Conflict
from petstore_frame.dashboard.import_state import ImportState
from petstore_frame.dashboard.widgets import WidgetFactory, scrollable, set_options, set_visible
from petstore_frame.rendering import PAGE, Markup, element, shorten
from petstore_frame.schema import FIELDS, count_text

if TYPE_CHECKING:
    from petstore_frame.dashboard.import_tab import ImportTab

EXAMPLE_ROWS, LONGEST = 5, 40
CHOOSE, ORDERED = "choose …", "order_by: "
# A birthday does not tell which row is newer.
_BIRTHDAY = re.compile(
    r"birth|born|\bdob\b|geburt|geboren|naissance|nacimiento|nascita|nascimento|geboorte|född|født",
    re.IGNORECASE,
)


class ConflictingRows:
    """One example per cause of a conflict, next to the control that resolves them.

    Attributes:
        keep: A list to choose which of several rows of an animal to use.
    """

    def __init__(self, factory: WidgetFactory, tab: ImportTab) -> None:
        self._tab = tab
        self.keep = factory.dropdown("Several rows for one animal: use", [(CHOOSE, "")], self._keep)
        self._examples = factory.html()
        self._keep_row = factory.row(self.keep)
        self.widget = factory.column(self._examples, self._keep_row)

    def render(self, state: ImportState) -> None:
        """Show the conflicts, and offer the columns that can resolve them."""
        plan, preview = state.plan, state.preview
        conflicts = [] if plan is None else plan.conflicts
        markup = Markup("")
        for conflict in conflicts:
            markup += _conflict_markup(conflict, state)
        self._examples.value = markup
        needs_rule = any(conflict.needs_rule for conflict in conflicts)
        set_visible(self._keep_row, needs_rule or state.recipe.keep is not None)
        if preview is None:
            return
        dates = [column for column in preview.dates if column.strip() and not is_birthday(column)]
        options = [
            (CHOOSE, ""),
            *(
                (f"the last by {shorten(column, LONGEST)}", f"{ORDERED}{column}")
                for column in dates
            ),
            ("the last in the file", "last"),
            ("the first in the file", "first"),
        ]
        value: str = state.recipe.keep or ""
        if state.recipe.order_by is not None:
            value = f"{ORDERED}{state.recipe.order_by}"
        set_options(self.keep, options, value)

    def _keep(self, value: str) -> None:
        recipe = self._tab.state.recipe
        order_by = value.removeprefix(ORDERED) if value.startswith(ORDERED) else None
        keep = "last" if order_by is not None else value or None
        self._tab.change_recipe(recipe.replace(keep=keep, order_by=order_by))


def is_birthday(column: str) -> bool:
    """Return whether a column holds birthdays, which do not tell which row is newer.

    Example:
        >>> is_birthday("Date of Birth"), is_birthday("Geburtsdatum"), is_birthday("Outcome Date")
        (True, True, False)
    """
    return _BIRTHDAY.search(column.replace("_", " ")) is not None


def _conflict_markup(conflict: Conflict, state: ImportState) -> Markup:
    animals, rows = count_text(conflict.animals, "animal"), count_text(conflict.rows, "row")
    verb = "has" if conflict.animals == 1 else "have"
    title = element("h4", f"{animals} {verb} several rows that disagree ({rows})")
    columns = _example_columns(conflict, state)
    table = [
        [
            str(row.line),
            *(_marked(row.cells.get(column, ""), column in conflict.columns) for column in columns),
        ]
        for row in conflict.example[:EXAMPLE_ROWS]
    ]
    markup = title + scrollable(PAGE.table(table, ["Line", *columns], caption="For example"))
    if not conflict.needs_rule:
        markup += PAGE.quiet(
            [
                conflict.hint,
                "These rows are not sent; correct the file, or fix.csv after sending.",
            ]
        )
    return markup


def _example_columns(conflict: Conflict, state: ImportState) -> list[str]:
    """Return the columns to show: the key, the columns that are sent, and those that differ."""
    preview = state.preview
    mapping = {} if preview is None else preview.mapping
    mapped = [mapping[field.name] for field in FIELDS.sent if field.name in mapping]
    differing = [column for column in conflict.example[0].cells if column in conflict.columns]
    return [*dict.fromkeys([*(state.recipe.key or ()), *mapped, *differing])][:8]


def _marked(text: str, is_marked: bool) -> str:
    short_text = shorten(text, LONGEST)
    if not is_marked:
        return short_text
    return element("mark", short_text or "(empty)")
