"""Files and frames as records, read as a caller would."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from petstore_frame.loader.reading.read import open_source
from petstore_frame.loader.reading.recipe import Recipe
from petstore_frame.loader.reading.returned import ColumnsOf
from petstore_frame.loader.record import Record


def records_of(
    source: Any,
    *,
    leave_lines: Collection[int] = (),
    columns_of: ColumnsOf = lambda _: None,
    **options: Any,
) -> list[Record]:
    """Return the records of a file or a frame, read with these words of a recipe."""
    with open_source(
        source, Recipe(**options), columns_of=columns_of, leave_lines=leave_lines
    ) as opened:
        return list(opened)


def written(folder: Path, text: str | bytes, name: str = "pets.csv") -> Path:
    """Write a file, and return its path."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path
