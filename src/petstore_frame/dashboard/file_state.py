"""The state of a file in the first three steps; nothing here knows of widgets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from petstore_frame.dashboard.category_numbers import CategoryNumbers
from petstore_frame.dashboard.file_values import FileValue, values_of
from petstore_frame.errors import InputError
from petstore_frame.loader import FilePreview, Recipe
from petstore_frame.schema import FIELDS

PLACEHOLDER = "?"  # the value of an open recipe option
ENCODING = "encoding"
# The recipe options that describe the layout of a file.
LAYOUT_OPTIONS = (ENCODING, "delimiter", "header_row", "sheet", "quoting", "columns")


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
    def problems(self) -> tuple[InputError, ...]:
        """Why the file cannot be read with the options so far, with likely answers."""
        return () if self.preview is None else self.preview.questions

    @property
    def likely_layout(self) -> dict[str, Any]:
        """The detected layout options that the user has not confirmed yet."""
        likely = {}
        for problem in self.problems:
            option, value = problem.add or ("", PLACEHOLDER)
            if value == PLACEHOLDER and problem.likely is not None:
                value = problem.likely
            if option == ENCODING and value == PLACEHOLDER and self.preview is not None:
                # The preview uses the likeliest encoding, so that a person can check it.
                value = self.preview.facts.get(ENCODING, PLACEHOLDER)
            if option in LAYOUT_OPTIONS and value != PLACEHOLDER:
                likely[option] = value
        return likely

    @property
    def unreadable(self) -> list[InputError]:
        """The problems of the layout that no likely answer solves."""
        options = {*self.likely_layout, "mapping", "key"}
        return [
            problem
            for problem in self.problems
            if problem.add is None or problem.add[0] not in options
        ]

    @property
    def likely_columns(self) -> Mapping[str, str]:
        """The likely column of each field that the user has not confirmed."""
        likely: dict[str, str] = {}
        for problem in self.problems:
            if problem.add is None or problem.add[0] != "mapping":
                continue
            for columns in (problem.add[1], problem.likely or {}):
                likely |= {name: at for name, at in columns.items() if at != PLACEHOLDER}
        return likely

    @property
    def open_fields(self) -> set[str]:
        """The fields that a problem of the file asks for."""
        asked: set[str] = set()
        for problem in self.problems:
            if problem.add is not None and problem.add[0] == "mapping":
                asked |= {*problem.add[1]}
        return asked

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
