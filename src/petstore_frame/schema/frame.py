"""How pets become a table with the dtypes that the model states, also for zero rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from petstore_frame.schema.columns import PetColumns
from petstore_frame.schema.fields import FIELDS, Field
from petstore_frame.schema.models import PET_STATUSES
from petstore_frame.schema.text import whole_text

if TYPE_CHECKING:
    import pandas as pd

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
    import pandas as pd

    return pd.DataFrame(
        {field.name: _column(field, values) for field, values in zip(FIELDS, columns, strict=True)}
    )


def _column(field: Field, values: Sequence[Any]) -> Any:
    import numpy as np
    import pandas as pd

    if field.dtype == "int64":  # a compact array is taken over through its buffer
        return np.asarray(values, dtype="int64")
    if field.dtype == "str":
        return _texts(values)
    if field.dtype == "category":
        return _categories(values, field.values)
    return pd.array(values, dtype=field.dtype)


def _categories(values: Sequence[str | None], known: Sequence[str]) -> pd.Categorical:
    import numpy as np
    import pandas as pd

    categories = [*known, *_others(values, known)]
    codes: dict[str | None, int] = {value: code for code, value in enumerate(categories)}
    codes[None] = -1
    return pd.Categorical.from_codes(
        np.fromiter(map(codes.__getitem__, values), dtype="int32"),
        categories=pd.Index(categories, dtype="str"),
    )


def _others(seen: Iterable[str | None], known: Sequence[str]) -> list[str]:
    return sorted(str(value) for value in {*seen} - {None, *known})


def _texts(values: Sequence[Any]) -> pd.Series[str]:
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
    return [*PET_STATUSES, *_others(seen, PET_STATUSES)]
