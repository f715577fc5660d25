"""Run the code cells of pages in one Python: ``python run_cells.py PAGE…``.

Each page begins with no names of another one, in an empty folder. A page is a notebook, or a page
of Markdown with cells. One process for all, as a kernel for each would take most of the time.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

CELL = re.compile(r"^```\{code-cell\}\n(?::[^\n]*\n)*(.*?)^```$", re.MULTILINE | re.DOTALL)


def code_cells(page: Path) -> list[str]:
    """Return the code of a page's cells, in order."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        return ["".join(c["source"]) for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
    cells: list[str] = CELL.findall(text)
    assert len(cells) == text.count("{code-cell}"), page
    return cells


def main(pages: list[Path]) -> None:
    os.environ.pop("VIRTUAL_ENV", None)  # IPython warns where it names another environment
    shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            print(f"== {page.name}")
            # Whoever opens a notebook a second time finds the files of the first.
            for _ in range(2 if page.suffix == ".ipynb" else 1):
                shell.reset()
                for code in code_cells(page):
                    shell.run_cell(code).raise_error()
            os.chdir("/")


if __name__ == "__main__":
    main([Path(name).absolute() for name in sys.argv[1:]])
