"""Reads an Inventory back from a file that this package wrote."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from petstore_frame.errors import ArgumentError
from petstore_frame.extras import import_extra
from petstore_frame.inventory.inventory import Inventory
from petstore_frame.inventory.provenance import (
    ATTRS_KEY,
    Provenance,
    coverage_text,
    provenance_of,
)
from petstore_frame.schema import FIELDS, PetColumns
from petstore_frame.storage import whole_file

if TYPE_CHECKING:
    from os import PathLike

    import pandas as pd

# In front of these a report's CSV has an apostrophe, for no spreadsheet to run them.
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")


def read_listing(given: object) -> Inventory | None:
    """Return what is an Inventory, a frame of pets with ids, or the path of its file; else None."""
    import pandas as pd

    if isinstance(given, str) or hasattr(given, "__fspath__"):
        return read_inventory(cast("str", given))
    if isinstance(given, pd.DataFrame):
        known = provenance_of(given)
        if known is None and {*FIELDS.names} <= {*given.columns}:  # of a store that nobody named
            known = Provenance("", datetime.now(UTC))
        return None if known is None else Inventory(given, known)
    return given if isinstance(given, Inventory) else None


def read_inventory(path: str | PathLike[str]) -> Inventory:
    """Read an Inventory back from a Parquet file or a CSV that this package wrote.

    Args:
        path: A file of ``write_report(inventory, ...)`` or of ``petstore-frame fetch``, or of
            ``inventory.frame.to_parquet()``. What a CSV covers stands beside it, in
            ``<file>.coverage.json``; without that, or after a change of the CSV, it is unknown.

    Raises:
        ArgumentError: It is neither, or it lacks a column of the pets' own.
    """
    import pandas as pd

    file = Path(path)
    is_csv = file.suffix.lower() == ".csv"
    if not is_csv:
        import_extra("pyarrow", "reading Parquet", "history")
    try:
        frame = _read_csv(file) if is_csv else pd.read_parquet(file)
    except ValueError as problem:
        kind = "CSV" if is_csv else "Parquet file"
        raise ArgumentError(f"{path} is no {kind} of an inventory: {problem}") from None
    lacking = [name for name in FIELDS.names if name not in frame]
    known = provenance_of(frame)
    if known is None and is_csv:
        known = Provenance("", datetime.fromtimestamp(file.stat().st_mtime, UTC))
    if known is None or lacking:
        what = f"it lacks {', '.join(lacking)}" if lacking else "nothing says of which store it is"
        raise ArgumentError(
            f"{path} is no inventory: {what}; write one with pf.write_report(inventory, path)"
        )
    return Inventory(frame, known)


def write_coverage(path: str | PathLike[str], inventory: Inventory) -> None:
    """Write beside a CSV what its rows cover and where they come from, with their digest."""
    text = coverage_text(inventory.frame, inventory.completeness, inventory.provenance)
    with whole_file(_coverage_of(Path(path))) as draft:
        draft.write_text(text, encoding="utf-8")


def _coverage_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.coverage.json")


def _read_csv(file: Path) -> pd.DataFrame:
    """Return the pets of a CSV with what it covers, the user's own columns as text behind them."""
    import pandas as pd

    dtypes: dict[str, Any] = defaultdict(lambda: "str")
    dtypes |= {field.name: "int64" for field in FIELDS if field.dtype == "int64"}
    cells = pd.read_csv(file, dtype=dtypes, keep_default_na=False, encoding="utf-8-sig")
    # Where rows have more cells than the header, pandas takes the first ones for an index.
    has_more = not isinstance(cells.index, pd.RangeIndex)
    if has_more:
        raise ValueError("its rows have more cells than its header")
    if not {*FIELDS.names} <= {*cells}:
        return cells
    with file.open("rb") as opened:
        is_report = opened.read(len(BOM_UTF8)) == BOM_UTF8
    if is_report:
        for name in [each for each in map(str, cells) if dtypes[each] == "str"]:
            cells[name] = cells[name].map(_without_guard)
    always = {field.name: field.is_required for field in FIELDS}
    pets = PetColumns(
        *([value if always[name] else value or None for value in cells[name]] for name in always)
    )
    own = cells.drop(columns=[*FIELDS.names])
    frame = pd.concat([pets.to_frame(), own.where(own != "")], axis=1)
    beside = _coverage_of(file)
    if beside.exists():
        frame.attrs[ATTRS_KEY] = beside.read_text(encoding="utf-8", errors="replace")
    return frame


def _without_guard(text: str) -> str:
    return text[1:] if text.startswith("'") and text.lstrip("'").startswith(_FORMULA) else text
