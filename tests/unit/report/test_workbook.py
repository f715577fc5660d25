"""The workbook: right to the last digit, and plain about what it covers."""

from __future__ import annotations

import time
import zipfile
from typing import Any

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.inventory import Evidence, Fact, Verdict
from petstore_frame.report import write_data
from petstore_frame.report.sheets.lists import ID_RULE

SHEETS = ["Summary", "By category", "By status", "Inventory", "About"]


def texts(sheet: Any) -> list[str]:
    return [cell.value for row in sheet.iter_rows() for cell in row if isinstance(cell.value, str)]


def row_of(sheet: Any, word: str) -> list[Any]:
    """The cells from the one that holds a word to the end of its row."""
    for row in sheet.iter_rows():
        values = [cell.value for cell in row]
        if word in values:
            return list(row[values.index(word) :])
    raise AssertionError(f"no cell says {word!r}")


def test_sheets_stand_in_the_order_of_importance(inventory_of, read_back, tmp_path) -> None:
    """The summary opens first and About is last."""
    book = read_back(pf.write_report(inventory_of(), tmp_path / "stock.xlsx"))
    assert book.sheetnames == SHEETS
    assert book.active.title == "Summary"


def as_excel_keeps(value: int) -> int | str:
    """An id as it must stand in a cell: Excel keeps 15 digits of a number."""
    return value if len(str(abs(value))) <= 15 else str(value)


@pytest.mark.parametrize("write", [pf.write_report, write_data], ids=["report", "fetch"])
def test_an_id_is_a_number_as_long_as_excel_keeps_it(
    write, inventory_of, read_back, tmp_path
) -> None:
    """Report and fetch write ids alike: numbers of up to 15 digits, else text; names are text."""
    edges = [10**15 - 1, 10**15, 1 - 10**15, -(10**15), 17, 2**63 - 1]
    inventory = inventory_of([(one, "=1+1", abs(one), "sold") for one in edges])
    book = read_back(write(inventory, tmp_path / "stock.xlsx"))
    rows = list(book["Inventory"].iter_rows(min_row=2, values_only=True))
    expected = [(as_excel_keeps(one), as_excel_keeps(abs(one))) for one in edges]
    assert [(pet_id, category) for pet_id, _, category, _ in rows] == expected
    assert {name for _, name, _, _ in rows} == {"=1+1"}


def test_the_rule_of_ids_stands_in_every_workbook(inventory_of, read_back, tmp_path) -> None:
    """About says in both workbooks which ids are text, and how to look one up."""
    for write in (pf.write_report, write_data):
        book = read_back(write(inventory_of(), tmp_path / "stock.xlsx"))
        assert ID_RULE in texts(book["About"])


def test_totals_are_live_formulas_with_their_values(inventory_of, read_back, tmp_path) -> None:
    """The sums are formulas, and a viewer that does not calculate shows the same numbers."""
    path = pf.write_report(inventory_of(), tmp_path / "stock.xlsx")
    live = [cell.value for cell in row_of(read_back(path)["Summary"], "All categories")[1:6]]
    shown = [
        cell.value
        for cell in row_of(read_back(path, data_only=True)["Summary"], "All categories")[1:6]
    ]
    assert all(str(formula).startswith("=SUM(") for formula in live)
    assert shown == [1, 1, 2, 1, 5]


def test_key_figures_are_the_totals(inventory_of, read_back, tmp_path) -> None:
    """Each key figure is a formula on the table's total, so that it cannot differ from it."""
    path = pf.write_report(inventory_of(), tmp_path / "stock.xlsx")
    summary = read_back(path)["Summary"]
    place = row_of(summary, "All pets")[0]
    formula = summary.cell(place.row + 1, place.column).value
    assert summary[formula.removeprefix("=")].value.startswith("=SUM(")
    assert read_back(path, data_only=True)["Summary"].cell(place.row + 1, place.column).value == 5


def test_counts_equal_the_frame(inventory_of, read_back, tmp_path) -> None:
    """By category has each category's counts, largest first, then by id."""
    inventory = inventory_of()
    path = pf.write_report(inventory, tmp_path / "stock.xlsx")
    sheet = read_back(path, data_only=True)["By category"]
    held = {
        name: [cell.value for cell in row_of(sheet, name)[1:6]]
        for name in ("Category 3", "Category 9", f"Category {2**53 + 1}")
    }
    assert held == {
        "Category 3": [1, 0, 2, 0, 3],
        "Category 9": [0, 0, 0, 1, 1],
        f"Category {2**53 + 1}": [0, 1, 0, 0, 1],
    }


def test_a_whole_inventory_says_so_in_green(inventory_of, read_back, tmp_path) -> None:
    """The verdict stands on the first screen, and shares have a denominator."""
    inventory = inventory_of()
    summary = read_back(pf.write_report(inventory, tmp_path / "stock.xlsx"))["Summary"]
    told = next(text for text in texts(summary) if text.startswith("Complete"))
    assert told == "Complete: 5 pets."
    assert "Share" in texts(summary)
    assert "Incomplete" not in (summary.oddHeader.right.text or "")


@pytest.mark.parametrize("verdict", [Verdict.INCOMPLETE, Verdict.UNKNOWN, Verdict.UNSTABLE])
def test_a_doubt_shows_on_the_first_screen_and_in_print(
    verdict, inventory_of, read_back, tmp_path
) -> None:
    """A verdict that is not complete is in the first rows and in each header in print."""
    path = pf.write_report(inventory_of(verdict=verdict), tmp_path / "stock.xlsx")
    book = read_back(path)
    told = [text for text in texts(book["Summary"])[:20] if text.lower().startswith(verdict)]
    assert len(told) == 1
    assert all("5 pets read" in str(sheet.oddHeader.right.text) for sheet in book)
    assert "Share" not in texts(book["Summary"])


def test_a_minimum_shows_itself_as_one(inventory_of, read_back, tmp_path) -> None:
    """A count that is not exact keeps its number and is shown with a "≥"; an exact one is not."""
    inventory = inventory_of(verdict=Verdict.UNKNOWN, exact=("pending",))
    summary = read_back(pf.write_report(inventory, tmp_path / "stock.xlsx"))["Summary"]
    available, pending, _, _, total = row_of(summary, "All categories")[1:6]
    assert "≥" in total.number_format
    assert "≥" in available.number_format
    assert "≥" not in pending.number_format


def test_a_listing_of_one_status_is_not_the_whole(inventory_of, read_back, tmp_path) -> None:
    """A listing of one status names it, and the sum of all pets stays a minimum."""
    inventory = inventory_of(status="sold")
    book = read_back(pf.write_report(inventory, tmp_path / "stock.xlsx"))
    assert "complete: 5 sold pets" in texts(book["About"])
    assert "≥" in row_of(book["Summary"], "All categories")[5].number_format


def test_a_frame_from_elsewhere_says_so(inventory_of, read_back, tmp_path) -> None:
    """What a bare frame covers is reported as unknown, and its counts as minimums."""
    bare = pd.DataFrame(dict(inventory_of().frame.head(4)))
    book = read_back(pf.write_report(bare, tmp_path / "stock.xlsx"))
    assert any(text.startswith("Unknown: at least 4 pets") for text in texts(book["Summary"]))
    assert "Data as of: not recorded" in texts(book["Summary"])


def test_a_category_with_nothing_available_is_marked(inventory_of, read_back, tmp_path) -> None:
    """A zero of available pets reads "none", and a sentence counts such categories."""
    summary = read_back(pf.write_report(inventory_of(), tmp_path / "stock.xlsx"))["Summary"]
    assert "none" in row_of(summary, "Category 9")[1].number_format
    assert "none: nothing available, in 2 of 3 categories" in texts(summary)


def test_names_of_categories_are_shown_beside_their_ids(inventory_of, read_back, tmp_path) -> None:
    """Labels come from the caller; two alike are told apart, and a missing one is the number."""
    labels = {3: "Fish", 9: "Fish"}
    book = read_back(pf.write_report(inventory_of(), tmp_path / "s.xlsx", categories=labels))
    assert {"Fish (3)", "Fish (9)", f"Category {2**53 + 1}"} <= set(texts(book["Summary"]))
    header = next(book["Inventory"].iter_rows(max_row=1, values_only=True))
    assert header == ("ID", "Name", "Category ID", "Category", "Status")


def test_hundreds_of_categories_stay_readable(inventory_of, read_back, tmp_path) -> None:
    """The summary shows twenty and the others as one; By category shows all; totals hold."""
    pets = [(at, f"Pet {at}", at % 300, "sold") for at in range(900)]
    path = pf.write_report(inventory_of(pets), tmp_path / "stock.xlsx")
    summary = read_back(path, data_only=True)["Summary"]
    assert [cell.value for cell in row_of(summary, "280 other categories")[5:6]] == [840]
    assert [cell.value for cell in row_of(summary, "All categories")[5:6]] == [900]
    all_names = texts(read_back(path)["By category"])
    assert sum(name.startswith("Category ") for name in all_names) == 300


def test_an_empty_store_is_a_result(inventory_of, read_back, tmp_path) -> None:
    """No pets is said in words, with zeros, and every sheet is there."""
    book = read_back(pf.write_report(inventory_of([]), tmp_path / "stock.xlsx"))
    assert "The store holds no pets: its listing is empty." in texts(book["Summary"])
    assert book.sheetnames == SHEETS


def test_unknown_statuses_are_kept(inventory_of, read_back, tmp_path) -> None:
    """A status that the interface does not state has its own column, row and colour."""
    pets = [(1, "Luna", 3, "on hold"), (2, "Max", 3, "=cmd")]
    book = read_back(pf.write_report(inventory_of(pets), tmp_path / "stock.xlsx"))
    assert {"On hold", "=cmd", "No status"} <= set(texts(book["Summary"]))
    fills = {row[-1].fill.fgColor.rgb for row in book["Inventory"].iter_rows(min_row=2)}
    assert len(fills) == 2


def test_charts_are_native_and_name_their_cells(inventory_of, tmp_path) -> None:
    """Charts are Excel's own, in the palette, described for readers who do not see them."""
    path = pf.write_report(inventory_of([(1, "a", 1, "=cmd")]), tmp_path / "stock.xlsx")
    with zipfile.ZipFile(path) as archive:
        charts = [archive.read(n).decode() for n in archive.namelist() if "charts/chart" in n]
        drawings = [archive.read(n).decode() for n in archive.namelist() if "drawings/drawing" in n]
    assert len(charts) == 4
    assert "0072B2" in charts[0]
    assert not any("<c:f>cmd" in chart for chart in charts)
    assert sum(drawing.count("descr=") for drawing in drawings) == 4


def test_print_and_screen_are_set_up(inventory_of, read_back, tmp_path) -> None:
    """As wide as the page, headers repeated and frozen, a filter over all rows."""
    book = read_back(pf.write_report(inventory_of(), tmp_path / "stock.xlsx"))
    sheet = book["Inventory"]
    turned = [each.title for each in book if each.page_setup.orientation == "landscape"]
    assert turned == ["Summary", "By category", "By status", "About"]
    assert all(each.page_setup.fitToWidth in (None, 1) for each in book)
    assert (sheet.print_title_rows, sheet.freeze_panes) == ("$1:$1", "B2")
    assert sheet.tables["Inventory"].ref == "A1:D6"
    assert "15 digits" in sheet["A1"].comment.text


def test_a_long_list_is_not_printed_unasked(inventory_of, read_back, tmp_path) -> None:
    """Only the first rows are the print area, and each page says of how many."""
    pets = [(at, "Luna", 1, "sold") for at in range(1, 602)]
    inventory, none = inventory_of(pets), inventory_of([])
    path = tmp_path / "stock.xlsx"
    book = read_back(pf.write_report(inventory, path, changes=pf.diff(none, inventory)))
    assert book["Inventory"].print_area == "'Inventory'!$A$1:$D$501"
    assert "500 of 601 rows" in book["Inventory"].oddHeader.left.text
    assert "500 of 601 rows" in book["Changes"].oddHeader.left.text
    plain = read_back(write_data(inventory, path))["Inventory"]
    assert plain.print_area == "'Inventory'!$A$1:$D$501"


def test_a_wide_inventory_is_printed_across(inventory_of, read_back, tmp_path) -> None:
    """Upright where its columns fit, and across where long names would be printed too small."""
    pets = [(2**63 - 1 - at, "Maximilian " * 5, 1, "sold") for at in range(3)]
    labels = {1: "Dwarf rabbits, hares and everything that hops"}
    path = tmp_path / "stock.xlsx"
    wide = read_back(pf.write_report(inventory_of(pets), path, categories=labels))
    narrow = read_back(pf.write_report(inventory_of(), path))
    assert wide["Inventory"].page_setup.orientation == "landscape"
    assert narrow["Inventory"].page_setup.orientation in (None, "portrait")


def test_the_about_sheet_has_all_the_evidence(inventory_of, read_back, tmp_path) -> None:
    """What was asked, the basis, assumptions, requests, evidence and the version are there."""
    inventory = inventory_of(
        verdict=Verdict.UNSTABLE,
        assumptions=("the store fills each page",),
        evidence=(Evidence(Fact.ROWS_TWICE, count=3), Evidence(Fact.OLD_ANSWER, detail="1 day")),
        advertised_total=512,
    )
    found = set(texts(read_back(pf.write_report(inventory, tmp_path / "s.xlsx"))["About"]))
    assert any(text.endswith(f"Made with petstore-frame {pf.__version__}") for text in found)
    assert {"The store fills each page.", "3 rows came twice.", "512"} <= found
    assert any("1 day old" in text for text in found)
    assert {"all pets", "the page was full", "3"} <= found


@pytest.mark.parametrize("ending", ["xlsx", "html", "csv"])
def test_the_same_inventory_gives_the_same_bytes(
    ending, inventory_of, tmp_path, monkeypatch
) -> None:
    """Nothing of the clock, of the place or of chance is in the file."""
    written = []
    for zone in ("Asia/Tokyo", "Europe/Paris"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        path = pf.write_report(inventory_of(), tmp_path / f"{zone[:4]}.{ending}")
        written.append(path.read_bytes())
    monkeypatch.undo()
    time.tzset()
    assert written[0] == written[1]
    assert ending != "html" or b"Data as of 2030-01-02 09:30 UTC" in written[0]


def test_large_figures_have_room(inventory_of, read_back, tmp_path) -> None:
    """A number that does not fit its column is shown as ###, so the columns grow with them."""
    few = read_back(pf.write_report(inventory_of(), tmp_path / "few.xlsx"))["Summary"]
    pets = [(at, "Max", 1, "sold") for at in range(10_000)]
    inventory = inventory_of(pets, Verdict.UNKNOWN)
    many = read_back(pf.write_report(inventory, tmp_path / "many.xlsx"))["Summary"]
    assert few.column_dimensions["C"].width == pytest.approx(13.7, abs=0.1)
    # Eight signs of 18 points are some 100 pixels wide, and a unit of width is 7.
    assert many.column_dimensions["C"].width * 7 > 8 * 12.2 + 10


def test_other_frames_are_welcome(inventory_of, read_back, tmp_path) -> None:
    """A polars frame gives the same inventory sheet as the pandas frame."""
    polars = pytest.importorskip("polars")
    frame = inventory_of().frame
    theirs = pf.write_report(polars.from_pandas(frame), tmp_path / "polars.xlsx")
    ours = pf.write_report(frame, tmp_path / "pandas.xlsx")
    rows = [list(read_back(path)["Inventory"].values) for path in (theirs, ours)]
    assert rows[0] == rows[1]
