"""Stories of weekly files that look the same to a person, and of answers that are taken back."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

import petstore_frame as pf
from petstore_frame.errors import ArgumentError, DuplicatesError
from petstore_frame.loader import view_of
from petstore_frame.loader.row_state import State
from shop import Shop

TAGS = "tag,name"
SPELLINGS = {
    "zero-width space": "{}\u200b", "left-to-right mark": "{}\u200e", "byte order mark": "\ufeff{}",
    "soft hyphen": "{}\u00ad", "word joiner": "{}\u2060", "embedding": "\u202a{}",
    "formula": '="{}"', "apostrophe": "'{}", "entity": "{}&nbsp;", "en dash": "A\u2013{0[2]}",
    "hyphen": "A\u2011{0[2]}", "minus": "A\u2212{0[2]}", "Cyrillic": "\u0410-{0[2]}",
    "braces": "{{{}}}", "star": "{}*", "prefix": "AUS-{}", "suffix": "{}/26",
}  # fmt: skip
NAME_SPELLINGS = ["*{}", "{} ~", "({})", "{}\u200b", "{}  ", "\u00a0{}", "{0}", "\u2019{}"]


# Its listing has a known end.
pytestmark = pytest.mark.store(page_cap=5)


def tagged(count: int, spelling: str = "{}") -> list[str]:
    cells = (spelling.format(f"A-{number}") for number in range(1, count + 1))
    return [
        '"{}",Pet {}'.format(cell.replace('"', '""'), number)
        for number, cell in enumerate(cells, 1)
    ]


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize("count", [1, 5])
def test_a_key_that_looks_the_same_is_asked_about(shop: Shop, spelling: str, count: int) -> None:
    """However few rows there are; skip sends none, and the new spelling is known from then on."""
    shop.load("a.csv", TAGS, *tagged(count), key="tag")
    later = TAGS, *tagged(count, spelling), "Z-99,New", "Z-98,Newer", "Z-97,Newest"
    with shop.asks("similar_key"):
        shop.load("b.csv", *later, key="tag")
    shop.load("b.csv", *later, key="tag", duplicates="skip")
    shop.load("c.csv", *later, "Z-96,Last", key="tag")
    assert len(shop.names) == len({*shop.names}) == count + 4


RESPELLED = {  # a key, and how the next file writes it
    "groups of digits": ("276098{:09}", lambda key: re.sub("...(?!$)", r"\g<0> ", key)),
    "a space in the digits": ("KA-{:04}", lambda key: f"{key[:5]} {key[5:]}"),
    "a prefix": ("KA-{:04}", lambda key: f"DE{key}"),
    "the letter O": ("KA-{:04}", lambda key: key.replace("0", "O")),
}  # fmt: skip


@pytest.mark.parametrize(("pattern", "respell"), RESPELLED.values(), ids=RESPELLED)
@pytest.mark.parametrize("count", [2, 12])
def test_a_respelled_key_of_an_equal_animal_is_asked_about(
    shop: Shop, pattern: str, respell: Callable[[str], str], count: int
) -> None:
    """Whether all keys of a file have another spelling or two; skip adds it to its animal."""
    keys = [pattern.format(1001 + 13 * number) for number in range(15)]
    shop.load("a.csv", TAGS, *(f"{key},Pet {n}" for n, key in enumerate(keys[:12])), key="tag")
    keys = [respell(key) if n < count else key for n, key in enumerate(keys)]
    later = TAGS, *(f"{key},Pet {n}" for n, key in enumerate(keys))
    with shop.asks("similar_key"):
        shop.load("b.csv", *later, key="tag")
    shop.load("b.csv", *later, key="tag", duplicates="skip")
    shop.load("c.csv", *later, "X-1,New", key="tag")
    assert len(shop.names) == len({*shop.names}) == 16


def test_two_rows_of_a_file_that_look_the_same_are_asked_about(shop: Shop) -> None:
    """Two keys that differ only in a character that nobody sees may be one."""
    rows = TAGS, "A-1,Ada", "A-1\u200b,Ada", "B-1,Bo"
    with shop.asks("similar_key"):
        shop.load("a.csv", *rows, key="tag")
    shop.load("a.csv", *rows, key="tag", duplicates="skip")
    assert shop.names == ["Ada", "Bo"]


@pytest.mark.parametrize("spelling", NAME_SPELLINGS)
def test_a_name_that_looks_the_same_is_asked_about(shop: Shop, spelling: str) -> None:
    """Without a key, under another file name."""
    shop.load("a.csv", "name", *[f"Pet O'{n}" for n in range(10)])
    later = [spelling.format(f"PET O\u2019{n}") for n in range(10)]
    with shop.asks("same_content"):
        shop.load("b.csv", "name", *later)


def test_content_is_compared_on_every_load(shop: Shop) -> None:
    """Advice that was printed earlier, and is followed late, doubles nothing."""
    rows = [f"A-{n},Pet {n}" for n in range(8)]
    shop.load("a.csv", "name", *(f"Pet {n}" for n in range(5)))
    shop.load("b.csv", TAGS, *rows[5:7], key="tag")
    with shop.asks("same_content"):
        shop.load("c.csv", "tag,name,note", *(f"{row},x" for row in rows), key="tag")
    shop.load("c.csv", key="tag", duplicates="skip")
    shop.load("d.csv", TAGS, *rows)
    assert len(shop.names) == len({*shop.names}) == 8


def test_a_certain_key_is_asked_for_before_sending(shop: Shop) -> None:
    """Where a column numbers animals and its values repeat; the answer is remembered."""
    rows = [f"A-{n},Pet {n}" for n in range(3)] * 2
    with shop.asks():
        shop.load("a.csv", "animal_id,name", *rows)
    shop.load("a.csv", "animal_id,name", *rows, key="animal_id")
    assert shop.names == ["Pet 0", "Pet 1", "Pet 2"]
    shop.load("b.csv", "animal_id,name", *rows, "A-9,New")
    assert len(shop.names) == 4


def test_a_likely_key_is_named_after_a_load(shop: Shop) -> None:
    """Its facts are shown with a placeholder, because nothing proves it."""
    result = shop.load("a.csv", "Ref,name", "X1,Ada", "X2,Bo", "X3,Cy", "X3,Di")
    assert shop.names == ["Ada", "Bo", "Cy", "Di"]
    assert "Ref: 3 different values in 4 rows, 1 value has several names" in str(result)
    assert "add key='?'" in str(result)
    assert "may identify" not in str(shop.load("a.csv", key="", as_new=True))


def test_a_key_that_is_named_late_is_read_from_the_earlier_files(shop: Shop) -> None:
    """Advice that is followed a week later doubles nothing, and needs no question."""
    rows = [f"A-{n},Pet {n}" for n in range(8)]
    shop.load("a.csv", TAGS, *rows[:5], key="")
    shop.load("b.csv", TAGS, *rows[5:], *rows[:2], key="tag")
    assert len(shop.names) == len({*shop.names}) == 8


def test_a_key_that_repeats_in_an_earlier_file_is_decided_first(shop: Shop) -> None:
    """The text says where it repeats, and no answer is offered that needs the key first."""
    header = "animal_id,name"
    shop.load("a.csv", header, *(f"A-{n},Pet {n}" for n in range(10)))
    later = header, *(f"A-{n},Pet {n}" for n in range(14))
    for answer in ({}, {"duplicates": "skip"}):
        with pytest.raises(DuplicatesError, match="an earlier file with the same") as asked:
            shop.load("b.csv", *later, **answer)
        steps = asked.value.question.answers()
        assert [dict(step.add) for step in steps] == [{"key": "animal_id"}, {"key": ""}]
    shop.load("b.csv", *later, key="animal_id")
    assert len(shop.names) == 14


def test_a_key_that_repeats_in_the_next_file_is_asked_for_then(shop: Shop) -> None:
    """The animals of the earlier file get the keys of their rows."""
    shop.load("a.csv", "animal_id,name,sex", "A-1,Ada,f", "A-2,Bo,m")
    with shop.asks("same_content"):
        shop.load("b.csv", "animal_id,name,sex", "A-1,Ada,f", "A-3,Cy,m")
    with shop.asks():
        shop.load("b.csv", "animal_id,name,sex", "A-1,Adele,f", "A-3,Cy,m")
    shop.load("b.csv", "animal_id,name,sex", "A-1,Ada,x", "A-3,Cy,m", key="animal_id")
    assert shop.names == ["Ada", "Bo", "Cy"]
    shop.load("c.csv", "animal_id,name,sex", "A-1,Ada,y", "A-3,Cy,y")
    assert shop.names == ["Ada", "Bo", "Cy"]


def test_no_key_is_an_answer_as_well(shop: Shop) -> None:
    """It is remembered for the next files of this header."""
    rows = "animal_id,name", "A-1,Ada", "A-2,Bo", "A-1,Ada"
    shop.load("a.csv", *rows, key="")
    shop.load("b.csv", "animal_id,name", "A-1,Zoe", "A-1,Zoe")
    assert shop.names == ["Ada", "Ada", "Bo", "Zoe", "Zoe"]


def test_two_arrivals_a_day_on_two_machines(shop: Shop) -> None:
    """A match that is half of what is left is never too few to ask about."""
    other = shop.colleague
    for day in range(4):
        rows = [f"{day}-{n},Pet {day}-{n}" for n in range(2)]
        other.load(f"{day}.csv", TAGS, *rows, key="tag", duplicates="skip")
        mine = [f"M{day}-1,Pet {day}-1", f"M{day}-2,Own {day}"]
        with shop.asks("in_store"):
            shop.load(f"{day}.csv", TAGS, *mine, key="tag")
        shop.load(f"{day}.csv", key="tag", duplicates="skip")
    assert len(shop.names) == len({*shop.names}) == 12


ANSWERED = {
    "similar_key": ("A-1,Ada", "A-1*,Ada"),
    "reused_key": ("A-1,Ada,1", "A-1,Zoe,2"),
    "same_content": ("A-1,Ada", "A-7,Ada"),
    "in_store": (None, "A-1,Ada"),
}


@pytest.mark.parametrize("case", ANSWERED)
def test_skip_is_taken_back_by_name(shop: Shop, case: str) -> None:
    """A plain word never does; the row is created once, and stays when skip is named again."""
    earlier, later = ANSWERED[case]
    header = "tag,name,categoryId" if case == "reused_key" else TAGS
    if earlier is None:
        shop.store.add({"name": "Ada", "categoryId": 1})
    else:
        shop.load("a.csv", header, earlier, key="" if case == "same_content" else "tag")
    key = {"key": "tag"}
    with shop.asks(case):
        shop.load("b.csv", header + ",note", later + ",x", **key)
    for answer, pets in (
        ("skip", 1),
        ("create", 1),
        ({case: "create"}, 2),
        ({case: "create"}, 2),
        ("skip", 2),
        ({case: "skip"}, 2),
    ):
        shop.load("b.csv", header + ",note", later + ",x", **key, duplicates=answer)
        assert len(shop.pets) == pets, answer


def test_an_answer_about_lost_pets_is_taken_back(shop: Shop) -> None:
    """Who said that they were removed may still have them created again, by name."""
    shop.load("a.csv", TAGS, *tagged(6), key="tag")
    shop.load("a.csv", key="tag")
    shop.store.pets.clear()
    with shop.asks("gone"):
        shop.load("a.csv", key="tag")
    shop.load("a.csv", key="tag", duplicates={"gone": "skip"})
    assert shop.load("a.csv", key="tag", duplicates="create").counts[State.GONE] == 6
    shop.load("a.csv", key="tag", duplicates={"gone": "create"})
    assert len(shop.names) == len({*shop.names}) == 6


def test_the_question_shows_the_name_that_the_store_has_now(shop: Shop) -> None:
    """Many pets with another name may be other animals: a person sees both names."""
    shop.load("a.csv", TAGS, *tagged(9), key="tag")
    shop.load("a.csv", key="tag")
    for pet_id in (1, 2, 3):
        shop.store.pets[pet_id]["name"] = f"Renamed {pet_id}"
    with pytest.raises(DuplicatesError, match=r"Pet 1.*Renamed 1, .*\(pet 1\)"):
        shop.load("a.csv", key="tag")


def test_few_lost_pets_are_listed_and_can_be_created_again(shop: Shop) -> None:
    """With names and files, also if the file has only new rows; by name they are sent again."""
    shop.load("a.csv", TAGS, *tagged(15), key="tag")
    shop.load("a.csv", key="tag")
    for pet_id in (1, 2, 3):
        del shop.store.pets[pet_id]
    result = shop.load("a.csv", key="tag")
    assert view_of(result).summary["facts"]["gone_few"] == [2, 3, 4]
    assert "Pet 1, Pet 2, Pet 3 of a.csv" in str(result)
    assert "duplicates={'gone': 'create'}" in str(result)
    new = view_of(shop.load("new.csv", TAGS, "Z-1,Zoe", key="tag")).summary["facts"]
    assert [lost["name"] for lost in new["not_shown_animals"]] == ["Pet 1", "Pet 2", "Pet 3"]
    assert {lost["source"] for lost in new["not_shown_animals"]} == {"a.csv"}
    shop.load("a.csv", key="tag", duplicates={"gone": "create"})
    assert len(shop.names) == len({*shop.names}) == 16


def test_few_lost_pets_are_named_with_their_own_files(shop: Shop) -> None:
    """An animal is named with the file that it was loaded from, not the one that lists it."""
    shop.load("a.csv", TAGS, *tagged(10), key="tag")
    shop.load("b.csv", TAGS, *tagged(20), key="tag")
    shop.load("b.csv", key="tag")
    for pet_id in (1, 12):
        del shop.store.pets[pet_id]
    result = shop.load("b.csv", key="tag")
    lost = view_of(result).summary["facts"]["gone_few_animals"]
    assert [(animal["name"], animal["source"]) for animal in lost] == [
        ("Pet 1", "a.csv"),
        ("Pet 12", "b.csv"),
    ]
    assert "Pet 1 of a.csv; Pet 12 of b.csv" in str(result)


@pytest.mark.parametrize("has_new_rows_only", [True, False])
def test_lost_pets_of_an_assumed_listing_are_listed(shop: Shop, has_new_rows_only: bool) -> None:
    """A page that may be cut asks nothing; each animal is named, and so is the assumption."""
    shop.store.page_cap = 100  # one page, without a sign that it is the last
    shop.load("a.csv", TAGS, *tagged(20), key="tag")
    shop.load("a.csv", key="tag")
    shop.store.restore(2, ids_again=False)
    if has_new_rows_only:
        result = shop.load("b.csv", TAGS, "Z-1,Zoe", key="tag")
    else:
        result = shop.load("a.csv", key="tag")
    text = str(result)
    assert all(f"Pet {number}" in text for number in range(3, 21))
    assert "of a.csv" in text
    assert "complete only if the store fills each page up to the requested limit" in text
    shop.load("a.csv", key="tag", duplicates={"gone": "skip"})
    assert "fills each page" not in str(shop.load("a.csv", key="tag"))


@pytest.mark.parametrize("count", [3, 5, 6])
def test_a_small_store_that_can_be_paged_asks_about_lost_pets(tmp_path: Path, count: int) -> None:
    """Three pets are enough for windows of two rows, which show where the listing ends."""
    store = pf.testing.fake_store()
    shop = Shop(tmp_path, store.client())
    shop.load("a.csv", TAGS, *tagged(20), key="tag")
    shop.load("a.csv", key="tag")
    kept = pf.testing.fake_store(store.pets[:count])
    store._pets = kept._pets  # somebody removed all others
    with pytest.raises(DuplicatesError) as asked:
        shop.load("a.csv", key="tag")
    assert [(case.name, case.rows) for case in asked.value.question.cases] == [("gone", 20 - count)]


@pytest.mark.parametrize("word", ["none", "unknown", "0", "TBD", "n/a", "-", "?"])
def test_a_word_is_no_key(shop: Shop, word: str) -> None:
    """The next animal without a chip needs fixing; it is not the one before it."""
    shop.load("a.csv", TAGS, f"{word},Ada", key="tag")
    result = shop.load("b.csv", TAGS, f"{word},Bo", "A-1,Cy", key="tag")
    assert (shop.names, result.counts[State.INVALID]) == (["Ada", "Cy"], 1)
    both = shop.load("c.csv", TAGS, f"{word},Di", f"{word},Di", "A-2,Ed", key="tag", max_errors=9)
    assert both.counts[State.INVALID] == 2


def test_dates_that_a_spreadsheet_made_of_keys_need_fixing(shop: Shop) -> None:
    """Where the other keys of the column, here or earlier, are no dates."""
    shop.load("a.csv", TAGS, *(f"3-{n},Pet {n}" for n in range(1, 10)), key="tag")
    rows = [f"{n}-Mar,Pet {n}" for n in range(1, 10)]
    result = shop.load("b.csv", TAGS, *rows, key="tag", max_errors=99)
    assert (len(shop.pets), result.counts[State.INVALID]) == (9, 9)


@pytest.mark.parametrize("date", ["2026-11-{:02}T00:00:00", "{}/3/2026", "{}-Mar"])
def test_a_week_of_dates_after_a_week_of_keys_needs_fixing(shop: Shop, date: str) -> None:
    """The keys of this week were converted; none of its rows is sent, as a new animal or not."""
    keys = [f"11-{n},Pet {n}" for n in range(1, 10)]
    shop.load("last_week.csv", TAGS, *keys, key="tag")
    dates = [f"{date.format(n)},Pet {n}" for n in range(1, 10)]
    result = shop.load("this_week.csv", TAGS, *dates, "12-1,New", key="tag", max_errors=99)
    assert shop.names == sorted(["New", *(f"Pet {n}" for n in range(1, 10))])
    assert result.counts[State.INVALID] == 9


def test_keys_of_three_numbers_are_not_dates(shop: Shop) -> None:
    """A number and a year may look like a date, if those of last week do not."""
    shop.load("last_week.csv", TAGS, *(f"{n}/345/2026,Pet {n}" for n in range(1, 10)), key="tag")
    later = [f"{n}/3/2026,New {n}" for n in range(1, 10)]
    assert shop.load("this_week.csv", TAGS, *later, key="tag").counts[State.CREATED] == 9


def test_a_dragged_row_of_a_fix_file_is_another_animal(shop: Shop) -> None:
    """It names the next row, which needed no fix: it is to fix, and nothing of it is lost."""
    result = shop.load("a.csv", "name,categoryId", "Ada,one", "Bo,2", "Cy,3", "Di,4")
    header, row = shop.fix_file(result)
    at = header.index("_pf_row")
    dragged = [cell.replace("Ada", "New") for cell in row]
    dragged[at] = row[at][:-1] + "2"
    fixed = shop.fix([header, row, dragged], {"one": "1"}, max_errors=9)
    assert shop.names == ["Ada", "Bo", "Cy", "Di"]
    assert fixed.counts[State.INVALID] == 1
    assert "'Bo'" in fixed.fix["error_message"].iloc[0]


def test_pets_of_others_are_asked_about_once(shop: Shop) -> None:
    """After create, a store full of pets of others raises no question about them again."""
    for n in range(40):
        shop.store.add({"name": f"Pet {n}", "categoryId": 1})
    asked = 0
    for week in range(4):
        rows = [f"W{week}-{n},Pet {n if n < 3 else 1000 + 100 * week + n}" for n in range(9)]
        try:
            shop.load(f"{week}.csv", TAGS, *rows, key="tag")
        except pf.DuplicatesError:
            asked += 1
            shop.load(f"{week}.csv", key="tag", duplicates={"in_store": "create"})
    assert asked == 1
    assert "twins" not in view_of(shop.load("3.csv", key="tag")).summary["facts"]


def test_a_dead_animal_does_not_become_available(shop: Shop) -> None:
    """Rows are ranked before they are excluded, and equal rows are no tie."""
    rows = [
        "A,Ada,available,2026-05-25,a",
        "A,Ada,available,2026-05-25,b",
        "A,Ada,Euthanized,2026-06-28,a",
        "A,Ada,Euthanized,2026-06-28,b",
    ]
    options = {
        "key": "tag",
        "keep": "last",
        "order_by": "date",
        "exclude": {"status": ["Euthanized"]},
    }
    result = shop.load("a.csv", "tag,name,status,date,note", *rows, **options)
    assert (shop.names, len(result.fix)) == ([], 0)


@pytest.mark.parametrize("key", ['["a', "[unknown]", "[]", '"', "{", "\x00", "null", "\ud83d"])
def test_any_text_may_be_a_key(shop: Shop, key: str) -> None:
    """Nothing in a key makes a journal look damaged."""
    rows = [("Ada", 1, key), ("Bo", 1, "B"), ("Cy", 1, key)]
    frame = pd.DataFrame(rows, columns=["name", "category_id", "tag"], dtype=object)
    load = partial(pf.load, frame, shop.client, key="tag", keep="last", journal=shop.journal)
    for _ in range(2):
        assert load(progress=False, max_errors=9).counts[State.CREATED] <= 2


@pytest.mark.parametrize("option", ["exclude_lines", "as_new"])
def test_a_line_that_the_file_does_not_have_is_refused(shop: Shop, option: str) -> None:
    """Else the row that was meant would be sent."""
    with pytest.raises(ArgumentError, match="99"):
        shop.load("a.csv", TAGS, "A,Ada", key="tag", **{option: [99]})
    assert shop.names == []


def test_an_interrupt_ends_a_reading_of_the_store(shop: Shop) -> None:
    """Within one page, and nothing of the load is left in the journal."""
    for n in range(60):
        shop.store.add({"name": f"Pet {n}", "categoryId": 1})
    list_pets = shop.client.ask_page

    def slow(*args, **options):
        time.sleep(0.2)
        return list_pets(*args, **options)

    shop.client.ask_page = slow
    timer = threading.Timer(0.5, signal_self)
    timer.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        shop.load("a.csv", TAGS, "A,Ada", key="tag")
    assert time.monotonic() - started < 2


def signal_self() -> None:
    """Press Ctrl-C."""
    os.kill(os.getpid(), signal.SIGINT)
