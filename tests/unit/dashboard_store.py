"""A store in memory, inventories made by hand, and what a browser sends to a dashboard."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from threading import Lock
from typing import Any

import httpx
import ipywidgets as widgets

import petstore_frame as pf
from petstore_frame.client import Client
from petstore_frame.dashboard.kit import Live
from petstore_frame.inventory import Inventory, Verdict
from petstore_frame.schema.frame import PetColumns, to_frame

BASE_URL = "http://127.0.0.1:9/v1"
KEY = "a-key-that-nobody-may-see"
LABELS = {1: "Cat", 2: "Dog", 3: "<b>Bird</b>"}
WAIT_S = 20
AS_OF = datetime(2030, 1, 2, 9, 30, tzinfo=UTC)
Row = tuple[int, str, int, str | None]


def inventory(
    rows: Iterable[Row],
    verdict: Verdict = Verdict.COMPLETE,
    exact: Sequence[str] = (),
    status: str | None = None,
) -> Inventory:
    """Return an Inventory of these pets; ``exact`` names what is exact when it is not complete."""
    frame = to_frame(PetColumns(*zip(*rows, strict=True)))
    return Inventory.made_up(
        frame, verdict=verdict, exact=exact, status=status, fetched_at=AS_OF, base_url=BASE_URL
    )


def pets(count: int, categories: int = 3) -> list[Row]:
    """Return pets whose statuses and categories go round and round."""
    statuses = ("available", "pending", "sold", None)
    return [(at + 1, f"Pet {at}", at % categories + 1, statuses[at % 4]) for at in range(count)]


class MemoryStore(httpx.BaseTransport):
    """A store in memory, behind a real Client, that can be told to fail or to show one page only.

    Attributes:
        pets: What it holds, as wire objects.
        fails_after: How many requests it answers before it refuses all; None for no end.
        has_links: Whether a full page has a next link.
        at_pets: A number of pets, and what to call when it holds them; None for nothing.
    """

    def __init__(self, rows: Iterable[Row] = (), *, has_links: bool = True) -> None:
        self.pets = [
            {"id": pet_id, "name": name, "categoryId": category_id}
            | ({"status": status} if status else {})
            for pet_id, name, category_id, status in rows
        ]
        self.has_links = has_links
        self.fails_after: int | None = None
        self.at_pets: tuple[int, Callable[[], None]] | None = None
        self.requests = 0
        self._lock = Lock()

    def client(self) -> Client:
        return Client(BASE_URL, KEY, transport=self, max_retries=0)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            self.requests += 1
            if self.fails_after is not None and self.requests > self.fails_after:
                error = {"code": "broken", "message": "<b>the shelf fell</b>", "status": 500}
                return httpx.Response(500, json=error)
            if request.method == "POST":
                return self._create(json.loads(request.read()))
            return self._list(dict(request.url.params))

    def _create(self, pet: dict[str, Any]) -> httpx.Response:
        self.pets.append({"id": max((p["id"] for p in self.pets), default=0) + 1} | pet)
        if self.at_pets is not None and len(self.pets) == self.at_pets[0]:
            self.at_pets[1]()
        return httpx.Response(201, json=self.pets[-1])

    def _list(self, params: dict[str, str]) -> httpx.Response:
        status, limit = params.get("status"), int(params.get("limit", 20))
        after = int(params.get("after", 0)) if self.has_links else 0
        found = [pet for pet in self.pets if status in (None, pet.get("status"))]
        page, headers = found[after : after + limit], {}
        if self.has_links and after + limit < len(found):
            query = {"limit": limit, "after": after + limit} | (
                {"status": status} if status else {}
            )
            headers["Link"] = f'<{BASE_URL}/pets?{httpx.QueryParams(query)}>; rel="next"'
        return httpx.Response(200, json=page, headers=headers)


def press(group: widgets.ToggleButtons, index: int) -> None:
    """What a browser sends for a click on one of many buttons."""
    group.index = index
    group._handle_custom_msg({"event": "click"}, [])


def click(view: Live, **meant: str) -> None:
    """What a browser sends for a click on a mark: what the mark stands for."""
    view._handle_custom_msg(meant, [])


def upload(dashboard: pf.Dashboard, name: str, content: bytes) -> None:
    """What a browser sends for a file chosen."""
    file = {
        "name": name, "type": "text/csv", "size": len(content), "content": memoryview(content),
        "last_modified": AS_OF,
    }  # fmt: skip
    dashboard.import_tab.upload.value = (file,)
