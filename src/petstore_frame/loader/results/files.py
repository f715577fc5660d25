"""The results of an import as files, written beside their places and renamed once all are whole.

Rows pass one by one, so that memory stays flat.
"""

from __future__ import annotations

import csv
import hashlib
import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from datetime import datetime
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.errors import JournalError
from petstore_frame.loader.call import FILE
from petstore_frame.files.whole import replacing
from petstore_frame.loader.journal.rows import JournalRow, Run
from petstore_frame.loader.reading.returned import (
    COLUMNS,
    ESCAPED,
    EXTRA,
    FIX_COLUMNS,
    escaped_columns,
    file_name,
    harmless,
    unconverted,
)
from petstore_frame.loader.record import DOUBT_STATES, FIX_STATES, State
from petstore_frame.loader.results.columns import ResultLine, describe, root_of
from petstore_frame.loader.results.workbook import workbook

if TYPE_CHECKING:
    from petstore_frame.loader.results.results import LoadResult

SUMMARY, WORKBOOK = "summary.json", "results.xlsx"
# The records that each has, and the columns beside their own cells.
_CSV_FILES: dict[str, tuple[Collection[State], Sequence[str]]] = {
    "results.csv": (tuple(State), tuple(COLUMNS)),
    "fix.csv": (FIX_STATES, FIX_COLUMNS),
    "unknown.csv": (DOUBT_STATES, tuple(COLUMNS)),
}
FILES = (*_CSV_FILES, WORKBOOK, SUMMARY)
DIGESTS = "written_sha256"
DEFAULT_FOLDER = "results"
# Those that are to fix or in doubt, or may be by the time that they are written.
_UNSETTLED = tuple(state for state in State if state not in (State.CREATED, State.SKIPPED))
_SENT = (State.CREATED, *DOUBT_STATES)


def write_results(folder: Path, result: LoadResult, *, excel: bool | None) -> list[Path]:
    """Write all files of a result into a folder, whose result files are replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    has_excel = find_spec("xlsxwriter") is not None if excel is None else excel
    with TemporaryDirectory(prefix=".results.", dir=folder) as drafts:
        names, written = _write_drafts(Path(drafts), result, has_excel=has_excel)
        summary = written.summary | {
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
) -> tuple[list[str], LoadResult]:
    """Write the files of records; return their names, and the result with the counts written."""
    run, rows = result.run, result.rows
    header = [*run.header, *_extra_columns(len(run.header), rows(State.INVALID))]
    # Counted as it is written: an import at work moves records meanwhile.
    written, expected = copy(result), result.counts
    written.voice, written.counts = FILE, dict.fromkeys(State, 0)
    writers: list[tuple[Collection[State], Callable[[ResultLine], None]]] = []
    with ExitStack() as files:
        for name, (states, columns) in _CSV_FILES.items():
            # What a spreadsheet is to save again is guarded more.
            edited = header.index(run.mapping["name"]) if name == "fix.csv" else None
            maybe = rows(*(_UNSETTLED if len(states) < len(State) else ()))
            made = _csv(folder / name, header, columns, maybe, edited=edited)
            writers.append((states, files.enter_context(made)))
        if has_excel:
            book = workbook(folder / WORKBOOK, written, header, expected)
            writers.append((tuple(State), files.enter_context(book)))
        for line in _lines(run, rows(), len(header)):
            written.counts[line.state] += 1
            for states, write in writers:
                if line.state in states:
                    write(line)
    return [*_CSV_FILES, *[WORKBOOK] * has_excel], written


def _extra_columns(width: int, rows: Iterator[JournalRow]) -> list[str]:
    """Return names for the cells of rows that are longer than the header."""
    most = max((len(row.cells) for row in rows), default=width)
    return [f"{EXTRA}_{at + 1}" for at in range(most - width)]


def _lines(run: Run, rows: Iterator[JournalRow], width: int) -> Iterator[ResultLine]:
    names = tuple(COLUMNS)
    for row in rows:
        cells = [*row.cells[:width], *[""] * (width - len(row.cells))]
        values = dict(zip(names, describe(row, run), strict=True))
        # A file may come back: it names the record that each row is.
        values["run_id"], values["record"] = root_of(row, run)
        # A record that was held is sent once somebody writes "yes" here.
        values["accept"] = values["accept"] and f"no: {values['accept']}"
        yield ResultLine(row.state, cells, values)


@contextmanager
def _csv(
    path: Path,
    header: Sequence[str],
    columns: Sequence[str],
    candidates: Iterator[JournalRow],
    *,
    edited: int | None = None,
) -> Iterator[Callable[[ResultLine], None]]:
    """Give a function that writes a record; UTF-8 with a byte order mark, RFC 4180.

    Where no text of the candidates is made harmless, the file needs no column that says so.
    ``edited`` is the column of names, in a file that a spreadsheet is to save again.
    """
    with path.open("w", encoding="utf-8-sig", errors="surrogatepass", newline="") as file:
        writer = csv.writer(file)
        own = [file_name(column) for column in columns]
        names = _harmless(header)
        has_escapes = names != [*header] or any(
            _harmless(row.cells, edited) != [*row.cells] for row in candidates
        )
        writer.writerow([*names, *own, *[ESCAPED] * has_escapes])

        def write(line: ResultLine) -> None:
            own_values = [_text(line.values[column]) for column in columns]
            cells = _harmless(line.cells, edited)
            escaped = [escaped_columns(header, line.cells, cells)] * has_escapes
            writer.writerow([*cells, *own_values, *escaped])

        yield write


def _harmless(cells: Sequence[str], edited: int | None = None) -> list[str]:
    """Return cells as they are written; ``edited`` is the place of a name, as in ``_csv``."""
    written = [*map(harmless, cells)]
    if edited is not None and edited < len(cells):
        written[edited] = unconverted(cells[edited])
    return written


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds")
    return harmless(str(value)) if isinstance(value, str) else str(value)


class Place(NamedTuple):
    """A folder to write to.

    Attributes:
        folder: The folder.
        note: Why it is not the one that was asked for, or an empty text.
    """

    folder: Path
    note: str = ""


def find_place(folder: Path, run: Run) -> Place:
    """Return where the files of a run may go: the folder asked for, or a free one beside it.

    A folder is free where its result files are of the same import or the same records, or of a
    rehearsal, and nobody has changed them since.
    """
    reason = _why_not(folder, run)
    if not reason:
        return Place(folder)
    free = next(other for n in count(2) if not _why_not(other := _beside(folder, n), run))
    return Place(free, f"{reason}, so {folder} stays as it is; these results are in {free}")


def refuse_lost_journal(sql: sqlite3.Connection, run: Run, *, folder: Path | None) -> None:
    """Refuse to send records whose results lie at hand, while the journal that made them is gone.

    Raises:
        JournalError: The results say that these records were sent before; nothing was sent.
    """
    place = (folder or Path(DEFAULT_FOLDER)) / SUMMARY
    written = _summary(place)
    is_same = (written.get("records_sha256"), written.get("base_url")) == (
        run.records_sha256,
        run.base_url,
    )
    states = written.get("states")
    if not is_same or written.get("dry_run") is not False or not isinstance(states, dict):
        return
    known = sql.execute("SELECT 1 FROM imports WHERE run_id = ?", [written.get("run_id")])
    if known.fetchone() or not any(states.get(state) for state in _SENT):
        return
    raise JournalError(
        f"{place} says that these records were loaded before, {states.get('created', 0):,} of them "
        f"created, and the journal that knows which, {written.get('journal')}, is gone or has lost "
        "them; nothing was sent. Put that journal back, or name its folder; or, if the store does "
        f"not have these animals, move the results in {place.parent} to another place"
    )


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


def _why_not(folder: Path, run: Run) -> str:
    """Return why nothing in a folder may be replaced, or an empty text."""
    there = [path for name in FILES if (path := folder / name).exists()]
    if not there:
        return ""
    written = _summary(folder / SUMMARY)
    for path in there:
        if run.source_path is not None and path.resolve() == Path(run.source_path):
            return f"{path} is the file that was loaded"
        known = _known(path, written)
        if path.name != SUMMARY and not (path.is_file() and _digest(path) in known):
            return f"{path} was {'changed since it was' if known else 'not'} written by an import"
    # The same content has the same records to fix, as when a demo or a notebook is run again.
    is_same = run.run_id == written.get("run_id")
    is_same |= run.records_sha256 == written.get("records_sha256")
    if is_same or written.get("dry_run") is True:
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
