"""Saves the answers that a user gave for the files of one store, as readable text files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from petstore_frame.errors import PetstoreError
from petstore_frame.loader import Recipe

LONGEST_FILE_NAME = 40


class Memory:
    """The recipes of one store, next to its import journal: one TOML file per header.

    ``pf.load`` never uses these files unless a script passes one as ``recipe=``.

    Args:
        folder: Folder for the files; created when needed.
        categories: The names of categories. A recipe has those that were typed for its file; the
            journal remembers them once the file is sent.
    """

    def __init__(self, folder: Path, categories: Mapping[int, str]) -> None:
        self._folder = folder
        self.categories = {**categories}

    def folder_of(self, tab: str) -> Path:
        """Return the folder for the open files of a tab."""
        return self._folder / tab

    def change_categories(self, before: Mapping[int, str], after: Mapping[int, str]) -> None:
        """Use more names of categories, and no longer those that an answer removed."""
        for number in before.keys() - after.keys():
            self.categories.pop(number, None)
        new = {number: name for number, name in after.items() if before.get(number) != name}
        self.categories |= new

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
        if not recipe.replace(categories=None).stated_options():
            return
        with suppress(PetstoreError, OSError):  # it cannot be written as TOML, or the disk is full
            self._folder.mkdir(parents=True, exist_ok=True)
            recipe.write(self.recipe_path(columns))

    def forget_recipe(self, columns: Sequence[str]) -> None:
        """Delete the recipe for a header."""
        self.recipe_path(columns).unlink(missing_ok=True)
