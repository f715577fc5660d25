"""Stores of a few lines: a function from a query to its answer, and pets to answer with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx

import petstore_frame as pf

BASE_URL = "http://127.0.0.1:1/v1"
STATUSES = ("available", "pending", "sold")
Query = dict[str, str]
Rows = list[dict[str, Any]]
Answer = Callable[[Query], httpx.Response]


def pets(count: int, *statuses: str | None, first: int = 1) -> Rows:
    """Pets with ids from ``first`` on and the statuses in turn; None leaves the status out."""
    chosen = statuses or STATUSES
    return [
        {"id": n, "name": f"Pet {n}", "categoryId": 1}
        | ({"status": chosen[n % len(chosen)]} if chosen[n % len(chosen)] else {})
        for n in range(first, first + count)
    ]


def of(rows: Rows, query: Query) -> Rows:
    """The pets that a query is about."""
    return [dict(pet) for pet in rows if query.get("status") in (None, pet.get("status"))]


def client_of(answer: Answer, base_url: str = BASE_URL) -> pf.Client:
    """A client of such a store, which repeats nothing."""
    transport = httpx.MockTransport(lambda request: answer(dict(request.url.params)))
    return pf.Client(base_url, "a-key", transport=transport, max_retries=0)


def known_of(answer: Answer, base_url: str = BASE_URL, **options: Any) -> pf.Completeness:
    """What a fetch verdicts of such a store."""
    client = client_of(answer, base_url)
    return pf.fetch_inventory(client, progress=False, **options).completeness
