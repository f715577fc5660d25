"""Writes a file completely or not at all, and locks files against concurrent writers."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from petstore_frame.errors import ReportError


@contextmanager
def write_atomically(path: Path, ending: str = "") -> Iterator[Path]:
    """Yield a new name in the folder of ``path`` to write to, and rename it on success.

    If ``path`` is a link, its target is written.

    Raises:
        ReportError: The name has another ``ending``, the folder is missing or cannot be written,
            or the file is open elsewhere; an existing file is unchanged.
    """
    if ending and path.suffix.lower() != ending:
        raise ReportError(f"{path} cannot be written: the extension must be {ending}")
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
    """Check that a file can be written, before anything is read or written.

    Raises:
        ReportError: The folder is missing, the path is a folder or one that the system cannot
            have, or the file is open in an office program.
    """
    try:
        _check_path(path)
    except (OSError, ValueError) as problem:  # a name that is too long, for example
        reason = getattr(problem, "strerror", None) or str(problem)
        raise ReportError(f"{path} cannot be written: {reason}. Nothing was changed") from problem


def _check_path(path: Path) -> None:
    folder = path.parent
    if "\0" in path.name:  # is_dir() and exists() are False for such a name
        raise ValueError("a file name cannot have a NUL character")
    existing = next((parent for parent in (folder, *folder.parents) if parent.exists()), folder)
    if existing.exists() and not existing.is_dir():
        raise ReportError(f"{existing} is not a folder; choose another folder for {path.name}")
    if not folder.is_dir():
        raise ReportError(f"the folder {folder} does not exist; create it first")
    if path.is_dir():
        example = str(path / "pets.csv")
        raise ReportError(f"{str(path)!r} is a folder; add a file's name, such as {example!r}")
    # Office programs put these next to an open file, and would overwrite a new one later.
    for lock in (f".~lock.{path.name}#", f"~${path.name}"):
        if os.path.lexists(folder / lock):  # False if the lock would have too long a name
            raise ReportError(
                f"{path} is open in another program; close it there. If it is not, delete the "
                f"lock file {lock}"
            )


@contextmanager
def replacing(path: Path, *, draft: Path | None = None) -> Iterator[Path]:
    """Yield a temporary path; on success its file replaces ``path``, otherwise it is removed.

    The new file gets the permissions of the one that it replaces. ``draft`` is the temporary path,
    on the same disk; None makes a new name in the folder of ``path``.
    """
    # Only the start of the name is used, so that the temporary name is not too long.
    name = f".{path.stem[:40]}.{secrets.token_hex(4)}{path.suffix}"
    temporary = draft or path.with_name(name)
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
    """Make the system write a file, or the names in a folder, to the disk now."""
    if os.name == "nt" and path.is_dir():  # Windows has no such call for a folder
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class LockedError(Exception):
    """Another process, or another thread of this one, holds the lock."""


@contextmanager
def locked(path: Path, *, wait_s: float = 0.0) -> Iterator[None]:
    """Lock a file during the block; the system frees the lock if the process ends.

    The file stays, empty, when the lock is free. ``wait_s`` is the seconds to wait for the lock.

    Raises:
        LockedError: Another process or thread holds the lock.
        OSError: The file cannot be written.
    """
    # Each caller gets a new lock object: with a shared one, the same thread could enter twice. Any
    # thread may free it.
    lock = FileLock(path, timeout=wait_s, is_singleton=False, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise LockedError(str(path)) from None
    try:
        yield
    finally:
        lock.release()
