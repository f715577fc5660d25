"""No file stalls the program or fills the memory: limits, and steps that grow with the size."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from petstore_frame.errors import InputError
from petstore_frame.loader.source import Recipe, open_source
from unit.loader.opened import memory_below, with_parts, written

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHEET = "xl/worksheets/sheet1.xml"
HEAD = '<row r="1"><c r="A1" t="str"><v>name</v></c><c r="B1" t="str"><v>category</v></c></row>'


def sheet(rows: str, after: str = "") -> str:
    return f'<worksheet xmlns="{MAIN}"><sheetData>{HEAD}{rows}</sheetData>{after}</worksheet>'


def animal(row: int) -> str:
    return f'<row r="{row}"><c r="A{row}" t="str"><v>Bo</v></c><c r="B{row}"><v>3</v></c></row>'


def steps_of(path: Path) -> int:
    """Return how many functions are called to read a file; Python's and C's."""
    steps = 0

    def count(*_: object) -> None:
        nonlocal steps
        steps += 1

    sys.setprofile(count)
    try:
        if path.suffix == ".toml":
            Recipe.read(path)
        else:
            for _ in open_source(path, Recipe()):
                pass
    except InputError:
        pass
    finally:
        sys.setprofile(None)
    return steps


def book(folder: Path, parts: dict[str, str]) -> Path:
    path = with_parts(folder, dict(parts))
    return path.rename(folder / f"{len(list(folder.iterdir()))}.xlsx")


# Each kind of file that once took the square of its size, or had no limit, by its size.
KINDS: dict[str, Callable[[Path, int], Path]] = {
    "a formula whose value is line feeds": lambda folder, n: book(
        folder,
        {SHEET: sheet(f'<row><c t="str"><f>A1</f><v>{chr(10) * 50 * n}</v></c></row>')},
    ),
    "a shared text in many fonts": lambda folder, n: book(
        folder, {"xl/sharedStrings.xml": f"<sst><si>{'<r><t>a</t></r>' * 20 * n}</si></sst>"}
    ),
    "many cell styles": lambda folder, n: book(
        folder,
        {"xl/styles.xml": f'<s xmlns="{MAIN}"><cellXfs>{"<xf/>" * 20 * n}</cellXfs></s>'},
    ),
    "overlapping merged cells": lambda folder, n: book(
        folder,
        {SHEET: sheet(animal(2), "<mergeCell ref='A2:A40'/>" * 5 * n)},
    ),
    "rows far apart": lambda folder, n: book(
        folder, {SHEET: sheet("".join(animal(50 * row) for row in range(1, n)))}
    ),
    "cells far to the right": lambda folder, n: book(
        folder, {SHEET: sheet("<row><c r='ZZ2'><v>1</v></c></row>" * n)}
    ),
    "a new key in each line": lambda folder, n: written(
        folder,
        "".join(
            json.dumps({"name": "Bo", "category_id": 3, f"k{at}": 1}) + "\n" for at in range(n)
        ),
        f"{n}.jsonl",
    ),
    "a name of apostrophes": lambda folder, n: written(
        folder, f"name,category_id\n{chr(39) * 20 * n},3\n", f"{n}.csv"
    ),
    "many columns": lambda folder, n: written(
        folder, f"name,category_id{''.join(f',c{at}' for at in range(10 * n))}\nBo,3\n", f"{n}.csv"
    ),
    "a key of many parts": lambda folder, n: written(
        folder, f"[mapping]\nname{'.a' * n} = 'x'\n", f"{n}.toml"
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_steps_grow_with_the_size_of_the_file(tmp_path: Path, kind: str) -> None:
    """A file of four times the size takes at most about four times the steps."""
    steps_of(KINDS[kind](tmp_path, 10))  # imports, and fills the caches
    few, many = (steps_of(KINDS[kind](tmp_path, n)) for n in (100, 400))
    assert many < 5 * few + 2_000


def parquet(folder: Path, table: pa.Table, times: int = 1) -> Path:
    with pq.ParquetWriter(folder / "a.parquet", table.schema) as writer:
        for _ in range(times):
            writer.write_table(table)
    return folder / "a.parquet"


def repeated(text: str, rows: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([text]))


TOO_LARGE: dict[str, tuple[Callable[[Path], Path], str]] = {
    "a row number beyond all rows": (
        lambda folder: book(folder, {SHEET: sheet(animal(10**20))}),
        "100,000,000,000,000,000,000 rows; the limit is 10,000,000",
    ),
    "a merged range written backwards": (
        lambda folder: book(folder, {SHEET: sheet("", "<mergeCell ref='XFD1048576:A2'/>")}),
        "17,179,852,800 merged cells; the limit is 1,000,000",
    ),
    "styles by the million": (
        lambda folder: book(
            folder, {"xl/styles.xml": f'<s xmlns="{MAIN}"><cellXfs>{"<xf/>" * 10**6}</cellXfs></s>'}
        ),
        "at least 100,001 cell styles; the limit is 100,000",
    ),
    "Parquet rows without end": (
        lambda folder: parquet(folder, pa.table({"name": repeated("Bo", 10**6)}), 11),
        "11,000,000 rows; the limit is 10,000,000",
    ),
    "one long text in each Parquet row": (
        lambda folder: parquet(folder, pa.table({"name": repeated("x" * 10_000, 10**5)})),
        "bytes; the limit is 268,435,456",
    ),
    "a gzip bomb": (
        lambda folder: written(folder, gzip.compress(bytes(2**28 + 1), 1), "a.csv.gz"),
        "at least 268,.* bytes; the limit is 268,435,456",
    ),
    "more columns than Excel has": (
        lambda folder: written(folder, "name" + "," * 20_000 + "\n", "a.csv"),
        "line 1: the file has 20,001 columns; the limit is 16,384",
    ),
    "a line without end": (
        lambda folder: written(folder, "name,id\n" + "," * 2**23 + "\n", "a.csv"),
        "line 2: .*bytes in one line; the limit is 4,194,304",
    ),
}


@pytest.mark.parametrize("kind", TOO_LARGE)
def test_a_file_beyond_a_limit_is_refused(tmp_path: Path, kind: str) -> None:
    """The error has the name of the limit, its value and that of the file; memory stays small."""
    make, words = TOO_LARGE[kind]
    path = make(tmp_path)
    with memory_below(100), pytest.raises(InputError, match=words) as refused:
        open_source(path, Recipe())
    assert refused.value.path == str(path) and refused.value.hint
