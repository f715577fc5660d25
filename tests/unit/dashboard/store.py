"""A store in memory that answers as a test says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import ipywidgets as widgets

import petstore_frame as pf
from petstore_frame.testing import FakeStore
from unit.conftest import Pet

LABELS = {1: "Cat", 2: "Dog", 3: "<b>Bird</b>"}
WAIT_S = 20
BROKEN = 500, b'{"code": "broken", "message": "<b>the shelf fell</b>", "status": 500}', {}


class MemoryStore(FakeStore):
    """A store in memory; ``reply`` gets the method, the body, and what answers as usual.

    Without ``has_links`` it shows one page only.
    """

    def __init__(self, rows: Iterable[Pet] = (), *, has_links: bool = True) -> None:
        names = ("id", "name", "category_id", "status")
        super().__init__(dict(zip(names, row, strict=True)) for row in rows)
        self.has_links = has_links
        self.reply: Callable[..., Any] = lambda method, body, answer: answer()

    def client(self, **_: object) -> pf.Client:
        return super().client(retry_timeout=0)

    def _answer(self, *request: Any) -> Any:
        method, path, query, headers, body = request
        if not self.has_links:
            query = {name: value for name, value in query.items() if name != "after"}
        answer = partial(super()._answer, method, path, query, headers, body)
        status, text, more = self.reply(method, body, answer)
        return status, text, more if self.has_links else {}


@contextmanager
def widgets_made() -> Iterator[list[widgets.Widget]]:
    """Every widget that is made meanwhile."""
    made: list[widgets.Widget] = []
    widgets.Widget.on_widget_constructed(made.append)
    try:
        yield made
    finally:
        widgets.Widget.on_widget_constructed(None)
