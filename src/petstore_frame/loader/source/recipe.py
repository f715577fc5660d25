"""Defines a recipe: how to read one kind of file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.source.draft import draft_recipe
from petstore_frame.loader.source.recipe_options import (
    RecipeFields,
    RecipeOptions,
)
from petstore_frame.loader.source.set_options import read_set
from petstore_frame.validation import before_sending


class Recipe(RecipeFields):
    """The options to read one kind of file: write them once, and use them for every such file.

    A ``"?"`` is a placeholder for an answer. A file cannot be loaded while ``key``, ``keep``,
    ``mapping`` or a layout option such as ``encoding`` has one. If a value in ``value_map`` has
    one, the rows with that value need fixing. A recipe never contains an address, an API key or a
    journal folder.

    Raises:
        ArgumentError: An option is unknown, or its value cannot be used; the message names both.

    Example:
        >>> import petstore_frame as pf
        >>> pf.Recipe(key="Tag no", categories={"Dog": 1}).replace(keep="last")
        Recipe(key=('Tag no',), keep='last', categories={'Dog': 1})

    Interface: Resources, NewPet (the layout of a file is ours).
    """

    if TYPE_CHECKING:  # the signature that pydantic generates would require all fields

        def __init__(self, **options: Unpack[RecipeOptions]) -> None: ...

    @classmethod
    def draft(cls, source: Any, **options: Unpack[RecipeOptions]) -> str:
        """Draft a recipe for a file, as TOML text with a placeholder for each open question.

        The complete file is read. Options that are certain are filled in; each placeholder has a
        comment with the facts.

        Args:
            source: A file or DataFrame, as for ``load``.
            options: Options that you can state already.

        Returns:
            The text of the recipe. Save it as a ``.toml`` file, and replace each ``"?"``.

        Raises:
            InputError: The file cannot be read.
        """
        return draft_recipe(source, cls(**options))


def _with_options(text: str | None) -> str:
    """Return a docstring with a line for each option, in their order."""
    start, raises, end = (text or "").partition("    Raises:")
    lines = [f"        {name}: {about}." for name, about in RecipeFields.describe().items()]
    return "\n".join([f"{start}    Args:", *lines, "", f"{raises}{end}"])


Recipe.__doc__ = _with_options(Recipe.__doc__)
RecipeOptions.__doc__ = "\n".join(
    [
        f"{RecipeOptions.__doc__}\n",
        *(f"{name}: {about}." for name, about in RecipeFields.describe().items()),
    ]
)


@before_sending()
def as_recipe(
    recipe: Recipe | Mapping[str, Any] | str | PathLike[str] | None,
    options: Mapping[str, Any],
    texts: Iterable[str] = (),
) -> Recipe:
    """Return a recipe from a Recipe, a dict or a TOML file, overridden by explicit options.

    Args:
        recipe: The recipe; None starts with an empty one.
        options: Options that override those of the recipe.
        texts: Options of ``--set`` in a shell, ``OPTION=VALUE``.

    Raises:
        ArgumentError: The recipe has another type, or an option is invalid.
        InputError: The file is not a recipe, or has a placeholder that must be replaced first.
    """
    path = Path(fspath(recipe)) if isinstance(recipe, str | PathLike) else None
    if path is not None:
        recipe = Recipe.read(path)
    elif isinstance(recipe, Mapping):
        recipe = Recipe(**recipe)
    elif not isinstance(recipe, Recipe | None):
        kind = type(recipe).__name__
        raise ArgumentError(f"recipe must be a Recipe, a dict or a path, got {kind}")
    merged = (recipe or Recipe()).with_options(**{**read_set(texts), **options})
    merged.reject_placeholders(path)
    return merged
