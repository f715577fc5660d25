"""Why a listing without an end in sight is not called whole.

In: its first page, and what the headers say. Out: a verdict and its reason, in words. It asks
nothing and proves nothing.
"""

from __future__ import annotations

from petstore_frame.inventory.completeness import Verdict
from petstore_frame.inventory.hints import (
    may_name_next,
    names_next,
    next_addresses,
    next_value,
    says_more,
)
from petstore_frame.page import Page


def why_not(
    first: Page, limit: int, *, total_is_larger: bool, may_probe: bool
) -> tuple[Verdict, str]:
    """Return what can be said of a listing of which only single pages could be read.

    Args:
        first: Its first page.
        limit: Pets asked for.
        total_is_larger: Whether the store states more pets than are held.
        may_probe: Whether a header that names a next page may be tried.
    """
    if total_is_larger:
        return Verdict.INCOMPLETE, "the server's own total is larger"
    is_linked = bool(next_addresses(first.headers, first.address))
    if is_linked or (not may_probe and names_next(first.headers, first.address)):
        return Verdict.INCOMPLETE, "the store names a next page, which was not read"
    if next_value(first.headers) is not None:
        return Verdict.UNKNOWN, "the store names a next page in a way that is not understood"
    if more := says_more(first.headers, first.address):
        return Verdict.UNKNOWN, f"the store says that there is more ({more})"
    if may_name_next(first.headers, first.address):
        return Verdict.UNKNOWN, "the store sends a header about a next page that cannot be read"
    if len(first) > limit:
        way = "so a page's length proves nothing"
        return Verdict.UNKNOWN, f"the store does not keep to the limit, {way}"
    if len(first) == limit:
        return Verdict.UNKNOWN, "the page was full and the store shows no way on"
    return Verdict.UNKNOWN, f"{len(first)} pets, as if the store cut its pages there"
