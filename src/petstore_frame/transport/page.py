"""Parses a page of pets and the paging hints of its headers, such as the Link header.

The interface states none of these headers, and none proves anything until pages confirm it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import parse_qsl, urljoin

from petstore_frame.schema import Pet, PetColumns, count_text
from petstore_frame.transport.response import STORE_ID, Response

if TYPE_CHECKING:
    import pandas as pd

_ADDRESS = ("http://", "https://", "/", "?")
# The values that programs write if there is no next page.
_NOTHING = frozenset(("", "no", "null", "none", "undefined", "false", "0", "-1"))
_LIMIT = re.compile(r"[?&]limit=([0-9]{1,9})(?:[&#]|$)")
_STATUS = re.compile(r"[?&]status=([^&#]+)")
# Names of a parameter for the number of rows to skip, which ``inventory`` also tries.
OFFSET_NAMES = ("offset", "skip", "start", "_start")
# A proxy may have joined two headers. `1,000` may be one number or two, so it is ignored.
_COUNTS = re.compile(r"[0-9]{1,18}(?:, [0-9]{1,18})*")
# A Content-Range such as `items 0-99/250`; other units, such as bytes, do not count pets.
_RANGE = re.compile(r"(?:(?:items|pets)[\s=:]+|^)[0-9*][-0-9*]*/([0-9]{1,18})", re.IGNORECASE)
# The parts of a link (RFC 8288); commas and semicolons within quotes belong to the value.
_PARAMETER = re.compile(r'\s*;\s*([^\s=;,"<>]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?')
_AGE = re.compile(r"\s*([0-9]{1,9})")


def read_links(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the links of a ``Link`` header: each target as written, and its relations.

    A link whose ``anchor`` refers to another resource is ignored, as RFC 8288 (section 3.2)
    allows.

    Example:
        >>> list(read_links('<?page=2>; title="a, b"; REL="Next last",'))
        [('?page=2', ['next', 'last'])]
    """
    position = 0
    while (start := text.find("<", position)) >= 0:
        end = text.find(">", start)
        if end < 0:
            return
        parameters: dict[str, str] = {}
        position = end + 1
        while parameter := _PARAMETER.match(text, position):
            name, quoted, bare = parameter.groups(default="")
            parameters.setdefault(name.lower(), quoted or bare)
            position = parameter.end()
        if "anchor" not in parameters:
            yield text[start + 1 : end].strip(), parameters.get("rel", "").lower().split()


@dataclass(frozen=True, eq=False)
class Page:
    """One response to ``GET /pets``; ``for pet in page`` yields its pets, ``len()`` counts them.

    Attributes:
        columns: The pets as four lists, in the order received.
        headers: The headers of the response; the case of names does not matter.
        address: The full address of the request, to which a relative link is resolved.
        limit: The requested limit, or None for a next link without a limit.
        status: The requested status, or None.

    Example:
        >>> import petstore_frame as pf
        >>> with pf.serve(sample=3, seed=7) as server, server.client() as client:
        ...     page = client.list_pets(limit=2)
        >>> page
        <Page: 2 pets, as many as requested: the store may have more>
        >>> [pet.id for pet in page] == page.frame["id"].tolist()
        True
    """

    MAX_LIMIT: ClassVar[int] = 100  # maximum number of pets per page

    columns: PetColumns
    headers: Mapping[str, str]
    address: str = ""
    limit: int | None = None
    status: str | None = None

    @cached_property
    def next_address(self) -> str | None:
        """The full address of the next page, as ``Link`` or ``X-Next-Page`` names it, or None."""
        links = read_links(self.headers.get("Link", ""))
        targets = [target for target, relations in links if "next" in relations]
        if not targets:
            next_page = self.headers.get("X-Next-Page", "").strip()
            if not next_page.startswith(_ADDRESS):
                return None
            targets = [next_page]
        if targets[0].startswith(("http://", "https://")):
            return targets[0].partition("#")[0]
        try:
            return urljoin(self.address, targets[0]).partition("#")[0]
        except ValueError:  # the request to this address raises the error
            return targets[0]

    @property
    def next_skips(self) -> str:
        """The offset in the next link if it skips rows after the first page, or empty.

        A store that returns fewer pets than the limit may continue as if it had returned the limit.
        """
        for name, value in parse_qsl((self.next_address or "").partition("?")[2]):
            is_number = value.isascii() and value.isdigit() and len(value) < 19
            if name.lower() in OFFSET_NAMES and is_number and int(value) > len(self):
                return f"{name}={value}"
        return ""

    @cached_property
    def may_name_next(self) -> bool:
        """Whether any header names a next page, even in a link that cannot be read."""
        next_page = self.headers.get("X-Next-Page", "").strip()
        if self.next_address is not None or next_page.lower() not in _NOTHING:
            return True
        links = self.headers.get("Link", "").strip()
        return bool(links) and not any(read_links(links))

    @cached_property
    def total(self) -> int | None:
        """The largest total that ``X-Total-Count`` or ``Content-Range`` states, or None."""
        counts = self.headers.get("X-Total-Count", "").strip()
        totals = counts.split(", ") if _COUNTS.fullmatch(counts) else []
        totals += _RANGE.findall(self.headers.get("Content-Range", ""))
        return max(map(int, totals), default=None)

    @property
    def age_s(self) -> float:
        """The age of the response, from the ``Age`` header of a cache; 0 without one."""
        age = _AGE.match(self.headers.get("Age", ""))
        return 0.0 if age is None else float(age[1])

    def mismatches(self, status: str | None) -> int:
        """Return how many pets do not have the requested status; None requests any status."""
        if status is None:
            return 0
        return sum(pet_status != status for pet_status in self.columns.status)

    @property
    def store_id(self) -> str | None:
        """The ``X-Store-Id`` of the response (an extension), or None."""
        return self.headers.get(STORE_ID)

    @property
    def pets(self) -> list[Pet]:
        """The pets as models of the fields of the interface, built at each call."""
        return self.columns.pets()

    @property
    def frame(self) -> pd.DataFrame:
        """The pets as a table like that of an Inventory, built at each call.

        One row per pet: ``id`` int64, ``name`` str, ``category_id`` int64, ``status`` category.
        """
        return self.columns.to_frame()

    def __iter__(self) -> Iterator[Pet]:
        return iter(self.pets)

    def __len__(self) -> int:
        return len(self.columns.id)

    def __repr__(self) -> str:
        kind = f" with status {self.status}" if self.status else ""
        is_full = self.limit is not None and len(self) >= self.limit
        full = ", as many as requested: the store may have more" if is_full else ""
        return f"<Page: {count_text(len(self), 'pet')}{kind}{full}>"


def parse_page(
    response: Response, *, params: Mapping[str, str] | None = None, number: int | None = None
) -> Page:
    """Parse a response to ``GET /pets``.

    Args:
        response: The response.
        params: The query of the request; None takes limit and status from its address.
        number: The number of the page in a listing, for error messages.

    Raises:
        ContractError: The body is not a list of pets.
    """
    columns = PetColumns.from_json(response.body, operation=response.operation, page=number)
    if params is None:
        limit_match, status_match = _LIMIT.search(response.url), _STATUS.search(response.url)
        limit = None if limit_match is None else int(limit_match[1])
        status = None if status_match is None else status_match[1]
    else:
        limit = int(params["limit"]) if params.get("limit", "").isdecimal() else None
        status = params.get("status")
    return Page(columns, response.headers, response.url, limit, status)
