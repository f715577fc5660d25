"""Saves the answers that a user gave for the files of one store, as readable text files."""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from petstore_frame.errors import PetstoreError
from petstore_frame.loader import Recipe
from petstore_frame.storage import replacing
from petstore_frame.tables import Labels

LONGEST_FILE_NAME = 40


class Memory:
    """The category names and recipes of one store, next to its import journal.

        memory/HOST-…/categories.csv        the name of each category
        memory/HOST-…/animal-id-name-….toml one recipe per header

    ``pf.load`` never uses these files unless a script passes one as ``recipe=``.

    Args:
        folder: Folder for the files; created when needed.
        categories: Category names that the user passed; they override the saved ones.
    """

    def __init__(self, folder: Path, categories: Mapping[int, str]) -> None:
        self._folder, self._path = folder, folder / "categories.csv"
        self.categories = {**categories}
        with suppress(PetstoreError):  # no file yet, or an invalid one
            self.categories = dict(Labels.ids_and_labels(self._path)) | self.categories

    def name_categories(self, labels: Mapping[int, str]) -> None:
        """Save category names."""
        self.categories |= labels
        self._folder.mkdir(parents=True, exist_ok=True)
        with replacing(self._path) as temporary, temporary.open("w", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([("id", "name"), *sorted(self.categories.items())])

    def recipe_path(self, columns: Sequence[str]) -> Path:
        """Return the path of the recipe for a header; the order of its columns does not matter."""
        header = "\n".join(sorted(name.strip().casefold() for name in columns))
        digest = hashlib.sha256(header.encode(errors="surrogatepass")).hexdigest()[:8]
        stem = re.sub(r"[^a-z0-9]+", "-", header)[:LONGEST_FILE_NAME].strip("-")
        return self._folder / f"{stem}-{digest}.toml"

    def find_recipe(self, columns: Sequence[str]) -> Recipe | None:
        """Return the recipe of the last file with this header; None for a new header."""
        with suppress(PetstoreError):  # no file, or an invalid one
            return Recipe.read(self.recipe_path(columns))
        return None

    def keep_recipe(self, columns: Sequence[str], recipe: Recipe) -> None:
        """Save the recipe for a header."""
        without_categories = recipe.replace(categories=None)
        if not without_categories.stated_options():
            return
        with suppress(PetstoreError, OSError):  # it cannot be written as TOML, or the disk is full
            self._folder.mkdir(parents=True, exist_ok=True)
            without_categories.write(self.recipe_path(columns))

    def forget_recipe(self, columns: Sequence[str]) -> None:
        """Delete the recipe for a header."""
        self.recipe_path(columns).unlink(missing_ok=True)
