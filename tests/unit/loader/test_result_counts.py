"""The numbers of a result agree with each other, and say what they count."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

import petstore_frame as pf
from petstore_frame.errors import APIConnectionError, NotFoundError
from petstore_frame.loader import view_of
from petstore_frame.loader.results.row_groups import RowGroup
from petstore_frame.testing import FakeStore

HEADER = "tag,name,category_id,status"
COUNTED = "name,category_id,status,count"


class Office:
    """A store, and the files and the journal of one office."""

    def __init__(self, folder: Path, store: FakeStore) -> None:
        self.folder, self.store, self.client = folder, store, store.client()

    def load(self, name: str, header: str = "", *rows: str, **options: Any) -> pf.LoadResult:
        """Load a file of a header and rows, or without them the file that is there."""
        path = self.folder / name
        if header:
            path.write_text("\n".join([header, *rows, ""]))
        default = {"journal": self.folder / "journal", "progress": False}
        return pf.load(str(path), self.client, **default | options)


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path, pf.testing.fake_store())


def animals(*statuses: str) -> list[str]:
    return [f"T{number},Pet {number},1,{status}" for number, status in enumerate(statuses)]


def numbers_below(text: str, heading: str) -> list[int]:
    """Return the numbers of the sentences below a heading."""
    _, _, rest = text.partition(f"{heading}\n")
    sentences = re.match(r"(?:  .*\n?)*", rest)
    assert sentences is not None
    return [int(number) for number in re.findall(r"(?m)^  (\d+) ", sentences[0])]


# Rows with a quantity


def test_rows_with_a_quantity_are_counted_with_their_animals(office: Office) -> None:
    """The headline says rows and animals, and what needs fixing has the same number below it."""
    rows = ["Guppy,1,available,10", "Molly,2,available,5", "Neon,1,x,3"]
    text = str(office.load("q.csv", COUNTED, *rows, quantity="count", key=""))
    assert len(office.store.pets) == 15
    assert "2 rows added (15 animals)" in text and "1 row needs fixing (3 animals)" in text
    assert numbers_below(text, "Rows that need fixing") == [3]
    assert "3 animals need fixing: correct them" in text and "3 rows" not in text


def test_animals_that_a_larger_quantity_adds_are_named(office: Office) -> None:
    """Their rows count as already loaded, so their animals are counted on their own."""
    rows = ["Guppy,1,available,10", "Molly,2,available,5"]
    options = {"quantity": "count", "key": ""}
    office.load("q.csv", COUNTED, *rows, **options)
    result = office.load(
        "q2.csv", COUNTED, "Guppy,1,available,12", rows[1], duplicates="skip", **options
    )
    text = str(result)
    assert len(office.store.pets) == 17
    assert "2 animals added; 2 rows already loaded (15 animals)" in text
    assert sum(numbers_below(text, "Rows not sent")) == 15
    counts = view_of(result).facts.group_counts
    assert sum(counts.animals.values()) == sum(result.counts.values()) == 17


# Excluded rows


def excluded_twice(office: Office) -> tuple[pf.LoadResult, str]:
    """Load six animals without the sold ones, then again with two more that are sold."""
    options = {"key": "tag", "exclude": {"status": ["sold"]}}
    office.load("a.csv", HEADER, *animals(*["available", "pending", "sold"] * 2), **options)
    rows = animals("sold", "sold", "sold", "available", "pending", "sold", "pending")
    result = office.load("b.csv", HEADER, *rows, **options)
    return result, str(office.load("b.csv", **options))


def test_excluded_rows_of_loaded_animals_are_listed_as_already_loaded(office: Office) -> None:
    """The numbers below the headline add up to those in it."""
    result, _ = excluded_twice(office)
    groups = view_of(result).facts.groups
    assert (groups[RowGroup.ALREADY_LOADED], groups[RowGroup.EXCLUDED]) == (3, 4)
    lines = re.findall(r"(?m)^  (\d+) rows: (.*)$", str(result))
    loaded = sum(int(rows) for rows, reason in lines if reason.startswith("already loaded"))
    excluded = [int(rows) for rows, reason in lines if reason == "excluded by you"]
    assert loaded == 4 and excluded == [2]


def test_a_repeated_call_names_all_animals_that_the_store_still_shows(office: Office) -> None:
    """Both statuses, not only the first."""
    _, repeated = excluded_twice(office)
    assert "(line 2), but loaded as available" in repeated
    assert "(line 3), but loaded as pending" in repeated


def test_rows_of_one_reason_and_file_are_one_sentence(office: Office) -> None:
    """Whether a row was recognized by its key or by an answer is no other reason."""
    rows = animals(*["sold"] * 8)
    office.load("a.csv", HEADER, *rows, key="tag")
    similar = [row.replace("T", "t-", 1) for row in rows[:2]]
    result = office.load("b.csv", HEADER, *similar, *rows[2:], key="tag", duplicates="skip")
    assert numbers_below(str(result), "Rows not sent") == [8], str(result)


def test_the_way_back_from_skip_works(office: Office) -> None:
    """The result offers to create the animals, and that option creates them."""
    rows = animals(*["sold"] * 4)
    office.load("a.csv", HEADER, *rows, key="tag")
    similar = [row.replace("T", "t-", 1) for row in rows[:2]]
    office.load("b.csv", HEADER, *similar, key="tag", duplicates="skip")
    assert "add as_new=[2, 3]" in str(office.load("b.csv", key="tag"))
    office.load("b.csv", key="tag", as_new=[2, 3])
    assert len(office.store.pets) == 6


# Stores that cannot be read


@pytest.mark.parametrize(
    ("error", "is_offered"), [(httpx.ReadTimeout, True), (httpx.ConnectError, False)]
)
def test_not_reading_the_store_is_offered_only_if_it_is_there(
    office: Office, error: type[httpx.TransportError], is_offered: bool
) -> None:
    """Without a connection, a load that does not read the store fails in the same way."""

    def respond(request: httpx.Request) -> httpx.Response:
        raise error("no response", request=request)

    office.client = pf.Client(
        office.store.base_url, "key", transport=httpx.MockTransport(respond), retry_timeout=0.1
    )
    with pytest.raises(APIConnectionError) as failed:
        office.load("a.csv", HEADER, *animals("sold"), key="tag")
    assert ("check_store=False" in str(failed.value)) is is_offered
    assert "check the address and that the store is up" in str(failed.value)


def test_not_reading_the_store_is_not_offered_at_another_address(office: Office) -> None:
    """Where no list of pets is, a load that does not read it fails in the same way."""
    office.client = pf.Client(
        office.store.base_url, "key", transport=httpx.MockTransport(lambda _: httpx.Response(404))
    )
    with pytest.raises(NotFoundError) as failed:
        office.load("a.csv", HEADER, *animals("sold"), key="tag")
    assert failed.value.add is None


# Repeated calls


def test_a_file_that_sent_nothing_was_not_sent_before(office: Office) -> None:
    """It has no time of its last sending; one that sent rows has."""
    rows = animals(*["sold"] * 4)
    office.load("a.csv", HEADER, *rows, key="tag")
    office.load("b.csv", HEADER, *reversed(rows), key="tag")
    assert "last sent" not in str(office.load("b.csv", key="tag"))
    assert "last sent" in str(office.load("a.csv", key="tag"))


def test_a_repeated_call_with_as_new_does_not_propose_as_new(office: Office) -> None:
    """It was in the call already; without it, the step starts with its condition."""
    office.load("a.csv", HEADER, *animals("sold", "sold"), key="")
    assert "nothing to do. Only if" in str(office.load("a.csv", key=""))
    office.load("a.csv", key="", as_new=True)
    assert "add as_new" not in str(office.load("a.csv", key="", as_new=True))


@pytest.mark.parametrize(("rows", "text"), [(1, "1 needs fixing"), (2, "2 need fixing")])
def test_one_row_needs_fixing(rows: int, text: str) -> None:
    """The verb agrees with the number."""
    assert RowGroup.NEED_FIXING.counted(rows) == text
