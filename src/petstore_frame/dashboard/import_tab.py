"""The tab that adds pets from a file: file, columns, words, rows to decide, send."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from petstore_frame.dashboard.file_steps import FileTab
from petstore_frame.dashboard.importing import (
    Choices,
    Importing,
    Plan,
    Speed,
    becomes,
    has_rows,
    in_doubt,
    past_words,
)
from petstore_frame.dashboard.kit import Kit, show
from petstore_frame.dashboard.live import LARGEST_MESSAGE
from petstore_frame.dashboard.memory import Memory
from petstore_frame.dashboard.rows_step import RowControls, RowsStep
from petstore_frame.dashboard.worker import Stopped, Worker
from petstore_frame.loader.question import CASES
from petstore_frame.loader.record import DOUBT_STATES, Reason, State
from petstore_frame.loader.results.result_text import result_html
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.markup import PAGE, Card, Markup
from petstore_frame.schema.text import count_text

CHANGED_SHOWN = 50
IN_STORE = (State.CREATED, State.ADOPTED)
FOR_EVER = "A pet cannot be changed or deleted once it is sent."
CHECKING = (
    "Checking reads the store and sends nothing. A row is taken for a pet only where no other new "
    "pet could be it; what is left is listed with the pets that it may be."
)


class ImportTab(FileTab):
    """Choose a file, say how it is read, decide, send; ``loaded`` then reads the store again.

    Attributes:
        widget: The whole tab.
        cases: The answers to the question which animals the rows are, by case.
        again: A tick: the same file stands for other animals.
        send, stop: Buttons.
        go_on, check: Buttons after an interruption: send what is left; look what arrived.
        files: Buttons that download the result files, by name.
        past, show_past: Past imports, and a button that shows the results of one.
        results: What became of the last file, and of its corrected rows.
    """

    def __init__(
        self,
        kit: Kit,
        memory: Memory,
        numbers: Callable[[], Collection[int]],
        client: Callable[[], Any],
        journal: Path | None,
        folder: Path | None,
        ended: Callable[[bool], None],
    ) -> None:
        super().__init__(kit, memory, numbers, "Choose a file")
        self._ended = ended
        self.notice = kit.html()
        self.worker = Worker("petstore-import", self._say, self._busy_changed)
        self._importing = Importing(client, journal, folder, self.worker.check)
        self.plan: Plan | None = None
        self.results: list[LoadResult] = []
        self._is_stale = self._is_checking = False
        self.decide = RowsStep(kit, self.words, self.changed)
        self.cases: dict[str, widgets.ToggleButtons] = {}
        self.files: dict[str, widgets.Button] = {}
        self._cards, self._question, self._result = kit.html(), kit.html(), kit.html()
        self._case_box = kit.column()
        self.again = kit.tick("they are other animals: send all of them once more", self._decided)
        self.anyway = kit.tick("send the rows that are fine all the same", self._decided)
        self.send = kit.button("Send", self._send, button_style="primary")
        self.stop = kit.button("Stop", self._stop, "end it in order")
        self._for_ever = kit.html(FOR_EVER)
        self._file_box = kit.row()
        self.go_on = kit.button("Continue", self._go_on, button_style="primary")
        self.check = kit.button("Check whether these arrived", self._settle)
        self._left = kit.html()
        self._left_box = kit.column(self._left, kit.row(self.go_on, self.check))
        self.past = kit.choice("Past imports", [("none", "")], int)
        self.show_past = kit.button("Show its results", self._open_past)
        self._past_box = kit.row(self.past, self.show_past)
        self._send_box = kit.row(self.send, self.stop, self._for_ever)
        self.widget = kit.column(
            self._left_box, self.steps, self._cards, self._question, self._case_box, self.again,
            self.decide.widget, self.anyway, self._send_box, self.notice, self._result,
            self._file_box, self._past_box, css="pf-column",
        )  # fmt: skip
        self.widget.add_class("pf-tab")
        self.draw_plan()
        self._draw_past()

    @property
    def choices(self) -> Choices:
        """What was decided about the file."""
        return Choices(
            self.recipe if self.is_settled else self.recognised,
            {name: case.value for name, case in self.cases.items() if case.value},
            self.decide.edits,
            self.decide.left_out,
            self.decide.confirmed,
            self.again.value,
            self.anyway.value,
        )

    @property
    def rows(self) -> dict[int, RowControls]:
        """The controls of each row to decide, by its line."""
        return self.decide.rows

    def close(self) -> None:
        """Stop what is under way, in order, and remove the uploads."""
        self.worker.stop()
        self.worker.wait()
        super().close()

    def _say(self, markup: str) -> None:
        self.notice.value = self.as_known(markup)

    # Checking: at each change, in the worker's thread.

    def take(self, path: Path) -> None:
        if path.suffix != ".toml":
            self._forget_answers()
        super().take(path)

    def _forget_answers(self) -> None:
        self.decide.forget()
        self._kit.forget(*self.cases.values())
        self.cases, self.plan, self.results = {}, None, []
        self.again.value = self.anyway.value = False
        self.draw_plan()

    def changed(self) -> None:
        with self._kit.lock:
            self._is_stale = True
            if self._is_checking:
                self.worker.stop()  # and begin anew
            else:
                self.worker.start("Checking all rows …", self._check)

    _decided = changed

    def _busy_changed(self) -> None:
        with self._kit.lock:
            is_missed = self._is_stale and not self.worker.is_busy
        if is_missed:
            self.changed()
        self._draw_buttons()
        if not self.worker.is_busy and self.worker.refused_key:
            self._ended(True)

    def _check(self) -> None:
        self._is_checking = True
        try:
            while self._is_stale and self.source is not None:
                self._is_stale, self.plan = False, None
                self._draw_buttons()
                try:
                    self._check_once(self.source)
                except Stopped:
                    if not self._is_stale:
                        raise
        finally:
            self._is_checking = False
            self.draw_plan()

    def _check_once(self, path: Path) -> None:
        self._say(PAGE.progress("Counting what this would send …"))
        if self.look():
            self.plan = self._importing.rehearse(path, self.choices, self._read)
        if self.is_settled:
            self.keep_in_memory()
        self._say("")

    def _read(self, rows: int) -> None:
        self.worker.check()
        self.worker.report(f"Checking: {count_text(rows, 'row')}")

    # Showing what sending would do.

    def draw_plan(self) -> None:
        """Show what sending would do, and what is to be decided first."""
        with self._kit.lock:
            plan = self.plan
            self._cards.value = "" if plan is None or plan.question else _consequence(plan)
            known = 0 if plan is None else sum(plan.result.counts[s] for s in IN_STORE)
            known += 0 if plan is None else plan.result.counts[State.SKIPPED]
            is_sent = plan is not None and plan.question is None and not plan.to_send and known
            show(self.again, bool(is_sent) or self.again.value)
            is_held = plan is not None and plan.is_held and plan.count(State.PENDING)
            show(self.anyway, bool(is_held) or self.anyway.value)
            self._draw_question()
            if plan is not None or self.source is None:
                self.decide.draw(plan)
            codes = [] if plan is None else [cause.code for cause in plan.result.facts.causes]
            self.show_keep("key_repeated" in codes)
            self._draw_buttons()

    def _draw_buttons(self) -> None:
        plan, is_busy = self.plan, self.worker.is_busy
        to_send = 0 if plan is None else plan.to_send
        is_ready = bool(to_send) and self.is_settled and not is_busy
        self.send.description = f"Send {count_text(to_send, 'pet')}" if to_send else "Send"
        self.send.disabled = not is_ready
        is_sending = is_busy and not self._is_checking
        show(self.stop, is_sending)
        self.stop.description = "Stop now" if self.worker.is_stopping else "Stop"
        show(self._for_ever, bool(to_send))
        show(self._send_box, self.source is not None or is_sending)
        for button in (self.go_on, self.check, self.show_past):
            button.disabled = is_busy

    def _draw_question(self) -> None:
        question = None if self.plan is None else self.plan.question
        asked = () if question is None else question.cases
        title, lines = "Are these animals in the store already?", list[str]()
        for case in asked:
            if case.name not in self.cases:
                text = CASES[case.name]
                self.cases[case.name] = self._kit.on_change(
                    self._kit.make(
                        widgets.ToggleButtons,
                        "",
                        options=[
                            (f"{text.skip} ({becomes(case.if_skip)})", "skip"),
                            (f"{text.send} ({becomes(case.if_send)})", "send"),
                        ],
                        value=None,
                        description="",
                    ),
                    self._decided,
                )
            lines += [line for line in case.lines() if line]
        self._question.value = PAGE.warning(title, lines) if asked else ""
        self._case_box.children = [*self.cases.values()]

    # Sending, and what to do after an interruption.

    def _send(self) -> None:
        if self.plan is not None and not self.send.disabled:
            self.worker.start("Sending …", self._load)

    def _load(self) -> None:
        if self.source is None or self.plan is None:
            return
        progress = self._progress(self.plan.to_send)
        results, question = self._importing.load(self.source, self.choices, progress)
        self.plan = replace(self.plan, result=_asking(results[0], question)) if question else None
        self._show_results(results)
        self._ended(False)

    def _progress(self, total: int) -> Callable[[Mapping[State, int]], None]:
        speed, first = Speed(total), list[int]()

        def report(counts: Mapping[State, int]) -> None:
            self.worker.check()
            left = counts.get(State.PENDING, 0) + counts.get(State.IN_FLIGHT, 0)
            first[:] = first or [left]
            done = max(0, first[0] - left)
            self.worker.report(speed.words(done), speed.share(done))

        return report

    def _stop(self) -> None:
        self.worker.stop()
        self._say(
            PAGE.warning(
                "Stopping",
                ["It waits for the requests that are on their way, whose pets would be in doubt "
                 "else. “Stop now” does not wait for them."],
            )
        )  # fmt: skip
        self._draw_buttons()

    def _go_on(self) -> None:
        left = sum(counts[State.PENDING] for _, counts in self._importing.past())
        self.worker.start("Sending what is left …", lambda: self._finish(left))

    def _finish(self, left: int) -> None:
        results = self._importing.go_on(self._progress(left))
        self._show_results(results[-1:])
        self._ended(False)

    def _settle(self) -> None:
        doubtful = [run.id for run, counts in self._importing.past() if in_doubt(counts)]
        self.worker.start("Looking for them in the store …", lambda: self._look_for(doubtful))

    def _look_for(self, doubtful: list[str]) -> None:
        def pause(seconds: float) -> None:
            if seconds > 0:
                words = f"Waiting {seconds:,.0f} s, for the store may still act on them"
                self._say(PAGE.progress(words))
            self.worker.pause(seconds)

        said = self._importing.settle(doubtful, pause)
        self._show_results([self._importing.result_of(each) for each in doubtful[:1]])
        self._say(PAGE.success("Checked", said))
        self._ended(False)

    def _show_results(self, results: list[LoadResult]) -> None:
        self._say(PAGE.progress("Writing the result files …"))
        self.results = results
        paths = [path for result in results for path in self._importing.write(result)]
        self._kit.forget(*self.files.values())
        self.files = {
            f"{path.parent.name}/{path.name}": self._kit.button(
                f"Download {path.name}", partial(self.drop.download_file, path)
            )
            for path in paths
            if has_rows(path, results)
            and path.stat().st_size <= LARGEST_MESSAGE
            and path.suffix != ".json"
        }
        self._file_box.children = [*self.files.values()]
        shown = Markup("").join(result_html(result.facts, has_steps=False) for result in results)
        places = dict.fromkeys(str(path.parent) for path in paths)
        shown += PAGE.quiet([f"Result files: {', '.join(places)}"])
        self._result.value = self.as_known(shown)
        self._say("")
        self._draw_past()
        self.draw_plan()

    def _draw_past(self) -> None:
        past = self._importing.past()
        self.past.options = [(past_words(*each), each[0].id) for each in past] or [("none", "")]
        show(self._past_box, bool(past))
        left = [(run, counts) for run, counts in past if counts[State.PENDING] or in_doubt(counts)]
        waiting = sum(counts[State.PENDING] for _, counts in left)
        doubtful = sum(in_doubt(counts) for _, counts in left)
        lines = [past_words(*each) for each in left]
        if doubtful:
            lines.append(CHECKING)
        self._left.value = PAGE.warning("An import was not finished", lines) if left else ""
        show(self._left_box, bool(left))
        show(self.go_on, bool(waiting))
        show(self.check, bool(doubtful))
        self.go_on.description = f"Continue: send the {waiting:,} that wait"

    def _open_past(self) -> None:
        if self.past.value:
            found = self._importing.result_of(self.past.value)
            self.worker.start("Reading its results …", lambda: self._show_results([found]))


def _asking(result: LoadResult, question: Any) -> LoadResult:
    result.question = question
    return result


def _consequence(plan: Plan) -> Markup:
    """Draw what sending would do, in numbers."""
    result = plan.result
    skipped = result.facts.skipped
    changed = sum(each.records for each in skipped if each.reason == Reason.CHANGED)
    known = sum(each.records for each in skipped if each.reason == Reason.KNOWN)
    known += plan.count(*IN_STORE)
    absent = plan.count(State.ABSENT)
    doubtful = plan.count(*DOUBT_STATES) - absent
    to_fix = plan.count(State.INVALID)
    cards = [Card("New pets to send", f"{plan.count(State.PENDING):,}")]
    cards.append(Card("Known already", f"{known:,}", "not sent again"))
    if changed:
        cards.append(Card("Changed since", f"{changed:,}", "not sent: a pet cannot be changed"))
    cards.append(Card("To fix", f"{to_fix:,}", "not sent"))
    if doubtful:
        cards.append(Card("In doubt", f"{doubtful:,}", "sent before, perhaps in the store"))
    if absent:
        cards.append(Card("Not found", f"{absent:,}", "sent before, and not in the store"))
    drawn = PAGE.cards(cards)
    if changed:
        run = result.facts.run
        columns = ["line", *run.key, run.mapping["name"], "changed"]
        rows = result.changed[columns].head(CHANGED_SHOWN).astype("str").to_numpy().tolist()
        head = ["Line", *run.key, "Name", "Was → is"]
        table = PAGE.table(rows, head, caption=f"Known animals with other values now: {changed:,}")
        drawn += Markup("<details><summary>Show what changed</summary>{}</details>").format(table)
    warnings = Markup("").join(Markup("<p>{}</p>").format(each) for each in result.warnings)
    return drawn + warnings
