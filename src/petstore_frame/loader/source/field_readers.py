"""Builds the reader of each field from the options of a recipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.source import cell_parsing as fields
from petstore_frame.loader.source.cell_parsing import PLACEHOLDER, FieldReader, folded_text
from petstore_frame.schema import FIELDS
from petstore_frame.tables import Labels

if TYPE_CHECKING:
    from petstore_frame.loader.source.recipe import Recipe

# The table of value_map with texts in key columns that mean "no key".
KEY = "key"


def readers_of(recipe: Recipe) -> dict[str, FieldReader]:
    """Return the reader of each field; this reads the category file, if the recipe has one."""
    readers = {
        field.name: FieldReader(field, recipe.thousands, keep_spaces=recipe.keep_spaces)
        for field in FIELDS.sent
    }
    labels, category_reader = recipe.categories, readers["category_id"]
    if isinstance(labels, Mapping):
        open_labels = {
            folded_text(label) for label, number in labels.items() if number == PLACEHOLDER
        }
        category_reader.meanings |= dict.fromkeys(open_labels, fields.OPEN)
        labels = {label: number for label, number in labels.items() if number != PLACEHOLDER}
    for number, label in Labels.ids_and_labels(labels):
        category_reader.add_label(label, number)
    for name, value in recipe.defaults.items():
        if not fields.IN_BRACES.search(str(value)):
            readers[name].meaning("defaults", value)  # rejects a value that cannot be sent
    for name, value in recipe.fallback.items():
        readers[name].fallback = readers[name].meaning("fallback", value)
    for name, table in recipe.value_map.items():
        if name != KEY:
            meaning = readers[name].meaning
            meanings = {
                folded_text(text): meaning("value_map", value) for text, value in table.items()
            }
            readers[name].meanings |= meanings
        elif any(value not in ("", PLACEHOLDER) for value in table.values()):
            raise ArgumentError(
                'value_map: the table "key" has texts that mean no key, so its values must be ""'
            )
    return readers
