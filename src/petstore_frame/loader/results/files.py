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
from typing import TYPE_CHECKING, Any, NamedTuple

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
from petstore_frame.loader.record import DOUBT_STATES, FIX_STATES, State
from petstore_frame.loader.results.columns import ResultLine, describe, hint_in_file
from petstore_frame.loader.results.workbook import workbook

if TYPE_CHECKING:
    from petstore_frame.loader.results.results import LoadResult

SUMMARY, WORKBOOK, FIX = "summary.json", "results.xlsx", "fix.csv"
# The records that each has, and the columns behind their own cells.
_CSV_FILES: dict[str, tuple[Collection[State], Sequence[str]]] = {
    "results.csv": (tuple(State), RESULT_COLUMNS),
    FIX: (FIX_STATES, FIX_COLUMNS),
    "unknown.csv": (DOUBT_STATES, RESULT_COLUMNS),
}
FILES = (*_CSV_FILES, WORKBOOK, SUMMARY)
DIGESTS = "written_sha256"
DEFAULT_FOLDER = "results"
Write = Callable[[ResultLine], None]


def write_results(folder: Path, result: LoadResult, *, excel: bool | None) -> list[Path]:
    """Write all files of a result into a folder, whose result files are replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    has_excel = find_spec("xlsxwriter") is not None if excel is None else excel
    with TemporaryDirectory(prefix=".results.", dir=folder) as drafts:
        names, counts = _write_drafts(Path(drafts), result, has_excel=has_excel)
        summary = result.summary | {
            # As written: an import at work changes records meanwhile.
            "states": {str(state): counts[state] for state in State},
            "records": counts.total(),
            "files": [*names, SUMMARY],
            # On disk before the first file moves: a kill between two then leaves only known files.
            DIGESTS: digests(Path(drafts), folder),
        }
        with replacing(folder / SUMMARY) as temporary:
            temporary.write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
        for name in names:
            with replacing(folder / name) as temporary:
                (Path(drafts) / name).replace(temporary)
    if not has_excel:
        # A workbook of an earlier result would show other records.
        (folder / WORKBOOK).unlink(missing_ok=True)
    return [folder / name for name in (*names, SUMMARY)]


def _write_drafts(
    folder: Path, result: LoadResult, *, has_excel: bool
) -> tuple[list[str], Counter[State]]:
    """Write the files of records; return their names, and how many are in each state."""
    run, counts = result.facts.run, Counter[State]()
    header = [*run.header, *_extra_columns(len(run.header), result.rows(State.INVALID))]
    names = list(_CSV_FILES)
    with ExitStack() as files:
        writers: list[tuple[Collection[State], Write]] = []
        for name, (states, columns) in _CSV_FILES.items():
            named = run.mapping.get("name") if name == FIX else None
            name_at = None if named is None else header.index(named)
            write = files.enter_context(_csv(folder / name, header, columns, name_at))
            writers.append((states, write))
        if has_excel:
            names.append(WORKBOOK)
            write = files.enter_context(workbook(folder / WORKBOOK, result, header))
            writers.append((tuple(State), write))
        for line in _lines(run, result.rows(), len(header)):
            counts[line.state] += 1
            for states, write in writers:
                if line.state in states:
                    write(line)
    return names, counts


def _extra_columns(width: int, rows: Iterator[JournalRow]) -> list[str]:
    """Return names for the cells of rows that are longer than the header."""
    most = max((len(row.cells) for row in rows), default=width)
    return [f"{EXTRA}_{at + 1}" for at in range(most - width)]


def _lines(run: Import, rows: Iterator[JournalRow], width: int) -> Iterator[ResultLine]:
    for row in rows:
        cells = [*row.cells[:width], *[""] * (width - len(row.cells))]
        values = describe(row, run)
        # A file may come back: it names the record that each row is.
        values["record"] = record_name(run.id, row.record)
        values["hint"] = hint_in_file(row, run)
        # A record that was held is sent once somebody writes "yes" here.
        values["accept"] = values["accept"] and f"no: {values['accept']}"
        yield ResultLine(row.state, cells, values)


@contextmanager
def _csv(
    path: Path, header: Sequence[str], columns: Sequence[str], name_at: int | None
) -> Iterator[Write]:
    """Give a function that writes a record; UTF-8 with a byte order mark, RFC 4180.

    ``name_at`` is the column of names, in a file that a spreadsheet is to save again: there names
    are guarded that it would convert.
    """
    with path.open("w", encoding="utf-8-sig", errors="surrogatepass", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*map(guarded, header), *(COLUMNS[column].name for column in columns)])

        def write(line: ResultLine) -> None:
            cells = [guarded(cell, is_name=at == name_at) for at, cell in enumerate(line.cells)]
            writer.writerow([*cells, *(_text(line.values[column]) for column in columns)])

        yield write


def _text(value: Any) -> str:
    if value is None:
        return ""
    return guarded(value) if isinstance(value, str) else str(value)


class Place(NamedTuple):
    """A folder to write to.

    Attributes:
        folder: The folder.
        note: Why it is not the one that was asked for, or an empty text.
    """

    folder: Path
    note: str = ""


def find_place(folder: Path, run: Import) -> Place:
    """Return where the files of a run may go: the folder asked for, or a free one beside it.

    A folder is free where its result files are of the same import or the same records, or of a
    rehearsal, and nobody has changed them since.
    """
    reason = _why_not(folder, run)
    if not reason:
        return Place(folder)
    free = next(other for n in count(2) if not _why_not(other := _beside(folder, n), run))
    return Place(free, f"{reason}, so {folder} stays as it is; these results are in {free}")


def digests(drafts: Path, folder: Path) -> dict[str, list[str]]:
    """Return the SHA-256 of each file that is to be written, and of the one that it replaces.

    Both are ours: a process killed between two of the files leaves some of each.
    """
    found: dict[str, list[str]] = {}
    for name in FILES:
        written = [_digest(path) for place in (drafts, folder) if (path := place / name).exists()]
        if name != SUMMARY and written:
            found[name] = written
    return found


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _beside(folder: Path, number: int) -> Path:
    if folder.name in ("", ".."):
        return folder / f"results-{number}"
    return folder.with_name(f"{folder.name}-{number}")


def _why_not(folder: Path, run: Import) -> str:
    """Return why nothing in a folder may be replaced, or an empty text."""
    there = [path for name in FILES if (path := folder / name).exists()]
    if not there:
        return ""
    written = _summary(folder / SUMMARY)
    for path in there:
        if run.place is not None and run.place.startswith(str(path.resolve())):
            return f"{path} is the file that was loaded"
        known = _known(path, written)
        if path.name != SUMMARY and not (path.is_file() and _digest(path) in known):
            return f"{path} was {'changed since it was' if known else 'not'} written by an import"
    if run.id == written.get("import_id") or written.get("dry_run") is True:
        return ""
    source = written.get("source")
    return f"{folder} has the results of another import" + (f", of {source}" if source else "")


def _known(path: Path, written: dict[str, Any]) -> list[Any]:
    """Return the digests that a file has if nobody changed it; none for one that is not ours."""
    by_name = written.get(DIGESTS)
    known = by_name.get(path.name) if isinstance(by_name, dict) else None
    return known if isinstance(known, list) else []


def _summary(path: Path) -> dict[str, Any]:
    try:
        facts = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}
