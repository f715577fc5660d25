"""How a file is written whole or not at all, and survives a power cut."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path, *, draft: Path | None = None) -> Iterator[Path]:
    """Give a temporary path; on success its file replaces ``path``, else it is removed.

    A file that was there before passes its permissions on.

    Args:
        path: The file to write.
        draft: Where to write first, on the same disk; None takes a new name beside ``path``.
    """
    beside = path.with_name(f".{path.stem}.{secrets.token_hex(4)}{path.suffix}")
    temporary = beside if draft is None else draft
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
    """Make what is in a file, or the names in a folder, survive a power cut."""
    if os.name == "nt" and path.is_dir():  # it has no such call
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
