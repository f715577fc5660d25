"""One verb for every kind of report.

In: an Inventory or a frame, and a path. Out: the file of the kind that its ending names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from petstore_frame.categories import Categories
from petstore_frame.errors import ReportError
from petstore_frame.report.csv_file import write_csv
from petstore_frame.report.facts import Facts, gather
from petstore_frame.report.html_page import write_html
from petstore_frame.report.parquet_file import write_parquet
from petstore_frame.report.whole import whole_file
from petstore_frame.report.workbook import write_workbook

Progress = bool | Callable[[int], None] | None
_WRITERS: dict[str, Callable[..., None]] = {
    ".xlsx": write_workbook,
    ".csv": write_csv,
    ".parquet": write_parquet,
    ".html": write_html,
}
_HINTS = {
    ".ods": "write .xlsx, which LibreOffice opens and can save as .ods",
    ".xls": "write .xlsx; the old .xls holds 65,536 rows",
    "": "end the name in .xlsx, .csv, .parquet or .html",
}


def write_report(
    pets: Any,
    path: str | PathLike[str],
    *,
    categories: Categories = None,
    history: Any = None,
    results: Any = None,
    require_complete: bool = False,
    progress: Progress = None,
) -> Path:
    """Write what a store holds, with the claim of how much of it was read."""
    target = Path(path)
    facts = gather(pets, categories)
    if require_complete and not facts.covers_all:
        raise ReportError(
            f"not proven complete, so no report was written: {facts.claim_sentence}; leave out "
            "require_complete= to have the report say so itself"
        )
    writer = _WRITERS.get(target.suffix.lower())
    if writer is None:
        hint = _HINTS.get(target.suffix.lower(), _HINTS[""])
        raise ReportError(f"no report can be written as {target.name!r}: {hint}")
    with whole_file(target) as draft, _shown(progress, facts) as advance:
        writer(facts, draft, advance=advance)
    return target


@contextmanager
def _shown(progress: Progress, facts: Facts) -> Iterator[Callable[[int], None]]:
    """Give what to tell of the pets written; by itself a bar appears after two seconds."""
    if callable(progress):
        yield progress
        return
    from tqdm.auto import tqdm

    bar = tqdm(
        total=len(facts.frame), unit="pet", unit_scale=True, desc="Writing the report",
        delay=2 if progress is None else 0,
        disable={True: False, False: True, None: None}[progress],
    )  # fmt: skip
    with bar:

        def advance(pets: int) -> None:
            bar.update(pets)

        yield advance
