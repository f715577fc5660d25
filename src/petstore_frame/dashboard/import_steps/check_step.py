"""Step 4: shows what sending would do, as cards that add up to the file, and asks what it needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from petstore_frame.dashboard.page.form import Table
from petstore_frame.dashboard.page.step_frame import Progress, Step
from petstore_frame.dashboard.page.widgets import WidgetFactory
from petstore_frame.dashboard.state.check_questions import open_rows, questions
from petstore_frame.dashboard.state.import_state import ImportState
from petstore_frame.loader import NewCategoryNames, RowGroup, file_warnings
from petstore_frame.rendering import PAGE, Card, Markup
from petstore_frame.schema import count_text

if TYPE_CHECKING:
    from petstore_frame.dashboard.tabs.import_tab import ImportTab

MAX_ROWS = 50
TITLES = {
    "duplicate": "Possible duplicates, line by line",
    "cell": "Cells to correct",
}
# Shown before sending even if they have no rows.
_ALWAYS_VISIBLE = (RowGroup.TO_SEND, RowGroup.ALREADY_LOADED, RowGroup.NEED_FIXING)


class CheckStep:
    """The numbers of rows that sending would add or skip, and the decisions that change them.

    Attributes:
        form: The decisions: ``form["duplicates"]``, ``form["keep"]``, ``form["as_new"]``,
            ``form["allow", "total_row"]``, and ``form["cell", 3, "Name"]`` for a cell of row 3.
    """

    def __init__(self, factory: WidgetFactory, tab: ImportTab) -> None:
        self._tab = tab
        hint = "See what will be added."
        self.step = Step(factory, 4, "Check", hint, tab.toggle)
        self.area = tab.background.add_area(factory)
        self._cards, self._warnings = factory.html(), factory.html()
        self.form = factory.form(tab.answer)
        self._note = factory.html()
        self.step.body.children = [self._cards, self._warnings, self.form, self._note]
        self.step.widget.children = [*self.step.widget.children, self.area.widget]

    def render(self, state: ImportState) -> None:
        if state.open_steps or state.preview is None:
            self.step.render(Progress.WAITING)
            self.form.ask([])
            return
        dry_run = state.dry_run
        is_done = state.result is not None or self._tab.background.is_sending
        progress = Progress.DONE if is_done else Progress.CURRENT
        if dry_run is None:
            self.step.render(progress, is_opened=state.opened == 4, note=_note(state))
            if state.refused is not None:
                self._cards.value = self._warnings.value = self._note.value = ""
                self.form.ask(_tables(state))
            return
        facts = dry_run.facts
        summary, note = "" if state.is_finished else cards_text(facts.groups), _note(state)
        self.step.render(progress, summary, is_opened=state.opened == 4, note=note)
        notes = {}
        if state.corrections:
            notes[RowGroup.TO_SEND] = f"{count_text(len(state.corrections), 'cell')} corrected here"
        self._cards.value = cards_markup(facts.groups, notes, animals=facts.animals)
        warnings = file_warnings(facts)
        self._warnings.value = PAGE.items(warnings) if warnings else ""
        if facts.new_categories is not None:
            self._warnings.value += _new_names(facts.new_categories)
        self.form.ask(_tables(state))
        more = len(dry_run.to_fix) >= MAX_ROWS
        text = f"These are the first {MAX_ROWS}. After sending, fix.csv has all rows."
        self._note.value = PAGE.quiet([text]) if more else ""


def _tables(state: ImportState) -> Iterator[Table]:
    asked = questions(state)
    kinds = [name[0] if isinstance(name := question.name, tuple) else "" for question in asked]
    for kind in dict.fromkeys(kinds):
        of_kind = [q for q, of_question in zip(asked, kinds, strict=True) if of_question == kind]
        yield Table(TITLES.get(str(kind), ""), of_kind, is_folded=kind == "duplicate")


def _new_names(new: NewCategoryNames) -> Markup:
    """Return the new names; those of numbers that pets have are in a table next to these pets."""
    used, unused = list[tuple[str, str]](), list[str]()
    for number, name in new.names.items():
        pets = ", ".join(new.pets[number])
        if pets:
            used.append((f"{name} ({number})", pets))
        else:
            unused.append(f"{name} ({number})")
    markup = Markup("")
    if used:
        markup += PAGE.table(used, ("New category name", "Pets in the store with its number"))
    if unused:
        markup += PAGE.quiet([f"New categories, without pets in the store: {', '.join(unused)}"])
    return markup


def _note(state: ImportState) -> str:
    if state.question is not None:
        return "One question needs your answer."
    if state.dry_run is None or not state.is_checked:
        return ""
    rows, waiting = len(state.dry_run.facts), open_rows(state)
    if waiting:
        verb = "needs" if waiting == 1 else "need"
        return f"{count_text(rows, 'row')}; {waiting:,} {verb} a decision or a correction."
    return f"{count_text(rows, 'row')}; nothing needs a decision."


def group_title(group: RowGroup) -> str:
    """Return the title of a group of rows.

    Example:
        >>> group_title(RowGroup.NEED_FIXING)
        'Need fixing'
    """
    return group.text[:1].upper() + group.text[1:]


def cards_markup(
    groups: Mapping[RowGroup, int],
    notes: Mapping[RowGroup, str],
    *,
    animals: Mapping[RowGroup, int] | None = None,
    is_sent: bool = False,
) -> Markup:
    """Return a card per group of rows.

    Args:
        groups: The number of rows of each group.
        notes: The text under a number, by group.
        animals: The number of animals of each group, if a row may stand for several; None if not.
        is_sent: Whether the file was sent; if not, some groups are shown even if they are empty.
    """
    always_visible = () if is_sent else _ALWAYS_VISIBLE
    cards = []
    for group, rows in groups.items():
        count = 0 if animals is None else animals[group]
        in_rows = count_text(count, "animal") if count else ""
        note = "; ".join(filter(None, [in_rows, notes.get(group, "")]))
        if rows or count or group in always_visible:
            cards.append(Card(group_title(group), f"{rows:,}", note))
    return PAGE.cards(cards)


def cards_text(groups: Mapping[RowGroup, int]) -> str:
    """Return the numbers of the cards in one line."""
    return " · ".join(f"{group_title(group)}: {rows:,}" for group, rows in groups.items() if rows)
