"""Reads the pets of a store, and states with evidence whether these are all of them.

| part       | what to look for there                                                     |
|------------|----------------------------------------------------------------------------|
| `reading/` | requests, strategies, next links and page parameters; starts in `fetch.py` |
| `verdict/` | the facts of a reading, how they are weighed, and the Completeness         |
| `frame/`   | the Inventory, and what the current rows of a frame cover                  |
| `files/`   | inventories in data files                                                  |
"""

from petstore_frame.inventory.files.file_coverage import (
    exported_from,
    write_coverage,
    write_coverage_properties,
)
from petstore_frame.inventory.files.saved_inventory import describe_value, json_lines, read_listing
from petstore_frame.inventory.frame.coverage import (
    ATTRS_KEY,
    Coverage,
    HasProvenance,
    Provenance,
    completeness_of_counts,
    coverage_facts,
    provenance_of,
    rows_fingerprint,
)
from petstore_frame.inventory.frame.inventory import (
    Inventory,
    completeness,
    coverage_of,
    inventory_facts,
    inventory_of,
    select_part,
)
from petstore_frame.inventory.reading.fetch import fetch_inventory, fetch_or_raise
from petstore_frame.inventory.reading.pet_search import PetSearch, find_pet
from petstore_frame.inventory.verdict.completeness import (
    Bound,
    Completeness,
    StatusCount,
    evidence_lines,
    headline_html,
    requested_counts,
)
from petstore_frame.inventory.verdict.facts import Assumption, Evidence, Fact, Shows, Verdict
from petstore_frame.transport import Page

__all__ = [
    "ATTRS_KEY",
    "Assumption",
    "Bound",
    "Completeness",
    "Coverage",
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
    "completeness_of_counts",
    "coverage_facts",
    "coverage_of",
    "describe_value",
    "evidence_lines",
    "exported_from",
    "fetch_inventory",
    "fetch_or_raise",
    "find_pet",
    "headline_html",
    "inventory_facts",
    "inventory_of",
    "json_lines",
    "provenance_of",
    "read_listing",
    "requested_counts",
    "rows_fingerprint",
    "select_part",
    "write_coverage",
    "write_coverage_properties",
]
