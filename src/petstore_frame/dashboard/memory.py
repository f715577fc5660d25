"""What was answered for files of one store, kept beside its journal in files that a person reads.

    memory/HOST-…/categories.csv        the name of each category
    memory/HOST-…/animal-id-name-….toml one recipe for each header

``pf.load`` never uses it unasked: a script gives one of these files as ``recipe=``.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from petstore_frame.errors import PetstoreError
from petstore_frame.files import replacing
from petstore_frame.loader import Recipe
from petstore_frame.schema import Labels


class Memory:
    """The names of categories, and how files of each header are read.

    Args:
        folder: Where its files are, or will be.
        given: Names of categories that the user gave, which count before those remembered.
    """

    def __init__(self, folder: Path, given: Mapping[int, str]) -> None:
        self._folder, self._path = folder, folder / "categories.csv"
        self.categories = {**given}
        with suppress(PetstoreError):  # none as yet, or one that a person broke
            self.categories = dict(Labels.words(self._path)) | self.categories

    def name_categories(self, labels: Mapping[int, str]) -> None:
        """Keep the names of categories."""
        self.categories |= labels
        self._folder.mkdir(parents=True, exist_ok=True)
        with replacing(self._path) as temporary, temporary.open("w", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([("category_id", "label"), *sorted(self.categories.items())])

    def place_of(self, columns: Sequence[str]) -> Path:
        """Return where the recipe of a header is, whatever the order of its columns."""
        names = "\n".join(sorted(name.strip().casefold() for name in columns))
        digest = hashlib.sha256(names.encode(errors="surrogatepass")).hexdigest()[:8]
        words = re.sub(r"[^a-z0-9]+", "-", names)[:40].strip("-")
        return self._folder / f"{words}-{digest}.toml"

    def recall(self, columns: Sequence[str]) -> Recipe | None:
        """Return how the last file of this header was read; None for a new one."""
        with suppress(PetstoreError):  # there is none, or a person wrote something else into it
            return Recipe.read(self.place_of(columns))
        return None

    def keep(self, columns: Sequence[str], recipe: Recipe) -> None:
        """Remember how a file of this header is read."""
        kept = recipe.replace(categories=None)
        if kept.given():
            with suppress(PetstoreError, OSError):  # no file can hold it, or the disk is full
                self._folder.mkdir(parents=True, exist_ok=True)
                kept.write(self.place_of(columns))

    def forget(self, columns: Sequence[str]) -> None:
        """Forget how files of this header are read."""
        self.place_of(columns).unlink(missing_ok=True)
