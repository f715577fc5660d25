"""Writes files whole or not at all, one writer at a time."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from petstore_frame.errors import ReportError


@contextmanager
def whole_file(path: Path, ending: str = "") -> Iterator[Path]:
    """Give a new name in the folder of ``path`` to write to, and rename it on success.

    If ``path`` is a link, the file that it leads to is written.

    Raises:
        ReportError: The name has another ``ending``, the folder is missing or cannot be written,
            or the file is open elsewhere; a file that was there is unchanged.
    """
    if ending and path.suffix.lower() != ending:
        raise ReportError(f"{path} cannot be written: the name of this file ends in {ending}")
    refuse_impossible(path)
    target = path.resolve() if path.is_symlink() else path  # so that a link stays a link
    refuse_impossible(target)
    try:
        with replacing(target) as draft:
            yield draft
    except PermissionError as problem:
        raise ReportError(
            f"{path} cannot be written: it is open in another program, or its folder may not be "
            "changed; close it, or choose another name. Nothing was changed"
        ) from problem
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise ReportError(f"{path} cannot be written: {reason}. Nothing was changed") from problem


def refuse_impossible(path: Path) -> None:
    """Refuse a file that cannot be written, before anything is read or written.

    Raises:
        ReportError: No such folder, no file name, or the file is open in an office program.
    """
    folder = path.parent
    if not folder.is_dir():
        raise ReportError(f"the folder {folder} does not exist; make it first")
    if path.is_dir():
        example = str(path / "pets.csv")
        raise ReportError(f"{str(path)!r} is a folder; add a file's name, such as {example!r}")
    # Office programs leave these beside an open file, and would write over a new one later.
    for lock in (f".~lock.{path.name}#", f"~${path.name}"):
        if (folder / lock).exists():
            raise ReportError(
                f"{path} is open in another program; close it there. If it is not, delete the "
                f"lock file {lock} that was left behind"
            )


@contextmanager
def replacing(path: Path, *, draft: Path | None = None) -> Iterator[Path]:
    """Give a temporary path; on success its file replaces ``path``, else it is removed.

    A file that was there before passes its permissions on. ``draft`` is where to write first, on
    the same disk; None takes a new name beside ``path``.
    """
    temporary = draft or path.with_name(f".{path.stem}.{secrets.token_hex(4)}{path.suffix}")
    try:
        yield temporary
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o777)
        sync(temporary)
        temporary.replace(path)
        sync(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Have the system write a file, or the names in a folder, to the disk now."""
    if os.name == "nt" and path.is_dir():  # Windows has no such call
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class AtWorkError(Exception):
    """Another process, or another thread of this one, holds the lock."""


@contextmanager
def locked(path: Path, *, wait_s: float = 0.0) -> Iterator[None]:
    """Hold a lock file for as long as the block lasts; the system frees it with its process.

    The file stays, empty, when the lock is free. ``wait_s`` is how long to wait for another holder.

    Raises:
        AtWorkError: Somebody else holds it.
        OSError: The place cannot be written.
    """
    # Each caller gets its own lock object: a shared one would let the same thread in twice.
    lock = FileLock(path, timeout=wait_s, is_singleton=False)
    try:
        lock.acquire()
    except Timeout:
        raise AtWorkError(str(path)) from None
    try:
        yield
    finally:
        lock.release()
