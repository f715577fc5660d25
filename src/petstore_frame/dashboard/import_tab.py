"""The part of the dashboard that adds pets from a file: what it is doing, and what was clicked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from petstore_frame.dashboard.import_choices import Choices, Plan, Seen, as_chosen
from petstore_frame.dashboard.import_job import ImportJob
from petstore_frame.dashboard.import_view import asked, files_of, past, result_view, top, view
from petstore_frame.dashboard.kit import Kit, Used, problems_shown
from petstore_frame.dashboard.worker import Worker
from petstore_frame.loader.options import Limits
from petstore_frame.loader.reading.opening import is_workbook
from petstore_frame.loader.record import State
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.markup import PAGE, Markup
from petstore_frame.schema.categories import category_labels
from petstore_frame.schema.text import count_text

QUIET_S = 4.0  # after such a silence the bar says so


class ImportProgress:
    """Says how far a file is read and sent, or why nothing moves; ``say`` shows the words."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self.worker = Worker("petstore-import", self._tick)
        self.about: int | None = None  # about how many records are read
        self.at_start, self._settled = 0, 0  # records to be sent, and those that were
        self.is_waiting = False  # for the store

    def pause(self, seconds: float) -> None:
        """Let the time pass in which a late request may still be applied."""
        self.is_waiting = False  # this wait is on purpose, and its text says until when
        if seconds > 0:
            end = datetime.now().astimezone() + timedelta(seconds=seconds)
            words = f"Waiting until {end:%H:%M:%S}, for the store may still act on what is in doubt"
            self._say(PAGE.progress(words))
        self.worker.pause(seconds)

    def read(self, records: int) -> None:
        """Show how far a file is read."""
        self.worker.check()
        self.worker.moves()
        if self.worker.may_report():
            about, done = "", None
            if self.about:
                about, done = f" of about {self.about:,}", min(1.0, records / self.about)
            self._say(PAGE.progress(f"Checking: {count_text(records, 'row')}{about}", done))

    def asked(self, is_waiting: bool) -> None:
        """Note that we wait for a page of the store, or that it has come."""
        self.is_waiting = is_waiting
        self.worker.moves()
        if is_waiting:
            self.worker.check()
            if self.worker.may_report():
                self._say(PAGE.progress("Comparing with the pets in the store …"))

    def sent(self, counts: Mapping[State, int]) -> None:
        """Show how far the records are sent."""
        self.is_waiting = True
        created, rejected = counts.get(State.CREATED, 0), counts.get(State.REJECTED, 0)
        if created + rejected != self._settled:
            self._settled = created + rejected
            self.worker.moves()
        self.worker.check()
        if self.worker.quiet_s < QUIET_S and self.worker.may_report():
            left = counts.get(State.PENDING, 0) + counts.get(State.IN_FLIGHT, 0)
            done = min(1.0, max(0.0, 1 - left / self.at_start)) if self.at_start else 1.0
            self._say(PAGE.progress(f"Sending: {created:,} created, {rejected:,} rejected", done))

    def _tick(self, quiet_s: float) -> None:
        if quiet_s < QUIET_S or self.worker.is_stopping or not self.is_waiting:
            return
        since = datetime.now().astimezone() - timedelta(seconds=quiet_s)
        patience = f"{Limits().patience_s / 60:.0f} minutes"
        words = (
            f"No answer from the store since {since:%H:%M:%S} ({quiet_s:,.0f} s). It is asked "
            f"again for up to {patience}, then this stops in order. Nothing is lost; Stop ends it "
            "now."
        )
        self._say(PAGE.progress(words))


class ImportTab:
    """Choose, look, decide, send, settle; after an import ``loaded`` reads the store again.

    All that it shows is drawn from ``seen`` and ``results``: above the message how a file is read
    and what can be done, below it what that would do, and the records.
    """

    def __init__(self, kit: Kit, job: ImportJob, loaded: Callable[[], None]) -> None:
        self._job, self._loaded, self._lock = job, loaded, kit.lock
        self.message = kit.html()
        self._watch = ImportProgress(self._say)
        self._worker = self._watch.worker
        self.wait = self._worker.wait
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
        with problems_shown(self._say):
            self._draw()

    @property
    def last(self) -> LoadResult | None:
        """What became of the last file imported here, or None."""
        return self.results[0] if self.results else None

    def close(self) -> None:
        """Stop what is under way, in order, and remove the uploads."""
        self._worker.cancel()
        self._worker.wait()
        self._job.close()

    def _say(self, markup: str) -> None:
        self.message.value = self._job.as_known(markup)

    def _draw(self) -> None:
        with self._lock:
            seen = self.seen
            busy, doubt = self._is_busy, self._has_doubt
            above = top(seen, is_busy=busy, has_doubt=doubt, stated=self._stated)
            if self._folders:
                below = result_view(self.results, self._folders)
                below += Markup("") if seen is None else asked(seen)
            else:
                below = past(self._job.past()) if seen is None else view(seen)
            self.top.markup = self._job.as_known(above)
            self.view.markup = self._job.as_known(below)

    def _taken(self, used: Used, content: bytes | None) -> None:
        with problems_shown(self._say):
            if "labels" in used:
                path = self._job.given(used, content)
                self._job.labels = category_labels(str(path))
                self._choose({"labels": ""})
                return
            if not used["upload"].endswith(".toml"):
                self._forget()  # a file that is refused leaves no earlier one ready to be sent
            self._open(self._job.given(used, content))

    def _open(self, path: Path) -> None:
        """Show a file; a recipe is for the one on the screen, or for the next."""
        with self._lock:
            if self._job.is_recipe(path):
                if self._path is None:
                    self._say(
                        PAGE.success(path.name, ["The next file is read as this recipe says."])
                    )
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
            is_asked = any(question.add is None for question in look.questions)
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
                self._say(PAGE.progress("Checking all records …"))
                self._draw()
            plan: Plan | None = None
            with problems_shown(self._say):
                self._watch.about, self._watch.is_waiting = _about_records(path), False
                plan = self._job.rehearse(path, seen.choices, self._watch.read)
                self._say("")
            with self._lock:
                if self.seen is seen:
                    seen.plan, seen.is_unchecked = plan, plan is None
                    if plan is not None and (doubtful := plan.in_doubt):
                        self.results, self._has_doubt = [doubtful], True

    def _used(self, used: Used) -> None:
        with problems_shown(self._say):
            if "path" in used:
                if used["value"].strip():
                    self._open(self._job.given(used))
            elif "state" in used:
                self._stated ^= {used["state"]}
            elif "way" in used:
                way, _, value = used["way"].partition(":")
                self._go(way, value)
            elif self.seen is not None and "edit" in used:
                place = (int(used["edit"]), used["column"])
                self._decide(edits={**self.seen.choices.edits, place: used.get("value", "")})
            else:
                self._choose(used)

    def _choose(self, used: Used) -> None:
        if self.seen is not None:
            reading = as_chosen(self.seen, used, self._job.labels)
            self._take(replace(self.seen.choices, reading=reading))

    def _go(self, way: str, value: str) -> None:
        if way == "stop":
            self._worker.cancel()
            words = "Stopping after what is on its way; Stop again leaves that in doubt …"
            self._say(PAGE.progress(words))
        elif way == "settle":
            self._start(self._settle, "Looking for the doubtful records …")
        elif way == "file":
            self.view.download_file(files_of(self._folders, self.results)[int(value)])
        elif way == "past":
            self._forget()
            self._show_results([self._job.result_of(value)])
        elif self.seen is not None:
            self._go_on(self.seen, way, value)

    def _go_on(self, seen: Seen, way: str, value: str) -> None:
        chosen = seen.choices
        if way == "send":
            self._start(self._load, "Sending …")
        elif way == "save":
            self.view.download_file(self._job.save(seen.look))
        elif way == "show":
            seen.only_problems = value == "problems"
            self._draw()
        elif way == "check":
            self._check()
        elif way == "key":
            self._choose({"read": "key", "value": value})
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
                with problems_shown(self._say):
                    work()
            finally:
                self._worker.done()
                with self._lock:
                    self._is_busy = False
                    self._draw()

        with self._lock:
            if not self._worker.is_busy:
                self._is_busy = True
                self._say(PAGE.progress(words))
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
        if self.last is None:
            return
        stated = dict.fromkeys(self._stated, True)
        found = self._job.settle(self.last, self._watch.pause, **stated)
        title = f"{found.created:,} found in the store, {found.absent:,} not found there"
        if found.unknown:
            title += f", {found.unknown:,} still in doubt"
        self._say((PAGE.warning if found.unknown else PAGE.success)(title, found.notes))
        self._show_results([self.last])
        self._loaded()

    def _show_results(self, results: list[LoadResult]) -> None:
        folders = [*map(self._job.write, results)]
        with self._lock:
            self.results, self._folders = results, folders
            self._has_doubt = any(result.in_doubt for result in results)
            self._draw()


def _about_records(path: Path) -> int | None:
    if path.suffix.lower() in (".gz", ".zip") or is_workbook(path):
        return None
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
