"""How a CSV, a workbook or a DataFrame becomes records, none of them sent.

A file is read into memory and cut into text cells (``opening``, ``tables``; our own files are
``returned``), the columns of the fields are found (``mapping``), and each row becomes a record
(``source``): its cells are read by their fields (``fields``), with its animal's key (``keys``).
What the caller says are the ``words`` of a ``recipe``, which also drafts the first one of a file.
``preview`` opens a file, or shows it to a person.
"""

from petstore_frame.loader.source.cell_parsing import PLACEHOLDER
from petstore_frame.loader.source.column_mapping import field_name
from petstore_frame.loader.source.key_columns import LikelyKey
from petstore_frame.loader.source.preview import FilePreview, open_source
from petstore_frame.loader.source.recipe import Recipe, as_recipe
from petstore_frame.loader.source.recipe_options import RecipeOptions
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
]
