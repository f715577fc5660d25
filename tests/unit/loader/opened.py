"""Files and frames as records, read as a caller would."""

from __future__ import annotations

import tracemalloc
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import openpyxl

from petstore_frame.loader.row_state import SourceRow, State
from petstore_frame.loader.source import Recipe, open_source

INPUTS = Path(__file__).parent / "inputs"
NASTY = sorted(INPUTS.glob("[0-9]*"))


def rows_of(
    source: Any,
    *,
    exclude_lines: Collection[int] = (),
    **options: Any,
) -> list[SourceRow]:
    """Return the records of a file or a frame, read with these words of a recipe."""
    recipe = Recipe(**options)
    return [*open_source(source, recipe, exclude_lines=exclude_lines)]


def written_out(record: SourceRow) -> str:
    """A record as its line, its payload or its state and problem, its notes, and its key."""
    what = "left out" if record.is_excluded else str(record.state)
    if record.payload is not None and record.state is not State.EXCLUDED:
        what = record.payload.decode()
    elif record.problems:
        problems = [
            f"{problem.allow or problem.code} {problem.column or '-'}"
            for problem in record.problems
        ]
        what = f"{what} {', '.join(problems)}"
    key = [] if record.key is None else [f"key {' + '.join(record.key)}"]
    return " | ".join([f"{record.line}: {what}", *record.notes, *key])


def written(folder: Path, text: str | bytes, name: str = "pets.csv") -> Path:
    """Write a file, and return its path."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def workbook_of(folder: Path, *rows: Collection[Any]) -> openpyxl.Workbook:
    """Save rows as ``pets.xlsx``, and return the workbook, to be changed and saved again."""
    book = openpyxl.Workbook()
    book.active.title = "Pets"
    for row in rows:
        book.active.append(row)
    book.save(folder / "pets.xlsx")
    return book


def with_parts(folder: Path, parts: dict[str, str | bytes]) -> Path:
    """Save a header as ``pets.xlsx``, some parts of the workbook replaced or added."""
    workbook_of(folder, ("name", "category"))
    path = folder / "pets.xlsx"
    plain = path.rename(folder / "plain")
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in {*old.namelist(), *parts}:
            new.writestr(name, parts[name] if name in parts else old.read(name))
    return path


@contextmanager
def memory_below(mebibytes: int) -> Iterator[None]:
    """Hold that what is done here takes less memory than this."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < mebibytes * 2**20
    finally:
        tracemalloc.stop()
