"""A store in memory, and the dashboard of it, worked by the values of its controls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import datetime
from pathlib import Path

import pytest

import petstore_frame as pf
from petstore_frame.dashboard.page.widgets import WidgetFactory
from petstore_frame.dashboard.state.step_questions import NO_KEY, NOT_IN_FILE
from petstore_frame.dashboard.tabs.import_tab import ImportTab
from unit.conftest import pets
from unit.dashboard.store import LABELS, WAIT_S, MemoryStore


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore(pets(240))


@pytest.fixture
def failures(monkeypatch) -> list[Exception]:
    """What the handlers of controls have raised, which a test takes out."""
    raised: list[Exception] = []
    show_failure = WidgetFactory.show_failure

    def note(factory: WidgetFactory, problem: Exception) -> None:
        raised.append(problem)
        show_failure(factory, problem)

    monkeypatch.setattr(WidgetFactory, "show_failure", note)
    return raised


@pytest.fixture
def show(failures) -> Iterator[Callable[..., pf.Dashboard]]:
    """Makes a dashboard of a store, which is closed after the test; what fails is raised."""
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
    def state(self):
        return self.tab.state

    @property
    def text(self) -> str:
        """Everything that the tab says, as markup."""
        return "".join(texts_of(self.tab.widget))

    @property
    def offer(self) -> str:
        """The text of the button that sends; empty if it is disabled."""
        send = self.tab.send.send
        return "" if send.disabled else send.description

    @property
    def steps(self) -> list[str]:
        """How far each step is."""
        tab = self.tab
        parts = (tab.choose_file, tab.match_columns, tab.match_values, tab.check, tab.send)
        return [str(part.step.progress) for part in parts]

    @property
    def names(self) -> list[str]:
        """The names of the pets that were added, sorted: several are sent at once."""
        return sorted(pet.name for pet in self.store.pets[self._before :])

    @property
    def values(self) -> dict[tuple[str, str], str]:
        """What each value means now."""
        form = self.tab.match_values.form
        names = [name for name in form.questions if name[0] == "value"]
        return {name[1:]: form[name].value for name in names}

    def open(self, name: str, content: str | bytes) -> Importing:
        """Choose a file, as a browser uploads it."""
        data = content.encode() if isinstance(content, str) else content
        upload = {"name": name, "content": data, "size": len(data), "type": ""}
        self.tab.choose_file.file.value = [upload | {"last_modified": datetime.now().astimezone()}]
        return self.settled()

    def mean(self, field: str, **meanings: str) -> Importing:
        """Say what values mean."""
        for text, meaning in meanings.items():
            self.tab.match_values.form["value", field, text.casefold()].value = meaning
        return self.settled()

    def column(self, name: str, column: str) -> Importing:
        """Say which column is what."""
        full_name = name if name == "key" else ("mapping", name)
        self.tab.match_columns.form[full_name].value = column
        return self.settled()

    def decide(self, *name: str | int, value: str) -> Importing:
        """Answer a question of the Check step."""
        self.tab.check.form[name if len(name) > 1 else name[0]].value = value
        return self.settled()

    def path(self, path: Path | str) -> Importing:
        """Type a path."""
        self.tab.choose_file.path.value = str(path)
        return self.settled()

    def confirm(self) -> Importing:
        """Accept the suggestions for the layout and the columns."""
        for part in (self.tab.choose_file, self.tab.match_columns):
            if part.form.suggestions:
                part.form.use_suggestions()
                self.settled()
        return self

    def without_key(self) -> Importing:
        """Say that the file has no status and no animal ID, if it asks."""
        form = self.tab.match_columns.form
        answers = {("mapping", "status"): NOT_IN_FILE, "key": NO_KEY}
        asked = {name: text for name, text in answers.items() if not form[name].value}
        if asked:
            form.answer(asked)
        return self.settled()

    def send(self) -> Importing:
        self.tab.send.send.click()
        return self.settled()

    def settled(self) -> Importing:
        assert self.tab.background.wait(WAIT_S)
        return self


def texts_of(widget) -> Iterator[str]:
    """Yield the markup of a widget and of all that it shows."""
    if "pf-hidden" in widget._dom_classes:
        return
    for name in ("value", "markup"):
        if widget.has_trait(name) and isinstance(getattr(widget, name), str):
            yield getattr(widget, name)
    if widget.has_trait("children"):
        for child in widget.children:
            yield from texts_of(child)


@pytest.fixture
def importing(dashboard: pf.Dashboard, tmp_path: Path, store: MemoryStore) -> Importing:
    """The Import tab of the dashboard."""
    return Importing(dashboard.tabs.imports, tmp_path, store)


@pytest.fixture
def import_into(show, tmp_path: Path) -> Callable[..., Importing]:
    """Makes an Import tab for a store, without names of categories."""

    def make(store: MemoryStore, **more: object) -> Importing:
        shown = show(store, journal=tmp_path / "journal", folder=tmp_path, **more)
        return Importing(shown.tabs.imports, tmp_path, store)

    return make
