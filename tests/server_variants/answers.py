"""Stores of a few lines: a function from a query to its answer, and what a verdict tells."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any
from urllib.parse import urlencode

import httpx

import petstore_frame as pf
from petstore_frame.inventory import Assumption, Completeness, Evidence, Fact
from server_variants.habits import STATUSES

BASE_URL = "http://127.0.0.1:1/v1"
Query = dict[str, str]
Rows = list[dict[str, Any]]
Lines = Callable[[int, int], dict[str, str]]
Answer = Callable[[Query], httpx.Response]
Learned = Fact | Assumption


def pets(number: int, *statuses: str | None, first: int = 1) -> Rows:
    """Pets with ids from ``first`` on and the statuses in turn; None leaves the status out."""
    chosen = statuses or STATUSES
    return [pet(n, chosen[n % len(chosen)]) for n in range(first, first + number)]


def pet(pet_id: int, status: str | None, category_id: int = 1) -> dict[str, Any]:
    """A pet as a store sends it; None leaves the status out."""
    made = {"id": pet_id, "name": f"Pet {pet_id}", "categoryId": category_id}
    return made | ({"status": status} if status else {})


def of(rows: Rows, query: Query) -> Rows:
    """The pets that a query is about."""
    return [dict(row) for row in rows if query.get("status") in (None, row.get("status"))]


def served(
    rows: Rows, query: Query, by: str = "", cap: int = 100, states: Lines | None = None, **more: str
) -> httpx.Response:
    """A page of those asked for; the store goes on by links, offset, page, after, or not at all.

    ``states`` gives header lines from the page's first row and its length asked for.
    """
    rows, limit = of(rows, query), min(int(query.get("limit", "20")), cap)
    at = int(query.get("offset" if by == "offset" else "at", "0"))
    if by == "page":
        at = (int(query.get("page", "1")) - 1) * limit
    elif by == "after":
        rows = [row for row in rows if row["id"] > int(query.get("after", "0"))]
    headers = more | (states(at, limit) if states else {})
    if by == "links" and at + limit < len(rows):
        kept = {name: query[name] for name in ("limit", "status") if name in query}
        link = f'<?{urlencode(kept | {"at": str(at + limit)})}>; rel="next"'
        headers["Link"] = ", ".join(filter(None, [headers.get("Link"), link]))
    return listed(rows[at : at + limit], **headers)


def listed(rows: Rows, **headers: str) -> httpx.Response:
    """An answer of exactly these pets."""
    return httpx.Response(200, json=rows, headers=headers)


def refusal(status: int) -> httpx.Response:
    return httpx.Response(status, json={"code": "no", "message": "no", "status": status})


def client_of(answer: Answer, base_url: str = BASE_URL) -> pf.Client:
    """A client of such a store, which repeats nothing."""
    transport = httpx.MockTransport(lambda request: answer(dict(request.url.params)))
    return pf.Client(base_url, "a-key", transport=transport, retry_timeout=0)


def completeness_of(answer: Answer, base_url: str = BASE_URL, **options: Any) -> pf.Completeness:
    """What a fetch verdicts of such a store."""
    client = client_of(answer, base_url)
    return pf.fetch_inventory(client, progress=False, **options).completeness


def told(
    verdict: str, rows: int, *learned: Learned, exact: set[str] | None = None, **asked: Any
) -> Callable[[Answer], Callable[[], None]]:
    """Make a test of a store, whose docstring is the rule: what a fetch so asked comes to, what it
    has learned, and which statuses have exact counts."""

    def make(answer: Answer) -> Callable[[], None]:
        def test() -> None:
            completeness = completeness_of(answer, **asked)
            assert (completeness.verdict, completeness.rows) == (verdict, rows), completeness
            assert {*learned} <= facts(completeness) | {*completeness.assumptions}, (
                completeness.evidence
            )
            assert exact in (None, exact_counts(completeness)), exact_counts(completeness)

        test.__doc__ = answer.__doc__
        return test

    return make


def numbered(answer: Callable[[Query, int], httpx.Response]) -> Answer:
    """A store whose answer depends on the number of the request, from 1."""
    asked = count(1)
    return lambda query: answer(query, next(asked))


def facts(completeness: Completeness) -> set[Fact]:
    """Everything that was learned, whatever its numbers."""
    return {item.fact for item in completeness.evidence}


def exact_counts(completeness: Completeness) -> set[str]:
    """The statuses whose counts are exact."""
    return {status for status, count in completeness.by_status.items() if count.is_exact}


def evidence_of(completeness: Completeness, fact: Fact) -> Evidence:
    """What was learned of a fact, with its number and its text."""
    return next(item for item in completeness.evidence if item.fact is fact)
