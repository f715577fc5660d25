"""Every pet that can be read, with what is known of it.

In: a client. Out: an Inventory. It knows pages and claims, and no file or screen.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from petstore_frame.errors import PaginationLoopError
from petstore_frame.frame import join_columns, to_frame
from petstore_frame.inventory.completeness import Completeness, StatusCount, Verdict
from petstore_frame.inventory.held import Inventory
from petstore_frame.inventory.seal import seal
from petstore_frame.models import NO_STATUS, PET_STATUSES
from petstore_frame.page import Page

if TYPE_CHECKING:
    import pandas as pd


def fetch_inventory(
    client: Any,
    *,
    status: str | None = None,
    limit: int = 100,
    max_pets: int | None = None,
    strategy: str = "auto",
    progress: bool | Callable[[int], None] | None = None,
) -> Inventory:
    """Read every pet that can be read.

    Interface: Endpoints, List all animals.
    """
    pages: list[Page] = [client.list_pets(limit, status)]
    seen_links: set[str] = set()
    link = _next_link(pages[-1])
    while link is not None and (max_pets is None or sum(map(len, pages)) < max_pets):
        if link in seen_links:
            raise PaginationLoopError(f"the next link of page {len(pages)} was followed before")
        seen_links.add(link)
        pages.append(client.get_page(urljoin(client.base_url, link), status=status))
        link = _next_link(pages[-1])
    frame = to_frame(join_columns(page.columns for page in pages))
    claim = _claim(frame, pages, is_cut=link is not None, limit=limit, status=status)
    now = datetime.now(UTC)
    seal(frame, claim, fetched_at=now, base_url=client.base_url)
    return Inventory(frame, claim, now, client.base_url)


def _next_link(page: Page) -> str | None:
    found = re.search(r'<([^>]*)>;\s*rel="next"', page.headers.get("Link") or "")
    return found[1] if found else None


def _claim(
    frame: pd.DataFrame, pages: list[Page], *, is_cut: bool, limit: int, status: str | None
) -> Completeness:
    is_full = len(pages) == 1 and len(pages[0]) >= limit
    if is_cut:
        verdict, basis = Verdict.INCOMPLETE, "max_pets ended the listing before the store did"
    elif is_full:
        verdict, basis = Verdict.UNKNOWN, "the page was full and the store shows no way on"
    elif len(pages) > 1:
        verdict, basis = Verdict.COMPLETE, "the store's next links, followed to the end"
    else:
        verdict, basis = Verdict.COMPLETE, "one page, shorter than its limit"
    counts = Counter(frame["status"].astype("object").fillna(NO_STATUS))
    return Completeness(
        verdict,
        f"pets with status {status}" if status else "all pets",
        basis,
        rows=len(frame),
        requests=len(pages),
        by_status={
            name: StatusCount(counts[name], verdict is Verdict.COMPLETE)
            for name in (*PET_STATUSES, NO_STATUS)
        },
    )
