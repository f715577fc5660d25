"""Link headers as RFC 8288 writes them, and what stores call the other facts of a listing."""

from __future__ import annotations

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import petstore_frame as pf
from petstore_frame.errors import CrossOriginError
from petstore_frame.schema import PetColumns
from petstore_frame.transport import Page

HERE = "https://store.example/v1/pets?limit=100"
NEXT_PAGE = "https://store.example/v1/pets?page=2"
CLIENT = pf.Client("https://store.example/v1", "k", transport=pf.testing.fake_store().transport)


def page(*lines: str) -> Page:
    headers = httpx.Headers([tuple(line.encode().split(b": ", 1)) for line in lines])
    return Page(PetColumns([[], [], [], []]), headers, HERE)


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
    assert page(f"Link: {line}").next_address == "https://x/2"
    assert page(f"Link: {line}", 'Link: <?page=9>; rel="next"').next_address == "https://x/2"


@pytest.mark.parametrize("line", NO_LINKS)
def test_what_is_no_next_link_is_none(line: str) -> None:
    """Only the first rel counts, and a link about another resource is not about this one."""
    assert page(f"Link: {line}").next_address is None


ADDRESSES = st.sampled_from(["http:", "https:", ""]).flatmap(
    lambda scheme: st.text("/[]:@?#1a\u2100", max_size=12).map(lambda rest: f"{scheme}//{rest}")
)


@given(
    st.dictionaries(st.sampled_from(["Content-Range", "X-Total-Count", "Link"]), st.text()),
    st.text(max_size=40) | ADDRESSES,
)
def test_no_header_breaks_what_reads_it(lines: dict[str, str], target: str) -> None:
    """Whatever a server sends or calls an address is read, judged and then refused by name."""
    read = page(*(f"{name}: {value}" for name, value in lines.items()))
    assert read.total is None or isinstance(read.total, int)
    assert isinstance(read.may_name_next, bool)
    for line in (f'Link: <{target}>; rel="next"', f"X-Next-Page: {target}"):
        address = page(line).next_address
        if address is None:
            continue
        assert not page(line).next_skips or "=" in address
        try:
            CLIENT.ask_page(address)
        except (CrossOriginError, pf.AuthenticationError) as problem:  # of the fake store
            assert str(problem)


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ('Link: <?page=2>; rel="next"', NEXT_PAGE),
        ('Link: </v1/pets?page=2>; rel="next"', NEXT_PAGE),
        ('Link: <pets?page=2#there>; rel="next"', NEXT_PAGE),
        ('Link: <//other.example/v1/pets>; rel="next"', "https://other.example/v1/pets"),
        ('Link: <https://other.example/>; rel="next"', "https://other.example/"),
        (f"X-Next-Page: {NEXT_PAGE}", NEXT_PAGE),
        ("X-Next-Page: ?page=2", NEXT_PAGE),
    ],
)
def test_the_next_address_is_read_against_its_page(line: str, whole: str) -> None:
    """A link may be short; one in a header of its own is followed as well."""
    assert page(line).next_address == whole


@pytest.mark.parametrize(
    ("line", "may_name_next"),
    [
        ("X-Next-Page: 2", True),
        ("Link: ?page=2", True),
        ("X-Next-Page: 0", False),
        ("X-Next-Page: null", False),
        ("X-Next: /2", False),
    ],
)
def test_a_next_page_that_is_no_address_is_heard(line: str, may_name_next: bool) -> None:
    """What names something next leaves it open that there is more, and is not followed."""
    assert (page(line).may_name_next, page(line).next_address) == (may_name_next, None)


PATHS = {
    "/v1/pets?page=2": "/v1/pets?page=2",
    "/pets?page=2": "/v1/pets?page=2",
    "/inner/v1/pets/?page=2": "/v1/pets?page=2",
    "/admin/delete?all=1": None,
    "/v1/pets/7": None,
    "/v1/pets/../admin?x=/pets": None,
    "/v1/%70ets?page=2": None,
}


@pytest.mark.parametrize(("link", "requested"), PATHS.items(), ids=PATHS)
def test_a_link_leads_to_the_listing_or_nowhere(link: str, requested: str | None) -> None:
    """The key goes to no other path; a path with another prefix is that of the listing."""
    paths = []

    def answer(request: httpx.Request) -> httpx.Response:
        paths.append(request.url.raw_path.decode())
        headers = {} if len(paths) > 1 else {"Link": f'<{link}>; rel="next"'}
        return httpx.Response(200, json=[], headers=headers)

    transport = httpx.MockTransport(answer)
    client = pf.Client("https://store.example/v1", "k", transport=transport)
    if requested is None:
        with pytest.raises(CrossOriginError, match="not followed"):
            list(client.pages())
    else:
        assert len(list(client.pages())) == 2
    assert paths[1:] == ([] if requested is None else [requested])


DIGITS = "9" * 5_000  # more than Python reads as a number
TOTALS = {
    250: ["X-Total-Count: 250", "X-Total-Count: 37, 250", "Content-Range: items=0-99/250",
          "Content-Range: 0-99/250", "Content-Range: items */250"],
    # `1,000` may be a thousand, or two lines that a proxy joined.
    None: ["X-Total-Count: many", "X-Total-Count: 1,000", "X-Total-Count: 1.000",
           "X-Total-Count: -1", f"X-Total-Count: {DIGITS}", "Content-Range: items 0-99/*",
           "Content-Range: bytes 0-2047/2048", "Content-Range: pages 1-1/3", "X-Other: 250"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("total", "line"), [pytest.param(n, line, id=line[:60]) for n in TOTALS for line in TOTALS[n]]
)
def test_a_total_is_read_in_every_spelling(total: int | None, line: str) -> None:
    """A total counts pets; what may be another number is none, and nothing endless breaks it."""
    assert page(line).total == total
    assert page(f"Link: <?offset={DIGITS}>; rel=next").next_skips == ""
    assert page("Link: <?offset=100>; rel=next").next_skips == "offset=100"  # behind none
