"""The steps that prepare a file for an import or a comparison."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from petstore_frame.dashboard.import_steps.choose_file_step import ChooseFileStep
from petstore_frame.dashboard.import_steps.match_columns_step import MatchColumnsStep
from petstore_frame.dashboard.import_steps.match_values_step import MatchValuesStep
from petstore_frame.dashboard.page.background import Background, Job, ProgressArea
from petstore_frame.dashboard.page.form import Answers
from petstore_frame.dashboard.page.widgets import WidgetFactory
from petstore_frame.dashboard.state.file_state import LAYOUT_OPTIONS, FileState
from petstore_frame.dashboard.state.saved_files import SavedFiles, safe_name
from petstore_frame.dashboard.state.step_questions import answer, has_columns, has_values
from petstore_frame.dashboard.state.store_state import StoreState
from petstore_frame.errors import InputError
from petstore_frame.loader import FilePreview, Recipe
from petstore_frame.questions import Name
from petstore_frame.tables import Labels

PREVIEW_ROWS, SCANNED_ROWS = 30_000, 100_000


class FileSteps:
    """The first three steps of a tab; a subclass adds the steps that use the file.

    Attributes:
        store: The store that all tabs share.
        state: Everything that the tab shows; the widgets only display it.
        background: Runs the jobs of this tab.
        saved_files: The open file and its answers on the disk, for a page that starts again.
        unfinished_file: The file that an earlier page left open, or None.
        choose_file, match_columns, match_values: The steps, each with its controls.
    """

    state: FileState

    def __init__(
        self,
        factory: WidgetFactory,
        store: StoreState,
        background: Background,
        *,
        name: str,
        choose: tuple[str, str],
        unused: str,
    ) -> None:
        self.store, self.memory, self.background = store, store.memory, background
        self._factory = factory
        self.state = self.new_state()
        self._scratch = tempfile.TemporaryDirectory(prefix="petstore-")
        self.saved_files = SavedFiles(self.memory.folder_of(name))
        self.unfinished_file = self.saved_files.latest()
        self._settings: Recipe | None = None
        self._is_new_file = False
        self.choose_file = ChooseFileStep(factory.for_part(), self, *choose)
        self.match_columns = MatchColumnsStep(factory.for_part(), self, unused)
        self.match_values = MatchValuesStep(factory.for_part(), self)

    # Methods for a subclass to override.

    def new_state(self) -> FileState:
        """Return the state of a tab without a file."""
        return FileState(categories=self.store.categories)

    def process(self) -> None:
        """Import or compare the file after the first three steps; called in a job."""
        raise NotImplementedError

    def render_rest(self) -> None:
        """Render the steps that the subclass adds."""

    def area(self) -> ProgressArea:
        """Return the area that shows the progress of ``process``."""
        return self.choose_file.area

    # Choosing a file.

    def scratch_path(self, name: str) -> Path:
        """Return a path for a file that is needed only now; its name may be any text."""
        return Path(self._scratch.name, safe_name(name))

    def keep_upload(self, name: str, content: bytes) -> None:
        """Save an upload, and choose it."""
        self.choose(self.saved_files.keep_upload(name, content))

    def choose(self, path: Path) -> None:
        """Choose a file; the answers for the previous one are discarded."""
        if self.state.source not in (None, path):
            self.saved_files.remove(self.state.source)
        recipe = self._with_categories(self._settings or Recipe())
        self.state = replace(self.new_state(), source=path, recipe=recipe)
        self._is_new_file = self._settings is None
        self._settings = None
        self.update()

    def resume(self) -> None:
        """Continue with the file that an earlier page left open, and with its answers."""
        saved, self.unfinished_file = self.unfinished_file, None
        if saved is None:
            return
        names = dict(Labels.ids_and_labels(saved.answers.recipe.categories))
        self.memory.change_categories({}, names)
        self.state = saved.add_to(self.new_state())
        self._is_new_file = False
        self.update()

    def forget_unfinished(self) -> None:
        """Delete the file that an earlier page left open, and offer the one before it."""
        if self.unfinished_file is not None:
            self.saved_files.remove(self.unfinished_file.source)
            self.unfinished_file = self.saved_files.latest()
            self.render()

    def use_settings(self, recipe: Recipe) -> None:
        """Read the file with a saved recipe; without a file, use it for the next file."""
        source = self.state.source
        self._settings = recipe
        if source is not None:
            self.choose(source)

    def start_over(self) -> None:
        """Delete the saved answers for files with this header."""
        state = self.state
        if state.preview is not None and state.source is not None:
            self.memory.forget_recipe(state.preview.columns)
            self.choose(state.source)

    # Answering.

    def answer(self, answers: Answers) -> None:
        """Answer questions of any step."""
        state = self.state
        for name, text in answers.items():
            state = self.answered(state, name, text)
        self.change(state)

    def answered(self, state: Any, name: Name, text: str) -> Any:
        """Return the state after an answer."""
        return answer(state, name, text)

    def change(self, state: FileState) -> None:
        """Show another state; the file is read again when each value has a meaning."""
        before, self.state = self.state, state
        self.saved_files.save(state)
        self.memory.change_categories(before.categories.names, state.categories.names)
        is_waiting = bool(state.open_values) and state.opened != 3
        has_same_steps = has_values(before) == has_values(state)
        is_shown = has_same_steps and self.is_same_reading(before, state)
        if has_columns(before) and has_columns(state) and (is_waiting or is_shown):
            self.render()
            return
        self.update()

    def is_same_reading(self, before: Any, state: Any) -> bool:
        """Return whether two states read a file in the same way."""
        is_same: bool = before.recipe == state.recipe and before.source == state.source
        return is_same

    def name_categories(self, labels: Mapping[int, str]) -> None:
        """Use more names of categories."""
        self.memory.change_categories({}, labels)
        recipe = self.state.recipe.replace(categories=self.memory.categories)
        self.state = replace(self.state, recipe=recipe, categories=self.store.categories)
        self.update()

    def toggle(self, number: int) -> None:
        """Open a finished step again, or close it."""
        opened = None if self.state.opened == number else number
        self.state = replace(self.state, opened=opened)
        self.render()

    def _with_categories(self, recipe: Recipe) -> Recipe:
        names = dict(Labels.ids_and_labels(recipe.categories)) | self.memory.categories
        return recipe.replace(categories=names or None)

    def update(self) -> None:
        """Read the file again, then import or compare it, in a job."""
        self.saved_files.save(self.state)
        self.render()
        self.background.start(Job("Reading the file …", self._update, self.choose_file.area))

    def _update(self) -> None:
        if self._read_preview() and has_columns(self.state):
            self.background.move_to(self.area())
            self.process()
        self.background.show_message("")
        self.render()

    def _read_preview(self) -> bool:
        """Read a preview of the file; return False if the user changed an answer meanwhile."""
        state = self.state
        source, recipe = state.source, state.recipe
        if source is None:
            return False
        if not source.exists():
            raise InputError(f"{source} does not exist", hint="check the path")
        preview = FilePreview.of(source, recipe, rows=PREVIEW_ROWS, most=SCANNED_ROWS)
        remembered = None
        if self._is_new_file and preview.columns:
            self._is_new_file = False
            remembered = self.memory.find_recipe(preview.columns)
        if remembered is not None:
            recipe = self._with_proven_layout(remembered, preview)
            preview = FilePreview.of(source, recipe, rows=PREVIEW_ROWS, most=SCANNED_ROWS)
        with self._factory.drawing():
            now = self.state
            if now.source is not source or now.recipe is not state.recipe:
                return False  # the next job reads the file with the new answer
            is_remembered = now.is_remembered or remembered is not None
            self.state = replace(now, recipe=recipe, preview=preview, is_remembered=is_remembered)
        if has_values(self.state):
            self.memory.keep_recipe(preview.columns, recipe)
        self.render()
        return True

    def _with_proven_layout(self, remembered: Recipe, preview: FilePreview) -> Recipe:
        """Return the saved recipe without the layout options that this file determines itself."""
        open_options = {question.add[0] for question in preview.questions if question.add}
        proven = {option: None for option in LAYOUT_OPTIONS if option not in open_options}
        return self._with_categories(remembered.replace(**proven))

    # Rendering.

    def render(self) -> None:
        """Show the state in all steps."""
        with self._factory.drawing():
            self.choose_file.render(self.state)
            self.match_columns.render(self.state)
            self.match_values.render(self.state)
            self.render_rest()

    def close(self) -> None:
        """Stop the current job; an open file can be continued on the next page."""
        self.background.close()
        self._scratch.cleanup()
