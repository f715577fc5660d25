"""The pets as Parquet, with the claim in the file.

In: Facts. Out: one file with the frame's dtypes. Read back by pandas, its frame still carries the
claim: ``pf.completeness(pd.read_parquet(path))``.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from petstore_frame.counts.pet_table import category_ids
from petstore_frame.errors import MissingExtraError
from petstore_frame.inventory.seal import seal
from petstore_frame.report.facts import Facts

if TYPE_CHECKING:
    import pandas as pd


def write_parquet(facts: Facts, path: Path, *, advance: Callable[[int], None]) -> None:
    """Write the four columns, and the names of categories where they were given.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    check_parquet()
    import pandas as pd

    frame = facts.frame.copy(deep=False)
    if facts.labels:
        categories = category_ids(frame["category_id"])
        labels = {one: facts.label(one) for one in set(categories)}
        frame["category"] = pd.Series([labels[one] for one in categories], dtype="str")
    if facts.claim is not None and facts.as_of is not None and facts.base_url is not None:
        seal(frame, facts.claim, fetched_at=facts.as_of, base_url=facts.base_url)
    save_parquet(frame[facts.columns], path)
    advance(len(frame))


def check_parquet() -> None:
    """Refuse to begin where the library is not installed.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtraError("writing Parquet", "history")


def save_parquet(frame: pd.DataFrame, path: Path) -> None:
    """Write a frame as it is, its seal included."""
    frame.to_parquet(path, engine="pyarrow", compression="zstd", index=False)
