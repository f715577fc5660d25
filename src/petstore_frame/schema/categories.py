"""What a category is called, since the interface shows only its number."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from numbers import Real
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias, Union

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.schema.numeric import as_whole, whole_from_text

if TYPE_CHECKING:
    import pandas as pd

NO_CATEGORY = "no category"
Categories: TypeAlias = Union[
    "Mapping[int, str]",
    "Mapping[str, int]",
    "pd.Series[Any]",
    "pd.DataFrame",
    str,
    "PathLike[str]",
    None,
]


def category_labels(
    categories: Categories,
) -> dict[int, str]:
    """Return labels by category id from a dict, a Series, or the columns category_id and label.

    A dict or Series has labels by id, ``{1: "Dog"}``, or ids by label, ``{"Dog": 1}``. The two
    columns are those of a frame, or of the CSV file at a path. A missing or empty label is left
    out; of several labels of one id the last counts.

    Raises:
        InputError: The CSV cannot be opened or lacks a column, a line is not CSV, or an id in it
            is not a whole number; names the line.
        ArgumentError: What was passed is not labels by id.

    Interface: Gaps in the resources (no category records are shown).
    """
    return dict(category_words(categories))


def category_words(categories: Categories) -> list[tuple[int, str]]:
    """Return each category id with each of its labels, for reading what people wrote.

    Raises:
        InputError: As in ``category_labels``.
        ArgumentError: As in ``category_labels``.
    """
    if categories is None:
        return []
    if not isinstance(categories, (str, PathLike)):
        return _plain_words(categories)
    path = Path(fspath(categories))
    try:
        return _read_words(path)
    except OSError as problem:
        reason = problem.strerror or str(problem)
    except UnicodeDecodeError:
        reason = "it is not UTF-8"
    raise InputError(
        f"cannot open the categories file: {reason}",
        path=str(path), hint="check its name, and that it is a CSV of category_id,label in UTF-8",
    )  # fmt: skip


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


def _plain_words(categories: Any) -> list[tuple[int, str]]:
    try:
        pairs = list(_pairs_of(categories))
        words = _by_id(pairs) if _are_ids(key for key, _ in pairs) else _by_label(pairs)
    except (TypeError, ValueError):
        raise ArgumentError(
            'categories are labels by id, as in {1: "Dog"} or {"Dog": 1}, a Series of these, a '
            "frame or a CSV file with the columns category_id and label, "
            f"got {_shown(categories)}"
        ) from None
    return [(category_id, label) for category_id, label in words if label]


def _by_id(pairs: Iterable[tuple[Any, Any]]) -> list[tuple[int, str]]:
    return [(_whole_id(key), _label(label)) for key, label in pairs]


def _by_label(pairs: Iterable[tuple[Any, Any]]) -> list[tuple[int, str]]:
    """Return labels by id of pairs the other way round.

    Raises:
        ValueError: A key is no text, so it is not a label either.
    """
    pairs = list(pairs)
    if not all(isinstance(label, str) for label, _ in pairs):
        raise ValueError(pairs)
    return [(_whole_id(key), label) for label, key in pairs]


def _are_ids(keys: Iterable[Any]) -> bool:
    try:
        return all(_whole_id(key) is not None for key in keys)
    except (TypeError, ValueError):
        return False


def _pairs_of(categories: Any) -> Iterable[tuple[Any, Any]]:
    if hasattr(categories, "columns"):
        return _rows_of(categories)
    # A Series may have an id twice, so it is not made a dict.
    pairs: Iterable[tuple[Any, Any]] = (
        categories.items() if hasattr(categories, "items") else dict(categories).items()
    )
    return pairs


def _rows_of(table: Any) -> Iterator[tuple[Any, Any]]:
    """Return the ids and the labels of a frame.

    Raises:
        ValueError: One of the two columns is missing.
    """
    named = {_column_word(name): name for name in table.columns}
    if not {"categoryid", "label"} <= named.keys():
        raise ValueError(list(table.columns))
    return zip(table[named["categoryid"]], table[named["label"]], strict=True)


def _column_word(name: object) -> str:
    return str(name).strip().casefold().replace("_", "")


def _shown(categories: Any) -> str:
    if hasattr(categories, "columns"):
        return f"a frame of {', '.join(map(repr, list(categories.columns)[:8]))}"
    return repr(str(categories)[:60])


def _whole_id(key: Any) -> int:
    """Return a key as an id: text of a whole number and 3.0 are taken, True and 2.9 are not."""
    whole = whole_from_text(key) if isinstance(key, str) else as_whole(key)
    if whole is None and isinstance(key, Real) and not isinstance(key, bool) and key % 1 == 0:
        whole = int(float(key))
    if whole is None:
        raise ValueError(key)
    return whole


def _label(label: Any) -> str:
    """Return a label as text, empty where it is missing: None, NaN, NaT or pandas' NA."""
    is_text = isinstance(label, str)
    return label if is_text else "" if str(label) in ("None", "nan", "NaT", "<NA>") else str(label)


def _read_words(path: Path) -> list[tuple[int, str]]:
    words: list[tuple[int, str]] = []
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = _rows_with_lines(path, file)
        header = [_column_word(cell) for cell in next(rows, (1, []))[1]]
        if "categoryid" not in header or "label" not in header:
            raise InputError(
                "a categories file needs the columns category_id and label",
                path=str(path), line=1, hint="write category_id,label as its first line",
            )  # fmt: skip
        id_at, label_at = header.index("categoryid"), header.index("label")
        for line, cells in rows:
            if not any(cells):
                continue
            try:
                if label := cells[label_at]:
                    words.append((_whole_id(cells[id_at]), label))
            except (ValueError, IndexError):
                raise InputError(
                    f"expected a category id and a label, got {cells!r}",
                    path=str(path), line=line, column="category_id",
                    hint="give a whole number and a label",
                ) from None  # fmt: skip
    return words


def _rows_with_lines(path: Path, file: TextIO) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(file, strict=True)
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as problem:
        raise InputError(
            f"this line is not CSV: {problem}", path=str(path), line=reader.line_num,
            hint='put a label with a comma or a quote in quotes, a quote in it twice: "a ""b"" c"',
        ) from None  # fmt: skip


def category_name(category_id: int | None, labels: Mapping[int, str] | None) -> str:
    """Return what a category is called: its label, or ``Category 7``; None is ``no category``.

    Example:
        >>> category_name(7, {3: "Cat"}), category_name(3, {3: "Cat"})
        ('Category 7', 'Cat')
    """
    if category_id is None:
        return NO_CATEGORY
    return (labels or {}).get(category_id) or f"Category {category_id}"
