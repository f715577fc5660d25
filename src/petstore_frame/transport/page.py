"""One answer to ``GET /pets``, and what its headers state about the rest of the listing.

The interface states none of these headers, and none proves anything until pages confirm it. Stores
spell them in many ways, so each is known by a word: its name without ``X-``, the name of a library
and hyphens. ``Total-Count``, ``X-Pagination-Total-Count`` and the member ``TotalCount`` of a JSON
``X-Pagination`` are all the word ``totalcount``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, parse_qsl, urlsplit

from petstore_frame.schema.frame import HasFrame, PetColumns, to_frame
from petstore_frame.schema.models import PET_COLUMNS, Pet
from petstore_frame.schema.text import count_text
from petstore_frame.transport.answer import STORE_ID, Headers
from petstore_frame.transport.links import join_link, read_links, targets

if TYPE_CHECKING:
    import pandas as pd

# Whether there is more (or how many more), how many pages or pets the listing has, and JSON objects
# that hold such words.
_KINDS = {
    "more": "hasmore hasnext hasnextpage more",
    "pages": "totalpages pagecount pages",
    "total": "totalcount total totalrecords totalitems totalelements totalresults",
    "object": "pagination paging",
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_LIBRARIES = ("pagination-", "wp-", "ms-")
# What programs write if there is no next page.
_NOTHING = frozenset(("", "no", "null", "none", "nil", "undefined", "false", "0", "-1"))
_OFFSETS = ("offset", "skip", "start", "_start")
_PAGES = ("page", "p", "page[number]", "page_number", "pagenumber", "_page")
# Units of a Content-Range that count no pets.
_OTHER_UNITS = frozenset(("bytes", "octets", "pages"))
_NUMBER = re.compile(r"[0-9]{1,18}|[0-9]{1,3}(?:,[0-9]{3}){1,5}")
_RANGE = re.compile(r"(?:([a-z]+)[\s=:]+)?[0-9*][-0-9]*/\s*([0-9]+(?:,[0-9]{3})*)", re.IGNORECASE)


class Statement(NamedTuple):
    """What one header line, or one member of its JSON, states; ``name`` is as a person reads it."""

    kind: str
    word: str
    name: str
    value: str

    @property
    def is_address(self) -> bool:
        return self.value.startswith(("http://", "https://", "/", "?"))

    @property
    def is_none(self) -> bool:
        """Whether it states, in the way of some program, that there is no next page."""
        return self.value.lower() in _NOTHING

    @property
    def may_be_next(self) -> bool:
        """Whether it may name a next page, but not by an address; 0 and -1 may be cursors."""
        is_place = self.word.endswith(("page", "offset"))
        is_cursor = self.value in ("0", "-1") and not is_place
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
        is_unclear = any(line.strip() and not any(read_links(line)) for line in self._links)
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
        is_plain = value is not None and not isinstance(value, dict | list)
        if is_plain and kind is not None and kind != "object":
            yield Statement(kind, word, f"{name} {key}", str(value).strip())


@lru_cache(maxsize=256)  # a store sends the same dozen names with each page
def _word_of_header(name: str) -> tuple[str, str | None]:
    name = name.removeprefix("x-")
    for library in _LIBRARIES:
        name = name.removeprefix(library)
    word = _plain(name)
    return word, _kind_of(word)


def _kind_of(word: str) -> str | None:
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


@dataclass(frozen=True, eq=False)
class Page(HasFrame):
    """One answer to ``GET /pets``; ``for pet in page`` gives its pets, ``len()`` their number.

    Attributes:
        columns: The pets as four lists, in the order received.
        headers: The answer's header lines.
        address: The whole address asked, against which a relative link is read.
        damaged: Ids of the pets with half a character in a text, such as an emoji that was cut;
            U+FFFD replaces it.

    Example:
        >>> import petstore_frame as pf
        >>> with pf.serve(sample=3, seed=7) as server, server.client() as client:
        ...     page = client.list_pets(limit=2)
        >>> page
        <Page: 2 pets, as many as asked for: the store may hold more>
        >>> [pet.id for pet in page] == page.frame["id"].tolist()
        True
    """

    columns: PetColumns
    headers: Headers
    address: str = ""
    damaged: tuple[int, ...] = ()

    @cached_property
    def limit(self) -> int | None:
        """The limit asked for, or None for an address of the store's without one."""
        text = self._asked("limit")
        return int(text) if text is not None and text.isdecimal() else None

    @cached_property
    def status(self) -> str | None:
        """The status filter asked for, or None."""
        return self._asked("status")

    def _asked(self, name: str) -> str | None:
        return parse_qs(urlsplit(self.address).query).get(name, [None])[0]

    @cached_property
    def stated(self) -> ListingHeaders:
        """What the header lines state about the rest of the listing."""
        return ListingHeaders(self.headers, self.address)

    def mismatches(self, status: str | None) -> int:
        """Return how many pets do not have the status that was asked for; None asks for any."""
        return 0 if status is None else sum(found != status for found in self.columns.status)

    def ids_with(self, status: str) -> set[int]:
        """Return the ids of the pets with a status."""
        pairs = zip(self.columns.id, self.columns.status, strict=True)
        return {pet_id for pet_id, found in pairs if found == status}

    @property
    def store_id(self) -> str | None:
        """The answer's ``X-Store-Id`` (an extension), or None."""
        return self.headers.get(STORE_ID)

    @property
    def pets(self) -> list[Pet]:
        """The pets as models of the fields of the interface, built anew at each call."""
        return self.columns.pets()

    @property
    def frame(self) -> pd.DataFrame:
        """The pets as a table like that of an Inventory, built anew at each call.

        One row per pet: ``id`` int64, ``name`` str, ``category_id`` int64, ``status`` category.
        """
        return to_frame(self.columns)

    def __iter__(self) -> Iterator[Pet]:
        return iter(self.pets)

    def __len__(self) -> int:
        return len(self.columns.id)

    def _columns(self) -> Collection[str]:
        return PET_COLUMNS

    def __repr__(self) -> str:
        kind = f" with status {self.status}" if self.status else ""
        is_full = self.limit is not None and len(self) >= self.limit
        full = ", as many as asked for: the store may hold more" if is_full else ""
        return f"<Page: {count_text(len(self), 'pet')}{kind}{full}>"
