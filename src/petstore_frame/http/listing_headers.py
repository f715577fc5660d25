"""What the headers of one page state about the rest of its listing, read once.

The interface states none of this, and none of it proves anything until pages confirm it. Stores
spell these headers in many ways, so each is known by a word: its name without ``X-``, the name of a
library and hyphens. ``Total-Count``, ``X-Pagination-Total-Count`` and the member ``TotalCount`` of
a JSON ``X-Pagination`` are all the word ``totalcount``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple
from urllib.parse import parse_qsl

from petstore_frame.http.answer import Headers
from petstore_frame.http.links import join_link, read_links, targets

Kind = Literal["more", "pages", "total", "object", "next"]
# Whether there is more (or how many more), how many pages or pets the listing has, and JSON objects
# that hold such words.
_KINDS: dict[Kind, str] = {
    "more": "hasmore hasnext hasnextpage more",
    "pages": "totalpages pagecount pages",
    "total": "totalcount total totalrecords totalitems totalelements totalresults",
    "object": "pagination paging",
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_LIBRARIES = ("pagination-", "wp-", "ms-")
# What programs write if there is no next page; 0 is no page number, but may be a cursor.
_NO_WORDS = frozenset(("", "no", "null", "none", "nil", "undefined", "false"))
_NO_NUMBERS = frozenset(("0", "-1"))
_OFFSETS = ("offset", "skip", "start", "_start")
_PAGES = ("page", "p", "page[number]", "page_number", "pagenumber", "_page")
# Units of a Content-Range that count no pets.
_OTHER_UNITS = frozenset(("bytes", "octets", "pages"))
_NUMBER = re.compile(r"[0-9]{1,18}|[0-9]{1,3}(?:,[0-9]{3}){1,5}")
_RANGE = re.compile(r"(?:([a-z]+)[\s=:]+)?[0-9*][-0-9]*/\s*([0-9]+(?:,[0-9]{3})*)", re.IGNORECASE)


class Statement(NamedTuple):
    """What one header line, or one member of its JSON, states."""

    kind: Kind
    word: str
    name: str
    value: str

    @property
    def is_address(self) -> bool:
        return self.value.startswith(("http://", "https://", "/", "?"))

    @property
    def is_none(self) -> bool:
        """Whether it states, in the way of some program, that there is no next page."""
        return self.value.lower() in _NO_WORDS | _NO_NUMBERS

    @property
    def may_be_next(self) -> bool:
        """Whether it may name a next page, but not by an address."""
        is_place = self.word.endswith(("page", "offset"))
        is_cursor = self.value in _NO_NUMBERS and not is_place
        return is_cursor or not (self.is_none or self.is_address)


class ListingHeaders:
    """The statements of one page; ``address`` is its own, against which relative ones are read."""

    def __init__(self, headers: Headers, address: str) -> None:
        self._address = address
        self._links = headers.get_all("Link")
        self._ranges = headers.get_all("Content-Range")
        self._all = list(_statements(headers))

    @cached_property
    def next_addresses(self) -> list[str]:
        """The addresses of the next page, whole, most trusted first."""
        found = targets(self._links, "next")
        found += (each.value for each in self._all if each.kind == "next" and each.is_address)
        return list(dict.fromkeys(join_link(self._address, target.strip()) for target in found))

    @property
    def may_name_next(self) -> bool:
        """Whether a next page is named in any way, or by a line that cannot be read."""
        is_unclear = any(line.strip() and not read_links([line]) for line in self._links)
        named = (each.may_be_next for each in self._all if each.kind == "next")
        return bool(self.next_addresses) or is_unclear or any(named)

    @property
    def may_go_on(self) -> bool:
        """Whether there may be another page after a first one."""
        return self.may_name_next or self.says_more() is not None

    def says_more(self, *, pages: int = 1, rows: int = 1) -> str | None:
        """Return the header that states more pages than were read, as text, or None.

        Args:
            pages: How many pages of the listing were read.
            rows: How many rows they hold at most; 1 is enough for a first page, which holds what
                begins at 0.
        """
        for each in self._all:
            is_more = each.kind == "more" and not each.is_none
            if is_more or (each.kind == "pages" and max(_counts(each.value), default=0) > pages):
                return f"{each.name}: {each.value}"
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
    def total(self) -> int | None:
        """The largest total that is stated for the listing, or None."""
        texts = [each.value for each in self._all if each.kind == "total"]
        for line in self._ranges:
            found = _RANGE.findall(line)
            texts += [total for unit, total in found if unit.lower() not in _OTHER_UNITS]
        return max((count for text in texts for count in _counts(text)), default=None)


def passes_over(addresses: Iterable[str], count: int) -> str | None:
    """Return the place at which the first address begins behind the rows given so far, or None."""
    places = _numbers(addresses).items()
    behind = (f"{name}={at}" for name, at in places if name in _OFFSETS and at > count)
    return next(behind, None)


def _statements(headers: Headers) -> Iterator[Statement]:
    for name in headers.names:
        word, kind = _word_of_header(name)
        for value in headers.get_all(name) if kind is not None else ():
            shown = "-".join(part.capitalize() for part in name.split("-"))
            if kind == "object":
                yield from _members(shown, value)
            elif kind is not None:
                yield Statement(kind, word, shown, value.strip())


def _members(name: str, text: str) -> Iterator[Statement]:
    try:
        outer = json.loads(text)
    except (ValueError, RecursionError):
        return
    for key, value in outer.items() if isinstance(outer, dict) else ():
        word = _plain(key)
        kind = _kind_of(word)
        is_plain = not isinstance(value, dict | list) and value is not None
        if is_plain and kind not in (None, "object"):
            yield Statement(kind, word, f"{name} {key}", str(value).strip())


@lru_cache(maxsize=256)  # a store sends the same dozen names with each page
def _word_of_header(name: str) -> tuple[str, Kind | None]:
    name = name.removeprefix("x-")
    for library in _LIBRARIES:
        name = name.removeprefix(library)
    word = _plain(name)
    return word, _kind_of(word)


def _kind_of(word: str) -> Kind | None:
    """Return what a word tells; it may be of a next page though nothing is known of its value."""
    return "next" if word.startswith(("next", "continuation")) else _KIND_OF.get(word)


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")


def _numbers(addresses: Iterable[str]) -> dict[str, int]:
    """Return the parameters that say where in a listing the first address leads."""
    pairs = parse_qsl(next(iter(addresses), "").partition("?")[2].partition("#")[0])
    return {
        name.lower(): int(value)
        for name, value in pairs
        if name != "limit" and value.isascii() and value.isdigit() and len(value) < 19
    }


def _counts(text: str) -> set[int]:
    """Return the numbers of a value, which a proxy may have joined out of two lines."""
    parts = (part.strip().removesuffix(".0") for part in text.split(", "))
    return {int(part.replace(",", "")) for part in parts if _NUMBER.fullmatch(part)}
