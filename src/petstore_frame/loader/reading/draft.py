"""Drafts the recipe of a file: what is proven is filled in, the rest is a question mark."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from petstore_frame.loader.reading.preview import drafted, look
from petstore_frame.loader.reading.toml import toml_of, write_toml
from petstore_frame.loader.reading.words import RecipeFields
from petstore_frame.schema.text import count_text

# A draft looks at no more rows than these.
_MOST_ROWS = 2_000_000


@dataclass(frozen=True)
class Draft:
    """A recipe to be filled in by a person, as a value and as a text with the facts beside it."""

    text: str
    recipe: RecipeFields

    def __str__(self) -> str:
        return self.text

    def write(self, path: str | PathLike[str]) -> Path:
        """Write the text into a file, and return its path."""
        return write_toml(path, self.text)


def draft(source: Any, known: RecipeFields) -> Draft:
    """Return a recipe for a file, as ``Recipe.draft`` says."""
    seen = look(source, known, rows=_MOST_ROWS)
    words, notes = drafted(seen, seen.reading.to_dict())
    head = [f"# {seen.name}: {count_text(len(seen.rows), 'row')}. Replace each question mark."]
    open_questions = (problem for problem in seen.questions if problem.add is None)
    head += [f"# {problem}".replace("\n", " ") for problem in open_questions]
    recipe = type(known)(**words)
    text = toml_of(recipe.to_dict(), {**recipe.comments(), **notes})
    return Draft("\n".join([*head, text]), recipe)
