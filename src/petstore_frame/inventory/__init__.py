"""How much of the store could be read, and how we know."""

from petstore_frame.inventory.completeness import (
    Assumption,
    Completeness,
    StatusCount,
    Verdict,
)
from petstore_frame.inventory.fetch import fetch_inventory
from petstore_frame.inventory.find import PetSearch
from petstore_frame.inventory.result import Inventory

__all__ = [
    "Assumption",
    "Completeness",
    "Inventory",
    "PetSearch",
    "StatusCount",
    "Verdict",
    "fetch_inventory",
]
