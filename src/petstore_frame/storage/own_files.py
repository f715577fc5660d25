"""Decides whether a file may be replaced: only if this package wrote it and nobody changed it.

| format | the mark of an unchanged file |
|---|---|
| ``.xlsx`` | the time of change in its properties is the time that we wrote |
| ``.csv``, ``.jsonl``, ``.parquet`` | its digest is in ``FILE.coverage.json`` |
| ``.html``, ``.svg`` | a comment at its end with the digest of everything before it |
| ``.png`` | a text chunk before its end with the digest of everything else |

Other files, such as recipes, have no mark: people edit them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from zlib import crc32

from petstore_frame.errors import ReportError
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
        ReportError: The file may not be replaced; it was not changed.
    """
    for source in inputs:
        if isinstance(source, str | Path) and _is_same_file(path, Path(source)):
            raise ReportError(f"{path} is read by this call, so it is not written; choose another")
    is_empty = not path.is_file() or path.stat().st_size == 0
    if overwrite or is_empty or is_unchanged(path):
        return
    if content is not None and path.read_bytes() == content:
        return
    raise ReportError(
        f"{path} was changed since it was written, or is not a report; choose another name, or "
        "replace the file"
        if path.suffix.lower() in _CHECKS
        else f"{path} exists already; choose another name, or replace the file",
        add=("overwrite", True),
    )


def is_unchanged(path: Path) -> bool:
    """Return whether this package wrote a file and nobody changed it since."""
    check = _CHECKS.get(path.suffix.lower())
    try:
        return check is not None and check(path)
    except (OSError, ValueError):
        return False


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
