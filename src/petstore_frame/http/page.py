"""One answer to ``GET /pets``."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from petstore_frame._internal.has_frame import HasFrame
from petstore_frame.http.answer import STORE_ID, Headers
from petstore_frame.http.listing_headers import ListingHeaders
from petstore_frame.schema.frame import PetColumns, to_frame
from petstore_frame.schema.models import PET_COLUMNS, Pet
from petstore_frame.schema.text import pets_text

if TYPE_CHECKING:
    import pandas as pd


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
        return f"<Page: {pets_text(len(self))}{kind}{full}>"
