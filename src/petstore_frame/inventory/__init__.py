"""How much of the store could be read, and how we know.

A caller begins with ``fetch_inventory`` or ``find_pet``. The strategies of ``reading`` read a
listing, in their order; each yields ``Evidence``, and ``weigh`` makes the verdict of all.
"""

from petstore_frame.inventory.completeness import Completeness, StatusCount
from petstore_frame.inventory.evidence import Assumption, Evidence, Fact, Shows, Verdict
from petstore_frame.inventory.fetch import PetSearch, fetch_inventory, find_pet
from petstore_frame.inventory.inventory import Inventory, completeness
from petstore_frame.inventory.provenance import HasProvenance, Provenance, provenance_of
from petstore_frame.inventory.saved_inventory import (
    describe_value,
    is_unchanged_csv,
    json_lines,
    read_listing,
    write_coverage,
    write_coverage_properties,
)
from petstore_frame.transport import Page

__all__ = [
    "Assumption",
    "Completeness",
    "Evidence",
    "Fact",
    "HasProvenance",
    "Inventory",
    "Page",
    "PetSearch",
    "Provenance",
    "Shows",
    "StatusCount",
    "Verdict",
    "completeness",
    "describe_value",
    "fetch_inventory",
    "find_pet",
    "is_unchanged_csv",
    "json_lines",
    "provenance_of",
    "read_listing",
    "write_coverage",
    "write_coverage_properties",
]
