"""One answer to ``GET /pets``.

In: the columns and header lines of one answer. Out: a Page. It sends nothing, and does not know
whether there is another page.
"""

from __future__ import annotations

from dataclasses import dataclass

from petstore_frame._transport import Headers
from petstore_frame.models import Pet, PetColumns


@dataclass(frozen=True)
class Page:
    """One answer to ``GET /pets``.

    Attributes:
        columns: The pets as four lists, in the order received.
        headers: The answer's header lines.
        limit: The limit asked for, or None for an address that the store gave.
        status: The status filter asked for, or None.
    """

    columns: PetColumns
    headers: Headers
    limit: int | None = None
    status: str | None = None

    @property
    def pets(self) -> list[Pet]:
        """The pets as models, built anew at each call."""
        return [
            Pet(id=pet_id, name=name, category_id=category_id, status=status)
            for pet_id, name, category_id, status in zip(*self.columns, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.columns.id)

    def __repr__(self) -> str:
        return f"<Page: {len(self)} pets, limit={self.limit}, status={self.status!r}>"
