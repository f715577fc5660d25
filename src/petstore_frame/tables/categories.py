"""Gives names to categories, which are only numbers in the interface."""

from __future__ import annotations

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.tables.category_list import read_category_list

if TYPE_CHECKING:
    import pandas as pd

# A whole number, which a spreadsheet may have written as 3.0 or 3,0; 3.000 may be three thousand.
_INTEGER = re.compile(r"([+-]?[0-9]{1,19})(?:[.,](?:00?|0000+))?", re.ASCII)
Categories: TypeAlias = (
    "Mapping[int, str] | Mapping[str, int] | pd.Series[Any] | str | PathLike[str] | None"
)


class Labels(dict[int, str]):
    """The labels of categories by id; a category without a label is ``Category 7``.

    If several categories have the same label, their ids are added; None is ``no category``.

    Args:
        categories: A dict or Series of labels by id, ``{1: "Dog"}``, or ids by label,
            ``{"Dog": 1}``; or the path of a table with the columns ``id`` and ``name``. Missing
            and empty labels are ignored; if an id has several labels, the last one is used, with a
            warning if they come from a file.

    Raises:
        InputError: The file cannot be read, lacks a column, or a line has no whole number; the
            message has the line.
        ArgumentError: The argument has no labels by id.

    Example:
        >>> labels = Labels({1: "Dog", 2: "Cat", 3: "Dog"})
        >>> labels, labels[7], labels[None]
        ({1: 'Dog (1)', 2: 'Cat', 3: 'Dog (3)'}, 'Category 7', 'no category')

    Interface: Gaps in the resources (no category records are shown).
    """

    def __init__(self, categories: Categories = None) -> None:
        pairs = self.ids_and_labels(categories)
        labels = dict(pairs)
        if isinstance(categories, (str, PathLike)):
            for sentence in repeated_ids(pairs):
                text = f"{categories}: {sentence}; the last one is shown"
                warnings.warn(text, UserWarning, stacklevel=2)
        times = Counter(labels.values())
        for category_id, label in labels.items():
            self[category_id] = label if times[label] == 1 else f"{label} ({category_id})"

    def __getitem__(self, category_id: int | None) -> str:
        if category_id is None:
            return "no category"
        return self.get(category_id) or f"Category {category_id}"

    @staticmethod
    def ids_and_labels(categories: Categories) -> list[tuple[int, str]]:
        """Return pairs of an id and a label; an id may have several labels."""
        if categories is None:
            return []
        if isinstance(categories, (str, PathLike)):
            return _read_labels(Path(categories))
        try:
            # A Series may have an id twice, so it is not converted to a dict.
            pairs = list(categories.items() if hasattr(categories, "items") else dict(categories))
            try:
                labels = [(_as_id(key), label) for key, label in pairs]
            except ValueError:
                if not all(isinstance(label, str) for label, _ in pairs):
                    raise
                labels = [(_as_id(key), label) for label, key in pairs]
        except (TypeError, ValueError):
            raise ArgumentError(
                'categories must be labels by id, such as {1: "Dog"} or {"Dog": 1}, a Series of '
                "these, or a file with the columns id and name, got "
                f"{str(categories)[:60]!r}"
            ) from None
        missing = ("None", "nan", "NaT", "<NA>")
        texts = (
            (category_id, label if isinstance(label, str) or str(label) not in missing else "")
            for category_id, label in labels
        )
        return [(category_id, str(label)) for category_id, label in texts if label != ""]


def repeated_ids(pairs: Iterable[tuple[int, str]]) -> list[str]:
    """Return a sentence for each id with several different labels.

    Example:
        >>> repeated_ids([(1, "Dog"), (1, "Hund"), (2, "Cat"), (2, "Cat")])
        ["category 1 has the names 'Dog' and 'Hund'"]
    """
    labels = defaultdict[int, dict[str, None]](dict)
    for category_id, label in pairs:
        labels[category_id][label] = None
    return [
        f"category {category_id} has the names {_listed(names)}"
        for category_id, names in labels.items()
        if len(names) > 1
    ]


def repeated_labels(pairs: Iterable[tuple[int, str]]) -> list[str]:
    """Return a sentence for each label of several ids; labels are compared as a file spells them.

    Example:
        >>> repeated_labels([(1, "Dog"), (3, "Dog"), (2, "Cat"), (2, "Cat")])
        ["the name 'Dog' has the categories 1 and 3"]
    """
    ids = defaultdict[str, dict[int, None]](dict)
    for category_id, label in pairs:
        ids[label][category_id] = None
    return [
        f"the name {label!r} has the categories {_listed(category_ids)}"
        for label, category_ids in ids.items()
        if len(category_ids) > 1
    ]


def _listed(values: Iterable[object]) -> str:
    """Return values as a list in a sentence, the last two joined by ``and``."""
    *first, last = map(repr, values)
    return f"{', '.join(first)} and {last}"


def _as_id(key: Any) -> int:
    """Return a key as an id: 3, "3", "3.0" and 3.0 are valid, True and 2.9 are not."""
    match = _INTEGER.fullmatch(key.strip()) if isinstance(key, str) else None
    if match is not None:
        return int(match[1])
    is_number = isinstance(key, Real) and not isinstance(key, bool)
    if is_number and key % 1 == 0:
        return int(key)
    raise ValueError(f"{key!r} is not a category id, which is a whole number")


def _read_labels(path: Path) -> list[tuple[int, str]]:
    """Read the categories of a file; an InputError names the line that cannot be read."""
    labels = []
    for line, number, label in read_category_list(path):
        try:
            labels.append((_as_id(number), label))
        except ValueError as problem:
            hint = "the number of a category must be a whole number, such as 3"
            raise InputError(str(problem), path=str(path), line=line, hint=hint) from None
    return labels
