"""The verdict about a listing: its words, its JSON, and its refusal to be a yes or no."""

from __future__ import annotations

import json

import pytest

from petstore_frame.http.answer import Headers
from petstore_frame.http.page import Page
from petstore_frame.inventory import Completeness, Evidence, Fact, PetSearch, StatusCount, Verdict
from petstore_frame.inventory.pet_search import SearchState
from petstore_frame.schema.frame import PetColumns


def known(verdict: Verdict = Verdict.COMPLETE, **more) -> Completeness:
    return Completeness(verdict, **({"basis": "because", "rows": 1200, "requests": 13} | more))


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (known(), "complete: 1,200 pets"),
        (known(rows=1), "complete: 1 pet"),
        (known(status="sold"), "complete: 1,200 sold pets"),
        (known(Verdict.UNKNOWN, status="sold", rows=1), "unknown: at least 1 sold pet"),
        (known(Verdict.UNKNOWN), "unknown: at least 1,200 pets"),
        (known(Verdict.INCOMPLETE, advertised_total=5000), "incomplete: 1,200 of 5,000 pets"),
        (known(Verdict.UNSTABLE), "unstable: 1,200 pets read"),
    ],
)
def test_a_headline_is_short_and_honest(made: Completeness, text: str) -> None:
    """What is complete says what was asked for, and no other count stands bare."""
    assert str(made) == text
    assert made.is_complete is text.startswith("complete:")
    assert made.covers_all is (made.is_complete and made.status is None)


def test_a_verdict_is_no_yes_or_no() -> None:
    """Asking a verdict for its truth is refused, with the way to ask."""
    with pytest.raises(TypeError, match=r"ask \.covers_all .*\.is_complete .*\.verdict"):
        bool(known())


def test_a_verdict_survives_json() -> None:
    """What a history stores can be read again, unchanged."""
    made = known(
        Verdict.UNKNOWN,
        assumptions=("a",),
        by_status={"sold": StatusCount(2, True)},
        advertised_total=7,
        evidence=(Evidence(Fact.TOTAL_LARGER, assumptions=("b",), count=7),),
    )
    stored = json.loads(json.dumps(made.to_dict()))
    assert Completeness.from_dict(stored) == made
    assert stored["text"] == str(made)


def test_a_verdict_of_an_earlier_version_says_no_more() -> None:
    """What was complete for a part of what was asked is unknown."""
    earlier = {"verdict": "complete", "basis": "b", "rows": 7, "requests": 1, "conflicts": ["x"]}
    read = [Completeness.from_dict({**earlier, "scope": s}) for s in ("all pets", "ids 1 to 9")]
    assert [str(each.verdict) for each in read] == ["complete", "unknown"]


def test_a_status_never_seen_is_at_least_none() -> None:
    """A count of zero is exact only where the whole store was read."""
    assert str(known(Verdict.UNKNOWN).count("sold")) == "at least 0"
    assert str(known().count("sold")) == "0"


def test_a_reader_at_a_prompt_sees_one_line() -> None:
    """What a prompt shows of a verdict, a count, a search and a page is one honest line."""
    unknown = known(Verdict.UNKNOWN, basis="the page was full", rows=100, requests=1)
    assert repr(unknown) == "<Completeness: unknown: at least 100 pets>"
    assert repr(unknown.total) == "<StatusCount: at least 100>"
    search = PetSearch(SearchState.UNKNOWN, None, "not among 100 pets", 1)
    assert repr(search) == "<PetSearch: unknown (not among 100 pets)>"
    columns = PetColumns([1, 2], ["a", "b"], [3, 3], ["sold", "sold"])
    full = Page(columns, Headers([]), "http://127.0.0.1/v1/pets?limit=2&status=sold")
    assert repr(full) == (
        "<Page: 2 pets with status sold, as many as asked for: the store may hold more>"
    )


def test_equal_verdicts_have_equal_hashes() -> None:
    """Verdicts can be told apart in a set; their mappings do not stand in the way."""
    counts = {"sold": StatusCount(3, True)}
    verdicts = {known(by_status=counts), known(by_status=dict(counts)), known(rows=7)}
    assert len(verdicts) == 2
    assert known(by_status=counts) in verdicts
