"""The part of the dashboard that adds pets from a file.

In: a file that its user chooses. Out: a preview, a rehearsal, an import with progress, and the
files that show what became of each record. Widgets only; ``import_job`` does the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from threading import RLock
from typing import Any

import ipywidgets as widgets

from petstore_frame.dashboard import parts
from petstore_frame.dashboard.import_job import Counts, ImportJob, Preview, share_done
from petstore_frame.dashboard.import_notes import (
    FIELDS,
    SETTLE,
    files_note,
    preview_table,
    settled_note,
)
from petstore_frame.dashboard.kit import Kit, show
from petstore_frame.dashboard.worker import Cancelled, Worker
from petstore_frame.loader.record import State
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.results.view import result_html
from petstore_frame.schema.models import pets_text

NOT_IN_FILE = "(not in the file)"


class ImportTab:
    """Choose, look, rehearse, load, settle.

    Args:
        kit: Makes the widgets.
        job: What does the work.
        loaded: Called after an import, so that the inventory is read again.
        lock: Held while the state changes.
    """

    def __init__(self, kit: Kit, job: ImportJob, loaded: Callable[[], None], lock: RLock) -> None:
        self._kit, self._job, self._loaded, self._lock = kit, job, loaded, lock
        self._worker = Worker("petstore-import")
        self._preview: Preview | None = None
        self._at_start = 0
        self._is_drawing = self._has_doubt = False
        self.last: LoadResult | None = None
        self._make_widgets()
        self._show_steps()

    def _make_widgets(self) -> None:
        self.upload = widgets.FileUpload(
            accept=".csv,.tsv,.txt,.gz,.xlsx,.xlsm", multiple=False, description="Choose a file"
        )
        self.path = widgets.Text(
            description="or its path",
            placeholder="on the machine that runs this, if above 8 MiB",
            continuous_update=False,
        ).add_class("pf-path")
        self.columns = {
            field: widgets.Dropdown(options=[NOT_IN_FILE], description=f"{word} is")
            for field, word in FIELDS.items()
        }
        self._make_buttons()
        html = self._kit.html
        self.preview, self.message, self.result, self.files = html(), html(), html(), html()
        intro = "<h3>Add pets from a CSV or Excel file</h3>"
        self._mapping = self._kit.row(*self.columns.values(), may_hide=True)
        self._steps = self._kit.row(self.check, self.load, self.settle, self.cancel, may_hide=True)
        self.widget = self._kit.column(
            html(intro),
            self._kit.row(self.upload, self.path),
            self._mapping,
            self.preview,
            self._steps,
            self.message,
            self.result,
            self.files,
            may_hide=True,
        )
        self.upload.observe(self._uploaded, "value")
        self.path.observe(self._path_given, "value")
        for dropdown in self.columns.values():
            dropdown.observe(self._mapped, "value")

    def _make_buttons(self) -> None:
        self.check = self._kit.button(
            "Check all records",
            "reads and checks, sends nothing",
            lambda: self._start(self._rehearse, "Checking all records …"),
        )
        self.load = self._kit.button(
            "Import", "add the valid records", lambda: self._start(self._load, "Importing …")
        ).add_class("pf-main")
        self.settle = self._kit.button(
            SETTLE,
            "look for them in the store; sends nothing",
            lambda: self._start(self._settle, "Looking for the doubtful records …"),
            may_hide=True,
        )
        self.cancel = self._kit.button(
            "Cancel", "stop after what is on its way", self._worker.cancel, may_hide=True
        )

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the work under way."""
        return self._worker.wait(timeout_s)

    def close(self) -> None:
        """Stop what is under way, in order, and remove the uploads."""
        self._worker.cancel()
        self._worker.wait()
        self._job.close()

    def _uploaded(self, change: Any) -> None:
        if not change.new:
            return
        file = change.new[0]
        with self._problems_shown():
            self._open(self._job.keep(file["name"], bytes(file["content"])))
        self.upload.value = ()

    def _path_given(self, change: Any) -> None:
        if change.new.strip():
            with self._problems_shown():
                self._open(Path(change.new.strip()).expanduser())

    def _open(self, path: Path) -> None:
        self._forget()
        self._take(self._job.look(path))

    def _mapped(self, _: Any) -> None:
        if self._is_drawing or self._preview is None:
            return
        path = self._preview.path
        with self._problems_shown():
            self.result.value = self.files.value = ""
            self._take(self._job.look(path, self._chosen()))

    def _chosen(self) -> dict[str, str]:
        """Return the columns chosen, by field."""
        values = {field: dropdown.value for field, dropdown in self.columns.items()}
        return {field: value for field, value in values.items() if value != NOT_IN_FILE}

    def _take(self, preview: Preview) -> None:
        """Show a first look, with the columns found or the means to choose them."""
        with self._lock:
            self._preview, self._at_start = preview, 0
            self._is_drawing = True
            for field, dropdown in self.columns.items():
                dropdown.options = [NOT_IN_FILE, *dict.fromkeys(preview.header)]
                dropdown.value = preview.mapping.get(field, NOT_IN_FILE)
            self._is_drawing = False
            self.preview.value = preview_table(preview)
            title = "Which column is which?"
            self.message.value = parts.warning(title, [preview.problem]) if preview.problem else ""
            self._show_steps()

    def _start(self, work: Callable[[Preview], None], words: str) -> None:
        preview = self._preview
        if preview is None:
            return

        def job() -> None:
            try:
                with self._problems_shown():
                    work(preview)
            finally:
                self._worker.done()
                self._show_steps()

        with self._lock:
            if not self._worker.is_busy:
                self.message.value = parts.progress(words)
                self._show_steps(is_busy=True)
                self._worker.start(job)

    def _rehearse(self, preview: Preview) -> None:
        result = self._job.rehearse(preview.path, preview.mapping)
        with self._lock:
            self._at_start = result.counts.get(State.PENDING, 0)
            self.result.value = result_html(result.facts(), has_steps=False)
            self.message.value = ""

    def _load(self, preview: Preview) -> None:
        self._take_result(self._job.load(preview.path, preview.mapping, self._progress))

    def _settle(self, _: Preview) -> None:
        if self.last is not None:
            found = self._job.settle(self.last, self._pause)
            self._take_result(self.last, settled_note(found))

    def _take_result(self, result: LoadResult, note: str = "") -> None:
        """Show what became of the records, and have the inventory read again."""
        folder = self._job.write(result)
        with self._lock:
            self.last = result
            self._at_start = result.counts.get(State.PENDING, 0)
            self._has_doubt = result.in_doubt > 0
            self.result.value = result_html(result.facts(), has_steps=False)
            self.files.value = files_note(folder, result)
            self.message.value = note
        self._loaded()

    def _pause(self, seconds: float) -> None:
        """Let the time pass in which a late request may still be applied."""
        if seconds > 0:
            end = datetime.now().astimezone() + timedelta(seconds=seconds)
            words = f"Waiting until {end:%H:%M:%S}, for the store may still act on what is in doubt"
            self.message.value = parts.progress(words)
        self._worker.pause(seconds)

    def _progress(self, counts: Counts) -> None:
        self._worker.check()
        if not self._worker.may_report():
            return
        done = share_done(counts, self._at_start)
        created, rejected = counts.get(State.CREATED, 0), counts.get(State.REJECTED, 0)
        words = f"Importing: {created:,} created, {rejected:,} rejected"
        self.message.value = parts.progress(words, done)

    @contextmanager
    def _problems_shown(self) -> Iterator[None]:
        """Show an error where the user looks, instead of in a log."""
        try:
            yield
        except Cancelled:
            steps = ["Nothing was lost; start it again."]
            self.message.value = parts.warning("Stopped", steps)
        except Exception as problem:  # noqa: BLE001 # whatever it is, the user is to see it
            words = parts.failure("This did not work", problem)
            self.message.value = self._job.as_known(words)

    def _forget(self) -> None:
        self._preview, self._has_doubt = None, False
        self.preview.value = self.message.value = self.result.value = self.files.value = ""
        self._show_steps()

    def _show_steps(self, *, is_busy: bool = False) -> None:
        """Offer what can be done now."""
        preview = self._preview
        for part in (self._mapping, self._steps):
            show(part, preview is not None)
        is_readable = preview is not None and not preview.problem
        self.check.disabled = is_busy or not is_readable
        self.load.disabled = is_busy or not self._at_start
        self.load.description = (
            f"Import {pets_text(self._at_start)}" if self._at_start else "Import"
        )
        self.settle.disabled = is_busy
        show(self.settle, self._has_doubt)
        show(self.cancel, is_busy)
        for control in (self.upload, self.path, *self.columns.values()):
            control.disabled = is_busy
