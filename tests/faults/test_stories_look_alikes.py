"""Stories of weekly files that look the same to a person."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from petstore_frame.errors import ArgumentError
from petstore_frame.loader.row_state import State
from shop import Shop, held

TAGS = "tag,name"
QUOTE = '"'
SPELLINGS = {  # of the key A-7 and its number
    "zero-width space": "{key}\u200b", "left-to-right mark": "{key}\u200e",
    "byte order mark": "\ufeff{key}", "soft hyphen": "{key}\u00ad", "word joiner": "{key}\u2060",
    "embedding": "\u202a{key}", "formula": '="{key}"', "apostrophe": "'{key}",
    "entity": "{key}&nbsp;", "en dash": "A\u2013{n}", "hyphen": "A\u2011{n}", "minus": "A\u2212{n}",
    "Cyrillic": "\u0410-{n}", "braces": "{{{key}}}", "star": "{key}*", "capitals": "a-{n}",
    "width": "\uff21-{n}", "spaces": "A -{n}", "zeros": "A-00{n}",
}  # fmt: skip
NAME_SPELLINGS = ["*{}", "{} ~", "({})", "{}\u200b", "{}  ", "\u00a0{}", "{0}", "\u2019{}"]


def test_a_key_that_looks_the_same(shop: Shop) -> None:
    """Its key alone holds it back; ``skip`` makes it a key of its animal."""
    keys = {f"A-{n}": spelling.format(key=f"A-{n}", n=n)
            for n, spelling in enumerate(SPELLINGS.values(), 1)}  # fmt: skip
    shop.load("a.csv", TAGS, *(f"{key},Pet" for key in keys), key="tag")
    later = [*(f'"{key.replace(QUOTE, 2 * QUOTE)}",Pet' for key in keys.values()), "Z-99,New"]
    possible = shop.load("b.csv", TAGS, *later, key="tag").possible_duplicates
    lines = {*possible["line"][possible["table_line"] == 4]}
    assert [name for line, name in enumerate(SPELLINGS, 2) if line not in lines] == []
    shop.load("b.csv", key="tag", duplicates="skip")
    last = shop.load("c.csv", TAGS, *later, "Z-96,Last", key="tag")
    assert (len(shop.names), held(last)) == (len(keys) + 2, [])


DATES = {  # how two programs write the dates of a key
    "ISO, then day first": ("2026-05-{:02}", "{:02}.05.2026"),
    "ISO, then month first": ("2026-05-{:02}", "05/{:02}/2026"),
    "a date, then the number of its day": ("2026-05-{:02}", "461{:02}"),
}


@pytest.mark.parametrize("key", [["tag"], ["name", "tag"]], ids=str)
@pytest.mark.parametrize(("before", "after"), DATES.values(), ids=DATES)
def test_a_date_in_a_key_is_its_day(shop: Shop, before: str, after: str, key: list[str]) -> None:
    """Whatever the format, the animal of that day is held back, not doubled (B1, B2)."""
    first_day = 43 if after.startswith("461") else 1  # 46143 is 1 May 2026
    rows = [f"{before.format(n)},Pet {n}" for n in range(1, 5)]
    name = "Pet" if "name" in key else "Other"
    later = [f"{after.format(first_day + n - 1)},{name} {n}" for n in range(1, 5)]
    for first, second in ((rows, later), (later, rows)):
        shop.lose_journal()
        shop.store.pets.clear()
        shop.load("a.csv", TAGS, *first, key=key)
        assert held(shop.load("b.csv", TAGS, *second, key=key)) == [2, 3, 4, 5]
        assert len(shop.pets) == 4


ZEROS = [("90.750", "90.75"), ("101.10", "101.1"), ("981020000000001", "9.81020000000001E+14")]


@pytest.mark.parametrize(("before", "after"), ZEROS)
def test_a_number_that_a_spreadsheet_wrote_otherwise(shop: Shop, before: str, after: str) -> None:
    """Zeros that it dropped, and digits that it rounded, are no new animal (B3)."""
    for first, second in ((before, after), (after, before)):
        shop.lose_journal()
        shop.store.pets.clear()
        shop.load("a.csv", TAGS, f"{first},Ada", key="tag", max_errors=9)
        result = shop.load("b.csv", TAGS, f"{second},Ada", "Z,New", key="tag", max_errors=9)
        assert shop.names.count("Ada") == 1
        assert result.counts[State.POSSIBLE_DUPLICATE] + len(result.fix) <= 1


def test_two_rows_of_a_file_that_look_the_same(shop: Shop) -> None:
    """Two keys that differ only in a character that nobody sees may be one."""
    rows = TAGS, "A-1,Ada", "A-1\u200b,Ada", "B-1,Bo"
    assert held(shop.load("a.csv", *rows, key="tag")) == [3]
    assert held(shop.load("a.csv", key="tag", duplicates="skip")) == []
    assert shop.names == ["Ada", "Bo"]


def test_a_name_that_looks_the_same(shop: Shop) -> None:
    """Without a key, under another file name."""
    numbers = range(len(NAME_SPELLINGS))
    shop.load("a.csv", "name", *(f"Pet O'{n}" for n in numbers))
    later = [spelling.format(f"PET O\u2019{n}") for n, spelling in enumerate(NAME_SPELLINGS)]
    result = shop.load("b.csv", "name", *later, allow=["wrapped_names"])
    assert held(result) == [n + 2 for n in numbers]


@pytest.mark.parametrize(("name", "pet"), [("Zoë", "ZOE"), ("ADA", "Ada"), ("Bo", "Bò")])
def test_a_pet_whose_name_looks_the_same(shop: Shop, name: str, pet: str) -> None:
    """Names are compared as a person reads them, in the file and in the store."""
    shop.store.add({"name": pet, "categoryId": 1})
    assert held(shop.load("a.csv", "name", name)) == [2]


@pytest.mark.parametrize("option", ["exclude_lines", "as_new"])
def test_a_line_that_the_file_does_not_have_is_refused(shop: Shop, option: str) -> None:
    """Else the row that was meant would be sent."""
    with pytest.raises(ArgumentError, match="99"):
        shop.load("a.csv", TAGS, "A,Ada", key="tag", **{option: [99]})
    assert shop.names == []


def test_an_interrupt_ends_a_reading_of_the_store(shop: Shop) -> None:
    """Within one page, and nothing of the load is left in the journal."""
    shop.store.page_cap = 5
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
