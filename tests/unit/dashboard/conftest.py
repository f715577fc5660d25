"""A store in memory, and the dashboard of it, worked by the values of its controls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path

import pytest

import petstore_frame as pf
from petstore_frame.dashboard.import_tab import ImportTab
from unit.conftest import pets
from unit.dashboard.store import LABELS, WAIT_S, MemoryStore


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(pets(240))


@pytest.fixture
def failures() -> list[Exception]:
    """What the functions of controls have raised, which a test takes out."""
    return []


@pytest.fixture
def show(monkeypatch, failures) -> Iterator[Callable[..., pf.Dashboard]]:
    """Makes a dashboard of a store, which is closed after the test; what fails is raised."""
    monkeypatch.setattr(pf.Dashboard, "_show_failure", lambda _, problem: failures.append(problem))
    with ExitStack() as shown:
        yield lambda store, **more: shown.enter_context(
            closing(pf.Dashboard(store.client(), **more))
        )
    assert failures == []


@pytest.fixture
def dashboard(show, store: MemoryStore, tmp_path: Path) -> pf.Dashboard:
    return show(store, categories=LABELS, journal=tmp_path / "journal", folder=tmp_path)


class Importing:
    """An Import tab as a person works it; each step waits for its end."""

    def __init__(self, tab: ImportTab, folder: Path, store: MemoryStore) -> None:
        self.tab, self.folder, self.store = tab, folder, store
        self._before = len(store.pets)

    @property
    def text(self) -> str:
        """What is said about the file, as markup."""
        tab = self.tab
        parts = (tab.notice, tab._told, tab._cards, tab._question, tab._result, tab._left)
        return "".join(part.value for part in parts) + tab.words._asked.value

    @property
    def offer(self) -> str:
        """What the button says that sends, empty where it cannot be pressed."""
        return "" if self.tab.send.disabled else self.tab.send.description

    @property
    def names(self) -> list[str]:
        """The names of the pets that were added, sorted: several are sent at once."""
        return sorted(pet.name for pet in self.store.pets[self._before :])

    @property
    def words(self) -> dict[tuple[str, str], str]:
        """What each word means now."""
        return {name: control.value for name, control in self.tab.words.words.items()}

    def open(self, name: str, content: str | bytes) -> Importing:
        """Choose a file, as a browser uploads it."""
        data = content.encode() if isinstance(content, str) else content
        upload = {"name": name, "content": data, "size": len(data), "type": ""}
        self.tab.file.value = [upload | {"last_modified": datetime.now().astimezone()}]
        return self.settled()

    def mean(self, field: str, **meant: str) -> Importing:
        """Say what words mean."""
        for word, meaning in meant.items():
            self.tab.words.words[field, word].value = meaning
        return self.settled()

    def set(self, **values: object) -> Importing:
        """Set controls by their names."""
        for name, value in values.items():
            getattr(self.tab, name).value = value
        return self.settled()

    def tick(self, name: str) -> Importing:
        self.tab.ticks[name].value = True
        return self.settled()

    def press(self, name: str) -> Importing:
        getattr(self.tab, name).click()
        return self.settled()

    def settled(self) -> Importing:
        assert self.tab.work.wait(WAIT_S)
        return self


@pytest.fixture
def importing(dashboard: pf.Dashboard, tmp_path: Path, store: MemoryStore) -> Importing:
    """The Import tab of the dashboard."""
    return Importing(dashboard.imports, tmp_path, store)


@pytest.fixture
def import_into(show, tmp_path: Path) -> Callable[..., Importing]:
    """Makes an Import tab for a store, without names of categories."""

    def make(store: MemoryStore, **more: object) -> Importing:
        shown = show(store, journal=tmp_path / "journal", folder=tmp_path, **more)
        return Importing(shown.imports, tmp_path, store)

    return make
