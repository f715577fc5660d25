"""The results of an import as files, written beside their places and renamed once all are whole.

Rows pass one by one, so that memory stays flat.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from petstore_frame.files.whole import replacing
from petstore_frame.loader.journal.rows import Import, JournalRow
from petstore_frame.loader.reading.returned import (
    COLUMNS,
    EXTRA,
    FIX_COLUMNS,
    RESULT_COLUMNS,
    guarded,
    record_name,
)
from petstore_frame.loader.record import DOUBT_STATES, FIX_STATES, RecordProblem, State
from petstore_frame.loader.results.columns import describe
from petstore_frame.loader.results.summary import ImportSummary, problem_of
from petstore_frame.loader.results.workbook import ResultLine, workbook

SUMMARY, WORKBOOK, FIX = "summary.json", "results.xlsx", "fix.csv"
# The records that each has, and the columns behind their own cells.
_CSV_FILES: dict[str, tuple[Collection[State], Sequence[str]]] = {
    "results.csv": (tuple(State), RESULT_COLUMNS),
    FIX: (FIX_STATES, FIX_COLUMNS),
    "unknown.csv": (DOUBT_STATES, RESULT_COLUMNS),
}
FILES = (*_CSV_FILES, WORKBOOK, SUMMARY)
DEFAULT_FOLDER = "results"
DIGESTS = "written_sha256"
Write = Callable[[ResultLine], None]
RowsOf = Callable[..., Iterator[JournalRow]]  # of some states, or all


def write_results(
    folder: Path, facts: ImportSummary, rows: RowsOf, *, excel: bool | None
) -> list[Path]:
    """Write all files of an import into a folder, whose result files are replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    has_excel = find_spec("xlsxwriter") is not None if excel is None else excel
    with TemporaryDirectory(prefix=".results.", dir=folder) as place:
        drafts = Path(place)
        names, counts = _write_drafts(drafts, facts, rows, has_excel=has_excel)
        summary = facts.as_dict() | {
            # Counted as they are written: a running import changes records meanwhile.
            "states": {str(state): counts[state] for state in State},
            "records": counts.total(),
            "files": [*names, SUMMARY],
            DIGESTS: {name: _digest(drafts / name) for name in names},
        }
        for name in names:
            with replacing(folder / name) as temporary:
                (drafts / name).replace(temporary)
        with replacing(folder / SUMMARY) as temporary:
            temporary.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    if not has_excel:  # a workbook of an earlier result would show other records
        (folder / WORKBOOK).unlink(missing_ok=True)
    return [folder / name for name in (*names, SUMMARY)]


def _write_drafts(
    folder: Path, facts: ImportSummary, rows: RowsOf, *, has_excel: bool
) -> tuple[list[str], Counter[State]]:
    """Write the files of records; return their names, and how many are in each state."""
    run, counts = facts.run, Counter[State]()
    header = [*run.header, *_extra_columns(len(run.header), rows(State.INVALID))]
    with ExitStack() as files:
        writers: dict[str, tuple[Collection[State], Write]] = {}
        for name, (states, columns) in _CSV_FILES.items():
            # In the file that people edit, a spreadsheet must not convert names.
            is_name = [name == FIX and own == run.mapping.get("name") for own in header]
            write = files.enter_context(_csv(folder / name, header, is_name, columns))
            writers[name] = states, write
        if has_excel:
            write = files.enter_context(workbook(folder / WORKBOOK, facts, header))
            writers[WORKBOOK] = tuple(State), write
        for row in rows():
            counts[row.state] += 1
            line = _line(run, row, len(header))
            for states, write in writers.values():
                if row.state in states:
                    write(line)
    return list(writers), counts


def _extra_columns(width: int, rows: Iterator[JournalRow]) -> list[str]:
    """Return names for the cells of rows that are longer than the header."""
    most = max((len(row.cells) for row in rows), default=width)
    return [f"{EXTRA}_{at + 1}" for at in range(most - width)]


def _line(run: Import, row: JournalRow, width: int) -> ResultLine:
    cells = [*row.cells[:width], *[""] * (width - len(row.cells))]
    values = describe(row, run)
    # A file may come back: it names the record that each row is.
    values["record"] = record_name(run.id, row.record)
    values["hint"] = _hint(problem_of(row, run))
    # A suspicious record is sent once somebody writes "yes" here.
    values["accept"] = values["accept"] and f"no: {values['accept']}"
    return ResultLine(row.state, cells, values)


def _hint(problem: RecordProblem) -> str:
    """Return how to fix a record for somebody who knows spreadsheets, and no options."""
    if problem.option is None:
        return problem.hint
    return _BY_HAND.get(problem.option[0], problem.hint.format("").rstrip(" :"))


_BY_HAND = {
    "accept": "check it; if it is right, write yes in the column that asks whether to send it",
    "categories": "write the number of the category in its place",
    "thousands": "write the number without points and commas",
}


@contextmanager
def _csv(
    path: Path, header: Sequence[str], is_name: Sequence[bool], columns: Sequence[str]
) -> Iterator[Write]:
    """Give a function that writes a record; UTF-8 with a byte order mark, RFC 4180."""
    with path.open("w", encoding="utf-8-sig", errors="surrogatepass", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*map(guarded, header), *(COLUMNS[column].name for column in columns)])

        def write(line: ResultLine) -> None:
            pairs = zip(line.cells, is_name, strict=True)
            own = (guarded(cell, is_name=may_convert) for cell, may_convert in pairs)
            writer.writerow([*own, *(_text(line.values[column]) for column in columns)])

        yield write


def _text(value: Any) -> str:
    if value is None:
        return ""
    return guarded(value) if isinstance(value, str) else str(value)


def find_place(folder: Path, run: Import) -> tuple[Path, str]:
    """Return where the files of a run may go: the folder asked for, or a free one beside it.

    A folder is free if its result files are of the same import or of a rehearsal and nobody has
    changed them since. With the place comes the reason why it is another folder, or an empty text.
    """
    reason = _why_not(folder, run)
    if not reason:
        return folder, ""
    free = next(other for n in count(2) if not _why_not(other := _beside(folder, n), run))
    return free, f"{reason}, so {folder} stays as it is; these results are in {free}"


def _beside(folder: Path, number: int) -> Path:
    if folder.name in ("", ".."):
        return folder / f"results-{number}"
    return folder.with_name(f"{folder.name}-{number}")


def _why_not(folder: Path, run: Import) -> str:
    """Return why nothing in a folder may be replaced, or an empty text."""
    there = [path for name in FILES if (path := folder / name).exists()]
    written = _summary(folder / SUMMARY)
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


def _summary(path: Path) -> dict[str, Any]:
    try:
        facts = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}
