"""Keeps the open file of a tab and its answers on the disk, for a page that starts again."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import weakref
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, ValidationError

from petstore_frame.dashboard.state.file_state import FileState
from petstore_frame.dashboard.state.import_state import FileRow
from petstore_frame.loader import Recipe
from petstore_frame.storage.atomic_write import LockedError, locked, replacing

StateT = TypeVar("StateT", bound=FileState)
LONGEST_NAME = 50
RECORD = ".answers.json"  # no upload can have this name, because it starts with a dot


def _by_cell(cells: Any) -> Any:
    if isinstance(cells, list):  # as JSON has them
        return {(row, column): text for row, column, text in cells}
    return cells


def _as_list(cells: dict[tuple[int, str], str]) -> list[tuple[int, str, str]]:
    return [(row, column, text) for (row, column), text in cells.items()]


Corrections = Annotated[
    dict[tuple[int, str], str], BeforeValidator(_by_cell), PlainSerializer(_as_list)
]


class Answers(BaseModel):
    """The answers for a file; each has the name of its attribute in the state."""

    model_config = ConfigDict(from_attributes=True, frozen=True)

    recipe: Recipe = Recipe()
    absent: frozenset[str] = frozenset()
    postponed: frozenset[tuple[str, str]] = frozenset()
    duplicates: str | None = None
    as_new: bool = False
    new_lines: frozenset[int] = frozenset()
    excluded_lines: frozenset[int] = frozenset()
    rename_categories: frozenset[int] = frozenset()
    send_valid_rows: bool = False
    corrections: Corrections = {}
    corrected: dict[int, FileRow] = {}


class _Record(BaseModel):
    source: Path
    changed_at_ns: int  # when the file was changed last; a changed file needs new answers
    answers: Answers


@dataclass(frozen=True)
class SavedFile:
    """A file of an earlier page, with its answers and the time of the last answer."""

    source: Path
    answers: Answers
    saved_at: datetime

    def add_to(self, state: StateT) -> StateT:
        """Return a state with this file and its answers."""
        names = [name for name in Answers.model_fields if hasattr(state, name)]
        answers: dict[str, Any] = {name: getattr(self.answers, name) for name in names}
        return replace(state, source=self.source, **answers)


class SavedFiles:
    """The open files of one tab: a folder for each, which only its owner can read.

    It has the answers and, if the file was uploaded, the file. Each page that uses a folder locks
    a file in it; a folder is deleted when it has no answers and no page uses it.

    Args:
        folder: Folder for the folders of the files; created when needed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock_name = f".{secrets.token_hex(8)}.lock"
        self._uses: dict[Path, weakref.finalize[Any, Any]] = {}

    def keep_upload(self, name: str, content: bytes) -> Path:
        """Save an upload, and return its path; a browser may send a name with any path."""
        digest = hashlib.sha256(b"\0".join([name.encode(errors="replace"), content])).hexdigest()
        folder = self._folder / digest[:16]
        path = folder / safe_name(name)
        self._use(folder)
        _write_privately(path, content)
        return path

    def save(self, state: FileState) -> None:
        """Save the answers for the file of a state."""
        source = state.source
        if source is None:
            return
        folder = self._folder_of(source)
        with suppress(OSError):  # a full disk; the page works, but could not start again
            self._use(folder)
            record = _Record(
                source=source.absolute(),
                changed_at_ns=source.stat().st_mtime_ns,
                answers=Answers.model_validate(state),
            )
            text = record.model_dump_json(exclude_unset=True)
            _write_privately(folder / RECORD, text.encode(errors="surrogatepass"))

    def latest(self) -> SavedFile | None:
        """Return the file that was answered last; files that are gone or changed are forgotten."""
        folders = [*self._folder.glob("*")]
        for folder in folders:
            _delete_unused(folder)
        files = filter(None, (_read(folder / RECORD) for folder in folders))
        return max(files, key=lambda file: file.saved_at, default=None)

    def remove(self, source: Path) -> None:
        """Forget the answers for a file that this page no longer uses."""
        leave = self._uses.pop(self._folder_of(source), None)
        if leave is not None:
            leave()
        self.finish(source)

    def finish(self, source: Path) -> None:
        """Forget the answers for a file; an upload is deleted when no page uses it."""
        folder = self._folder_of(source)
        (folder / RECORD).unlink(missing_ok=True)
        _delete_unused(folder)

    def _use(self, folder: Path) -> None:
        """Keep a folder until this page leaves it or ends."""
        if folder in self._uses:
            return
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = ExitStack()
        lock.enter_context(locked(folder / self._lock_name))
        self._uses[folder] = weakref.finalize(self, _leave, folder, lock)

    def _folder_of(self, source: Path) -> Path:
        path = source.absolute()
        if path.is_relative_to(self._folder):
            return path.parent
        return self._folder / hashlib.sha256(os.fsencode(path)).hexdigest()[:16]


def safe_name(name: str) -> str:
    """Return a file name without a path, hidden names and characters that a system rejects.

    Example:
        >>> safe_name("../../etc/list.csv"), safe_name(" .. ")
        ('_.._etc_list.csv', 'upload')
    """
    stem = re.sub(r"[^\w .()-]", "_", name)[-LONGEST_NAME:].strip(". ")
    return stem or "upload"


def _read(path: Path) -> SavedFile | None:
    """Return the file of a record; None if it is gone or changed."""
    try:
        record = _Record.model_validate_json(path.read_bytes())
        saved_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        is_unchanged = record.source.stat().st_mtime_ns == record.changed_at_ns
    except (OSError, ValidationError):
        return None
    return SavedFile(record.source, record.answers, saved_at) if is_unchanged else None


def _leave(folder: Path, lock: ExitStack) -> None:
    lock.close()
    _delete_unused(folder)


def _delete_unused(folder: Path) -> None:
    """Delete a folder without answers for its file, unless a page uses it."""
    if _read(folder / RECORD) is not None:
        return
    for path in folder.glob(".*.lock"):
        try:
            with locked(path):
                pass
        except LockedError:
            return
        except OSError:  # another page deletes the folder
            continue
    shutil.rmtree(folder, ignore_errors=True)


def _write_privately(path: Path, content: bytes) -> None:
    with replacing(path) as draft:
        draft.touch(0o600)
        draft.write_bytes(content)
