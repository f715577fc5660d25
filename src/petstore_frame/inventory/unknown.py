"""Why a listing without an end in sight is not called whole.

In: its first page, and what the headers say. Out: the reason, in words. It asks nothing and
proves nothing: even a named next page may turn out to be empty.
"""

from __future__ import annotations

from petstore_frame.inventory.hints import (
    may_name_next,
    names_next,
    next_addresses,
    next_value,
    says_more,
)
from petstore_frame.inventory.page import Page
from petstore_frame.schema.models import pets_text


def why_unknown(first: Page, limit: int, *, is_filter_kept: bool, may_probe: bool) -> str:
    """Return why a listing of which only single pages could be read is not known to be whole.

    Args:
        first: Its first page.
        limit: Pets asked for.
        is_filter_kept: Whether the pages of the statuses fit the filter and the first page.
        may_probe: Whether a header that names a next page may be tried.
    """
    is_linked = bool(next_addresses(first.headers, first.address))
    if is_linked or (not may_probe and names_next(first.headers, first.address)):
        return "the store names a next page, which was not read"
    if next_value(first.headers) is not None:
        return "the store names a next page in a way that is not understood"
    if more := says_more(first.headers, first.address):
        return f"the store says that there is more ({more})"
    if may_name_next(first.headers, first.address):
        return "the store sends a header about a next page that cannot be read"
    if len(first) > limit:
        return "the store does not keep to the limit, so a page's length proves nothing"
    if len(first) == limit:
        return "the page was full and the store shows no way on"
    if not is_filter_kept:
        return "a page shorter than its limit, but the status filter cannot be relied on"
    return f"{pets_text(len(first))}, as if the store cut its pages there"
