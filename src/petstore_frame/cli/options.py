"""The options that several commands share, each in one wording."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

import petstore_frame as pf

if TYPE_CHECKING:
    from collections.abc import Sequence

AsJson = Annotated[bool, Option("--json", help="Print one line of JSON.")]
CategoriesFile = Annotated[
    Path | None, Option(help="CSV of category_id,label.", exists=True, dir_okay=False)
]
JournalFolder = Annotated[Path | None, Option(help="Of the journals; else the user's state.")]
BaseUrl = Annotated[str | None, Option(help="The store's address; else PETSTORE_BASE_URL.")]
Timeout = Annotated[
    float, Option(help="Seconds to wait for an answer.", envvar="PETSTORE_TIMEOUT", min=0)
]
# How a file of animals is read.
Key = Annotated[list[str] | None, Option(help="Column that identifies an animal; or several.")]
RecipeFile = Annotated[
    Path | None, Option(help="How this kind of file is read.", exists=True, dir_okay=False)
]
Words = Annotated[
    list[str] | None,
    Option(
        "--set",
        metavar="OPTION=VALUE",
        help="An option of the recipe, such as encoding=cp1252 or 'mapping.name=Pet name'.",
    ),
]


def recipe_of(
    recipe: Path | None,
    key: Sequence[str] | None,
    categories: Path | None,
    words: Sequence[str] | None,
) -> pf.Recipe:
    """Return how a file is read: the recipe in a file, and the words that win over it."""
    from petstore_frame.loader import as_recipe

    given: dict[str, Any] = {"key": key} if key else {}
    if categories is not None:
        given["categories"] = categories
    return as_recipe(recipe, given, words or ())
