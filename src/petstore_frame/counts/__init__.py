"""What the rows add up to, on any engine."""

from petstore_frame.counts.lines import Line
from petstore_frame.counts.pet_table import (
    category_ids,
    check_table,
    dated_counts,
    open_frame,
    pandas_frame,
    typed_frame,
)
from petstore_frame.counts.summary import Summary, count_pets, status_text, summarize
from petstore_frame.counts.words import short

__all__ = [
    "Line",
    "Summary",
    "category_ids",
    "check_table",
    "count_pets",
    "dated_counts",
    "open_frame",
    "pandas_frame",
    "short",
    "status_text",
    "summarize",
    "typed_frame",
]
