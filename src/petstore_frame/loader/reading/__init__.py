"""How a CSV, a workbook or a DataFrame becomes records, none of them sent.

A file is read into memory and cut into text cells (``opening``, ``tables``; our own files are
``returned``), the columns of the fields are found (``mapping``), and each row becomes a record
(``source``): its cells are read by their fields (``fields``), with its animal's key (``keys``).
What the caller says are the ``words`` of a ``recipe``, which also drafts the first one of a file.
``preview`` opens a file, or shows it to a person.
"""

from petstore_frame.loader.reading.fields import BLANK
from petstore_frame.loader.reading.keys import LikelyKey
from petstore_frame.loader.reading.mapping import field_name
from petstore_frame.loader.reading.preview import Look, open_source
from petstore_frame.loader.reading.recipe import Recipe, as_recipe
from petstore_frame.loader.reading.source import Source
from petstore_frame.loader.reading.words import RecipeWords

__all__ = [
    "BLANK",
    "LikelyKey",
    "Look",
    "Recipe",
    "RecipeWords",
    "Source",
    "as_recipe",
    "field_name",
    "open_source",
]
