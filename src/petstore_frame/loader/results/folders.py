"""Which folder the files of a result may be written to, so that no other file is lost.

A folder is free where its result files are of the same import or the same records, or of a
rehearsal, and nobody has changed them since.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from petstore_frame.errors import JournalError
from petstore_frame.loader.journal.rows import Run
from petstore_frame.loader.record import DOUBT_STATES, State

SUMMARY = "summary.json"
FILES = ("results.csv", "fix.csv", "unknown.csv", "results.xlsx", SUMMARY)
DIGESTS = "written_sha256"


class Place(NamedTuple):
    """A folder to write to.

    Attributes:
        folder: The folder.
        note: Why it is not the one that was asked for, or an empty text.
    """

    folder: Path
    note: str = ""


def find_place(folder: Path, run: Run) -> Place:
    """Return where the files of a run may go.

    Args:
        folder: The folder asked for; it need not exist.
        run: The run whose result is to be written.
    """
    reason = _why_not(folder, run)
    if not reason:
        return Place(folder)
    free = next(other for n in count(2) if not _why_not(other := _beside(folder, n), run))
    return Place(free, f"{reason}, so {folder} stays as it is; these results are in {free}")


# Where results go unless another folder is named.
DEFAULT_FOLDER = "results"
SENT_STATES = (State.CREATED, *DOUBT_STATES)


def refuse_lost_journal(sql: sqlite3.Connection, run: Run, *, folder: Path | None) -> None:
    """Refuse to send records whose results lie at hand, while the journal that made them is gone.

    Args:
        sql: The journal, in which the import is being staged.
        run: The import.
        folder: Where its results will be written; None looks where they usually are.

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
    if known.fetchone() or not any(states.get(state) for state in SENT_STATES):
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
