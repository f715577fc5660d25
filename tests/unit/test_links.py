"""Link headers as RFC 8288 writes them, not only as servers usually do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petstore_frame.errors import CrossOriginError
from petstore_frame.http.answer import Headers
from petstore_frame.http.links import read_links, targets, whole_address
from petstore_frame.http.listing_headers import ListingHeaders, passes_over
from petstore_frame.inventory.next_links import prefix_left_out

HERE = "https://store.example/v1/pets?limit=100"


@pytest.mark.parametrize(
    "line",
    [
        '<https://x/2>; rel="next"',
        "<https://x/2>; rel=next",
        '<https://x/2>; REL="NEXT"',
        '<https://x/2>;rel="next last"',
        '<https://x/2>; rel="prev  next"',
        '<https://x/2>; rel="next",',
        ', ,<https://x/2>; rel="next"',
        '<https://x/2> ; title="a, b; rel=prev" ; rel = "next"',
        '<https://x/1>; rel="first"; title="x, <y>; rel=next", <https://x/2>; rel="next"',
        '<https://x/2>; rel="next"; rel="prev"',
        '<https://x/2>; flag; rel="next"',
        r'<https://x/2>; title="a \" b"; rel="next"',
        '<https://x/1>; rel="prev" nonsense, <https://x/2>; rel="next"',
    ],
)
def test_a_next_link_is_found_in_every_spelling(line: str) -> None:
    """Several relations, case, quoted commas and stray commas hide no link."""
    assert targets([line], "next") == ["https://x/2"]
    assert len(read_links([line, line])) == 2 * len(read_links([line]))


@pytest.mark.parametrize(
    "line",
    [
        "",
        ",",
        "<",
        "<https://x/2>",
        '<https://x/2>; rel="nextish"',
        '<https://x/2>; title="rel=next"',
        'https://x/2; rel="next"',
        '<https://x/2>; rel="next"; anchor="#other"',
        '<https://x/2>; rel="prev"; rel="next"',
    ],
)
def test_what_is_no_next_link_is_none(line: str) -> None:
    """Only the first rel counts, and a link about another resource is not about this one."""
    assert targets([line], "next") == []


@given(st.text(max_size=200))
def test_no_header_breaks_the_parser(line: str) -> None:
    """Whatever a server sends, reading it ends and raises nothing."""
    assert isinstance(read_links([line]), list)
    assert isinstance(targets([line], "next"), list)


@given(
    st.text(max_size=40)
    | st.sampled_from(["http:", "https:", ""]).flatmap(
        lambda scheme: st.text("/[]:@?#1a\u2100", max_size=12).map(lambda rest: f"{scheme}//{rest}")
    )
)
def test_no_link_breaks_what_reads_it(target: str) -> None:
    """Whatever a server calls an address is read, judged and then refused by name."""
    headers = Headers([("Link", f'<{target}>; rel="next"'), ("X-Next", target)])
    for address in ListingHeaders(headers, HERE).next_addresses:
        assert passes_over([address], 100) is None or "=" in address
        assert "/v1/pets".startswith(prefix_left_out(address, "https://store.example/v1"))
        try:
            assert whole_address("https://store.example/v1", address).startswith("https://")
        except CrossOriginError as problem:
            assert str(problem)


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
    assert [link.target for link in read_links([line])] == [target.strip() for target, _ in written]


@pytest.mark.parametrize(
    ("target", "whole"),
    [
        ("?cursor=x", "https://store.example/v1/pets?cursor=x"),
        ("/v1/pets?cursor=x", "https://store.example/v1/pets?cursor=x"),
        ("pets?cursor=x#there", "https://store.example/v1/pets?cursor=x"),
        ("//other.example/v1/pets", "https://other.example/v1/pets"),
        ("https://other.example/", "https://other.example/"),
    ],
)
def test_a_relative_link_is_read_against_its_page(target: str, whole: str) -> None:
    """A link may be short; where it leads is judged in full."""
    headers = Headers([("Link", f'<{target}>; rel="next"')])
    assert ListingHeaders(headers, HERE).next_addresses == [whole]
    assert ListingHeaders(Headers([("X-Next", target)]), HERE).next_addresses[:1] in ([whole], [])


def test_a_number_without_end_is_none() -> None:
    """More digits than Python reads are neither a total nor a place in a listing."""
    digits = "9" * 5_000
    assert ListingHeaders(Headers([("X-Total-Count", digits)]), HERE).total is None
    assert passes_over([f"{HERE}&offset={digits}"], 100) is None
