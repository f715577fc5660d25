"""The options that several commands share."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

import petstore_frame as pf

if TYPE_CHECKING:
    from collections.abc import Sequence

AsJson = Annotated[bool, Option("--json", help="Print one JSON object.")]
CategoriesFile = Annotated[
    Path | None,
    Option(
        help="Category list: a file with the columns id and name.",
        show_default="none",
        exists=True,
        dir_okay=False,
    ),
]
RenameCategories = Annotated[
    str | None,
    Option(
        metavar="NUMBERS",
        help="Numbers of categories whose names in your list are right, such as 4,7, although "
        "earlier files for this store gave them other names.",
        show_default="none",
    ),
]
Overwrite = Annotated[
    bool, Option("--overwrite", help="Replace a file even if somebody changed it.")
]
JournalFolder = Annotated[
    Path | None, Option(help="Folder of the import journal.", show_default="your user state folder")
]
BaseUrl = Annotated[
    str | None, Option(help="Address of the store.", show_default="PETSTORE_BASE_URL")
]
Timeout = Annotated[
    float,
    Option(
        help="Seconds without any data from the store before a request fails.",
        envvar="PETSTORE_TIMEOUT",
        min=0,
    ),
]
Key = Annotated[
    list[str] | None,
    Option(
        metavar="COLUMN",
        help="Column that identifies an animal; repeat the option for a composite key.",
        show_default="none",
    ),
]
RecipeFile = Annotated[
    Path | None,
    Option(
        help="Recipe file (TOML) for this kind of file.",
        show_default="none",
        exists=True,
        dir_okay=False,
    ),
]
RecipeSettings = Annotated[
    list[str] | None,
    Option(
        "--set",
        metavar="OPTION=VALUE",
        help="Recipe option, such as encoding=cp1252 or 'mapping.name=Pet name'. Repeatable. "
        "To list all options, run petstore-frame recipe --options.",
        show_default="none",
    ),
]


def recipe_of(
    recipe: Path | None,
    key: Sequence[str] | None,
    categories: Path | None,
    settings: Sequence[str] | None,
) -> pf.Recipe:
    """Return the recipe of a file, overridden by the options of the command line."""
    from petstore_frame.loader import as_recipe

    options: dict[str, Any] = {}
    if key:
        # --key '' states that no column identifies an animal.
        options["key"] = "" if list(key) == [""] else key
    if categories is not None:
        options["categories"] = categories
    return as_recipe(recipe, options, settings or ())


def numbers_of(option: str, text: str | None) -> list[int]:
    """Return the numbers in an option such as ``--rename-categories 4,7``."""
    if text is None:
        return []
    numbers = text.split(",")
    if not all(re.fullmatch(r"\s*-?[0-9]{1,19}\s*", number) for number in numbers):
        raise pf.ArgumentError(
            f"{option} must be numbers, such as 4,7, got {shlex.quote(text)}; nothing was sent"
        )
    return [int(number) for number in numbers]


def source_of(path: Path) -> Path | bytes:
    """Return the path of a file, or the content of standard input if it is ``-``."""
    return sys.stdin.buffer.read() if str(path) == "-" else path
