"""fix.csv opened in an office program, saved by it, fixed and loaded again."""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

import petstore_frame as pf
from threaded import serve

SOFFICE = shutil.which("soffice")
pytestmark = [
    pytest.mark.skipif(SOFFICE is None, reason="LibreOffice (soffice) is not installed"),
    # One LibreOffice at a time: each start takes a core for seconds.
    pytest.mark.xdist_group("libreoffice"),
]

# As the program's own dialog reads and writes: commas, quotes, UTF-8, from line 1.
CSV = "Text - txt - csv (StarCalc):44,34,76"
# Fewer than half are wrong: one cause for most of them would be told once, and nothing be sent.
GOOD = [f"Good {at}" for at in range(8)]
DIRTY = f"""name,categoryId,status,note
Rex,1,sold,as it should be
{"".join(f"{name},1,sold,fine" + chr(10) for name in GOOD)}Zoë,x,,"two
lines"
=1+1,x,sold,a formula
@home,x,sold,another
小雪 🐕,x,available,"a, comma"
say "hi",x,pending,
007,x,sold,a number
Jan 5,x,sold,a day
1/1/20,x,,another day
Ada,1,asleep,stays to fix
"""


def save_as(path: Path, kind: str, folder: Path, profile: Path) -> Path:
    """Open a file as a person would, and save it as something else."""
    command = [str(SOFFICE), f"-env:UserInstallation=file://{profile}", "--headless"]
    if path.suffix == ".csv":
        command += [f"--infilter={CSV},1"]
    wanted = f"csv:{CSV}" if kind == "csv" else kind
    command += ["--convert-to", wanted, "--outdir", str(folder), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return folder / f"{path.stem}.{kind}"


def fix_csv(path: Path) -> None:
    with path.open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    at = header.index("categoryId")
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *(_fixed(row, at) for row in rows)])


def fix_workbook(path: Path) -> None:
    book = openpyxl.load_workbook(path)
    sheet = book["Fix"] if "Fix" in book.sheetnames else book.active
    at = [cell.value for cell in sheet[1]].index("categoryId")
    for row in sheet.iter_rows(min_row=2):
        if row[at].value == "x":
            row[at].value = 5
    book.save(path)


def _fixed(row: list[str], at: int) -> list[str]:
    return [*row[:at], "5" if row[at] == "x" else row[at], *row[at + 1 :]]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("source", "kind", "fix", "options"),
    [
        ("fix.csv", "csv", fix_csv, {}),
        ("fix.csv", "xlsx", fix_workbook, {}),
        ("results.xlsx", "xlsx", fix_workbook, {"sheet": "Fix"}),
    ],
)
def test_what_an_office_program_saves_is_loaded_once(
    tmp_path: Path,
    office_profile: Path,
    source: str,
    kind: str,
    fix: Callable[[Path], None],
    options,
) -> None:
    """Exactly the fixed records are created, under the names they had, however often."""
    arrivals = tmp_path / "arrivals.csv"
    arrivals.write_text(DIRTY, encoding="utf-8")
    load = pf.load_csv if kind == "csv" else pf.load_excel
    with serve() as server, server.client() as client:
        first = pf.load_csv(arrivals, client, journal=tmp_path / "journal")
        assert (len(first.created), len(first.fix)) == (9, 9)
        first.write(tmp_path / "out")
        saved = save_as(tmp_path / "out" / source, kind, tmp_path, office_profile)
        fix(saved)
        for _ in range(2):
            result = load(saved, client, journal=tmp_path / "journal", **options)
            assert (len(result.created), len(result.fix)) == (8, 1)
        names = set(pf.fetch_inventory(client).frame["name"])
    assert names - set(GOOD) == {
        "Rex", "Zoë", "=1+1", "@home", "小雪 🐕", 'say "hi"', "007", "Jan 5", "1/1/20"
    }  # fmt: skip
