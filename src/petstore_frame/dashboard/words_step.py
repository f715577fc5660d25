"""The step that asks what words of a file mean: each once, for all the rows that have it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import ipywidgets as widgets

from petstore_frame.dashboard.kit import show, titled
from petstore_frame.dashboard.pet_list import LABELS
from petstore_frame.dashboard.top import Top
from petstore_frame.loader.reading import Look, Recipe
from petstore_frame.markup import PAGE
from petstore_frame.markup.palette import shorten
from petstore_frame.schema.models import FIELD_BY_NAME, PET_STATUSES, SENT_FIELDS

NO_STATUS, LEAVE = "no status", "leave these out"
LONGEST, FEW = 40, 4
HELD = {
    "total_row": "rows of totals",
    "unlisted_category": "categories that your labels do not list",
    "low_category_id": "category numbers of zero or less",
    "swallowed_rows": "names of several lines, where a quote may never be closed",
    "hidden_row": "rows that are hidden in the sheet",
    "large_count": "rows that stand for more than a thousand animals",
}
_LABELLED = re.compile(r"(.+?)\s*\((-?\d+)\)")


class FileWord(NamedTuple):
    """A word of a field, or "" for its empty cells, in so many rows of a column."""

    field: str
    text: str
    column: str
    rows: int
    likely: str | None = None


class WordsStep:
    """Controls for the words of a file; ``answered`` gets what each answer does to a recipe.

    Attributes:
        widget: The whole step.
        words: A control for each word, by field and text; ``""`` are the empty cells.
        rest: One answer for all statuses that have none as yet.
        accept: A tick for each kind of rows that look wrong.
        rename: A button that gives a number of a category another name.
    """

    def __init__(self, top: Top, answered: Callable[[Callable[[Recipe], Recipe]], None]) -> None:
        self._top, self._kit, self._memory, self._answered = top, top.kit, top.memory, answered
        kit, self._recipe = top.kit, Recipe()
        self._shown: dict[tuple[str, str], FileWord] = {}
        self._new_name: tuple[FileWord, int, str] | None = None
        self.words: dict[tuple[str, str], Any] = {}
        self.accept: dict[str, widgets.Checkbox] = {}
        self._folded: set[tuple[str, str]] = set()
        self.rename = kit.button("", self._rename)
        self.rest = kit.choice("All other statuses", _answers("choose …"), self._answer_rest)
        self._asked = kit.html()
        self._open, self._done, self._ticks = (kit.column(css="pf-words") for _ in range(3))
        self._rest_box = kit.column(self.rest, css="pf-words")
        self._fold = kit.make(widgets.Accordion, (self._done,), titles=("Answered",))
        self._title = kit.html(titled("What do these words mean?"))
        self._tick_title = kit.html(titled("Not sent until you confirm"))
        self.widget = kit.column(
            self._title, self._asked, self.rename, self._open, self._rest_box, self._fold,
            self._tick_title, self._ticks,
        )  # fmt: skip
        show(self.widget, False)

    def forget(self) -> None:
        """Take the controls of the last file away."""
        self._open.children = self._done.children = self._ticks.children = ()
        self._kit.forget(*self.words.values(), *self.accept.values())
        self.words, self.accept, self._shown, self._folded = {}, {}, {}, set()
        self._ask("")
        show(self.widget, False)

    def draw(self, seen: Look, recipe: Recipe) -> None:
        """Show the words of a file; those that are answered are folded."""
        self._recipe = recipe
        self._shown = shown = {(word.field, word.text): word for word in self._words_of(seen)}
        for name, word in shown.items():
            if name not in self.words:
                self.words[name] = self._control(name, word)
            control, meant = self.words[name], self._meant(word)
            control.description = _label(word)
            if isinstance(control, widgets.Combobox):
                control.options = tuple(self._options(word))
            is_asked = self._new_name is not None and self._new_name[0][:2] == name
            if control.value != meant and not is_asked:
                control.value = meant
        for kind, rows in seen.suspicious.items():
            if rows < FEW and kind not in recipe.accept:
                continue  # each is a row to decide
            if kind not in self.accept:
                text = f"send all the same: {HELD.get(kind, kind)} ({rows:,})"
                self.accept[kind] = self._kit.tick(text, self._accept)
            self.accept[kind].value = kind in recipe.accept
        answered = {name for name in shown if self.words[name].value}
        # A row that was just answered stays where it is until all are.
        is_first = not self._open.children and not self._done.children
        if is_first or answered == {*shown}:
            self._folded |= answered
        self._open.children = [self.words[name] for name in shown if name not in self._folded]
        self._done.children = [self.words[name] for name in shown if name in self._folded]
        self._ticks.children = [*self.accept.values()]
        self._fold.titles = (f"Answered: {len(self._done.children):,}",)
        show(self._fold, self._done.children)
        show(self._rest_box, len(self._open_statuses()) >= FEW)
        show(self._title, self._open.children)
        show(self._tick_title, self.accept)
        show(self.widget, self.accept or shown)

    def is_asked(self, field: str | None, text: str | None) -> bool:
        """Whether this is a word without a meaning, so that its rows need no other decision."""
        name = field or "", text.strip() if isinstance(text, str) else ""
        return name in self._shown and not self.words[name].value

    def _open_statuses(self) -> list[FileWord]:
        """Return the words of a list of values that have no meaning as yet."""
        values = {field.name for field in SENT_FIELDS if field.values}
        return [word for name, word in self._shown.items()
                if word.text and word.field in values and not self.words[name].value]  # fmt: skip

    def _words_of(self, seen: Look) -> Iterator[FileWord]:
        for each in seen.values:
            yield FileWord(each.field, each.text, each.column, each.count, each.suggestion)
        # Words whose rows are left out, which no row shows any more.
        listed = {(each.column, each.text) for each in seen.values}
        for name, column in seen.mapping.items():
            for text in self._recipe.leave_out.get(column, ()):
                if (column, text) not in listed:
                    yield FileWord(name, text, column, 0)
        # Where a column is missing, each of its cells is empty.
        for field in SENT_FIELDS:
            is_missing = field.is_required and seen.columns and field.name not in seen.mapping
            if is_missing or field.name in seen.empty:
                column = seen.mapping.get(field.name, "")
                yield FileWord(field.name, "", column, seen.empty[field.name])

    def _control(self, name: tuple[str, str], word: FileWord) -> Any:
        def answered(value: str) -> None:
            self._answer(self._shown[name], value.strip())

        if FIELD_BY_NAME[word.field].values:
            hint = f"choose … ({word.likely}?)" if word.likely else "choose …"
            return self._kit.choice(_label(word), _answers(hint), answered)
        hint = f"{word.likely}?" if word.likely else "a name"
        if word.field == "category_id":
            free = max([0, *self._memory.categories, *self._top.numbers]) + 1
            hint = f"{word.likely or 'a category'}, or a new one: Ferret ({free})"
        return self._kit.text(_label(word), hint, answered, widgets.Combobox)

    def _options(self, word: FileWord) -> list[str]:
        if word.field == "category_id":
            labels = self._memory.categories.items()
            named = [f"{label} ({number})" for number, label in labels]
            return [*named, LEAVE] if word.column else named
        keys = self._recipe.key or ()
        return [*(f"Unnamed {{{key}}}" for key in keys[:1]), "Unnamed"]

    def _meant(self, word: FileWord) -> str:
        """Return what a word means by the recipe, as its control shows it."""
        recipe = self._recipe
        if word.text in recipe.leave_out.get(word.column, ()):
            return LEAVE
        meant = recipe.value_map.get(word.field, {}).get(word.text)
        if not word.text:
            meant = recipe.defaults.get(word.field)
        if meant is None:
            return ""
        if word.field == "category_id" and str(meant).removeprefix("-").isdecimal():
            label = self._memory.categories.get(int(meant))
            return f"{label} ({meant})" if label else str(meant)
        return str(meant) or NO_STATUS

    def _answer(self, word: FileWord, text: str) -> None:
        self._ask("")
        if word.field != "category_id" or text in ("", LEAVE):
            self._put(word, "" if text == NO_STATUS else text or None)
            return
        number, label = self._category(text)
        known = self._memory.categories.get(number) if number is not None else None
        if number is None:
            title = f"No category is called {text!r}"
            say = "Choose one of the list, or write a new one with its number: Ferret (9)."
            self._ask(title, say)
        elif not label or label == known:
            self._put(word, number)
        elif known is None and number not in self._top.numbers:
            self._memory.name_categories({number: label})
            self._put(word, number)
        else:
            self._new_name = word, number, label
            title, say = f"{number} is called {known} here", f"Choose {known} ({number}) if so."
            if known is None:
                title, say = f"The store has pets of category {number}", "Else write a free number."
            self._ask(title, f"You wrote {label} ({number}). Are they the same? {say}")
            self.rename.description = f"{number} is {label} from now on"

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

    def _put(self, word: FileWord, value: str | int | None) -> None:
        self._answered(lambda recipe: self._with(recipe, word, value))

    def _answer_rest(self, value: str) -> None:
        words = self._open_statuses()
        with self._kit.drawing():
            self.rest.value = ""

        def said(recipe: Recipe) -> Recipe:
            for word in words:
                recipe = self._with(recipe, word, "" if value == NO_STATUS else value)
            return recipe

        if value:
            self._answered(said)

    def _with(self, recipe: Recipe, word: FileWord, value: str | int | None) -> Recipe:
        """Return a recipe with the meaning of a word: a value, to leave its rows out, or None."""
        tables = {name: {**table} for name, table in recipe.value_map.items()}
        defaults, left_out = {**recipe.defaults}, {**recipe.leave_out}
        texts = [each for each in left_out.pop(word.column, ()) if each != word.text]
        table = tables.setdefault(word.field, {}) if word.text else defaults
        place = word.text or word.field
        table.pop(place, None)
        if value == LEAVE:
            texts.append(word.text)
        elif value is not None:
            table[place] = value
        if texts:
            left_out[word.column] = tuple(texts)
        return recipe.replace(
            value_map={name: table for name, table in tables.items() if table},
            defaults=defaults,
            leave_out=left_out,
            categories=self._memory.categories or None,
        )

    def _accept(self, _: bool) -> None:
        kinds = [kind for kind, tick in self.accept.items() if tick.value]
        self._answered(lambda recipe: recipe.replace(accept=kinds))

    def _ask(self, title: str, *lines: str) -> None:
        self._asked.value = PAGE.warning(title, lines) if title else ""
        if not title:
            self._new_name = None
        show(self.rename, self._new_name)

    def _rename(self) -> None:
        if self._new_name is not None:
            word, number, label = self._new_name
            self._ask("")
            self._memory.name_categories({number: label})
            self._put(word, number)


def _label(word: FileWord) -> str:
    rows = f"{word.rows:,}" if word.rows else ("all" if not word.text else "left out")
    what = shorten(word.text, LONGEST) or f"(empty {LABELS[word.field].lower()})"
    return f"{LABELS[word.field]}: {what} · {rows}"


def _answers(hint: str) -> list[tuple[str, str]]:
    """Return what a word of a status may mean."""
    return [(hint, ""), *((each, each) for each in (*PET_STATUSES, NO_STATUS, LEAVE))]
