"""The dashboard in a real JupyterLab: what a person sees and does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import petstore_frame as pf
from browser import jupyter
from browser.conftest import LABELS, Book

AXE_RUN = """(part, rules) => axe.run(part, rules || {}).then(
  found => found.violations.map(v => v.id + ': ' + v.nodes[0].html.slice(0, 300)))"""
HOSTILE = [
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "\u202eright to left \u05d0\u05d1",
    "x" * 1000,
]


@pytest.fixture(scope="module")
def shown(book: Book) -> Any:
    """The dashboard of the running store."""
    return book.show("store")


@pytest.fixture(autouse=True)
def fresh(request: pytest.FixtureRequest) -> None:
    """Begin each test without filters."""
    if "shown" in request.fixturenames:
        part = request.getfixturevalue("shown")
        clear = part.get_by_role("button", name="Clear all filters")
        # At once what is there now: it may be on its way out, as words come before buttons.
        clear.evaluate_all("found => found.forEach(button => button.click())")
        clear.wait_for(state="detached")


def frame_of(store: pf.Server) -> Any:
    with store.client() as client:
        return pf.fetch_inventory(client).frame


# Texts beyond the right edge of the dashboard, and texts that do not fit their button.
CUT_OFF = """box => [...box.querySelectorAll('button,td,th,span')]
  .filter(e => e.getBoundingClientRect().height > 1 && !e.closest('.pf-hidden,.pf-tip'))
  .filter(e => e.getBoundingClientRect().right > box.getBoundingClientRect().right + 1
    || (e.tagName === 'BUTTON' && e.scrollWidth > e.clientWidth + 1))
  .map(e => e.textContent)"""


def card(part: Any, name: str) -> str:
    return str(part.locator(".pf-card", has_text=name).locator("b").inner_text())


def wait_card(part: Any, name: str, number: int) -> None:
    """Wait until a figure shows a number: the line of words may come before it."""
    figure = part.locator(".pf-card", has_text=name).locator("b")
    figure.filter(has_text=re.compile(f"^{number}$")).wait_for()


def wait_words(part: Any, words: str) -> None:
    part.locator("[role=status]", has_text=words).first.wait_for()


def test_a_filter_changes_figures_bars_and_table_as_pandas_says(
    shown: Any, store: pf.Server
) -> None:
    """Only a browser shows that all parts follow one choice."""
    shown.get_by_role("combobox", name="Status", exact=True).select_option(label="Sold")
    frame = frame_of(store)
    sold = frame[frame["status"] == "sold"]
    wait_words(shown, f"Showing {len(sold)} of the")
    wait_card(shown, "Sold", len(sold))
    wait_card(shown, "Available", 0)
    assert shown.locator("rect.pf-mark").count() == sold["category_id"].nunique()
    ids = [str(pet_id) for pet_id in sorted(sold["id"])[:50]]
    shown.locator(".pf-pets tbody th", has_text=re.compile(f"^{ids[0]}$")).first.wait_for()
    assert shown.locator(".pf-pets tbody th").all_inner_texts() == ids


def test_a_category_is_found_by_typing_and_a_name_by_a_part(shown: Any, store: pf.Server) -> None:
    """Only a browser sends what a person types, and when."""
    box = shown.get_by_role("combobox", name="Category", exact=True)
    box.fill("Dog")
    box.press("Enter")
    frame = frame_of(store)
    dogs = frame[frame["category_id"] == 2]
    wait_words(shown, f"Showing {len(dogs)} of the")
    part_of_name = str(dogs["name"].iloc[0])[:3]
    name = shown.get_by_role("textbox", name="Name", exact=True)
    name.fill(part_of_name)
    name.press("Enter")
    found = dogs["name"].str.lower().str.contains(part_of_name.lower(), regex=False)
    wait_words(shown, f"Showing {int(found.sum())} of the")


def test_a_number_and_the_way_back_with_keys_alone(shown: Any, book: Book) -> None:
    """Only a browser knows where the focus is: on a number, then on the way back."""
    number = shown.locator(".pf-grid td .pf-can").first
    count = number.inner_text()
    number.focus()
    book.page.keyboard.press("Enter")
    wait_words(shown, f"Showing {count} of the")
    back = shown.get_by_role("button", name="← Back")
    # The focus is a message of its own, after the one that shows the button.
    book.page.wait_for_function(
        "button => button === document.activeElement", arg=back.element_handle()
    )
    book.page.keyboard.press("Enter")
    wait_words(shown, "Showing all pets")


def test_a_bar_tells_its_number_at_once(shown: Any, store: pf.Server, picture: Any) -> None:
    """Only a browser has a pointer: over a bar, the exact number appears, and whether it is one."""
    frame = frame_of(store)
    count = int(((frame["category_id"] == 2) & (frame["status"] == "sold")).sum())
    shown.locator("[data-category='2'] > rect[data-status='sold']").first.hover()
    tip = shown.locator(".pf-tip:visible")
    tip.wait_for()
    assert tip.inner_text() == f"Dog, sold: {count} pets (exact)"
    picture(shown.page, "tooltip")


def test_a_click_on_a_bar_filters_all_of_the_dashboard(shown: Any, store: pf.Server) -> None:
    """Only a browser clicks on a drawing: figures, matrix and rows follow, and Back returns."""
    frame = frame_of(store)
    count = int(((frame["category_id"] == 2) & (frame["status"] == "sold")).sum())
    shown.locator("[data-category='2'] > rect[data-status='sold']").first.click()
    wait_words(shown, f"Showing {count} of the")
    wait_card(shown, "Pets", count)
    shown.get_by_role("button", name="← Back").click()
    wait_words(shown, "Showing all pets")


def test_arrows_walk_over_a_drawing(shown: Any, book: Book) -> None:
    """Only a browser has a focus: one stop of Tab, arrows from mark to mark, Enter filters."""
    assert shown.locator(".pf-chart [tabindex='0']").count() == 1
    shown.locator(".pf-chart text.pf-mark").first.focus()
    book.page.keyboard.press("ArrowRight")
    told = book.page.evaluate("() => document.activeElement.ariaLabel")
    assert ", available: " in told and shown.locator(".pf-tip:visible").inner_text() == told
    book.page.keyboard.press("ArrowDown")
    below = book.page.evaluate("() => document.activeElement.ariaLabel")
    assert below.partition(",")[0] != told.partition(",")[0]
    book.page.keyboard.press("Enter")
    wait_words(shown, f"Showing {below.rpartition(': ')[2].split()[0]} of the")


def test_a_legend_takes_a_status_out_of_the_drawing(shown: Any) -> None:
    """Only a browser shows that the bars are drawn anew, and that the focus stays on the sign."""
    sign = shown.locator("[data-series='sold'] > .pf-sign")
    for pressed in ("false", "true"):
        sign.click()
        shown.locator(f"[data-series='sold'] > .pf-sign[aria-pressed='{pressed}']").wait_for()
        # The bars and the focus are messages of their own, after the one of the sign.
        bars = shown.locator("rect[data-status='sold']").first
        bars.wait_for(state="attached" if pressed == "true" else "detached")
    shown.page.wait_for_function("() => document.activeElement.classList.contains('pf-sign')")
    wait_words(shown, "Showing all pets")


def test_a_drawing_is_saved_as_a_picture(shown: Any, book: Book) -> None:
    """Only a browser downloads, and makes a PNG: both files stand alone, legend and all."""
    starts = {}
    for kind in ("SVG", "PNG"):
        with book.page.expect_download() as download:
            shown.get_by_role("button", name=f"Save pets-by-category as {kind}").click()
        assert download.value.suggested_filename == f"pets-by-category.{kind.lower()}"
        starts[kind] = Path(download.value.path()).read_bytes()
    assert starts["PNG"].startswith(b"\x89PNG")
    drawing = starts["SVG"].decode()
    assert "Available" in drawing and not re.search(r"var\(|<script", drawing)


def test_every_control_is_reached_by_tab(shown: Any, book: Book) -> None:
    """From the first control on, Tab meets all of them in reading order."""
    shown.get_by_role("button", name="Web page").focus()
    met = []
    for _ in range(7):
        book.page.keyboard.press("Tab")
        met.append(
            book.page.evaluate(
                "() => document.activeElement.innerText.trim() || document.activeElement.tagName"
            )
        )
    assert met[:4] == ["Inventory", "Import", "Stocktake", "History"]
    assert met[5:] == ["INPUT", "INPUT"]


def test_refresh_shows_new_pets_and_hostile_names_as_text(
    shown: Any, book: Book, store: pf.Server, picture: Any
) -> None:
    """Only a browser would run a name that is a script."""
    before = int(card(shown, "Pets").replace(",", ""))
    with store.client() as client:
        for name in HOSTILE:
            client.create_pet(name, 1)
    shown.get_by_role("button", name="Refresh").click()
    shown.locator(".pf-card b", has_text=f"{before + len(HOSTILE)}").first.wait_for()
    box = shown.get_by_role("textbox", name="Name", exact=True)
    box.fill("hacked")
    box.press("Enter")
    wait_words(shown, "Showing 2 of the")
    shown.locator(".pf-pets tbody tr").nth(2).wait_for(state="detached")
    names = shown.locator(".pf-pets tbody td:nth-child(2)").all_inner_texts()
    assert names == HOSTILE[:2] and book.page.evaluate("() => window.hacked === undefined")
    box.fill("xxxx")
    box.press("Enter")
    wait_words(shown, "Showing 1 of the")
    area = shown.locator(".jp-OutputArea").first
    assert area.evaluate("area => area.scrollWidth <= area.clientWidth + 1")
    picture(book.page, "hostile")


def choose_file(shown: Any, path: Path) -> None:
    """Choose a file in the Import tab, as a person does, and wait until it is shown."""
    shown.get_by_role("button", name="Import", exact=True).first.click()
    with shown.page.expect_file_chooser() as chooser:
        shown.locator("label:visible", has_text="Choose a file").click()
    chooser.value.set_files(path)
    shown.locator("caption", has_text=path.name).wait_for()


def test_a_cell_is_corrected_by_key(shown: Any, book: Book, tmp_path: Path) -> None:
    """Only a notebook has keys of its own: Enter in a box corrects a cell, and runs nothing."""
    path = tmp_path / "arrivals.csv"
    path.write_text("name,category_id,status\nOttilie,2,sold\n,2,sold\n", "utf-8")
    before = int(card(shown, "Pets").replace(",", ""))
    choose_file(shown, path)
    shown.get_by_role("button", name="Send 1 pet").wait_for()
    box = shown.get_by_role("textbox", name="name in line 3")
    box.focus()
    box.fill("Luna")
    book.page.keyboard.press("Enter")
    shown.get_by_role("button", name="Send 2 pets").click()
    shown.get_by_text("2 of 2 records are in the store").wait_for()
    assert [*(book.folder / "out").glob("import-arrivals-corrected-*/results.csv")]
    shown.get_by_role("button", name="Inventory", exact=True).click()
    shown.locator(".pf-card b", has_text=f"{before + 2}").first.wait_for()


def test_an_import_fits_a_narrow_page(
    shown: Any, book: Book, tmp_path: Path, axe: str, picture: Any
) -> None:
    """Only a browser lays out: at 700 pixels every column is reached, and axe finds nothing."""
    path = tmp_path / "narrow.csv"
    path.write_text(
        "name,category_id,status,a long remark\nRex,7000,for sale,came on Monday with a leash\n"
        "Total,2,,\n", "utf-8",
    )  # fmt: skip
    book.page.set_viewport_size({"width": 760, "height": 1000})
    try:
        choose_file(shown, path)
        shown.get_by_text("To fix").wait_for()
        picture(book.page, "import_narrow")
        box = shown.locator(".pf-dash").first
        assert box.evaluate("box => box.scrollWidth <= box.clientWidth + 1")
        book.page.evaluate(axe)
        assert box.evaluate(AXE_RUN) == []
    finally:
        book.page.set_viewport_size({"width": 1280, "height": 1000})
        shown.get_by_role("button", name="Inventory", exact=True).click()


def test_a_list_is_compared_where_the_store_is_seen(
    shown: Any, book: Book, tmp_path: Path, axe: str, picture: Any
) -> None:
    """Only a browser carries an upload: differences side by side, and a click leads to a pet."""
    path = tmp_path / "our list.csv"
    path.write_text("name,category_id,status\nNobody Else,2,sold\n", "utf-8")
    shown.get_by_role("button", name="Stocktake", exact=True).click()
    shown.locator(".pf-tab:visible").get_by_label("Choose a list").set_input_files(path)
    shown.get_by_role("button", name="only in list 1").wait_for()
    picture(book.page, "stocktake")
    book.page.evaluate(axe)
    assert shown.locator(".pf-dash").first.evaluate(AXE_RUN) == []
    shown.locator("[data-pet]").first.click()
    wait_words(shown, "Showing 1 of the")
    shown.get_by_role("button", name="Inventory", exact=True).click()


WIDTHS = (1_400, 1_000, 830, 700, 400)


@pytest.mark.parametrize("tab", ["History", "Inventory"])
def test_every_column_is_seen(shown: Any, tab: str) -> None:
    """Only a browser lays out: at ordinary widths no number or word of a table is cut off."""
    open_tab(shown, tab)
    box = shown.locator(".pf-dash").first
    cut_off = {}
    try:
        for width in WIDTHS:
            box.evaluate("(box, width) => { box.style.width = width + 'px' }", width)
            cut_off[width] = box.evaluate(CUT_OFF)
    finally:
        box.evaluate("box => { box.style.width = '' }")
        open_tab(shown, "Inventory")
    assert cut_off == {width: [] for width in WIDTHS}


def open_tab(shown: Any, name: str) -> None:
    shown.get_by_role("button", name=name, exact=True).first.click()
    seen = "[data-name='sell-through']" if name == "History" else "[data-name='pets-by-category']"
    shown.locator(f"{seen}:visible").wait_for(timeout=60_000)
    state = "visible" if name == "Inventory" else "hidden"
    shown.locator(".pf-inventory").wait_for(state=state)


def test_the_history_follows_its_controls(shown: Any) -> None:
    """Only a browser chooses a range, a date and lines: the drawing shows these days and names."""
    open_tab(shown, "History")
    chart = shown.locator("[data-name='pets-over-time'] > svg[aria-label]")

    def wait_drawn(words: str) -> None:
        shown.locator(f"[data-name='pets-over-time'] > svg[aria-label*='{words}']").wait_for()

    whole = chart.get_attribute("aria-label")
    shown.get_by_role("combobox", name="Days").select_option(label="last 7 days")
    wait_drawn("2026-01-28 to 2026-02-03")
    shown.get_by_label("from", exact=True).fill("2026-01-30")
    wait_drawn("2026-01-30 to 2026-02-03")
    shown.get_by_role("combobox", name="Days").select_option(label="all days")
    wait_drawn(str(whole).partition(":")[0])
    open_tab(shown, "Inventory")


# A theme changes colours alone.
@pytest.mark.parametrize(
    ("theme", "rules"),
    [("JupyterLab Light", {}), ("JupyterLab Dark", {"runOnly": ["color-contrast"]})],
)
def test_axe_finds_nothing(
    book: Book, shown: Any, axe: str, theme: str, rules: dict[str, Any], picture: Any
) -> None:
    """Contrast, names and roles are right in both themes, on every tab."""
    page = book.page
    page.evaluate(
        "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme
    )
    light = "true" if "Light" in theme else "false"
    page.wait_for_selector(f"body[data-jp-theme-light='{light}']", state="attached")
    # The theme's style sheet is swapped after the attribute.
    page.wait_for_function(
        "light => (getComputedStyle(document.body).getPropertyValue('--jp-layout-color0').trim()"
        " === 'white') === light", arg=light == "true",
    )  # fmt: skip
    page.evaluate(axe)
    shown.scroll_into_view_if_needed()
    picture(page, theme.replace(" ", "_"))
    for tab in ("Import", "Stocktake", "History", "Inventory"):
        shown.get_by_role("button", name=tab, exact=True).first.click()
        if tab == "History":
            shown.locator("[data-name='sell-through']").wait_for(timeout=60_000)
        assert shown.locator(".pf-dash").evaluate(AXE_RUN, rules) == []


def test_a_saved_notebook_shows_the_last_numbers_without_a_kernel(
    book: Book, shown: Any, lab: jupyter.Server, chromium: Any, store: pf.Server
) -> None:
    """Reopened with no kernel, and exported to HTML offline, the static copy is open and alone."""
    total = len(frame_of(store))
    book.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    saved = book.folder / "book.ipynb"
    book.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    assert store.api_key.get_secret_value() not in saved.read_text("utf-8")
    (book.folder / "kept.ipynb").write_bytes(saved.read_bytes())
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "kept.ipynb"]
    subprocess.run(command, cwd=book.folder, check=True, capture_output=True)
    for address in (
        f"{lab.url}/doc/tree/kept.ipynb?token={lab.token}&kernel=none",
        f"{lab.url}/files/kept.html?token={lab.token}",
    ):
        with jupyter.tab(chromium) as (page, _):
            page.goto(address)
            copy = page.locator(".pf-copy").first
            copy.wait_for(timeout=30_000)
            assert f"{total} pets" in copy.inner_text()
            page.wait_for_timeout(500)  # the message of missing widgets comes late
            others = page.locator(".jp-CodeCell").first.locator(".jp-OutputArea-child:visible")
            assert [part.inner_text() for part in others.all() if "a copy" not in part.inner_text()
                    ] == []  # fmt: skip
            picture = copy.locator("img")
            assert picture.evaluate("image => image.naturalWidth") > 0


def test_live_the_static_copy_is_out_of_sight(shown: Any) -> None:
    """Only a browser knows which of the two outputs is seen."""
    assert shown.locator(".pf-copy").count() == 1
    assert not shown.locator(".pf-copy").is_visible()


def test_nothing_left_this_machine(book: Book, shown: Any) -> None:
    """After all of the above no request went elsewhere, and the page did not complain of us."""
    assert book.traffic.blocked == []
    assert [text for text in book.traffic.errors if "pf-" in text or "petstore" in text] == []
    assert LABELS[1] in shown.inner_text()


def test_a_page_says_that_its_kernel_is_gone(
    lab: jupyter.Server, chromium: Any, folder: Path, picture: Any
) -> None:
    """Within ten seconds, by itself, and nothing on it takes a click any more."""
    shows = "import petstore_frame as pf\npf.Dashboard(pf.Client())"
    jupyter.write_notebook(folder / "doomed.ipynb", shows, "import os; os.kill(os.getpid(), 9)")
    with jupyter.tab(chromium) as (page, _):
        jupyter.open_notebook(page, lab, "doomed.ipynb")
        jupyter.run_cell(page, 0, ".pf-dash")
        page.wait_for_timeout(3000)  # a beat has come
        assert page.locator(".pf-lost").count() == 0
        page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 1;"
                      " window.jupyterapp.commands.execute('notebook:run-cell'); }")  # fmt: skip
        page.locator(".pf-lost").first.wait_for(timeout=11_000)
        page.locator(".pf-dash").evaluate("dash => dash.lastElementChild.scrollIntoView()")
        box = page.locator(".pf-lost").bounding_box()
        assert 0 < box["y"] < page.viewport_size["height"] - 40  # wherever the page is scrolled to
        picture(page, "kernel_gone")
        assert page.locator(".pf-dash > [inert]").count() > 3
