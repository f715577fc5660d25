"""Writes every kind of report, and files of data, each by one verb."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame import __version__
from petstore_frame.errors import ArgumentError, ReportError
from petstore_frame.extras import import_extra
from petstore_frame.inventory import Inventory, write_coverage
from petstore_frame.report.html_page import write_html
from petstore_frame.report.list_sheets import write_about, write_changes, write_inventory
from petstore_frame.report.report_content import LABELS, Content, gather
from petstore_frame.report.summary_sheets import write_by_category, write_summary
from petstore_frame.schema import AnyFrame, Categories
from petstore_frame.storage import harmless, open_book, refuse_impossible, whole_file

if TYPE_CHECKING:
    from petstore_frame.history import Diff

_PARQUET: dict[str, Any] = {"engine": "pyarrow", "compression": "zstd", "index": False}
SHEETS = (write_summary, write_by_category, write_inventory, write_changes, write_about)
_DATA_ENDINGS = (".csv", ".parquet", ".xlsx")


def write_report(
    pets: Inventory | AnyFrame,
    path: str | PathLike[str],
    *,
    categories: Categories = None,
    changes: Diff | None = None,
    attention: Sequence[str] | None = None,
) -> Path:
    """Write what a store holds as a file to send on, with how much of it was read.

    The ending names the kind: ``.xlsx`` is the workbook (key figures, status by category, every
    pet, and the evidence); ``.csv`` and ``.parquet`` hold the pets, and
    ``pf.read_inventory`` takes them back with what they cover (a CSV has that in a file beside it,
    ``<name>.csv.coverage.json``); ``.html`` is one page with
    every pet, searched, sorted and paged in the browser, that needs no network. Names are text
    whatever they begin with; in the workbook, ids of up to 15 digits are numbers, longer ones
    text, so that none is rounded. Times are those of ``fetched_at``, in UTC, and the same inventory
    gives the same bytes anywhere.

    Args:
        pets: An Inventory, or a frame with the columns of ``PET_COLUMNS``; columns of yours follow
            them. Of a frame that was changed since it was read, the report says so.
        path: The file. Its folder must exist; a file there is replaced only by a whole new one.
        categories: Labels by category id: a dict, a Series, or a CSV path of
            ``category_id,label``.
        changes: What changed since the last time, as of ``history.diff()`` or ``pf.diff(last,
            inventory)``; an ``.xlsx`` gets a sheet of it.
        attention: What needs a person, in sentences that the first sheet of an ``.xlsx`` shows; an
            empty list says that nothing does.

    Returns:
        The path written.

    Raises:
        ArgumentError: ``pets`` is neither an Inventory nor a frame, or what only an ``.xlsx`` shows
            is given for another file.
        InputError: A column is missing, or ids are not whole numbers.
        ReportError: The ending is unknown, a folder is missing, or the file is open in another
            program. The file that was there is unchanged.
        MissingExtraError: XlsxWriter (for ``.xlsx``) or pyarrow (for ``.parquet``) is missing.

    Example:
        >>> import tempfile
        >>> from petstore_frame.schema import PetColumns
        >>> columns = PetColumns([1, 2], ["Luna", "=1+1"], [3, 3], ["sold", None])
        >>> pets = columns.to_frame()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_report(pets, f"{folder}/stock.xlsx", categories={3: "Cat"}).name
        'stock.xlsx'

    Interface: Resources, Pet; an optional status and int64 ids are kept as they are.
    """
    target = Path(path)
    ending = check_target(target)
    if ending != ".xlsx" and (changes is not None or attention is not None):
        raise ArgumentError(f"changes and attention are for an .xlsx, not for {target.name!r}")
    content = gather(pets, categories, changes=changes, attention=attention)
    with whole_file(target) as draft:
        _WRITERS[ending](content, draft)
    if ending == ".csv" and content.provenance is not None:
        known = Inventory.of_rows(content.frame, content.completeness, content.provenance)
        write_coverage(target, known)
    return target


def report_name(inventory: Inventory, ending: str) -> str:
    """Return a name for the report of an inventory, which says the selection that it is of.

    Example:
        >>> from petstore_frame.schema import PetColumns
        >>> pets = Inventory.from_frame(PetColumns([1], ["Luna"], [3], ["sold"]).to_frame())
        >>> report_name(pets, ".xlsx"), report_name(pets.where(status="sold"), ".csv")
        ('stock.xlsx', 'stock-status-sold.csv')
    """
    known = inventory.completeness
    words = re.findall(r"\w+", f"{known.part} {known.status or ''}".lower())
    return "-".join(["stock", *words])[:100] + ending


def check_target(target: Path, *, is_data: bool = False) -> str:
    """Return the ending that names the kind of report, or of data file, if it can be written."""
    refuse_impossible(target)
    ending = target.suffix.lower()
    known = _DATA_ENDINGS if is_data else tuple(_WRITERS)
    if ending not in known:
        raise ReportError(f"{target} cannot be written: its name ends in one of {', '.join(known)}")
    if ending == ".parquet":
        import_extra("pyarrow", "writing Parquet", "history")
    return ending


def write_data(inventory: Inventory, target: Path) -> Path:
    """Write the pets for programs: a CSV has their texts as they are; else as ``write_report``."""
    ending = check_target(target, is_data=True)
    with whole_file(target) as draft:
        if ending == ".csv":
            # Text is quoted: a lone carriage return in a name would be left bare otherwise.
            inventory.frame.to_csv(
                draft, index=False, encoding="utf-8",
                lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC,
            )  # fmt: skip
        else:
            _WRITERS[ending](gather(inventory), draft)
    if ending == ".csv":
        write_coverage(target, inventory)
    return target


def _write_workbook(content: Content, path: Path) -> None:
    known = content.provenance
    # Of the data, not of the clock: the same inventory gives the same bytes.
    created = known.fetched_at if known else datetime(2000, 1, 1, tzinfo=UTC)
    with open_book(path) as book:
        book.workbook.set_properties(
            {
                "title": content.title,
                "subject": content.store,
                "comments": f"{content.sentence}. Made with petstore-frame {__version__}.",
                "created": created.astimezone(UTC),
            }
        )
        for write_sheet in SHEETS:  # each adds nothing where there is nothing to show
            write_sheet(book, content)


def _write_csv(content: Content, path: Path) -> None:
    """Write one line per pet, in UTF-8 with a byte order mark, as RFC 4180 has it.

    A text that begins like a formula gets a quote before it.
    """
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(harmless(column.name) for column in content.columns)
        writer.writerows([*map(_cell, row)] for row in content.rows())


def _cell(value: Any) -> str:
    if value is None:
        return ""
    # A number stays one, with its minus: no program runs it.
    return str(value) if isinstance(value, (int, float)) else harmless(str(value))


def _write_parquet(content: Content, path: Path) -> None:
    """Write the frame's columns with their dtypes, and the names of categories where given.

    Read back, the frame still knows what it covers: ``pf.read_inventory(path)``.
    """
    import pandas as pd

    names = [column.name for column in content.columns]
    frame = content.frame.copy(deep=False)
    if LABELS in names:
        frame[LABELS] = pd.Series(content.category_names(frame), frame.index, dtype="str")
    if content.provenance is not None:
        frame = Inventory.of_rows(frame, content.completeness, content.provenance).frame
    frame[names].to_parquet(path, **_PARQUET)


_WRITERS: Mapping[str, Callable[[Content, Path], None]] = {
    ".xlsx": _write_workbook,
    ".csv": _write_csv,
    ".parquet": _write_parquet,
    ".html": write_html,
}
