"""The state of a file in the first three steps; the widgets only display it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from petstore_frame.dashboard.file_values import FileValue, values_of
from petstore_frame.errors import InputError
from petstore_frame.loader import FilePreview, Recipe
from petstore_frame.schema import FIELDS

PLACEHOLDER = "?"  # the value of an open recipe option
ENCODING = "encoding"
# The recipe options that describe the layout of a file.
LAYOUT_OPTIONS = (ENCODING, "delimiter", "header_row", "sheet", "quoting", "columns")


@dataclass
class FileState:
    """A file, the recipe to read it with, and the questions that are still open.

    Attributes:
        source: The file, or None.
        recipe: The options that the user chose or the file itself determines.
        preview: The file as this recipe reads it; None until it was read.
        postponed: Values whose rows the user will fix later.
        is_remembered: Whether the recipe comes from the last file with this header.
        is_busy: Whether a job is running.
        opened: Number of the finished step that the user opened again, or None.
    """

    source: Path | None = None
    recipe: Recipe = field(default_factory=Recipe)
    preview: FilePreview | None = None
    postponed: set[tuple[str, str]] = field(default_factory=set)
    is_remembered: bool = False
    is_busy: bool = False
    opened: int | None = None

    @property
    def questions(self) -> tuple[InputError, ...]:
        return () if self.preview is None else self.preview.questions

    @property
    def layout_answers(self) -> dict[str, Any]:
        """The detected layout options that the user has not confirmed yet."""
        answers = {}
        for question in self.questions:
            option, value = question.add or ("", PLACEHOLDER)
            if option == ENCODING and value == PLACEHOLDER and self.preview is not None:
                # The preview uses the likeliest encoding, so that a person can check it.
                value = self.preview.facts.get(ENCODING, PLACEHOLDER)
            if option in LAYOUT_OPTIONS and value != PLACEHOLDER:
                answers[option] = value
        return answers

    @property
    def problems(self) -> list[InputError]:
        """The errors that prevent reading the file and that a confirmation cannot solve."""
        return [
            question
            for question in self.questions
            if question.add is None
            or (
                question.add[0] in LAYOUT_OPTIONS
                and question.add[1] == PLACEHOLDER
                and question.add[0] not in self.layout_answers
            )
        ]

    @property
    def suggested_mapping(self) -> Mapping[str, str]:
        """The detected column of each field that the user has not confirmed; ``?`` is unclear."""
        for question in self.questions:
            if question.add is not None and question.add[0] == "mapping":
                suggested: Mapping[str, str] = question.add[1]
                return suggested
        return {}

    @property
    def has_layout(self) -> bool:
        """Whether step 1 is done."""
        is_read = self.preview is not None and bool(self.preview.columns)
        return is_read and not self.layout_answers and not self.problems

    @property
    def needs_key(self) -> bool:
        """Whether a column certainly identifies animals, but the user has not chosen a key."""
        preview = self.preview
        return preview is not None and self.recipe.key is None and preview.proposed_key is not None

    @property
    def missing_fields(self) -> list[str]:
        """The required fields without a column and without a default."""
        preview = self.preview
        if preview is None:
            return []
        return [
            pet_field.name
            for pet_field in FIELDS.sent
            if pet_field.is_required
            and pet_field.name not in preview.mapping
            and pet_field.name not in self.recipe.defaults
        ]

    @property
    def has_columns(self) -> bool:
        """Whether step 2 is done."""
        if not self.has_layout or self.suggested_mapping or self.needs_key:
            return False
        return not self.missing_fields and not self.questions

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
    def has_values(self) -> bool:
        """Whether step 3 is done."""
        return self.has_columns and not self.open_values

    @property
    def open_placeholders(self) -> list[str]:
        """The names of the steps with open questions."""
        steps = {
            "Choose a file": self.has_layout,
            "Match columns": self.has_columns,
            "Match values": self.has_values,
        }
        return [name for name, is_done in steps.items() if not is_done]
