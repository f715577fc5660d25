"""How much of the store could be read, and how we know.

A caller begins with ``fetch`` or ``find``. The functions of ``strategies`` read a listing, in their
order; each yields ``evidence``, and its ``weigh`` makes the verdict of all.
"""

from petstore_frame.inventory.completeness import Completeness, StatusCount
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact, Shows, Verdict
from petstore_frame.inventory.fetch import fetch_inventory
from petstore_frame.inventory.pet_search import PetSearch, find_pet
from petstore_frame.inventory.provenance import Provenance
from petstore_frame.inventory.result import Inventory
from petstore_frame.transport import Page

__all__ = [
    "Assumption",
    "Completeness",
    "Evidence",
    "Fact",
    "Inventory",
    "Page",
    "PetSearch",
    "Provenance",
    "Shows",
    "StatusCount",
    "Verdict",
    "fetch_inventory",
    "find_pet",
]
