"""How a CSV, a workbook or a DataFrame becomes records, none of them sent.

``read.open_source`` has a file read into memory and cut into text cells (``opening``, ``tables``;
our own files are ``returned``), finds the columns of the fields (``mapping``), and gives records
(``check``), each cell read by its field (``fields``), with its animal's key (``keys``). What the
caller says is a ``recipe`` of ``words``. ``preview`` shows a file to a person, ``likely`` which
columns may identify an animal, and ``draft`` writes the first recipe.
"""

from petstore_frame.loader.reading.fields import harmless
from petstore_frame.loader.reading.keys import is_date
from petstore_frame.loader.reading.likely import LikelyKey, proposed_key
from petstore_frame.loader.reading.preview import Look, look
from petstore_frame.loader.reading.read import Source, open_source
from petstore_frame.loader.reading.recipe import Recipe, as_recipe
from petstore_frame.loader.reading.returned import Columns
from petstore_frame.loader.reading.words import RecipeWords

__all__ = [
    "Columns",
    "LikelyKey",
    "Look",
    "Recipe",
    "RecipeWords",
    "Source",
    "as_recipe",
    "harmless",
    "is_date",
    "look",
    "open_source",
    "proposed_key",
]
