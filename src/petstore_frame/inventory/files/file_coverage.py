"""Writes the coverage of a file of pets next to it or into it, and reads it back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from petstore_frame.errors import InputError, MissingExtraError
from petstore_frame.extras import import_extra
from petstore_frame.inventory.frame.coverage import ATTRS_KEY, Provenance, provenance_of
from petstore_frame.storage import (
    COVERAGE_DIGEST,
    coverage_path,
    digest,
    write_atomically,
)
from petstore_frame.tables.arrow_tables import attrs_in
from petstore_frame.tables.workbook_xml import WorkbookParts

if TYPE_CHECKING:
    import pandas as pd

_PROPERTY = "petstore_frame"
_PROPERTY_LENGTH = 250  # Excel allows 255 characters


def write_coverage(path: str | PathLike[str], facts: Mapping[str, Any]) -> None:
    """Write the coverage, the store and a hash of a data file next to it.

    Args:
        path: The file that was just written.
        facts: The facts about its rows, from ``coverage_facts``; empty if their source is unknown.
    """
    file = Path(path)
    text = json.dumps({**facts, COVERAGE_DIGEST: digest(file)}, ensure_ascii=False)
    with write_atomically(coverage_path(file)) as draft:
        draft.write_text(text, encoding="utf-8")


def exported_from(source: object) -> Provenance | None:
    """Return the store that a file or a frame was exported from; None if it is not recorded.

    Its rows may have been edited, sorted or removed since. A workbook keeps the store in its
    properties, a Parquet file in its metadata, other files in ``<file>.coverage.json``.
    """
    if not isinstance(source, (str, PathLike)):
        return provenance_of(cast("pd.DataFrame", source)) if hasattr(source, "attrs") else None
    file = Path(source)
    facts: Any = None
    try:
        if file.suffix.lower() == ".xlsx":
            with file.open("rb") as workbook:
                properties = WorkbookParts(workbook).custom_properties
            facts = json.loads(_coverage_of_properties(properties) or "null")
        elif file.suffix.lower() == ".parquet":
            facts = _facts_in_parquet(file)
        elif coverage_path(file).exists():
            facts = json.loads(coverage_path(file).read_bytes())
        return None if facts is None else Provenance.from_dict(facts)
    except (OSError, ValueError, KeyError, TypeError, InputError, MissingExtraError):
        return None


def _facts_in_parquet(file: Path) -> Any:
    pyarrow = import_extra("pyarrow.parquet", "reading Parquet", "history")
    facts = attrs_in(pyarrow.read_schema(file)).get(ATTRS_KEY)
    return json.loads(facts) if isinstance(facts, str) else facts


def with_coverage(frame: pd.DataFrame, file: Path) -> pd.DataFrame:
    """Return a frame with the coverage from the file next to its file."""
    if coverage_path(file).exists():
        text = coverage_path(file).read_text(encoding="utf-8", errors="replace")
        frame.attrs[ATTRS_KEY] = text
    return frame


def write_coverage_properties(workbook: Any, facts: Mapping[str, Any]) -> None:
    """Write the coverage and the provenance of the rows into the properties of a workbook.

    Args:
        workbook: XlsxWriter's workbook.
        facts: The facts about the rows, from ``coverage_facts``; empty if their source is unknown.
    """
    if facts:
        text = json.dumps(facts)
        for number, start in enumerate(range(0, len(text), _PROPERTY_LENGTH), 1):
            part = text[start : start + _PROPERTY_LENGTH]
            workbook.set_custom_property(f"{_PROPERTY} {number:03}", part, "text")


def _coverage_of_properties(properties: Any) -> str:
    """Return the coverage in the properties of a workbook, as JSON; empty without one."""
    names = sorted(name for name in properties if name.startswith(_PROPERTY))
    return "".join(properties[name] for name in names)
