"""The Import tab: choose a file, match columns and values, check, and send."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from petstore_frame import sample_data
from petstore_frame.dashboard.import_steps.check_step import MAX_ROWS, CheckStep
from petstore_frame.dashboard.import_steps.file_steps import FileSteps
from petstore_frame.dashboard.import_steps.send_step import SendStep, send_progress
from petstore_frame.dashboard.import_steps.unfinished_imports import UnfinishedImports, is_done
from petstore_frame.dashboard.page.background import (
    Background,
    Job,
    ProgressArea,
    StoppableClient,
    is_key_rejected,
)
from petstore_frame.dashboard.page.store_header import StoreHeader
from petstore_frame.dashboard.page.time_left import TimeLeft
from petstore_frame.dashboard.page.widgets import WidgetFactory, set_visible
from petstore_frame.dashboard.state.check_questions import ANSWERED_BY_NAME, answer
from petstore_frame.dashboard.state.import_state import ImportState, read_dry_run
from petstore_frame.dashboard.state.store_state import StoreState
from petstore_frame.errors import (
    LoadStoppedError,
    PetstoreError,
    QuestionError,
    result_of,
)
from petstore_frame.loader import (
    LoadResult,
    PetIds,
    RowName,
    State,
    resume_loads,
    run_import,
    view_of,
)
from petstore_frame.questions import Name
from petstore_frame.rendering import PAGE, element
from petstore_frame.schema import count_text

CHOOSE = ("Choose a file", "CSV or Excel.")
INTRODUCTION = "Add animals from a spreadsheet. Nothing is sent before you press Add in step 5."


class ImportTab(FileSteps):
    """The five steps of an import, and the interrupted imports.

    Attributes:
        widget: The whole tab.
        check, send: Steps 4 and 5 with their controls; FileSteps has the first three.
        unfinished: The interrupted imports, and their buttons.
        sample: The button that chooses a sample file.
        grace_s: Seconds to wait before reading back; None uses the default of ``reconcile``.
    """

    state: ImportState

    def __init__(
        self,
        factory: WidgetFactory,
        store: StoreState,
        header: StoreHeader,
        on_unfinished: Callable[[int], None],
    ) -> None:
        self._header, self._on_unfinished = header, on_unfinished
        self.grace_s: float | None = None
        background = Background(factory, self.render, header.ask_for_key)
        super().__init__(
            factory, store, background, name="import", choose=CHOOSE, unused="not imported"
        )
        self.unfinished = UnfinishedImports(factory.for_part(), self)
        self.check = CheckStep(factory.for_part(), self)
        self.send = SendStep(factory.for_part(), self)
        self.sample = factory.button("Try it with a sample file", self.use_sample, css="pf-link")
        self._introduction = factory.row(
            factory.html(element("span", INTRODUCTION)), self.sample, css="pf-line pf-intro"
        )
        steps = (self.choose_file, self.match_columns, self.match_values, self.check, self.send)
        self.widget = factory.column(
            self.unfinished.widget,
            self._introduction,
            *(step.step.widget for step in steps),
            css="pf-column",
        )
        self.widget.add_class("pf-tab")
        self.unfinished.read()
        self.render()

    # The steps before sending.

    def new_state(self) -> ImportState:
        store = self.store
        return ImportState(categories=store.categories, earlier_names=store.earlier_names)

    def clear(self) -> None:
        """Clear the tab for another file."""
        if self.state.source is not None:
            self.saved_files.remove(self.state.source)
        self.state = self.new_state()
        self.render()

    def use_sample(self) -> None:
        """Choose a small file of sample animals."""
        path = self.scratch_path("sample_arrivals.csv")
        sample_data.write_sample_csv(path, rows=30, seed=4)
        self.keep_upload(path.name, path.read_bytes())

    def area(self) -> ProgressArea:
        return super().area() if self.state.open_steps else self.check.area

    def answered(self, state: ImportState, name: Name, text: str) -> ImportState:
        return answer(state, name, text)

    def is_same_reading(self, before: Any, state: Any) -> bool:
        return super().is_same_reading(before, state) and before.load_options == state.load_options

    def update(self) -> None:
        self.state = replace(self.state, is_checked=False, refused=None, result=None)
        super().update()

    def process(self) -> None:
        """Run a dry run, which is the plan."""
        state = self.state
        if state.open_steps:
            return
        client = StoppableClient(self.store.client, self.background)
        options = self._options(dry_run=True, progress=False)
        dry_run, refused = None, None
        try:
            result = run_import(state.source, client, state.recipe, **options)
            dry_run = read_dry_run(result, MAX_ROWS)
        except QuestionError as asked:
            refused = asked.questions[0]
            if refused.name not in ANSWERED_BY_NAME:
                raise
        with self._factory.drawing():
            if self.is_same_reading(state, self.state):
                self.state = replace(
                    self.state, dry_run=dry_run, refused=refused, is_checked=dry_run is not None
                )

    def _options(self, **more: Any) -> dict[str, Any]:
        options = {"journal": self.store.journal, **self.state.load_options}
        return options | {"on_read": self._reading_progress()} | more

    def _reading_progress(self) -> Callable[[int, int], None]:
        """Return a function that shows how much of the file and of the store was read."""
        time_left = TimeLeft(self.store.pets_read)

        def report(rows: int, pets: int) -> None:
            text = f"Checking {count_text(rows, 'row')} …"
            if pets:
                text = f"Comparing with the store: {count_text(pets, 'pet')} read"
                text += time_left.text(pets)
            self.background.report(text)

        return report

    # Sending.

    def start(
        self, label: str, run: Callable[[], None], area: ProgressArea, *, is_sending: bool = True
    ) -> None:
        """Run one of the following methods in a job that a user can stop."""
        self.background.start(Job(label, run, area, is_sending=is_sending, can_stop=True))

    def send_file(self) -> None:
        """Send the file, and show the result."""
        state = self.state
        source = state.source
        if source is None:
            return
        options = self._options(progress=send_progress(self.background, state.pets_to_send))
        try:
            result = run_import(source, self._client(), state.recipe, **options)
        except (KeyboardInterrupt, LoadStoppedError) as stopped:
            result_so_far = result_of(stopped)
            if result_so_far is None:
                raise
            result = result_so_far
            self._check_key()
        except QuestionError:  # the store changed after the check
            self.update()
            return
        self._show(result)
        if is_done(result):
            self.saved_files.finish(source)

    def _client(self) -> StoppableClient:
        return StoppableClient(self.store.client, self.background)

    def send_rest(self) -> None:
        """Send the remaining rows of interrupted imports."""
        progress = send_progress(self.background, self.unfinished.animals_to_send)
        try:
            results = resume_loads(
                self._client(),
                journal=self.store.journal,
                progress=progress,
            )
        except (KeyboardInterrupt, LoadStoppedError) as stopped:
            result_so_far = result_of(stopped)
            if result_so_far is None:
                raise
            results = [result_so_far]
            self._check_key()
        self._show(*results[-1:])
        self._finish_files(results)

    def send_missing(self) -> None:
        """Send again the animals that did not arrive."""
        for result in self.unfinished.results:
            missing = Counter(row.line for row in view_of(result).rows(State.NOT_FOUND))
            pets: dict[RowName, PetIds] = {}
            for line, animals in missing.items():
                pets[line] = [None] * animals
            if pets:
                result.resolve(pets)
        self.send_rest()

    def check_unconfirmed(self) -> None:
        """Look for unconfirmed rows in the store."""

        def wait(seconds: float) -> None:
            until = time.monotonic() + seconds
            while (remaining_s := until - time.monotonic()) > 0:
                minutes, rest = divmod(int(remaining_s + 1), 60)
                text = f"Waiting {minutes}:{rest:02} for late requests to finish"
                self.background.show_message(PAGE.progress(text))
                self.background.check(min(1.0, remaining_s))

        lines, results = list[str](), [*self.unfinished.results]
        grace = {} if self.grace_s is None else {"grace_s": self.grace_s}
        for result in results:
            view = view_of(result)
            watch = self.background.check
            outcome = view.reconcile(self._client(), sleep=wait, watch=watch, **grace)
            lines.append(
                f"{view.run.source}: {outcome.created:,} arrived, {outcome.not_found:,} did not "
                f"arrive, {outcome.unconfirmed:,} still not confirmed"
            )
        self.unfinished.read()
        self._finish_files(results)
        if self.state.result is not None:
            self.send.show_cards(view_of(self.state.result).facts)
        self.background.show_message(PAGE.success("Checked", lines))
        self._changed()
        self._header.read()

    def _finish_files(self, results: Iterable[LoadResult]) -> None:
        """Forget the open files of which each row is done now."""
        saved = self.unfinished_file
        sources = {self.state.source, None if saved is None else saved.source}
        places = [f"{view_of(result).run.place}#" for result in results if is_done(result)]
        for source in filter(None, sources):
            if any(place.startswith(f"{source.resolve()}#") for place in places):
                self.saved_files.finish(source)
                if saved is not None and saved.source == source:
                    self.unfinished_file = None

    def _check_key(self) -> None:
        """Ask for a new key if the store rejects the current one."""
        try:
            self._client().list_pets(1)
        except PetstoreError as problem:
            if is_key_rejected(problem):
                self._header.ask_for_key()
        except KeyboardInterrupt:
            return

    # Rendering.

    def _write(self, result: LoadResult) -> list[Path]:
        view = view_of(result)
        stem = Path(view.run.source).stem
        return result.write(self.store.folder / f"import-{stem}-{view.import_id[:8]}")

    def _show(self, result: LoadResult | None = None) -> None:
        """Show the result of an import, and read the store again."""
        self.unfinished.read()
        if result is not None:
            self.background.show_message(PAGE.progress("Writing the result files …"))
            paths = self._write(result)
            dry_run = read_dry_run(result, MAX_ROWS)
            self.state = replace(self.state, result=result, dry_run=dry_run)
            self.send.show_result(dry_run.facts, paths)
        self.background.show_message("")
        self._changed()
        self._header.read()

    def save_settings(self) -> None:
        """Download the answers for this file as a recipe."""
        preview = self.state.preview
        if preview is not None:
            stem = Path(preview.name).stem or "recipe"
            path = self.state.recipe.write(self.scratch_path(f"{stem}.toml"))
            self.choose_file.drop.download_file(path)

    def update_view(self) -> None:
        """Update the tab when it is opened: another program may have finished an import."""
        self.unfinished.read()
        self._changed()

    def _changed(self) -> None:
        self.render()
        self._on_unfinished(len(self.unfinished.results))

    def render_rest(self) -> None:
        self.check.render(self.state)
        self.send.render(self.state)
        self.unfinished.render(is_busy=self.background.is_busy)
        set_visible(self._introduction, self.state.source is None)
