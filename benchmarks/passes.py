"""How many functions one row passes, from a CSV of one row with a key to ``results.csv``.

A function counts once, by its place in the package; lambdas and comprehensions do not count. What
a module does when it is first imported counts in the figure in brackets: the bodies of its classes.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType

import petstore_frame as pf

HOUSE = Path(pf.__file__).parent
ENTERED: set[CodeType] = set()


def note(frame: FrameType, event: str, _: object) -> None:
    """Note the function, or the body of a class, that is entered."""
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(str(HOUSE)) and "<" not in code.co_name:
        ENTERED.add(code)


def load_one_row(folder: Path) -> None:
    """Load a file of one animal into a store of its own, and write what became of it."""
    path = folder / "arrivals.csv"
    path.write_text("tag,name,category_id,status\nA1,Luna,3,available\n", encoding="utf-8")
    with pf.serve() as server, server.client() as client:
        threading.setprofile(note)
        sys.setprofile(note)
        pf.load(path, client, key="tag", journal=folder / "journal").write(folder / "results")
        sys.setprofile(None)
        threading.setprofile(None)


def count(codes: list[CodeType]) -> str:
    """Say how many these are, and in how many modules."""
    return f"{len(codes)} functions in {len({code.co_filename for code in codes})} modules"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        load_one_row(Path(folder))
    functions = [code for code in ENTERED if code.co_flags & CO_OPTIMIZED]
    print(f"One row passes {count(functions)} ({count([*ENTERED])}).")
    places = {code: str(Path(code.co_filename).relative_to(HOUSE).parent) for code in functions}
    for place in sorted(set(places.values())):
        print(f"  {place}: {count([code for code in functions if places[code] == place])}")


if __name__ == "__main__":
    main()
