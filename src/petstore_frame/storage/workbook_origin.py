"""Marks the workbooks that this package writes, and detects later changes."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from petstore_frame import __version__

_PROPERTIES = "docProps/core.xml"
_CREATOR = "Made with petstore-frame"
_TIME_OF = r"<dcterms:{0}[^>]*>([^<]*)</dcterms:{0}>"
_UNKNOWN_TIME = datetime(2000, 1, 1, tzinfo=UTC)


def mark_workbook(
    workbook: Any, *, title: str, subject: str, sentence: str, as_of: datetime | None
) -> None:
    """Set the properties of a workbook: its title, its content and the version that wrote it.

    The time is that of the data, so that the same data gives the same bytes. Every program that
    saves a workbook writes its own time of change, which ``is_unchanged_workbook`` detects.
    """
    workbook.set_properties(
        {
            "title": title,
            "subject": subject,
            "comments": f"{sentence}. {_CREATOR} {__version__}.",
            "created": (as_of or _UNKNOWN_TIME).astimezone(UTC),
        }
    )


def is_unchanged_workbook(path: Path) -> bool:
    """Return whether this package wrote a workbook and nobody changed it since."""
    try:
        with ZipFile(path) as archive:
            properties = archive.read(_PROPERTIES).decode("utf-8", "replace")
    except (BadZipFile, KeyError, OSError):
        return False
    created, modified = (
        re.search(_TIME_OF.format(name), properties) for name in ("created", "modified")
    )
    if created is None or modified is None or _CREATOR not in properties:
        return False
    return created[1] == modified[1]
