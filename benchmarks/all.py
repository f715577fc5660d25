"""Every benchmark, one after the other: ``python benchmarks/all.py``.

Each prints its Markdown tables; a benchmark that lacks a program says so and the next one goes on.
The whole takes about half an hour on two cores. Nothing is kept.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ORDER = ("fetch", "load", "reading", "campaign", "service", "report", "history", "dashboard")


def main() -> None:
    for name in ORDER:
        print(f"\n## {name}\n", flush=True)
        subprocess.run([sys.executable, str(HERE / f"{name}.py")], check=False)


if __name__ == "__main__":
    main()
