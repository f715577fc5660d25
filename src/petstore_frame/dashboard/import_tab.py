"""The tab that adds pets from a file: file, columns, words, rows to decide, send."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from petstore_frame.charts import element
from petstore_frame.dashboard.background import READING
from petstore_frame.dashboard.file_tab import FileTab
from petstore_frame.dashboard.store_header import Top
from petstore_frame.dashboard.widgets import LARGEST_MESSAGE, show
from petstore_frame.errors import DuplicatesError, LoadInterrupted, LoadStoppedError
from petstore_frame.loader import LoadResult, State, place_of, resume_loads, run_import
from petstore_frame.rendering import PAGE, Card, Markup, count_text, minute_text

Progress = Callable[[Mapping[State, int]], None]
PAST_SHOWN, MANY = 20, 2**31
FOR_EVER = "A pet cannot be changed or deleted once it is sent."
STOPPING = (
    "It waits for the requests that are on their way, whose pets would be unconfirmed else. “Stop "
    "now” does not wait for them."
)
CHECKING = (
    "Checking reads the store and sends nothing. A row is taken for a pet only where no other new "
    "pet could be it; what is left is listed with the pets that it may be."
)


class ImportTab(FileTab):
    """Choose a file, say how it is read, decide, send; the store is then read again.

    Attributes:
        cases: The answers to the question which animals the rows are, by case.
        ticks: ``as_new``: the same file stands for other animals; ``anyway``: the rows that are
            fine are sent, although most fail for one cause; ``not_found``: rows that were sent, and
            are not in the store, are sent again.
        send: A button.
        go_on, check: Buttons after an interruption: send what is left; look what arrived.
        files: Buttons that download the result files, by name.
        result: What became of the last file, or None.
    """

    def __init__(self, top: Top) -> None:
        super().__init__(top, "Choose a file")
        kit = self.kit
        self.grace_s: float | None = None  # as long as ``reconcile`` waits without a word
        self.plan: LoadResult | None = None  # a rehearsal of what is on the screen
        self.result: LoadResult | None = None
        self.cases: dict[str, widgets.ToggleButtons] = {}
        self._texts: dict[str, tuple[str, str, str]] = {}
        self.files: dict[str, widgets.Button] = {}
        self._cards, self._question, self._result = kit.html(), kit.html(), kit.html()
        self._cases, self._files = kit.column(), kit.row()
        self.ticks = {
            name: kit.tick(text, lambda _: self.changed())
            for name, text in {
                "as_new": "they are other animals: send all of them once more",
                "not_found": "send these again: the rows that were sent and are not in the store",
                "anyway": "send the rows that are fine all the same",
            }.items()
        }
        begin = self.work.start
        self.send = kit.button("Send", lambda: begin("Sending …", self._load, stopping=STOPPING))
        self.go_on = kit.button(
            "", lambda: begin("Sending what is left …", self._finish, stopping=STOPPING)
        )
        self.check = kit.button(
            "Check whether these arrived",
            lambda: begin("Looking for them in the store …", self._look_for, stopping=READING),
        )
        self.send.button_style = self.go_on.button_style = "primary"
        self._sending = kit.row(self.send, self.stop, kit.html(FOR_EVER))
        self._left = kit.html()
        self._left_box = kit.column(self._left, kit.row(self.go_on, self.check))
        self.widget.children = [
            self._left_box, *self.widget.children, self._cards, self._question, self._cases,
            self.words.rows_widget, *self.ticks.values(), self._sending, self.notice, self._result,
            self._files,
        ]  # fmt: skip
        self._draw_plan()

    # Checking: at each change, in a thread.

    def take(self, path: Path) -> None:
        self.cases.clear()
        with self.kit.drawing():
            for tick in self.ticks.values():
                tick.value = False
            self._plan(None)
        super().take(path)

    def changed(self) -> None:
        self.work.start("Counting what this would send …", self._check)

    def _plan(self, plan: LoadResult | None) -> None:
        self.plan = plan
        self._draw_plan()

    @property
    def to_send(self) -> int:
        """How many pets *Send* would send."""
        plan = self.plan
        is_held = plan is None or plan.question is not None or plan.facts.is_held
        return 0 if plan is None or is_held else plan.counts[State.PENDING]

    def _check(self) -> None:
        def read(rows: int) -> None:
            self.work.report(f"Checking: {count_text(rows, 'row')}")

        self._plan(None)
        if self.look() and self.source is not None:
            options = self._options(dry_run=True, progress=False, records_read=read)
            self._plan(run_import(self.source, self.top.client, self.recognised, **options))
        self.work.say("")

    @property
    def answers(self) -> dict[str, Any]:
        """The answer to each case of the question that has one."""
        said = {name: case.value for name, case in self.cases.items() if case.value}
        return said | ({"not_found": "create"} if self.ticks["not_found"].value else {})

    def _options(self, **more: Any) -> dict[str, Any]:
        return {
            "journal": self.top.journal,
            "duplicates": self.answers,
            "as_new": self.ticks["as_new"].value,
            "max_errors": MANY if self.ticks["anyway"].value else None,
            **more,
        }

    # Showing what sending would do.

    def draw(self) -> None:
        """Show the imports that were not finished, and what can be done about them."""
        left = [each for each in self._past() if each.counts[State.PENDING] or _doubtful(each)]
        waiting = sum(each.counts[State.PENDING] for each in left)
        doubtful = sum(map(_doubtful, left))
        lines = [
            f"{each.run.source}, {minute_text(each.run.staged_at)[:10]}: "
            + ", ".join(f"{n:,} {state.text}" for state, n in each.counts.items() if n)
            for each in left
        ]
        lines += [CHECKING] if doubtful else []
        self._left.value = PAGE.warning("An import was not finished", lines) if left else ""
        show(self._left_box, left)
        show(self.go_on, waiting)
        show(self.check, doubtful)
        self.go_on.description = f"Continue: send the {waiting:,} that wait"

    def _draw_plan(self) -> None:
        """Show what sending would do, and what is to be decided first."""
        with self.kit.drawing():
            plan, needed, is_repeated = self.plan, dict[str, object](), False
            self._draw_question(None if plan is None else plan.question)
            self._cards.value = ""
            if plan is not None and plan.question is None:
                facts = plan.facts
                self._cards.value = self._consequence(plan)
                is_known = facts.count(State.CREATED, State.MATCHED, State.EXCLUDED)
                needed = {
                    "as_new": is_known and not self.to_send,
                    "not_found": facts.count(State.NOT_FOUND),
                    "anyway": facts.is_held and facts.count(State.PENDING),
                }
                is_repeated = any(each.problem.code == "key_repeated" for each in facts.causes)
            for name, tick in self.ticks.items():
                show(tick, tick.value or needed.get(name))
            show(self.reading["keep"], is_repeated or self.recipe.keep)
            self.draw_buttons()

    def draw_buttons(self) -> None:
        can_send = self.to_send and self.is_settled and not self.work.is_busy
        text = f"Send {count_text(self.to_send, 'pet')}" if self.to_send else "Send"
        self.send.description, self.send.disabled = text, not can_send
        show(self._sending, self.source is not None or self.work.is_busy)
        self.go_on.disabled = self.check.disabled = self.work.is_busy

    def _consequence(self, plan: LoadResult) -> Markup:
        """Draw what sending would do, in numbers, and the rows to decide."""
        facts, words = plan.facts, self.words
        fields = {column: name for name, column in facts.run.mapping.items()}
        wrong = {
            row["line"]: row
            for row in plan.fix.to_dict("records")
            if not words.is_asked(fields.get(row["error_column"]), row["error_value"])
        }
        words.draw_rows(wrong, fields)
        known = [each for each in facts.excluded if not each.reason.is_plain]
        changed = sum(each.records for each in known if each.reason == "changed")
        not_found = facts.count(State.NOT_FOUND)
        shown = {
            "New pets to send": (facts.count(State.PENDING), ""),
            "Known already": (
                sum(each.records for each in known) + facts.count(State.CREATED, State.MATCHED),
                f"not sent again; {changed:,} read otherwise now" if changed else "not sent again",
            ),
            "To fix": (facts.to_fix, "not sent"),
            "Unconfirmed": (facts.unconfirmed - not_found, "sent before, perhaps in the store"),
            "Not found": (not_found, "sent before, and not in the store"),
        }
        drawn = PAGE.cards(
            Card(name, f"{number:,}", under)
            for name, (number, under) in shown.items()
            if number or name not in ("Unconfirmed", "Not found")
        )
        return drawn + Markup("").join(element("p", each) for each in plan.warnings)

    def _draw_question(self, question: Any) -> None:
        asked = () if question is None else question.cases
        for case in asked:
            if case.name not in self.cases:
                self._texts[case.name] = case.text
                self.cases[case.name] = self.kit.control(
                    widgets.ToggleButtons, "", lambda _: self.changed(), options=[], value=None
                )
        for name, control in self.cases.items():
            (_, skip, create), said = self._texts[name], control.value
            if question is not None:
                skip = f"{skip} ({question.does('skip')})"
                create = f"{create} ({question.does('create')})"
            control.options, control.value = [(skip, "skip"), (create, "create")], said
        lines = [line for case in asked for line in case.lines() if line]
        title = "Are these animals in the store already?"
        self._question.value = PAGE.warning(title, lines) if asked else ""
        self._cases.children = [*self.cases.values()]

    # Sending, and what to do after an interruption.

    def _load(self) -> None:
        if self.source is None:
            return
        options = self._options(progress=self._progress(self.to_send))
        try:
            result = run_import(self.source, self.top.client, self.recipe, **options)
        except (LoadInterrupted, LoadStoppedError) as stopped:
            result = stopped.result
        except DuplicatesError:  # the store has changed since it was counted
            self.changed()
            return
        self._show(result)

    def _progress(self, total: int) -> Progress:
        """Return a function that shows how fast rows are sent, and how long the rest takes."""
        began = time.monotonic()

        def report(counts: Mapping[State, int]) -> None:
            left = counts.get(State.PENDING, 0) + counts.get(State.IN_FLIGHT, 0)
            done, passed = max(0, total - left), time.monotonic() - began
            words = f"Sending: {done:,} of {total:,}"
            if done >= 20 and passed >= 1:
                rest = (total - done) * passed / done
                words += f", {done / passed:,.0f} a second, {rest:,.0f} s left"
            self.work.report(words, done / max(total, 1))

        return report

    def _finish(self) -> None:
        progress = self._progress(sum(each.counts[State.PENDING] for each in self._past()))
        try:
            results = resume_loads(self.top.client, journal=self.top.journal, progress=progress)
        except (LoadInterrupted, LoadStoppedError) as stopped:
            results = [stopped.result]
        self._show(*results[-1:])

    def _look_for(self) -> None:
        def wait(seconds: float) -> None:
            if seconds > 0:
                words = f"Waiting {seconds:,.0f} s, for the store may still act on them"
                self.work.say(PAGE.progress(words))
            self.work.check(seconds)

        said, results = list[str](), [each for each in self._past() if _doubtful(each)]
        grace = {} if self.grace_s is None else {"grace_s": self.grace_s}
        for result in results:
            result.wait, result.watch = wait, self.work.check
            found = result.reconcile(self.top.client, **grace)
            said.append(
                f"{result.run.source}: {found.created:,} found in the store, "
                f"{found.not_found:,} not found, {found.unconfirmed:,} still unconfirmed"
            )
        self._show(*results[:1])
        self.work.say(PAGE.success("Checked", said))
        if self.source is not None:
            self.changed()

    def _show(self, result: LoadResult | None = None) -> None:
        if result is None:  # another program has finished what there was
            self.draw()
            return
        self.work.say(PAGE.progress("Writing the result files …"))
        self.result, stem = result, Path(result.run.source).stem
        paths = result.write(self.top.folder / f"import-{stem}-{result.import_id[:8]}")
        self.files = {
            path.name: self.kit.button(
                f"Download {path.name}", partial(self.drop.download_file, path)
            )
            for path in paths
            if _is_shown(path, result)
        }
        self._files.children = [*self.files.values()]
        self._result.value = result.html() + PAGE.quiet([f"Result files: {result.folder}"])
        self.work.say("")
        self.draw()
        self._plan(None)
        self.top.refresh.click()

    def _past(self) -> list[LoadResult]:
        """Return the results of the last imports, the latest first."""
        return LoadResult.latest(place_of(self.top.journal, self.top.client.base_url), PAST_SHOWN)


def _doubtful(result: LoadResult) -> int:
    """Return how many rows of an import may or may not be in the store."""
    return sum(count for state, count in result.counts.items() if state.is_unconfirmed)


def _is_shown(path: Path, result: LoadResult) -> bool:
    """Whether a file of results has rows, and can be downloaded."""
    facts = result.facts
    rows = {"fix.csv": facts.to_fix, "unconfirmed.csv": facts.unconfirmed}.get(
        path.name, len(facts)
    )
    return rows > 0 and path.suffix != ".json" and path.stat().st_size <= LARGEST_MESSAGE
