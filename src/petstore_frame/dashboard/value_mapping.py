"""Asks what words of a file mean, and then what single cells are to be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import ipywidgets as widgets

from petstore_frame.charts import element
from petstore_frame.dashboard.store_header import Top
from petstore_frame.dashboard.widgets import LABELS, show, titled
from petstore_frame.loader import Look, Recipe
from petstore_frame.rendering import PAGE, shorten
from petstore_frame.schema import FIELDS, PET_STATUSES

NO_STATUS, LEAVE = "no status", "leave these out"
LONGEST, FEW, ROWS = 40, 4, 20
_LABELLED = re.compile(r"(.+?)\s*\((-?\d+)\)")
Name = tuple[str, str]


class FileWord(NamedTuple):
    """A word of a field, or "" for its empty cells, in so many rows of a column."""

    field: str
    text: str
    column: str
    rows: int
    likely: str | None = None

    @property
    def label(self) -> str:
        """What its control is called."""
        rows = f"{self.rows:,}" if self.rows else ("left out" if self.text else "all")
        what = shorten(self.text, LONGEST) or f"(empty {LABELS[self.field].lower()})"
        return f"{LABELS[self.field]}: {what} · {rows}"

    def meaning(self, recipe: Recipe) -> str | int | float | None:
        """Return what it means by a recipe; None where that says nothing."""
        if self.text in recipe.exclude.get(self.column, ()):
            return LEAVE
        table = recipe.value_map.get(self.field, {}) if self.text else recipe.defaults
        return table.get(self.text or self.field)

    def with_meaning(self, recipe: Recipe, value: str | int) -> Recipe:
        """Return a recipe by which it means this; an empty text takes its meaning away."""
        value_map = {**recipe.value_map}
        left_out = {column: {*texts} for column, texts in recipe.exclude.items()}
        table = {**(value_map.get(self.field, {}) if self.text else recipe.defaults)}
        table.pop(self.text or self.field, None)
        left_out.setdefault(self.column, set()).discard(self.text)
        if value == LEAVE:
            left_out[self.column].add(self.text)
        elif value != "":
            table[self.text or self.field] = "" if value == NO_STATUS else value
        value_map[self.field] = table if self.text else value_map.get(self.field, {})
        return recipe.replace(
            value_map={name: each for name, each in value_map.items() if each},
            defaults=recipe.defaults if self.text else table,
            exclude={column: sorted(texts) for column, texts in left_out.items() if texts},
        )


class WordsStep:
    """Controls for the words of a file; ``answered`` gets what each answer does to a recipe.

    Attributes:
        widget, rows_widget: The two steps.
        words: A control for each word, by field and text; ``""`` are the empty cells.
        rest: One answer for all statuses that have none as yet.
        accept: A tick for each kind of rows that look wrong.
        rows: A control for each cell that is wrong in a row, by its line: what it is to be.
    """

    def __init__(self, top: Top, answered: Callable[[Callable[[Recipe], Recipe]], None]) -> None:
        self._top, self._memory, self._answered = top, top.memory, answered
        self._kit = kit = top.kit
        self._shown, self._recipe = dict[Name, FileWord](), Recipe()
        self.words: dict[Name, Any] = {}
        self.allow: dict[str, widgets.Checkbox] = {}
        self.rows: dict[int, Any] = {}
        self._lines: dict[int, widgets.HBox] = {}
        self.rest = kit.choice("All other statuses", _answers("choose …"), self._answer_rest)
        self._asked = kit.html()
        self._open, self._done, self._ticks = (kit.column(css="pf-words") for _ in range(3))
        self._rest_box = kit.column(self.rest, css="pf-words")
        self._fold = kit.make(widgets.Accordion, (self._done,), titles=("Answered",))
        self._title = kit.html(titled("What do these words mean?"))
        self._tick_title = kit.html(titled("Not sent until you confirm"))
        self.widget = kit.column(
            self._title, self._asked, self._open, self._rest_box, self._fold,
            self._tick_title, self._ticks,
        )  # fmt: skip
        self._rows_title, self._rows_box = kit.html(), kit.column(css="pf-rows")
        self.rows_widget = kit.column(self._rows_title, self._rows_box)
        self.forget()

    def forget(self) -> None:
        """Take the controls of the last file away."""
        self.words, self.allow, self._shown = {}, {}, {}
        self.rows, self._lines = {}, {}
        self._open.children = self._done.children = ()
        self._ask()
        show(self.widget, False)
        show(self.rows_widget, False)

    def draw(self, seen: Look, recipe: Recipe) -> None:
        """Show the words of a file; those that are answered are folded."""
        self._recipe = recipe
        self._shown = {(word.field, word.text): word for word in _words_of(seen, recipe)}
        for name, word in self._shown.items():
            if name not in self.words:
                self.words[name] = self._control(word)
            control, meant = self.words[name], self._text(word.meaning(recipe))
            control.description = word.label
            if isinstance(control, widgets.Combobox):
                control.options = self._options(word)
            if control.value != meant:
                control.value = meant
        for kind, rows in seen.suspicious.items():
            if kind not in self.allow:
                text = f"send all the same: {kind.replace('_', ' ')} ({rows:,})"
                self.allow[kind] = self._kit.tick(text, self._accept)
        for kind, tick in self.allow.items():
            tick.value = kind in recipe.allow
        shown = [self.words[name] for name in self._shown]
        still_open = [each for each in shown if not each.value]
        # A word that was just answered stays where it is until all are.
        if still_open and self._open.children:
            still_open = [each for each in shown if each not in self._done.children]
        self._open.children = still_open
        self._done.children = [each for each in shown if each not in still_open]
        self._ticks.children = [*self.allow.values()]
        self._fold.titles = (f"Answered: {len(self._done.children):,}",)
        show(self._fold, self._done.children)
        show(self._rest_box, len(self._open_statuses()) >= FEW)
        show(self._title, still_open)
        show(self._tick_title, self.allow)
        show(self.widget, self.allow or shown)

    def is_asked(self, field: str | None, text: str | None) -> bool:
        """Whether this is a word without a meaning, so that its rows need no other decision."""
        name = field or "", text.strip() if isinstance(text, str) else ""
        return name in self._shown and not self.words[name].value

    def _open_statuses(self) -> list[FileWord]:
        """Return the words of a list of values that have no meaning as yet."""
        return [word for name, word in self._shown.items()
                if word.text and FIELDS.named(word.field).values
                and not self.words[name].value]  # fmt: skip

    @property
    def _numbers(self) -> set[int]:
        """The categories of the pets that were read."""
        pets = self._top.pets
        return set() if pets is None else {*pets.frame["category_id"].dropna().unique().tolist()}

    @property
    def _free_number(self) -> int:
        return max([0, *self._memory.categories, *self._numbers]) + 1

    def draw_rows(self, wrong: Mapping[int, Mapping[Any, Any]], fields: Mapping[str, str]) -> None:
        """Ask about rows of ``LoadResult.fix``, by line, whose cells no word answers.

        ``fields`` has the field of each column that is sent. A row that was answered stays.
        """
        for line, row in [*wrong.items()][:ROWS]:
            if line not in self._lines:
                column, parts = row["error_column"], [self._kit.html()]
                if column in fields and column in row:
                    word = FileWord(fields[column], str(row[column]).strip(), column, 1)
                    self.rows[line] = self._control(word, f"Line {line}: {column}")
                    parts.insert(0, self.rows[line])
                self._lines[line] = self._kit.row(*parts)
        answered = {line for line, control in self.rows.items() if control.value}
        shown = sorted(self._lines.keys() & {*wrong, *answered})
        for line in shown:
            text, css = "corrected", "pf-right"
            if line in wrong:
                text, css = f"Line {line}: {wrong[line]['error_message']}", "pf-wrong"
            self._lines[line].children[-1].value = element("small", text, class_=css)
        few = f"{len(wrong):,}" if wrong else "none left"
        more = f"the first {ROWS} of {len(wrong):,}" if len(wrong) > ROWS else few
        self._rows_title.value = titled(f"Rows to decide: {more}")
        self._rows_box.children = [self._lines[line] for line in shown]
        show(self.rows_widget, shown)

    def _control(self, word: FileWord, label: str = "") -> Any:
        def answered(text: str) -> None:
            self._answer(self._shown.get((word.field, word.text), word), text.strip())

        if FIELDS.named(word.field).values:
            hint = f"choose … ({word.likely}?)" if word.likely else "choose …"
            return self._kit.choice(label or word.label, _answers(hint), answered)
        hint = f"{word.likely}?" if word.likely else "a name"
        if word.field == "category_id":
            hint = f"{word.likely or 'a category'}, or a new one: Ferret ({self._free_number})"
        return self._kit.text(label or word.label, hint, answered, options=self._options(word))

    def _options(self, word: FileWord) -> tuple[str, ...]:
        if word.field == "category_id":
            named = [f"{label} ({number})" for number, label in self._memory.categories.items()]
            return (*named, LEAVE) if word.column else (*named,)
        return (*(f"Unnamed {{{key}}}" for key in (self._recipe.key or ())[:1]), "Unnamed")

    def _text(self, meant: str | int | float | None) -> str:
        """Return a meaning as its control shows it."""
        if isinstance(meant, int) and meant in self._memory.categories:
            return f"{self._memory.categories[meant]} ({meant})"
        return "" if meant is None else str(meant) or NO_STATUS

    def _answer(self, word: FileWord, text: str) -> None:
        """Take what a person says that a word means."""
        self._ask()
        if word.field != "category_id" or text in ("", LEAVE):
            self._put(text, word)
            return
        number, label = self._category(text)
        known = self._memory.categories.get(number) if number is not None else None
        free = self._free_number
        if number is None:
            say = f"Choose one of the list, or write a new one with its number: {text} ({free})."
            self._ask(f"No category is called {text!r}", say)
        elif label and known and label != known:
            say = f"You wrote {text}. Write {known} ({number}) if so, else {label} ({free})."
            self._ask(f"{number} is called {known} here", say)
        elif label and not known and number in self._numbers:
            say = f"Write {number} if they are of this category, else {label} ({free})."
            self._ask(f"The store has pets of category {number}, whose name is not known", say)
        else:
            if label:
                self._memory.name_categories({number: label})
            self._put(number, word)

    def _category(self, text: str) -> tuple[int | None, str]:
        """Return the number and the name that an answer states."""
        if found := _LABELLED.fullmatch(text):
            return int(found[2]), found[1]
        if text.removeprefix("-").isdecimal():
            return int(text), ""
        for number, label in self._memory.categories.items():
            if label.casefold() == text.casefold():
                return number, label
        return None, ""

    def _put(self, value: str | int, *words: FileWord) -> None:
        def said(recipe: Recipe) -> Recipe:
            for word in words:
                recipe = word.with_meaning(recipe, value)
            return recipe.replace(categories=self._memory.categories or None)

        self._answered(said)

    def _answer_rest(self, value: str) -> None:
        with self._kit.drawing():
            self.rest.value = ""
        if value:
            self._put(value, *self._open_statuses())

    def _accept(self, _: bool) -> None:
        kinds = [kind for kind, tick in self.allow.items() if tick.value]
        self._answered(lambda recipe: recipe.replace(allow=kinds))

    def _ask(self, title: str = "", *lines: str) -> None:
        self._asked.value = PAGE.warning(title, lines) if title else ""


def _words_of(seen: Look, recipe: Recipe) -> Iterator[FileWord]:
    """Yield the words of a file that mean something, or are to."""
    for each in seen.values:
        yield FileWord(each.field, each.text, each.column, each.count, each.suggestion)
    # Words whose rows are left out, which no row shows any more.
    listed = {(each.column, each.text) for each in seen.values}
    for name, column in seen.mapping.items():
        for text in recipe.exclude.get(column, ()):
            if (column, text) not in listed:
                yield FileWord(name, text, column, 0)
    # Where a column is missing, each of its cells is empty.
    for field in FIELDS.sent:
        is_missing = field.is_required and seen.columns and field.name not in seen.mapping
        if is_missing or field.name in seen.empty:
            column = seen.mapping.get(field.name, "")
            yield FileWord(field.name, "", column, seen.empty[field.name])


def _answers(hint: str) -> list[tuple[str, str]]:
    """Return what a word of a status may mean."""
    return [(hint, ""), *((each, each) for each in (*PET_STATUSES, NO_STATUS, LEAVE))]
