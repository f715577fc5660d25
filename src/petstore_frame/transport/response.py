"""What came back for one request: its status, header lines and body, or a page of pets.

The interface states none of the headers of paging, and none proves anything until pages confirm it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, parse_qsl, urlsplit

from petstore_frame.schema.frame import HasFrame, PetColumns, to_frame
from petstore_frame.schema.models import PET_COLUMNS, Pet
from petstore_frame.schema.text import count_text
from petstore_frame.transport.links import join_link, read_links

if TYPE_CHECKING:
    import pandas as pd

# Identifies a store, in its answers and in a POST for it; an extension of the interface.
STORE_ID = "X-Store-Id"
_ADDRESS = ("http://", "https://", "/", "?")
# What programs write if there is no next page.
_NOTHING = frozenset(("", "no", "null", "none", "undefined", "false", "0", "-1"))
_OFFSETS = ("offset", "skip", "start", "_start")
_COUNT = re.compile(r"[0-9]{1,18}|[0-9]{1,3}(?:,[0-9]{3}){1,5}")
# A Content-Range as `items 0-99/250`; a unit of another kind counts no pets.
_RANGE = re.compile(r"(?:([a-z]+)[\s=:]+)?[0-9*][-0-9*]*/([0-9]{1,18})", re.IGNORECASE)
_OTHER_UNITS = frozenset(("bytes", "octets", "pages"))


class BodyProblem(StrEnum):
    """Why a body is not there although its answer began."""

    CUT = "broke off"
    LATE = "was not over in the time allowed"
    LARGE = "is larger than 64 MiB"
    PACKED = "is compressed twice, or wrongly"


class Headers:
    """The header lines of an answer, in order; names match in any case."""

    def __init__(self, lines: Iterable[tuple[str | bytes, str | bytes]]) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in lines:
            self._values.setdefault(_lower(name), []).append(_text(value))

    def get(self, name: str) -> str | None:
        """Return the value of the first line with this name, or None."""
        values = self._values.get(name.lower())
        return values[0] if values else None

    def get_all(self, name: str) -> list[str]:
        """Return the values of all lines with this name."""
        return [*self._values.get(name.lower(), ())]

    @property
    def names(self) -> Collection[str]:
        """The distinct names, in lower case."""
        return self._values.keys()


@lru_cache(maxsize=256)  # a store sends the same dozen names with each answer
def _lower(name: str | bytes) -> str:
    return _text(name).lower()


def _text(part: str | bytes) -> str:
    return part if isinstance(part, str) else part.decode("latin-1")


class Response(NamedTuple):
    """What came back for one request to ``url``; ``operation`` is its method and path.

    ``body`` is empty where there is a ``body_problem``. ``elapsed_s`` runs from the first byte out
    to the last byte in.
    """

    operation: str
    status_code: int
    headers: Headers
    body: bytes
    body_problem: BodyProblem | None
    elapsed_s: float
    url: str = ""

    @property
    def retry_after_s(self) -> float | None:
        """The seconds that the store asks to wait, or None."""
        return read_retry_after(self.headers.get("Retry-After"))


def read_retry_after(text: str | None, now: datetime | None = None) -> float | None:
    """Return the seconds of a Retry-After header, in either form; None if it cannot be read.

    Example:
        >>> read_retry_after("7")
        7.0
        >>> read_retry_after("soon") is None
        True
    """
    if text is None:
        return None
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) <= 10:
        return float(text)
    from email.utils import parsedate_to_datetime  # large, and few answers need it

    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


@dataclass(frozen=True, eq=False)
class Page(HasFrame):
    """One answer to ``GET /pets``; ``for pet in page`` gives its pets, ``len()`` their number.

    Attributes:
        columns: The pets as four lists, in the order received.
        headers: The answer's header lines.
        address: The whole address asked, against which a relative link is read.
        damaged: Ids of the pets with half a character in a text, such as an emoji that was cut;
            U+FFFD replaces it.

    Example:
        >>> import petstore_frame as pf
        >>> with pf.serve(sample=3, seed=7) as server, server.client() as client:
        ...     page = client.list_pets(limit=2)
        >>> page
        <Page: 2 pets, as many as asked for: the store may hold more>
        >>> [pet.id for pet in page] == page.frame["id"].tolist()
        True
    """

    columns: PetColumns
    headers: Headers
    address: str = ""
    damaged: tuple[int, ...] = ()

    @cached_property
    def limit(self) -> int | None:
        """The limit asked for, or None for an address of the store's without one."""
        text = self._asked("limit")
        return int(text) if text is not None and text.isdecimal() else None

    @cached_property
    def status(self) -> str | None:
        """The status filter asked for, or None."""
        return self._asked("status")

    def _asked(self, name: str) -> str | None:
        return parse_qs(urlsplit(self.address).query).get(name, [None])[0]

    @cached_property
    def next_address(self) -> str | None:
        """The whole address of the next page, as ``Link`` or ``X-Next-Page`` names it, or None."""
        links = (link for line in self.headers.get_all("Link") for link in read_links(line))
        targets = [target for target, relations in links if "next" in relations]
        if self._named_next.startswith(_ADDRESS):
            targets.append(self._named_next)
        return join_link(self.address, targets[0]) if targets else None

    @cached_property
    def may_name_next(self) -> bool:
        """Whether a next page is named in any way, or by a link that cannot be read."""
        lines = self.headers.get_all("Link")
        is_unclear = any(line.strip() and not any(read_links(line)) for line in lines)
        return is_unclear or self.next_address is not None or bool(self._named_next)

    @property
    def _named_next(self) -> str:
        """What ``X-Next-Page`` names: an address, a number or a cursor; empty for no next page."""
        text = (self.headers.get("X-Next-Page") or "").strip()
        return "" if text.lower() in _NOTHING else text

    @cached_property
    def total(self) -> int | None:
        """The largest total that ``X-Total-Count`` or ``Content-Range`` states, or None."""
        # A proxy may have joined two lines into one.
        counts = [
            part.strip()
            for line in self.headers.get_all("X-Total-Count")
            for part in line.split(", ")
        ]
        totals = [int(text.replace(",", "")) for text in counts if _COUNT.fullmatch(text)]
        for line in self.headers.get_all("Content-Range"):
            found = _RANGE.findall(line)
            totals += [int(text) for unit, text in found if unit.lower() not in _OTHER_UNITS]
        return max(totals, default=None)

    @property
    def age_s(self) -> float:
        """How old the answer was, as the ``Age`` header of a cache states it; 0 without one."""
        text = (self.headers.get("Age") or "").strip()
        return float(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0.0

    def mismatches(self, status: str | None) -> int:
        """Return how many pets do not have the status that was asked for; None asks for any."""
        return 0 if status is None else sum(found != status for found in self.columns.status)

    def ids_with(self, status: str) -> set[int]:
        """Return the ids of the pets with a status."""
        pairs = zip(self.columns.id, self.columns.status, strict=True)
        return {pet_id for pet_id, found in pairs if found == status}

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
        return to_frame(self.columns)

    def __iter__(self) -> Iterator[Pet]:
        return iter(self.pets)

    def __len__(self) -> int:
        return len(self.columns.id)

    def _columns(self) -> Collection[str]:
        return PET_COLUMNS

    def __repr__(self) -> str:
        kind = f" with status {self.status}" if self.status else ""
        is_full = self.limit is not None and len(self) >= self.limit
        full = ", as many as asked for: the store may hold more" if is_full else ""
        return f"<Page: {count_text(len(self), 'pet')}{kind}{full}>"


def passes_over(address: str, count: int) -> str | None:
    """Return the offset in a link where it skips rows behind the ``count`` given so far, or None.

    Example:
        >>> passes_over("?limit=100&offset=100", 50), passes_over("?limit=100&offset=50", 50)
        ('offset=100', None)
    """
    for name, value in parse_qsl(address.partition("?")[2]):
        is_number = value.isascii() and value.isdigit() and len(value) < 19
        if name.lower() in _OFFSETS and is_number and int(value) > count:
            return f"{name}={value}"
    return None
