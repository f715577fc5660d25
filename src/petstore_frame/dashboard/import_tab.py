"""The part of the dashboard that adds pets from a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import Any

import ipywidgets as widgets

from petstore_frame.dashboard import parts
from petstore_frame.dashboard.export import media_of
from petstore_frame.dashboard.import_controls import Controls
from petstore_frame.dashboard.import_job import (
    Choices,
    ImportJob,
    Plan,
)
from petstore_frame.dashboard.import_memory import about_records
from petstore_frame.dashboard.import_preview import Seen
from petstore_frame.dashboard.import_progress import ImportProgress
from petstore_frame.dashboard.import_result import (
    SETTLE,
    files_note,
    files_of,
    result_view,
    settled_note,
    to_fix,
)
from petstore_frame.dashboard.import_view import mapped_value, sent_words, view, whole
from petstore_frame.dashboard.kit import ButtonGroup, Kit, Live, Meant
from petstore_frame.dashboard.worker import Cancelled
from petstore_frame.html import Markup
from petstore_frame.loader.reading.recipe import Recipe
from petstore_frame.loader.record import State
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.schema.categories import category_labels


class ImportTab:
    """Choose, look, decide, send, settle; after an import ``loaded`` reads the store again."""

    def __init__(self, kit: Kit, job: ImportJob, loaded: Callable[[], None], lock: RLock) -> None:
        self._kit, self._job, self._loaded, self._lock = kit, job, loaded, lock
        self._watch = ImportProgress(self._say)
        self._worker = self._watch.worker
        job.asked = self._watch.asked
        self._path: Path | None = None
        self.seen: Seen | None = None
        self._is_stale = self._has_doubt = False
        self.last: LoadResult | None = None
        self.controls = Controls(kit, self._uploaded, self._path_given, self._labels_given)
        self.controls.chosen = self._chosen
        self.controls.template.on_click(lambda _: self._send_file(job.template()))
        self.controls.save.on_click(lambda _: self._save())
        self.upload, self.path = self.controls.upload, self.controls.path
        self._make_buttons()
        self.view, self.message = kit.make(Live), kit.html()
        self.view.meant = self._meant
        self.result, self.files = kit.html(), kit.html()
        self._files: list[Path] = []
        self.downloads = ButtonGroup(kit, lambda at: self._send_file(self._files[at]), "pf-chips")
        self.widget = kit.column(
            kit.html("<h3 class='pf-section'>Add pets from a CSV or Excel file</h3>"),
            self.controls.sources,
            self.controls.choices,
            self.message,
            self._steps,
            self.view,
            self.result,
            self.files,
            self.downloads.widget,
        )
        self._show_steps()

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
            is_hidden=True,
        )
        self.sole, self.resend = (
            self._kit.make(widgets.Checkbox, description=words, indent=False, is_hidden=True)
            for words in (
                "nobody else adds pets to this store", "send again what is not found there",
            )
        )  # fmt: skip
        self.cancel = self._kit.button(
            "Stop", "stop after what is on its way", self._watch.stop, is_hidden=True
        )
        self._steps = self._kit.row(
            self.load, self.settle, self.sole, self.resend, self.cancel, is_hidden=True
        )

    def _say(self, markup: str) -> None:
        self.message.value = markup

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the work under way."""
        return self._worker.wait(timeout_s)

    def close(self) -> None:
        """Stop what is under way, in order, and remove the uploads."""
        self._worker.cancel()
        self._worker.wait()
        self._job.close()

    def _send_file(self, path: Path) -> None:
        self.view.download(path.read_bytes(), path.name, media_of(path.name))

    def _save(self) -> None:
        """Put how the file is read into the downloads, as a recipe."""
        if self.seen is not None:
            with self._problems_shown():
                self._send_file(self._job.save(self.seen.look))

    def _recipe_given(self, path: Path) -> None:
        """Read the file on the screen, or the next one, as a recipe says."""
        self._job.recipe = Recipe.read(path)
        if self._path is not None:
            self._open(self._path)
        else:
            words = "The next file is read as this recipe says."
            self.message.value = parts.success(path.name, [words])

    def _uploaded(self, change: Any) -> None:
        if not change.new:
            return
        file = change.new[0]
        with self._problems_shown():
            if file["name"].endswith(".toml"):
                self._recipe_given(self._job.keep(file["name"], bytes(file["content"])))
                self.upload.value = ()
                return
            self._forget()  # a file that is refused leaves no earlier one ready to be sent
            self._open(self._job.keep(file["name"], bytes(file["content"])))
        self.upload.value = ()

    def _path_given(self, change: Any) -> None:
        if change.new.strip():
            with self._problems_shown():
                path = Path(change.new.strip()).expanduser()
                (self._recipe_given if path.suffix == ".toml" else self._open)(path)

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
        self.controls.labels.value = ()

    def _open(self, path: Path) -> None:
        with self._lock:
            self._forget()
            self._path = path
            self._take(*self._job.begin(path))

    def _forget(self) -> None:
        with self._lock:
            self._path, self.seen, self._has_doubt = None, None, False
            self.view.markup = Markup("")
            self.message.value = self.result.value = self.files.value = ""
            self._offer([])
            self._show_steps()

    def _begin_anew(self) -> None:
        """Read the file as if its header had never been seen."""
        with self._problems_shown():
            self.seen = None
            self._take(self._job.fresh())

    def _chosen(self, **options: Any) -> None:
        """Read the file under what was chosen in a list."""
        if self.seen is not None:
            self._change(**options)

    def _change(self, **options: Any) -> None:
        """Look at the file again under other options."""
        if self.seen is None:
            return
        choices = self.seen.choices
        with self._problems_shown():
            self._take(replace(choices, reading=replace(choices.reading, **options)))

    def _take(self, choices: Choices, recalled: float | None = None) -> None:
        """Show a look at the file, preset what is recognised, and have all of it checked."""
        if self._path is None:
            return
        with self._lock:
            look = self._job.look(self._path, choices.reading)
            before = self.seen
            self.seen = Seen(look, replace(choices, reading=look.reading), recalled=recalled)
            if before is not None:
                self.seen.only_problems = before.only_problems
                self.seen.recalled = before.recalled
            self.controls.preset(look)
            self._draw()
            is_asked = any(not question.answer for question in look.questions)
            if look.records and not is_asked:  # what is asked is in view, with its answers
                self._check()

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
                self._watch.about, self._watch.is_waiting = about_records(path), False
                plan = self._job.rehearse(path, seen.choices, self._watch.read)
                self.message.value = ""
            with self._lock:
                if self.seen is seen:
                    seen.plan, seen.is_unchecked = plan, plan is None
                    if plan is not None and plan.is_in_doubt:
                        self.last, self._has_doubt = plan.sent_before, True
                    self._draw()

    def _meant(self, meant: Meant) -> None:
        """Follow what was clicked, chosen or written in the view."""
        if self.seen is None:
            return
        choices, reading = self.seen.choices, self.seen.choices.reading
        if "map" in meant:
            self._change(value_map=mapped_value(reading.value_map or {}, meant))
        elif "default" in meant:
            defaults = {
                **(reading.defaults or {}),
                meant["default"]: meant.get("value", "").strip(),
            }
            given = {name: whole(name, text) for name, text in defaults.items() if text != ""}
            self._change(defaults=given or None)
        elif "keep" in meant:
            self._change(keep=meant.get("value") or None)
        elif "accept" in meant:
            words = {*reading.accept} ^ {meant["accept"]}
            self._change(accept=words)
        elif "edit" in meant:
            place = (int(meant["edit"]), meant["column"])
            edits = {**choices.edits, place: meant.get("value", "")}
            if edits == choices.edits:
                return
            with self._lock:
                self.seen.choices = replace(choices, edits=edits)
            self._check()
        elif meant.get("way", "").startswith("show:"):
            self.seen.only_problems = meant["way"] == "show:problems"
            self._draw()
        elif "way" in meant:
            option, _, value = meant["way"].partition(":")
            self._decide(option, value)

    def _decide(self, option: str, value: str) -> None:
        """Take the answer to a question: which animals records are, or whether one is sent."""
        assert self.seen is not None  # noqa: S101 # asked of a file
        choices = self.seen.choices
        if option in ("key", "fresh"):
            if option == "key":
                self._change(key=(value,))
            else:
                self._begin_anew()
            return
        if option == "leave":
            choices = replace(choices, left_out=choices.left_out ^ {int(value)})
        elif option == "confirm":
            choices = replace(choices, confirmed=choices.confirmed ^ {int(value)})
        elif option == "check":
            self._check()
            return
        elif option == "again":
            choices = replace(choices, again=True)
        elif option == "duplicates":
            choices = replace(choices, duplicates=value)
        else:  # one case of several
            before = choices.duplicates if isinstance(choices.duplicates, Mapping) else {}
            choices = replace(choices, duplicates={**before, option: value})
        with self._lock:
            self.seen.choices = choices
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
        self._watch.at_start = self.seen.plan.to_send
        results = self._job.load(self._path, self.seen.choices, self._watch.sent)
        refused, title = self._job.refused, "The corrected records were not sent"
        self._take_results(results, "" if refused is None else parts.failure(title, refused))

    def _settle(self) -> None:
        self._watch.is_waiting = False  # it waits on purpose, and says until when
        if self.last is not None:
            found = self._job.settle(
                self.last,
                self._watch.pause,
                sole_writer=self.sole.value,
                resend_absent=self.resend.value,
            )
            self._take_results([self.last], settled_note(found))

    def _take_results(self, results: list[LoadResult], note: str = "") -> None:
        """Show what became of the records, and have the inventory read again."""
        stem = "import" if self._path is None else self._path.stem
        stems = (stem, f"{stem}-corrected")
        folders = [*map(self._job.write, results, stems)]
        with self._lock:
            self.last = results[0]
            self._has_doubt = any(result.in_doubt for result in results)
            self.result.value = result_view(results)
            is_left = bool(to_fix(results)) or self._has_doubt
            notes = (files_note(*pair, has_steps=is_left)
                     for pair in zip(folders, results, strict=True))  # fmt: skip
            self.files.value = Markup("").join(notes)
            self._offer([path for pair in zip(folders, results, strict=True)
                         for path in files_of(*pair)])  # fmt: skip
            self.message.value = note
            self.view.markup = Markup("")
            if self.seen is not None:
                left = self.last.counts.get(State.PENDING, 0)
                self.seen.plan = Plan(self.last) if left else None
        self._loaded()

    def _offer(self, files: list[Path]) -> None:
        self._files = files
        # The records that were corrected on screen have a folder of their own.
        has_folders = len({path.parent for path in files}) > 1
        names = [f"{path.parent.name}/{path.name}" if has_folders else path.name for path in files]
        self.downloads.show([f"Download {name}" for name in names])

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
        for part in (self.controls.choices, self._steps):
            self._kit.show(part, seen is not None)
        plan = None if seen is None else seen.plan
        self.load.disabled = is_busy or plan is None or not plan.to_send
        self.load.description = sent_words(plan)
        self.settle.disabled = is_busy
        for part in (self.settle, self.sole, self.resend):
            self._kit.show(part, self._has_doubt)
        self._kit.show(self.cancel, is_busy)
