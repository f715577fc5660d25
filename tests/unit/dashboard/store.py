"""A store in memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import httpx
import ipywidgets as widgets

from petstore_frame.client import Client
from unit.conftest import BASE_URL, Pet

KEY = "a-key-that-nobody-may-see"
LABELS = {1: "Cat", 2: "Dog", 3: "<b>Bird</b>"}
WAIT_S = 20


class MemoryStore(httpx.BaseTransport):
    """A store in memory, behind a real Client, that can be told to fail or to show one page only.

    Attributes:
        pets: What it holds, as wire objects.
        fails_after: How many requests it answers before it refuses all; None for no end.
        has_links: Whether a full page has a next link.
        at_pets: A number of pets, and what to call when it holds them; None for nothing.
    """

    def __init__(self, rows: Iterable[Pet] = (), *, has_links: bool = True) -> None:
        fields = ("id", "name", "categoryId", "status")
        self.pets = [dict(zip(fields, row if row[3] else row[:3], strict=False)) for row in rows]
        self.has_links = has_links
        self.fails_after: int | None = None
        self.at_pets: tuple[int, Callable[[], None]] | None = None
        self.requests, self.key = 0, KEY
        self._lock = Lock()

    def client(self, **_: object) -> Client:
        return Client(BASE_URL, KEY, transport=self, max_retries=0)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            self.requests += 1
            if request.headers["Authorization"] != f"Bearer {self.key}":
                error = {"code": "unauthorized", "message": "no such key", "status": 401}
                return httpx.Response(401, json=error)
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
        headers = {}
        if self.has_links and after + limit < len(found):
            query = httpx.QueryParams(params | {"limit": limit, "after": after + limit})
            headers["Link"] = f'<{BASE_URL}/pets?{query}>; rel="next"'
        return httpx.Response(200, json=found[after : after + limit], headers=headers)


@contextmanager
def widgets_made() -> Iterator[list[widgets.Widget]]:
    """Every widget that is made meanwhile."""
    made: list[widgets.Widget] = []
    widgets.Widget.on_widget_constructed(made.append)
    try:
        yield made
    finally:
        widgets.Widget.on_widget_constructed(None)
