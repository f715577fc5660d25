"""How much of the store could be read, and how we know.

In: something that asks a store for a page or a pet. Out: an Inventory, the pets with a claim.

- ``fetch`` and ``find`` are the ways in; ``reader`` (ages, progress) asks, ``rows`` holds the pets.
- ``strategies`` tries each kind of evidence in turn: ``opening``, ``announced`` (hints, paths,
  paging_headers), ``shortness`` (statuses, together), ``calibrate``, ``totals``, ``by_status``;
  ``ids`` asks id by id. ``readings`` (walk, stride, flaws) reads a listing to its end.
- ``finding`` is what the evidence shows, ``weighing`` checks it against everything met on the way,
  and ``unknown`` says why nothing is proven.
- ``completeness`` is the claim, ``evidence`` and ``claim_view`` show it, ``seal`` keeps it with the
  frame; ``result`` (view) has both.
"""

from petstore_frame.inventory.completeness import (
    Assumption,
    Completeness,
    StatusCount,
    Verdict,
)
from petstore_frame.inventory.fetch import fetch_inventory
from petstore_frame.inventory.find import PetSearch
from petstore_frame.inventory.result import Inventory
from petstore_frame.inventory.source import Source

__all__ = [
    "Assumption",
    "Completeness",
    "Inventory",
    "PetSearch",
    "Source",
    "StatusCount",
    "Verdict",
    "fetch_inventory",
]
