"""A recipe: how one kind of file is read, kept in a TOML file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Self, Unpack

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.reading.draft import Draft, draft
from petstore_frame.loader.reading.toml import (
    line_of,
    read_toml,
    toml_of,
    unknown_word,
    write_toml,
)
from petstore_frame.loader.reading.words import RecipeFields, RecipeWords
from petstore_frame.schema.arguments import before_sending
from petstore_frame.schema.text import kind_text


class Recipe(RecipeFields):
    """How a kind of file is read: write it once, and give it with each file of the kind.

    A ``"?"`` is a blank: in ``key``, ``keep`` or ``mapping`` the load is refused, and a word whose
    meaning is a blank leaves its rows to fix. It holds no address, no API key and no folder.

    Raises:
        ArgumentError: A word is unknown, or its value cannot be used; it names both.

    Example:
        >>> from pathlib import Path
        >>> import tempfile
        >>> import petstore_frame as pf
        >>> recipe = pf.Recipe(key="Tag no", mapping={"name": "Pet name"}, categories={"Dog": 1})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = recipe.write(Path(folder, "arrivals.toml"))
        ...     pf.Recipe.read(path) == recipe
        True

    Interface: Resources, NewPet (the layout of a file is ours).
    """

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Self:
        """Read a recipe from its file; a path in it is relative to it.

        Raises:
            InputError: The file cannot be read, or has a word that no recipe has; with its line.
        """
        place = Path(fspath(path))
        text, words = read_toml(place, "the recipe")
        for word in words:
            if word not in cls.model_fields:
                raise unknown_word(word, cls.model_fields, text, place, owner="a recipe")
        if isinstance(file := words.get("categories"), str):
            words["categories"] = str(place.parent / file)
        try:
            return cls(**words)
        except ArgumentError as problem:
            what = str(problem)
            named = min((word for word in words if word in what), key=what.find, default=None)
            line = None if named is None else line_of(named, text)
            raise InputError(what, path=str(place), line=line) from None

    def write(self, path: str | PathLike[str]) -> Path:
        """Write the recipe into a file, with a comment per line, and return its path.

        Raises:
            ArgumentError: Something in it cannot stand in a file.
        """
        return write_toml(path, self.to_toml(Path(fspath(path)).parent))

    def to_toml(self, folder: str | PathLike[str] | None = None) -> str:
        """Return its words as TOML in a fixed order, each with a comment.

        Args:
            folder: Where the file will be, for the path of categories.
        """
        words = self.to_dict()
        if folder is not None and isinstance(self.categories, str):
            path = Path(self.categories).resolve()
            words["categories"] = path.as_posix()
            with suppress(ValueError):  # between drives
                words["categories"] = Path(os.path.relpath(path, Path(folder).resolve())).as_posix()
        return toml_of(words, self.comments())

    @classmethod
    def draft(cls, source: Any, **words: Unpack[RecipeWords]) -> Draft:
        """Return a recipe for a file, with what is proven, and a question mark for the rest.

        The whole file is read. Each question mark has the facts beside it.

        Args:
            source: What ``load`` reads.
            words: What is known of the file.

        Raises:
            InputError: The file cannot be read at all.
        """
        return draft(source, cls(**words))


@before_sending()
def as_recipe(
    recipe: Recipe | Mapping[str, Any] | str | PathLike[str] | None, words: Mapping[str, Any]
) -> Recipe:
    """Return a recipe, given as such, as a dict or as a file, with words that win over its own.

    Raises:
        ArgumentError: It is none of these, or a word cannot be used.
        InputError: The file cannot be read as a recipe, or leaves open what nobody says.
    """
    path = Path(fspath(recipe)) if isinstance(recipe, str | PathLike) else None
    if path is not None:
        recipe = Recipe.read(path)
    elif isinstance(recipe, Mapping):
        recipe = Recipe(**recipe)
    elif not isinstance(recipe, Recipe | None):
        kind = kind_text(recipe)
        raise ArgumentError(f"recipe= is a Recipe, a dict or the path of its file, got {kind}")
    found = (recipe or Recipe()).with_words(**words)
    found.refuse_blanks(path)
    return found
