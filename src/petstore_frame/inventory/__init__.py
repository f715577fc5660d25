"""How much of the store could be read, and how we know."""

from petstore_frame.inventory.completeness import Completeness, StatusCount, Verdict
from petstore_frame.inventory.fetch import fetch_inventory
from petstore_frame.inventory.held import Inventory

__all__ = ["Completeness", "Inventory", "StatusCount", "Verdict", "fetch_inventory"]
