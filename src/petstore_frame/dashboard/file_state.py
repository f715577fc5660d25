"""The state of a file on its way through the steps; the widgets only display it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from petstore_frame.dashboard.file_values import FileValue, values_of
from petstore_frame.errors import InputError
from petstore_frame.loader import FilePreview, Recipe
from petstore_frame.schema import FIELDS

PLACEHOLDER = "?"  # what a recipe has for an open answer
ENCODING = "encoding"
# The options of a recipe that say how a file is laid out.
LAYOUT_OPTIONS = (ENCODING, "delimiter", "header_row", "sheet", "quoting", "columns")


@dataclass
class FileState:
    """A file, how it is read, and what the user still has to answer.

    Attributes:
        source: The file, or None.
        recipe: How it is read, as far as the user or the file itself says.
        preview: What it looks like so; None until it was read.
        postponed: Values whose rows the user wants to fix later.
        is_remembered: Whether the recipe is that of the last file with this header.
        is_busy: Whether a job is running.
        opened: The finished step that the user opened again, by its number.
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
        """What was recognized of the layout and waits for a yes, by option."""
        answers = {}
        for question in self.questions:
            option, value = question.add or ("", PLACEHOLDER)
            if option == ENCODING and value == PLACEHOLDER and self.preview is not None:
                # The preview shows the file in the likeliest encoding, for a person to look at.
                value = self.preview.facts.get(ENCODING, PLACEHOLDER)
            if option in LAYOUT_OPTIONS and value != PLACEHOLDER:
                answers[option] = value
        return answers

    @property
    def problems(self) -> list[InputError]:
        """What keeps the file from being read, and that no yes can answer."""
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
        """The columns that were recognized and wait for a yes, by field; ``?`` is unclear."""
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
        """Whether one column is certain to identify animals and the user has not said so."""
        preview = self.preview
        return preview is not None and self.recipe.key is None and preview.proposed_key is not None

    @property
    def missing_fields(self) -> list[str]:
        """The required fields that neither a column nor a default fills."""
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
        """The values that mean something or should."""
        return [] if self.preview is None else values_of(self.preview, self.recipe)

    @property
    def open_values(self) -> list[FileValue]:
        """The values that wait for an answer; empty cells can also be filled in one by one."""
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
        """What the user still has to answer, each as the name of its step."""
        steps = {
            "Choose a file": self.has_layout,
            "Match columns": self.has_columns,
            "Match values": self.has_values,
        }
        return [name for name, is_done in steps.items() if not is_done]
