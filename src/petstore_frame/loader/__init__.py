"""What became of each row.

    file, frame -> reading -> rows -> journal -> sending -> the store
                                            |          |
                                         results <- settling

- ``reading`` opens a file or a frame and makes checked Rows of it.
- ``journal`` keeps on disk what is known of each row, one database for each store.
- ``sending`` works one session with the store.
- ``settling`` reads the store: what it has before a load, and what became of unconfirmed rows.
- ``results`` shows what became of each row.

``load`` is what a user calls: one import from start to end. ``options`` is what a user may ask
for, ``row`` has the states, ``question`` is what an import asks, ``proposals`` phrases what to
do next, and ``listed`` makes frames for a comparison.
"""

from petstore_frame.loader.journal.database import place_of
from petstore_frame.loader.loading import resume_loads, run_import
from petstore_frame.loader.next_steps import to_add
from petstore_frame.loader.read_list import read_ids, read_list
from petstore_frame.loader.resolve import PLACEHOLDER, PetIds, RowName
from petstore_frame.loader.results.load_result import LoadResult, latest_results, view_of
from petstore_frame.loader.results.row_groups import RowGroup
from petstore_frame.loader.row_state import State, Suspicion
from petstore_frame.loader.source import FilePreview, Recipe, RecipeOptions, as_recipe

__all__ = [
    "PLACEHOLDER",
    "FilePreview",
    "LoadResult",
    "PetIds",
    "Recipe",
    "RecipeOptions",
    "RowGroup",
    "RowName",
    "State",
    "Suspicion",
    "as_recipe",
    "latest_results",
    "place_of",
    "read_ids",
    "read_list",
    "resume_loads",
    "run_import",
    "to_add",
    "view_of",
]
