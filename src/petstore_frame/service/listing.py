"""What a listing request asks for, and where the next page begins.

In: a query string. Out: a checked ``Listing``; cursors in both directions.
It knows nothing of storage.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from petstore_frame.service.options import LimitPolicy
from petstore_frame.service.problems import Problem, invalid_parameter
from petstore_frame.service.rules import (
    INT64_MAX,
    INT64_MIN,
    LIMIT_DEFAULT,
    LIMIT_MAX,
    LIMIT_MIN,
    PET_STATUSES,
)

_DIGITS = re.compile(r"-?[0-9]{1,20}", re.ASCII)
START = INT64_MIN


class Listing(NamedTuple):
    """A checked request for one page; ``after`` is the id that the page starts behind."""

    limit: int
    status: str | None
    after: int


def read_listing(
    query: bytes,
    *,
    cursors: bool = True,
    strict: bool = False,
    limit_policy: LimitPolicy = "refuse",
) -> Listing:
    """Check the query of listPets.

    Raises:
        Problem: 400 ``invalid_parameter``, the parameter named.

    Interface: Endpoints, List all animals; Limits; the gaps as in ``rules``.
    """
    known = ("limit", "status", "cursor") if cursors else ("limit", "status")
    found: dict[str, str] = {}
    for name, value in _pairs(query):
        if name not in known:
            if strict:
                raise invalid_parameter("query", f"the parameter {name[:40]!r} is not known")
            continue
        if name in found:
            raise invalid_parameter(name, "is given more than once")
        found[name] = value
    status = _read_status(found.get("status"))
    return Listing(
        _read_limit(found.get("limit"), limit_policy), status, _read_cursor(found.get("cursor"))
    )


def refuse_query(query: bytes) -> None:
    """Refuse any parameter, for an operation that has none and a service that is strict."""
    for name, _ in _pairs(query):
        raise invalid_parameter("query", f"the parameter {name[:40]!r} is not known")


def next_query(listing: Listing, last_id: int) -> str:
    """Return the query of the page behind ``last_id``."""
    values: dict[str, str | int] = {"limit": listing.limit}
    if listing.status is not None:
        values["status"] = listing.status
    return urlencode({**values, "cursor": make_cursor(last_id)})


def make_cursor(last_id: int) -> str:
    return base64.urlsafe_b64encode(f"after:{last_id}".encode()).decode().rstrip("=")


def _pairs(query: bytes) -> list[tuple[str, str]]:
    try:
        text = query.decode("ascii")
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError:
        raise Problem(400, "invalid_parameter", "the query is not readable as UTF-8") from None


def _read_limit(value: str | None, policy: LimitPolicy) -> int:
    if value is None:
        return LIMIT_DEFAULT
    if not _DIGITS.fullmatch(value):
        raise invalid_parameter("limit", f"is a whole number from {LIMIT_MIN} to {LIMIT_MAX}")
    limit = int(value)
    if policy == "clamp":
        return min(max(limit, LIMIT_MIN), LIMIT_MAX)
    if not LIMIT_MIN <= limit <= LIMIT_MAX:
        raise invalid_parameter("limit", f"is {LIMIT_MIN} to {LIMIT_MAX}, got {limit}")
    return limit


def _read_status(value: str | None) -> str | None:
    if value is not None and value not in PET_STATUSES:
        raise invalid_parameter("status", f"is one of {', '.join(PET_STATUSES)}")
    return value


def _read_cursor(value: str | None) -> int:
    if value is None:
        return START
    try:
        padded = value.encode("ascii") + b"=" * (-len(value) % 4)
        text = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii")
    except (ValueError, binascii.Error):
        text = ""
    after = text.removeprefix("after:")
    # Only the spelling that this service makes is taken, so that one place has one address.
    if (
        _DIGITS.fullmatch(after)
        and INT64_MIN <= int(after) <= INT64_MAX
        and (make_cursor(int(after)) == value)
    ):
        return int(after)
    raise invalid_parameter("cursor", "is not one of this service; start again without it")
