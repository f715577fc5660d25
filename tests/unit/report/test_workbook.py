"""The workbook: right to the last digit, and plain about what it covers."""

from __future__ import annotations

import re
import time
import zipfile
from typing import Any

import polars as pl
import pytest

import petstore_frame as pf
from petstore_frame.inventory import Evidence, Fact, Verdict
from petstore_frame.report import write_data
from petstore_frame.report.list_sheets import ID_RULE
from unit.conftest import make_inventory, pets, read_book

SHEETS = ["Summary", "By category", "Inventory", "About"]


def texts(sheet: Any) -> list[str]:
    return [cell.value for row in sheet.iter_rows() for cell in row if isinstance(cell.value, str)]


def row_of(sheet: Any, word: str) -> list[Any]:
    """The cells from the one that holds a word to the end of its row."""
    for row in sheet.iter_rows():
        values = [cell.value for cell in row]
        if word in values:
            return list(row[values.index(word) :])
    raise AssertionError(f"no cell says {word!r}")


def numbers_of(sheet: Any, word: str) -> list[Any]:
    return [cell.value for cell in row_of(sheet, word)[1:6]]


def test_a_whole_inventory_says_so_in_green(book_of) -> None:
    """The verdict is on the first screen, shares have a whole, and no pets is said in words."""
    book, empty = book_of(), book_of([], to="empty.xlsx")
    assert book.sheetnames == empty.sheetnames == SHEETS and book.active.title == "Summary"
    sentences = texts(book["Summary"])
    assert [text for text in sentences if text.startswith("Complete")] == ["Complete: 5 pets."]
    assert "Share" in sentences
    assert "Incomplete" not in (book["Summary"].oddHeader.right.text or "")
    assert "The store is empty: its listing has no pets." in texts(empty["Summary"])


@pytest.mark.parametrize("verdict", [Verdict.INCOMPLETE, Verdict.UNKNOWN, Verdict.UNSTABLE])
def test_a_doubt_shows_on_the_first_screen_and_in_print(verdict, book_of) -> None:
    """A verdict that is not complete is in the first rows and in each header in print."""
    book = book_of(verdict=verdict)
    sentences = texts(book["Summary"])
    assert len([text for text in sentences[:20] if text.lower().startswith(verdict)]) == 1
    assert all("5 pets read" in str(sheet.oddHeader.right.text) for sheet in book)
    assert "Share" not in sentences


@pytest.mark.parametrize("verb", [pf.write_report, write_data])
def test_an_id_is_a_number_as_long_as_excel_keeps_it(verb, tmp_path) -> None:
    """Report and fetch write ids alike: numbers of up to 15 digits, else text; names are text."""
    edges = [10**15 - 1, 10**15, 1 - 10**15, -(10**15), 17, 2**63 - 1]
    kept = [one if len(str(abs(one))) <= 15 else str(one) for one in edges]
    rows = [(one, "=1+1", abs(one), "sold") for one in edges]
    book = read_book(verb(make_inventory(rows), tmp_path / "stock.xlsx"))
    ids, names, *_ = zip(*book["Inventory"].iter_rows(min_row=2, values_only=True), strict=True)
    assert list(ids) == kept and set(names) == {"=1+1"}
    assert ID_RULE in texts(book["About"])  # which of them are text, and how to look one up


def test_counts_and_their_sums_are_numbers(book_of) -> None:
    """Each category has its counts, the sum adds them up, and the key figure is that sum."""
    book = book_of()
    summary = book["Summary"]
    assert numbers_of(summary, "Sum") == [1, 1, 2, 1, 5]
    figure = row_of(summary, "Pets")[0]
    assert summary.cell(figure.row + 1, figure.column).value == 5
    for name, numbers in {
        "Category 3": [1, 0, 2, 0, 3],
        "Category 9": [0, 0, 0, 1, 1],
        f"Category {2**53 + 1}": [0, 1, 0, 0, 1],
    }.items():
        assert numbers_of(book["By category"], name) == numbers


def test_a_minimum_shows_itself_as_one(book_of) -> None:
    """A count that is not exact keeps its number and is shown with a "≥"; an exact one is not."""

    def signs(book: Any) -> list[bool]:
        total = row_of(book["Summary"], "Sum")[1:6]
        return ["≥" in cell.number_format for cell in total]

    doubtful = book_of(verdict=Verdict.UNKNOWN, exact=("pending",))
    assert signs(doubtful) == [True, False, True, True, True]
    # Of a listing of one status the sum is that of the pets asked for.
    sold = book_of([(1, "Luna", 3, "sold")], status="sold")
    assert "complete: 1 sold pet" in texts(sold["About"])
    assert signs(sold)[:2] == [False, False]
    # What a frame from elsewhere covers is unknown.
    bare = texts(book_of(of=pl.from_pandas(make_inventory().frame.head(4)))["Summary"])
    assert any(text.startswith("Unknown: at least 4 pets") for text in bare)


def test_names_of_categories_are_shown_beside_their_ids(book_of) -> None:
    """Labels come from the caller; two alike are told apart, and a missing one is the number."""
    book = book_of(categories={3: "Fish", 9: "Fish"})
    summary = book["Summary"]
    assert {"Fish (3)", "Fish (9)", f"Category {2**53 + 1}"} <= set(texts(summary))
    assert "none" in row_of(summary, "Fish (9)")[1].number_format
    assert "none: nothing available, in 2 of 3 categories" in texts(summary)
    header = next(book["Inventory"].iter_rows(max_row=1, values_only=True))
    assert header == ("ID", "Name", "Category ID", "Category", "Status")


def test_unknown_statuses_are_kept(book_of, tmp_path) -> None:
    """A status that the interface does not state has a column, a row and a color of its own."""
    book = book_of([(1, "Luna", 3, "on hold"), (2, "Max", 3, "=cmd")])
    assert {"On hold", "=cmd", "No status"} <= set(texts(book["Summary"]))
    fills = {row[-1].fill.fgColor.rgb for row in book["Inventory"].iter_rows(min_row=2)}
    assert len(fills) == 2
    with zipfile.ZipFile(tmp_path / "stock.xlsx") as archive:
        assert "<c:f>cmd" not in archive.read("xl/charts/chart1.xml").decode()


@pytest.mark.parametrize(
    ("attention", "shown"), [("look", ["look"]), (["a", "b"], ["a", "b"]), ([], ["Nothing."])]
)
def test_a_text_that_needs_a_person_is_one_sentence(attention, shown, book_of) -> None:
    """A text is one sentence, a list has one per row, and an empty list says that nothing does."""
    cells = row_of(book_of(attention=attention)["Summary"], "Needs attention")
    sheet, row = cells[0].parent, cells[0].row
    assert [sheet.cell(row + at, 3).value for at in range(len(shown))] == shown
    assert sheet.cell(row + len(shown), 3).value is None


def test_the_list_of_pets_can_be_filtered(book_of) -> None:
    """Its header stays on screen and on each printed page, and filters all rows."""
    sheet = book_of()["Inventory"]
    assert (sheet.freeze_panes, sheet.print_title_rows) == ("B2", "$1:$1")
    assert sheet.auto_filter.ref == "A1:D6"


FALSE_ALARM = re.compile(r"\bnone\b|\ball\b|unknown|not known|nothing", re.IGNORECASE)


def test_a_selection_raises_no_alarm(book_of, write) -> None:
    """A summary and a report name their selection; what was left out is no count of nothing."""
    inventory = make_inventory(pets(60))
    part = inventory.where(status="pending", category_id=2)
    summary = pf.summarize(part)
    assert (summary.statuses, summary.total.count) == (("pending",), 5)
    shown = f"{summary}{summary._repr_html_()}".lower()
    assert not {word for word in (">none<", "all pets<", "unknown", "available") if word in shown}
    book = book_of(of=part, categories={2: "Dog"})
    for name in ("Summary", "By category"):
        sentences = [text for text in texts(book[name]) if "http" not in text and "?" not in text]
        assert [text for text in sentences if FALSE_ALARM.search(text)] == []
    assert f"5 of 60 pets: {part.completeness.part}" in texts(book["Summary"])
    assert numbers_of(book["Summary"], "Dog")[0] == 5
    assert not {"Available", "Sold"} & {*texts(book["About"])}
    page = write(of=part, to="part.html").read_text("utf-8")
    assert part.completeness.part in page.partition("<details>")[0]
    assert "No pets match this filter." in texts(
        book_of(of=inventory.where(category_id=99), to="no.xlsx")["Summary"]
    )


def test_the_about_sheet_has_all_the_evidence(book_of) -> None:
    """What was asked, the reason, assumptions, requests, evidence and the version are there."""
    book = book_of(
        verdict=Verdict.UNSTABLE,
        assumptions=("the store fills each page",),
        evidence=(Evidence(Fact.ROWS_TWICE, count=3), Evidence(Fact.OLD_ANSWER, detail="1 day")),
        advertised_total=512,
    )
    texts_of_sheet = set(texts(book["About"]))
    assert any(
        text.endswith(f"Made with petstore-frame {pf.__version__}") for text in texts_of_sheet
    )
    assert {
        "The store fills each page.",
        "The store returned 3 rows twice.",
        "512",
    } <= texts_of_sheet
    assert any("1 day old" in text for text in texts_of_sheet)
    assert {"all pets", "the page was full", "3"} <= texts_of_sheet


@pytest.mark.parametrize("ending", ["xlsx", "html", "csv"])
def test_the_same_inventory_gives_the_same_bytes(ending, write, monkeypatch) -> None:
    """Nothing of the clock, of the place or of chance is in the file."""
    written = []
    for zone in ("Asia/Tokyo", "Europe/Paris"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        written.append(write(to=f"{zone[:4]}.{ending}").read_bytes())
    monkeypatch.undo()
    time.tzset()
    assert written[0] == written[1]
    assert ending != "html" or b"Data as of 2026-01-02 09:30 UTC" in written[0]
