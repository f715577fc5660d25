"""Compares a list of the user with a store."""

from petstore_frame.comparison.comparison_columns import table_columns as table_columns
from petstore_frame.comparison.comparison_result import Comparison as Comparison
from petstore_frame.comparison.list_comparison import compare as compare
from petstore_frame.comparison.pet_matching import Kind as Kind

__all__ = ["Comparison", "Kind", "compare", "table_columns"]
