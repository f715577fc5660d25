"""What the journal remembers: how a file with a known header was read, and the past imports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from petstore_frame.errors import ArgumentError, InputError
from petstore_frame.loader.call import Call
from petstore_frame.loader.journal.database import place_of, reading
from petstore_frame.loader.journal.rows import Import, count_in, read_imports
from petstore_frame.loader.reading.recipe import Recipe, as_recipe
from petstore_frame.loader.record import State
from petstore_frame.schema.categories import category_labels

PAST_SHOWN = 20
# Which animals records are is asked of each file anew.
_REMEMBERED = {each.name for each in fields(Recipe)} - {"duplicates"}


def past_imports(folder: Path | None, base_url: str) -> list[tuple[Import, dict[State, int]]]:
    """Return the last imports into a store with their counts by state, the latest first."""
    journal = place_of(folder, base_url)
    if not journal.exists():
        return []
    with reading(journal) as sql:
        last = read_imports(sql, "import > (SELECT max(import) - ? FROM imports)", [PAST_SHOWN])
        return [(run, count_in(sql, run.id)) for run in reversed(last)]


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
    # A call without a source was one of corrected records, which say nothing of a file's layout.
    of_files = [(run, call.options) for run, call in calls if call.source is not None]
    if not of_files:
        return None
    run, options = of_files[-1]
    words = {name: options[name] for name in _REMEMBERED & options.keys()}
    words |= {"mapping": run.mapping, "key": run.key}
    try:
        known = category_labels(words.get("categories")) | dict(labels)
        words["categories"] = known or None
        return as_recipe(options.get("recipe"), words), run.staged_at
    except (InputError, ArgumentError):  # its file is gone, or a word is no longer known
        return None
