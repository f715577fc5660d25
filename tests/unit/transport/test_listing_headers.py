"""Link headers as RFC 8288 writes them, and what stores call the other facts of a listing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petstore_frame.errors import CrossOriginError
from petstore_frame.inventory.walk import prefix_left_out
from petstore_frame.transport.answer import Headers
from petstore_frame.transport.links import read_links, targets, whole_address
from petstore_frame.transport.page import ListingHeaders, passes_over

HERE = "https://store.example/v1/pets?limit=100"
NEXT_PAGE = "https://store.example/v1/pets?page=2"


def spellings(text: str) -> list[str]:
    """Header lines, several of which stand in one line of a table."""
    return [line.strip() for lines in text.strip().splitlines() for line in lines.split(" | ")]


def stated(line: str, address: str = HERE) -> ListingHeaders:
    name, _, value = line.partition(": ")
    return ListingHeaders(Headers([(name, value)]), address)


NEXT_LINKS = [
    '<https://x/2>; rel="next"', "<https://x/2>; rel=next", '<https://x/2>; REL="NEXT"',
    '<https://x/2>;rel="next last"', '<https://x/2>; rel="prev  next"',
    '<https://x/2>; rel="next",', ', ,<https://x/2>; rel="next"',
    '<https://x/2> ; title="a, b; rel=prev" ; rel = "next"',
    '<https://x/1>; rel="first"; title="x, <y>; rel=next", <https://x/2>; rel="next"',
    '<https://x/2>; rel="next"; rel="prev"', '<https://x/2>; flag; rel="next"',
    r'<https://x/2>; title="a \" b"; rel="next"',
    '<https://x/1>; rel="prev" nonsense, <https://x/2>; rel="next"',
]  # fmt: skip
NO_LINKS = [
    "", ",", "<", "<https://x/2>", 'https://x/2; rel="next"', '<https://x/2>; rel="nextish"',
    '<https://x/2>; title="rel=next"', '<https://x/2>; rel="next"; anchor="#other"',
    '<https://x/2>; rel="prev"; rel="next"',
]  # fmt: skip


@pytest.mark.parametrize("line", NEXT_LINKS)
def test_a_next_link_is_found_in_every_spelling(line: str) -> None:
    """Several relations, case, quoted commas and stray commas hide no link."""
    assert targets([line], "next") == ["https://x/2"]
    assert targets([line, '<?page=9>; rel="next"'], "next") == ["https://x/2", "?page=9"]


@pytest.mark.parametrize("line", NO_LINKS)
def test_what_is_no_next_link_is_none(line: str) -> None:
    """Only the first rel counts, and a link about another resource is not about this one."""
    assert targets([line], "next") == []


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(exclude_characters="<>", max_codepoint=126), min_size=1),
            st.text(st.characters(min_codepoint=32, max_codepoint=126)),
        ),
        max_size=4,
    )
)
def test_links_come_back_as_they_were_written(written: list[tuple[str, str]]) -> None:
    """Any target and any quoted title survive being written as the RFC says."""
    quoted = [title.replace("\\", "\\\\").replace('"', '\\"') for _, title in written]
    line = ", ".join(
        f'<{target}>; title="{title}"; rel="next"'
        for (target, _), title in zip(written, quoted, strict=True)
    )
    assert [link.target for link in read_links(line)] == [target.strip() for target, _ in written]


ADDRESSES = st.sampled_from(["http:", "https:", ""]).flatmap(
    lambda scheme: st.text("/[]:@?#1a\u2100", max_size=12).map(lambda rest: f"{scheme}//{rest}")
)


@given(
    st.dictionaries(st.sampled_from(["X-Pagination", "X-Total-Count", "Link"]), st.text()),
    st.text(max_size=40) | ADDRESSES,
)
def test_no_header_breaks_what_reads_it(lines: dict[str, str], target: str) -> None:
    """Whatever a server sends or calls an address is read, judged and then refused by name."""
    read = ListingHeaders(Headers(lines.items()), HERE)
    assert read.total is None or isinstance(read.total, int)
    assert isinstance(read.may_go_on, bool)
    headers = Headers([("Link", f'<{target}>; rel="next"'), ("X-Next", target)])
    for address in ListingHeaders(headers, HERE).next_addresses:
        assert passes_over([address], 100) is None or "=" in address
        assert "/v1/pets".startswith(prefix_left_out(address, "https://store.example/v1"))
        try:
            assert whole_address("https://store.example/v1", address).startswith("https://")
        except CrossOriginError as problem:
            assert str(problem)


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ('Link: <?page=2>; rel="next"', NEXT_PAGE),
        ('Link: </v1/pets?page=2>; rel="next"', NEXT_PAGE),
        ('Link: <pets?page=2#there>; rel="next"', NEXT_PAGE),
        ('Link: <//other.example/v1/pets>; rel="next"', "https://other.example/v1/pets"),
        ('Link: <https://other.example/>; rel="next"', "https://other.example/"),
        (f"X-Next: {NEXT_PAGE}", NEXT_PAGE),
        ("X-Next-Link: ?page=2", NEXT_PAGE),
        ("X-Next-Url: /v1/pets?page=2", NEXT_PAGE),
        (f'X-Pagination: {{"nextPageLink": "{NEXT_PAGE}"}}', NEXT_PAGE),
    ],
)
def test_the_next_address_is_read_against_its_page(line: str, whole: str) -> None:
    """A link may be short; one in a header of its own, or within JSON, is followed as well."""
    assert stated(line).next_addresses == [whole]


@pytest.mark.parametrize(
    "line",
    spellings("""
    X-Next: 2 | X-Next-Page: 2 | Next-Page: 2 | X-Pagination-Next-Page: 2 | X-Next-Cursor: 2
    Next-Cursor: 2 | X-Pagination: {"nextPage": 2} | Pagination: {"next_cursor": "2"}
    X-Next-Token: 2 | X-Next-Marker: 2 | x-ms-continuation: 2 | X-Continuation-Token: 2
    X-Next-Cursor: 0 | X-Next-Cursor: -1
"""),
)
def test_a_next_page_that_is_no_address_is_heard(line: str) -> None:
    """Whatever names something next leaves it open that there is more, and is not followed."""
    assert stated(line).may_name_next
    assert not stated(line).next_addresses


@pytest.mark.parametrize(
    "line",
    spellings("""
    X-Has-More: true | X-Has-More: 1 | Has-More: Yes | X-Has-Next: true
    X-Has-Next-Page: True | X-Pagination-Has-More: true | X-More: 21
    X-Pagination: {"CurrentPage":1,"HasNext":true} | X-Pagination: {"has_next_page": true}
    X-Total-Pages: 4 | Total-Pages: 4 | X-Page-Count: 4 | X-Pagination-Page-Count: 4
    X-Pages: 4 | X-WP-TotalPages: 4 | X-Pagination: {"totalPages":4}
    Link: <?seite=4>; rel="last", <?seite=1>; rel="first"
    Link: <?seite=1>; rel="last", <?seite=0>; rel="first"
    Link: <?limit=100&page=2>; rel="last" | Link: <?page[number]=2>; rel="last"
    Link: <?offset=100&limit=100>; rel="last"
"""),
)
def test_a_header_that_says_that_there_is_more_refutes_a_first_page(line: str) -> None:
    """Whoever states more pages than one, or a last one further on, has more pets."""
    assert stated(line).says_more() is not None
    assert stated(line).may_go_on


@pytest.mark.parametrize(
    "line",
    spellings("""
    X-Has-More: false | X-Has-More: 0 | X-Has-More:  | X-Next-Offset: 0 | X-Total-Pages: 1
    X-Next-Cursor: null | X-Next-Cursor: None | X-Next-Page: false | X-Next-Page: undefined
    X-Next-Page: 0 | X-Next-Page: -1 | X-Total-Pages: 0 | X-Total-Pages: many
    X-Page: 4 | X-Per-Page: 100 | X-Total-Count: 37
    X-Pagination: {"TotalCount":37,"TotalPages":1,"HasNext":false,"next":null}
    X-Pagination: [4] | X-Pagination: { | Link: <?limit=100&page=1>; rel="last"
    Link: <?limit=100&offset=0>; rel="last", <?limit=100&offset=0>; rel="first"
    Link: <?limit=200>; rel="last" | Link: <?seite=4>; rel="first"
    Link: <?after=x>; rel="last" | Link: <https://[store/?page=x>; rel="last"
"""),
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
    assert (at_end, before is None) == (None, False)


DEEP = "X-Pagination: " + '{"page":' * 5_000 + "7" + "}" * 5_000
DIGITS = "9" * 5_000  # more than Python reads as a number
TOTALS = {
    250: """
    X-Total-Count: 250 | Total-Count: 250 | X-Total: 250 | X-Total-Records: 250
    X-Total-Results: 250 | X-Pagination-Total-Count: 250 | X-WP-Total: 250
    X-Pagination: {"TotalCount":250} | X-Pagination: {"totalItems":"250"}
    X-Total-Count: 250, 250 | X-Total-Count: 37, 250 | X-Total-Count: 250.0
    Content-Range: items=0-99/250 | Content-Range: 0-99/250 | Content-Range: items */250
    Content-Range: items 0-99/250, items 0-99/250
    """,
    1000: """
    X-Total-Count: 1,000 | X-Total-Count: 1,000, 1,000 | Content-Range: pets 0-99/1,000
    """,
    100_100: "X-Total-Count: 100,100",
    None: f"""
    X-Total-Count: many | X-Total-Count: 1.000 | X-Total-Count: -1 | X-Other: 250
    X-Total-Count: 9999999999999999999 | Content-Range: items 0-99/* | X-Total-Count: {DIGITS}
    Content-Range: bytes 0-2047/2048 | Content-Range: Bytes 0-2047/2048
    Content-Range: bytes=0-2047/2048 | Content-Range: bytes: 0-2047/2048
    Content-Range: pages 1-1/3 | {DEEP} | X-Pagination: {{"page":7}}
    """,
}


@pytest.mark.parametrize(
    ("total", "line"),
    [pytest.param(n, line, id=line[:60]) for n in TOTALS for line in spellings(TOTALS[n])],
)
def test_a_total_is_read_in_every_spelling(total: int | None, line: str) -> None:
    """A total counts pets, with thousands set apart or not; nothing endless breaks anything."""
    assert stated(line).total == total
    assert passes_over([f"{HERE}&offset={DIGITS}"], 100) is None
