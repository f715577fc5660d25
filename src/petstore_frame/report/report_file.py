"""Writes reports and data files; the extension selects the format."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame.errors import ArgumentError, ReportError, keeping
from petstore_frame.extras import import_extra
from petstore_frame.inventory import (
    ATTRS_KEY,
    Inventory,
    inventory_facts,
    json_lines,
    write_coverage,
    write_coverage_properties,
)
from petstore_frame.loader import check_category_names
from petstore_frame.pet_table import category_ids
from petstore_frame.report.html_page import write_html
from petstore_frame.report.list_sheets import write_about, write_changes, write_inventory
from petstore_frame.report.report_content import Content, gather
from petstore_frame.report.summary_sheets import write_by_category, write_summary
from petstore_frame.schema import AnyFrame
from petstore_frame.storage import (
    harmless,
    mark_workbook,
    open_book,
    refuse_impossible,
    refuse_overwriting,
    write_atomically,
)
from petstore_frame.tables import Categories
from petstore_frame.validation import checked_integers, checked_path

if TYPE_CHECKING:
    from petstore_frame.history import Diff

_PARQUET: dict[str, Any] = {"engine": "pyarrow", "compression": "zstd", "index": False}
# Each writes its sheet, or returns before ``layout.begin`` if there is nothing to show.
SHEETS = (write_summary, write_by_category, write_inventory, write_changes, write_about)
_WITH_COVERAGE_FILE = (".csv", ".jsonl", ".parquet")
_DATA_EXTENSIONS = (".csv", ".jsonl", ".parquet", ".xlsx")


def write_report(
    pets: Inventory | AnyFrame,
    path: str | PathLike[str],
    *,
    categories: Categories = None,
    changes: Diff | None = None,
    attention: str | Sequence[str] | None = None,
    rename_categories: Collection[int] = (),
    journal: str | PathLike[str] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write an inventory as a report, with a statement of how complete it is.

    The extension selects the format:

    - ``.xlsx``: a workbook with key figures, status by category, every pet, and the evidence.
    - ``.csv`` and ``.parquet``: the pets. Their coverage and digest are in a second file, such as
      ``<name>.csv.coverage.json``.
    - ``.html``: one page with every pet, to search, sort and page in a browser without a network.

    ``pf.read_inventory`` reads CSV and Parquet back. Names are always text, never formulas.
    In a workbook, numbers of more than 15 digits and dates before 1900-03-01 are text, so that no
    value changes. Times are in UTC, and the same inventory gives the same bytes on every machine.

    Args:
        pets: An Inventory, or a frame with the columns of ``PET_COLUMNS``. Your own columns follow,
            with their names and types. If a name equals a heading of the report, that heading gets
            the suffix "(store)". If the rows were changed after the reading, the report says so.
        path: File to write. Its folder must exist. If the path is a symbolic link, the file that it
            points to is written.
        categories: Labels by category id: a dict, a Series, or the path of a table
            with the columns ``id`` and ``name``.
        changes: Diff of ``history.diff()`` or ``pf.diff(last, inventory)``, for a sheet of an
            ``.xlsx``; None adds no sheet.
        attention: What needs attention, as a sentence or a list of sentences, for the first sheet
            of an ``.xlsx``. An empty list states that nothing does; None adds no section.
        rename_categories: Numbers whose names in ``categories`` are right, although loads into this
            store gave them other names.
        journal: Folder of the import journal, which has the names that loads gave to the categories
            of this store; None is the user's state folder, as for ``load``.
        overwrite: Whether to replace a file that somebody changed, or that is not a report. An
            unchanged report is always replaced.

    Returns:
        The path of the file.

    Raises:
        ArgumentError: ``pets`` is neither an Inventory nor a frame, or ``changes`` or
            ``attention`` is passed for a file other than an ``.xlsx``.
        InputError: A column is missing, or ids are not whole numbers.
        QuestionError: ``categories`` contradicts the names that loads gave to the categories of
            this store. Nothing was written.
        ReportError: The extension is unknown, the folder is missing, or the file is open in another
            program or was changed by somebody. An existing file is unchanged.
        MissingExtraError: XlsxWriter (for ``.xlsx``) or pyarrow (for ``.parquet``) is missing.

    Example:
        >>> import tempfile
        >>> from petstore_frame.schema import PetColumns
        >>> columns = PetColumns([[1, 2], ["Luna", "=1+1"], [3, 3], ["sold", None]])
        >>> pets = columns.to_frame()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_report(pets, f"{folder}/stock.xlsx", categories={3: "Cat"}).name
        'stock.xlsx'

    Interface: Resources, Pet; an optional status and int64 ids are written unchanged.
    """
    target = checked_path("path", path)
    checked_integers("rename_categories", rename_categories)
    extension = check_target(target, overwrite=overwrite, inputs=[categories])
    if extension != ".xlsx" and (changes is not None or attention is not None):
        raise ArgumentError(f"changes and attention are for an .xlsx, not for {target.name!r}")
    sentences = [attention] if isinstance(attention, str) else attention
    content = gather(pets, categories, changes=changes, attention=sentences)
    if content.labels and content.provenance is not None:
        numbers = category_ids(content.frame["category_id"])
        check_category_names(
            categories,
            content.provenance,
            zip(numbers, content.frame["name"], strict=True),
            renamed=rename_categories,
            journal=journal,
        )
    with keeping(pets if isinstance(pets, Inventory) else None):
        with write_atomically(target) as draft:
            _WRITERS[extension](content, draft)
        if extension in _WITH_COVERAGE_FILE:
            write_coverage(target, content.coverage_facts)
    return target


def report_name(inventory: Inventory, ending: str) -> str:
    """Return a file name for the report of an inventory, which includes its selection.

    Example:
        >>> from petstore_frame.schema import PetColumns
        >>> pets = Inventory.from_frame(PetColumns([[1], ["Luna"], [3], ["sold"]]).to_frame())
        >>> report_name(pets, ".xlsx"), report_name(pets.where(status="sold"), ".csv")
        ('stock.xlsx', 'stock-status-sold.csv')
    """
    completeness = inventory.completeness
    parts = re.findall(r"\w+", f"{completeness.part} {completeness.status or ''}".lower())
    return "-".join(["stock", *parts])[:100] + ending


def check_target(
    target: Path,
    *,
    is_data: bool = False,
    overwrite: bool = False,
    inputs: Iterable[object] = (),
) -> str:
    """Check that a file can be written, and return the extension that selects its format.

    Raises:
        ReportError: The file cannot be written, or somebody changed it since it was written.
        MissingExtraError: pyarrow is missing.
    """
    refuse_impossible(target)
    extension = target.suffix.lower()
    extensions = _DATA_EXTENSIONS if is_data else tuple(_WRITERS)
    if extension not in extensions:
        *first, last = extensions
        raise ReportError(
            f"unsupported extension {target.suffix!r} of {target}; use {', '.join(first)} or {last}"
        )
    if extension == ".parquet":
        import_extra("pyarrow", "writing Parquet", "history")
    refuse_overwriting(target, overwrite=overwrite, inputs=inputs)
    return extension


def write_data(inventory: Inventory, target: Path, *, overwrite: bool = False) -> Path:
    """Write the pets for programs.

    A CSV has unchanged texts; other files are the same as those of ``write_report``.
    """
    extension = check_target(target, is_data=True, overwrite=overwrite)
    with write_atomically(target) as draft:
        if extension == ".csv":
            # All text is quoted, because a lone carriage return in a name would not be.
            inventory.frame.to_csv(
                draft,
                index=False,
                encoding="utf-8",
                lineterminator="\n",
                quoting=csv.QUOTE_NONNUMERIC,
            )
        elif extension == ".jsonl":
            with draft.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(f"{line}\n" for line in json_lines(inventory.frame))
        else:
            _WRITERS[extension](gather(inventory), draft)
    if extension in _WITH_COVERAGE_FILE:
        write_coverage(target, inventory_facts(inventory))
    return target


def _write_workbook(content: Content, path: Path) -> None:
    provenance = content.provenance
    with open_book(path) as book:
        mark_workbook(
            book.workbook,
            title=content.title,
            subject=content.store,
            sentence=content.sentence,
            as_of=provenance.fetched_at if provenance else None,
        )
        write_coverage_properties(book.workbook, content.coverage_facts)
        for write_sheet in SHEETS:  # a sheet without content is not added
            write_sheet(book, content)


def _write_csv(content: Content, path: Path) -> None:
    """Write one line per pet, in UTF-8 with a byte order mark, as RFC 4180 specifies.

    A text that starts like a formula gets a leading quote.
    """
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(harmless(column.name) for column in content.columns)
        writer.writerows([*map(_cell, row)] for row in content.rows())


def _cell(value: Any) -> str:
    if value is None:
        return ""
    is_number = isinstance(value, int | float | Decimal) and isfinite(value)
    # A number may start with a minus sign, which no program reads as a formula.
    return str(value) if is_number else harmless(str(value))


def _write_parquet(content: Content, path: Path) -> None:
    """Write the frame's columns with their dtypes, and category names if any.

    ``pf.read_inventory(path)`` restores the coverage of the frame.
    """
    import pandas as pd

    names = [column.name for column in content.columns]
    frame = content.frame.copy(deep=False)
    if content.labels_name is not None:
        labels = content.category_names(frame)
        frame[content.labels_name] = pd.Series(labels, frame.index, dtype="str")
    if content.coverage_facts:
        frame.attrs[ATTRS_KEY] = content.coverage_facts
    frame[names].to_parquet(path, **_PARQUET)


_WRITERS: Mapping[str, Callable[[Content, Path], None]] = {
    ".xlsx": _write_workbook,
    ".csv": _write_csv,
    ".parquet": _write_parquet,
    ".html": write_html,
}
