"""The dashboard in a real JupyterLab: what a person sees and does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import petstore_frame as pf
from browser import jupyter
from threaded import Server

HOSTILE = [
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "\u202eright to left \u05d0\u05d1",
    "x" * 1000,
]


@pytest.fixture(scope="module")
def dashboard(book: tuple[Any, jupyter.Traffic]) -> Any:
    """The dashboard of the running store, painted in the first cell."""
    page, _ = book
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_selector(".pf-card", timeout=60_000)
    return page.locator(".jp-CodeCell").first


@pytest.fixture
def shown(dashboard: Any) -> Any:
    """The dashboard without filters."""
    clear = dashboard.get_by_role("button", name="Clear filters")
    # At once what is there now: it may be on its way out, as words come before buttons.
    clear.evaluate_all("found => found.forEach(button => button.click())")
    clear.wait_for(state="hidden")
    # The drawing is a message of its own: bars of another status, and of more than one category.
    for part in ("rect[data-status='available']", "text.pf-mark >> nth=1"):
        dashboard.locator(f".pf-live {part}").first.wait_for(state="attached")
    return dashboard


@pytest.fixture
def frame(store: Server) -> Any:
    """What the store holds."""
    with store.client() as client:
        return pf.fetch_inventory(client).frame


def write(part: Any, name: str, text: str) -> None:
    """Type into a box, without Enter."""
    part.get_by_role("textbox", name=name, exact=True).fill(text)


def wait_card(part: Any, name: str, number: int) -> None:
    """Wait until a figure shows a number: the line of words may come before it."""
    figure = part.locator(".pf-dash .pf-card", has_text=name).locator("b")
    figure.filter(has_text=re.compile(f"^{number}$")).wait_for()


def wait_filtered(part: Any, words: str) -> None:
    """Wait for what is said of a selection, and for the button that ends it, which comes later."""
    part.locator("[role=status]", has_text=words).first.wait_for()
    part.get_by_role("button", name="Clear filters").wait_for()


def open_tab(shown: Any, name: str) -> None:
    shown.get_by_role("tab", name=name, exact=True).click()
    if name == "History":
        shown.locator("[data-name='days-available']:visible").wait_for(timeout=60_000)
    if name in ("Import", "Stocktake"):  # made when they are first opened
        shown.locator(".pf-tab:visible .pf-step").first.wait_for()
    state = "visible" if name == "Inventory" else "hidden"
    shown.locator(".pf-pets").wait_for(state=state)


def test_a_bar_tells_its_number_and_filters_all(shown: Any, frame: Any) -> None:
    """Only a browser has a pointer: over a bar is its exact number, and a click shows its pets."""
    count = int(((frame["category_id"] == 2) & (frame["status"] == "sold")).sum())
    bar = shown.locator("[data-category='2'] > rect[data-status='sold']").first
    bar.hover()
    tip = shown.locator(".pf-tip:visible")
    tip.wait_for()
    assert tip.inner_text() == f"Cat, sold: {count} pets (exact)"
    bar.click()
    wait_filtered(shown, f"Showing {count} of ")


def test_arrows_walk_over_a_drawing(shown: Any) -> None:
    """Only a browser has a focus: one stop of Tab, arrows from mark to mark, Enter filters."""
    assert shown.locator(".pf-chart [tabindex='0']").count() == 1
    shown.locator(".pf-chart text.pf-mark").first.focus()
    shown.page.keyboard.press("ArrowRight")
    label = shown.page.evaluate("() => document.activeElement.ariaLabel")
    assert ", available: " in label and shown.locator(".pf-tip:visible").inner_text() == label
    shown.page.keyboard.press("ArrowDown")
    below = shown.page.evaluate("() => document.activeElement.ariaLabel")
    assert below.partition(",")[0] != label.partition(",")[0]
    shown.page.keyboard.press("Enter")
    wait_filtered(shown, f"Showing {below.rpartition(': ')[2].split()[0]} of ")


def test_a_drawing_is_saved_as_a_picture(shown: Any) -> None:
    """Only a browser downloads, and makes a PNG: both files stand alone, legend and all."""
    starts = {}
    for kind in ("SVG", "PNG"):
        with shown.page.expect_download() as download:
            shown.get_by_role("button", name=f"Save pets-by-category as {kind}").click()
        assert download.value.suggested_filename == f"pets-by-category.{kind.lower()}"
        starts[kind] = Path(download.value.path()).read_bytes()
    assert starts["PNG"].startswith(b"\x89PNG")
    drawing = starts["SVG"].decode()
    assert "Available" in drawing and not re.search(r"var\(|<script", drawing)


def test_refresh_shows_new_pets_and_hostile_names_as_text(
    shown: Any, store: Server, frame: Any
) -> None:
    """Only a browser would run a name that is a script."""
    with store.client() as client:
        for name in HOSTILE:
            client.create_pet(name, 1)
    shown.get_by_role("button", name="Refresh").click()
    wait_card(shown, "Pets", len(frame) + len(HOSTILE))
    write(shown, "Name", "hacked")
    wait_filtered(shown, "Showing 2 of ")
    shown.locator(".pf-pets tbody tr").nth(2).wait_for(state="detached")
    names = shown.locator(".pf-pets tbody td:nth-child(2)").all_inner_texts()
    assert names == HOSTILE[:2] and shown.page.evaluate("() => window.hacked === undefined")
    write(shown, "Name", "xxxx")
    wait_filtered(shown, "Showing 1 of ")
    area = shown.locator(".jp-OutputArea").first
    assert area.evaluate("area => area.scrollWidth <= area.clientWidth + 1")


def choose_file(shown: Any, path: Path, *rows: str) -> None:
    """Choose a file in the Import tab, as a person does, and wait until it is shown."""
    path.write_text("".join(f"{row}\n" for row in rows), "utf-8")
    open_tab(shown, "Import")
    choose = shown.get_by_role("button", name="Choose a file").first
    if not choose.is_visible():  # the step of the last file is one line
        shown.get_by_role("button", name="Change").first.click()
    with shown.page.expect_file_chooser() as chooser:
        choose.click()
    chooser.value.set_files(path)
    shown.locator(".pf-step-title", has_text=path.name).wait_for()


def test_a_cell_is_corrected_by_key(shown: Any, frame: Any, tmp_path: Path) -> None:
    """Only a notebook has keys of its own: Enter in a box corrects a cell, and runs nothing."""
    rows = ("name,category_id,status", "Ottilie,2,sold", "Sieglinde,2,sold", ",2,sold")
    choose_file(shown, tmp_path / "arrivals.csv", *rows)
    shown.get_by_role("button", name="Add 2 pets").wait_for()
    shown.get_by_role("textbox", name="line 4, name").fill("Waltraud")
    shown.page.keyboard.press("Enter")
    shown.get_by_role("button", name="Add 3 pets").click()
    shown.get_by_role("button", name="Download results.csv").first.wait_for()
    open_tab(shown, "Inventory")
    wait_card(shown, "Pets", len(frame) + 3)


def test_an_import_fits_a_narrow_page(shown: Any, tmp_path: Path, axe: Any) -> None:
    """Only a browser lays out: at 760 pixels every column is reached, and axe finds nothing."""
    head, long = "name,category_id,status,a long remark", "Rex,7000,for sale,came with a long leash"
    box = shown.locator(".pf-dash").first
    shown.page.set_viewport_size({"width": 760, "height": 1000})
    choose_file(shown, tmp_path / "narrow.csv", head, long, "Total,2,,")
    shown.get_by_label("Everything else").or_(shown.get_by_text("Match values")).first.wait_for()
    shown.get_by_label("Which column identifies the animal?").select_option(index=5)
    value = shown.locator(".pf-form tr:visible", has_text="for sale").first
    value.locator("select").select_option(label="available")
    shown.get_by_text("Need fixing").first.wait_for()
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth + 1") and axe(box) == []
    shown.page.set_viewport_size({"width": 1280, "height": 1000})
    open_tab(shown, "Inventory")


WIDTHS = (1_400, 1_000, 830, 700, 400)
# Texts beyond the right edge of the dashboard, and texts that do not fit their button.
CUT_OFF = """box => [...box.querySelectorAll('button,td,th,span')]
  .filter(e => e.getBoundingClientRect().height > 1 && !e.closest('.pf-hidden,.pf-tip'))
  .filter(e => e.getBoundingClientRect().right > box.getBoundingClientRect().right + 1
    || (e.tagName === 'BUTTON' && e.scrollWidth > e.clientWidth + 1))
  .map(e => e.textContent)"""


@pytest.mark.parametrize("tab", ["History", "Inventory"])
def test_every_column_is_seen(shown: Any, tab: str) -> None:
    """Only a browser lays out: at ordinary widths no number or word of a table is cut off."""
    open_tab(shown, tab)
    box, cut_off = shown.locator(".pf-dash").first, {}
    for width in WIDTHS:
        box.evaluate("(box, width) => { box.style.width = width + 'px' }", width)
        cut_off[width] = box.evaluate(CUT_OFF)
    box.evaluate("box => { box.style.width = '' }")
    assert cut_off == {width: [] for width in WIDTHS}


# A theme changes colors alone.
@pytest.mark.parametrize(
    ("theme", "rules"), [("Light", {}), ("Dark", {"runOnly": ["color-contrast"]})]
)
def test_axe_finds_nothing(shown: Any, axe: Any, theme: str, rules: dict[str, Any]) -> None:
    """Contrast, names and roles are right in both themes, on every tab."""
    shown.page.evaluate(
        "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})",
        f"JupyterLab {theme}",
    )
    # The theme's style sheet is swapped after the attribute of the body.
    shown.page.wait_for_function(
        "light => document.body.dataset.jpThemeLight === String(light)"
        " && (getComputedStyle(document.body).getPropertyValue('--jp-layout-color0').trim()"
        " === 'white') === light", arg=theme == "Light",
    )  # fmt: skip
    shown.scroll_into_view_if_needed()
    for tab in ("Import", "Stocktake", "History", "Inventory"):
        open_tab(shown, tab)
        assert axe(shown.locator(".pf-dash"), **rules) == []


def test_a_saved_notebook_shows_the_last_numbers_without_a_kernel(
    shown: Any, lab: jupyter.Server, chromium: Any, store: Server, frame: Any, folder: Path
) -> None:
    """Without a kernel and as HTML the static copy is seen, alone; live it is out of sight."""
    import nbconvert

    assert shown.locator(".pf-copy").count() == 1
    assert not shown.locator(".pf-copy").is_visible()
    shown.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    shown.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    saved = (folder / "book.ipynb").read_bytes()
    assert store.api_key.get_secret_value() not in saved.decode()
    (folder / "kept.ipynb").write_bytes(saved)
    html, _ = nbconvert.HTMLExporter().from_filename(str(folder / "kept.ipynb"))
    (folder / "kept.html").write_text(html, "utf-8")
    for address in (f"doc/tree/kept.ipynb?token={lab.token}&kernel=none",
                    f"files/kept.html?token={lab.token}"):  # fmt: skip
        with jupyter.tab(chromium) as (page, _):
            page.goto(f"{lab.url}/{address}")
            copy = page.locator(".pf-copy").first
            copy.wait_for(timeout=30_000)
            assert f"{len(frame)} pets" in copy.inner_text() and "Complete" in copy.inner_text()
            page.wait_for_load_state("networkidle")  # the message of missing widgets comes late
            others = page.locator(".jp-CodeCell").first.locator(".jp-OutputArea-child:visible")
            assert all("a copy" in part.inner_text() for part in others.all())
            assert copy.locator("img").evaluate("image => image.naturalWidth") > 0
            assert copy.locator("script, svg, [src^='http']").count() == 0


def test_nothing_left_this_machine(book: Any, shown: Any) -> None:
    """After all of the above no request went elsewhere, and the page did not complain of us."""
    _, traffic = book
    assert traffic.blocked == []
    assert [text for text in traffic.errors if "pf-" in text or "petstore" in text] == []
    assert "Guinea pig" in shown.inner_text()
