"""The part of the dashboard that adds pets from a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from threading import RLock
from typing import Any

import ipywidgets as widgets

from petstore_frame.dashboard import parts
from petstore_frame.dashboard.import_job import (
    Choices,
    Counts,
    ImportJob,
    Plan,
    share_done,
    template,
)
from petstore_frame.dashboard.import_result import SETTLE, files_note, result_view, settled_note
from petstore_frame.dashboard.import_view import Seen, fields_of, label_of, sent_words, view
from petstore_frame.dashboard.kit import Kit, show
from petstore_frame.dashboard.live import Live, Meant
from petstore_frame.dashboard.worker import Cancelled, Worker
from petstore_frame.html import Markup
from petstore_frame.loader.record import State
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.schema.categories import category_labels
from petstore_frame.schema.fields import FIELD_BY_NAME, SENT_FIELDS

NOT_IN_FILE, NO_KEY = "(not in the file)", "(none)"
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
ENCODINGS = ("utf-8", "cp1252", "cp1250", "mac_roman", "utf-16")
SHOWN_LINES = 40  # a header further below the top is given in Python


class ImportTab:
    """Choose, look, decide, send, settle.

    Args:
        kit: Makes the widgets.
        job: What does the work.
        loaded: Called after an import, so that the inventory is read again.
        lock: Held while the state changes.
    """

    def __init__(self, kit: Kit, job: ImportJob, loaded: Callable[[], None], lock: RLock) -> None:
        self._kit, self._job, self._loaded, self._lock = kit, job, loaded, lock
        self._worker = Worker("petstore-import")
        self._path: Path | None = None
        self.seen: Seen | None = None
        self._at_start = 0
        self._is_drawing = self._is_stale = self._has_doubt = False
        self.last: LoadResult | None = None
        self._make_sources()
        self._make_choices()
        self._make_buttons()
        self.view, self.message = Live(self._meant), kit.html()
        self.result, self.files = kit.html(), kit.html()
        self.widget = kit.column(
            kit.html("<h3 class='pf-section'>Add pets from a CSV or Excel file</h3>"),
            self._sources,
            self._choices,
            self.message,
            self._steps,
            self.view,
            self.result,
            self.files,
            may_hide=True,
        )
        self._show_steps()

    def _make_sources(self) -> None:
        self.upload = widgets.FileUpload(
            accept=".csv,.tsv,.txt,.gz,.xlsx,.xlsm", multiple=False, description="Choose a file"
        )
        self.path = widgets.Text(
            description="or its path",
            placeholder="on the machine that runs this, if above 8 MiB",
            continuous_update=False,
        ).add_class("pf-path")
        self.template = self._kit.button(
            "Template", "a file with the columns that an import may have", self._send_template
        )
        self.labels = widgets.FileUpload(
            accept=".csv", multiple=False, description="Category labels"
        ).add_class("pf-labels")
        self._sources = self._kit.row(self.upload, self.path, self.template, self.labels)
        self.upload.observe(self._uploaded, "value")
        self.path.observe(self._path_given, "value")
        self.labels.observe(self._labels_given, "value")

    def _make_choices(self) -> None:
        self.layout = {
            name: widgets.Dropdown(options=[""], description=word)
            for name, word in {
                "encoding": "Encoding", "delimiter": "Delimiter", "sheet": "Sheet",
                "header_row": "Header in line",
            }.items()
        }  # fmt: skip
        self.columns = {
            field.name: widgets.Dropdown(
                options=[NOT_IN_FILE], description=f"{label_of(field.name)} is"
            )
            for field in SENT_FIELDS
        }
        self.key = widgets.Dropdown(options=[NO_KEY], description="Key")
        self.key.tooltip = "the column that identifies an animal: a known one is never sent again"
        layout, columns = self._kit.row(*self.layout.values()), [*self.columns.values(), self.key]
        self._choices = self._kit.column(layout, self._kit.row(*columns), may_hide=True)
        for name, control in self.layout.items():
            control.observe(lambda change, name=name: self._laid_out(name, change.new), "value")
        for control in columns:
            control.observe(lambda _: self._mapped(), "value")

    def _make_buttons(self) -> None:
        self.load = self._kit.button(
            "Send",
            "add the valid records to the store",
            lambda: self._start(self._load, "Sending …"),
        ).add_class("pf-main")
        self.settle = self._kit.button(
            SETTLE,
            "look for them in the store; sends nothing",
            lambda: self._start(self._settle, "Looking for the doubtful records …"),
            may_hide=True,
        )
        self.sole = widgets.Checkbox(
            description="nobody else adds pets to this store", indent=False,
            layout=widgets.Layout(width="auto"),
        )  # fmt: skip
        self.cancel = self._kit.button(
            "Stop", "stop after what is on its way", self._worker.cancel, may_hide=True
        )
        self._steps = self._kit.row(self.load, self.settle, self.sole, self.cancel, may_hide=True)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the work under way."""
        return self._worker.wait(timeout_s)

    def close(self) -> None:
        """Stop what is under way, in order, and remove the uploads."""
        self._worker.cancel()
        self._worker.wait()
        self._job.close()

    def _send_template(self) -> None:
        self.view.download(template(), "pets-template.csv", "text/csv")

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

    def _labels_given(self, change: Any) -> None:
        """Take a CSV of category_id,label, for this tab and this file."""
        if not change.new:
            return
        file = change.new[0]
        with self._problems_shown():
            path = self._job.keep(file["name"], bytes(file["content"]))
            self._job.labels = category_labels(str(path))
            if self.seen is not None:
                self._change(categories=self._job.labels or None)
        self.labels.value = ()

    def _open(self, path: Path) -> None:
        with self._lock:
            self._path, self.seen, self._has_doubt = path, None, False
            self.view.markup = Markup("")
            self.message.value = self.result.value = self.files.value = ""
            self._show_steps()
            self._take(self._job.begin())

    def _laid_out(self, name: str, value: Any) -> None:
        """Read the file otherwise; which column is which is found anew."""
        if not self._is_drawing and self.seen is not None:
            self._change(**{name: value or None}, mapping=None, columns=None, key=())

    def _mapped(self) -> None:
        if self._is_drawing or self.seen is None:
            return
        chosen = {field: _column(control.value) for field, control in self.columns.items()}
        # A required field that is left open is asked for; another one is left out on purpose.
        known = {
            field: column
            for field, column in chosen.items()
            if column is not None or not FIELD_BY_NAME[field].is_required
        }
        key = () if self.key.value == NO_KEY else (self.key.value,)
        self._change(mapping=known, key=key)

    def _change(self, **options: Any) -> None:
        """Look at the file again under other options."""
        if self.seen is None:
            return
        choices = self.seen.choices
        with self._problems_shown():
            self._take(replace(choices, reading=replace(choices.reading, **options)))

    def _take(self, choices: Choices) -> None:
        """Show a look at the file, preset what is recognised, and have all of it checked."""
        if self._path is None:
            return
        with self._lock:
            look = self._job.look(self._path, choices.reading)
            before = self.seen
            self.seen = Seen(look, replace(choices, reading=look.reading))
            if before is not None:
                self.seen.values, self.seen.held = before.values, before.held
                self.seen.only_problems = before.only_problems
            self.seen.note()
            self._preset()
            self._draw()
            if look.records:
                self._check()

    def _preset(self) -> None:
        """Set each choice to what holds now."""
        assert self.seen is not None  # noqa: S101 # called with a look
        look, self._is_drawing = self.seen.look, True
        facts = look.facts
        encodings = [*dict.fromkeys([facts.get("encoding", ""), *ENCODINGS])]
        for decoded in reversed(look.encodings):
            encodings = [
                decoded.encoding,
                *(each for each in encodings if each != decoded.encoding),
            ]
        sign = facts.get("delimiter", "")
        signs = {**DELIMITERS, **({sign: repr(sign)} if sign and sign not in DELIMITERS else {})}
        _offer(self.layout["encoding"], [(name, name) for name in encodings if name],
               facts.get("encoding"))  # fmt: skip
        _offer(self.layout["delimiter"], [(word, each) for each, word in signs.items()], sign)
        _offer(self.layout["sheet"], [(name, name) for name in look.sheets], facts.get("sheet"))
        last = max(SHOWN_LINES, look.header_row or 1)
        lines = [(str(number), number) for number in range(1, last + 1)]
        _offer(self.layout["header_row"], lines, look.header_row)
        names = [column for column in look.columns if column.strip()]
        for field, column in fields_of(look).items():
            self.columns[field].options = [NOT_IN_FILE, *dict.fromkeys(names)]
            self.columns[field].value = column or NOT_IN_FILE
        self.key.options = [NO_KEY, *dict.fromkeys([*look.key_columns, *look.reading.key, *names])]
        self.key.value = look.reading.key[0] if look.reading.key else NO_KEY
        show(self.layout["encoding"], look.kind == "csv")
        show(self.layout["delimiter"], look.kind == "csv")
        show(self.layout["sheet"], len(look.sheets) > 1)
        self._is_drawing = False

    def _draw(self) -> None:
        with self._lock:
            if self.seen is not None:
                drawn = view(self.seen, self._job.labels)
                self.view.markup = Markup(self._job.as_known(drawn))  # ours, shortened
            self._show_steps()

    def _check(self) -> None:
        """Rehearse the file under what is chosen now; a rehearsal under way begins anew."""
        with self._lock:
            self._is_stale = True
            self._worker.start(self._check_until_fresh)

    def _check_until_fresh(self) -> None:
        while True:
            with self._lock:
                path, seen = self._path, self.seen
                if not self._is_stale or path is None or seen is None:
                    self._is_stale = False
                    self._worker.done()
                    return
                self._is_stale = False
                self.message.value = parts.progress("Checking all records …")
                self._show_steps(is_busy=True)
            plan: Plan | None = None
            with self._problems_shown():
                plan = self._job.rehearse(path, seen.choices)
                self.message.value = ""
            with self._lock:
                if self.seen is seen:
                    seen.plan = plan
                    self._draw()

    def _meant(self, meant: Meant) -> None:
        """Follow what was clicked, chosen or written in the view."""
        if self.seen is None:
            return
        choices, reading = self.seen.choices, self.seen.choices.reading
        if "map" in meant:
            self._change(value_map=_mapped_value(reading.value_map or {}, meant))
        elif "accept" in meant:
            words = {*reading.accept} ^ {meant["accept"]}
            self._change(accept=words)
        elif "edit" in meant:
            place = (int(meant["edit"]), meant["column"])
            edits = {**choices.edits, place: meant.get("value", "")}
            with self._lock:
                self.seen.choices = replace(choices, edits=edits)
            self._check()
        elif meant.get("way", "").startswith("show:"):
            self.seen.only_problems = meant["way"] == "show:problems"
            self._draw()
        elif "way" in meant:
            self._decide(*meant["way"].partition(":")[::2])

    def _decide(self, option: str, value: str) -> None:
        """Take the answer to the question what equal records are."""
        assert self.seen is not None  # noqa: S101 # asked of a file
        if option == "key":
            self._change(key=(value,))
            return
        chosen: dict[str, Any] = {option: value if option == "duplicates" else True}
        with self._lock:
            self.seen.choices = replace(self.seen.choices, **chosen)
        self._check()

    def _start(self, work: Callable[[], None], words: str) -> None:
        def job() -> None:
            try:
                with self._problems_shown():
                    work()
            finally:
                self._worker.done()
                self._show_steps()

        with self._lock:
            if not self._worker.is_busy:
                self.message.value = parts.progress(words)
                self._show_steps(is_busy=True)
                self._worker.start(job)

    def _load(self) -> None:
        if self._path is None or self.seen is None or self.seen.plan is None:
            return
        self._at_start = self.seen.plan.to_send
        self._take_results(self._job.load(self._path, self.seen.choices, self._progress))

    def _settle(self) -> None:
        if self.last is not None:
            found = self._job.settle(self.last, self._pause, sole_writer=self.sole.value)
            self._take_results([self.last], settled_note(found))

    def _take_results(self, results: list[LoadResult], note: str = "") -> None:
        """Show what became of the records, and have the inventory read again."""
        folders = [self._job.write(result) for result in results]
        with self._lock:
            self.last = results[0]
            self._has_doubt = any(result.in_doubt for result in results)
            self.result.value = result_view(results)
            self.files.value = Markup("").join(map(files_note, folders, results))
            self.message.value = note
            self.view.markup = Markup("")
            if self.seen is not None:
                left = self.last.counts.get(State.PENDING, 0)
                self.seen.plan = Plan(self.last) if left else None
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
        words = f"Sending: {created:,} created, {rejected:,} rejected"
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

    def _show_steps(self, *, is_busy: bool = False) -> None:
        """Offer what can be done now."""
        seen = self.seen
        for part in (self._choices, self._steps):
            show(part, seen is not None)
        plan = None if seen is None else seen.plan
        self.load.disabled = is_busy or plan is None or not plan.to_send
        self.load.description = sent_words(plan)
        self.settle.disabled = is_busy
        show(self.settle, self._has_doubt)
        show(self.sole, self._has_doubt)
        show(self.cancel, is_busy)


def _column(value: str) -> str | None:
    return None if value == NOT_IN_FILE else value


def _mapped_value(before: Mapping[str, Mapping[Any, Any]], meant: Meant) -> dict[str, Any]:
    """Return a value map with one value mapped, or, where nothing was chosen, left open again."""
    after = {field: dict(values) for field, values in before.items()}
    values = after.setdefault(meant["map"], {})
    chosen = meant.get("value", "")
    values.pop(meant["text"], None)
    if chosen:
        values[meant["text"]] = int(chosen) if meant["map"] == "category_id" else chosen
    return {field: values for field, values in after.items() if values}


def _offer(control: widgets.Dropdown, options: list[tuple[str, Any]], value: Any) -> None:
    """Offer options, one of them chosen."""
    known = [each for _, each in options]
    control.options = options or [("", None)]
    control.value = value if value in known else (known[0] if known else None)
