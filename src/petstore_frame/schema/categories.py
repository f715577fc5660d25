"""Labels of categories, because the interface knows only their numbers."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Mapping
from functools import partial
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from petstore_frame.errors import ArgumentError, InputError

if TYPE_CHECKING:
    import pandas as pd

NO_CATEGORY = "no category"
_WHOLE = re.compile(r"[+-]?[0-9]{1,19}", re.ASCII)
Categories: TypeAlias = (
    "Mapping[int, str] | Mapping[str, int] | pd.Series[Any] | str | PathLike[str] | None"
)


def category_labels(categories: Categories) -> dict[int, str]:
    """Return labels by category id from a dict, a Series, or a CSV of ``category_id,label``.

    A dict or Series has labels by id, ``{1: "Dog"}``, or ids by label, ``{"Dog": 1}``. A missing
    or empty label is left out; of several labels of one id the last counts.

    Raises:
        InputError: The CSV cannot be opened or lacks a column, a line is not CSV, or an id in it
            is not a whole number; names the line.
        ArgumentError: What was passed is not labels by id.

    Interface: Gaps in the resources (no category records are shown).
    """
    return dict(category_words(categories))


def category_words(categories: Categories) -> list[tuple[int, str]]:
    """Return each category id with each of its labels, for reading what people wrote.

    Raises as ``category_labels`` does.
    """
    if categories is None:
        return []
    if isinstance(categories, (str, PathLike)):
        return _read_words(Path(categories))
    try:
        # A Series may have an id twice, so it is not made a dict.
        pairs = list(categories.items() if hasattr(categories, "items") else dict(categories))
        try:
            words = [(_as_id(key), label) for key, label in pairs]
        except ValueError:
            if not all(isinstance(label, str) for label, _ in pairs):
                raise
            words = [(_as_id(key), label) for label, key in pairs]
    except (TypeError, ValueError):
        raise ArgumentError(
            'categories are labels by id, as in {1: "Dog"} or {"Dog": 1}, a Series of these, or a '
            f"CSV file with the columns category_id and label, got {str(categories)[:60]!r}"
        ) from None
    missing = ("None", "nan", "NaT", "<NA>")
    texts = (
        (category_id, label if isinstance(label, str) or str(label) not in missing else "")
        for category_id, label in words
    )
    return [(category_id, str(label)) for category_id, label in texts if label != ""]


def shown_labels(categories: Categories) -> dict[int, str]:
    """Return labels to show; a label of several categories gets their ids added.

    Example:
        >>> shown_labels({1: "Dog", 2: "Cat", 3: "Dog"})
        {1: 'Dog (1)', 2: 'Cat', 3: 'Dog (3)'}
    """
    labels = category_labels(categories)
    times = Counter(labels.values())
    return {
        category_id: label if times[label] == 1 else f"{label} ({category_id})"
        for category_id, label in labels.items()
    }


def category_name(category_id: int | None, labels: Mapping[int, str] | None) -> str:
    """Return what a category is called: its label, or ``Category 7``; None is ``no category``.

    Example:
        >>> category_name(7, {3: "Cat"}), category_name(3, {3: "Cat"})
        ('Category 7', 'Cat')
    """
    if category_id is None:
        return NO_CATEGORY
    return (labels or {}).get(category_id) or f"Category {category_id}"


def _as_id(key: Any) -> int:
    """Return a key as an id: text of a whole number and 3.0 are taken, True and 2.9 are not."""
    if isinstance(key, str):
        is_whole = _WHOLE.fullmatch(key.strip()) is not None
    else:
        is_whole = isinstance(key, Real) and not isinstance(key, bool) and key % 1 == 0
    if not is_whole:
        raise ValueError(key)
    return int(key)


def _read_words(path: Path) -> list[tuple[int, str]]:
    """Read a CSV of categories.

    Raises:
        InputError: It cannot be read as such; names the line.
    """
    wrong = partial(InputError, path=str(path))
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            rows = [(reader.line_num, cells) for cells in reader if any(cells)]
    except csv.Error as problem:
        hint = 'put a label with a comma or a quote in quotes, a quote in it twice: "a ""b"" c"'
        what = f"this line is not CSV: {problem}"
        raise wrong(what, hint=hint, line=reader.line_num) from None
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", "it is not UTF-8")
        hint = "check its name, and that it is a CSV of category_id,label in UTF-8"
        raise wrong(f"cannot open the categories file: {reason}", hint=hint) from None
    header = [name.strip().casefold().replace("_", "") for name in rows[0][1]] if rows else []
    if not {"categoryid", "label"} <= {*header}:
        what = "a categories file needs the columns category_id and label"
        raise wrong(what, hint="write category_id,label as its first line", line=1)
    words = []
    for line, cells in rows[1:]:
        row = dict(zip(header, cells, strict=False))
        try:
            if row["label"]:
                words.append((_as_id(row["categoryid"]), row["label"]))
        except (ValueError, KeyError):
            what = f"expected a category id and a label, got {cells!r}"
            hint = "give a whole number and a label"
            raise wrong(what, hint=hint, line=line, column="category_id") from None
    return words
