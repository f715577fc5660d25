"""Shows each row of an import: in a frame, or in files, which are renamed once all are whole.

Rows are written one by one, so that memory stays flat. The cells of the workbook are typed: text
stays text when it is edited, so a name such as 007 or =1+1 comes back unchanged.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TextIO

from petstore_frame.loader.journal.rows import Import, JournalRow, read_payload
from petstore_frame.loader.results.import_facts import (
    NOTES,
    WHY_EXCLUDED,
    ImportSummary,
    problem_of,
)
from petstore_frame.loader.row_state import FIX_STATES, UNCONFIRMED_STATES, Reason, State
from petstore_frame.loader.source import returned_file as returned
from petstore_frame.loader.source.returned_file import FIX_SHEET, ROW, guarded, row_name
from petstore_frame.schema import FIELDS, as_type
from petstore_frame.storage import Book, open_book, replacing, styles

if TYPE_CHECKING:
    import pandas as pd

# What is known of a row, in the order of a frame, behind the file's own columns.
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
# What a row to fix has instead.
FIX_COLUMNS = (
    "line", "error_column", "error_value", "error_message", "hint", "allow", ROW,
)  # fmt: skip
SUMMARY, WORKBOOK, FIX, ALL = "summary.json", "results.xlsx", "fix.csv", "All"
# The rows that each file and sheet has, and the columns behind their own cells. The sheets are in
# plain words for a colleague; codes are in results.csv.
_HELD: dict[str, tuple[Collection[State], Sequence[str]]] = {
    "results.csv": (tuple(State), returned.RESULT_COLUMNS),
    FIX: (FIX_STATES, returned.FIX_COLUMNS),
    "unconfirmed.csv": (UNCONFIRMED_STATES, returned.RESULT_COLUMNS),
    FIX_SHEET: (FIX_STATES, returned.FIX_SHEET_COLUMNS),
    ALL: (
        tuple(State),
        ("state", "pet_id", "error_message", "changed", "notes", "line", "row"),
    ),
}
_CSV_FILES = ("results.csv", FIX, "unconfirmed.csv")
DEFAULT_FOLDER = "results"
DIGESTS = "written_sha256"
_TOO_LONG = "a cell did not fit into the workbook and is empty here; it is whole in the CSV files"
_OWN_WIDTH = 18
WriteRow = Callable[[Sequence[str], Mapping[str, Any]], None]


def describe(row: JournalRow, run: Import, store_names: Mapping[int, str]) -> dict[str, Any]:
    """Return what a person may want to know of a row; None is missing.

    ``store_names`` are those of ``Import.store_names``.
    """
    problem = problem_of(row, run)
    changed = _changes_of(row, run, store_names.get(row.number))
    return {
        "row": row.number,
        "line": row.line,
        "state": row.state,
        # Also where another row made it.
        "pet_id": row.pet_id if row.known is None else row.known.pet_id,
        "reason": Reason.CHANGED if changed else row.reason,
        "error_code": problem.code or None,
        "error_column": problem.column,
        "error_value": problem.value,
        "error_message": problem.message or None,
        "hint": problem.hint or None,
        # A suspicious row is sent once somebody writes "yes" here.
        "allow": problem.allow and f"no: {problem.allow}",
        ROW: row_name(run.id, row.number),
        "changed": changed,
        "notes": "; ".join(NOTES.get(note, note) for note in row.notes if note != "blank") or None,
    }


def _changes_of(row: JournalRow, run: Import, store_name: str | None) -> str | None:
    """Return the fields that differ now in a known animal, with both values."""
    before, now = row.payload, row.reads_now
    if row.known is not None:
        before, now = row.known.payload, row.payload
    old, new = read_payload(before), read_payload(now)
    changes = []
    if old and new:
        for field in FIELDS.sent:
            was, reads = old.get(field.wire_name, "none"), new.get(field.wire_name, "none")
            if was != reads:
                changes.append(f"{field.name}: {was} → {reads}")
    if store_name is not None:
        changes.append(f"the store shows the name {store_name}")
    status = old.get("status")
    if row.reason == Reason.LEFT_OUT and status not in (None, _status_now(row, run, new)):
        changes.append(f"the store still shows it as {status}")
    return "; ".join(changes) or None


def _status_now(row: JournalRow, run: Import, body: Mapping[str, Any]) -> str | None:
    """Return the status that the file gives a row, or the word in its cell if that is none."""
    if body:
        return body.get("status")
    column = run.mapping.get("status")
    at = run.header.index(column) if column in run.header else len(row.cells)
    return row.cells[at].strip().casefold() if at < len(row.cells) else None


def make_frame(
    run: Import,
    rows: Iterable[JournalRow],
    ours: Iterable[str],
    *,
    empty_is_missing: bool = False,
) -> pd.DataFrame:
    """Return the file's own columns of some rows, then columns of ours.

    With ``empty_is_missing``, an empty cell is missing, as a cell that a short row lacks.
    """
    import pandas as pd

    store_names = run.store_names
    described = [(row.cells, describe(row, run, store_names)) for row in rows]
    series: dict[str, Any] = {}
    for at, name in enumerate(as_type(run.header, "str")):
        free = name or f"column {at + 1}"
        while free in (*COLUMNS, *FIX_COLUMNS) or free in series:
            free = f"{free} (file)"
        column = [cells[at] if at < len(cells) else None for cells, _ in described]
        if empty_is_missing:
            column = [cell or None for cell in column]
        series[free] = as_type(column, "str")
    for name in ours:
        values = [facts[name] for _, facts in described]
        if empty_is_missing:
            values = [None if value == "" else value for value in values]
        series[name] = _series(name, values)
    return pd.DataFrame(series)


def _series(name: str, values: list[Any]) -> Any:
    import pandas as pd

    dtype = COLUMNS.get(name, "str")
    if dtype == "str":
        return as_type(values, "str")
    if dtype != "category":
        return pd.Series(values, dtype=dtype)
    texts = [None if value is None else str(value) for value in values]
    found = State if name == "state" else sorted({text for text in texts if text is not None})
    return pd.Categorical(texts, categories=[*map(str, found)])


def write_results(
    folder: Path,
    facts: ImportSummary,
    rows: Callable[..., Iterator[JournalRow]],
) -> list[Path]:
    """Write all files of an import into a folder, whose result files are replaced.

    ``rows`` gives the rows of some states, or all.
    """
    folder.mkdir(parents=True, exist_ok=True)
    has_excel = find_spec("xlsxwriter") is not None
    names = [*_CSV_FILES, *([WORKBOOK] if has_excel else [])]
    with TemporaryDirectory(prefix=".results.", dir=folder) as place:
        drafts = Path(place)
        counts = _write_drafts(drafts, facts, rows, has_excel=has_excel)
        summary = facts.as_dict() | {
            # Counted as they are written: a running import changes rows meanwhile.
            "states": {str(state): counts[state] for state in State},
            "rows": counts.total(),
            "files": [*names, SUMMARY],
            DIGESTS: {name: _digest(drafts / name) for name in names},
        }
        (drafts / SUMMARY).write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
        for name in (*names, SUMMARY):
            with replacing(folder / name, draft=drafts / name):
                pass
    if not has_excel:  # a workbook of an earlier result would show other rows
        (folder / WORKBOOK).unlink(missing_ok=True)
    return [folder / name for name in (*names, SUMMARY)]


def _write_drafts(
    folder: Path,
    facts: ImportSummary,
    rows: Callable[..., Iterator[JournalRow]],
    *,
    has_excel: bool,
) -> Counter[State]:
    """Write the files of rows; return how many are in each state."""
    run, counts = facts.run, Counter[State]()
    store_names = run.store_names
    # Rows may be longer than the header.
    most = max((len(row.cells) for row in rows(State.INVALID)), default=0)
    extra = range(1, most - len(run.header) + 1)
    header = [*run.header, *(f"{returned.EXTRA}_{at}" for at in extra)]
    with ExitStack() as files:
        writers, sheets = dict[str, WriteRow](), list[_SheetRows]()
        for name in _CSV_FILES:
            # UTF-8 with a byte order mark, RFC 4180; half a character is kept.
            opened = (folder / name).open(
                "w", encoding="utf-8-sig", errors="surrogatepass", newline=""
            )
            # In the file that people edit, a spreadsheet must not convert names.
            at_risk = run.mapping.get("name") if name == FIX else None
            writers[name] = _begin_csv(files.enter_context(opened), name, header, at_risk)
        if has_excel:
            book = files.enter_context(open_book(folder / WORKBOOK))
            for name in [FIX_SHEET, ALL] if facts.to_fix else [ALL]:
                sheets.append(_SheetRows(book, name, header))
                writers[name] = sheets[-1].write
        for row in rows():
            counts[row.state] += 1
            cells = [*row.cells[: len(header)], *[""] * (len(header) - len(row.cells))]
            values = describe(row, run, store_names)
            values["row"] = values[ROW]
            for name, write in writers.items():
                if row.state in _HELD[name][0]:
                    write(cells, values)
        for sheet in sheets:
            sheet.finish()
    return counts


def _begin_csv(file: TextIO, name: str, header: Sequence[str], at_risk: str | None) -> WriteRow:
    """Begin a CSV file of rows, their own cells, then ours; return what writes one.

    No spreadsheet would run a cell of it, or convert one of the column at risk.
    """
    writer, (_, columns) = csv.writer(file), _HELD[name]
    name_at = header.index(at_risk) if at_risk in header else None
    ours = [returned.COLUMNS[column].name for column in columns]
    writer.writerow([*map(guarded, header), *ours])

    def write(cells: Sequence[str], values: Mapping[str, Any]) -> None:
        own = [guarded(cell, is_name=at == name_at) for at, cell in enumerate(cells)]
        known = (values[column] for column in columns)
        writer.writerow([*own, *(guarded(v) if isinstance(v, str) else v for v in known)])

    return write


class _SheetRows:
    """A sheet of rows, as many as it can hold."""

    def __init__(self, book: Book, name: str, header: Sequence[str]) -> None:
        self._own, self._row, self._left = len(header), 0, 0
        _, self._columns = _HELD[name]
        self._is_typed_into = name == FIX_SHEET
        self._as_text = book.style(num_format=styles.TEXT)
        self._as_number = book.style(align="left")
        self._sheet = book.sheet(name)
        self._sheet.raw.freeze_panes(1, 0)
        for at in range(self._own):
            self._sheet.width(at, _OWN_WIDTH, self._as_text)
        ours = [returned.COLUMNS[column] for column in self._columns]
        for at, column in enumerate(ours, self._own):
            # The heading has the button of the filter beside it.
            self._sheet.width(at, max(column.width, len(column.heading) + 3))
        for at, text in enumerate([*header, *(column.heading for column in ours)]):
            self._sheet.cell(0, at, text, **styles.HEAD, num_format=styles.TEXT)
        self._sheet.finish()

    def write(self, cells: Sequence[str], values: Mapping[str, Any]) -> None:
        if self._row == styles.SHEET_ROWS - 1:  # the last one is for how many are left
            self._left += 1
            return
        self._row += 1
        does_fit = Book.fits(cells)
        for at, cell in enumerate(cells):
            if cell and (does_fit or Book.fits([cell])):
                self._sheet.raw.write_string(self._row, at, cell, self._as_text)
            elif self._is_typed_into:  # what is typed into it is text, too
                self._sheet.put(self._row, at, None, self._as_text)
        state, notes = values["state"], values["notes"]
        text = state.text
        if state is State.EXCLUDED:
            text = f"not sent: {WHY_EXCLUDED[values['reason']]}"
        if not does_fit:
            notes = "; ".join(filter(None, [notes, _TOO_LONG]))
        shown = {**values, "state": text, "notes": notes}
        for at, column in enumerate(self._columns, self._own):
            if shown[column] not in (None, ""):
                self._sheet.put(self._row, at, shown[column], self._as_number, self._as_text)

    def finish(self) -> None:
        """Put the filter over all rows, now that their number is known."""
        if self._left:
            text = f"and {self._left:,} more rows, which are in results.csv"
            self._sheet.put(styles.SHEET_ROWS, 0, text, self._as_text)
        self._sheet.do("autofilter", 0, 0, self._row, self._own + len(self._columns) - 1)
        self._sheet.print_on_a4(self._sheet.name, repeat_row=0)


def find_place(folder: Path, run: Import) -> tuple[Path, str]:
    """Return where the files of a run may go: the folder asked for, or a free one beside it.

    A folder is free if its result files are of the same import or of a rehearsal and nobody has
    changed them since. With the place comes the reason why it is another folder, or an empty text.
    """
    reason = _why_not(folder, run)
    if not reason:
        return folder, ""
    # The current folder has no name to go beside.
    inside = folder.name in ("", "..")
    others = (
        folder / f"results-{n}" if inside else folder.with_name(f"{folder.name}-{n}")
        for n in count(2)
    )
    free = next(other for other in others if not _why_not(other, run))
    return free, f"{reason}, so {folder} stays as it is; these results are in {free}"


def _why_not(folder: Path, run: Import) -> str:
    """Return why nothing in a folder may be replaced, or an empty text."""
    there = [path for name in (*_CSV_FILES, WORKBOOK, SUMMARY) if (path := folder / name).exists()]
    try:
        written = json.loads((folder / SUMMARY).read_bytes())
    except (OSError, ValueError):
        written = {}
    written = written if isinstance(written, dict) else {}
    digests = written.get(DIGESTS)
    known = digests if isinstance(digests, dict) else {}
    for path in there:
        if run.place is not None and run.place.startswith(str(path.resolve())):
            return f"{path} is the file that was loaded"
        if path.name != SUMMARY and not (path.is_file() and _digest(path) == known.get(path.name)):
            is_ours = path.name in known
            return f"{path} was {'changed since it was' if is_ours else 'not'} written by an import"
    if not there or run.id == written.get("import_id") or written.get("dry_run") is True:
        return ""
    return f"{folder} has the results of another import, of {written.get('source')}"


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
