"""Decides whether a file may be replaced: only if this package wrote it and nobody changed it.

| format | the mark of an unchanged file |
|---|---|
| ``.xlsx`` | the time of change in its properties is the time that we wrote |
| ``.csv``, ``.jsonl``, ``.parquet`` | its digest is in ``FILE.coverage.json`` |
| ``.html``, ``.svg`` | a comment at its end with the digest of everything before it |
| ``.png`` | a text chunk before its end with the digest of everything else |
| results of an import | the digest of each is in ``summary.json`` |

Other files, such as recipes, have no mark: people edit them. If a file must be kept, its writer
refuses. Only the results of an import go to a numbered folder instead: they are written when the
load is over, and nobody may be there to choose another name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from zlib import crc32

from petstore_frame.errors import ReportError
from petstore_frame.storage.atomic_write import refuse_impossible
from petstore_frame.storage.workbook_origin import is_unchanged_workbook

COVERAGE_DIGEST = "file_sha256"
_COMMENT = "<!-- petstore-frame sha256:{} -->\n"
_COMMENT_LENGTH = len(_COMMENT.format("0" * 64))
_PNG_END = 12  # bytes of the chunk IEND
_PNG_CHUNK = len(b"petstore-frame\0") + 64 + 12


def refuse_overwriting(
    path: Path,
    *,
    overwrite: bool = False,
    inputs: Iterable[object] = (),
    content: bytes | None = None,
) -> None:
    """Refuse to replace a file that this package did not write, or that somebody changed.

    Args:
        path: The file that would be written.
        overwrite: Whether the user asked to replace the file, whatever it is.
        inputs: What the command reads; a path among these is not replaced even if the user asks.
        content: What would be written, if known; a file that has this content already may stay.

    Raises:
        ReportError: The file may not be replaced, and was not changed; or the path is a folder.
    """
    refuse_impossible(path)
    if is_input(path, inputs):
        raise ReportError(f"{path} is read by this call, so it is not written; choose another")
    reason = reason_to_keep(path)
    has_content = content is not None and path.is_file() and path.read_bytes() == content
    if reason and not overwrite and not has_content:
        message = f"{reason}; choose another name, or replace the file"
        raise ReportError(message, add=("overwrite", True))


def is_input(path: Path, inputs: Iterable[object]) -> bool:
    """Return whether a path is one of the files that a call reads."""
    return any(isinstance(item, str | Path) and _is_same_file(path, Path(item)) for item in inputs)


def reason_to_keep(path: Path, written: object = None) -> str:
    """Return why a file must not be replaced, or an empty text.

    Args:
        path: The file.
        written: The digest of the file when an import wrote it; None for any other file.
    """
    check = _CHECKS.get(path.suffix.lower())
    try:
        if not path.is_dir() and (not path.exists() or path.stat().st_size == 0):
            return ""
        if written is not None and digest(path) == written:
            return ""
        if check is not None and check(path):
            return ""
    except PermissionError:
        return f"{path} cannot be read (close it if it is open in Excel)"
    except (OSError, ValueError):  # no file, or without a mark
        pass
    if check is None:
        return f"{path} exists already"
    return f"{path} was changed since it was written, or petstore-frame did not write it"


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def coverage_path(file: Path) -> Path:
    """Return the path of the coverage that is next to a data file, which may be packed by gzip.

    Example:
        >>> coverage_path(Path("pets.csv.gz")).name
        'pets.csv.coverage.json'
    """
    return file.with_name(f"{file.name.removesuffix('.gz')}.coverage.json")


def marked_text(text: str) -> bytes:
    """Return an HTML page or an SVG picture as UTF-8, with the mark of an unchanged file."""
    content = text.encode("utf-8", "replace")
    return content + _COMMENT.format(hashlib.sha256(content).hexdigest()).encode()


def marked_png(picture: bytes) -> bytes:
    """Return a PNG with the mark of an unchanged file, which programs ignore."""
    data = b"petstore-frame\0" + hashlib.sha256(picture).hexdigest().encode()
    body = b"tEXt" + data
    chunk = len(data).to_bytes(4, "big") + body + crc32(body).to_bytes(4, "big")
    return picture[:-_PNG_END] + chunk + picture[-_PNG_END:]


def _is_same_file(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except (OSError, ValueError):  # one of them does not exist, or is no path
        return False


def _is_unchanged_data(path: Path) -> bool:
    facts = json.loads(coverage_path(path).read_text(encoding="utf-8"))
    return isinstance(facts, dict) and facts.get(COVERAGE_DIGEST) == digest(path)


def _is_unchanged_text(path: Path) -> bool:
    content = path.read_bytes()
    text = content[:-_COMMENT_LENGTH]
    return content[-_COMMENT_LENGTH:] == marked_text(text.decode())[-_COMMENT_LENGTH:]


def _is_unchanged_png(path: Path) -> bool:
    content = path.read_bytes()
    picture = content[: -_PNG_END - _PNG_CHUNK] + content[-_PNG_END:]
    return marked_png(picture) == content


_CHECKS = {
    ".xlsx": is_unchanged_workbook,
    ".csv": _is_unchanged_data,
    ".jsonl": _is_unchanged_data,
    ".parquet": _is_unchanged_data,
    ".html": _is_unchanged_text,
    ".svg": _is_unchanged_text,
    ".png": _is_unchanged_png,
}
