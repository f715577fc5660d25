"""Writes the rows of an import to result files, or to a DataFrame.

Files are renamed to their final names once all of them are complete. Rows are written one by one,
so that memory use is constant. Workbook cells have the format text, so a name such as 007 or =1+1
stays unchanged when somebody edits it.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TextIO

from petstore_frame.errors import ReportError
from petstore_frame.loader.journal.rows import Import, JournalRow, KeyOfPet, read_payload
from petstore_frame.loader.results.import_facts import (
    NOTES,
    WHY_NOT_SENT,
    ImportSummary,
    problem_of,
    status_still_shown,
    store_names_of,
)
from petstore_frame.loader.row_state import FIX_STATES, UNCONFIRMED_STATES, Reason, State
from petstore_frame.loader.source import returned_file as returned
from petstore_frame.loader.source.returned_file import FIX_SHEET, ROW, guarded, row_name
from petstore_frame.schema import FIELDS, as_type
from petstore_frame.storage import (
    Book,
    Sheet,
    Table,
    TableColumn,
    digest,
    fits,
    is_input,
    open_book,
    reason_to_keep,
    replacing,
    styles,
)

if TYPE_CHECKING:
    import pandas as pd

# The columns of a frame after the columns of the file, with their dtypes.
COLUMNS: dict[str, str] = {
    "row": "Int64",
    "line": "Int64",
    "state": "category",
    "pet_id": "Int64",
    "reason": "category",
    "error_code": "str",
    "error_column": "str",
    "error_message": "str",
    "changed": "str",
    "notes": "str",
}
# The columns of a frame of rows that need fixing, after the columns of the file.
FIX_COLUMNS = (
    "line", "error_column", "error_value", "error_message", "hint", "allow", ROW,
)  # fmt: skip
# The columns of a frame of possible duplicates, after the columns of the file.
POSSIBLE_COLUMNS = ("line", *returned.MAY_BE_COLUMNS)
_POSSIBLE_DTYPES = {"may_be_category_id": "Int64", "may_be_id": "Int64", "table_line": "Int64"}
CHANGED_IN_STORE = "the store shows the name"
SUMMARY, WORKBOOK, FIX, ALL = "summary.json", "results.xlsx", "fix.csv", "All"
# For each file and sheet, the states of its rows, and the columns after the columns of the file.
# Sheets are for a colleague, so they have sentences instead of codes.
_CONTENTS: dict[str, tuple[Collection[State], Sequence[str]]] = {
    "results.csv": (tuple(State), returned.RESULT_COLUMNS),
    FIX: (FIX_STATES, returned.FIX_COLUMNS),
    "possible_duplicates.csv": ((State.POSSIBLE_DUPLICATE,), returned.POSSIBLE_COLUMNS),
    "unconfirmed.csv": (UNCONFIRMED_STATES, returned.RESULT_COLUMNS),
    FIX_SHEET: (FIX_STATES, returned.FIX_SHEET_COLUMNS),
    ALL: (
        tuple(State),
        ("state", "pet_id", "error_message", "changed", "notes", "line", "row"),
    ),
}
_CSV_FILES = ("results.csv", FIX, "possible_duplicates.csv", "unconfirmed.csv")
DEFAULT_FOLDER = "results"
DIGESTS = "written_sha256"
_TOO_LONG = "a cell did not fit into the workbook and is empty here; the CSV files have all of it"
_FILE_COLUMN_WIDTH = 18
WriteRow = Callable[[Sequence[str], Mapping[str, Any]], None]


def describe(row: JournalRow, run: Import, store_names: Mapping[int, str]) -> dict[str, Any]:
    """Return the values of a row for all added columns; None for a missing value.

    ``store_names`` are the names of pets in the store that differ from those that were sent.
    """
    problem = problem_of(row, run)
    doubt = next((problem.allow for problem in row.problems if problem.allow), problem.allow)
    changed = _changes_of(row, run, store_names.get(row.number))
    return {
        "row": row.number,
        "line": row.line,
        "state": row.state,
        # The pet id is also set if another row created the pet.
        "pet_id": row.pet_id if row.other_row is None else row.other_row.pet_id,
        "reason": Reason.CHANGED if changed else row.reason,
        "error_code": problem.code or None,
        "error_column": problem.column,
        "error_value": problem.value,
        "error_message": problem.message or None,
        "hint": problem.hint or None,
        # A suspicious row is sent if the user changes this to "yes".
        "allow": doubt and f"no: {doubt}",
        ROW: row_name(run.id, row.number),
        "changed": changed,
        **_possible_values(row),
        "notes": "; ".join(NOTES.get(note, note) for note in row.notes if note != "blank") or None,
    }


def _changes_of(row: JournalRow, run: Import, store_name: str | None) -> str | None:
    """Return the changed fields of a loaded animal, with old and new values; None for none."""
    before, now = row.payload, row.reads_now
    if row.other_row is not None:
        before, now = row.other_row.payload, row.payload
    old, new = read_payload(before), read_payload(now)
    changes = []
    if old and new:
        for field in FIELDS.sent:
            old_value = old.get(field.wire_name, "none")
            new_value = new.get(field.wire_name, "none")
            if old_value != new_value:
                changes.append(f"{field.name}: {old_value} → {new_value}")
    if store_name is not None:
        changes.append(f"{CHANGED_IN_STORE} {store_name}")
    status = status_still_shown(row, run)
    if status is not None:
        changes.append(f"the store still shows it as {status}")
    return "; ".join(changes) or None


def _possible_values(row: JournalRow) -> dict[str, Any]:
    """Return what a possible duplicate may be, for the columns about it."""
    possible = row.possible
    if possible is None:
        return dict.fromkeys(returned.MAY_BE_COLUMNS)
    values = read_payload(possible.payload)
    origin = possible.source or "the store"
    if possible.same_line is not None:
        origin = f"line {possible.same_line} of this file"
    return {
        "may_be_name": values.get("name"),
        "may_be_category_id": values.get("categoryId"),
        "may_be_status": values.get("status"),
        "may_be_key": possible.key,
        "may_be_id": possible.pet_id,
        "may_be_from": origin,
        "table_line": possible.table_line,
    }


def make_frame(
    run: Import,
    rows: Iterable[JournalRow],
    added_columns: Iterable[str],
    *,
    empty_is_missing: bool = False,
) -> pd.DataFrame:
    """Return a frame of rows: the columns of the file as text, then some added columns.

    With ``empty_is_missing``, empty cells become missing values. Cells that a short row lacks are
    always missing.
    """
    import pandas as pd

    store_names = store_names_of(run)
    described = [(row.cells, describe(row, run, store_names)) for row in rows]
    series: dict[str, Any] = {}
    for at, name in enumerate(as_type(run.header, "str")):
        unique_name = name or f"column {at + 1}"
        while unique_name in (*COLUMNS, *FIX_COLUMNS) or unique_name in series:
            unique_name = f"{unique_name} (file)"
        column = [cells[at] if at < len(cells) else None for cells, _ in described]
        if empty_is_missing:
            column = [cell or None for cell in column]
        series[unique_name] = as_type(column, "str")
    for name in added_columns:
        values = [facts[name] for _, facts in described]
        if empty_is_missing:
            values = [None if value == "" else value for value in values]
        series[name] = _series(name, values)
    return pd.DataFrame(series)


def frame_of_keys(keys: Sequence[KeyOfPet]) -> pd.DataFrame:
    """Return one row per key: ``key`` str, ``id`` Int64, ``state`` category, ``source`` str."""
    import pandas as pd

    states = pd.CategoricalDtype([str(state) for state in State])
    return pd.DataFrame(
        {
            "key": as_type([key.key for key in keys], "str"),
            "id": pd.array([key.pet_id for key in keys], dtype="Int64"),
            "state": pd.Categorical([key.state for key in keys], dtype=states),
            "source": as_type([key.source for key in keys], "str"),
        }
    )


def _series(name: str, values: list[Any]) -> Any:
    import pandas as pd

    dtype = COLUMNS.get(name) or _POSSIBLE_DTYPES.get(name, "str")
    if dtype == "str":
        return as_type(values, "str")
    if dtype != "category":
        return pd.Series(values, dtype=dtype)
    texts = [None if value is None else str(value) for value in values]
    categories = State if name == "state" else sorted({text for text in texts if text is not None})
    return pd.Categorical(texts, categories=[*map(str, categories)])


def write_results(
    folder: Path,
    facts: ImportSummary,
    rows: Callable[..., Iterator[JournalRow]],
) -> list[Path]:
    """Write all result files of an import to a folder; replace existing ones.

    ``rows`` returns the rows in some states, or all rows.

    Raises:
        ReportError: Files are open in another program; the others were written.
    """
    old_digests, locked = _digests_in(_written_summary(folder)), list[Path]()
    folder.mkdir(parents=True, exist_ok=True)
    has_excel = find_spec("xlsxwriter") is not None
    names = [*_CSV_FILES, *([WORKBOOK] if has_excel else [])]
    with TemporaryDirectory(prefix=".results.", dir=folder) as draft_folder:
        drafts = Path(draft_folder)
        counts = _write_drafts(drafts, facts, rows, has_excel=has_excel)
        digests = {name: digest(drafts / name) for name in names}
        for name in names:
            try:
                with replacing(folder / name, draft=drafts / name):
                    pass
            except PermissionError:  # Windows refuses to replace a file that is open in Excel
                locked.append(folder / name)
                # The next call recognizes the old file by its old digest, and replaces it.
                digests[name] = old_digests.get(name, "")
        summary = facts.as_dict() | {
            # Count the rows that were written, because a running import may change the journal.
            "states": {str(state): counts[state] for state in State},
            "rows": counts.total(),
            "files": [*names, SUMMARY],
            DIGESTS: digests,
        }
        (drafts / SUMMARY).write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
        with replacing(folder / SUMMARY, draft=drafts / SUMMARY):
            pass
    if locked:
        raise ReportError(
            f"{' and '.join(map(str, locked))} cannot be replaced: close it in Excel, then run the "
            "same call again. The other result files were written, and the journal has every row"
        )
    if not has_excel:  # a workbook of an earlier result would be out of date
        (folder / WORKBOOK).unlink(missing_ok=True)
    return [folder / name for name in (*names, SUMMARY)]


def _write_drafts(
    folder: Path,
    facts: ImportSummary,
    rows: Callable[..., Iterator[JournalRow]],
    *,
    has_excel: bool,
) -> Counter[State]:
    """Write the files of rows to a folder; return the number of rows in each state."""
    run, counts = facts.run, Counter[State]()
    store_names = store_names_of(run)
    # Rows may be longer than the header.
    max_cells = max((len(row.cells) for row in rows(State.INVALID)), default=0)
    extra = range(1, max_cells - len(run.header) + 1)
    header = [*run.header, *(f"{returned.EXTRA}_{at}" for at in extra)]
    with ExitStack() as files:
        writers, tables = dict[str, WriteRow](), list[Table]()
        for name in _CSV_FILES:
            # RFC 4180 in UTF-8 with a byte order mark; lone surrogates are preserved.
            opened = (folder / name).open(
                "w", encoding="utf-8-sig", errors="surrogatepass", newline=""
            )
            # People edit fix.csv, so a spreadsheet must not convert its names.
            name_column = run.mapping.get("name") if name == FIX else None
            writers[name] = _begin_csv(files.enter_context(opened), name, header, name_column)
        if has_excel:
            book = files.enter_context(open_book(folder / WORKBOOK))
            for name in [FIX_SHEET, ALL] if facts.to_fix else [ALL]:
                tables.append(_begin_table(book, name, header))
                writers[name] = partial(_write_to_table, tables[-1], _CONTENTS[name][1])
        for row in rows():
            counts[row.state] += 1
            cells = [*row.cells[: len(header)], *[""] * (len(header) - len(row.cells))]
            values = describe(row, run, store_names)
            values["row"] = values[ROW]
            for name, write in writers.items():
                if row.state in _CONTENTS[name][0]:
                    write(cells, values)
        for table in tables:
            table.finish()
    return counts


def _begin_csv(file: TextIO, name: str, header: Sequence[str], name_column: str | None) -> WriteRow:
    """Write the header of a CSV file, and return the function that writes a row.

    Cells are guarded, so that a spreadsheet does not run formulas or convert names.
    """
    writer, (_, columns) = csv.writer(file), _CONTENTS[name]
    name_at = header.index(name_column) if name_column in header else None
    added_names = [returned.COLUMNS[column].name for column in columns]
    writer.writerow([*map(guarded, header), *added_names])

    def write(cells: Sequence[str], values: Mapping[str, Any]) -> None:
        file_cells = [guarded(cell, is_name=at == name_at) for at, cell in enumerate(cells)]
        added = (values[column] for column in columns)
        added_cells = [guarded(value) if isinstance(value, str) else value for value in added]
        writer.writerow([*file_cells, *added_cells])

    return write


def _begin_table(book: Book, name: str, header: Sequence[str]) -> Table:
    """Begin a table of the workbook: the columns of the file as text, then ours."""
    as_text, as_number = book.style(num_format=styles.TEXT), book.style(align="left")
    is_editable = name == FIX_SHEET

    def write_cell(sheet: Sheet, row: int, col: int, cell: str) -> None:
        if cell:
            sheet.raw.write_string(row, col, cell, as_text)
        elif is_editable:  # entered values become text, too
            sheet.put(row, col, None, as_text)

    def write_value(sheet: Sheet, row: int, col: int, value: Any) -> None:
        if value not in (None, ""):
            sheet.put(row, col, value, as_number, as_text)

    columns = [
        TableColumn(text, _FILE_COLUMN_WIDTH, write_cell, empty_format=as_text) for text in header
    ]
    for column in (returned.COLUMNS[added] for added in _CONTENTS[name][1]):
        # Leave room for the filter button next to the heading.
        width = max(column.width, len(column.heading) + 3)
        columns.append(TableColumn(column.heading, width, write_value))
    return Table(book, name, columns, finish_sheet=_set_up_print, is_compact=False)


def _set_up_print(sheet: Sheet) -> None:
    sheet.print_on_a4(repeat_row=0)


def _write_to_table(
    table: Table, columns: Sequence[str], cells: Sequence[str], values: Mapping[str, Any]
) -> None:
    """Write a row for a reader: sentences instead of codes, and no cell that Excel would cut."""
    state, notes = values["state"], values["notes"]
    text = state.text
    if state is State.EXCLUDED:
        text = f"not sent: {WHY_NOT_SENT[values['reason']]}"
    if not fits(cells):
        cells = [cell if fits([cell]) else "" for cell in cells]
        notes = "; ".join(filter(None, [notes, _TOO_LONG]))
    texts = {**values, "state": text, "notes": notes}
    table.write([*cells, *(texts[column] for column in columns)])


def find_place(folder: Path, run: Import) -> tuple[Path, str]:
    """Return the folder for the files of an import, and a note if it is another one than given.

    The files go to the given folder if its result files are from the same import or a dry run, and
    nobody has changed them. Otherwise they go to a numbered folder next to it.
    """
    reason = _why_blocked(folder, run)
    if not reason:
        return folder, ""
    # The current folder has no name, so the numbered folder goes inside it.
    goes_inside = folder.name in ("", "..")
    candidates = (
        folder / f"results-{n}" if goes_inside else folder.with_name(f"{folder.name}-{n}")
        for n in count(2)
    )
    free = next(candidate for candidate in candidates if not _why_blocked(candidate, run))
    return free, f"{reason}, so {folder} is unchanged; these results are in {free}"


def _why_blocked(folder: Path, run: Import) -> str:
    """Return why the result files in a folder must not be replaced, or an empty text."""
    existing = [
        path for name in (*_CSV_FILES, WORKBOOK, SUMMARY) if (path := folder / name).exists()
    ]
    written = _written_summary(folder)
    old_digests = _digests_in(written)
    place = run.place or ""
    for path in existing:
        if is_input(path, [place, place.rpartition("#")[0]]):  # with the sheet of a workbook
            return f"{path} is the file that was loaded"
        reason = "" if path.name == SUMMARY else reason_to_keep(path, old_digests.get(path.name))
        if reason:
            return reason
    if not existing or run.id == written.get("import_id") or written.get("dry_run") is True:
        return ""
    return f"{folder} has the results of another import, of {written.get('source')}"


def _written_summary(folder: Path) -> dict[str, Any]:
    """Return the summary that an import wrote to a folder; empty if there is none."""
    try:
        written = json.loads((folder / SUMMARY).read_bytes())
    except (OSError, ValueError):
        return {}
    return written if isinstance(written, dict) else {}


def _digests_in(written: Mapping[str, Any]) -> dict[str, Any]:
    digests = written.get(DIGESTS)
    return digests if isinstance(digests, dict) else {}
