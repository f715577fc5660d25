"""What the headers of a page say about the rest of its listing.

In: header lines. Out: where the next page is said to be, and how many pets there are said to be.
All of it is hearsay until the pages bear it out; the interface states none of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urldefrag, urljoin

from petstore_frame._transport import Headers
from petstore_frame.links import targets

NEXT_HEADERS = (
    "X-Next",
    "X-Next-Page",
    "X-Next-Link",
    "X-Next-Cursor",
    "X-Next-Token",
    "Next-Page",
    "Next-Cursor",
)
TOTAL_HEADERS = ("X-Total-Count", "X-Total", "Total-Count", "Total-Records", "X-Total-Records")


@dataclass(frozen=True)
class NextValue:
    """A next page named by a header of its own.

    Attributes:
        header: The header's name.
        value: Its value: a page number, a cursor, whatever the store means.
    """

    header: str
    value: str


def next_addresses(headers: Headers, address: str) -> list[str]:
    """Return where the next page is said to be, as whole addresses, most trusted first.

    Args:
        headers: The page's header lines.
        address: The page's own address, against which a relative one is read.
    """
    found = targets(headers.get_all("Link"), "next")
    found += [
        value
        for name in NEXT_HEADERS
        for value in headers.get_all(name)
        if re.match(r"https?://|/|\?", value.strip())
    ]
    whole = (urldefrag(urljoin(address, target.strip())).url for target in found)
    return list(dict.fromkeys(whole))


def next_value(headers: Headers) -> NextValue | None:
    """Return the next page named by a header that is no address, or None."""
    for name in NEXT_HEADERS:
        value = (headers.get(name) or "").strip()
        if value and not re.match(r"https?://|/|\?", value):
            return NextValue(name, value)
    return None


def advertised_total(headers: Headers) -> int | None:
    """Return the number of pets that the store says the listing has, or None."""
    for name in TOTAL_HEADERS:
        text = (headers.get(name) or "").strip()
        if text.isascii() and text.isdigit() and len(text) < 19:
            return int(text)
    content_range = re.search(r"/\s*(\d{1,18})\s*$", headers.get("Content-Range") or "")
    return int(content_range[1]) if content_range else None
