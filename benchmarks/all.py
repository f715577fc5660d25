"""Every benchmark, one after the other: ``python benchmarks/all.py``.

They stand over the tables of README.md, beside this file. A benchmark that lacks a program reports
it and the next one goes on. The whole takes about an hour on two cores; nothing is kept.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = Path(__file__).with_name("README.md")


def commands() -> list[str]:
    """Return the commands under the headings of the tables, in their order."""
    return re.findall(r"^`(python .+)`$", README.read_text(encoding="utf-8"), re.MULTILINE)


def main() -> None:
    environment = os.environ | {"PYTHONPATH": "tests"}
    for command in commands():
        print(f"\n## {command}\n", flush=True)
        words = [sys.executable, *shlex.split(command)[1:]]
        subprocess.run(words, cwd=ROOT, env=environment, check=False)


if __name__ == "__main__":
    main()
