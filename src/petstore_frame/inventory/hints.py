"""What the headers of a page state about the rest of its listing.

In: header lines. Out: where the next page is, and how many pets there are, as the store states it.
Nothing of this is proof until the pages confirm it; the interface states none of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urljoin, urlsplit

from petstore_frame.headers import Headers
from petstore_frame.links import read_links, targets

NEXT_HEADERS = (
    "X-Next",
    "X-Next-Page",
    "X-Next-Link",
    "X-Next-Cursor",
    "X-Next-Token",
    "Next-Page",
    "Next-Cursor",
)
OFFSET_NAMES = ("offset", "skip", "start")
# What programs write into such a header where there is no next page.
NO_VALUES = frozenset(("null", "none", "nil", "undefined", "false"))
# The same in numbers: no page has such a number, but a cursor may be an id.
NO_NUMBERS = frozenset(("0", "-1"))
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
    """Return the stated addresses of the next page, whole, most trusted first.

    Args:
        headers: The page's header lines.
        address: The page's own address, against which a relative one is read.
    """
    found = targets(headers.get_all("Link"), "next")
    found += filter(_is_address, headers.get_all(*NEXT_HEADERS))
    return list(dict.fromkeys(_whole(address, target.strip()) for target in found))


def _whole(address: str, target: str) -> str:
    # Most servers write the whole address, and then nothing needs to be put together.
    if not target.startswith(("http://", "https://")):
        target = urljoin(address, target)
    return target.partition("#")[0]


def _is_address(value: str) -> bool:
    return value.strip().startswith(("http://", "https://", "/", "?"))


def next_value(headers: Headers) -> NextValue | None:
    """Return the next page named by a header that is not an address, or None."""
    for name in NEXT_HEADERS:
        value = (headers.get(name) or "").strip()
        if value and not _is_address(value) and value.lower() not in NO_VALUES | NO_NUMBERS:
            return NextValue(name, value)
    return None


def passes_over(address: str, count: int) -> str | None:
    """Say that an address begins behind the rows that were given so far, or None."""
    for name, value in parse_qsl(urlsplit(address).query):
        if name in OFFSET_NAMES and value.isdecimal() and int(value) > count:
            return f"the next link goes on at {name}={value} after {count} rows"
    return None


def names_next(headers: Headers, address: str) -> bool:
    """Tell whether a page's headers name another page, in a way understood or not."""
    return bool(next_addresses(headers, address)) or next_value(headers) is not None


def may_name_next(headers: Headers, address: str) -> bool:
    """Tell whether a page's headers name another page, or hold a Link line that cannot be read."""
    unread = (line for line in headers.get_all("Link") if line.strip() and not read_links([line]))
    if names_next(headers, address) or next(unread, None) is not None:
        return True
    cursors = headers.get_all(*(name for name in NEXT_HEADERS if not name.endswith("Page")))
    return any(value.strip() in NO_NUMBERS for value in cursors)


def advertised_totals(headers: Headers) -> list[int]:
    """Return the distinct totals that the store states for the listing, largest first."""
    texts = [(headers.get(name) or "").strip() for name in TOTAL_HEADERS]
    texts += re.findall(r"/\s*(\d+)\s*$", headers.get("Content-Range") or "", re.ASCII)
    found = {int(text) for text in texts if text.isascii() and text.isdigit() and len(text) < 19}
    return sorted(found, reverse=True)


def advertised_total(headers: Headers) -> int | None:
    """Return the largest total that the store states for the listing, or None."""
    return next(iter(advertised_totals(headers)), None)
