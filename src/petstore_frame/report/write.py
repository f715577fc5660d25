"""One verb for every kind of report.

In: an Inventory or a frame, and a path. Out: the file of the kind that its ending names.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame.errors import ArgumentError, ReportError
from petstore_frame.history import History, HistoryOption, open_history
from petstore_frame.inventory.progress import Progress
from petstore_frame.report.csv_file import write_csv
from petstore_frame.report.facts import gather
from petstore_frame.report.html_page import write_html
from petstore_frame.report.parquet_file import write_parquet
from petstore_frame.report.progress import shown
from petstore_frame.report.whole import refuse_impossible, whole_file
from petstore_frame.report.workbook import write_workbook
from petstore_frame.schema.categories import Categories

if TYPE_CHECKING:
    from petstore_frame.loader.results.results import LoadResult

_PLAIN_WRITERS: dict[str, Callable[..., None]] = {
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
    history: HistoryOption = None,
    results: LoadResult | None = None,
    require_complete: bool = False,
    progress: Progress = None,
) -> Path:
    """Write what a store holds as a file to send on, with the claim of how much was read.

    The ending names the kind: ``.xlsx`` is the workbook (key figures, status by category, every
    pet, and the evidence); ``.csv`` and ``.parquet`` hold the pets; ``.html`` is one page
    that needs no network. Ids and names are text in the workbook, exact whatever they hold. Times
    are in UTC, and the same inventory gives the same bytes anywhere.

    Args:
        pets: An Inventory, or a frame with the columns of ``PET_COLUMNS``. A frame changed since
            its claim was made is reported as "coverage not known".
        path: The file. Its folder must exist; a file there is replaced only by a whole new one.
        categories: Labels by category id: a dict, a Series, or a CSV path of
            ``category_id,label``.
        history: A History, or its folder, which must exist; the workbook gets a sheet of what
            changed between its last two snapshots, so add this inventory to it first. Only for
            ``.xlsx``.
        results: A LoadResult; the workbook gets a sheet of what became of its records. Only for
            ``.xlsx``.
        require_complete: Refuse to write unless every pet of the store was read.
        progress: True shows a bar, False none, None one where a person is watching, after two
            seconds; or a function that is called with the number of pets written so far.

    Returns:
        The path written.

    Raises:
        ArgumentError: ``pets`` is neither an Inventory nor a frame, ``history`` or ``results`` is
            given for another file than ``.xlsx``, or another option is wrong.
        InputError: A column is missing, or ids are not whole numbers.
        ReportError: The ending is unknown, a folder is missing, the file is open in another
            program, or the claim is not complete as required. The file that was there is unchanged.
        MissingExtraError: XlsxWriter (for ``.xlsx``) or pyarrow (for ``.parquet``) is missing.

    Example:
        >>> import tempfile
        >>> from petstore_frame.schema.frame import to_frame
        >>> from petstore_frame.schema.columns import PetColumns
        >>> pets = to_frame(PetColumns([1, 2], ["Luna", "=1+1"], [3, 3], ["sold", None]))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_report(pets, f"{folder}/stock.xlsx", categories={3: "Cat"}).name
        'stock.xlsx'

    Interface: Resources, Pet; an optional status and int64 ids are kept as they are.
    """
    if isinstance(pets, (str, PathLike)):
        raise ArgumentError("path and pets are swapped: write_report(pets, path)")
    if not isinstance(path, (str, PathLike)):
        raise ArgumentError(f"path is the file to write, got {type(path).__name__}")
    target = Path(path)
    ending = check_target(target)
    _check_extras(target, ending, history, results)
    kept = _open_kept(history)
    facts = gather(pets, categories)
    if require_complete and not facts.covers_all:
        raise ReportError(
            f"not proven complete, so no report was written: {facts.claim_sentence}; leave out "
            "require_complete= for a report that says so"
        )
    with shown(progress, len(facts.frame)) as advance, whole_file(target) as draft:
        if ending == ".xlsx":
            write_workbook(facts, draft, advance=advance, history=kept, results=results)
        else:
            _PLAIN_WRITERS[ending](facts, draft, advance=advance)
    return target


def check_target(target: Path) -> str:
    """Return the ending that names the kind of report, if such a report can be written there.

    Raises:
        ReportError: No report has this ending, or the file cannot be written there.
    """
    refuse_impossible(target)
    ending = target.suffix.lower()
    if ending != ".xlsx" and ending not in _PLAIN_WRITERS:
        hint = _HINTS.get(ending, _HINTS[""])
        raise ReportError(f"no report can be written as {target.name!r}: {hint}")
    return ending


def _open_kept(history: HistoryOption) -> History | None:
    """Open the history to report on; a name mistyped must not read as "nothing changed"."""
    kept = open_history(history)
    if kept is not None and not kept.folder.is_dir():
        raise ReportError(
            f"history={str(kept.folder)!r} does not exist, so no report was written; check the "
            "name, or add an inventory to it first: petstore_frame.History(folder).add(inventory)"
        )
    return kept


def _check_extras(target: Path, ending: str, history: Any, results: Any) -> None:
    """Refuse what this kind of report does not show."""
    from petstore_frame.loader.results.results import LoadResult

    given = {"history": history, "results": results}
    extras = [name for name, value in given.items() if value is not None]
    if extras and ending != ".xlsx":
        raise ArgumentError(
            f"{' and '.join(extras)} can be shown in an .xlsx report only, not in {target.name!r}"
        )
    if not (results is None or isinstance(results, LoadResult)):
        raise ArgumentError(f"results is a LoadResult, got {type(results).__name__}")
