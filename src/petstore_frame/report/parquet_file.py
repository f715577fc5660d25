"""The pets as Parquet, with the claim in the file.

In: Facts. Out: one file with the frame's dtypes. Read back by pandas, its frame still carries the
claim: ``pf.completeness(pd.read_parquet(path))``.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from petstore_frame.errors import MissingExtraError
from petstore_frame.inventory.seal import seal
from petstore_frame.pet_table import category_ids
from petstore_frame.report.facts import Facts


def write_parquet(facts: Facts, path: Path, *, advance: Callable[[int], None]) -> None:
    """Write the four columns, and the names of categories where they were given.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    if find_spec("pyarrow") is None:
        raise MissingExtraError("writing Parquet", "history")
    import pandas as pd

    frame = facts.frame.copy(deep=False)
    if facts.labels:
        categories = category_ids(frame["category_id"])
        labels = {one: facts.label(one) for one in set(categories)}
        frame["category"] = pd.Series([labels[one] for one in categories], dtype="str")
    if facts.claim is not None and facts.as_of is not None and facts.base_url is not None:
        seal(frame, facts.claim, fetched_at=facts.as_of, base_url=facts.base_url)
    frame[facts.columns].to_parquet(path, engine="pyarrow", compression="zstd", index=False)
    advance(len(frame))
