"""Stories of files without a key, and of the same file that is read again."""

from __future__ import annotations

from collections import Counter
from functools import partial

import openpyxl
import pytest

import petstore_frame as pf
from petstore_frame.errors import ArgumentError
from petstore_frame.loader import load_steps
from petstore_frame.loader.findings import EqualToOtherFiles, RepeatedBlocks
from petstore_frame.loader.reconcile import read_store
from petstore_frame.loader.row_state import State
from shop import Shop, finding_of, held, tagged

NAMES = "name,categoryId,status"
TAGS = "tag,name"


def test_a_file_saved_again_continues(shop: Shop) -> None:
    """Line ends, encodings and delimiters do not make another file, also in another place."""
    rows = NAMES, "Zoë,1,sold", "Bo,2,", "Cy,3,"
    shop.load("a.csv", *rows)
    text = "\r\n".join([*rows, ""]).replace(",", ";")
    (shop.folder / "copy.csv").write_bytes(text.encode("utf-16"))
    result = shop.load("copy.csv")
    assert len(shop.pets) == 3 and result.counts[State.CREATED] == 3


def test_the_same_rows_of_a_frame_are_the_same_import(shop: Shop) -> None:
    """They are neither sent again nor held back."""
    for _ in range(2):
        result = shop.pandas("name", "Ada", "Bo")
        assert (shop.names, held(result)) == (["Ada", "Bo"], [])


def test_the_same_bytes_are_the_same_import(shop: Shop) -> None:
    """Read in another encoding, the cells differ and the animals do not."""
    path = shop.folder / "a.csv"
    path.write_bytes(b"name,categoryId\nAda,1\nZo\xeb,1\n")
    load = partial(pf.load, path, shop.client, journal=shop.journal, progress=False)
    load(encoding="cp1251")
    result = load(encoding="cp1252")
    assert len(shop.pets) == 2 and len(result.changed) == 1


def test_each_sheet_of_a_workbook_is_an_import_of_its_own(shop: Shop) -> None:
    """Two sheets of the same bytes have different animals in the same rows."""
    path = shop.write_excel("a.xlsx", "name", "Ada", "Bo")
    book = openpyxl.load_workbook(path)
    for values in (("name", "categoryId"), ("Cy", 1), ("Di", 1)):
        (book["May"] if "May" in book else book.create_sheet("May")).append(values)
    book.save(path)
    load = partial(pf.load, path, shop.client, journal=shop.journal, progress=False)
    load(sheet="Sheet")
    load(sheet="May")
    assert shop.names == ["Ada", "Bo", "Cy", "Di"]


def test_what_was_sent_and_reads_otherwise_now_is_reported(shop: Shop) -> None:
    """Another option of the same file sends nothing again: the other values are listed."""
    rows = "name,a,b,categoryId", "Ada,1,2,9", "Bo,2,3,9", "Cy,3,4,9"
    shop.load("a.csv", *rows, mapping={"category_id": "a"})
    result = shop.load("a.csv", *rows, mapping={"category_id": "b"})
    assert [pet["categoryId"] for pet in shop.pets] == [1, 2, 3]
    assert result.changed["changed"].tolist() == [f"category_id: {n} → {n + 1}" for n in (1, 2, 3)]


def test_rows_that_equal_animals_of_another_file_are_held(shop: Shop) -> None:
    """Two earlier Lunas hold back two rows, whatever their status, and ``skip`` skips as many."""
    shop.load("a.csv", NAMES, "Luna,1,available", "Luna,1,available", "Bo,2,")
    later = NAMES, "Luna,1,sold", "Luna,1,available", "Luna,1,available", "New,1,"
    assert held(shop.load("b.csv", *later)) == [3, 4]
    result = shop.load("b.csv", duplicates="skip")
    assert Counter(shop.names) == {"Luna": 3, "Bo": 1, "New": 1}
    assert (held(result), len(result.changed)) == ([], 0)


def test_rows_of_one_file_are_as_many_animals(shop: Shop) -> None:
    """Without a key, three equal rows of a file are three animals."""
    shop.load("a.csv", "name", "Goldfish", "Goldfish", "Goldfish")
    assert len(shop.pets) == 3


def test_renumbered_categories_are_held(shop: Shop) -> None:
    """Without a key, the names of many animals in other categories are no new animals (I6)."""
    names = [f"Pet {n}" for n in range(5)]
    shop.load("a.csv", "name,categoryId", *(f"{name},1" for name in names))
    assert held(shop.load("b.csv", "name,categoryId", *(f"{name},7" for name in names))) == [
        2, 3, 4, 5, 6,
    ]  # fmt: skip
    assert len(shop.pets) == 5


def test_a_few_names_in_other_categories_are_new_animals(shop: Shop) -> None:
    """Three common names among thirteen rows are no sign that the categories were renumbered."""
    names = ["Luna", "Max", "Bella"]
    shop.load("a.csv", "name,categoryId", *(f"{name},1" for name in names))
    others = [f"Pet {number},2" for number in range(10)]
    later = "name,categoryId", *(f"{name},2" for name in names), *others
    assert held(shop.load("b.csv", *later)) == []


def test_a_block_that_was_pasted_twice_is_listed(shop: Shop) -> None:
    """The result names the lines, and the option that leaves the second block out (I9)."""
    block = "Ada,1,", "Bo,2,", "Cy,3,"
    result = shop.load("a.csv", NAMES, *block, "Di,4,", *block, dry_run=True)
    blocks = finding_of(result, RepeatedBlocks)
    assert blocks is not None and [*map(list, blocks.blocks)] == [[2, 4, 6, 8]]
    shop.load("a.csv", exclude_lines=[6, 7, 8])
    assert shop.names == ["Ada", "Bo", "Cy", "Di"]


def test_equal_rows_below_each_other_are_no_block(shop: Shop) -> None:
    """Twenty goldfish are twenty goldfish."""
    result = shop.load("a.csv", NAMES, *["Goldfish,1,"] * 20)
    assert finding_of(result, RepeatedBlocks) is None


# Copies: as_new=True


def test_twenty_equal_animals_every_week(shop: Shop) -> None:
    """The same file stands for further animals if the user says so, and for no more of them."""
    shop.load("fish.csv", "name", *["Goldfish"] * 20)
    for week in (2, 3):
        for _ in range(2):
            shop.load("fish.csv", as_new=week - 1)
            assert len(shop.pets) == 20 * week
    shop.load("fish.csv")
    assert len(shop.pets) == 60


def test_a_copy_says_how_many_rows_equal_other_animals(shop: Shop) -> None:
    """So a user sees what ``as_new`` in a script does."""
    shop.load("a.csv", "name", "Ada", "Bo")
    result = shop.load("b.csv", "name", "Ada", "Cy", as_new=True)
    equal = finding_of(result, EqualToOtherFiles)
    assert equal is not None and equal.rows == 1
    assert shop.names == ["Ada", "Ada", "Bo", "Cy"]


def test_a_copy_of_animals_with_keys_is_refused(shop: Shop) -> None:
    """A script that always says ``as_new`` would create every known key again."""
    shop.load("a.csv", TAGS, *tagged(0, 5), key="tag")
    with pytest.raises(ArgumentError, match="5 keys of this file belong to animals of other files"):
        shop.load("b.csv", TAGS, *tagged(0, 6), key="tag", as_new=True)
    assert len(shop.pets) == 5


def test_a_copy_of_animals_with_keys_is_continued_by_the_same_call(shop: Shop) -> None:
    """Its keys belong to its own animals."""
    shop.store.fault_of = {3: "401"}.get
    shop.load("a.csv", TAGS, *tagged(0, 5), key="tag", as_new=True)
    shop.store.fault_of = lambda number: None
    shop.load("a.csv", key="tag", as_new=True)
    assert shop.names == [f"Pet {n}" for n in range(5)]


def test_a_copy_of_animals_whose_keys_lost_their_zeros_is_refused(shop: Shop) -> None:
    """The keys may be the same, as everywhere else in the matching."""
    shop.load("a.csv", "tag,name", "1,Ada", key="tag")
    with pytest.raises(ArgumentError, match="1 key of this file belongs to animals"):
        shop.load("b.csv", "tag,name", "001,Ada", "002,Bo", key="tag", as_new=True)
    assert shop.names == ["Ada"]


@pytest.mark.store(page_cap=5)
def test_a_copy_of_animals_that_are_gone_is_allowed(shop: Shop) -> None:
    """A store that was emptied is filled again."""
    for _ in range(2):  # the second time the store shows them
        shop.load("a.csv", TAGS, *tagged(0, 5), key="tag")
    shop.store.pets.clear()
    shop.load("b.csv", TAGS, *tagged(0, 6), key="tag", as_new=True)
    assert shop.names == [f"Pet {n}" for n in range(6)]


# Files that are held back, trials, dry runs


def test_a_file_is_held_back_if_most_of_its_rows_fail_for_one_reason(shop: Shop) -> None:
    """At least three, and more than half of those that were to be sent."""
    shop.load("two.csv", "name,categoryId", "Ada,x", "Bo,x", "Cy,1")
    half = "Di,x,", "Ed,x,", "Flo,x,", "Gus,1,", "Hal,1,", "Ian,1,"
    shop.load("half.csv", "name,categoryId,note", *half)
    assert shop.names == ["Cy", "Gus", "Hal", "Ian"]
    most = "Jo,x,", "Kim,x,", "Lu,x,", "Mo,1,", "Ned,1,", "Otto,1,"
    result = shop.load("most.csv", "name,categoryId,sex", *most, exclude_lines=[7])
    assert (result.exit_code, result.counts[State.PENDING]) == (4, 2)
    assert len(shop.pets) == 4


def test_a_file_is_not_held_back_if_the_user_states_a_limit_of_errors(shop: Shop) -> None:
    """Then its valid rows are sent."""
    shop.load("a.csv", "name,categoryId", "Ada,x", "Bo,x", "Cy,x", "Di,1", max_errors=9)
    assert shop.names == ["Di"]


def test_most_rows_may_fail_if_the_columns_were_loaded_before(shop: Shop) -> None:
    """Only the first file of a header is held back, as it was probably read the wrong way."""
    shop.load("a.csv", "name,categoryId", "Ada,1")
    result = shop.load("b.csv", "name,categoryId", "Bo,x", "Cy,x", "Di,x", "Ed,1")
    assert shop.names == ["Ada", "Ed"] and result.counts[State.INVALID] == 3


def test_a_trial_leaves_the_header_new(shop: Shop) -> None:
    """One pet of a file says little about whether the next file is read the right way."""
    shop.load("a.csv", "name,categoryId", "Ada,1", "Bo,1", max_rows=1)
    assert shop.load("b.csv", "name,categoryId", "Cy,x", "Di,x", "Ed,x", "Flo,1").exit_code == 4
    shop.load("a.csv")
    assert shop.load("b.csv").counts[State.CREATED] == 1
    assert shop.names == ["Ada", "Bo", "Flo"]


def test_a_dry_run_shows_what_the_load_does_and_leaves_no_trace(shop: Shop) -> None:
    """It has no journal of its own, and knows what the journal knows."""
    shop.load("a.csv", TAGS, "A-1,Ada", key="tag", dry_run=True)
    assert not list(shop.journal.rglob("*.sqlite*")) and shop.pets == []
    shop.load("a.csv", key="tag")
    for is_dry_run, state in ((True, State.PENDING), (False, State.CREATED)):
        result = shop.load("b.csv", TAGS, "A-1,Ada", "A-2,Bo", key="tag", dry_run=is_dry_run)
        assert result.frame["state"].tolist() == ["created", state]


def test_a_dry_run_lists_the_same_possible_duplicates(shop: Shop) -> None:
    """What the same call would hold back is listed with the same exit code."""
    shop.load("a.csv", "name", "Ada", "Bo")
    for is_dry_run in (True, True, False):
        result = shop.load("b.csv", "name", "Ada", "Cy", dry_run=is_dry_run)
        assert (held(result), result.exit_code) == ([2], 9)


def test_a_thousand_pages_are_read_before_a_load_or_one_for_each_row(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small file does not read an endless store, and a large one reads as much as it sends."""
    limits = []

    def read(client, on_rows, max_pages, on_wait):
        limits.append(max_pages)
        return read_store(client, on_rows, max_pages, on_wait)

    monkeypatch.setattr(load_steps, "read_store", read)
    shop.load("a.csv", "name", "Ada", dry_run=True)
    shop.load("b.csv", "name", *(f"Pet {n}" for n in range(1200)), dry_run=True)
    assert limits == [1000, 1200]
