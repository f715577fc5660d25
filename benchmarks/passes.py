"""How many functions a row and a pet pass.

A row: from a CSV of one row with a key to ``results.csv``. A pet: from a store of 250 pets to an
Inventory, in the second fetch of the process. A function counts once, by its place in the package;
lambdas, comprehensions and the methods that ``dataclass`` generates do not count. What a module
does when it is first imported counts in the figure in brackets: the bodies of its classes.
``--list`` prints the functions, too.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType

import petstore_frame as pf

HOUSE = Path(pf.__file__).parent


@contextmanager
def entered() -> Iterator[set[CodeType]]:
    """Yield a set that grows with each function, or body of a class, that is entered."""
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(HOUSE)) and "<" not in code.co_name:
            codes.add(code)

    threading.setprofile(note)
    sys.setprofile(note)
    yield codes
    sys.setprofile(None)
    threading.setprofile(None)


def load_one_row(folder: Path) -> set[CodeType]:
    """Load a file of one animal into a store of its own, and write what became of it."""
    path = folder / "arrivals.csv"
    path.write_text("tag,name,category_id,status\nA1,Luna,3,available\n", encoding="utf-8")
    with pf.serve() as server, server.client() as client, entered() as codes:
        pf.load(path, client, key="tag", journal=folder / "journal").write(folder / "results")
    return codes


def fetch_250_pets() -> set[CodeType]:
    """Fetch the pets of a store over next links; the first fetch only loads modules."""
    with pf.serve(sample=250, seed=7) as server, server.client() as client:
        pf.fetch_inventory(client, progress=False)
        with entered() as codes:
            pf.fetch_inventory(client, progress=False)
    return codes


def count(codes: list[CodeType]) -> str:
    """Say how many these are, and in how many modules."""
    return f"{len(codes)} functions in {len({code.co_filename for code in codes})} modules"


def show(subject: str, codes: set[CodeType], *, with_list: bool) -> None:
    """Print the counts, by folder, and the functions of each module."""
    functions = [code for code in codes if code.co_flags & CO_OPTIMIZED]
    print(f"{subject} passes {count(functions)} ({count([*codes])}).")
    modules = {code: Path(code.co_filename).relative_to(HOUSE) for code in functions}
    for folder in sorted({module.parent for module in modules.values()}):
        inside = [code for code in functions if modules[code].parent == folder]
        print(f"  {folder}: {count(inside)}")
        if with_list:
            for module in sorted({modules[code] for code in inside}):
                names = sorted(code.co_qualname for code in inside if modules[code] == module)
                print(f"    {module.name}: {', '.join(names)}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--list", action="store_true")
    with_list = options.parse_args().list
    show("One pet", fetch_250_pets(), with_list=with_list)
    with tempfile.TemporaryDirectory() as folder:
        show("One row", load_one_row(Path(folder)), with_list=with_list)


if __name__ == "__main__":
    main()
