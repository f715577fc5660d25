"""How records become a table with fixed dtypes.

In: column lists of checked pets. Out: a DataFrame of one schema, also for zero rows.
pandas is imported here first, and only when a frame is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from petstore_frame.schema.models import PET_STATUSES, PetColumns
from petstore_frame.schema.surrogates import whole_text

if TYPE_CHECKING:
    import pandas as pd

PET_COLUMNS: tuple[str, ...] = ("id", "name", "category_id", "status")
_PIECE = 5_000


def to_frame(columns: PetColumns) -> pd.DataFrame:
    """Build the pets' table.

    Returns:
        One row per pet: ``id`` int64, ``name`` str, ``category_id`` int64, ``status`` category
        (available, pending, sold, then unknown values seen, sorted). A pet without a status has
        a missing value there, never "available".

    Example:
        >>> to_frame(PetColumns([], [], [], [])).dtypes.astype(str).to_dict()
        {'id': 'int64', 'name': 'str', 'category_id': 'int64', 'status': 'category'}
    """
    import numpy as np
    import pandas as pd

    categories = status_categories(columns.status)
    codes: dict[str | None, int] = {status: code for code, status in enumerate(categories)}
    codes[None] = -1
    return pd.DataFrame(
        {
            # A compact array is taken over through its buffer, not value by value.
            "id": np.asarray(columns.id, dtype="int64"),
            "name": _texts(columns.name),
            "category_id": np.asarray(columns.category_id, dtype="int64"),
            "status": pd.Categorical.from_codes(
                np.fromiter(map(codes.__getitem__, columns.status), dtype="int32"),
                categories=pd.Index(categories, dtype="str"),
            ),
        },
        columns=list(PET_COLUMNS),
    )


def _texts(values: Sequence[str]) -> pd.Series[str]:
    """Build a column of text piece by piece: made at once, it needs its own size again to grow."""
    import pandas as pd

    starts = range(0, max(len(values), 1), _PIECE)
    pieces = [pd.Series(values[at : at + _PIECE], dtype="str") for at in starts]
    return pd.concat(pieces, ignore_index=True)


def text_series(texts: Sequence[Any]) -> pd.Series[str]:
    """Build a column of any text; U+FFFD takes the place of a lone surrogate."""
    import pandas as pd

    try:
        return pd.Series(texts, dtype="str")
    except UnicodeEncodeError:
        return pd.Series([text and whole_text(text) for text in texts], dtype="str")


def status_categories(seen: Iterable[str | None]) -> list[str]:
    """Return the three statuses of the interface, then any other text seen, sorted."""
    others = set(seen) - {None, *PET_STATUSES}
    return [*PET_STATUSES, *sorted(str(status) for status in others)]
