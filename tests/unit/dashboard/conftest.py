"""A store in memory, and the dashboard of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

import petstore_frame as pf
from petstore_frame.dashboard.import_job import ImportJob
from petstore_frame.dashboard.import_tab import ImportTab
from petstore_frame.dashboard.kit import Kit
from unit.conftest import pets
from unit.dashboard.store import LABELS, WAIT_S, MemoryStore, Screen, upload


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(pets(240))


@pytest.fixture
def show() -> Iterator[Callable[..., pf.Dashboard]]:
    """Makes a dashboard of a store, which is closed after the test."""
    with ExitStack() as shown:
        yield lambda store, **more: shown.enter_context(
            closing(pf.Dashboard(store.client(), **more))
        )


@pytest.fixture
def dashboard(show, store: MemoryStore, tmp_path: Path) -> pf.Dashboard:
    return show(store, categories=LABELS, journal=tmp_path / "journal", folder=tmp_path)


class Importing:
    """An Import tab as a person works it, without a browser; each step waits for its end."""

    def __init__(self, tab: ImportTab, folder: Path, store: MemoryStore) -> None:
        self.tab, self.folder, self.store = tab, folder, store
        self.screen = Screen(tab.top, tab.view)
        self._before = len(store.pets)
        self.sent: list[tuple[str, bytes]] = []
        tab.view.download = lambda content, name: self.sent.append((name, content))

    @property
    def text(self) -> str:
        """All that is on the screen, as markup."""
        return self.tab.top.markup + self.tab.message.value + self.tab.view.markup

    @property
    def offer(self) -> str:
        """What the button says that sends, empty where it cannot be pressed."""
        return next((text for text in self.screen.buttons if text.startswith("Send")), "")

    @property
    def cards(self) -> dict[str, str]:
        """The key figures on the screen."""
        found = re.findall(r'faint">([^<]+)</span><b [^>]*>([^<]+)</b>', self.tab.view.markup)
        return dict(found)

    @property
    def names(self) -> list[str]:
        """The pets that were added, by name."""
        return [pet["name"] for pet in self.store.pets[self._before :]]

    def upload(self, name: str, content: bytes | str, **meant: str) -> Importing:
        data = content.encode() if isinstance(content, str) else content
        upload(self.tab.top, name, data, **meant)
        return self._settled()

    def open(self, name: str, content: str) -> Importing:
        """Write a file and give its path."""
        (self.folder / name).write_text(content, encoding="utf-8")
        return self.choose("or its path", str(self.folder / name))

    def press(self, text: str) -> Importing:
        """Press the button with these words, or the one that has them among others."""
        buttons = self.screen.buttons
        self.screen.press(text if text in buttons else next(b for b in buttons if text in b))
        return self._settled()

    def choose(self, name: str, value: str) -> Importing:
        self.screen.choose(name, value)
        return self._settled()

    def tick(self, **meant: str) -> Importing:
        view = self.tab.top if "state" in meant else self.tab.view
        view.used(meant | {"value": "true"})
        return self._settled()

    def send(self) -> Importing:
        return self.press(self.offer)

    def when_told(self, words: str, act: Callable[[], object]) -> None:
        """Do something each time that the message has these words."""
        self.tab.message.observe(lambda change: words in change.new and act(), "value")

    def _settled(self) -> Importing:
        assert self.tab.wait(WAIT_S)
        return self


@pytest.fixture
def importing(dashboard: pf.Dashboard, tmp_path: Path, store: MemoryStore) -> Importing:
    """The Import tab of the dashboard."""
    return Importing(dashboard.import_tab, tmp_path, store)


@pytest.fixture
def import_into(tmp_path: Path) -> Iterator[Callable[..., Importing]]:
    """Makes an Import tab of its own into a store, without labels of categories."""
    with ExitStack() as tabs:

        def make(store: MemoryStore, **options: Any) -> Importing:
            given = {"journal": tmp_path / "j", "results": tmp_path} | options
            tab = ImportTab(Kit(), ImportJob(store.client(), {}, **given), lambda: None)
            return Importing(tabs.enter_context(closing(tab)), tmp_path, store)

        yield make
