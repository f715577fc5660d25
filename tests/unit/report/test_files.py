"""A report is the old file or the whole new one, in each of its kinds."""

from __future__ import annotations

import csv
import html
import re
from datetime import datetime
from pathlib import Path
from unittest.mock import Mock

import openpyxl
import pandas as pd
import polars as pl
import pytest

import petstore_frame as pf
from petstore_frame.errors import ArgumentError, ReportError
from petstore_frame.inventory import Verdict
from petstore_frame.report import write_data
from unit.conftest import make_inventory, pets

KINDS = ["xlsx", "csv", "parquet", "html"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_leaves_nothing_beside_it(kind, write, tmp_path) -> None:
    """The file takes its name when it is whole, and its permissions stay."""
    path = write(to=f"stock.{kind.upper()}")
    beside = {f"{path.name}.coverage.json"} if kind in ("csv", "parquet") else set()
    assert {path.name for path in tmp_path.iterdir()} == {path.name} | beside
    assert path.stat().st_mode & 0o600 == 0o600
    path.chmod(0o600)
    assert write(to=path.name).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_that_fails_leaves_the_old_one(kind, write, tmp_path, monkeypatch) -> None:
    """When the rename is refused, as for a file open in Excel, the old file is as it was."""
    path = write(to=f"stock.{kind}")
    old_files = {file: file.read_bytes() for file in tmp_path.iterdir()}
    monkeypatch.setattr(Path, "replace", Mock(side_effect=PermissionError(13, "denied")))
    with pytest.raises(ReportError, match="open in another program"):
        write([(1, "New", 3, "sold")], to=path.name)
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == old_files


def edit_workbook(path: Path) -> None:
    book = openpyxl.load_workbook(path)
    book["Inventory"]["F2"] = "a note"
    book.save(path)


def edit_text(path: Path) -> None:
    path.write_text(path.read_text("utf-8-sig").replace("Luna", "Luna II"), encoding="utf-8-sig")


@pytest.mark.parametrize(("name", "edit"), [("a.xlsx", edit_workbook), ("a.csv", edit_text)])
def test_what_somebody_typed_is_not_overwritten(name, edit, write, tmp_path) -> None:
    """A report as it was written is replaced, a changed one only if the user asks for it."""
    write(to=name)
    path = write(to=name)
    edit(path)
    typed = path.read_bytes()
    with pytest.raises(ReportError, match="overwrite=True"):
        write(to=name)
    assert path.read_bytes() == typed
    write(to=name, overwrite=True)
    assert path.read_bytes() != typed


@pytest.mark.parametrize("name", ["a.xlsx", "a.csv"])
def test_a_file_that_is_not_a_report_is_not_overwritten(name, write, tmp_path) -> None:
    """A list of the user with the name of the report stays."""
    (tmp_path / name).write_text("my own list")
    with pytest.raises(ReportError, match="overwrite=True"):
        write(to=name)
    assert (tmp_path / name).read_text() == "my own list"


@pytest.mark.parametrize("kind", KINDS)
def test_a_link_stays_a_link(kind, write, tmp_path) -> None:
    """The file that a link leads to is written, and the link still leads there."""
    (tmp_path / "shared").mkdir()
    target = tmp_path / "shared" / f"stock.{kind}"
    link = tmp_path / f"latest.{kind}"
    link.symlink_to(target)
    for _ in range(2):
        write(to=link.name)
        assert link.is_symlink() and target.is_file() and not target.is_symlink()


@pytest.mark.parametrize("lock", [".~lock.stock.xlsx#", "~$stock.xlsx"])
def test_a_file_open_in_an_office_program_is_refused(lock, write, tmp_path) -> None:
    """The lock file of LibreOffice or Excel is named, since the program would write over ours."""
    (tmp_path / lock).write_text("")
    with pytest.raises(ReportError, match="open in another program") as refused:
        write()
    assert lock in str(refused.value)


FRAME = make_inventory().frame
REFUSED = [
    ({"to": "nowhere/a.xlsx"}, ReportError, r"the folder .*nowhere does not exist"),
    ({"to": "a.xls"}, ReportError, "unsupported extension '.xls'"),
    ({"to": "a.csv", "attention": ["x"]}, ArgumentError, "are for an .xlsx, not for 'a.csv'"),
    ({"to": "a.parquet", "of": 3}, ArgumentError, "pets must be a table of pets, got 3"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "error", "message"), REFUSED)
def test_what_cannot_be_written_is_refused(options, error, message, write, tmp_path) -> None:
    """A wrong option is named before a file is made, and the text says what can be written."""
    with pytest.raises(error, match=message):
        write(**options)
    assert list(tmp_path.iterdir()) == []


def test_csv_is_what_a_spreadsheet_opens(write) -> None:
    """UTF-8 with a mark, a header, one line a pet, and no text that a spreadsheet would run."""
    path = write(to="stock.csv", categories={3: "Cat"})
    assert path.read_bytes().startswith(b"\xef\xbb\xbfid,name,category_id,category,status\r\n")
    rows = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    assert rows[2] == [str(2**63 - 1), "'=1+1", "3", "Cat", "sold"]
    texts = [cell for row in rows for cell in (row[1], *row[3:])]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in texts)
    assert rows[3][0] == "-5"  # a number is no formula


@pytest.mark.parametrize("write_as", [pf.write_report, write_data])
def test_a_csv_comes_back_with_what_it_covers(write_as, tmp_path) -> None:
    """It is read as an inventory that diff and compare take; once changed, it is unknown."""
    inventory = make_inventory()
    path = write_as(inventory, tmp_path / "stock.csv")
    back = pf.read_inventory(path)
    assert back.completeness == inventory.completeness and back.provenance == inventory.provenance
    assert back.frame["name"].tolist() == inventory.frame["name"].tolist()
    assert len(pf.diff(path, inventory)) == 0
    path.write_text(path.read_text("utf-8-sig").replace("sold", "pending"), encoding="utf-8")
    assert pf.read_inventory(path).completeness.verdict is Verdict.UNKNOWN


CATS = {3: "Cat"}
SAVED_FORMS = {
    "CSV": lambda stock, folder: pf.write_report(stock, folder / "a.csv", categories=CATS),
    "CSV with semicolons": lambda inventory, folder: with_semicolons(inventory, folder / "a.csv"),
    "Parquet": lambda stock, folder: pf.write_report(stock, folder / "a.parquet", categories=CATS),
    "polars": lambda inventory, folder: pl.from_pandas(inventory.frame),
    "pyarrow": lambda inventory, folder: pl.from_pandas(inventory.frame).to_arrow(),
}  # fmt: skip


def with_semicolons(inventory: pf.Inventory, path: Path) -> Path:
    """Save a report as a spreadsheet does in countries with a decimal comma."""
    rows = csv.reader(pf.write_report(inventory, path).read_text("utf-8-sig").splitlines())
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=";").writerows(rows)
    return path


@pytest.mark.parametrize("form", SAVED_FORMS)
def test_diff_and_compare_take_a_listing_in_any_form(form, tmp_path) -> None:
    """A listing that was saved, or is a frame of another library, equals itself."""
    inventory = make_inventory()
    saved = SAVED_FORMS[form](inventory, tmp_path)
    assert len(pf.diff(saved, inventory)) == 0
    assert pf.compare(saved, inventory, on="id").is_equal


def test_a_workbook_is_a_report_and_not_read_back(write) -> None:
    """The error names the formats that have everything."""
    with pytest.raises(pf.ArgumentError, match=r"report for people; save the inventory as \.parq"):
        pf.read_inventory(write(to="stock.xlsx"))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_labels_of_categories_are_not_a_column_of_the_user(ending, write) -> None:
    """No format gives back the labels that the report added."""
    back = pf.read_inventory(write(to=f"stock.{ending}", categories={3: "Cat"}))
    assert back.frame.columns.tolist() == ["id", "name", "category_id", "status"]


NOT_LISTINGS = [
    ("gone.csv", None, pf.InputError, "cannot open"),
    ("gone.parquet", None, pf.InputError, "cannot open"),
    ("a.json", b"[{}]", pf.InputError, "this is a JSON document"),
    ("a.html", b"<html>", pf.InputError, "this is a web page"),
    ("a.parquet", b"not Parquet", pf.InputError, "not a Parquet file"),
    ("a.csv", b"id;name\r\n1;Rex\r\n", pf.ArgumentError, "lacks"),
]


@pytest.mark.parametrize(("name", "content", "error", "message"), NOT_LISTINGS)
def test_what_is_not_a_listing_is_named(name, content, error, message, tmp_path) -> None:
    """A missing or foreign file is an error of ours that says what is wrong with it."""
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(error, match=message):
        pf.diff(path, make_inventory())


def test_diff_says_what_it_was_given() -> None:
    """A frame that lacks columns, and a value that is no frame, are described."""
    with pytest.raises(pf.ArgumentError, match="a DataFrame without category_id, status"):
        pf.diff(pl.DataFrame({"id": [1], "name": ["Rex"]}), make_inventory())
    with pytest.raises(pf.ArgumentError, match="got int"):
        pf.diff(3, make_inventory())


@pytest.mark.parametrize("ending", ["xlsx", "html"])
def test_control_characters_in_labels_keep_a_file_valid(ending, write) -> None:
    """A label with an escape character or half a character is shown without it."""
    path = write(to=f"stock.{ending}", categories={3: "C\x1b[31mat\ufffe", 9: "a\x00b"})
    if ending == "xlsx":
        openpyxl.load_workbook(path)
    else:
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe]", path.read_text("utf-8"))


def test_every_file_has_a_users_columns(write, book_of) -> None:
    """They follow the pets' own in every view, with their types, and formulas are harmless."""
    inventory = make_inventory(pets(4))
    frame = inventory.frame.assign(
        price=[9.5, None, 3.0, 4.0], since=pd.to_datetime(["2026-11-01"] * 4), is_shy=True
    )
    ids = pd.DataFrame({"key": ["A-1", "=A"], "id": [1, 2]})
    priced = pf.Inventory(frame, inventory.provenance).with_ids(ids)
    further = ["price", "since", "is_shy", "key"]
    path = write(of=priced, to="stock.parquet")
    back = pf.read_inventory(path)
    pd.testing.assert_frame_equal(back.frame, priced.frame)
    assert list(back.frame.columns)[4:] == further
    assert back.completeness == pf.completeness(pd.read_parquet(path)) == priced.completeness
    text = write(of=priced, to="stock.csv").read_text("utf-8-sig").splitlines()
    assert text[0].startswith("id,name,category_id,status,price,since,is_shy,key")
    assert "9.5,2026-11-01" in text[1] and "'=A" in text[2]
    rows = list(book_of(of=priced)["Inventory"].iter_rows(values_only=True))
    assert rows[0][4:] == tuple(further)
    assert rows[1][4:] == (9.5, datetime(2026, 11, 1), True, "A-1") and rows[2][4] is None
    page = write(of=priced, to="stock.html").read_text()
    assert ">A-1<" in page and ">price<" in page


HOSTILE = ["<script>alert(1)</script>", "</noscript><b>", "two\nlines", "sold", "Tom & <tr>", ""]
LIST = '<noscript id="all">'


def test_every_pet_is_on_the_page_and_nothing_from_elsewhere(write) -> None:
    """Without scripts each pet is found to the letter; the one script is ours; no pets, no list."""
    pets = [(2**63 - 1 - at, HOSTILE[at % len(HOSTILE)], 3, "sold") for at in range(1_200)]
    text = write(pets, to="stock.html").read_text(encoding="utf-8")
    listed = text.partition(LIST)[2].partition("</noscript>")[0]
    cells = [re.split(r"<t[hd]\b[^>]*>", row)[1:] for row in listed.split("<tr>")]
    rows = [[html.unescape(re.sub("<[^>]*>", "", cell)) for cell in row] for row in cells]
    assert [[cell.strip("\n") for cell in row] for row in rows if row and row[0] != "ID"] == [
        [str(pet_id), name, "3", "sold"] for pet_id, name, _, _ in pets
    ]
    assert text.count("<script") == 1
    assert not re.search(r"\s(src|href|action)=", text)
    assert not re.search(r"url\((?!#)|@import|fetch\(|XMLHttpRequest", text)
    empty = write([], to="empty.html").read_text()
    assert LIST not in empty and "Complete: 0 pets" in empty
