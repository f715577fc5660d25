"""Asks where a file is, how it is read, and which column is what."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from petstore_frame.charts import element
from petstore_frame.dashboard.background import Work
from petstore_frame.dashboard.store_header import Top
from petstore_frame.dashboard.value_mapping import WordsStep
from petstore_frame.dashboard.widgets import LABELS, LARGEST_MESSAGE, grid, set_options, show
from petstore_frame.errors import InputError
from petstore_frame.loader import Look, Recipe
from petstore_frame.rendering import PAGE, Markup, shorten
from petstore_frame.schema import FIELDS, Labels

ROWS_SHOWN, ROWS_KEPT, ROWS_LOOKED_AT, COLUMN_LENGTH = 6, 30_000, 100_000, 40
KINDS = ".csv,.tsv,.txt,.gz,.xlsx,.xlsm"
HINT = "Drop a file here, or paste a table from a spreadsheet"
OPEN, NONE = "choose …", "(not in the file)"
PLACEHOLDER = "?"  # what a recipe has for an open answer
ORDERED = "order_by: "
# The words of a recipe that say how a file is laid out, as "Does it look wrong?" asks for them.
LAYOUT = {"encoding": "Encoding", "delimiter": "Delimiter", "header_row": "Column names in row",
          "sheet": "Sheet"}  # fmt: skip
OF_LAYOUT = (*LAYOUT, "quoting", "columns")
# What is asked of a file, by the field or the word of a recipe that holds the answer.
ASKED = {
    **{field.name: f"{LABELS[field.name]} is" for field in FIELDS.sent},
    "key": "Our animal number",
    "keep": "Same number, different details: which row counts?",
    **LAYOUT,
}
ENCODINGS = ("utf-8", "cp1252", "cp1250", "mac_roman", "utf-16")
SIGNS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


class FileTab:
    """A file and how it is read: the first steps of a tab, which does something with it.

    A tab calls ``changed`` whenever the file is to be read anew, and then ``look``.

    Attributes:
        widget: The whole tab.
        file, path, drop, labels: Ways to give a file, and the names of categories.
        reading: How it is read, by field or word of a recipe: ``reading["key"].value = "Tag"``.
        right: A button: what was recognised is right.
        words: What its words mean.
        start_over, save: Buttons that forget what is remembered, and save it as a recipe.
        recipe: How the file is read; ``seen`` is what it looks like so.
        notice, stop: What is said about the work under way, and its button.
    """

    def __init__(self, top: Top, what: str) -> None:
        self.top, self.memory, self.kit = top, top.memory, top.kit
        kit = top.kit
        self._uploads = tempfile.TemporaryDirectory(prefix="petstore-upload-")
        self.source: Path | None = None
        self.recipe = Recipe()
        self.seen: Look | None = None
        self._is_new = self.is_remembered = False
        self.work = Work(kit, self.draw_buttons)
        self.notice, self.stop = self.work.notice, self.work.stop
        self.file = self._upload(what, KINDS, self.take)
        self.labels = self._upload("Category names (CSV)", ".csv", self._label)
        self.path = kit.text("or its path", "on the machine that runs this", self._named,
                             css="pf-wide")  # fmt: skip
        self.drop = kit.figures(lambda _: None, self._dropped)
        place = {"class_": "pf-drop", "placeholder": HINT, "aria_label": HINT}
        self.drop.markup = element("textarea", "", rows=2, **place)
        self.reading = {
            word: kit.choice(name, [("", "")], partial(self._say, word))
            for word, name in ASKED.items()
        }
        self.right = kit.button("Yes, this is right", lambda: self.reread(self.recognised))
        self.right.button_style = "primary"
        self.start_over = kit.button("start over", self._forget)
        self.save = kit.button("Save as a recipe", self._save, "for Python, or for a colleague")
        self._told, self._preview = kit.html(), kit.html(css="pf-preview")
        self._recalled = kit.row(kit.html("Same answers as last time:"), self.start_over)
        layout = kit.row(*(self.reading[word] for word in LAYOUT))
        self._wrong = kit.make(widgets.Accordion, (layout,), titles=("Does it look wrong?",))
        self.words = WordsStep(top, lambda said: self.reread(said(self.recipe)))
        columns = [self.reading[word] for word in ASKED if word not in LAYOUT]
        self._steps = kit.column(
            self._recalled, kit.row(*columns, self.save), self._told, self.right,
            self._preview, self._wrong, self.words.widget,
        )  # fmt: skip
        self.widget = kit.column(
            kit.row(self.file, self.path, self.labels), self.drop, self._steps, css="pf-column"
        )
        self.widget.add_class("pf-tab")
        show(self._steps, False)

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
        made = self.kit.control(widgets.FileUpload, name, uploaded, **options)
        return made

    def _label(self, path: Path) -> None:
        self.memory.name_categories(dict(Labels.words(path)))
        self.reread(self.recipe.replace(categories=self.memory.categories))

    def _dropped(self, name: str, size: int, content: bytes | None) -> None:
        if content is None:
            size, most = size // 1024**2, LARGEST_MESSAGE // 1024**2
            hint = "put the file on the machine that runs this, and give its path instead"
            raise InputError(f"{name} has {size:,} MB; a browser carries {most}", hint=hint)
        self.take(self._kept(name, content))

    def _named(self, path: str) -> None:
        if path.strip():
            self.take(Path(path.strip()).expanduser())

    def _kept(self, name: str, content: bytes) -> Path:
        # A browser may send any name, with any path and of any length.
        path = Path(
            self._uploads.name, re.sub(r"[^\w .()-]", "_", name)[-50:].strip(". ") or "upload"
        )
        path.write_bytes(content)
        return path

    def take(self, path: Path) -> None:
        """Take another file."""
        self.words.forget()
        self.source, self.seen, self._is_new = path, None, True
        self.recipe = Recipe(categories=self.memory.categories or None)
        show(self._steps, False)
        self.changed()

    # Looking at it.

    def look(self) -> bool:
        """Look at the file as it is read now; True where its rows can be read."""
        if self.source is None:
            return False
        recipe = self.recipe
        seen = Look.of(self.source, recipe, rows=ROWS_KEPT, most=ROWS_LOOKED_AT)
        if self._is_new and seen.columns:
            self._is_new, known = False, self.memory.recall(seen.columns)
            self.is_remembered = known is not None
            if known is not None:
                # How the last file was laid out counts only where this one leaves that open.
                asked = {each.add[0] for each in seen.questions if each.add}
                proven = {word: None for word in OF_LAYOUT if word not in asked}
                names = dict(Labels.words(known.categories)) | self.memory.categories
                self.recipe = recipe = known.replace(**proven, categories=names or None)
                seen = Look.of(self.source, recipe, rows=ROWS_KEPT, most=ROWS_LOOKED_AT)
        with self.kit.drawing():
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
        """Show what is known of the file, and what is asked."""
        for word, (options, value) in self._offers(seen).items():
            set_options(self.reading[word], options, value)
        for word in ("encoding", "delimiter"):
            show(self.reading[word], seen.kind == "csv")
        show(self.reading["sheet"], len(seen.sheets) > 1)
        show(self._recalled, self.is_remembered)
        show(self._steps, True)
        said = [each.add for each in seen.questions if each.add]
        asked = [str(each) for each in seen.questions if not each.add]
        is_odd = asked or any(word != "mapping" for word, _ in said)
        self._wrong.selected_index = 0 if is_odd else None
        lines = [line for word, value in said for line in _recognised(word, value)]
        told = PAGE.warning("Please check", lines) if lines else Markup()
        told += Markup("").join(PAGE.failure("This needs your answer", [each]) for each in asked)
        if seen.proposed_key is not None and seen.reading.key is None:
            words = "If it is the animal's for good, choose it above: no animal is sent twice."
            told += element("p", f"{seen.proposed_key}. {words}")
        self._told.value = told
        show(self.right, lines and seen.records and not asked)  # else there is more to say than yes
        self._preview.value = grid(_preview(seen))
        self.words.draw(seen, self.recipe)

    def _offers(self, seen: Look) -> Mapping[str, tuple[list[Any], Any]]:
        """Return what each control of the reading offers, and what holds now."""
        columns = [each for each in seen.columns if each.strip()]
        sent, key = {*seen.mapping.values()}, seen.reading.key
        likely = seen.reading.key or [each.column for each in seen.keys]
        keys = [each for each in dict.fromkeys([*likely, *columns]) if each not in sent]
        dates = [(f"the latest by {shorten(each, COLUMN_LENGTH)}", f"{ORDERED}{each}")
                 for each in seen.dates if each.strip()]  # fmt: skip
        keep = self.recipe.keep or PLACEHOLDER
        if self.recipe.order_by is not None:
            keep = f"{ORDERED}{self.recipe.order_by}"
        rows = [(OPEN, PLACEHOLDER), *dates, ("the first row", "first"), ("the last row", "last")]
        row, laid_out = seen.header_row or 1, {word: seen.facts.get(word, "") for word in LAYOUT}
        encodings = dict.fromkeys([*ENCODINGS, laid_out["encoding"]])
        signs = SIGNS | {sign: sign for sign in [laid_out["delimiter"]] if sign not in SIGNS}
        return {
            **{field.name: ([(NONE, ""), *columns], seen.mapping.get(field.name, ""))
               for field in FIELDS.sent},
            "key": ([(OPEN, PLACEHOLDER), ("(none)", ""), *keys],
                    PLACEHOLDER if key is None else "".join(key[:1])),
            "keep": (rows, keep),
            "encoding": ([*encodings], laid_out["encoding"]),
            "delimiter": ([(name, sign) for sign, name in signs.items()], laid_out["delimiter"]),
            "header_row": ([*range(1, max(40, row) + 1)], row),
            "sheet": ([*seen.sheets] or [""], laid_out["sheet"]),
        }  # fmt: skip

    # What the controls do.

    def reread(self, recipe: Recipe) -> None:
        """Read the file as another recipe says."""
        if self.seen is not None and recipe != self.recipe:
            self.recipe = recipe
            self.changed()

    def _say(self, word: str, value: Any) -> None:
        """Take what a control says as a word of the recipe."""
        said: dict[str, Any] = {word: None if value == PLACEHOLDER else value}
        if word == "keep":
            is_ordered = str(value).startswith(ORDERED)
            said["order_by"] = str(value).removeprefix(ORDERED) if is_ordered else None
            said["keep"] = "last" if is_ordered else said["keep"]
        if word in LAYOUT:
            # Laid out otherwise, it has other columns, which are recognised anew.
            self.words.forget()
            said |= {"mapping": None, "key": None}
        elif word in LABELS:
            columns = {field: self.reading[field.name].value for field in FIELDS.sent}
            said = {"mapping": {field.name: column or None for field, column in columns.items()
                                if column or not field.is_required}}  # fmt: skip
            self.reread(self.recognised.replace(**said))
            return
        self.reread(self.recipe.replace(**said))

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


def _recognised(word: str, value: Any) -> list[str]:
    """Say what was recognised, as a person would."""
    if word == "mapping":
        return [
            f"Say above which column is the {LABELS[name].lower()}."
            if column == PLACEHOLDER
            else f"{LABELS[name]} is {column!r}."
            for name, column in value.items()
        ]
    if word == "encoding":
        return [f"Umlauts and accents are read as {value}. Do the names look right?"]
    return [f"{ASKED.get(word, word.capitalize())}: {SIGNS.get(value, value)}."]


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
