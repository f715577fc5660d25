"""The step that asks what words of a file mean: each once, for all the rows that have it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

import ipywidgets as widgets

from petstore_frame.dashboard.kit import Kit, show
from petstore_frame.dashboard.memory import Memory
from petstore_frame.dashboard.pet_list import HEAD
from petstore_frame.loader.reading import Look, Recipe
from petstore_frame.markup import PAGE
from petstore_frame.markup.palette import shorten
from petstore_frame.schema.models import FIELD_BY_NAME, PET_COLUMNS, SENT_FIELDS

LABELS = dict(zip(PET_COLUMNS, HEAD, strict=True))  # what fields are called on screen
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
    """Controls for the words of a file; ``changed`` gets the recipe with each answer.

    ``numbers`` returns the categories of the store, so that no new one gets a number in use.

    Attributes:
        widget: The whole step.
        words: A control for each word, by field and text; ``""`` are the empty cells.
        accept: A tick for each kind of rows that look wrong.
        rename, use_name: Buttons for a number that has another name here.
    """

    def __init__(
        self,
        kit: Kit,
        memory: Memory,
        numbers: Callable[[], Collection[int]],
        changed: Callable[[Recipe], None],
    ) -> None:
        self._kit, self._memory, self._numbers, self._changed = kit, memory, numbers, changed
        self._recipe, self._is_drawing = Recipe(), False
        self._clash: tuple[FileWord, int, str] | None = None
        self.words: dict[tuple[str, str], Any] = {}
        self.accept: dict[str, widgets.Checkbox] = {}
        self._folded: set[tuple[str, str]] = set()
        self.rename = kit.button("", self._rename)
        self.use_name = kit.button("", self._use_name)
        self._asked = kit.html()
        self._asking = kit.column(self._asked, kit.row(self.rename, self.use_name))
        self._tick_title = kit.html('<h3 class="pf-section">Not sent until you confirm</h3>')
        self._open, self._ticks = kit.column(css="pf-words"), kit.column(css="pf-words")
        self._done = kit.column(css="pf-words")
        self._answered = kit.make(widgets.Accordion, "", (self._done,), titles=("Answered",))
        self._title = kit.html()
        self.widget = kit.column(
            self._title, self._asking, self._open, self._answered, self._tick_title, self._ticks
        )
        show(self.widget, False)

    def forget(self) -> None:
        """Take the controls of the last file away."""
        self._open.children = self._done.children = self._ticks.children = ()
        self._kit.forget(*self.words.values(), *self.accept.values())
        self.words, self.accept, self._folded = {}, {}, set()
        self._clash = None
        show(self.widget, False)

    def draw(self, seen: Look, recipe: Recipe) -> None:
        """Show the words of a file; those that are answered are folded."""
        self._recipe, self._is_drawing = recipe, True
        try:
            shown = [*self._words_of(seen)]
            for word in shown:
                self._draw_word(word)
            for kind, rows in seen.suspicious.items():
                if rows < FEW and kind not in recipe.accept:
                    continue  # each is a row to decide
                if kind not in self.accept:
                    text = f"send all the same: {HELD.get(kind, kind)} ({rows:,})"
                    self.accept[kind] = self._kit.tick(text, self._ticked)
                self.accept[kind].value = kind in recipe.accept
        finally:
            self._is_drawing = False
        names = [(word.field, word.text) for word in shown]
        answered = {name for name in names if self.words[name].value}
        # A row that was just answered stays where it is until all are.
        is_first = not self._open.children and not self._done.children
        if is_first or answered == {*names}:
            self._folded |= answered
        self._open.children = [self.words[name] for name in names if name not in self._folded]
        self._done.children = [self.words[name] for name in names if name in self._folded]
        self._ticks.children = [*self.accept.values()]
        self._answered.titles = (f"Answered: {len(self._done.children):,}",)
        show(self._answered, bool(self._done.children))
        self._title.value = '<h3 class="pf-section">What do these words mean?</h3>'
        show(self._title, bool(self._open.children))
        show(self._tick_title, bool(self.accept))
        show(self.widget, bool(self.accept or names))
        self._draw_clash()

    @property
    def is_open(self) -> bool:
        """Whether a word has no meaning as yet."""
        return any(not control.value for control in self.words.values())

    def is_asked(self, field: str | None, text: str | None) -> bool:
        """Whether this is a word without a meaning, so that its rows need no other decision."""
        control = self.words.get((field or "", (text or "").strip()))
        return control is not None and not control.value

    def is_ticked(self, kind: object) -> bool:
        """Whether there is one tick for all rows that look wrong in this way."""
        return kind in self.accept

    def _words_of(self, seen: Look) -> Iterator[FileWord]:
        for each in seen.values:
            yield FileWord(each.field, each.text, each.column, each.count, each.suggestion)
        for name, texts in self._left_out(seen):
            yield from (FileWord(name, text, seen.mapping[name], 0) for text in texts)
        # Where a column is missing, each of its cells is empty.
        required = {field.name: 0 for field in SENT_FIELDS if field.is_required and seen.columns}
        missing = {name: 0 for name in required if name not in seen.mapping}
        for name, rows in {**missing, **seen.empty}.items():
            yield FileWord(name, "", seen.mapping.get(name, ""), rows)

    def _left_out(self, seen: Look) -> Iterator[tuple[str, list[str]]]:
        """Yield the words whose rows are left out, which no row shows any more."""
        listed = {(each.field, each.text) for each in seen.values}
        fields = {column: name for name, column in seen.mapping.items()}
        for column, texts in self._recipe.leave_out.items():
            if column in fields:
                name = fields[column]
                yield name, [text for text in texts if (name, text) not in listed]

    def _draw_word(self, word: FileWord) -> None:
        name = word.field, word.text
        if name not in self.words:
            self.words[name] = self._control(word)
        control, meant = self.words[name], self._meant(word)
        if isinstance(control, widgets.Combobox):
            control.options = tuple(self._options(word))
        if control.value != meant and not (self._clash and self._clash[0][:2] == name):
            control.value = meant

    def _control(self, word: FileWord) -> Any:
        rows = f"{word.rows:,}" if word.rows else ("all" if not word.text else "left out")
        what = shorten(word.text, LONGEST) or f"(empty {LABELS[word.field].lower()})"
        label = f"{LABELS[word.field]}: {what} · {rows}"

        def answered(value: str) -> None:
            if not self._is_drawing:
                self._answer(word, value.strip())

        values = FIELD_BY_NAME[word.field].values
        if values:
            hint = f"choose … ({word.likely}?)" if word.likely else "choose …"
            options = [(hint, ""), *((each, each) for each in (*values, NO_STATUS, LEAVE))]
            return self._kit.on_value(self._kit.choice(label, options, int), answered)
        hint = f"{word.likely}?" if word.likely else "a name"
        if word.field == "category_id":
            free = max([0, *self._memory.categories, *self._numbers()]) + 1
            hint = f"{word.likely or 'a category'}, or a new one: Ferret ({free})"
        return self._kit.on_value(self._kit.text(label, hint, int, proposes=True), answered)

    def _options(self, word: FileWord) -> list[str]:
        if word.field == "category_id":
            labels = self._memory.categories.items()
            return [*(f"{label} ({number})" for number, label in labels), LEAVE]
        keys = self._recipe.key or ()
        return [*(f"Unnamed {{{key}}}" for key in keys[:1]), "Unnamed"]

    def _meant(self, word: FileWord) -> str:
        """Return what a word means by the recipe, as its control shows it."""
        recipe = self._recipe
        if word.text and word.text in recipe.leave_out.get(word.column, ()):
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
        self._clash, meant, labels = None, text, dict[int, str]()
        if word.field == "category_id" and text not in ("", LEAVE):
            number, label = self._category(text)
            if number is None:
                self._asked.value = PAGE.warning(
                    f"No category is called {text!r}",
                    ["Choose one of the list, or write a new one with its number: Ferret (9)."],
                )
                self._draw_clash(is_asked=True)
                return
            if label and self._known_as(number) != label:
                if self._known_as(number) is not None:
                    self._clash = word, number, label
                    self._draw_clash()
                    return
                labels = {number: label}
            meant = str(number)
        self._put(word, meant, labels)

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

    def _known_as(self, number: int) -> str | None:
        """Return the name of a number here, "" where only the store has it, or None."""
        return self._memory.categories.get(number, "" if number in self._numbers() else None)

    def _put(self, word: FileWord, meant: str, labels: Mapping[int, str]) -> None:
        self._memory.name_categories(labels)
        recipe = self._recipe
        # A table that is merged would keep an answer that was taken back.
        tables = {name: {**recipe.value_map.get(name, {})} for name in FIELD_BY_NAME}
        defaults, left_out = {**recipe.defaults}, {**recipe.leave_out}
        texts = [each for each in left_out.pop(word.column, ()) if each != word.text]
        tables[word.field].pop(word.text, None)
        defaults.pop(word.field, None) if not word.text else None
        value: Any = "" if meant == NO_STATUS else meant
        if word.field == "category_id" and meant.removeprefix("-").isdecimal():
            value = int(meant)
        if meant == LEAVE:
            texts.append(word.text)
        elif meant and not word.text:
            defaults[word.field] = value
        elif meant:
            tables[word.field][word.text] = value
        if texts:
            left_out[word.column] = tuple(texts)
        self._recipe = recipe.replace(
            value_map={name: table for name, table in tables.items() if table},
            defaults=defaults,
            leave_out=left_out,
            categories=self._memory.categories or None,
        )
        self._changed(self._recipe)

    def _ticked(self) -> None:
        if not self._is_drawing:
            kinds = [kind for kind, tick in self.accept.items() if tick.value]
            self._recipe = self._recipe.replace(accept=kinds)
            self._changed(self._recipe)

    def _draw_clash(self, *, is_asked: bool = False) -> None:
        show(self._asking, self._clash is not None or is_asked)
        show(self.rename, self._clash is not None)
        show(self.use_name, self._clash is not None)
        if self._clash is None:
            return
        _, number, label = self._clash
        known = self._known_as(number) or ""
        title = f"{number} is called {known} here" if known else f"The store has pets of {number}"
        self._asked.value = PAGE.warning(title, [f"You wrote {label} ({number}). Which is it?"])
        self.rename.description = f"{number} is {label} from now on"
        self.use_name.description = f"They are {known}" if known else ""
        show(self.use_name, bool(known))

    def _rename(self) -> None:
        if self._clash is not None:
            (word, number, label), self._clash = self._clash, None
            self._put(word, str(number), {number: label})

    def _use_name(self) -> None:
        if self._clash is not None:
            (word, number, _), self._clash = self._clash, None
            self._put(word, str(number), {})
