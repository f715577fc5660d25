"""One answer to ``GET /pets``."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from petstore_frame._internal.has_frame import HasFrame
from petstore_frame.http.headers import STORE_ID, Headers
from petstore_frame.inventory.stated import Stated
from petstore_frame.schema.columns import PetColumns
from petstore_frame.schema.decoding import read_page
from petstore_frame.schema.fields import PET_COLUMNS
from petstore_frame.schema.frame import to_frame
from petstore_frame.schema.models import Pet
from petstore_frame.schema.text import pets_text

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Page(HasFrame):
    """One answer to ``GET /pets``; ``for pet in page`` gives its pets, ``len()`` their number.

    Attributes:
        columns: The pets as four lists, in the order received.
        headers: The answer's header lines.
        limit: The limit asked for, or None for an address that the store gave.
        status: The status filter asked for, or None.
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
    limit: int | None = None
    status: str | None = None
    address: str = ""
    damaged: tuple[int, ...] = ()

    @cached_property
    def stated(self) -> Stated:
        """What the header lines state about the rest of the listing."""
        return Stated(self.headers, self.address)

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


@dataclass(frozen=True)
class UnreadPage:
    """A page whose body is not decoded yet, so that its headers can be acted on first.

    Attributes:
        body: The JSON bytes received.
        headers: The answer's header lines.
        operation: Method and path.
        address: The whole address asked.
    """

    body: bytes
    headers: Headers
    operation: str
    address: str

    @cached_property
    def stated(self) -> Stated:
        """What the header lines state about the rest of the listing."""
        return Stated(self.headers, self.address)

    def read(
        self, *, limit: int | None = None, status: str | None = None, number: int | None = None
    ) -> Page:
        """Check the body against the interface and return the Page.

        Args:
            limit: Noted in the Page.
            status: Noted in the Page.
            number: Number of the page in a listing, for error messages.

        Raises:
            ContractError: The body is not a list of pets.
        """
        columns, damaged = read_page(self.body, operation=self.operation, page=number)
        return Page(columns, self.headers, limit, status, self.address, damaged)
