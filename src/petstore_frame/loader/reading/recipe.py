"""How a kind of file is read, as one value that can be kept: read from and written to a file."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Self

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.files.whole import replacing
from petstore_frame.loader.reading.draft import draft_text
from petstore_frame.loader.reading.options import Options, merged
from petstore_frame.loader.reading.recipe_text import from_text, line_of, plain, to_text


class Recipe(Options):
    """How a kind of file is read; its words are the options of ``load_csv`` that say so.

    Write it once, and give it with each file of the kind: ``load_csv(path, client,
    recipe="arrivals.toml")``. It holds no address, no API key and no path of a journal.

    Raises:
        ArgumentError: One of the words cannot be used; it names the value and what is allowed.

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
            InputError: The file cannot be read, or holds what no recipe can say; with its line.
        """
        place = Path(fspath(path))
        try:
            text = place.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as problem:
            reason = getattr(problem, "strerror", None) or "it is not UTF-8 text"
            raise InputError(f"cannot open the recipe: {reason}", path=str(place)) from None
        words = from_text(text, place)
        if isinstance(file := words.get("categories"), str):
            words["categories"] = str(place.parent / file)
        try:
            return cls(**words)
        except ArgumentError as problem:
            what = str(problem).removesuffix("; nothing was sent")
            named = next((word for word in words if what.startswith(word)), None)
            line = None if named is None else line_of(named, text)
            raise InputError(what, path=str(place), line=line) from None

    def write(self, path: str | PathLike[str]) -> Path:
        """Write the recipe into a file, with a comment per line, and return its path.

        Raises:
            ArgumentError: Something in it cannot stand in a file.
        """
        place = Path(fspath(path))
        text = to_text(plain(self, place.parent), {})
        with replacing(place) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
        return place

    @classmethod
    def draft(cls, path: str | PathLike[str], **words: Any) -> str:
        """Return the text of a recipe for a file, to be filled in where it has question marks.

        It is made from the whole file: the columns that were recognised, the likely key, each
        label and word with the number of its rows, and the empty cells.

        Args:
            path: What ``load_csv`` or ``load_excel`` reads.
            words: What is known of the file, as of a ``Recipe``.

        Raises:
            InputError: The file cannot be read at all.
        """
        return draft_text(path, cls(**words))

    def to_dict(self) -> dict[str, Any]:
        """Return what it says as values that JSON has; ``Recipe(**values)`` is the same recipe."""
        return plain(self)


def said(recipe: Recipe | str | PathLike[str] | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a caller said of how a file is read, to be shown again: a path stays one."""
    if isinstance(recipe, Recipe):
        return {**recipe.to_dict(), **{name: given[name] for name in given if given[name]}}
    return {"recipe": recipe, **given}


def as_recipe(recipe: Recipe | str | PathLike[str] | None, given: Mapping[str, Any]) -> Recipe:
    """Return a recipe, or the one in a file, with the options given beside it, which win.

    Raises:
        ArgumentError: It is neither, or an option cannot be used.
        InputError: The file cannot be read as a recipe.
    """
    if isinstance(recipe, str | PathLike):
        recipe = Recipe.read(recipe)
    if recipe is not None and not isinstance(recipe, Recipe):
        kind = type(recipe).__name__
        what = f"recipe= is a Recipe or the path of its file, got a {kind}; nothing was sent"
        raise ArgumentError(what)
    found: Recipe = merged(recipe or Recipe(), given)
    return found
