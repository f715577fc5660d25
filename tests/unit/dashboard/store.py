"""A store in memory, and what a browser sends to a dashboard."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from itertools import takewhile
from threading import Lock
from typing import Any, NamedTuple

import httpx
import ipywidgets as widgets

from petstore_frame.client import Client
from petstore_frame.dashboard.kit import Live
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


def click(view: Live, **meant: str) -> None:
    """What a browser sends for a click on a mark: what the mark stands for."""
    view._handle_custom_msg(meant, [])


def upload(view: Live, name: str, content: bytes, **meant: str) -> None:
    """What a browser sends for a file chosen, dropped or pasted; of too large a one the size."""
    size = len(content)
    buffers = [memoryview(content)] if size <= view.largest else []
    view._handle_custom_msg({"upload": name, "size": size, **meant}, buffers)


class Element(NamedTuple):
    """An element on the screen: what it says, and what the browser sends when it is used."""

    view: Live
    tag: str
    attributes: dict[str, str | None]
    words: list[str]
    meant: dict[str, str]

    @property
    def text(self) -> str:
        return "".join(self.words).strip()

    @property
    def is_button(self) -> bool:
        is_mark = "pf-mark" in (self.attributes.get("class") or "")
        return (self.tag == "button" or is_mark) and "disabled" not in self.attributes


class _Elements(HTMLParser):
    """Finds the elements of a view."""

    def __init__(self, view: Live) -> None:
        super().__init__()
        self.found: list[Element] = []
        self._view, self._open = view, list[Element]()
        self.feed(view.markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = {name[5:]: text or "" for name, text in attrs if name.startswith("data-")}
        around = self._open[-1].meant if self._open else {}
        self.found.append(Element(self._view, tag, dict(attrs), [], around | own))
        if tag != "input":  # which has no end
            self._open.append(self.found[-1])

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop().tag != tag:
            pass

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.words.append(data)


class Screen:
    """What views show now, to be worked by what it says."""

    def __init__(self, *views: Live) -> None:
        self._views = views

    @property
    def elements(self) -> list[Element]:
        return [each for view in self._views for each in _Elements(view).found]

    @property
    def buttons(self) -> list[str]:
        """What can be pressed, by its words."""
        return [each.text for each in self.elements if each.is_button]

    def press(self, text: str) -> None:
        """Press the first button with these words."""
        found = next(each for each in self.elements if each.is_button and each.text == text)
        click(found.view, **found.meant)

    def choose(self, name: str, value: str) -> None:
        """Choose in a list, or write into a box, by its name; options by their words."""
        found, *options = self._named(name)
        words = {each.text: each.attributes.get("value") for each in options}
        click(found.view, **found.meant, value=words.get(value, value) or "")

    def chosen(self, name: str) -> str:
        """What a list or a box holds, by its name."""
        found, *options = self._named(name)
        if found.tag == "input":
            return found.attributes.get("value") or ""
        return next((each for each in options if "selected" in each.attributes), options[0]).text

    def _named(self, name: str) -> list[Element]:
        """The list or box of a name, and the options that follow it."""
        elements = self.elements
        at = [each.attributes.get("aria-label") for each in elements].index(name)
        options = takewhile(lambda each: each.tag == "option", elements[at + 1 :])
        return [elements[at], *options]
