"""Open each built page in Chromium; ask nothing of another host: ``python .ci/offline.py SITE``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


def main(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    asked: set[str] = set()
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("request", lambda request: asked.add(request.url))
        page.on("pageerror", lambda problem: asked.add(f"error: {problem}"))
        for path in pages:
            page.goto(path.absolute().as_uri(), wait_until="load")
        browser.close()
    outside = sorted(url for url in asked if not url.startswith(("file:", "data:")))
    print(f"{len(pages)} pages, {len(asked)} requests, {len(outside)} to another host")
    if outside or not pages:
        sys.exit("\n".join(outside) or f"no page in {site}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
