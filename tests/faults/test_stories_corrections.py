"""Stories of fix files: whatever people do to one, no animal is doubled, lost or overwritten."""

from __future__ import annotations

import csv
import sys
from code import InteractiveInterpreter

import openpyxl
import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.errors import InputError
from petstore_frame.loader import view_of
from petstore_frame.loader.findings import ForeignFixFile, RejectedCorrections
from petstore_frame.loader.loading import run_import
from petstore_frame.loader.row_state import State
from petstore_frame.loader.source import Recipe
from shop import Rows, Shop, finding_of, held

NAMES = "name,categoryId"
KEYED = "tag,name,categoryId"
THREE = "A-1,Ada,one", "A-2,Bo,2", "A-3,Cy,three"


def keyed(shop: Shop) -> Rows:
    """Load three animals with a key, and return the fix file of the two that need fixing."""
    return shop.fix_file(shop.load("a.csv", KEYED, *THREE, key="tag", max_errors=9))


def rejected(result: pf.LoadResult) -> list[tuple[int, str]]:
    """Return the lines of a fix file that were not applied, with the reasons."""
    lines = finding_of(result, RejectedCorrections)
    return [] if lines is None else [(line, reason) for line, _, reason in lines.lines]


def load_rows(shop: Shop, *rows: list[str]) -> pf.LoadResult:
    return shop.fix([*rows], {})


def test_a_fix_file_returns_the_result_of_the_whole_file(shop: Shop) -> None:
    """The file has one import: after the correction, all its rows are in the store."""
    rows = keyed(shop)
    result = shop.fix(rows, {"one": "1", "three": "3"})
    assert (result.exit_code, len(result), result.counts[State.CREATED]) == (0, 3, 3)
    assert shop.ids == {"A-1": 2, "A-2": 1, "A-3": 3}
    assert view_of(result).facts.run.source == "a.csv"


def test_a_fix_file_that_is_loaded_twice_adds_nothing(shop: Shop) -> None:
    """The second time, its corrections are those that the journal has."""
    rows = keyed(shop)
    for _ in range(2):
        result = shop.fix(rows, {"one": "1", "three": "3"})
        assert (shop.names, rejected(result)) == (["Ada", "Bo", "Cy"], [])


def test_a_file_whose_rows_were_corrected_has_nothing_to_fix(shop: Shop) -> None:
    """The corrections apply again when the file is read again."""
    shop.fix(keyed(shop), {"one": "1", "three": "3"})
    again = shop.load("a.csv", key="tag")
    assert (again.exit_code, len(again.fix), shop.names) == (0, 0, ["Ada", "Bo", "Cy"])


def test_a_correction_applies_to_later_files_with_the_key(shop: Shop) -> None:
    """The same mistake is corrected once, and a cell that changed since is read as it is."""
    shop.fix(keyed(shop), {"one": "1", "three": "3"})
    result = shop.load("b.csv", KEYED, "A-3,Cy,three", "A-1,Ada,7", "A-4,Di,4", key="tag")
    assert (len(result.fix), shop.names) == (0, ["Ada", "Bo", "Cy", "Di"])
    assert result.changed["changed"].tolist() == ["category_id: 1 → 7"]


@pytest.mark.parametrize("name", ["a.csv", "b.csv"])
def test_a_correction_that_was_not_sent_is_not_lost(shop: Shop, name: str) -> None:
    """The file, or a later one with the key and the same mistake, is sent as it was corrected."""
    rows = keyed(shop)
    shop.store.fault_of = {2: "401", 3: "401"}.get
    shop.fix(rows, {"one": "1", "three": "3"})
    shop.store.fault_of = lambda number: None
    more = () if name == "a.csv" else ("A-4,Di,4",)
    assert len(shop.load(name, KEYED, *THREE, *more, key="tag").fix) == 0
    assert {pet["name"]: pet["categoryId"] for pet in shop.pets}["Cy"] == 3


def test_a_correction_of_another_key_or_header_does_not_apply(shop: Shop) -> None:
    """Another animal with the same mistake needs fixing for itself."""
    rows = keyed(shop)
    shop.store.fault_of = {2: "401", 3: "401"}.get  # so that no animal is known by its key
    shop.fix(rows, {"one": "1", "three": "3"})
    shop.store.fault_of = lambda number: None
    assert len(shop.load("b.csv", KEYED, "A-9,Zoe,three", key="tag").fix) == 1
    assert len(shop.load("c.csv", f"{KEYED},note", "A-3,Cy,three,x", key="tag").fix) == 1


def test_corrections_after_corrections(shop: Shop) -> None:
    """A row may be corrected again while it needs fixing; each result writes its own file."""
    first = shop.load("a.csv", NAMES, "Ada,1", "Bo,two")
    rows = shop.fix_file(first)
    second = shop.fix(rows, {"two": "2x"})
    assert (second.counts[State.INVALID], shop.names) == (1, ["Ada"])
    shop.fix(second, {"2x": "2"})
    shop.fix(rows, {"two": "2"})
    assert shop.names == ["Ada", "Bo"]
    assert (len(first.fix), first.exit_code) == (0, 0)


def test_a_correction_that_was_not_sent_may_be_corrected_again(shop: Shop) -> None:
    """Nothing of it is in the store, so the last correction counts."""
    rows = shop.fix_file(shop.load("a.csv", NAMES, "Ada,1", "Bo,two"))
    shop.store.fault_of = {2: "401"}.get
    shop.fix(rows, {"two": "2"})
    shop.store.fault_of = lambda number: None
    shop.fix(rows, {"two": "3"})
    assert {pet["name"]: pet["categoryId"] for pet in shop.pets} == {"Ada": 1, "Bo": 3}


def test_a_row_that_the_store_rejected_may_be_corrected_more_than_once(shop: Shop) -> None:
    """Each correction is a request of its own, until one is accepted."""
    shop.store.fault_of = {2: "400", 3: "400"}.get
    first = shop.load("a.csv", NAMES, "Ada,1", "Bo,2")
    rows = shop.fix_file(first)
    assert shop.fix(rows, {"Bo": "Bob"}).counts[State.REJECTED] == 1
    shop.fix(rows, {"Bo": "Bobby"})
    assert (shop.names, first.exit_code) == (["Ada", "Bobby"], 0)


def test_a_later_correction_of_a_cell_replaces_an_earlier_one(shop: Shop) -> None:
    """When the file is read again, the last correction of each cell applies."""
    rows = shop.fix_file(shop.load("a.csv", NAMES, "Ada,1", "Bo,two"))
    shop.store.fault_of = lambda number: "401"
    for text in ("5", "2"):
        shop.fix(rows, {"two": text})
    shop.store.fault_of = lambda number: None
    shop.load("a.csv")
    assert {pet["name"]: pet["categoryId"] for pet in shop.pets} == {"Ada": 1, "Bo": 2}


def test_the_last_correction_of_a_key_applies_to_a_later_file(shop: Shop) -> None:
    """Two files had the same mistake, and people answered it differently."""
    row = "A-3,Cy,three"
    first = shop.fix_file(shop.load("a.csv", KEYED, row, key="tag"))
    second = shop.fix_file(shop.load("b.csv", KEYED, row, "A-4,Di,4", key="tag"))
    shop.store.fault_of = lambda number: "401"
    shop.fix(first, {"three": "5"})
    shop.fix(second, {"three": "3"})
    shop.store.fault_of = lambda number: None
    shop.load("c.csv", KEYED, row, "A-5,Ed,5", key="tag")
    assert {pet["name"]: pet["categoryId"] for pet in shop.pets}["Cy"] == 3


def test_a_row_that_was_sent_is_not_corrected_into_another(shop: Shop) -> None:
    """Its pet cannot be changed: with other values, they are listed as changed."""
    rows = keyed(shop)
    shop.fix(rows, {"one": "1", "three": "3"})
    result = shop.fix(rows, {"one": "5", "three": "3"})
    assert sorted(pet["categoryId"] for pet in shop.pets) == [1, 2, 3]
    assert result.changed["changed"].tolist() == ["category_id: 1 → 5"]


def test_the_name_of_a_row_that_was_sent_may_be_corrected(shop: Shop) -> None:
    """Only another name and another category together are another animal."""
    rows = keyed(shop)
    shop.fix(rows, {"one": "1", "three": "3"})
    result = shop.fix(rows, {"Ada": "Adah", "one": "1", "three": "3"})
    assert (shop.names, rejected(result)) == (["Ada", "Bo", "Cy"], [])
    assert result.changed["changed"].tolist() == ["name: Ada → Adah"]


# What people do to the rows


def test_a_row_that_was_dragged_is_rejected(shop: Shop) -> None:
    """It names a row that was sent as another animal; both are named, and nothing is changed."""
    result = shop.load("a.csv", NAMES, "Ada,one", "Bo,2", "Cy,3")
    header, row = shop.fix_file(result)
    at = header.index("_pf_row")
    dragged = ["Zoe" if cell == "Ada" else cell for cell in row]
    dragged[at] = row[at][:-1] + "2"
    fixed = shop.fix([header, row, dragged], {"one": "1"})
    ((line, reason),) = rejected(fixed)
    assert (shop.names, line, fixed.exit_code) == (["Ada", "Bo", "Cy"], 3, 1)
    assert "line 3 is 'Bo'" in reason


# Without a key and a name, nothing shows that a row is another animal.
ROWS = [*((row, "tag") for row in range(4)), *((row, ()) for row in range(3))]


@pytest.mark.parametrize(("row", "key"), ROWS)
def test_an_animal_that_was_dragged_onto_a_row_is_not_lost(
    shop: Shop, row: int, key: str | tuple[()]
) -> None:
    """Whatever the row is, it stays what it was, and the animal is added from a file of its own."""
    shop.load("old.csv", KEYED, "A-3,Cy,2", key=key)
    lines = "A-1,Ada,one", "A-2,Bo,2", "B-3,Cy,2", "A-4,,2"
    header, fix, *_ = shop.fix_file(shop.load("a.csv", KEYED, *lines, key=key, max_errors=9))
    name, _, number = fix[header.index("_pf_row")].rpartition("-")
    values = {"tag": "A-9", "name": "New", "categoryId": "2"}
    values["_pf_row"] = f"{name}-{int(number) + row}"
    before = shop.names
    dragged = [values.get(column, cell) for column, cell in zip(header, fix, strict=True)]
    result = load_rows(shop, header, dragged)
    assert (len(rejected(result)), shop.names) == (1, before)
    shop.load("new.csv", KEYED, "A-9,New,2", key=key)
    assert shop.names == sorted([*before, "New"])


def test_a_row_that_was_copied_and_changed_is_rejected(shop: Shop) -> None:
    """Two lines that correct one row in different ways: neither is applied."""
    header, row, _ = keyed(shop)
    other = ["Zoe" if cell == "Ada" else cell for cell in row]
    result = shop.fix([header, row, other], {"one": "1"})
    assert [line for line, _ in rejected(result)] == [2, 3]
    assert (shop.names, result.counts[State.INVALID]) == (["Bo"], 2)


def test_a_row_that_was_copied_counts_once(shop: Shop) -> None:
    """Two equal lines of one row are one correction."""
    header, row, _ = keyed(shop)
    result = shop.fix([header, row, row], {"one": "1"})
    assert (shop.names, rejected(result)) == (["Ada", "Bo"], [])


def test_a_key_with_another_name_and_category_is_rejected(shop: Shop) -> None:
    """A key alone does not make two rows the same animal, as in a load."""
    rows = keyed(shop)
    result = shop.fix(rows, {"Ada": "Zoe", "one": "1", "three": "3"})
    assert (rejected(result), shop.names) == ([], ["Bo", "Cy", "Zoe"])  # its category was wrong
    result = shop.fix(rows, {"Ada": "Eve", "one": "5", "three": "3"})
    assert ([line for line, _ in rejected(result)], shop.names) == ([2], ["Bo", "Cy", "Zoe"])


def test_cells_that_were_cleared_exclude_their_row(shop: Shop) -> None:
    """Such a row is no other animal, and no animal at all."""
    header, ada, cy = keyed(shop)
    ada = ["" if cell in ("A-1", "Ada", "one") else cell for cell in ada]
    result = shop.fix([header, ada, cy], {"three": "3"})
    assert (result.counts[State.EXCLUDED], shop.names) == (1, ["Bo", "Cy"])


def test_rows_that_were_sorted_correct_the_rows_that_they_name(shop: Shop) -> None:
    """The order of the lines does not matter."""
    header, *rows = keyed(shop)
    shop.fix([header, *rows[::-1]], {"one": "1", "three": "3"})
    assert {pet["name"]: pet["categoryId"] for pet in shop.pets} == {"Ada": 1, "Bo": 2, "Cy": 3}


def test_rows_that_were_deleted_still_need_fixing(shop: Shop) -> None:
    """The other rows are corrected."""
    header, row, _ = keyed(shop)
    result = shop.fix([header, row], {"one": "1"})
    assert (shop.names, result.counts[State.INVALID]) == (["Ada", "Bo"], 1)


def test_new_rows_in_a_fix_file_are_refused(shop: Shop) -> None:
    """A line that names no row may be a new animal or a copy, so nothing is sent."""
    header, row, _ = keyed(shop)
    new = ["" if name.startswith("_pf_") else cell for name, cell in zip(header, row, strict=True)]
    with pytest.raises(InputError, match="file of their own"):
        shop.fix([header, row, new], {"one": "1"})
    assert shop.names == ["Bo"]


def test_a_row_that_the_file_does_not_have_is_refused(shop: Shop) -> None:
    """A number that was dragged beyond the last row names nothing."""
    header, row, _ = keyed(shop)
    at = header.index("_pf_row")
    row[at] = row[at].rpartition("-")[0] + "-99"
    with pytest.raises(InputError, match="row 99"):
        load_rows(shop, header, row)


def test_rows_of_two_files_are_refused(shop: Shop) -> None:
    """Each fix file is loaded by itself."""
    header, row = shop.fix_file(shop.load("a.csv", NAMES, "Bo,two", "Ada,1"))
    _, other = shop.fix_file(shop.load("b.csv", NAMES, "Cy,two", "Di,1"))
    with pytest.raises(InputError, match="several files, a"):
        shop.fix([header, row, other], {"two": "2"})
    assert shop.names == ["Ada", "Di"]


# What people do to the columns


@pytest.mark.parametrize("column", ["tag", "_pf_problem", "_pf_hint", "_pf_value"])
def test_a_column_that_was_deleted_changes_nothing(shop: Shop, column: str) -> None:
    """A line is the row that it names, with the cells that it has; so the key stays known."""
    rows = keyed(shop)
    at = rows[0].index(column)
    shop.fix([row[:at] + row[at + 1 :] for row in rows], {"one": "1", "three": "3"})
    assert shop.names == ["Ada", "Bo", "Cy"]
    assert shop.ids == {"A-1": 2, "A-2": 1, "A-3": 3}


def test_a_fix_file_without_its_row_names_is_an_ordinary_file(shop: Shop) -> None:
    """Its animals are known by their keys, so the rows that it corrects are not sent again."""
    rows = keyed(shop)
    at = rows[0].index("_pf_row")
    shop.fix([row[:at] + row[at + 1 :] for row in rows], {"one": "1", "three": "3"})
    assert shop.names == ["Ada", "Bo", "Cy"]
    shop.fix(rows, {"one": "1", "three": "3"})
    assert (shop.load("a.csv", key="tag").exit_code, len(shop.pets)) == (0, 3)


# What only the file shows


@pytest.mark.parametrize("category", ["2", "two"])
def test_a_hidden_row_needs_an_answer_whatever_was_corrected(shop: Shop, category: str) -> None:
    """Another category does not say whether a row that somebody hid is an animal to send."""
    path = shop.write_excel("a.xlsx", NAMES, "Ada,1", f"Bo,{category}")
    book = openpyxl.load_workbook(path)
    book.active.row_dimensions[3].hidden = True
    book.save(path)
    rows = shop.fix_file(shop.load("a.xlsx"))
    assert shop.fix(rows, {category: "3"}).counts[State.INVALID] == 1
    shop.fix(rows, {category: "3", "no: hidden_row": "yes"})
    assert {pet["name"]: pet["categoryId"] for pet in shop.pets} == {"Ada": 1, "Bo": 3}


def test_a_cell_that_could_not_be_read_needs_a_correction(shop: Shop) -> None:
    """A line that leaves it as it is does not say what it should contain."""
    path = shop.write_excel("a.xlsx", NAMES, "Ada,1", "True,two")
    book = openpyxl.load_workbook(path)
    book.active["A3"] = True
    book.save(path)
    rows = shop.fix_file(shop.load("a.xlsx"))
    assert shop.fix(rows, {"two": "2"}).counts[State.INVALID] == 1
    assert shop.names == ["Ada"]


def test_a_column_that_was_renamed_is_refused(shop: Shop) -> None:
    """Its corrections would be lost."""
    header, *rows = keyed(shop)
    header = ["kind" if name == "categoryId" else name for name in header]
    with pytest.raises(InputError, match="kind"):
        shop.fix([header, *rows], {"one": "1"})


def test_columns_in_another_order_are_the_same(shop: Shop) -> None:
    """Each cell is read by the name of its column."""
    rows = [row[::-1] for row in keyed(shop)]
    shop.fix(rows, {"one": "1", "three": "3"})
    assert {pet["name"]: pet["categoryId"] for pet in shop.pets} == {"Ada": 1, "Bo": 2, "Cy": 3}


def test_other_cells_that_were_changed_are_corrections(shop: Shop) -> None:
    """A name that was corrected as well is the name that is sent."""
    shop.fix(keyed(shop), {"one": "1", "Ada": "Adele", "three": "3"})
    assert shop.names == ["Adele", "Bo", "Cy"]


# What people do to the key


def test_a_key_that_was_removed_needs_fixing(shop: Shop) -> None:
    """Without it, a later file would not know the animal; it can be filled in again."""
    rows = keyed(shop)
    result = shop.fix(rows, {"one": "1", "A-1": "", "three": "3"})
    assert (result.counts[State.INVALID], shop.names) == (1, ["Bo", "Cy"])
    shop.fix(rows, {"one": "1", "three": "3"})
    assert shop.names == ["Ada", "Bo", "Cy"]


def test_a_key_that_was_changed_to_that_of_another_animal_is_rejected(shop: Shop) -> None:
    """The line names the other animal and its file, and its row still needs fixing."""
    rows = keyed(shop)
    result = shop.fix(rows, {"one": "1", "A-1": "A-2", "three": "3"})
    ((line, reason),) = rejected(result)
    assert line == 2 and "'Bo' of a.csv" in reason
    assert (shop.names, result.counts[State.INVALID]) == (["Bo", "Cy"], 1)


def test_a_key_may_be_changed_and_changed_back(shop: Shop) -> None:
    """A key that belongs to the animal of the row itself is no key of another animal."""
    rows = keyed(shop)
    right = {"one": "1", "three": "3"}
    for changes in (right, {**right, "A-1": "A-9"}, right):
        assert rejected(shop.fix(rows, changes)) == []
    assert shop.names == ["Ada", "Bo", "Cy"]


def test_a_key_that_was_missing_is_filled_in(shop: Shop) -> None:
    """The animal then has this key in later files."""
    rows = shop.fix_file(shop.load("a.csv", KEYED, ",Ada,1", "A-2,Bo,2", key="tag"))
    at = rows[0].index("tag")
    rows[1][at] = "A-1"
    load_rows(shop, *rows)
    result = shop.load("b.csv", KEYED, "A-1,Ada,1", "A-3,Cy,3", key="tag")
    assert (shop.names, held(result)) == (["Ada", "Bo", "Cy"], [])


def test_two_rows_that_are_corrected_to_one_key_need_fixing(shop: Shop) -> None:
    """Until they have keys of their own."""
    header, *rows = shop.fix_file(
        shop.load("a.csv", KEYED, ",Ada,1", ",Bo,2", "A-9,Cy,1", key="tag")
    )
    at = header.index("tag")

    def fix(*tags: str) -> pf.LoadResult:
        corrected = [[*row[:at], tag, *row[at + 1 :]] for row, tag in zip(rows, tags, strict=True)]
        return shop.fix([header, *corrected], {})

    assert (fix("A-1", "A-1").counts[State.INVALID], shop.names) == (2, ["Cy"])
    fix("A-1", "A-2")
    assert shop.names == ["Ada", "Bo", "Cy"]


# Programs that save it


def excel(rows: Rows, shop: Shop) -> object:
    """Save it as a workbook, in which numbers are numbers."""
    book = openpyxl.Workbook()
    for number, row in enumerate(rows):
        book.active.append(
            [int(cell) if number and cell.isdecimal() else cell.removeprefix("'") for cell in row]
        )
    book.save(shop.folder / "fixed.xlsx")
    return shop.folder / "fixed.xlsx"


def semicolons(rows: Rows, shop: Shop) -> object:
    """Save it with semicolons in another encoding, as a German Excel does."""
    path = shop.folder / "fixed.csv"
    with path.open("w", encoding="cp1252", newline="") as file:
        csv.writer(file, delimiter=";").writerows(rows)
    return path


def frame(rows: Rows, shop: Shop) -> object:
    """Read it with pandas, which makes numbers of its cells."""
    path = shop.write_rows(*rows)
    return pd.read_csv(path)


@pytest.mark.parametrize("save", [excel, semicolons, frame])
@pytest.mark.parametrize("keys", [("007", "008"), ("1", "2"), ("A-1", "A-2")], ids=str)
def test_a_fix_file_that_another_program_saved(shop: Shop, save, keys: tuple[str, str]) -> None:
    """The keys of the rows stay as the file has them, and nothing is doubled later."""
    lines = f"{keys[0]},Zoë,one", f"{keys[1]},Bo,2"
    rows = shop.fix_file(shop.load("a.csv", KEYED, *lines, key="tag"))
    rows = [["1" if cell == "one" else cell for cell in row] for row in rows]
    options = {"encoding": "cp1252"} if save is semicolons else {}
    pf.load(save(rows, shop), shop.client, journal=shop.journal, progress=False, **options)
    result = shop.load("b.csv", KEYED, f"{keys[0]},Zoë,1", lines[1], "X-9,New,1", key="tag")
    assert (shop.names, held(result)) == (["Bo", "New", "Zoë"], [])


def test_the_sheet_of_a_workbook_of_results(shop: Shop) -> None:
    """``results.xlsx`` has the same fix rows, with headings that people read."""
    result = shop.load("a.csv", KEYED, *THREE, key="tag", max_errors=9)
    result.write(shop.folder / "out")
    path = shop.folder / "out" / "results.xlsx"
    book = openpyxl.load_workbook(path)
    for row in book["Fix"].iter_rows():
        for cell in row:
            cell.value = {"one": 1, "three": 3}.get(cell.value, cell.value)
    book.save(path)
    pf.load(path, shop.client, sheet="Fix", journal=shop.journal, progress=False)
    assert shop.names == ["Ada", "Bo", "Cy"]


def test_a_results_file_sends_nothing_that_its_import_sent(shop: Shop) -> None:
    """Every row of results.csv is a row of the import, whatever its state."""
    shop.store.fault_of = {2: "fin_after"}.get
    result = shop.load("a.csv", NAMES, "Ada,1", "Bo,2", "Cy,x")
    result.write(shop.folder / "out")
    for name in "out/results.csv", "out/unconfirmed.csv":
        shop.load(name)
    assert shop.names == ["Ada", "Bo"]


# Other journals


@pytest.mark.parametrize("has_journal", [False, True])
def test_on_another_computer_a_fix_file_is_an_ordinary_file(shop: Shop, has_journal: bool) -> None:
    """The result says so, and the store shows what was loaded."""
    rows = keyed(shop)
    office = shop.colleague
    if has_journal:
        office.load("b.csv", NAMES, "Zoe,1")
    result = office.fix(rows, {"one": "1", "three": "3"}, key="tag")
    assert finding_of(result, ForeignFixFile) is not None
    assert "Ada" in shop.names and "Cy" in shop.names
    again = office.fix(rows, {"one": "1", "three": "3"}, key="tag")
    assert len(shop.names) == len({*shop.names}) and again.exit_code == 0


def test_a_fix_file_after_its_journal_was_lost(shop: Shop) -> None:
    """Rows that were fixed before equal pets of the store, so they are held back."""
    rows = keyed(shop)
    shop.fix(rows, {"one": "1", "three": "3"})
    shop.lose_journal()
    result = shop.fix(rows, {"one": "1", "three": "3"}, key="tag")
    assert (held(result), shop.names) == ([2, 3], ["Ada", "Bo", "Cy"])


def test_a_fixed_row_that_equals_an_animal_of_another_file_is_held(shop: Shop) -> None:
    """What was corrected is matched like any other row."""
    shop.load("a.csv", NAMES, "Ada,1", "Bo,2")
    rows = shop.fix_file(shop.load("b.csv", NAMES, "Bo,two", "Cy,3"))
    result = shop.fix(rows, {"two": "2"})
    assert (held(result), shop.names) == ([2], ["Ada", "Bo", "Cy"])
    shop.load("b.csv", duplicates="skip")
    assert shop.names == ["Ada", "Bo", "Cy"]


def test_cells_that_were_corrected_on_the_page(shop: Shop) -> None:
    """The dashboard's corrections are stored and applied in the same way."""
    path = shop.write("a.csv", KEYED, *THREE)
    recipe = Recipe(key="tag")
    cells = {(1, "categoryId"): "1", (3, "categoryId"): "3"}
    options = {"journal": shop.journal, "progress": False}
    run_import(path, shop.client, recipe, corrections=cells, **options)
    assert shop.names == ["Ada", "Bo", "Cy"]
    assert len(shop.load("a.csv", key="tag").fix) == 0


def test_a_key_of_another_animal_on_the_page_is_rejected(shop: Shop) -> None:
    """The row still needs fixing, and the result says why."""
    shop.load("old.csv", KEYED, "A-1,Ada,1", key="tag")
    path = shop.write("a.csv", KEYED, ",Bo,2")
    options = {"journal": shop.journal, "progress": False}
    result = run_import(
        path, shop.client, Recipe(key="tag"), corrections={(1, "tag"): "A-1"}, **options
    )
    assert (len(rejected(result)), len(result.fix), shop.names) == (1, 1, ["Ada"])


def test_an_option_reads_what_was_corrected(shop: Shop) -> None:
    """Rows that were invalid, also corrected ones, are sent once an option reads them."""
    rows = "name,categoryId,status", "Ada,1,", "Bo,Dog,", "Cy,3,reserved", "Di,4,kept"
    shop.fix(shop.load("a.csv", *rows), {"reserved": "sold"})
    shop.load("a.csv", *rows, categories={7: "Dog", 3: "Cat"})
    last = shop.load("a.csv", *rows, value_map={"status": {"reserved": "pending", "kept": ""}})
    assert (shop.names, len(last.fix)) == (["Ada", "Bo", "Cy", "Di"], 0)


def test_a_line_may_be_excluded_with_a_fix_file(shop: Shop) -> None:
    """The number is that of the line in the original file."""
    shop.fix(keyed(shop), {"one": "1", "three": "3"}, exclude_lines=[4])
    assert "Cy" not in shop.names


def test_a_fix_file_is_not_held_back(shop: Shop) -> None:
    """A user who corrects one row of four has seen what the others need."""
    result = shop.load("a.csv", NAMES, "Ada,x1", "Bo,x2", "Cy,x3", "Di,x4")
    assert result.exit_code == 4
    shop.fix(result, {"x1": "1"})
    assert shop.names == ["Ada"]


def test_a_dry_run_of_a_fix_file_stores_nothing(shop: Shop) -> None:
    """It shows what the load does, and the corrections are not in the journal."""
    rows = keyed(shop)
    result = shop.fix(rows, {"one": "1", "three": "3"}, dry_run=True)
    assert (result.counts[State.PENDING], shop.names) == (2, ["Bo"])
    assert len(shop.load("a.csv", key="tag").fix) == 2


def test_the_steps_after_a_stopped_load_work_when_pasted(
    shop: Shop, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No variable has the result of a call that raised, so the text says where it is."""
    monkeypatch.chdir(shop.folder)
    path = shop.write("a.csv", NAMES, "Ada,1", "Bo,two", "Cy,1")
    shop.store.fault_of = {2: "401"}.get
    call = {"journal": shop.journal, "progress": False, "workers": 1}
    prompt = InteractiveInterpreter({"pf": pf, "client": shop.client, "call": call, "result": None})
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    prompt.runsource(f"pf.load({str(path)!r}, client, **call)")
    printed = capsys.readouterr().err
    steps = [line.strip() for line in printed.splitlines() if line.startswith("  ")]
    (write,) = [step for step in steps if step.startswith("result.write(")]
    (keep,) = [step for step in steps if step.startswith("import sys;")]
    for step in (keep, write):
        prompt.runsource(step)
    assert "Bo,two" in (shop.folder / "results" / "fix.csv").read_text("utf-8-sig")
