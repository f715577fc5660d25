"""How much of the store could be read, and how we know.

``fetch`` and ``find`` are the ways in. A listing is read by the functions of ``strategies``, in
their order; each yields ``evidence``, and ``weigh`` says what all of it comes to.
"""

from petstore_frame.http.page import Page
from petstore_frame.inventory.completeness import Completeness, StatusCount, Verdict
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact, Shows
from petstore_frame.inventory.fetch import fetch_inventory
from petstore_frame.inventory.origin import Origin
from petstore_frame.inventory.pet_search import PetSearch, find_pet
from petstore_frame.inventory.result import Inventory

__all__ = [
    "Assumption",
    "Completeness",
    "Evidence",
    "Fact",
    "Inventory",
    "Origin",
    "Page",
    "PetSearch",
    "Shows",
    "StatusCount",
    "Verdict",
    "fetch_inventory",
    "find_pet",
]
