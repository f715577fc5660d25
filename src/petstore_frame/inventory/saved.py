"""Reads an Inventory back from a file that this package wrote, with what it covers."""

from __future__ import annotations

import csv
import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from petstore_frame.errors import ArgumentError, answering, import_extra
from petstore_frame.files.whole import whole_file
from petstore_frame.inventory.completeness import Completeness
from petstore_frame.inventory.evidence import Evidence, Fact
from petstore_frame.inventory.provenance import ListingRecord, Provenance, stamp, status_counts
from petstore_frame.inventory.result import Inventory, inventory_of
from petstore_frame.schema.frame import PetColumns, to_frame
from petstore_frame.schema.models import FIELDS, PET_COLUMNS, PetField

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd

# In front of these a report's CSV has an apostrophe, for no spreadsheet to run them.
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_BOM = b"\xef\xbb\xbf"


def read_listing(given: object) -> Inventory | None:
    """Return what is an Inventory, a frame of pets with ids, or the path of its file; else None."""
    import pandas as pd

    if isinstance(given, str) or hasattr(given, "__fspath__"):
        return read_inventory(cast("str", given))
    if isinstance(given, pd.DataFrame):
        found = inventory_of(given)
        if found is None and {*PET_COLUMNS} <= {*given.columns}:
            found = Inventory(
                given, Provenance("", datetime.now(UTC))
            )  # of a store that nobody named
        return found
    return given if isinstance(given, Inventory) else None


@answering
def read_inventory(path: str | PathLike[str]) -> Inventory:
    """Read an Inventory back from a Parquet file or a CSV that this package wrote.

    Args:
        path: A file of ``write_report(inventory, ...)`` or of ``petstore-frame fetch``, or of
            ``inventory.frame.to_parquet()``. What a CSV covers stands beside it, in
            ``<file>.coverage.json``; without that, or after a change of the CSV, it is unknown.

    Raises:
        ArgumentError: It is neither, or it lacks a column of the pets' own.
    """
    file = Path(path)
    if file.suffix.lower() in (".csv", ".tsv"):
        return _read_csv(file)
    import pandas as pd

    import_extra("pyarrow", "reading Parquet", "history")
    try:
        frame = pd.read_parquet(file)
    except ValueError as problem:
        raise ArgumentError(
            f"{path} is no Parquet file of an inventory, and no .csv: {problem}"
        ) from None
    _check_columns(file, frame.columns)
    found = inventory_of(frame)
    if found is None:
        raise ArgumentError(
            f"{path} is no inventory: nothing says which store it is of; "
            "write one with pf.write_report(inventory, path)"
        )
    return found


def write_coverage(
    path: str | PathLike[str], completeness: Completeness, provenance: Provenance
) -> Path:
    """Write beside a CSV what its rows cover and where they come from; return that file's path.

    It is read back only for the very bytes that the CSV has now.
    """
    file = Path(path)
    known = {"sha256": _digest(file), **ListingRecord(completeness, provenance).to_dict()}
    target = _coverage_of(file)
    with whole_file(target) as draft:
        draft.write_text(json.dumps(known, ensure_ascii=False, indent=1), encoding="utf-8")
    return target


def _coverage_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.coverage.json")


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _read_csv(file: Path) -> Inventory:
    frame = _frame_of_csv(file)
    coverage, counts = _coverage_of(file), status_counts(frame)
    try:
        known = json.loads(coverage.read_text(encoding="utf-8"))
        record, expected = ListingRecord.from_dict(known), known["sha256"]
    except (OSError, KeyError, TypeError, ValueError, AttributeError):
        reason = Evidence(Fact.NO_RECORD, detail=f": {coverage.name} is missing or damaged")
        provenance = Provenance("", datetime.fromtimestamp(file.stat().st_mtime, UTC))
        claim = Completeness.unknown(reason, counts, None)
        return Inventory(stamp(frame, claim, provenance), provenance)
    claim = record.completeness
    if expected != _digest(file):
        reason = Evidence(Fact.CHANGED_SINCE, detail=f": {file.name} was changed after that")
        claim = Completeness.unknown(reason, counts, claim.status)
    return Inventory(stamp(frame, claim, record.provenance), record.provenance)


def _frame_of_csv(file: Path) -> pd.DataFrame:
    """Return the pets of a CSV, with the user's own columns as text behind them."""
    import pandas as pd

    with file.open("rb") as opened:
        is_report = opened.read(3) == _BOM
    with file.open(encoding="utf-8-sig", newline="") as opened:
        header = opened.readline()
        opened.seek(0)
        delimiter = max(",;\t|", key=header.count)
        names, *rows = csv.reader(opened, delimiter=delimiter) if header else [[]]
    _check_columns(file, names)
    try:
        columns = list(zip(*filter(None, rows), strict=True)) or [()] * len(names)
        cells = dict(zip(names, map(list, columns), strict=True))
        if is_report:
            cells = {name: list(map(_without_guard, texts)) for name, texts in cells.items()}
        pets = [_values(field, cells[field.name]) for field in FIELDS]
    except ValueError as problem:
        raise ArgumentError(f"{file} is no inventory: {problem}") from None
    frame = to_frame(PetColumns(*pets))
    for name in [name for name in names if name not in PET_COLUMNS]:
        frame[name] = pd.Series([text or None for text in cells[name]], dtype="str")
    return frame


def _values(field: PetField, texts: list[str]) -> list[Any]:
    if field.dtype == "int64":
        return [int(text) for text in texts]
    return texts if field.is_required else [text or None for text in texts]


def _without_guard(text: str) -> str:
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(_FORMULA) else text


def _check_columns(file: Path, names: Any) -> None:
    if missing := [name for name in PET_COLUMNS if name not in names]:
        raise ArgumentError(
            f"{file} is no inventory: it lacks {', '.join(missing)}; "
            "write one with pf.write_report(inventory, path)"
        )
