"""What the headers of a page state about the rest of its listing.

In: header lines. Out: where the next page is, and how many pets there are, as the store states it.
Nothing of this is proof until the pages confirm it; the interface states none of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import parse_qsl

from petstore_frame.http.headers import Headers
from petstore_frame.http.links import join_link, read_links, targets
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.paging_headers import (
    MORE_WORDS,
    NEXT_WORDS,
    PAGES_WORDS,
    TOTAL_WORDS,
    statements,
)

OFFSET_NAMES = ("offset", "skip", "start")
# What programs write into such a header where there is no next page.
NO_VALUES = frozenset(("null", "none", "nil", "undefined", "false"))
# The same in numbers: no page has such a number, but a cursor may be an id.
NO_NUMBERS = frozenset(("0", "-1"))
PAGE_NAMES = ("page", "p", "page[number]", "page_number", "pagenumber", "_page")
# Units of a Content-Range that count no pets.
OTHER_UNITS = frozenset(("bytes", "octets", "pages"))
# Parameters of which 0 is the beginning, or nothing; a cursor may be an id.
_COUNTED = frozenset(("page", "offset", "skip"))
_GROUPED = re.compile(r"[0-9]{1,3}(,[0-9]{3}){1,5}")
_RANGE = re.compile(r"(?:([a-z]+)[\s=:]+)?[0-9*][-0-9]*/\s*([0-9]+(?:,[0-9]{3})*)", re.IGNORECASE)


@dataclass(frozen=True)
class NextValue:
    """A next page named by a header of its own.

    Attributes:
        header: The header's name.
        value: Its value: a page number, a cursor, whatever the store means.
        parameters: Query parameters that may take the value.
    """

    header: str
    value: str
    parameters: tuple[str, ...]


def next_addresses(headers: Headers, address: str) -> list[str]:
    """Return the stated addresses of the next page, whole, most trusted first.

    Args:
        headers: The page's header lines.
        address: The page's own address, against which a relative one is read.
    """
    found = targets(headers.get_all("Link"), "next")
    found += filter(_is_address, (each.value for each in statements(headers, NEXT_WORDS)))
    return list(dict.fromkeys(join_link(address, target.strip()) for target in found))


def _is_address(value: str) -> bool:
    return value.strip().startswith(("http://", "https://", "/", "?"))


def next_value(headers: Headers) -> NextValue | None:
    """Return the next page named by a header that is not an address, or None."""
    for stated in statements(headers, NEXT_WORDS):
        if stated.value and not _is_address(stated.value) and not _is_none(stated.value):
            return NextValue(stated.name, stated.value, NEXT_WORDS[stated.word])
    return None


def _is_none(value: str) -> bool:
    return value.lower() in NO_VALUES | NO_NUMBERS


def passes_over(address: str, count: int) -> str | None:
    """Say that an address begins behind the rows that were given so far, or None."""
    for name, value in parse_qsl(address.partition("?")[2]):
        if name in OFFSET_NAMES and _is_count(value) and int(value) > count:
            return f"the next link goes on at {name}={value} after row {count:,}"
    return None


def names_next(headers: Headers, address: str) -> bool:
    """Tell whether a page's headers name another page, in a way understood or not."""
    return bool(next_addresses(headers, address)) or next_value(headers) is not None


def may_name_next(headers: Headers, address: str) -> bool:
    """Tell whether a page's headers name another page, or hold a Link line that cannot be read."""
    unread = (line for line in headers.get_all("Link") if line.strip() and not read_links([line]))
    if names_next(headers, address) or next(unread, None) is not None:
        return True
    cursors = (word for word, names in NEXT_WORDS.items() if not _COUNTED.issuperset(names))
    return any(stated.value in NO_NUMBERS for stated in statements(headers, cursors))


def may_go_on(page: Page) -> bool:
    """Tell whether the headers of a first page leave it open whether there is another."""
    return (
        may_name_next(page.headers, page.address)
        or says_more(page.headers, page.address) is not None
    )


def says_more(headers: Headers, address: str, *, pages: int = 1, rows: int = 1) -> str | None:
    """Return the header that states more pages than were read, as text, or None.

    Args:
        headers: The header lines of the last page read.
        address: Its own address.
        pages: How many pages of the listing were read.
        rows: How many rows they hold at most; 1 is enough for a first page, which holds what
            begins at 0.
    """
    for stated in statements(headers, (*MORE_WORDS, *PAGES_WORDS)):
        if stated.word in MORE_WORDS:
            is_more = not _is_none(stated.value) and stated.value.lower() not in ("", "no")
        else:
            is_more = any(count > pages for count in _counts(stated.value))
        if is_more:
            return f"{stated.name}: {stated.value}"
    return _further_last_page(headers, address, pages, rows)


def _further_last_page(headers: Headers, address: str, pages: int, rows: int) -> str | None:
    """Return the place of a last page that lies beyond those read, as text, or None."""
    lines = headers.get_all("Link")
    if not lines:
        return None
    own = _numbers([address])
    start = _numbers(targets(lines, "first"))
    for name, place in _numbers(targets(lines, "last")).items():
        if name in own:
            is_further = place > own[name]
        elif name in OFFSET_NAMES:
            is_further = place >= rows
        elif name in start:
            is_further = place - start[name] >= pages
        else:
            is_further = name in PAGE_NAMES and place > pages
        if is_further:
            return f"the last page is at {name}={place}"
    return None


def _numbers(addresses: Iterable[str]) -> dict[str, int]:
    """Return the parameters that say where in a listing the first address leads."""
    query = next(iter(addresses), "").partition("?")[2].partition("#")[0]
    return {
        name.lower(): int(value)
        for name, value in parse_qsl(query)
        if name != "limit" and _is_count(value)
    }


def advertised_totals(headers: Headers) -> list[int]:
    """Return the distinct totals that the store states for the listing, largest first."""
    texts = [stated.value for stated in statements(headers, TOTAL_WORDS)]
    for line in headers.get_all("Content-Range"):
        for unit, total in _RANGE.findall(line):
            if unit.lower() not in OTHER_UNITS:
                texts.append(total)
    return sorted({count for text in texts for count in _counts(text)}, reverse=True)


def _counts(text: str) -> set[int]:
    """Return the numbers that a header's value may mean.

    A header that was sent twice is joined with a comma, which may also set thousands apart.
    """
    found = set[int]()
    for part in re.split(r",\s+", text.strip()):
        singles = part.split(",")
        if _GROUPED.fullmatch(part):
            found.add(int(part.replace(",", "")))
            singles = singles[:1] if len(set(singles)) == 1 else []
        found.update(
            int(each) for each in (s.removesuffix(".0") for s in singles) if _is_count(each)
        )
    return found


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def advertised_total(headers: Headers) -> int | None:
    """Return the largest total that the store states for the listing, or None."""
    return next(iter(advertised_totals(headers)), None)
