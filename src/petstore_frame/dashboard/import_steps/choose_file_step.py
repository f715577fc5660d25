"""Step 1: chooses a file, and confirms its layout (encoding, delimiter, header row, sheet)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from petstore_frame.dashboard.page.form import Table
from petstore_frame.dashboard.page.live_html import LARGEST_MESSAGE
from petstore_frame.dashboard.page.local_time import time_element
from petstore_frame.dashboard.page.step_frame import Progress, Step
from petstore_frame.dashboard.page.widgets import WidgetFactory, scrollable, set_visible
from petstore_frame.dashboard.state.file_state import FileState
from petstore_frame.dashboard.state.step_questions import DELIMITERS, ENCODINGS, layout_questions
from petstore_frame.errors import InputError
from petstore_frame.loader import FilePreview, Recipe
from petstore_frame.rendering import PAGE, Markup, element, shorten

if TYPE_CHECKING:
    from petstore_frame.dashboard.import_steps.file_steps import FileSteps

PREVIEW_ROWS, LONGEST_CELL = 6, 40
EXTENSIONS = ".csv,.tsv,.txt,.gz,.xlsx,.xlsm"
DROP_HERE = "Drop a file here, or paste a table from a spreadsheet"


class ChooseFileStep:
    """The controls to choose a file and to set its layout.

    Attributes:
        file, path, drop: Controls to upload a file, enter its path on this machine, and drop it or
            paste a table.
        settings: Uploads a saved recipe to read the file with.
        form: The layout options by name: ``form["header_row"].value = "3"``.
        start_over: The button that deletes the saved answers for this header.
        resume, forget: The buttons that continue with the file of an earlier page, and delete it.
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
        self.form = factory.form(steps.answer)
        self._problems = factory.html()
        self._preview = factory.html(css="pf-preview")
        self.start_over = factory.button("Start over", steps.start_over, css="pf-link")
        self.remembered = factory.row(
            factory.html(element("span", "Using the answers of the last file with these columns.")),
            self.start_over,
        )
        self.resume = factory.button("", steps.resume)
        self.resume.button_style = "primary"
        self.forget = factory.button("Remove it", steps.forget_unfinished, css="pf-link")
        self._unfinished = factory.html()
        self._unfinished_row = factory.row(self._unfinished, self.resume, self.forget)
        self.area = steps.background.add_area(factory)
        self.extra = factory.row(self.settings)
        self.step.body.children = [
            self._unfinished_row,
            factory.row(self.file, self.path, self.extra),
            self.drop,
            self._problems,
            self.form,
            self._preview,
        ]
        self.step.widget.children = [*self.step.widget.children, self.area.widget, self.remembered]

    def render(self, state: FileState) -> None:
        preview = state.preview
        is_current = not state.has_layout
        progress = Progress.CURRENT if is_current else Progress.DONE
        summary = _summary(state)
        self.step.render(progress, summary, is_opened=state.opened == 1, note=summary)
        set_visible(self.remembered, state.is_remembered and not state.is_finished)
        self._offer_unfinished(state)
        self.form.ask([Table("", layout_questions(state))])
        problems = [
            PAGE.failure("This file needs your answer", str(problem).splitlines())
            for problem in state.unreadable
        ]
        self._problems.value = Markup("").join(problems)
        self._preview.value = ""
        if preview is not None and (is_current or state.opened == 1):
            is_encoding_open = "encoding" in state.likely_layout
            table = preview_table(preview, accented_rows_first=is_encoding_open)
            self._preview.value = scrollable(table)

    def _offer_unfinished(self, state: FileState) -> None:
        """Offer the file that an earlier page left open, unless this page has a file."""
        saved = self._steps.unfinished_file
        set_visible(self._unfinished_row, saved is not None and state.source is None)
        if saved is not None:
            name = shorten(saved.source.name, LONGEST_CELL)
            time = time_element(saved.saved_at)
            self._unfinished.value = element("span", f"{name} is not finished; last answer: ", time)
            self.resume.description = f"Continue with {name}"

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
        path = self._steps.scratch_path(name)
        path.write_bytes(content)
        self._steps.use_settings(Recipe.read(path))


def _summary(state: FileState) -> str:
    """Describe the file and its layout in one line."""
    preview, source = state.preview, state.source
    if preview is None or source is None:
        return ""
    if state.is_finished:
        return preview.name
    parts = [preview.name]
    if preview.records or preview.stopped_by:  # neither until the columns are matched
        parts.append(preview.counted_rows)
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
