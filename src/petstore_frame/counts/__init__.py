"""What the rows add up to, on any engine."""

from petstore_frame.counts.pet_table import category_ids, open_frame, pandas_frame, typed_frame
from petstore_frame.counts.summary import (
    Line,
    Summary,
    count_pets,
    short,
    status_text,
    summarize,
)

__all__ = [
    "Line",
    "Summary",
    "category_ids",
    "count_pets",
    "open_frame",
    "pandas_frame",
    "short",
    "status_text",
    "summarize",
    "typed_frame",
]
