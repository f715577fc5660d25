"""The list of pets as CSV without formulas, and as Parquet that keeps what it covers."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame.errors import MissingExtraError
from petstore_frame.inventory.origin import stamp
from petstore_frame.loader.reading.fields import harmless
from petstore_frame.report.content import LABELS, Content

if TYPE_CHECKING:
    import pandas as pd

_CHUNK = 20_000


def write_csv(content: Content, path: Path, delimiter: str = ",") -> None:
    """Write one line per pet, in UTF-8 with a byte order mark, as RFC 4180 has it.

    A text that begins like a formula gets a quote before it.
    """
    header, has_escapes = [column.name for column in content.columns], _has_escapes(content)
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow([*map(harmless, header)])
        for start in range(0, len(content.frame), _CHUNK):
            rows = list(content.rows(start, start + _CHUNK))
            writer.writerows(map(_escaped, rows) if has_escapes else rows)
            content.advance(len(rows))


def _escaped(row: Sequence[Any]) -> list[str]:
    return [harmless("" if value is None else str(value)) for value in row]


def _has_escapes(content: Content) -> bool:
    """Return whether any cell begins like a formula; a negative number does."""
    frame = content.frame
    numbers = [column.name for column in content.columns if column.is_number]
    if any((frame[name] < 0).any() for name in numbers):
        return True
    others = [name for name in frame.columns if name not in (*numbers, "status")]
    texts = [frame[name].astype("object").fillna("").map(str).tolist() for name in others]
    names = [str(name) for name in frame.columns]
    shown = chain(names, content.statuses, content.counts.labels, *texts)
    return any(harmless(text) != text for text in shown)


def write_parquet(content: Content, path: Path) -> None:
    """Write the frame's columns with their dtypes, and the names of categories where given.

    Read back, the frame still knows what it covers: ``pf.read_inventory(path)``.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    check_parquet()
    import pandas as pd

    names = [column.name for column in content.columns]
    frame = content.frame.copy(deep=False)
    if LABELS in names:
        labels = content.values(0, len(frame))[names.index(LABELS)]
        frame[LABELS] = pd.Series(labels, dtype="str")
    if content.origin is not None:
        stamp(frame, content.completeness, content.origin)
    save_parquet(frame[names], path)
    content.advance(len(frame))


def check_parquet() -> None:
    """Refuse to begin where the library is not installed.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtraError("writing Parquet", "history")


def save_parquet(frame: pd.DataFrame, path: Path) -> None:
    """Write a frame as it is, what it covers included."""
    frame.to_parquet(path, engine="pyarrow", compression="zstd", index=False)
