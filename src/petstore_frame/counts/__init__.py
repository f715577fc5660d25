"""What the rows add up to, on any engine."""

from petstore_frame.counts.pet_table import (
    category_ids,
    open_frame,
    pandas_frame,
    typed_frame,
)
from petstore_frame.counts.summary import Line, Summary, count_pets, status_text, summarize
from petstore_frame.counts.words import added, counted, shares_in_words, short

__all__ = [
    "Line",
    "Summary",
    "added",
    "category_ids",
    "count_pets",
    "counted",
    "open_frame",
    "pandas_frame",
    "shares_in_words",
    "short",
    "status_text",
    "summarize",
    "typed_frame",
]
