"""Loads animals into a store, each of them once, and reports the state of each row.

    file, frame -> source -> journal -> matching -> sending -> the store
                                |                                  |
                             results  <-----  reconcile  <---------+

- ``source`` reads a file or a frame into checked rows.
- ``journal`` stores the rows and their states on disk, in one database per store.
- ``matching`` has the rule that decides which animal a row is.
- ``sending`` sends the pending rows of one import.
- ``results`` reports the state of each row, and writes the result files.

``load_steps`` runs a load in five steps, and ``loading`` has the functions that start one, with the
arguments that ``load_options`` checks. ``corrections`` applies fix files and corrected cells.
``reconcile`` reads the store, before a load and to settle unconfirmed rows; ``resolve`` settles
them by hand. ``findings`` has what a result reports besides its rows, ``next_steps`` the calls to
type next, and ``row_state`` the states of a row. ``read_list`` reads a list that will be compared
with a store.
"""

from petstore_frame.loader.category_names import (
    category_question,
    check_category_names,
    confirm_category_names,
    known_category_names,
    names_of_pets,
)
from petstore_frame.loader.findings import NewCategoryNames
from petstore_frame.loader.journal.database import place_of
from petstore_frame.loader.journal.rows import JournalRow
from petstore_frame.loader.loading import resume_loads, run_import
from petstore_frame.loader.read_list import read_ids, read_list, ways_to_match
from petstore_frame.loader.resolve import PLACEHOLDER, PetIds, RowName
from petstore_frame.loader.results.import_facts import ImportSummary
from petstore_frame.loader.results.load_result import LoadResult, latest_results, view_of
from petstore_frame.loader.results.result_text import file_warnings
from petstore_frame.loader.results.row_groups import RowGroup
from petstore_frame.loader.row_state import State, Suspicion
from petstore_frame.loader.source import FilePreview, Recipe, RecipeOptions, as_recipe

__all__ = [
    "PLACEHOLDER",
    "FilePreview",
    "ImportSummary",
    "JournalRow",
    "LoadResult",
    "NewCategoryNames",
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
    "confirm_category_names",
    "file_warnings",
    "known_category_names",
    "latest_results",
    "names_of_pets",
    "place_of",
    "read_ids",
    "read_list",
    "resume_loads",
    "run_import",
    "view_of",
    "ways_to_match",
]
