"""A person with a messy file, week after week, on the page of ``petstore-frame dashboard``."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import openpyxl

import petstore_frame as pf
from browser.test_lab import AXE_RUN

HEAD = "Tierheim Nord;;;\nTag;Tier;Art;Zustand\n"
WEEK_ONE = (
    HEAD
    + "N1;Zo\xeb;Hund;da\nN2;Bo;Katze;weg\nN3;;Hund;?\nN3;;Katze;?\nTotal;;;\nN5;Mika;Hund;da\n"
)
WEEK_TWO = WEEK_ONE.replace("Total", "N6;Fips;Katze;da\nN7;Rex;Hund;weg\nTotal")
MEANT = {"Hund": "Dog (2)", "Katze": "Cat (1)"}
STATUSES = {"da": "available", "weg": "sold", "?": "no status"}


class Person:
    """Works a page, and counts each click and each thing chosen or written."""

    def __init__(self, page: Any) -> None:
        self.page, self.clicks = page, 0

    def give(self, path: Path) -> None:
        """Choose a file; clicks are counted from here."""
        self.page.get_by_label("Choose a file").set_input_files(path)
        self.page.locator("caption", has_text=path.name).wait_for()
        self.clicks = 0

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name).click()
        self.clicks += 1

    def choose(self, name: str, option: str) -> None:
        self.page.get_by_label(name, exact=True).select_option(label=option)
        self.clicks += 1

    def write(self, name: str, text: str) -> None:
        box = self.page.get_by_label(name, exact=True)
        box.fill(text)
        box.press("Enter")
        self.clicks += 1

    def wait(self, words: str) -> None:
        self.page.get_by_text(words).first.wait_for()


def test_two_weeks_of_a_messy_file(
    voila: Any, store: pf.Server, tmp_path: Path, axe: str, picture: Any
) -> None:
    """Only a browser counts a person's clicks: twelve for a new kind of file, then two at most."""
    for name, rows in (("week 1.csv", WEEK_ONE), ("week 2.csv", WEEK_TWO)):
        (tmp_path / name).write_text(rows, encoding="cp1252")
    person = Person(voila)
    voila.evaluate(axe)

    def look(name: str) -> None:
        picture(voila, f"story_{name}")
        assert voila.locator(".pf-dash").evaluate(AXE_RUN) == [], name

    voila.get_by_role("button", name="Import", exact=True).click()
    look("1_start")
    person.give(tmp_path / "week 1.csv")
    look("2_file")
    for field, column in {"Name": "Tier", "Category": "Art", "Status": "Zustand"}.items():
        person.choose(f"{field} is", column)
        voila.locator("th", has_text=f"→ {field}").wait_for()
    person.choose("Key", "Tag")
    voila.locator("th", has_text="Tagkey").wait_for()
    for word, meaning in MEANT.items():
        person.write(f"what {word} means", meaning)
    look("3_columns")
    for word, meaning in STATUSES.items():
        person.choose(f"what {word} means", meaning)
    person.write("what an empty Name means", "Ohne Namen {Tag}")
    person.choose("which row of a key stands", "the first stands")
    look("4_ready")
    person.press("Send 4 pets")
    person.wait("4 of 6 records created")
    look("5_sent")
    assert person.clicks <= 12
    person.give(tmp_path / "week 2.csv")
    person.wait("Read as on")
    look("6_week_two")
    person.press("Send 2 pets")
    person.wait("2 of 8 records created")
    assert person.clicks <= 2
    with store.client() as client:
        names = pf.fetch_inventory(client).frame["name"]
    assert {"Zo\xeb", "Bo", "Ohne Namen N3", "Mika", "Fips", "Rex"} <= {*names}


def test_a_file_is_dropped_and_a_table_is_pasted(voila: Any, picture: Any) -> None:
    """Only a browser has a clipboard and a hand that drops; keys alone send what came so."""
    voila.get_by_role("button", name="Import", exact=True).click()
    tab = voila.locator(".pf-tab:visible")
    given = voila.evaluate_handle("""() => {
      const given = new DataTransfer();
      given.items.add(new File(["name,category_id\\nDropped,2\\n"], "dropped.csv"));
      return given;
    }""")
    tab.locator("h3").dispatch_event("dragover", {"dataTransfer": given})
    tab.locator("h3").dispatch_event("drop", {"dataTransfer": given})
    voila.locator("caption", has_text="dropped.csv").wait_for()
    table = io.StringIO()
    csv.writer(table, delimiter="\t").writerows([["name", "category_id"], ["Pasted", "2"]])
    place = tab.locator("textarea")
    place.focus()
    place.evaluate(
        """(place, text) => {
          const pasted = new DataTransfer();
          pasted.setData("text/plain", text);
          place.dispatchEvent(new ClipboardEvent("paste",
            {clipboardData: pasted, bubbles: true, cancelable: true}));
        }""",
        table.getvalue(),
    )
    voila.locator("caption", has_text="pasted ").wait_for()
    voila.get_by_role("button", name="Send 1 pet").wait_for()
    picture(voila, "pasted")
    place.focus()
    for _ in range(20):  # with keys alone: on from the place where it was pasted
        voila.keyboard.press("Tab")
        if voila.evaluate("() => document.activeElement.dataset.way") == "send":
            break
    voila.keyboard.press("Enter")
    voila.get_by_text("1 of 1 record created").wait_for()


def test_a_filtered_export_is_of_what_is_shown(voila: Any, store: pf.Server) -> None:
    """Only a browser downloads: without JupyterLab, too, a workbook of the pets shown says so."""
    voila.get_by_role("button", name="Inventory", exact=True).click()
    voila.get_by_role("combobox", name="Status", exact=True).select_option(label="Pending")
    voila.locator("[role=status]", has_text="Showing").first.wait_for()
    with store.client() as client:
        frame = pf.fetch_inventory(client).frame
    counts = {}
    for what in ("all pets", "pets shown"):
        voila.get_by_role("combobox", name="Export").select_option(label=what)
        with voila.expect_download(timeout=60_000) as download:
            voila.get_by_role("button", name="Excel", exact=True).click()
        content = io.BytesIO(Path(download.value.path()).read_bytes())
        book = openpyxl.load_workbook(content, read_only=True)
        counts[what] = len({row[0] for row in book["Inventory"].values} & {*frame["id"]})
        words = [str(cell) for row in book["About"].values for cell in row if cell]
        assert any("Status pending" in text for text in words) is (what == "pets shown")
    voila.get_by_role("button", name="Clear all filters").click()
    assert counts["pets shown"] == int((frame["status"] == "pending").sum()) < counts["all pets"]
