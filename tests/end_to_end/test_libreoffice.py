"""fix.csv opened in an office program, saved by it, fixed and loaded again."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest

import petstore_frame as pf
from office import NEEDED, save_as
from shop import Shop

pytestmark = NEEDED

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


def fix_csv(path: Path) -> None:
    text = path.read_text(encoding="utf-8-sig")
    path.write_text(text.replace(",x,", ",5,"), encoding="utf-8-sig")


def fix_workbook(path: Path) -> None:
    book = openpyxl.load_workbook(path)
    for sheet in book:
        for cell in (cell for row in sheet.iter_rows() for cell in row if cell.value == "x"):
            cell.value = 5
    book.save(path)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("source", "kind", "options"),
    [("fix.csv", "csv", {}), ("fix.csv", "xlsx", {}), ("results.xlsx", "xlsx", {"sheet": "Fix"})],
)
def test_what_an_office_program_saves_is_loaded_once(
    service_shop: Shop, office_profile: Path, source: str, kind: str, options: dict[str, str]
) -> None:
    """Exactly the fixed records are created, under the names they had, however often."""
    shop, out = service_shop, service_shop.folder / "out"
    (shop.folder / "arrivals.csv").write_text(DIRTY, encoding="utf-8")
    first = shop.load("arrivals.csv")
    assert (len(first.created), len(first.fix)) == (9, 9)
    first.write(out)
    wanted = f"csv:{CSV}" if kind == "csv" else kind
    filters = [f"--infilter={CSV},1"] if source.endswith(".csv") else []
    saved = save_as(out / source, wanted, shop.folder, office_profile, *filters)
    (fix_csv if kind == "csv" else fix_workbook)(saved)
    load = pf.load
    for _ in range(2):
        result = load(saved, shop.client, journal=shop.journal, progress=False, **options)
        assert (len(result.created), len(result.fix)) == (17, 1)  # of the whole file
    assert {*shop.names} - {*GOOD} == {
        "Rex", "Zoë", "=1+1", "@home", "小雪 🐕", 'say "hi"', "007", "Jan 5", "1/1/20"
    }  # fmt: skip
