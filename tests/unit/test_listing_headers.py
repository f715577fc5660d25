"""What stores call the facts of a listing, and what each spelling is taken to say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petstore_frame.http.answer import Headers
from petstore_frame.http.listing_headers import ListingHeaders

HERE = "https://store.example/v1/pets?limit=100"
NEXT_PAGE = "https://store.example/v1/pets?page=2"


def stated(line: str, address: str = HERE) -> ListingHeaders:
    name, _, value = line.partition(": ")
    return ListingHeaders(Headers([(name, value)]), address)


@pytest.mark.parametrize(
    "line",
    [
        "X-Next: 2",
        "X-Next-Page: 2",
        "Next-Page: 2",
        "X-Pagination-Next-Page: 2",
        "X-Next-Cursor: 2",
        "Next-Cursor: 2",
        'X-Pagination: {"nextPage": 2}',
        'Pagination: {"next_cursor": "2"}',
        "X-Next-Token: 2",
        "X-Next-Marker: 2",
        "x-ms-continuation: 2",
        "X-Continuation-Token: 2",
    ],
)
def test_a_next_page_that_is_no_address_is_heard(line: str) -> None:
    """Whatever names something next leaves it open that there is more, and is not followed."""
    assert stated(line).may_name_next
    assert not stated(line).next_addresses


@pytest.mark.parametrize(
    "line",
    [
        f"X-Next: {NEXT_PAGE}",
        "X-Next-Link: ?page=2",
        "X-Next-Url: /v1/pets?page=2",
        f'X-Pagination: {{"nextPageLink": "{NEXT_PAGE}"}}',
    ],
)
def test_a_header_that_holds_the_next_address_is_followed(line: str) -> None:
    """An address in a header of its own, or within JSON, is one to follow."""
    assert stated(line).next_addresses == [NEXT_PAGE]


@pytest.mark.parametrize("depth", [1, 5_000])
def test_an_object_may_be_nested_deeply(depth: int) -> None:
    """Objects within the object are passed over; however deep they are, nothing breaks."""
    value = '{"page":' * depth + "7" + "}" * depth
    assert stated(f"X-Pagination: {value}").total is None


@pytest.mark.parametrize(
    "line",
    [
        "X-Has-More: true",
        "X-Has-More: 1",
        "Has-More: Yes",
        "X-Has-Next: true",
        "X-Has-Next-Page: True",
        "X-Pagination-Has-More: true",
        "X-More: 21",
        'X-Pagination: {"CurrentPage":1,"HasNext":true}',
        'X-Pagination: {"has_next_page": true}',
        "X-Total-Pages: 4",
        "Total-Pages: 4",
        "X-Page-Count: 4",
        "X-Pagination-Page-Count: 4",
        "X-Pages: 4",
        "X-WP-TotalPages: 4",
        'X-Pagination: {"totalPages":4}',
        'Link: <?seite=4>; rel="last", <?seite=1>; rel="first"',
        'Link: <?seite=1>; rel="last", <?seite=0>; rel="first"',
        'Link: <?limit=100&page=2>; rel="last"',
        'Link: <?page[number]=2>; rel="last"',
        'Link: <?offset=100&limit=100>; rel="last"',
    ],
)
def test_a_header_that_says_that_there_is_more_refutes_a_first_page(line: str) -> None:
    """Whoever states more pages than one, or a last one further on, has more pets."""
    assert stated(line).says_more() is not None
    assert stated(line).may_go_on


@pytest.mark.parametrize(
    "line",
    [
        "X-Has-More: false",
        "X-Has-More: 0",
        "X-Has-More: ",
        "X-Next-Offset: 0",
        "X-Total-Pages: 1",
        "X-Total-Pages: 0",
        "X-Total-Pages: many",
        "X-Page: 4",
        "X-Per-Page: 100",
        "X-Total-Count: 37",
        'X-Pagination: {"TotalCount":37,"TotalPages":1,"HasNext":false,"next":null}',
        "X-Pagination: [4]",
        "X-Pagination: {",
        'Link: <?limit=100&page=1>; rel="last"',
        'Link: <?limit=100&offset=0>; rel="last", <?limit=100&offset=0>; rel="first"',
        'Link: <?limit=200>; rel="last"',
        'Link: <?seite=4>; rel="first"',
        'Link: <?after=x>; rel="last"',
        'Link: <https://[store/?page=x>; rel="last"',
    ],
)
def test_a_header_that_tells_of_one_page_is_no_doubt(line: str) -> None:
    """What an honest store says of a listing of one page leaves it whole."""
    assert stated(line).says_more() is None
    assert not stated(line).may_go_on


@pytest.mark.parametrize(
    ("address", "line"),
    [
        ("page=4", 'Link: <?page=4>; rel="last", <?page=1>; rel="first"'),
        ("offset=300", 'Link: <?offset=300&limit=100>; rel="last"'),
        ("cursor=abc", 'Link: <?page=4>; rel="last"'),
        ("cursor=abc", 'Link: <?offset=300>; rel="last"'),
        ("cursor=abc", "X-Total-Pages: 4"),
    ],
)
def test_the_last_of_four_pages_says_of_no_more(address: str, line: str) -> None:
    """At its end a listing may still state how many pages it has, or where the last begins."""
    one_more = line.replace("4", "5").replace("300", "400")
    at_end, before = (
        stated(each, f"{HERE}&{address}").says_more(pages=4, rows=400) for each in (line, one_more)
    )
    assert at_end is None
    assert before is not None


TOTALS = {
    250: (
        "X-Total-Count: 250",
        "Total-Count: 250",
        "X-Total: 250",
        "X-Total-Records: 250",
        "X-Total-Results: 250",
        "X-Pagination-Total-Count: 250",
        "X-WP-Total: 250",
        'X-Pagination: {"TotalCount":250}',
        'X-Pagination: {"totalItems":"250"}',
        "X-Total-Count: 250, 250",
        "X-Total-Count: 37, 250",
        "X-Total-Count: 250.0",
        "Content-Range: items=0-99/250",
        "Content-Range: 0-99/250",
        "Content-Range: items */250",
        "Content-Range: items 0-99/250, items 0-99/250",
    ),
    1000: (
        "X-Total-Count: 1,000",
        "X-Total-Count: 1,000, 1,000",
        "Content-Range: pets 0-99/1,000",
    ),
    100_100: ("X-Total-Count: 100,100",),
    None: (
        "X-Total-Count: many",
        "X-Total-Count: 1.000",
        "X-Total-Count: -1",
        "X-Total-Count: 9999999999999999999",
        "X-Other: 250",
        "Content-Range: items 0-99/*",
        "Content-Range: bytes 0-2047/2048",
        "Content-Range: Bytes 0-2047/2048",
        "Content-Range: bytes=0-2047/2048",
        "Content-Range: bytes: 0-2047/2048",
        "Content-Range: pages 1-1/3",
    ),
}


@pytest.mark.parametrize(("total", "line"), [(n, line) for n in TOTALS for line in TOTALS[n]])
def test_a_total_is_read_in_every_spelling(total: int | None, line: str) -> None:
    """A total counts pets, sent once or twice, with thousands set apart or not."""
    assert stated(line).total == total


@given(st.dictionaries(st.sampled_from(["X-Pagination", "X-Total-Count", "Link"]), st.text()))
def test_no_header_breaks_the_reading(lines: dict[str, str]) -> None:
    """Whatever a server sends, reading it ends and raises nothing."""
    read = ListingHeaders(Headers(lines.items()), HERE)
    assert read.total is None or isinstance(read.total, int)
    assert isinstance(read.may_go_on, bool)
