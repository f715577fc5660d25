"""Builds the DataFrame that maps the keys of a user to pets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from petstore_frame.loader.journal.rows import KeyOfPet
from petstore_frame.loader.row_state import State
from petstore_frame.schema import as_type

if TYPE_CHECKING:
    import pandas as pd


def frame_of_keys(keys: Sequence[KeyOfPet]) -> pd.DataFrame:
    """Return one row per key: ``key`` str, ``id`` Int64, ``state`` category, ``source`` str."""
    import pandas as pd

    states = pd.CategoricalDtype([str(state) for state in State])
    return pd.DataFrame(
        {
            "key": as_type([key.key for key in keys], "str"),
            "id": pd.array([key.pet_id for key in keys], dtype="Int64"),
            "state": pd.Categorical([key.state for key in keys], dtype=states),
            "source": as_type([key.source for key in keys], "str"),
        }
    )
