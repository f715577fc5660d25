"""Reads a response: its status, headers (with the Link header) and body, or a page of pets.

The interface states none of the headers of paging, and none proves anything until pages confirm it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self
from urllib.parse import parse_qsl, urljoin

from petstore_frame.schema import Pet, PetColumns

if TYPE_CHECKING:
    import pandas as pd

# Identifies a store, in its answers and in a POST for it; an extension of the interface.
STORE_ID = "X-Store-Id"
_ADDRESS = ("http://", "https://", "/", "?")
# What programs write if there is no next page.
_NOTHING = frozenset(("", "no", "null", "none", "undefined", "false", "0", "-1"))
_LIMIT = re.compile(r"[?&]limit=([0-9]{1,9})(?:[&#]|$)")
_STATUS = re.compile(r"[?&]status=([^&#]+)")
_OFFSETS = ("offset", "skip", "start", "_start")
# A proxy may have joined two lines into one; `1,000` may be one number or two, and is neither.
_COUNTS = re.compile(r"[0-9]{1,18}(?:, [0-9]{1,18})*")
# A Content-Range as `items 0-99/250`; a unit of another kind, such as bytes, counts no pets.
_RANGE = re.compile(r"(?:(?:items|pets)[\s=:]+|^)[0-9*][-0-9*]*/([0-9]{1,18})", re.IGNORECASE)
# Of a link (RFC 8288); commas and semicolons within quotes belong to the value.
_PARAMETER = re.compile(r'\s*;\s*([^\s=;,"<>]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?')
_AGE = re.compile(r"\s*([0-9]{1,9})")
MAX_BODY_BYTES = 64 * 2**20


def _parse_date(text: str) -> datetime | None:
    """Return the time of an HTTP date, or None if it is none."""
    try:
        parsed = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed


class BodyProblem(StrEnum):
    """Why a body is not there although its answer began."""

    CUT = "broke off"
    LATE = "was not over in the time allowed"
    LARGE = "is larger than 64 MiB"
    PACKED = "is compressed wrongly"


class Response(NamedTuple):
    """What came back for one request to ``url``; ``operation`` is its method and path.

    Names of ``headers`` match in any case. ``body`` is empty where there is a ``body_problem``.
    ``elapsed_s`` runs from the first byte out to the last byte in.
    """

    operation: str
    status_code: int
    headers: Mapping[str, str]
    body: bytes
    body_problem: BodyProblem | None
    elapsed_s: float
    url: str = ""

    @property
    def retry_after_s(self) -> float | None:
        """The seconds that the store asks to wait, or None; a date counts from its own clock."""
        text = self.headers.get("Retry-After", "").strip()
        if re.fullmatch("[0-9]{1,10}", text):
            return float(text)
        until = _parse_date(text)
        if until is None:
            return None
        now = _parse_date(self.headers.get("Date", "")) or datetime.now(UTC)
        return max(0.0, (until - now).total_seconds())


def read_links(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the links of a ``Link`` header: each target as written, and its relations.

    A link whose ``anchor`` makes it speak of another resource is left out, as RFC 8288
    (section 3.2) allows.

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
    """One answer to ``GET /pets``; ``for pet in page`` gives its pets, ``len()`` their number.

    Attributes:
        columns: The pets as four lists, in the order received.
        headers: The answer's header lines; names match in any case.
        address: The whole address asked, against which a relative link is read.
        limit: The limit asked for, or None for an address that the store named without one.
        status: The status filter asked for, or None.

    Example:
        >>> import petstore_frame as pf
        >>> with pf.serve(sample=3, seed=7) as server, server.client() as client:
        ...     page = client.list_pets(limit=2)
        >>> page
        <Page: 2 pets, as many as asked for: the store may hold more>
        >>> [pet.id for pet in page] == page.frame["id"].tolist()
        True
    """

    MAX_LIMIT: ClassVar[int] = 100  # pets of one page

    columns: PetColumns
    headers: Mapping[str, str]
    address: str = ""
    limit: int | None = None
    status: str | None = None

    @classmethod
    def of_address(cls, columns: PetColumns, headers: Mapping[str, str], address: str) -> Self:
        """Return the page of an address that the store named, with what its query asks for."""
        limit, status = _LIMIT.search(address), _STATUS.search(address)
        return cls(
            columns,
            headers,
            address,
            None if limit is None else int(limit[1]),
            None if status is None else status[1],
        )

    @cached_property
    def next_address(self) -> str | None:
        """The whole address of the next page, as ``Link`` or ``X-Next-Page`` names it, or None."""
        links = read_links(self.headers.get("Link", ""))
        targets = [target for target, relations in links if "next" in relations]
        if self._named_next.startswith(_ADDRESS):
            targets.append(self._named_next)
        if not targets:
            return None
        if targets[0].startswith(("http://", "https://")):
            return targets[0].partition("#")[0]
        try:
            return urljoin(self.address, targets[0]).partition("#")[0]
        except ValueError:  # it cannot be read, which whoever asks for it finds out
            return targets[0]

    @property
    def next_skips(self) -> str:
        """The offset of the next link where it skips rows behind those of a first page, or empty.

        A store that gives fewer pets than were asked for may count on as if it had given all.
        """
        for name, value in parse_qsl((self.next_address or "").partition("?")[2]):
            is_number = value.isascii() and value.isdigit() and len(value) < 19
            if name.lower() in _OFFSETS and is_number and int(value) > len(self):
                return f"{name}={value}"
        return ""

    @cached_property
    def may_name_next(self) -> bool:
        """Whether a next page is named in any way, or by a link that cannot be read."""
        text = self.headers.get("Link", "").strip()
        is_unclear = bool(text) and not any(read_links(text))
        return is_unclear or self.next_address is not None or bool(self._named_next)

    @property
    def _named_next(self) -> str:
        """What ``X-Next-Page`` names: an address, a number or a cursor; empty for no next page."""
        text = self.headers.get("X-Next-Page", "").strip()
        return "" if text.lower() in _NOTHING else text

    @cached_property
    def total(self) -> int | None:
        """The largest total that ``X-Total-Count`` or ``Content-Range`` states, or None."""
        counts = self.headers.get("X-Total-Count", "").strip()
        totals = counts.split(", ") if _COUNTS.fullmatch(counts) else []
        totals += _RANGE.findall(self.headers.get("Content-Range", ""))
        return max(map(int, totals), default=None)

    @property
    def age_s(self) -> float:
        """How old the answer was, as the ``Age`` header of a cache states it; 0 without one."""
        age = _AGE.match(self.headers.get("Age", ""))
        return 0.0 if age is None else float(age[1])

    def mismatches(self, status: str | None) -> int:
        """Return how many pets do not have the status that was asked for; None asks for any."""
        return 0 if status is None else sum(found != status for found in self.columns.status)

    @property
    def store_id(self) -> str | None:
        """The answer's ``X-Store-Id`` (an extension), or None."""
        return self.headers.get(STORE_ID)

    @property
    def pets(self) -> list[Pet]:
        """The pets as models of the fields of the interface, built anew at each call."""
        return self.columns.pets()

    @property
    def frame(self) -> pd.DataFrame:
        """The pets as a table like that of an Inventory, built anew at each call.

        One row per pet: ``id`` int64, ``name`` str, ``category_id`` int64, ``status`` category.
        """
        return self.columns.to_frame()

    def __iter__(self) -> Iterator[Pet]:
        return iter(self.pets)

    def __len__(self) -> int:
        return len(self.columns.id)

    def __repr__(self) -> str:
        pets = "pet" if len(self) == 1 else "pets"
        kind = f" with status {self.status}" if self.status else ""
        is_full = self.limit is not None and len(self) >= self.limit
        full = ", as many as asked for: the store may hold more" if is_full else ""
        return f"<Page: {len(self)} {pets}{kind}{full}>"
