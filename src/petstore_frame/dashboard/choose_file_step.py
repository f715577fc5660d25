"""Step 1: chooses a file, and confirms its layout (encoding, delimiter, header row, sheet)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame.dashboard.file_state import ENCODING, LAYOUT_OPTIONS, FileState
from petstore_frame.dashboard.live_html import LARGEST_MESSAGE
from petstore_frame.dashboard.step_frame import Progress, Step
from petstore_frame.dashboard.widgets import WidgetFactory, scrollable, set_options, set_visible
from petstore_frame.errors import InputError
from petstore_frame.loader import FilePreview, Recipe
from petstore_frame.rendering import PAGE, Markup, element, shorten
from petstore_frame.schema import count_text

if TYPE_CHECKING:
    from petstore_frame.dashboard.file_steps import FileSteps

PREVIEW_ROWS, LONGEST_CELL, HEADER_ROWS = 6, 40, 40
EXTENSIONS = ".csv,.tsv,.txt,.gz,.xlsx,.xlsm"
DROP_HERE = "Drop a file here, or paste a table from a spreadsheet"
LAYOUT_LABELS = {
    "encoding": "Encoding",
    "delimiter": "Delimiter",
    "header_row": "Column names in row",
    "sheet": "Sheet",
}
ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 with a signature",
    "cp1252": "Windows-1252 (Western)",
    "cp1250": "Windows-1250 (Central European)",
    "mac_roman": "Mac Roman",
    "utf-16": "UTF-16",
}
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe ( | )"}


class ChooseFileStep:
    """The controls to choose a file and to set its layout.

    Attributes:
        file, path, drop: Controls to upload a file, enter its path on this machine, and drop it or
            paste a table.
        settings: Uploads a saved recipe to read the file with.
        layout: The layout options by name: ``layout["encoding"].value = "cp1252"``.
        confirm: The button that confirms the layout.
        start_over: The button that deletes the saved answers for this header.
    """

    def __init__(self, factory: WidgetFactory, steps: FileSteps, title: str, hint: str) -> None:
        self._steps = steps
        self.step = Step(factory, 1, title, hint, steps.toggle)
        self.file = factory.upload(title, EXTENSIONS, steps.keep_upload)
        self.path = factory.text(
            "or a file path", "in the folder where this was started", self._use_path, css="pf-wide"
        )
        self.settings = factory.upload("Use saved settings", ".toml", self._use_settings)
        self.drop = factory.live_html(lambda _: None, self._use_dropped)
        area = {"class_": "pf-drop", "placeholder": DROP_HERE, "aria_label": DROP_HERE}
        self.drop.markup = element("textarea", "", rows=2, **area)
        self.layout = {
            option: factory.dropdown(label, [("", "")], partial(self._set_option, option))
            for option, label in LAYOUT_LABELS.items()
        }
        self._question = factory.html()
        self.confirm = factory.button("Yes, this is right", self._confirm)
        self.confirm.button_style = "primary"
        self._preview = factory.html(css="pf-preview")
        self._layout_row = factory.row(*self.layout.values())
        self._layout_fold = factory.column(
            factory.html(element("b", "Wrong letters or columns? File settings")), self._layout_row
        )
        self.start_over = factory.button("Start over", steps.start_over, css="pf-link")
        self.remembered = factory.row(
            factory.html(element("span", "Using the answers of the last file with these columns.")),
            self.start_over,
        )
        self.area = steps.background.add_area(factory)
        self.extra = factory.row(self.settings)
        self.step.body.children = [
            factory.row(self.file, self.path, self.extra),
            self.drop,
            self._question,
            factory.row(self.confirm),
            self._preview,
            self._layout_fold,
        ]
        self.step.widget.children = [*self.step.widget.children, self.area.widget, self.remembered]

    def render(self, state: FileState) -> None:
        preview = state.preview
        is_current = not state.has_layout
        progress = Progress.CURRENT if is_current else Progress.DONE
        self.step.render(progress, _summary(state), is_opened=state.opened == 1)
        is_read = preview is not None and state.source is not None
        set_visible(self._layout_fold, is_read)
        set_visible(self.remembered, state.is_remembered)
        questions = _questions(state)
        self._question.value = questions
        set_visible(self.confirm, bool(state.layout_answers) and not state.problems)
        self._preview.value = ""
        if preview is None:
            return
        if questions or state.opened == 1:
            is_encoding_open = ENCODING in state.layout_answers
            table = preview_table(preview, accented_rows_first=is_encoding_open)
            self._preview.value = scrollable(table)
        for option, (options, value) in _layout_options(preview).items():
            set_options(self.layout[option], options, value)
        for option in ("encoding", "delimiter"):
            set_visible(self.layout[option], preview.kind == "csv")
        set_visible(self.layout["sheet"], len(preview.sheets) > 1)

    def _use_path(self, text: str) -> None:
        if text.strip():
            path = Path(text.strip()).expanduser()
            self._steps.choose(self._steps.store.folder / path)

    def _use_dropped(self, name: str, size: int, content: bytes | None) -> None:
        if content is None:
            limit = LARGEST_MESSAGE // 1024**2
            hint = "save the file on the machine that runs this page, and enter its path instead"
            raise InputError(
                f"{name} has {size // 1024**2:,} MB; a browser uploads at most {limit} MB",
                hint=hint,
            )
        self._steps.keep_upload(name, content)

    def _use_settings(self, name: str, content: bytes) -> None:
        path = self._steps.upload_path(name)
        path.write_bytes(content)
        self._steps.use_settings(Recipe.read(path))

    def _confirm(self) -> None:
        state = self._steps.state
        self._steps.change_recipe(state.recipe.with_options(**state.layout_answers))

    def _set_option(self, option: str, value: Any) -> None:
        """Read the file with another layout, and match its columns again."""
        self._steps.change_recipe(
            self._steps.state.recipe.replace(**{option: value}, mapping=None, key=None)
        )


def _summary(state: FileState) -> str:
    """Describe the file and its layout in one line."""
    preview, source = state.preview, state.source
    if preview is None or source is None:
        return ""
    rows = max(preview.count, len(preview.records))
    parts = [preview.name]
    if rows:  # 0 until the columns are matched
        parts.append(count_text(rows, "row"))
    encoding, delimiter = preview.facts.get("encoding"), preview.facts.get("delimiter")
    if encoding is not None:
        parts.append(encoding_name(encoding))
    if delimiter is not None:
        parts.append(DELIMITERS.get(delimiter, repr(delimiter)))
    if (preview.header_row or 1) > 1:
        parts.append(f"column names in row {preview.header_row}")
    return " · ".join(parts)


def encoding_name(encoding: str) -> str:
    """Return the usual name of an encoding.

    Example:
        >>> encoding_name("cp1252"), encoding_name("utf-8-sig"), encoding_name("big5")
        ('Windows-1252', 'UTF-8', 'big5')
    """
    name = ENCODINGS.get(encoding, encoding).partition(" (")[0]
    return name.removesuffix(" with a signature")


def _questions(state: FileState) -> Markup:
    """Return the questions about the layout, and the errors that prevent reading the file."""
    layout_questions = [_question(option, value) for option, value in state.layout_answers.items()]
    markup = PAGE.warning("Please check", layout_questions) if layout_questions else Markup("")
    for problem in state.problems:
        markup += PAGE.failure("This file needs your answer", str(problem).splitlines())
    return markup


def _question(option: str, value: Any) -> str:
    if option == "encoding":
        return f"We read this file as {encoding_name(value)}. Do names with accents look right?"
    if option == "delimiter":
        return f"We split the cells at each {DELIMITERS.get(value, value)}. Is that right?"
    if option == "header_row":
        return f"We use row {value} as the column names. Is that right?"
    label = LAYOUT_LABELS.get(option, option.capitalize())
    return f"{label}: {value}. Is that right?"


def _layout_options(preview: FilePreview) -> dict[str, tuple[list[Any], Any]]:
    """Return the choices and the current value of each layout option."""
    facts = {option: preview.facts.get(option, "") for option in LAYOUT_OPTIONS}
    encoding, delimiter = facts["encoding"], facts["delimiter"]
    encodings = ENCODINGS | ({} if encoding in ENCODINGS else {encoding: encoding})
    delimiters = DELIMITERS | ({} if delimiter in DELIMITERS else {delimiter: delimiter})
    header_row = preview.header_row or 1
    return {
        "encoding": ([(name, value) for value, name in encodings.items()], encoding),
        "delimiter": ([(name, value) for value, name in delimiters.items()], delimiter),
        "header_row": ([*range(1, max(HEADER_ROWS, header_row) + 1)], header_row),
        "sheet": ([*preview.sheets] or [""], facts["sheet"]),
    }


def preview_table(
    preview: FilePreview,
    notes: Callable[[str], str] = lambda _: "",
    *,
    accented_rows_first: bool = False,
) -> Markup:
    """Return the first rows as a table; ``notes`` returns the text below a column name.

    With ``accented_rows_first``, rows with non-ASCII letters come first, because only these look
    different in another encoding.
    """
    named_columns = [at for at, column in enumerate(preview.columns) if column.strip()]
    head = []
    for at in named_columns:
        column = preview.columns[at]
        note = element("small", notes(column), class_="pf-faint")
        head.append(element("span", shorten(column, LONGEST_CELL), note))
    first_rows = [*preview.rows]
    if accented_rows_first:
        first_rows.sort(key=lambda row: "".join(row).isascii())
    rows = [
        [shorten("".join(row[at : at + 1]), LONGEST_CELL) for at in named_columns]
        for row in first_rows[:PREVIEW_ROWS]
    ]
    return PAGE.table(rows, head, caption=f"Rows of {preview.name}")
