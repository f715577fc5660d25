"""The way on that a store announces in its headers.

In: a first page. Out: how to read a page's next address, or None where the store names none that
can be followed. It walks no listing and makes no claim.
"""

from __future__ import annotations

from dataclasses import dataclass

from petstore_frame.errors import CrossOriginError
from petstore_frame.http.headers import Headers
from petstore_frame.inventory.calibrate import rehearse_value, short_page
from petstore_frame.inventory.hints import next_addresses, next_value, passes_over
from petstore_frame.inventory.page import Page
from petstore_frame.inventory.paths import Paths
from petstore_frame.inventory.reader import PageReader
from petstore_frame.inventory.rows import Rows
from petstore_frame.inventory.walk import NextOf
from petstore_frame.schema.models import pets_text


@dataclass(frozen=True)
class AnnouncedWay:
    """How to go on from page to page.

    Attributes:
        name: What announces the next page.
        next_of: Reads the next address out of a page's headers and its own address.
        spare: Further next links of the first page, which should lead to the same pets.
        doubt: Why the end of this way proves nothing, in words, or None.
    """

    name: str
    next_of: NextOf
    spare: tuple[str, ...] = ()
    doubt: str | None = None


def announced_way(reader: PageReader, first: Page, paths: Paths) -> AnnouncedWay | None:
    """Return the way that a first page shows, after a rehearsal where its meaning is not known."""
    if found := next_addresses(first.headers, first.address):
        if not paths.may_follow(found[0]):
            return None
        gap = passes_over(found[0], len(first))
        return AnnouncedWay("next links", paths.next_of, tuple(found[1:]), gap)
    named = next_value(first.headers)
    short = None if named is None else short_page(reader, first)
    name = None if short is None else rehearse_value(reader, first, short)
    if named is None or name is None:
        return None

    def next_of(headers: Headers, address: str) -> str | None:
        following = next_value(headers)
        if following is None:
            return None
        return reader.address(reader.params({name: following.value}))

    return AnnouncedWay(f"{named.header} headers", next_of)


class SpareLinks:
    """The further next links of a first page; ``read`` again goes on after a failure.

    Args:
        reader: Asks for pages, within its budget.
        rows: Takes the pets.
        paths: Tells which links may be followed.
    """

    def __init__(self, reader: PageReader, rows: Rows, paths: Paths) -> None:
        self._reader = reader
        self._rows = rows
        self._paths = paths
        self._tried = 0
        self._asked = 0
        self._pets = 0

    def read(self, addresses: tuple[str, ...]) -> str | None:
        """Return why the links leave the end of the first way in doubt, in words, or None."""
        for address in addresses[self._tried :]:
            if self._paths.may_follow(address):
                if not self._reader.spend():
                    break
                self._ask(address)
            self._tried += 1
        if self._pets:
            return f"another next link led to {self._pets} more"
        left = len(addresses) - self._asked
        if left:
            return f"{left} further next {'link was' if left == 1 else 'links were'} not read"
        return None

    def _ask(self, address: str) -> None:
        try:
            page = self._reader.ask(address).read()
        except CrossOriginError as problem:
            self._reader.probes["second next link"] = str(problem)
            return
        self._reader.note_page(page)
        self._pets += self._rows.add(page.columns)
        self._asked += 1
        found = f"{pets_text(self._pets)} not met on the first way"
        self._reader.probes["second next link"] = found
