"""How a file with a known header was read last, and a client that tells when it waits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from petstore_frame.client import Client
from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.call import Call
from petstore_frame.loader.journal.database import place_of, reading
from petstore_frame.loader.journal.rows import read_imports
from petstore_frame.loader.reading.opening import is_workbook
from petstore_frame.loader.reading.recipe import Recipe, as_recipe

# Which animals records are is asked of each file anew.
_REMEMBERED = {each.name for each in fields(Recipe)} - {"duplicates"}


def recall(
    folder: Path | None, base_url: str, header: tuple[str, ...], labels: Mapping[int, str]
) -> tuple[Recipe, float] | None:
    """Return how the last file with a header was read, and when."""
    journal = place_of(folder, base_url)
    if not header or not journal.exists():
        return None
    with reading(journal) as sql:
        runs = [run for run in read_imports(sql) if run.header == header and run.call]
    calls = [(run, Call.from_json(run.call or {})) for run in runs]
    # Corrected records are a frame, which says nothing of a file's layout.
    of_files = [(run, call.options) for run, call in calls if call.source is not None]
    if not of_files:
        return None
    run, options = of_files[-1]
    words = {name: options[name] for name in _REMEMBERED & options.keys()}
    words |= {"mapping": run.mapping, "key": run.key}
    words |= {"categories": labels} if labels else {}
    try:
        return as_recipe(options.get("recipe"), words), run.staged_at
    except (InputError, ArgumentError):  # its file is gone, or a word is no longer known
        return None


class Watched:
    """A client that tells when it begins to wait for a page, and when it has it."""

    def __init__(self, client: Client, asked: Callable[[bool], None]) -> None:
        self._client, self._asked = client, asked

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def ask_page(self, *args: Any, **options: Any) -> Any:
        """Ask for a page."""
        self._asked(True)
        try:
            return self._client.ask_page(*args, **options)
        finally:
            self._asked(False)


def about_records(path: Path) -> int | None:
    """Return about how many records a text file has; None where counting needs reading it."""
    if path.suffix.lower() in (".gz", ".zip") or is_workbook(path):
        return None
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
