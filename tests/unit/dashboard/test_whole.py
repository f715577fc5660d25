"""The dashboard as a whole: what it is made with, what it lets out, and how it ends."""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ipywidgets as widgets
import pytest

import petstore_frame as pf
from petstore_frame.dashboard import export
from unit.dashboard_store import KEY, WAIT_S, MemoryStore, Screen, inventory, pets


def everything_shown(dashboard: pf.Dashboard) -> str:
    """All state that goes to a browser, as text."""
    models = [dashboard.widget]
    for model in models:
        models += getattr(model, "children", ())
    return json.dumps([model.get_state() for model in models], default=str)


def test_only_a_user_s_names_are_completed(dashboard: pf.Dashboard) -> None:
    """What a reading reports to the dashboard is not among its public names."""
    assert {"refresh", "wait", "close", "inventory"} <= set(dir(dashboard))
    assert not {"read", "reading", "broken_off"} & set(dir(dashboard))


@pytest.mark.parametrize(("what", "is_all"), [(export.SHOWN, False), (export.ALL, True)])
def test_what_is_shown_goes_out_or_all(dashboard: pf.Dashboard, what: str, is_all: bool) -> None:
    """One press sends the pets selected to the downloads, or all, where that is chosen."""
    sent: list[tuple[bytes, str, str]] = []
    dashboard.export._send = lambda *file: sent.append(file)
    Screen(dashboard.filters.view).choose("Name", "Pet 23")
    Screen(dashboard.export.view).choose("Export", what)
    Screen(dashboard.export.view).press("CSV")
    assert dashboard.export.wait(WAIT_S)
    ((content, name, media),) = sent
    assert name.startswith("inventory-" if is_all else "selection-") and media == "text/csv"
    assert b"Pet 23" in content and (b",Pet 1," in content) is is_all


def test_a_file_too_large_for_a_download_is_named(
    dashboard: pf.Dashboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the size that a page can carry, the file stays on disk and its place is told."""
    monkeypatch.setattr(export, "LARGEST_DOWNLOAD", 4)
    Screen(dashboard.export.view).press("CSV")
    assert dashboard.export.wait(WAIT_S)
    (kept,) = tmp_path.glob("inventory-*.csv")
    assert str(kept) in dashboard.reading_bar.notice.value and kept.stat().st_size > 4


def test_hostile_words_and_the_key_stay_out(store: MemoryStore) -> None:
    """Names, labels and errors reach the browser escaped, and the key not at all."""
    bad = "<img src=x onerror=alert(1)>"
    store.pets[0] |= {"name": bad, "status": bad}
    shown = pf.Dashboard(store.client(), categories={1: bad})
    state = everything_shown(shown)
    html = [
        part[name]
        for part in json.loads(state)
        for model, name in (("HTMLModel", "value"), ("AnyModel", "markup"))
        if part["_model_name"] == model
    ]
    assert KEY not in state and not any(bad in value for value in html)
    assert any("&lt;img" in value for value in html)
    shown.close()


def test_closing_ends_threads_and_widgets(store: MemoryStore, tmp_path: Path) -> None:
    """A closed dashboard leaves neither a thread nor a widget behind."""
    made: list[Any] = []
    widgets.Widget.on_widget_constructed(made.append)
    try:
        shown = pf.Dashboard(store.client(), journal=tmp_path)
    finally:
        widgets.Widget.on_widget_constructed(None)
    shown.refresh()
    shown.close()
    assert not [t for t in threading.enumerate() if t.name.startswith("petstore-")]
    assert made and all(widget.comm is None for widget in made)


def test_the_static_copy_needs_nothing(dashboard: pf.Dashboard) -> None:
    """What a saved notebook keeps has no script, no drawing element and no address elsewhere."""
    from petstore_frame.dashboard.static_copy import static_copy

    copy = static_copy(dashboard.inventory_tab.model)
    assert "<details" not in copy and 'src="data:image/svg+xml;base64,' in copy
    assert not any(word in copy for word in ("<script", "<svg", 'src="http', "javascript:"))
    assert "240 pets" in copy and "Complete" in copy


def test_a_script_may_show_it(dashboard: pf.Dashboard, store: MemoryStore) -> None:
    """Shown where no notebook keeps a copy, it is read again as anywhere."""
    dashboard._ipython_display_()  # what ``display(dashboard)`` calls
    store.pets.append(store.pets[0] | {"id": 10_000})
    dashboard.refresh()
    assert dashboard.wait(WAIT_S)
    assert dashboard.inventory is not None and 10_000 in set(dashboard.inventory.frame["id"])


def test_an_inventory_may_be_given(store: MemoryStore) -> None:
    """An Inventory read before is shown without asking the store."""
    shown = pf.Dashboard(store.client(), inventory=inventory(pets(7)))
    assert store.requests == 0 and ">7</b>" in shown.inventory_tab.view.markup
    shown.close()


def test_an_inventory_of_another_store_is_refused(store: MemoryStore) -> None:
    """Pets of one store are never shown under the name of another, nor beside its Import."""
    held = inventory(pets(7))
    other = replace(held, origin=replace(held.origin, base_url="http://127.0.0.1:8/v1"))
    with pytest.raises(pf.ArgumentError, match=r"inventory is of http://127\.0\.0\.1:8/v1, but"):
        pf.Dashboard(store.client(), inventory=other)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"history": 3}, "history is a History or its folder, got 3"),
        ({"inventory": "stock.csv"}, "inventory is an Inventory, got str"),
        ({"journal": 3}, "journal is a folder, got 3"),
        ({"folder": 3}, "folder is a folder, got 3"),
        ({"wait_s": "10"}, "wait_s is a number of seconds, 0 or more, got '10'"),
    ],
)
def test_wrong_options_are_refused(store: MemoryStore, options: Any, message: str) -> None:
    """A wrong option is named where the dashboard is made, not later in a callback."""
    with pytest.raises(pf.ArgumentError, match=message):
        pf.Dashboard(store.client(), **options)
    assert store.requests == 0


def test_a_dashboard_that_would_stay_blank_says_what_works(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With ipywidgets 7, and in marimo, there is a sentence in the place of a blank cell."""
    with monkeypatch.context() as older:
        older.setattr(widgets, "__version__", "7.8.5")
        with pytest.raises(pf.ConfigurationError, match=r"this is ipywidgets 7\.8\.5.*stock\.html"):
            pf.Dashboard(store.client())
    marimo = SimpleNamespace(running_in_notebook=lambda: True)
    monkeypatch.setitem(sys.modules, "marimo", marimo)
    with pytest.raises(pf.ConfigurationError, match="this is marimo"):
        pf.Dashboard(store.client())
