"""Stories of files without a key, and of files that come back changed."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest

import petstore_frame as pf
from petstore_frame.errors import DuplicatesError, InputError
from petstore_frame.loader import view_of
from petstore_frame.loader.row_state import State
from shop import Shop

NAMES = "name,categoryId,status"


def test_a_file_saved_again_goes_on(shop: Shop) -> None:
    """Line ends, encodings and delimiters do not make another file, also in another place."""
    rows = NAMES, "Zoë,1,sold", "Bo,2,", "Cy,3,"
    shop.load("a.csv", *rows)
    text = "\r\n".join([*rows, ""]).replace(",", ";")
    (shop.folder / "copy.csv").write_bytes(text.encode("utf-16"))
    result = shop.load("copy.csv")
    assert len(shop.pets) == 3 and result.counts[State.CREATED] == 3


def test_options_that_make_sense_of_a_record_send_it(shop: Shop) -> None:
    """Records that were invalid, also fixed ones, are sent once an option reads them."""
    rows = NAMES, "Ada,1,", "Bo,Dog,", "Cy,3,reserved", "Di,4,kept"
    shop.fix(shop.load("a.csv", *rows), {"reserved": "sold"})
    shop.load("a.csv", *rows, categories={7: "Dog", 3: "Cat"})
    last = shop.load("a.csv", *rows, value_map={"status": {"reserved": "pending", "kept": ""}})
    assert (shop.names, len(last.fix)) == (["Ada", "Bo", "Cy", "Di"], 0)


def test_what_was_sent_and_reads_otherwise_now_is_told(shop: Shop) -> None:
    """Another option of the same file sends nothing again: the other values are listed."""
    rows = "name,a,b,categoryId", "Ada,1,2,9", "Bo,2,3,9", "Cy,3,4,9"
    shop.load("a.csv", *rows, mapping={"category_id": "a"})
    result = shop.load("a.csv", *rows, mapping={"category_id": "b"})
    assert [pet["categoryId"] for pet in shop.pets] == [1, 2, 3]
    assert result.changed["changed"].tolist() == [f"category_id: {n} → {n + 1}" for n in (1, 2, 3)]


def test_rows_of_two_fix_files_in_one_are_two_records(shop: Shop) -> None:
    """Rows pasted together from two imports are known one by one."""
    header, one = shop.fix_file(shop.load("one.csv", NAMES, "Bo,two,", "Ada,1,"))
    _, two = shop.fix_file(shop.load("two.csv", NAMES, "Bo,two,", "Cy,1,"))
    result = shop.fix([header, one, two], {"two": "2"})
    assert (shop.names, result.counts[State.CREATED]) == (["Ada", "Bo", "Bo", "Cy"], 2)


def test_a_copied_line_of_a_fix_file_is_refused(shop: Shop) -> None:
    """A record stands in a file once; nothing of a file with its copy is sent."""
    header, row = shop.fix_file(shop.load("a.csv", NAMES, "Bo,two,", "Ada,1,"))
    with pytest.raises(InputError, match="the same row"):
        shop.fix([header, row, row], {"two": "2"})
    assert shop.names == ["Ada"]


@pytest.mark.parametrize("is_rehearsal", [False, True])
@pytest.mark.parametrize("has_journal", [False, True])
def test_a_fix_row_of_an_unknown_import_is_refused(
    shop: Shop, is_rehearsal: bool, has_journal: bool
) -> None:
    """Without the journal that made it, nobody knows whether its record was fixed already."""
    rows = shop.fix_file(shop.load("a.csv", NAMES, "Bo,two,", dry_run=is_rehearsal))
    office = shop if is_rehearsal else shop.colleague
    if has_journal:
        office.load("b.csv", NAMES, "Cy,1,")
    with pytest.raises(InputError):
        office.fix(rows, {"two": "2"})
    assert "Bo" not in shop.names


def test_a_fixed_row_that_equals_an_earlier_one_is_asked_about(shop: Shop) -> None:
    """What was fixed is compared, too: with other files, not with the other rows of its own."""
    rows = NAMES, "Ada,1,", "Bo,two,"
    shop.fix(shop.load("a.csv", *rows), {"two": "2"})
    shop.load("a.csv", *rows)
    result = shop.load("b.csv", NAMES, "Bo,two,", "Cy,3,", "Di,4,", "Di,four,")
    with shop.asks("same_content"):
        shop.fix(result, {"two": "2", "four": "4"})
    shop.fix(result, {"two": "2", "four": "4"}, duplicates="skip")
    assert shop.names == ["Ada", "Bo", "Cy", "Di", "Di"]


def test_a_results_file_sends_nothing_that_its_import_sent(shop: Shop) -> None:
    """Every row of results.csv is a record of the import, whatever its state."""
    shop.store.fault_of = {2: "fin_after"}.get
    result = shop.load("a.csv", NAMES, "Ada,1,", "Bo,2,", "Cy,x,")
    result.write(shop.folder / "out")
    for name in "out/results.csv", "out/unconfirmed.csv":
        shop.load(name)
    assert shop.names == ["Ada", "Bo"]


def test_a_question_counts_what_each_answer_does(shop: Shop) -> None:
    """How many, beside which earlier record of which file, and which column may be the key."""
    shop.load("a.csv", "tag,name,status", "A,Ada,", "B,Bo,sold", "C,Cy,")
    with pytest.raises(DuplicatesError) as asked:
        shop.load("b.csv", "tag,name,status", "A,Ada,sold", "B,Bo,sold", "C,Cy,", "D,Di,")
    question = asked.value.question
    (case,) = question.cases
    assert (case.name, case.rows) == ("same_content", 3)
    assert question.likely is not None and question.likely.column == "tag"
    assert (question.if_skip[State.PENDING], question.if_create[State.PENDING]) == (1, 4)
    assert {example.source for example in case.examples} == {"a.csv"}
    assert "b.csv" in str(asked.value) and len(shop.pets) == 3


def test_skip_compares_as_a_multiset(shop: Shop) -> None:
    """Two earlier Lunas are no more than two of the new ones, with whatever status."""
    shop.load("a.csv", NAMES, "Luna,1,available", "Luna,1,available", "Bo,2,")
    later = NAMES, "Luna,1,sold", "Luna,1,available", "Luna,1,available", "New,1,"
    result = shop.load("b.csv", *later, duplicates="skip")
    assert Counter(shop.names) == {"Luna": 3, "Bo": 1, "New": 1}
    assert (result.counts[State.EXCLUDED], len(result.changed)) == (2, 0)


def test_what_was_skipped_is_sent_when_the_user_says_so_later(shop: Shop) -> None:
    """Ducks of Tuesday are other ducks, after all: said by name, once; a plain word reverses none.

    A third call sends nothing more, and what was created stays.
    """
    shop.load("a.csv", NAMES, *["Duck,9,"] * 4)
    tuesday = NAMES, *["Duck,9,"] * 3
    for answer in ("skip", "create"):
        shop.load("b.csv", *tuesday, duplicates=answer)
        assert len(shop.pets) == 4
    for answer in ("create", "create", "skip"):
        result = shop.load("b.csv", *tuesday, duplicates={"same_content": answer})
        assert len(shop.pets) == 7
    assert view_of(result).summary["facts"]["stays_created"] == [2, 3, 4]


@pytest.mark.parametrize("answer", [{"key": "tag"}, {"key": "", "duplicates": "skip"}], ids=str)
def test_what_was_not_sent_is_as_the_file_says(shop: Shop, answer: dict) -> None:
    """A row that was not sent takes its corrected values; what no row equals is asked about."""
    rows = [f"T{number},Pet {number},1" for number in range(10)]
    shop.store.fault_of = {5: "401"}.get
    shop.load("a.csv", "tag,name,categoryId", *rows, **answer)
    shop.load("a.csv", "tag,name,categoryId", *rows[:7], "T7,Pet 7,2", rows[9], **answer)
    resume = partial(pf.resume_loads, shop.client, journal=shop.journal, progress=False)
    with shop.asks("unsent"):
        resume()
    resume(duplicates={"unsent": "skip"})
    assert Counter(pet["categoryId"] for pet in shop.pets) == {1: 8, 2: 1}
    assert shop.names == [f"Pet {number}" for number in range(10) if number != 8]


@pytest.mark.parametrize("sent", [0, 1])
def test_a_frame_that_was_cut_short_comes_back_corrected(shop: Shop, sent: int) -> None:
    """What equals its rows moves to the later file; what does not is not sent unasked."""
    shop.store.fault_of = {sent + 1: "401"}.get
    shop.pandas("name,categoryId", "Ada,1", "Bo,1", "Cy,1")
    corrected = "name,categoryId", "Ada,1", "Bo,2", "Cy,1"
    if sent:
        with shop.asks("same_content"):
            shop.load("a.csv", *corrected)
    result = shop.load("a.csv", *corrected, duplicates="skip")
    assert view_of(result).summary["facts"]["moved"] == ([4] if sent else [2, 4])
    with shop.asks("unsent"):
        pf.resume_loads(shop.client, journal=shop.journal, progress=False)
    answers = {"unsent": "skip"}
    pf.resume_loads(shop.client, journal=shop.journal, progress=False, duplicates=answers)
    assert {pet["name"]: pet["categoryId"] for pet in shop.pets} == {"Ada": 1, "Bo": 2, "Cy": 1}
    assert len(shop.pets) == 3
