"""The state of a file in the first three steps; nothing here knows of widgets."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from petstore_frame.dashboard.state.category_numbers import CategoryNumbers
from petstore_frame.dashboard.state.file_values import FileValue, values_of
from petstore_frame.errors import InputError
from petstore_frame.loader import FilePreview, Recipe
from petstore_frame.questions import Question
from petstore_frame.schema import FIELDS

PLACEHOLDER = "?"  # the value of an open recipe option
# The recipe options that describe the layout of a file.
LAYOUT_OPTIONS = ("encoding", "delimiter", "header_row", "sheet", "quoting", "columns")


@dataclass(frozen=True)
class FileState:
    """A file, the recipe to read it with, and what is known about the store.

    Attributes:
        source: The file, or None.
        recipe: The options that the user chose or the file itself determines.
        preview: The file as this recipe reads it; None until it was read.
        categories: The names of the store's categories, and the numbers in use.
        absent: Required fields that the user said are not in the file.
        postponed: Values whose rows the user will fix later.
        is_remembered: Whether the recipe comes from the last file with this header.
        opened: Number of the finished step that the user opened again, or None.
    """

    source: Path | None = None
    recipe: Recipe = field(default_factory=Recipe)
    preview: FilePreview | None = None
    categories: CategoryNumbers = field(default_factory=lambda: CategoryNumbers({}))
    absent: frozenset[str] = frozenset()
    postponed: frozenset[tuple[str, str]] = frozenset()
    is_remembered: bool = False
    opened: int | None = None

    @property
    def is_finished(self) -> bool:
        """Whether the file was sent; the page then shows the result, and not what led to it."""
        return False

    @property
    def problems(self) -> tuple[InputError, ...]:
        """Why the file cannot be read with the options so far, with likely answers."""
        return () if self.preview is None else self.preview.questions

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions of the file itself."""
        return tuple(question for problem in self.problems for question in problem.questions)

    @property
    def likely_layout(self) -> dict[str, Any]:
        """The detected layout options that the user has not confirmed yet."""
        return {
            question.option[0]: question.likely
            for question in self.asked
            if question.option[0] in LAYOUT_OPTIONS and question.likely is not None
        }

    @property
    def unreadable(self) -> list[InputError]:
        """The problems that no question of a step asks for, or that have no likely answer."""
        options = {*self.likely_layout, "mapping", "key"}
        return [
            problem
            for problem in self.problems
            if not problem.questions
            or any(question.option[0] not in options for question in problem.questions)
        ]

    @property
    def open_fields(self) -> dict[str, str | None]:
        """The fields that the file asks for, with their likely columns."""
        return {
            question.option[1]: question.likely
            for question in self.asked
            if question.option[0] == "mapping"
        }

    @property
    def free_columns(self) -> list[str]:
        """The columns that hold no field; one of them may be the status or the animal ID."""
        if self.preview is None:
            return []
        used = {*self.preview.mapping.values()}
        return [name for name in self.preview.columns if name.strip() and name not in used]

    @property
    def has_layout(self) -> bool:
        """Whether step 1 is done."""
        is_read = self.preview is not None and bool(self.preview.columns)
        return is_read and not self.likely_layout and not self.unreadable

    @property
    def values(self) -> list[FileValue]:
        """The values that have a meaning or need one."""
        return [] if self.preview is None else values_of(self.preview, self.recipe)

    @property
    def open_values(self) -> list[FileValue]:
        """The values without a meaning; empty cells can also be corrected row by row."""
        return [
            value
            for value in self.values
            if not value.is_empty
            and value.name not in self.postponed
            and value.meaning(self.recipe) in (None, PLACEHOLDER)
        ]

    @property
    def missing_fields(self) -> list[str]:
        """The required fields without a column and without a value for all rows."""
        if self.preview is None:
            return []
        return [
            name
            for name in (pet_field.name for pet_field in FIELDS.sent if pet_field.is_required)
            if name not in self.preview.mapping and name not in self.recipe.defaults
        ]
