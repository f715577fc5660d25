"""What the values of a file's columns mean, by a recipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from petstore_frame.loader import FilePreview, Recipe
from petstore_frame.schema import FIELDS

# Two answers that are no value of the field.
NO_STATUS, EXCLUDE = "no status", "don't import these"
FIX_LATER = "fix these rows later"


def fold(text: str) -> str:
    """Return a value as recipes compare values: `` In Stock `` is ``in stock``."""
    return text.strip().casefold()


@dataclass(frozen=True)
class FileValue:
    """A value of a column, in all its spellings that differ only in case, or its empty cells.

    Attributes:
        field: The field of a pet that the column is.
        column: The column; empty if the file has no column for the field.
        spellings: As the file writes it, the most frequent first; ``("",)`` are the empty cells.
        rows: How many rows have it; 0 if they are excluded, so that nothing counts them.
        suggestion: A value of the field that looks similar, or None.
    """

    field: str
    column: str
    spellings: tuple[str, ...]
    rows: int
    suggestion: str | None = None

    @property
    def text(self) -> str:
        return self.spellings[0]

    @property
    def name(self) -> tuple[str, str]:
        """The field and the folded text, by which its control is found."""
        return self.field, fold(self.text)

    @property
    def is_empty(self) -> bool:
        return not self.text

    @property
    def has_fixed_values(self) -> bool:
        """Whether the field allows a few values only."""
        return bool(FIELDS.named(self.field).values)

    def meaning(self, recipe: Recipe) -> str | int | float | None:
        """Return what it means by a recipe; None if the recipe does not say."""
        folded = fold(self.text)
        if any(fold(text) == folded for text in recipe.exclude.get(self.column, ())):
            return EXCLUDE
        if self.is_empty:
            return recipe.defaults.get(self.field)
        for text, value in recipe.value_map.get(self.field, {}).items():
            if fold(text) == folded:
                return value
        return recipe.fallback.get(self.field)

    def uses_fallback(self, recipe: Recipe) -> bool:
        """Return whether only the recipe's fallback says what it means."""
        without_fallback = recipe.replace(fallback=None)
        return self.meaning(recipe) is not None and self.meaning(without_fallback) is None

    def with_meaning(self, recipe: Recipe, meaning: str | int | None) -> Recipe:
        """Return a recipe by which it means this; None takes its meaning away."""
        folded = fold(self.text)
        value_map = {field: {**table} for field, table in recipe.value_map.items()}
        defaults = {**recipe.defaults}
        excluded = {column: [*texts] for column, texts in recipe.exclude.items()}

        excluded[self.column] = [
            text for text in excluded.get(self.column, []) if fold(text) != folded
        ]
        table = value_map.setdefault(self.field, {})
        for text in [text for text in table if fold(text) == folded]:
            del table[text]
        if self.is_empty:
            defaults.pop(self.field, None)

        if meaning == EXCLUDE:
            excluded[self.column].append(self.text)
        elif meaning is not None:
            value = "" if meaning == NO_STATUS else meaning
            if self.is_empty:
                defaults[self.field] = value
            else:
                table[self.text] = value
        return recipe.replace(
            value_map={field: table for field, table in value_map.items() if table},
            defaults=defaults,
            exclude={column: sorted(texts) for column, texts in excluded.items() if texts},
        )


def values_of(preview: FilePreview, recipe: Recipe) -> list[FileValue]:
    """Return the values of a file that mean something or should, the most frequent first.

    The empty cells of a required field are among them.
    """
    values = [*_listed_values(preview), *_excluded_values(preview, recipe)]
    merged = _merge_spellings(values)
    for field in FIELDS.sent:
        column = preview.mapping.get(field.name, "")
        is_missing = field.is_required and bool(preview.columns) and not column
        rows = preview.empty[field.name]
        if is_missing or rows:
            merged.append(FileValue(field.name, column, ("",), rows))
    return merged


def _listed_values(preview: FilePreview) -> Iterator[FileValue]:
    for value in (*preview.values, *preview.fallback_values):
        yield FileValue(value.field, value.column, (value.text,), value.count, value.suggestion)


def _excluded_values(preview: FilePreview, recipe: Recipe) -> Iterator[FileValue]:
    """Yield the values whose rows are excluded, which no row of the preview shows anymore."""
    for field, column in preview.mapping.items():
        for text in recipe.exclude.get(column, ()):
            if text:
                yield FileValue(field, column, (text,), 0)


def _merge_spellings(values: Iterable[FileValue]) -> list[FileValue]:
    """Return each value once, with its spellings, the most frequent first."""
    merged: dict[tuple[str, str], FileValue] = {}
    for value in values:
        first = merged.get(value.name)
        if first is None:
            merged[value.name] = value
            continue
        spellings = dict.fromkeys([*first.spellings, *value.spellings])
        merged[value.name] = FileValue(
            first.field,
            first.column,
            tuple(spellings),
            first.rows + value.rows,
            first.suggestion or value.suggestion,
        )
    return sorted(merged.values(), key=lambda value: -value.rows)
