"""Make the pictures of README and docs anew: ``python docs/pictures.py [FOLDER]``.

They are of a store of made-up pets on loopback. Needs Debian's chromium, fonts-droid-fallback
(names in every script), libreoffice-calc and poppler-utils, playwright, and the extras lab, excel
and history. Where these are there, building the pages makes their pictures anew, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

import petstore_frame as pf
from petstore_frame import sample_data

TARGET = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent).absolute()
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
DOTS_PER_INCH, WIDTH = 170, 1200
ROWS_IN_PICTURE = 8
ROW = ".pf-pets tbody tr"
# The dashboard, and in front of it the workbook.
BOTH = """<body>
<style>body { margin: 0; width: 1200px; height: 480px; position: relative; background: #fff }
img { position: absolute; border: 1px solid #c5ccd6; border-radius: 6px;
  box-shadow: 0 6px 24px #0003 }</style>
<img src="dashboard.png" style="left: 12px; top: 12px; width: 820px">
<img src="workbook.png" style="right: 12px; bottom: 20px; width: 640px">"""


def picture_of_dashboard(server: pf.Server, categories: Path, history: Path) -> None:
    """Open the dashboard as its own page and take pictures of its three tabs."""
    command = [sys.executable, "-m", "petstore_frame", "dashboard", "--no-browser"]
    command += ["--categories", str(categories), "--history", str(history)]
    environ = {
        **os.environ,
        "PETSTORE_BASE_URL": server.base_url,
        "PETSTORE_API_KEY": server.api_key.get_secret_value(),
        "XDG_STATE_HOME": str(categories.parent),  # journals of these pictures alone
    }
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as page_server:
        try:
            assert page_server.stdout is not None
            address = page_server.stdout.readline().strip()
            with sync_playwright() as play:
                browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
                page = browser.new_page(
                    viewport={"width": WIDTH, "height": 1000}, device_scale_factor=2
                )
                page.goto(address, wait_until="commit", timeout=60_000)
                page.locator(ROW).first.wait_for(timeout=90_000)
                page.locator("rect.pf-mark").nth(2).hover()
                last = page.locator(ROW).nth(ROWS_IN_PICTURE - 1).bounding_box()
                take(page, "dashboard", last["y"] + last["height"])
                open_tab(page, "History")
                page.locator("[data-name='days-available'] svg").wait_for(timeout=60_000)
                # The folder of this run is no folder of a reader's.
                page.get_by_label("Folder for snapshots").evaluate(
                    "box => { box.value = '/home/me/history' }"
                )
                last = page.locator("[data-name='new-sold-gone']").bounding_box()
                take(page, "dashboard_history", last["y"] + last["height"])
                open_tab(page, "Import")
                arrivals = write_arrivals(categories.parent / "arrivals.csv")
                with page.expect_file_chooser() as chooser:
                    page.get_by_role("button", name="Choose a file").first.click()
                chooser.value.set_files(arrivals)
                page.get_by_text("Do names with accents look right below?").wait_for(timeout=60_000)
                last = page.locator(".pf-step:visible").last.bounding_box()
                take(page, "dashboard_import", last["y"] + last["height"])
                browser.close()
        finally:
            page_server.terminate()


def open_tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name, exact=True).click()


def take(page: Page, name: str, bottom: float) -> None:
    """Keep a picture of the page down to a place."""
    page.set_viewport_size({"width": WIDTH, "height": int(bottom) + 20})
    page.wait_for_timeout(300)
    shown = {"x": 0, "y": 0, "width": WIDTH, "height": bottom + 8}
    page.screenshot(path=TARGET / f"{name}.png", clip=shown)


def write_arrivals(path: Path) -> Path:
    """Write a file as people have them: another encoding and delimiter, words of their own.

    No row of it equals a pet of the store, which would be asked about.
    """
    rows = ["Noëlle;Dog;available;A7-1", "Käthe;Cat;reserved;A7-2", "Müsli;Rabbit;reserved;A7-3"]
    rows += ["François;Dragon;sold;A7-4", "Bo;Dog;;A7-5", "Ærø;Cat;available;A7-6"]
    path.write_text("\n".join(["Tiername;Kategorie;Status;Chip-Nr", *rows]), encoding="cp1252")
    return path


def two_weeks(server: pf.Server) -> tuple[pf.Inventory, pf.Inventory]:
    """Return what the store has before and after three cats came."""
    with server.client() as client:
        last_week = pf.fetch_inventory(client)
        for name in ("Luna", "Milo", "Zoë"):
            client.create_pet(name, category_id=2, status="available")
        return last_week, pf.fetch_inventory(client)


def picture_of_workbook(
    last_week: pf.Inventory, inventory: pf.Inventory, categories: Path, folder: Path
) -> None:
    """Write the workbook, let LibreOffice print it, and keep the first page."""
    book = pf.write_report(
        inventory,
        folder / "stock.xlsx",
        categories=categories,
        changes=pf.diff(last_week, inventory),
        attention=["arrivals.csv: 2 rows are to fix"],
    )
    print_it = ["soffice", "--headless", "--convert-to", "pdf", "--outdir", str(folder), str(book)]
    subprocess.run(print_it, check=True, capture_output=True)
    # An A4 page on its side, without its header and the empty part below this store's table.
    top, height = (str(round(inches * DOTS_PER_INCH)) for inches in (0.45, 4.75))
    size = ["-r", str(DOTS_PER_INCH), "-y", top, "-H", height]
    draw_it = ["pdftoppm", "-png", *size, "-singlefile", str(folder / "stock.pdf")]
    subprocess.run([*draw_it, str(TARGET / "workbook")], check=True)


def picture_of_both() -> None:
    """Put the dashboard and the workbook into the one picture of the first screen."""
    page_of_both = TARGET / "both.html"
    page_of_both.write_text(BOTH, encoding="utf-8")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        viewport = {"width": WIDTH, "height": 480}
        page = browser.new_page(viewport=viewport, device_scale_factor=1.5)
        page.goto(page_of_both.as_uri())
        page.screenshot(path=TARGET / "first_look.png")
        browser.close()
    page_of_both.unlink()


def main() -> None:
    with tempfile.TemporaryDirectory() as name, pf.serve(sample=1_200, seed=7) as server:
        folder = Path(name)
        sample_data.write_sample_categories(folder / "categories.csv")
        sample_data.write_sample_history(folder / "history")
        last_week, inventory = two_weeks(server)
        picture_of_dashboard(server, folder / "categories.csv", folder / "history")
        picture_of_workbook(last_week, inventory, folder / "categories.csv", folder)
    picture_of_both()


if __name__ == "__main__":
    main()
