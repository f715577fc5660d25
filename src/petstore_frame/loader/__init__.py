"""Loads animals into a store, each of them once, and reports the state of each row.

    file, frame -> source -> journal -> identity -> sending -> the store
                                |                                  |
                             results  <-----  reconcile  <---------+

- ``source`` reads a file or a frame into checked rows.
- ``journal`` stores the rows and their states on disk, in one database per store.
- ``matching`` has the rules that decide which animal a row is; ``identity`` applies them.
- ``sending`` sends the pending rows of one import.
- ``results`` reports the state of each row, and writes the result files.

``loading`` runs an import from start to end, with the arguments that ``load_options`` checks.
``reconcile`` reads the store, before a load and to settle unconfirmed rows; ``resolve`` settles
them by hand. ``duplicate_question`` is the question that a load may ask, ``replaced_imports`` the
one that ``resume_loads`` may ask, and ``next_steps`` writes the calls that continue an import.
``category_names`` asks about a list that contradicts earlier ones. ``row_state`` defines the states
of a row. ``read_list`` reads a list to compare with a store.
"""

from petstore_frame.loader.category_names import (
    category_question,
    check_category_names,
    known_category_names,
    names_of_pets,
)
from petstore_frame.loader.journal.database import place_of
from petstore_frame.loader.loading import resume_loads, run_import
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
    "category_question",
    "check_category_names",
    "known_category_names",
    "latest_results",
    "names_of_pets",
    "place_of",
    "read_ids",
    "read_list",
    "resume_loads",
    "run_import",
    "view_of",
]
