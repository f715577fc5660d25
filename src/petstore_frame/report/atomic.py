"""A file is either the old one or the whole new one.

In: a path and something that writes. Out: the file, renamed into place when all of it is there.
It knows no format.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from petstore_frame.errors import ReportError


@contextmanager
def whole_file(path: Path, *, replace: Callable[[Any, Any], None] = os.replace) -> Iterator[Path]:
    """Give a new name beside ``path`` to write to, and rename it on success.

    Args:
        path: The file wanted. Its folder must exist.
        replace: Puts the new file in place.

    Raises:
        ReportError: The folder is missing or cannot be written, or the file is open elsewhere;
            the file, if there was one, is as it was.
    """
    _refuse_impossible(path)
    draft = path.with_name(f".{path.name[:80]}.{secrets.token_hex(4)}.tmp")
    try:
        yield draft
        _keep_mode(path, draft)
        replace(draft, path)
    except PermissionError as problem:
        raise ReportError(
            f"{path} cannot be written: it is open in another program, or may not be changed; "
            "close it, or choose another name. It is as it was"
        ) from problem
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise ReportError(f"{path} cannot be written: {reason}. Nothing was changed") from problem
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _refuse_impossible(path: Path) -> None:
    folder = path.parent
    if not folder.exists():
        raise ReportError(f"the folder {folder.absolute()} does not exist; make it first")
    if not folder.is_dir():
        raise ReportError(f"{folder.absolute()} is a file, not a folder")
    if path.is_dir():
        raise ReportError(f"{path} is a folder; give a file name inside it")
    # Office programs leave these beside an open file and would overwrite a new one later.
    for lock in (f".~lock.{path.name}#", f"~${path.name}"):
        if (folder / lock).exists():
            raise ReportError(
                f"{path} is open in another program; close it there. If it is not, delete the "
                f"lock file {lock} that was left behind"
            )


def _keep_mode(path: Path, draft: Path) -> None:
    """Give the new file the permissions of the one it replaces."""
    if path.exists():
        draft.chmod(path.stat().st_mode & 0o777)
