"""Reads a CSV file, a workbook or a DataFrame into checked rows, and sends nothing.

``input_file`` reads a file into memory and splits it into text cells; ``returned_file`` recognizes
files that this package wrote. ``column_mapping`` finds the column of each field. ``source_rows``
checks each row: ``cell_parsing`` reads its cells, and ``row_keys`` its key. ``recipe`` has the
user's options, and ``draft`` suggests them for a new file. ``preview`` opens a file for an import
or for a preview.
"""

from petstore_frame.loader.source.cell_parsing import PLACEHOLDER
from petstore_frame.loader.source.column_mapping import field_name
from petstore_frame.loader.source.key_columns import LikelyKey
from petstore_frame.loader.source.preview import (
    FilePreview,
    open_source,
    read_fix_file,
    stored_source,
)
from petstore_frame.loader.source.recipe import Recipe, RecipeOptions, as_recipe
from petstore_frame.loader.source.source_rows import Source

__all__ = [
    "PLACEHOLDER",
    "FilePreview",
    "LikelyKey",
    "Recipe",
    "RecipeOptions",
    "Source",
    "as_recipe",
    "field_name",
    "open_source",
    "read_fix_file",
    "stored_source",
]
