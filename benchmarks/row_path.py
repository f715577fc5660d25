"""Counts the functions and modules of the loader that one row passes through.

    PYTHONPATH=tests python benchmarks/row_path.py

A file of 3 rows and one of 23 are loaded. A function counts if the longer file enters it 20 times
more often, which is once for each row.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import petstore_frame as pf

Function = tuple[str, str, int]
LOADER = f"petstore_frame{Path('/')}loader"


def entered_functions(rows: int, client: pf.Client) -> Counter[Function]:
    """Return how often a load enters each function of the loader."""
    entered = Counter[Function]()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and LOADER in code.co_filename and code.co_name[0] != "<":
            entered[code.co_filename, code.co_name, code.co_firstlineno] += 1

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{rows}.csv")
        lines = [f"T-{rows}-{n},Pet {n} of {rows},{n % 9 + 1},available\n" for n in range(rows)]
        path.write_text("tag,name,category_id,status\n" + "".join(lines), encoding="utf-8")
        threading.setprofile(note)
        sys.setprofile(note)
        try:
            result = pf.load(path, client, key="tag", journal=folder, progress=False)
            assert len(result.frame) == rows
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    return entered


def main() -> None:
    """Print both counts, and those of a whole load."""
    with pf.serve() as server, server.client() as client:
        entered_functions(2, client)
        few, many = entered_functions(3, client), entered_functions(23, client)
    of_each_row = [name for name in many if many[name] - few[name] >= 20]
    for title, functions in (("each row", of_each_row), ("a load", list(many))):
        modules = {file for file, _, _ in functions}
        print(f"{title}: {len(functions)} functions in {len(modules)} modules of the loader")
    if "--list" in sys.argv:
        for file, name, line in sorted(of_each_row):
            print(f"{file.partition('loader/')[2]}:{line} {name}")


if __name__ == "__main__":
    main()
