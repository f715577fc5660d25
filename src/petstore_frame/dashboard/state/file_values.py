"""Finds the values of a file, and their meaning in a recipe."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from petstore_frame.loader import FilePreview, Recipe
from petstore_frame.schema import FIELDS

# Answers that are not values of the field.
NO_STATUS, EXCLUDE = "no status", "don't import these"
FIX_LATER = "fix these rows later"
LABELS: dict[str, str] = {field.name: field.label for field in FIELDS} | {"category_id": "Category"}


def fold(text: str) -> str:
    """Normalize a value as recipes do: `` In Stock `` becomes ``in stock``."""
    return text.strip().casefold()


@dataclass(frozen=True)
class FileValue:
    """A value of a column with its spellings, which differ only in case, or the empty cells.

    Attributes:
        field: The field that the column is mapped to.
        column: The column; empty if the file has no column for the field.
        spellings: The spellings in the file, the most frequent first; ``("",)`` is the empty cells.
        rows: Number of rows with this value; 0 if they are excluded.
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
        """The field and the folded text, which identify the control of the value."""
        return self.field, fold(self.text)

    @property
    def is_empty(self) -> bool:
        return not self.text

    def meaning(self, recipe: Recipe) -> str | int | float | None:
        """Return the meaning of the value in a recipe; None if the recipe has none."""
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
        """Return whether the meaning comes from the recipe's fallback."""
        without_fallback = recipe.replace(fallback=None)
        return self.meaning(recipe) is not None and self.meaning(without_fallback) is None

    def with_meaning(self, recipe: Recipe, meaning: str | int | None) -> Recipe:
        """Return a recipe with this meaning for the value; None removes the meaning."""
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


def without_categories(recipe: Recipe, numbers: Collection[int]) -> Recipe:
    """Return a recipe in which no value means one of these categories, so that they are asked."""
    tables = {
        option: {**getattr(recipe, option)} for option in ("value_map", "defaults", "fallback")
    }
    words = tables["value_map"].get("category_id", {})
    tables["value_map"]["category_id"] = {
        text: meaning for text, meaning in words.items() if meaning not in numbers
    }
    for option in ("defaults", "fallback"):
        if tables[option].get("category_id") in numbers:
            del tables[option]["category_id"]
    return recipe.replace(**tables)


def values_of(preview: FilePreview, recipe: Recipe) -> list[FileValue]:
    """Return the values of a file that have a meaning or need one, the most frequent first.

    The empty cells of a required field are included.
    """
    values = [*_values_in_rows(preview), *_excluded_values(preview, recipe)]
    merged = _merge_spellings(values)
    for field in FIELDS.sent:
        column = preview.mapping.get(field.name, "")
        is_missing = field.is_required and bool(preview.columns) and not column
        rows = preview.empty[field.name]
        if is_missing or rows:
            merged.append(FileValue(field.name, column, ("",), rows))
    return merged


def _values_in_rows(preview: FilePreview) -> Iterator[FileValue]:
    for value in (*preview.values, *preview.fallback_values):
        yield FileValue(value.field, value.column, (value.text,), value.count, value.suggestion)


def _excluded_values(preview: FilePreview, recipe: Recipe) -> Iterator[FileValue]:
    """Yield the values of excluded rows, which the preview does not have."""
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
