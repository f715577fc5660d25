"""The first steps with a file: where it is, how it is read, which column is what."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from petstore_frame.charts import element
from petstore_frame.dashboard.figures import LARGEST_MESSAGE
from petstore_frame.dashboard.kit import grid, set_options, show
from petstore_frame.dashboard.pet_list import LABELS
from petstore_frame.dashboard.top import Top
from petstore_frame.dashboard.words_step import WordsStep
from petstore_frame.dashboard.work import Work
from petstore_frame.errors import InputError
from petstore_frame.loader.reading import BLANK, Look, Recipe, look
from petstore_frame.markup import PAGE, Markup
from petstore_frame.markup.palette import shorten
from petstore_frame.schema.categories import category_labels
from petstore_frame.schema.models import SENT_FIELDS

ROWS_SHOWN, ROWS_KEPT, ROWS_LOOKED_AT, MOST_SHEETS, COLUMN_LENGTH = 6, 30_000, 100_000, 20, 40
LONGEST_NAME = 200  # bytes that file systems allow
KINDS = ".csv,.tsv,.txt,.gz,.xlsx,.xlsm,.toml"
HINT = "Drop a file or a saved recipe here, or paste a table from a spreadsheet"
ENCODINGS = {"utf-8": "", "cp1252": "Windows", "cp1250": "Central European Windows",
             "mac_roman": "Mac", "utf-16": ""}  # fmt: skip
SIGNS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
# How a file is laid out: the words of a recipe that the controls under "Does it look wrong?" set.
LAYOUT = {"encoding": "Encoding", "delimiter": "Delimiter", "header_row": "Column names in row",
          "sheet": "Sheet"}  # fmt: skip
OF_LAYOUT = (*LAYOUT, "quoting", "columns")
RECOGNISED = {
    "encoding": "Umlauts and accents are read as {} text. Do the names look right?",
    "header_row": "The column names are in row {}.",
    "sheet": "The sheet {!r} is read.",
}
OPEN, NONE = "choose …", "(not in the file)"


class FileTab:
    """A file and how it is read: the first steps of a tab, which does something with it.

    A tab calls ``changed`` whenever the file is to be read anew, and then ``look``.

    Attributes:
        widget: The whole tab.
        file, path, drop, labels: Ways to give a file, and the names of categories.
        columns: Which column is which field, by the field.
        key, keep: The column of our animal number, and which of several rows of one counts.
        use_key: A button that takes the likely one.
        right: A button that says that what was recognised is right.
        layout: How the file is laid out, by the word of a recipe.
        words: What its words mean.
        start_over, save: Buttons that forget what is remembered, and save it as a recipe.
        recipe: How the file is read; ``seen`` is what it looks like so.
        notice, stop: What is said about the work under way, and its button.
    """

    def __init__(self, top: Top, what: str) -> None:
        kit = top.kit
        self.top, self._kit, self.memory = top, kit, top.memory
        self._uploads = tempfile.TemporaryDirectory(prefix="petstore-upload-")
        self.source: Path | None = None
        self.recipe = Recipe()
        self.seen: Look | None = None
        self._is_new = self.is_remembered = False
        self.work = Work(kit, self.draw_buttons, f"{self._uploads.name}/")
        self.notice, self.stop = self.work.notice, self.work.stop
        self.file = self._upload(what, KINDS, self.take)
        self.labels = self._upload("Category names (CSV)", ".csv", self._label)
        self.path = kit.text("or its path", "on the machine that runs this", self._named,
                             css="pf-wide")  # fmt: skip
        self.drop = kit.figures(lambda _: None, lambda: None, self._dropped)
        place = {"class_": "pf-drop", "placeholder": HINT, "aria_label": HINT}
        self.drop.markup = element("textarea", "", rows=2, **place)
        self.columns = {
            field.name: kit.choice(f"{LABELS[field.name]} is", [(OPEN, "")], self._map)
            for field in SENT_FIELDS
        }
        self.key = kit.choice("Our animal number", [(OPEN, BLANK)], self._set_key)
        same = "Same number, different details: which row counts?"
        self.keep = kit.choice(
            same, [(OPEN, "")], lambda said: self.reread(self.recipe.replace(keep=said or None))
        )
        self.layout = {
            word: kit.choice(name, [("", "")], partial(self._lay_out, word))
            for word, name in LAYOUT.items()
        }
        self.right = kit.button("Yes, this is right", self._agree, button_style="primary")
        self.use_key = kit.button("", self._use_key)
        self.start_over = kit.button("start over", self._forget)
        self.save = kit.button("Save as a recipe", self._save, "for Python, or for a colleague")
        self._told, self._likely, self._preview = kit.html(), kit.html(), kit.html(css="pf-preview")
        self._key_row = kit.row(self._likely, self.use_key)
        self._recalled = kit.row(kit.html("Same answers as last time:"), self.start_over)
        self._wrong = kit.make(widgets.Accordion, (kit.row(*self.layout.values()),),
                               titles=("Does it look wrong?",))  # fmt: skip
        self.words = WordsStep(top, lambda said: self.reread(said(self.recipe)))
        self._reading = kit.column(
            self._recalled, kit.row(*self.columns.values(), self.key, self.keep, self.save),
            self._told, self.right, self._key_row, self._preview, self._wrong,
        )  # fmt: skip
        self.widget = kit.column(
            kit.row(self.file, self.path, self.labels), self.drop, self._reading, self.words.widget
        )
        self.widget.add_class("pf-tab")
        show(self._reading, False)

    def changed(self) -> None:
        """Read the file anew."""
        raise NotImplementedError

    def draw_buttons(self) -> None:
        """Show what can be pressed now."""

    # Giving a file.

    def _upload(self, name: str, kinds: str, taken: Callable[[Path], None]) -> Any:
        def uploaded(given: Any) -> None:
            for each in given:
                taken(self._kept(each["name"], bytes(each["content"])))
                made.value = ()

        options = {"css": "pf-file", "accept": kinds, "tooltip": name}
        made = self._kit.control(widgets.FileUpload, name, uploaded, **options)
        return made

    def _label(self, path: Path) -> None:
        self.memory.name_categories(category_labels(path))
        self.reread(self.recipe.replace(categories=self._labels))

    @property
    def _labels(self) -> dict[int, str] | None:
        return self.memory.categories or None

    def _dropped(self, name: str, size: int, content: bytes | None) -> None:
        if content is None:
            mib = 1024**2
            raise InputError(
                f"{name} has {size / mib:,.0f} MB; a browser carries {LARGEST_MESSAGE / mib:,.0f}",
                hint="put the file on the machine that runs this, and give its path instead",
            )
        self.take(self._kept(name, content))

    def _named(self, path: str) -> None:
        if path.strip():
            self.take(Path(path.strip()).expanduser())

    def _kept(self, name: str, content: bytes) -> Path:
        # A browser may send any name; only its last part may choose where the file goes.
        name = Path(name.replace("\\", "/").replace("\0", "")).name
        if not name.strip(".") or len(name.encode(errors="replace")) > LONGEST_NAME:
            name = f"upload{Path(name).suffix[:10]}"
        path = Path(self._uploads.name, name)
        path.write_bytes(content)
        return path

    def take(self, path: Path) -> None:
        """Take another file; or a recipe, for the file on the screen."""
        if path.suffix == ".toml":
            if self.seen is None:
                raise InputError("a recipe is for a file", hint="choose the file first")
            given = Recipe.read(path)
            self.reread(given.replace(categories=given.categories or self._labels))
            return
        self.words.forget()
        self.source, self.seen, self._is_new = path, None, True
        self.recipe = Recipe(categories=self._labels)
        show(self._reading, False)
        self.changed()

    # Looking at it.

    def look(self) -> bool:
        """Look at the file as it is read now; True where its rows can be read."""
        if self.source is None:
            return False
        recipe = self.recipe
        seen = _look(self.source, recipe)
        if self._is_new and seen.columns:
            self._is_new, known = False, self.memory.recall(seen.columns)
            self.is_remembered = known is not None
            if known is not None:
                # How the last file was laid out counts only where this one leaves that open.
                asked = {each.add[0] for each in seen.questions if each.add}
                proven = {word: None for word in OF_LAYOUT if word not in asked}
                names = category_labels(known.categories) | self.memory.categories
                self.recipe = recipe = known.replace(**proven, categories=names or None)
                seen = _look(self.source, recipe)
        with self._kit.drawing():
            if self.recipe is not recipe:  # an answer was given meanwhile, and is looked at next
                return False
            self.seen = seen
            self._draw(seen)
        if self.is_settled:
            self.memory.keep(seen.columns, self.recipe)
        return bool(seen.records) and all(each.add for each in seen.questions)

    @property
    def is_settled(self) -> bool:
        """Whether nothing that was only recognised waits for a yes."""
        return self.seen is not None and not self.seen.questions

    @property
    def recognised(self) -> Recipe:
        """The recipe with what was recognised, which may wait for a yes."""
        if self.seen is None or self.is_settled:
            return self.recipe
        return Recipe(**self.seen.reading.given())

    def _draw(self, seen: Look) -> None:
        """Show what is known of the file."""
        columns = [each for each in seen.columns if each.strip()]
        for name, choice in self.columns.items():
            set_options(choice, [(NONE, ""), *columns], seen.mapping.get(name, ""))
        sent = {*seen.mapping.values()}
        likely_keys = seen.reading.key or [each.column for each in seen.keys]
        keys = dict.fromkeys([*likely_keys, *columns])
        key = "" if seen.reading.key == () else (seen.reading.key or (BLANK,))[0]
        keys_left = [each for each in keys if each not in sent]
        set_options(self.key, [(OPEN, BLANK), ("(none)", ""), *keys_left], key)
        dates = [(f"the newest by {shorten(each, COLUMN_LENGTH)}", f"newest: {each}")
                 for each in seen.dates if each.strip()]  # fmt: skip
        rows = [(OPEN, ""), *dates, ("the first row", "first"), ("the last row", "last")]
        set_options(self.keep, rows, self.recipe.keep or "")
        found = {**seen.facts, "header_row": seen.header_row or 1}
        offered: dict[str, list[Any]] = {
            "encoding": [*ENCODINGS],
            "delimiter": [(name, sign) for sign, name in SIGNS.items()],
            "header_row": [*range(1, max(40, seen.header_row or 1) + 1)],
            "sheet": [*seen.sheets],
        }
        for word, choice in self.layout.items():
            value, options = found.get(word, ""), offered[word]
            is_offered = value in (each[1] if isinstance(each, tuple) else each for each in options)
            set_options(choice, options if is_offered else [*options, value], value)
            show(choice, seen.kind == "csv" if word in ("encoding", "delimiter") else
                 word == "header_row" or len(seen.sheets) > 1)  # fmt: skip
        show(self._recalled, self.is_remembered)
        show(self._reading, True)
        said = [each.add for each in seen.questions if each.add]
        asked = [str(each) for each in seen.questions if not each.add]
        self._wrong.selected_index = 0 if asked or any(w != "mapping" for w, _ in said) else None
        lines = [line for word, value in said for line in _recognised(word, value)]
        told = PAGE.warning("Please check", lines) if lines else Markup()
        told += Markup("").join(PAGE.failure("This needs your answer", [each]) for each in asked)
        self._told.value = told.replace(f"{self._uploads.name}/", "")
        is_clear = seen.records and not asked  # else there is more to say than yes
        show(self.right, lines and is_clear)
        likely = seen.proposed_key
        show(self._key_row, likely is not None and seen.reading.key is None)
        if likely is not None:
            words = f"{likely}. If it is the animal's for good, no animal is sent twice."
            self._likely.value = element("span", words)
            self.use_key.description = f"Use {likely.column}"
            self.use_key.tooltip = likely.column
        self._preview.value = grid(_preview(seen))
        self.words.draw(seen, self.recipe)

    # What the controls do.

    def reread(self, recipe: Recipe) -> None:
        """Read the file as another recipe says."""
        if self.seen is not None and recipe != self.recipe:
            self.recipe = recipe
            self.changed()

    def _lay_out(self, word: str, value: Any) -> None:
        # Laid out otherwise, it has other columns, which are recognised anew.
        self.words.forget()
        self.reread(self.recipe.replace(**{word: value}, mapping=None, key=None))

    def _set_key(self, said: str) -> None:
        self.reread(self.recipe.replace(key=None if said == BLANK else said))

    def _use_key(self) -> None:
        self.key.value = self.use_key.tooltip

    def _map(self, _: str) -> None:
        columns = {name: choice.value or None for name, choice in self.columns.items()}
        mapping = {field.name: columns[field.name] for field in SENT_FIELDS
                   if columns[field.name] or not field.is_required}  # fmt: skip
        self.reread(self.recognised.replace(mapping=mapping))

    def _agree(self) -> None:
        self.reread(self.recognised)

    def _forget(self) -> None:
        if self.seen is not None and self.source is not None:
            self.memory.forget(self.seen.columns)
            self.take(self.source)

    def _save(self) -> None:
        if self.seen is not None:
            path = Path(self._uploads.name, f"{Path(self.seen.name).stem or 'recipe'}.toml")
            self.drop.download_file(self.recipe.write(path))

    def close(self) -> None:
        """Stop what is under way, in order, and remove the uploads."""
        self.work.close()
        self._uploads.cleanup()


def _look(path: Path, recipe: Recipe) -> Look:
    """Look at a file; of several sheets at the first one whose columns are recognised."""
    seen = look(path, recipe, rows=ROWS_KEPT, most=ROWS_LOOKED_AT)
    sheets = seen.sheets[:MOST_SHEETS] if recipe.sheet is None and not seen.records else ()
    for sheet in sheets if len(sheets) > 1 else ():
        other = look(path, recipe.replace(sheet=sheet), rows=ROWS_KEPT, most=ROWS_LOOKED_AT)
        if other.records:
            return other
    return seen


def _recognised(word: str, value: Any) -> list[str]:
    """Say what was recognised, as a person would."""
    if word == "mapping":
        return [
            f"Say above which column is the {LABELS[name].lower()}."
            if column == BLANK
            else f"{LABELS[name]} is {column!r}."
            for name, column in value.items()
        ]
    shown = {**SIGNS, **ENCODINGS}.get(value) or value
    return [RECOGNISED.get(word, "The {1} is {0!r}.").format(shown, word)]


def _preview(seen: Look) -> Markup:
    """Draw the first rows, and above each column what it is."""
    fields = {column: f"→ {LABELS[name]}" for name, column in seen.mapping.items()}
    fields |= dict.fromkeys(seen.reading.key or (), "our animal number")
    shown = [at for at, column in enumerate(seen.columns) if column.strip()]
    head = []
    for at in shown:
        column = seen.columns[at]
        what = element("small", fields.get(column, "not sent"), class_="pf-faint")
        head.append(element("span", shorten(column, COLUMN_LENGTH), what))
    rows = [[shorten("".join(row[at : at + 1]), COLUMN_LENGTH) for at in shown]
            for row in seen.rows[:ROWS_SHOWN]]  # fmt: skip
    return PAGE.table(rows, head, caption=f"The first rows of {seen.name}")
