"""The part of the dashboard that adds pets from a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import Any

from petstore_frame.dashboard import parts
from petstore_frame.dashboard.import_choices import Choices, Plan, Seen
from petstore_frame.dashboard.import_job import ImportJob
from petstore_frame.dashboard.import_progress import ImportProgress, about_records
from petstore_frame.dashboard.import_result import (
    files_of,
    past,
    result_view,
    settled_note,
    settling,
)
from petstore_frame.dashboard.import_view import (
    asked,
    choices,
    chosen_columns,
    mapped_value,
    meaning_of,
    sent_words,
    view,
)
from petstore_frame.dashboard.kit import Kit, Used
from petstore_frame.dashboard.worker import Cancelled
from petstore_frame.html import Markup
from petstore_frame.loader.record import State
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.schema.categories import category_labels


class ImportTab:
    """Choose, look, decide, send, settle; after an import ``loaded`` reads the store again.

    All that it shows is drawn from ``seen`` and ``results``: above the message how a file is read
    and what can be done, below it what that would do, and the records.
    """

    def __init__(self, kit: Kit, job: ImportJob, loaded: Callable[[], None], lock: RLock) -> None:
        self._job, self._loaded, self._lock = job, loaded, lock
        self.message = kit.html()
        self._watch = ImportProgress(self._say)
        self._worker = self._watch.worker
        job.asked = self._watch.asked
        self._path: Path | None = None
        self.seen: Seen | None = None
        self.results: list[LoadResult] = []
        self._folders: list[Path] = []
        self._stated: set[str] = set()
        self._is_stale = self._is_busy = self._has_doubt = False
        self.top, self.view = kit.live(self._used), kit.live(self._used)
        self.top.taken = self._taken
        self.widget = kit.column("pf-tab", self.top, self.message, self.view)
        with self._problems_shown():
            self._draw()

    @property
    def last(self) -> LoadResult | None:
        """What became of the last file imported here, or None."""
        return self.results[0] if self.results else None

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the work under way."""
        return self._worker.wait(timeout_s)

    def close(self) -> None:
        """Stop what is under way, in order, and remove the uploads."""
        self._worker.cancel()
        self._worker.wait()
        self._job.close()

    def _say(self, markup: str) -> None:
        self.message.value = markup

    def _draw(self) -> None:
        with self._lock:
            seen = self.seen
            labels = parts.file_button("Category labels (CSV)", kinds=".csv", data_labels="")
            title = "Add pets from a CSV or Excel file"
            above = parts.titled(title, parts.sources("a file", labels))
            if seen is not None:
                above += choices(seen.look)
            above += parts.row(*self._steps())
            if self._folders:
                below = result_view(self.results, self._folders)
                below += Markup("") if seen is None else asked(seen)
            else:
                below = past(self._job.past()) if seen is None else view(seen)
            # It was escaped where it was made, and is only shortened here.
            self.top.markup = Markup(self._job.as_known(above))
            self.view.markup = Markup(self._job.as_known(below))

    def _steps(self) -> Iterator[Markup]:
        """Yield the buttons for what can be done now."""
        if self.seen is not None:
            plan = self.seen.plan
            is_off = self._is_busy or plan is None or not plan.to_send
            yield parts.step("send", sent_words(plan), "add the valid records", is_off=is_off)
        if self._has_doubt:
            yield settling(self._stated, is_busy=self._is_busy)
        if self._is_busy:
            yield parts.step("stop", "Stop", "stop after what is on its way")

    def _taken(self, used: Used, content: bytes | None) -> None:
        """Take a file from the browser: labels of categories, a recipe, or records."""
        with self._problems_shown():
            if "labels" in used:
                path = self._job.given(used, content)
                self._job.labels = category_labels(str(path))
                self._change(categories=self._job.labels or None)
                return
            if not used["upload"].endswith(".toml"):
                self._forget()  # a file that is refused leaves no earlier one ready to be sent
            self._open(self._job.given(used, content))

    def _open(self, path: Path) -> None:
        """Show a file; a recipe is for the one on the screen, or for the next."""
        with self._lock:
            if self._job.is_recipe(path):
                if self._path is None:
                    words = ["The next file is read as this recipe says."]
                    self._say(parts.success(path.name, words))
                    return
                path = self._path
            self._forget()
            self._path = path
            self._take(*self._job.begin(path))

    def _forget(self) -> None:
        with self._lock:
            self._path, self.seen, self._has_doubt = None, None, False
            self._folders = []
            self._say("")
            self._draw()

    def _change(self, **options: Any) -> None:
        """Look at the file again under other options."""
        if self.seen is not None:
            chosen = self.seen.choices
            self._take(replace(chosen, reading=replace(chosen.reading, **options)))

    def _take(self, choices: Choices, recalled: float | None = None) -> None:
        """Show a look at the file, preset what is recognised, and have all of it checked."""
        if self._path is None:
            return
        with self._lock:
            look, before = self._job.look(self._path, choices.reading), self.seen
            self.seen = Seen(look, replace(choices, reading=look.reading), recalled=recalled)
            self._folders = []
            if before is not None:
                self.seen.only_problems = before.only_problems
                self.seen.recalled = before.recalled
            self._draw()
            is_asked = any(not question.answer for question in look.questions)
            if look.records and not is_asked:  # the question and its answers are in view
                self._check()

    def _check(self) -> None:
        """Rehearse the file with the present choices; a rehearsal under way begins anew."""
        with self._lock:
            self._is_stale = True
            self._worker.start(self._check_until_fresh)

    def _check_until_fresh(self) -> None:
        while True:
            with self._lock:
                path, seen = self._path, self.seen
                self._is_busy = self._is_stale and path is not None and seen is not None
                self._is_stale = False
                if not self._is_busy or path is None or seen is None:
                    self._worker.done()
                    self._draw()
                    return
                self._say(parts.progress("Checking all records …"))
                self._draw()
            plan: Plan | None = None
            with self._problems_shown():
                self._watch.about, self._watch.is_waiting = about_records(path), False
                plan = self._job.rehearse(path, seen.choices, self._watch.read)
                self._say("")
            with self._lock:
                if self.seen is seen:
                    seen.plan, seen.is_unchecked = plan, plan is None
                    if plan is not None and plan.is_in_doubt:
                        self.results, self._has_doubt = [plan.sent_before], True

    def _used(self, used: Used) -> None:
        """Follow what was clicked, chosen or written."""
        with self._problems_shown():
            if "path" in used:
                if used["value"].strip():
                    self._open(self._job.given(used))
            elif "state" in used:
                self._stated ^= {used["state"]}
            elif "way" in used:
                way, _, value = used["way"].partition(":")
                self._go(way, value)
            elif self.seen is not None:
                self._choose(self.seen, used, used.get("value", ""))

    def _choose(self, seen: Seen, used: Used, value: str) -> None:
        """Take over a choice of how the file is read."""
        reading = seen.choices.reading
        if "read" in used:
            name = used["read"]
            if name == "key":
                self._change(key=(value,) if value else ())
            else:  # another layout: recognise the columns anew
                laid_out = {name: int(value) if name == "header_row" else value or None}
                self._change(**laid_out, mapping=None, columns=None, key=())
        elif "field" in used:
            self._change(mapping=chosen_columns(seen.look, used["field"], value))
        elif "map" in used:
            to, labels = meaning_of(reading, used["map"], value)
            before = reading.value_map or {}
            words = mapped_value(before, used["map"], used["text"], to)
            self._change(value_map=words, categories=labels)
        elif "default" in used:
            to, labels = meaning_of(reading, used["default"], value.strip())
            defaults = {**(reading.defaults or {}), used["default"]: to}
            given = {name: each for name, each in defaults.items() if each != ""}
            self._change(defaults=given or None, categories=labels)
        elif "keep" in used:
            self._change(keep=value or None)
        elif "accept" in used:
            self._change(accept={*reading.accept} ^ {used["accept"]})
        elif "edit" in used:
            place = (int(used["edit"]), used["column"])
            self._decide(edits={**seen.choices.edits, place: value})

    def _go(self, way: str, value: str) -> None:
        """Do what a button says."""
        if way == "stop":
            self._watch.stop()
        elif way == "settle":
            self._start(self._settle, "Looking for the doubtful records …")
        elif way == "file":
            files = files_of(self._folders, self.results)
            parts.download(self.view, files[int(value)])
        elif way == "past":
            self._forget()
            self._show_results([self._job.result_of(value)])
        elif self.seen is not None:
            self._go_on(self.seen, way, value)

    def _go_on(self, seen: Seen, way: str, value: str) -> None:
        """Do with the file on the screen what a button says."""
        chosen = seen.choices
        if way == "send":
            self._start(self._load, "Sending …")
        elif way == "save":
            parts.download(self.view, self._job.save(seen.look))
        elif way == "show":
            seen.only_problems = value == "problems"
            self._draw()
        elif way == "check":
            self._check()
        elif way == "key":
            self._change(key=(value,))
        elif way == "fresh":  # as if its header had never been seen
            self.seen = None
            self._take(self._job.fresh())
        elif way == "leave":
            self._decide(left_out=chosen.left_out ^ {int(value)})
        elif way == "confirm":
            self._decide(confirmed=chosen.confirmed ^ {int(value)})
        elif way == "again":
            self._decide(again=True)
        elif way == "duplicates":
            self._decide(duplicates=value)
        else:  # one case of several
            before = chosen.duplicates if isinstance(chosen.duplicates, Mapping) else {}
            self._decide(duplicates={**before, way: value})

    def _decide(self, **decided: Any) -> None:
        """Take the user's decisions on records, and check the file with them."""
        if self.seen is None:
            return
        with self._lock:
            before = self.seen.choices
            self.seen.choices = replace(before, **decided)
            self._folders = []
        if self.seen.choices != before:
            self._check()

    def _start(self, work: Callable[[], None], words: str) -> None:
        def job() -> None:
            try:
                with self._problems_shown():
                    work()
            finally:
                self._worker.done()
                with self._lock:
                    self._is_busy = False
                    self._draw()

        with self._lock:
            if not self._worker.is_busy:
                self._is_busy = True
                self._say(parts.progress(words))
                self._draw()
                self._worker.start(job)

    def _load(self) -> None:
        if self._path is None or self.seen is None or self.seen.plan is None:
            return
        self._watch.at_start = self.seen.plan.to_send
        results, question = self._job.load(self._path, self.seen.choices, self._watch.sent)
        self._say("")
        with self._lock:
            left = results[0].counts.get(State.PENDING, 0)
            self.seen.plan = Plan(results[0], asked=question) if left or question else None
        self._show_results(results)
        self._loaded()

    def _settle(self) -> None:
        if self.last is not None:
            stated = dict.fromkeys(self._stated, True)
            found = self._job.settle(self.last, self._watch.pause, **stated)
            self._say(settled_note(found))
            self._show_results([self.last])
            self._loaded()

    def _show_results(self, results: list[LoadResult]) -> None:
        """Show what became of the records, with the result files."""
        folders = [*map(self._job.write, results)]
        with self._lock:
            self.results, self._folders = results, folders
            self._has_doubt = any(result.in_doubt for result in results)
            self._draw()

    @contextmanager
    def _problems_shown(self) -> Iterator[None]:
        """Show an error where the user looks, instead of in a log."""
        try:
            yield
        except Cancelled:
            self._say(parts.warning("Stopped", ["Nothing was lost; start it again."]))
        except Exception as problem:  # noqa: BLE001 # whatever it is, the user is to see it
            words = parts.failure("This did not work", problem)
            self._say(self._job.as_known(words))
