"""What the headers of one page state about the rest of its listing, read once.

Nothing of this is proof until pages confirm it; the interface states none of it. Stores spell these
headers in many ways, so each is known by a word: its name without ``X-``, the name of a library and
hyphens. ``Total-Count``, ``X-Pagination-Total-Count`` and the member ``TotalCount`` of a JSON
``X-Pagination`` are all the word ``totalcount``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl

from petstore_frame.http.answer import Headers
from petstore_frame.http.links import join_link, read_links, targets

# Whether there is more, as yes or no, or how many more.
_MORE_WORDS = ("hasmore", "hasnext", "hasnextpage", "more")
# How many pages the listing has.
_PAGES_WORDS = ("totalpages", "pagecount", "pages")
# How many pets the listing has.
_TOTAL_WORDS = (
    "totalcount",
    "total",
    "totalrecords",
    "totalitems",
    "totalelements",
    "totalresults",
)
# A JSON object that holds such words.
_OBJECTS = ("pagination", "paging")
# What names a next page, and the parameters that may take such a value where it is no address.
NEXT_PARAMETERS = {"next": ("page", "cursor"), "nextpage": ("page",), "nextcursor": ("cursor",)}
_LIBRARIES = ("pagination-", "wp-", "ms-")
# What programs write where there is no next page; 0 is none of a page, but may be a cursor.
_NO_WORDS = frozenset(("", "no", "null", "none", "nil", "undefined", "false"))
_NO_NUMBERS = frozenset(("0", "-1"))
_OFFSETS = ("offset", "skip", "start", "_start")
_PAGES = ("page", "p", "page[number]", "page_number", "pagenumber", "_page")
# Units of a Content-Range that count no pets.
_OTHER_UNITS = frozenset(("bytes", "octets", "pages"))
_NUMBER = re.compile(r"[0-9]{1,18}|[0-9]{1,3}(?:,[0-9]{3}){1,5}")
_RANGE = re.compile(r"(?:([a-z]+)[\s=:]+)?[0-9*][-0-9]*/\s*([0-9]+(?:,[0-9]{3})*)", re.IGNORECASE)


class Statement(NamedTuple):
    """What one header line, or one member of its JSON, states: its word, its name, its value."""

    word: str
    name: str
    value: str

    @property
    def is_address(self) -> bool:
        return self.value.startswith(("http://", "https://", "/", "?"))

    @property
    def is_none(self) -> bool:
        """Whether it states in some program's way that there is no next page."""
        return self.value.lower() in _NO_WORDS | _NO_NUMBERS


class Stated:
    """The statements of one page.

    Args:
        headers: Its header lines.
        address: Its own address, against which a relative one is read.
    """

    def __init__(self, headers: Headers, address: str) -> None:
        self._address = address
        self._links = headers.get_all("Link")
        self._ranges = headers.get_all("Content-Range")
        self._all = list(_statements(headers))

    @cached_property
    def next_addresses(self) -> list[str]:
        """The addresses of the next page, whole, most trusted first."""
        found = targets(self._links, "next")
        found += (each.value for each in self._all if _is_next(each.word) and each.is_address)
        return list(dict.fromkeys(join_link(self._address, target.strip()) for target in found))

    @cached_property
    def next_value(self) -> Statement | None:
        """The header that names a next page by a value that is not an address, or None."""
        named = (each for each in self._all if each.word in NEXT_PARAMETERS)
        return next((each for each in named if not (each.is_address or each.is_none)), None)

    @property
    def names_next(self) -> bool:
        """Whether a next page is named in a way that can be followed, perhaps."""
        return bool(self.next_addresses) or self.next_value is not None

    @property
    def may_name_next(self) -> bool:
        """Whether a next page is named in any way, or by a line that cannot be read."""
        if self.names_next or any(line.strip() and not read_links([line]) for line in self._links):
            return True
        return any(
            not (each.is_none or each.is_address)
            or (each.value in _NO_NUMBERS and not each.word.endswith(("page", "offset")))
            for each in self._all
            if _is_next(each.word)
        )

    @property
    def may_go_on(self) -> bool:
        """Whether it stays open that there is another page behind a first one."""
        return self.may_name_next or self.says_more() is not None

    def says_more(self, *, pages: int = 1, rows: int = 1) -> str | None:
        """Return the header that states more pages than were read, as text, or None.

        Args:
            pages: How many pages of the listing were read.
            rows: How many rows they hold at most; 1 is enough for a first page, which holds what
                begins at 0.
        """
        for each in self._all:
            is_more = each.word in _MORE_WORDS and not each.is_none
            is_further = each.word in _PAGES_WORDS and any(
                count > pages for count in _counts(each.value)
            )
            if is_more or is_further:
                return f"{each.name}: {each.value}"
        return self._further_last_page(pages, rows) if self._links else None

    def _further_last_page(self, pages: int, rows: int) -> str | None:
        """Return the place of a last page that lies beyond those read, as text, or None."""
        own, start = _numbers([self._address]), _numbers(targets(self._links, "first"))
        for name, place in _numbers(targets(self._links, "last")).items():
            if name in own:
                is_further = place > own[name]
            elif name in _OFFSETS:
                is_further = place >= rows
            elif name in start:
                is_further = place - start[name] >= pages
            else:
                is_further = name in _PAGES and place > pages
            if is_further:
                return f"the last page is at {name}={place}"
        return None

    @cached_property
    def totals(self) -> list[int]:
        """The distinct totals that are stated for the listing, largest first."""
        texts = [each.value for each in self._all if each.word in _TOTAL_WORDS]
        for line in self._ranges:
            found = _RANGE.findall(line)
            texts += [total for unit, total in found if unit.lower() not in _OTHER_UNITS]
        return sorted({count for text in texts for count in _counts(text)}, reverse=True)

    @property
    def total(self) -> int | None:
        """The largest total that is stated, or None."""
        return next(iter(self.totals), None)


def passes_over(addresses: Iterable[str], count: int) -> str | None:
    """Return the place at which the first address begins behind the rows given so far, or None."""
    for name, place in _numbers(addresses).items():
        if name in _OFFSETS and place > count:
            return f"{name}={place}"
    return None


def _statements(headers: Headers) -> Iterator[Statement]:
    for name in headers.names:
        word = _word_of_header(name)
        for value in headers.get_all(name) if word is not None else ():
            shown = "-".join(part.capitalize() for part in name.split("-"))
            if word in _OBJECTS:
                yield from _members(shown, value)
            else:
                yield Statement(str(word), shown, value.strip())


def _members(name: str, text: str) -> Iterator[Statement]:
    try:
        outer = json.loads(text)
    except (ValueError, RecursionError):
        return
    if not isinstance(outer, dict):
        return
    inner = [value for value in outer.values() if isinstance(value, dict)]
    for each in (outer, *inner):
        for key, value in each.items():
            is_plain = not isinstance(value, (dict, list)) and value is not None
            if is_plain and _is_known(_plain(key)):
                yield Statement(_plain(key), f"{name} {key}", str(value).strip())


@lru_cache(maxsize=256)  # a store sends the same dozen names with each page
def _word_of_header(name: str) -> str | None:
    name = name.removeprefix("x-")
    for library in _LIBRARIES:
        name = name.removeprefix(library)
    word = _plain(name)
    return word if word in _OBJECTS or _is_known(word) else None


def _is_known(word: str) -> bool:
    return word in (*_MORE_WORDS, *_PAGES_WORDS, *_TOTAL_WORDS) or _is_next(word)


def _is_next(word: str) -> bool:
    """Tell whether a word is of a next page, also where nothing is known of its value."""
    return word.startswith(("next", "continuation"))


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _numbers(addresses: Iterable[str]) -> dict[str, int]:
    """Return the parameters that say where in a listing the first address leads."""
    query = next(iter(addresses), "").partition("?")[2].partition("#")[0]
    pairs = parse_qsl(query)
    return {
        name.lower(): int(value) for name, value in pairs if name != "limit" and _is_count(value)
    }


def _counts(text: str) -> set[int]:
    """Return the numbers of a value, which a proxy may have joined out of two lines."""
    parts = (part.strip().removesuffix(".0") for part in text.split(", "))
    return {int(part.replace(",", "")) for part in parts if _NUMBER.fullmatch(part)}


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19
