"""The workbook against its rivals: time and memory for the same four columns.

Run: python benchmarks/report.py [PETS ...]     (default: 100000 1000000)

Each writer runs in a process of its own over the same frame, in rounds, so that a busy machine
slows all alike; the table has the median of the rounds, and ratios to the bare loop: XlsxWriter in
constant memory, one write_string per cell and nothing else. "extra" is the peak of memory above
what the frame itself had already taken.
"""

from __future__ import annotations

import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

STATUSES = ("available", "pending", "sold", None)


def frame_of(pets: int):
    """A made-up inventory: ids past 2**53, 40 categories, names of 3 to 20 letters."""
    from petstore_frame.schema import PetColumns

    chance = random.Random(7)
    names = [
        "".join(chance.choices("abcdefghij klmno", k=chance.randint(3, 20))) for _ in range(5_000)
    ]
    columns = PetColumns(
        [
            list(range(2**53, 2**53 + pets)),
            chance.choices(names, k=pets),
            chance.choices(range(1, 41), k=pets),
            chance.choices(STATUSES, (50, 15, 30, 5), k=pets),
        ]
    )
    return columns.to_frame()


def inventory_of(frame):
    """The frame with what its rows cover, as a fetch gives it."""
    from datetime import UTC, datetime

    from petstore_frame.inventory import Inventory

    return Inventory.from_frame(frame, fetched_at=datetime(2030, 1, 1, tzinfo=UTC))


def bare_loop(frame, path: Path) -> None:
    import xlsxwriter

    book = xlsxwriter.Workbook(str(path), {"constant_memory": True})
    sheet = book.add_worksheet()
    rows = zip(frame["id"], frame["name"], frame["category_id"], frame["status"], strict=True)
    for row, (pet_id, name, category_id, status) in enumerate(rows):
        sheet.write_string(row, 0, str(pet_id))
        sheet.write_string(row, 1, name)
        sheet.write_string(row, 2, str(category_id))
        sheet.write_string(row, 3, status if isinstance(status, str) else "no status")
    book.close()


def whole_report(frame, path: Path) -> None:
    from petstore_frame import write_report

    write_report(inventory_of(frame), path)


def pandas_xlsxwriter(frame, path: Path) -> None:
    frame.to_excel(path, engine="xlsxwriter", index=False)


def pandas_openpyxl(frame, path: Path) -> None:
    frame.to_excel(path, engine="openpyxl", index=False)


WRITERS: dict[str, tuple[str, Callable]] = {
    "bare": ("bare XlsxWriter loop, constant memory", bare_loop),
    "report": ("**pf.write_report** (all sheets)", whole_report),
    "pandas-xlsxwriter": ("pandas to_excel, XlsxWriter (ids damaged)", pandas_xlsxwriter),
    "pandas-openpyxl": ("pandas to_excel, openpyxl (ids damaged)", pandas_openpyxl),
}


def measure(writer: str, pets: int) -> dict[str, float]:
    """Write once, in this process, and say what it took."""
    frame = frame_of(pets)
    inventory_of(frame)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stock.xlsx"
        wall, cpu = time.perf_counter(), time.process_time()
        WRITERS[writer][1](frame, path)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        size = path.stat().st_size / 2**20
    extra = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return {"wall": wall, "cpu": cpu, "extra": extra, "size": size}


def compare(pets: int, rounds: int) -> str:
    """Measure all writers in turns and return a Markdown table."""
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in WRITERS}
    for _ in range(rounds):
        for name, found in runs.items():
            command = [sys.executable, __file__, "--measure", name, str(pets)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            found.append(json.loads(done.stdout))
    middle = {
        name: {key: statistics.median(run[key] for run in found) for key in found[0]}
        for name, found in runs.items()
    }
    lines = [
        f"| {pets:,} pets, median of {rounds} | CPU s | to bare | wall s | extra MiB | file MiB |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, (label, _) in WRITERS.items():
        cost = middle[name]
        ratio = cost["cpu"] / middle["bare"]["cpu"]
        lines.append(
            f"| {label} | {cost['cpu']:.1f} | {ratio:.2f} | {cost['wall']:.1f} "
            f"| {cost['extra']:.0f} | {cost['size']:.1f} |"
        )
    return "\n".join(lines)


def main() -> None:
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(sys.argv[2], int(sys.argv[3]))))
        return
    for pets in map(int, sys.argv[1:] or ["100000", "1000000"]):
        print(compare(pets, rounds=3 if pets <= 200_000 else 1), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
