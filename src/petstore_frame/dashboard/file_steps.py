"""The first steps with a file: where it is, how it is read, which column is what."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from petstore_frame.charts import element
from petstore_frame.dashboard.kit import Kit, set_options, show
from petstore_frame.dashboard.live import LARGEST_MESSAGE
from petstore_frame.dashboard.memory import Memory
from petstore_frame.dashboard.words_step import LABELS, WordsStep
from petstore_frame.errors import InputError
from petstore_frame.loader.reading import BLANK, Look, Recipe, look
from petstore_frame.markup import PAGE, Markup
from petstore_frame.markup.palette import shorten
from petstore_frame.schema.categories import category_labels
from petstore_frame.schema.models import FIELD_BY_NAME

ROWS_SHOWN, ROWS_KEPT, ROWS_LOOKED_AT, MOST_SHEETS, COLUMN_LENGTH = 6, 30_000, 100_000, 20, 40
LONGEST_NAME = 200  # bytes that file systems allow
KINDS = ".csv,.tsv,.txt,.gz,.xlsx,.xlsm,.toml"
HINT = "Drop a file here, or paste a table from a spreadsheet; a saved recipe is taken, too"
TEXTS = {"cp1252": "Windows", "cp1250": "Central European Windows", "mac_roman": "Mac"}
ENCODINGS = ("utf-8", "cp1252", "cp1250", "mac_roman", "utf-16")
SIGNS = [("comma", ","), ("semicolon", ";"), ("tab", "\t"), ("bar", "|")]
LAYOUT = ("encoding", "delimiter", "quoting", "sheet", "header_row", "columns")
OPEN, NONE = "choose …", "(not in the file)"


class FileTab:
    """A file and how it is read: the first steps of a tab, which does something with it.

    A tab calls ``changed`` whenever the file is to be read anew, and then ``look``.

    Attributes:
        file, path, drop, labels: Ways to give a file, and the names of categories.
        name, category, status: Which column is which field.
        key, keep: The column of our animal number, and which of several rows of one counts.
        use_key: A button that takes the likely one.
        right: A button that says that what was recognised is right.
        encoding, delimiter, header_row, sheet: How the file is laid out.
        words: What its words mean.
        start_over, save: Buttons that forget what is remembered, and save it as a recipe.
        recipe: How the file is read; ``seen`` is what it looks like so.
    """

    def __init__(
        self, kit: Kit, memory: Memory, numbers: Callable[[], Collection[int]], what: str
    ) -> None:
        self._kit, self.memory = kit, memory
        self._uploads = tempfile.TemporaryDirectory(prefix="petstore-upload-")
        self.source: Path | None = None
        self.recipe = Recipe()
        self.seen: Look | None = None
        self._given: Recipe | None = None
        self._is_new = self._is_drawing = self.is_remembered = False
        self.file = self._upload(what, KINDS, self._uploaded)
        self.labels = self._upload("Category names (CSV)", ".csv", self._labelled)
        self.path = kit.text("or its path", "on the machine that runs this", self._named)
        self.path.add_class("pf-wide")
        self.drop = kit.live(lambda _: None, self._dropped)
        self.drop.markup = element("textarea", "", class_="pf-drop", rows=2, placeholder=HINT,
                                   aria_label=HINT)  # fmt: skip
        self.name, self.category, self.status = (
            kit.choice(f"{LABELS[name]} is", [(OPEN, "")], self._mapped)
            for name in ("name", "category_id", "status")
        )
        self.key = kit.choice("Our animal number", [(OPEN, BLANK)], self._set_key)
        same = "Same number, different details: which row counts?"
        self.keep = kit.choice(same, [(OPEN, "")], self._set("keep"))
        self.right = kit.button("Yes, this is right", self._agree, button_style="primary")
        self.encoding = kit.choice("Encoding", ENCODINGS, self._set("encoding"))
        self.delimiter = kit.choice("Delimiter", SIGNS, self._set("delimiter"))
        self.header_row = kit.choice("Column names in row", range(1, 41), self._set("header_row"))
        self.sheet = kit.choice("Sheet", [("", "")], self._set("sheet"))
        self.start_over = kit.button("start over", self._forget)
        self.save = kit.button("Save as a recipe", self._save, "for Python, or for a colleague")
        self.use_key = kit.button("", self._use_key)
        self._likely = kit.html()
        self._key_box = kit.row(self._likely, self.use_key)
        self._remembered = kit.html("Same answers as last time:")
        self._told, self._preview = kit.html(), kit.html(css="pf-preview")
        laid_out = kit.row(self.encoding, self.delimiter, self.header_row, self.sheet)
        self._layout = kit.make(widgets.Accordion, "", (laid_out,), titles=("Does it look wrong?",))
        self.words = WordsStep(kit, memory, numbers, self._reread)
        self._recalled = kit.row(self._remembered, self.start_over)
        self._columns = kit.column(
            self._recalled,
            kit.row(self.name, self.category, self.status, self.key, self.keep, self.save),
            self._told, kit.row(self.right), self._key_box, self._preview, self._layout,
        )  # fmt: skip
        self.steps = kit.column(
            kit.row(self.file, self.path, self.labels), self.drop, self._columns, self.words.widget
        )
        show(self._columns, False)

    def changed(self) -> None:
        """Read the file anew."""
        raise NotImplementedError

    def _upload(self, name: str, kinds: str, taken: Callable[[], None]) -> widgets.FileUpload:
        made = self._kit.make(
            widgets.FileUpload, "pf-file", description=name, accept=kinds, tooltip=name
        )
        return self._kit.on_change(made, taken)

    @property
    def recognised(self) -> Recipe:
        """The recipe with what was recognised, which may wait for a yes."""
        reading = None if self.seen is None else self.seen.reading
        return reading if isinstance(reading, Recipe) else self.recipe

    # Giving a file.

    def _uploaded(self) -> None:
        for given in self.file.value:
            self.take(self._kept(given["name"], bytes(given["content"])))
        self.file.value = ()

    def _labelled(self) -> None:
        for given in self.labels.value:
            path = self._kept(given["name"], bytes(given["content"]))
            self.memory.name_categories(category_labels(path))
        if self.labels.value:
            self.labels.value = ()
            self._reread(self.recipe.replace(categories=self.memory.categories or None))

    def _dropped(self, name: str, size: int, content: bytes | None) -> None:
        if content is None:
            mib = 1024**2
            raise InputError(
                f"{name} has {size / mib:,.0f} MB; a browser carries {LARGEST_MESSAGE / mib:,.0f}",
                hint="put the file on the machine that runs this, and give its path instead",
            )
        self.take(self._kept(name, content))

    def _named(self) -> None:
        if self.path.value.strip():
            self.take(Path(self.path.value.strip()).expanduser())

    def _kept(self, name: str, content: bytes) -> Path:
        # A browser may send any name; only its last part may choose where the file goes.
        name = Path(name.replace("\\", "/").replace("\0", "")).name
        if not name.strip(".") or len(name.encode(errors="replace")) > LONGEST_NAME:
            name = f"upload{Path(name).suffix[:10]}"
        path = Path(self._uploads.name, name)
        path.write_bytes(content)
        return path

    def as_known(self, markup: str) -> str:
        """Return a text that names an upload without its folder, which the user does not know."""
        return markup.replace(f"{self._uploads.name}/", "").replace(f"{self._uploads.name}\\", "")

    def take(self, path: Path) -> None:
        """Take another file; or a recipe, for the file on the screen or for the next one."""
        if path.suffix == ".toml":
            self._given = Recipe.read(path)
            if self.source is None:
                self._told.value = PAGE.success(path.name, ["The next file is read with it."])
                return
            path = self.source
        self.words.forget()
        self.source, self.seen, self._is_new = path, None, True
        self.recipe = self._fresh()
        show(self._columns, False)
        self.changed()

    def _fresh(self) -> Recipe:
        return Recipe(categories=self.memory.categories or None)

    # Looking at it.

    def look(self) -> bool:
        """Look at the file as it is read now; True where its rows can be read."""
        if self.source is None:
            return False
        seen = _look(self.source, self.recipe)
        if self._is_new and seen.columns:
            self._is_new, known = False, self._given or self.memory.recall(seen.columns)
            self.is_remembered = self._given is None and known is not None
            self._given = None
            if known is not None:
                # How the last file was laid out counts only where this one leaves that open.
                asked = {each.add[0] for each in seen.questions if each.add}
                proven = {word: None for word in LAYOUT if word not in asked}
                names = category_labels(known.categories) | self.memory.categories
                self.recipe = known.replace(**proven, categories=names or None)
                seen = _look(self.source, self.recipe)
        self.seen = seen
        self.draw()
        return bool(seen.records) and not self.open_questions

    @property
    def open_questions(self) -> list[InputError]:
        """What only the user can answer before anything is read."""
        return [] if self.seen is None else [each for each in self.seen.questions if not each.add]

    @property
    def is_settled(self) -> bool:
        """Whether nothing that was only recognised waits for a yes."""
        return self.seen is not None and not self.seen.questions

    def keep_in_memory(self) -> None:
        """Remember how the file is read."""
        if self.seen is not None:
            self.memory.keep(self.seen.columns, self.recipe)

    # Showing it.

    def draw(self) -> None:
        """Show what is known of the file."""
        with self._kit.lock:
            if self.seen is not None:
                self._draw(self.seen)

    def _draw(self, seen: Look) -> None:
        self._is_drawing = True
        try:
            columns = [each for each in seen.columns if each.strip()]
            for name, choice in self._fields().items():
                set_options(choice, [(NONE, ""), *columns], seen.mapping.get(name, ""))
            keys = [*dict.fromkeys([*seen.key_columns, *columns])]
            keys = [each for each in keys if each not in seen.mapping.values()]
            key = "" if seen.reading.key == () else (seen.reading.key or (BLANK,))[0]
            set_options(self.key, [(OPEN, BLANK), ("(none)", ""), *keys], key)
            dates = [(f"the newest by {shorten(each, COLUMN_LENGTH)}", f"newest: {each}")
                     for each in seen.dates if each.strip()]  # fmt: skip
            rows = [(OPEN, ""), *dates, ("the first row", "first"), ("the last row", "last")]
            set_options(self.keep, rows, self.recipe.keep or "")
            encoding = seen.facts.get("encoding", "")
            known = dict.fromkeys(filter(None, [encoding, *seen.encodings, *ENCODINGS]))
            set_options(self.encoding, known, encoding)
            sign = seen.facts.get("delimiter", "")
            more = [(sign, sign)] if sign and sign not in [value for _, value in SIGNS] else []
            set_options(self.delimiter, [*SIGNS, *more], sign)
            most = max(40, seen.header_row or 1)
            set_options(self.header_row, range(1, most + 1), seen.header_row or 1)
            set_options(self.sheet, seen.sheets or [""], seen.facts.get("sheet", ""))
        finally:
            self._is_drawing = False
        show(self.encoding, seen.kind == "csv")
        show(self.delimiter, seen.kind == "csv")
        show(self.sheet, len(seen.sheets) > 1)
        show(self._recalled, self.is_remembered)
        show(self._columns, True)
        proposed = [each.add for each in seen.questions if each.add]
        layout = [name for name, _ in proposed if name != "mapping"]
        self._layout.selected_index = 0 if layout or self.open_questions else None
        lines = [line for name, value in proposed for line in _recognised(name, value)]
        self._told.value = self.as_known(
            (PAGE.warning("Please check", lines) if lines else "")
            + Markup("").join(PAGE.failure("This needs your answer", [str(each)])
                              for each in self.open_questions)
        )  # fmt: skip
        show(self.right, bool(lines) and not self.open_questions)
        self._draw_likely_key(seen)
        self._preview.value = element("div", _preview(seen), class_="pf-grid")
        self.words.draw(seen, self.recipe)

    def _draw_likely_key(self, seen: Look) -> None:
        likely = seen.proposed_key
        is_open = seen.reading.key is None and not seen.is_returned and likely is not None
        show(self._key_box, is_open)
        if is_open and likely is not None:
            words = f"{likely}. If it is the animal's for good, no animal is sent twice."
            self._likely.value = element("span", words)
            self.use_key.description = f"Use {likely.column}"
            self.use_key.tooltip = likely.column

    def show_keep(self, is_asked: bool) -> None:
        """Ask which row of a number counts, or do not."""
        show(self.keep, is_asked or bool(self.recipe.keep))

    def _fields(self) -> dict[str, Any]:
        return {"name": self.name, "category_id": self.category, "status": self.status}

    # What the controls do.

    def _reread(self, recipe: Recipe) -> None:
        if self.seen is not None and recipe != self.recipe:
            self.recipe = recipe
            self.changed()

    def _set(self, word: str) -> Callable[[], None]:
        def changed() -> None:
            value = getattr(self, word).value
            if self._is_drawing or self.seen is None:
                return
            if word == "keep":
                self._reread(self.recipe.replace(keep=value or None))
            else:  # another layout: recognise the columns anew
                self.words.forget()
                self._reread(self.recipe.replace(**{word: value}, mapping=None, key=None))

        return changed

    def _set_key(self) -> None:
        if not self._is_drawing and self.seen is not None:
            said = None if self.key.value == BLANK else self.key.value
            self._reread(self.recipe.replace(key=said))

    def _use_key(self) -> None:
        self.key.value = self.use_key.tooltip

    def _mapped(self) -> None:
        if self._is_drawing or self.seen is None:
            return
        columns = {name: choice.value or None for name, choice in self._fields().items()}
        mapping = {name: column for name, column in columns.items()
                   if column or not FIELD_BY_NAME[name].is_required}  # fmt: skip
        self._reread(self.recognised.replace(mapping=mapping))

    def _agree(self) -> None:
        if self.seen is not None:
            self._reread(self.recognised)

    def _forget(self) -> None:
        if self.seen is not None and self.source is not None:
            self.memory.forget(self.seen.columns)
            self.take(self.source)

    def _save(self) -> None:
        if self.seen is not None:
            path = Path(self._uploads.name, f"{Path(self.seen.name).stem or 'recipe'}.toml")
            self.drop.download_file(self.recipe.write(path))

    def close(self) -> None:
        """Remove the uploads."""
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
        return [f"{LABELS[name]} is {column!r}." for name, column in value.items()]
    if word == "encoding":
        kind = TEXTS.get(value, value)
        return [f"Umlauts and accents are read as {kind} text. Do the names look right?"]
    if word == "header_row":
        above = "Row 1 is a title" if value > 1 else "There is no title"
        return [f"{above}; the column names are in row {value}."]
    if word == "sheet":
        return [f"The sheet {value!r} is read."]
    sign = {value: name for name, value in SIGNS}.get(value, value)
    return [f"The {word} is {sign!r}."]


def _preview(seen: Look) -> Markup:
    """Draw the first rows, and above each column what it is."""
    fields = {column: f"→ {LABELS[name]}" for name, column in seen.mapping.items()}
    fields |= dict.fromkeys(seen.reading.key or (), "our animal number")
    shown = [at for at, column in enumerate(seen.columns) if column.strip()]
    head = []
    for at in shown:
        column = seen.columns[at]
        what = element("small", fields.get(column, "not sent"), class_="pf-faint")
        head.append(element("span", shorten(column, COLUMN_LENGTH) or "(no name)", what))
    rows = [[shorten("".join(row[at : at + 1]), COLUMN_LENGTH) for at in shown]
            for row in seen.rows[:ROWS_SHOWN]]  # fmt: skip
    return PAGE.table(rows, head, caption=f"The first rows of {seen.name}")
