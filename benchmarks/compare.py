"""A list against the store beside a hand-written pandas merge: time and memory.

Run: python benchmarks/compare.py [ROWS ...]     (default: 100000 1000000)

Each way runs in a process of its own over the same CSV file and the same pets, three times in
turn; the table has the median of the CPU seconds, the ratio to the merge, and the peak of memory.
One animal in a hundred has another status in the store, one in a hundred is in the list alone,
one in a hundred in the store alone.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROUNDS = 3
STATUSES = ("available", "pending", "sold")


def write_list(path: Path, rows: int) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("animal_id,name,categoryId,status\n")
        for at in range(rows):
            file.write(f"A{at:07},Pet {at},{at % 30 + 1},{STATUSES[at % 3]}\n")


def pets(rows: int) -> Any:
    """Return the store's side: other statuses, some gone, some new."""
    import pandas as pd

    at = pd.Series(range(rows + rows // 100))
    status = at.mod(3).where(at.mod(100).ne(1), at.add(1).mod(3)).map(dict(enumerate(STATUSES)))
    frame = pd.DataFrame(
        {
            "id": at + 1,
            "name": ("Pet " + at.astype(str)).astype("str"),
            "category_id": at % 30 + 1,
            "status": status.astype("category"),
        }
    )
    return frame[at.mod(100).ne(0) | at.ge(rows)].reset_index(drop=True)


def by_merge(path: Path, frame: Any) -> int:
    """What an analyst would write: no check of cells, no claim, pairs by name and category."""
    import pandas as pd

    ours = pd.read_csv(path).rename(columns={"categoryId": "category_id"})
    both = ours.merge(
        frame.astype({"status": "str"}),
        on=["name", "category_id"],
        how="outer",
        suffixes=("", "_in_store"),
        indicator=True,
    )
    return int((both["status"].ne(both["status_in_store"]) & both["_merge"].eq("both")).sum())


def by_fields(path: Path, frame: Any) -> int:
    from petstore_frame.comparison import compare
    from petstore_frame.inventory import Inventory

    found = compare(path, Inventory.from_frame(frame), on=["name", "category_id"])
    return int(found.summary.loc["changed", "rows"])


def by_key(path: Path, frame: Any) -> int:
    """The same by key; the table of keys is at hand, as the journal would give it."""
    import pandas as pd

    from petstore_frame.comparison.pet_matching import match_by_key
    from petstore_frame.loader import read_list
    from petstore_frame.loader.source import Recipe

    listed = read_list(path, Recipe(key="animal_id")).frame
    ids = pd.array(range(1, len(listed) + 1), dtype="Int64")
    keys = pd.DataFrame({"key": listed["key"], "id": ids, "is_unconfirmed": False})
    return int(match_by_key(listed, keys, frame)["kind"].eq("changed").sum())


WAYS: dict[str, Callable[[Path, Any], int]] = {
    "pandas: read_csv, merge": by_merge,
    "compare(on=...)": by_fields,
    "compare(key=...)": by_key,
}


def measured(way: str, path: Path, rows: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--child", way, str(path), str(rows)]
    return dict(json.loads(subprocess.run(command, capture_output=True, check=True).stdout))


def child(way: str, path: Path, rows: int) -> None:
    frame = pets(rows)
    start = time.process_time()
    changed = WAYS[way](path, frame)
    spent = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cpu_s": spent, "peak_mib": peak, "changed": changed}))


def main(sizes: list[int]) -> None:
    print("| rows | way | changed | CPU s | ratio | peak MiB |\n|--:|---|--:|--:|--:|--:|")
    for rows in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "list.csv"
            write_list(path, rows)
            runs = [{way: measured(way, path, rows) for way in WAYS} for _ in range(ROUNDS)]
        base = next(iter(WAYS))
        for way in WAYS:
            cpu = statistics.median(run[way]["cpu_s"] for run in runs)
            ratio = statistics.median(run[way]["cpu_s"] / run[base]["cpu_s"] for run in runs)
            peak = max(run[way]["peak_mib"] for run in runs)
            changed = int(runs[0][way]["changed"])
            print(f"| {rows:,} | {way} | {changed:,} | {cpu:.2f} | {ratio:.1f} | {peak:,.0f} |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
    else:
        main([int(size) for size in sys.argv[1:]] or [100_000, 1_000_000])
