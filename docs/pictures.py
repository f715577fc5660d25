"""Make the README's pictures anew: ``python docs/pictures.py``.

It writes dashboard.png and workbook.png beside this file. Needs Debian's chromium,
fonts-droid-fallback (names in every script), libreoffice-calc and poppler-utils, playwright, and
the extras lab, excel and history.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import petstore_frame as pf
from petstore_frame import samples

HERE = Path(__file__).parent
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


DOTS_PER_INCH = 170
ROWS_IN_PICTURE = 8
ROW = ".pf-table tbody tr"


def picture_of_dashboard(server: pf.Server, categories: Path, history: Path) -> None:
    """Open the dashboard as its own page and take a picture of it, down to its eighth pet."""
    command = [sys.executable, "-m", "petstore_frame", "dashboard", "--no-browser"]
    command += ["--categories", str(categories), "--history", str(history)]
    environ = {
        **os.environ,
        "PETSTORE_BASE_URL": server.base_url,
        "PETSTORE_API_KEY": server.api_key.get_secret_value(),
    }
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as page_server:
        try:
            assert page_server.stdout is not None
            address = page_server.stdout.readline().strip()
            with sync_playwright() as play:
                browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
                page = browser.new_page(
                    viewport={"width": 1200, "height": 1000}, device_scale_factor=2
                )
                page.goto(address, wait_until="commit", timeout=60_000)
                page.get_by_text("Pets by category").first.wait_for(timeout=90_000)
                last = page.locator(ROW).nth(ROWS_IN_PICTURE - 1).bounding_box()
                bottom = last["y"] + last["height"]
                shown = {"x": 0, "y": 0, "width": 1200, "height": bottom}
                page.screenshot(path=HERE / "dashboard.png", clip=shown)
                browser.close()
        finally:
            page_server.terminate()


def picture_of_workbook(server: pf.Server, categories: Path, folder: Path) -> None:
    """Write the workbook, let LibreOffice print it, and keep the first page."""
    with server.client() as client:
        inventory = pf.fetch_inventory(client)
    book = pf.write_report(inventory, folder / "stock.xlsx", categories=categories)
    print_it = ["soffice", "--headless", "--convert-to", "pdf", "--outdir", str(folder), str(book)]
    subprocess.run(print_it, check=True, capture_output=True)
    # An A4 page on its side, without its header and the empty part below this store's table.
    top, height = (str(round(inches * DOTS_PER_INCH)) for inches in (0.45, 4.75))
    size = ["-r", str(DOTS_PER_INCH), "-y", top, "-H", height]
    draw_it = ["pdftoppm", "-png", *size, "-singlefile", str(folder / "stock.pdf")]
    subprocess.run([*draw_it, str(HERE / "workbook")], check=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as name, pf.serve(sample=1_200, seed=7) as server:
        folder = Path(name)
        samples.write_sample_categories(folder / "categories.csv")
        samples.write_sample_history(folder / "history")
        picture_of_dashboard(server, folder / "categories.csv", folder / "history")
        picture_of_workbook(server, folder / "categories.csv", folder)


if __name__ == "__main__":
    main()
