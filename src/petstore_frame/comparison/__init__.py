"""Where our list and the store disagree."""

from petstore_frame.comparison.list_comparison import Comparison as Comparison
from petstore_frame.comparison.list_comparison import compare as compare
from petstore_frame.comparison.pet_matching import Kind as Kind

__all__ = ["Comparison", "Kind", "compare"]
