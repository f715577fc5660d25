"""Where our list and the store disagree."""

from petstore_frame.stocktake.compare import Comparison as Comparison
from petstore_frame.stocktake.compare import compare as compare
from petstore_frame.stocktake.matching import Kind as Kind

__all__ = ["Comparison", "Kind", "compare"]
