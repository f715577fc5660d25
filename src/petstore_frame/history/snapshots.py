"""What lies in a history's folder, and how one more snapshot gets there whole.

In: an Inventory and a folder. Out: one Parquet file per UTC day, and the list of those that are
there. It counts nothing and compares nothing.

The layout is ``date=2026-11-01/pets.parquet``: plain hive-partitioned Parquet, which pandas,
polars, DuckDB and Spark read without us. What is known of a listing travels in the file's own
footer, under the key ``petstore_frame``, so that rows and claim can never come apart.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petstore_frame.errors import HistoryError, MissingExtraError
from petstore_frame.files.atomic import sync
from petstore_frame.inventory import Completeness, Inventory, Source
from petstore_frame.inventory.seal import seal
from petstore_frame.schema.fields import PET_COLUMNS
from petstore_frame.schema.frame import status_categories

if TYPE_CHECKING:
    import pandas as pd

FILE_NAME = "pets.parquet"
ROWS_PER_GROUP = 1_000_000
_LISTED = {
    "date": "datetime64[us]",
    "rows": "int64",
    "verdict": "str",
    "status": "str",
    "claim": "str",
    "fetched_at": "datetime64[us, UTC]",
    "base_url": "str",
    "size": "int64",
}
_KEY = b"petstore_frame"
_FORMAT = 1
_FOLDER_NAME = re.compile(r"date=(\d{4}-\d{2}-\d{2})")
_WRITING = ".writing-"


@dataclass(frozen=True, repr=False)
class Snapshot:
    """One dated inventory on disk.

    Attributes:
        date: The UTC day of ``fetched_at``.
        path: The Parquet file.
        rows: Pets in it.
        size: Bytes on disk.
        source: What was known of the listing when it was read; ``.completeness``,
            ``.fetched_at``, ``.base_url`` and ``.store_id`` of a snapshot are those of its source.

    Example:
        >>> from datetime import UTC, datetime
        >>> from petstore_frame import History, Inventory
        >>> from petstore_frame.schema.frame import to_frame
        >>> from petstore_frame.schema.columns import PetColumns
        >>> pets = to_frame(PetColumns([1], ["Luna"], [3], ["sold"]))
        >>> read_at = datetime(2026, 11, 1, 9, tzinfo=UTC)
        >>> History("history").add(Inventory.made_up(pets, fetched_at=read_at))
        <Snapshot of 2026-11-01: complete: 1 pet>
    """

    date: date
    path: Path
    rows: int
    size: int
    source: Source

    @property
    def completeness(self) -> Completeness:
        """What the listing covers, as it was known then."""
        return self.source.completeness

    @property
    def fetched_at(self) -> datetime:
        """When the listing's last page arrived, UTC."""
        return self.source.fetched_at

    @property
    def base_url(self) -> str:
        """The store's address."""
        return self.source.base_url

    @property
    def store_id(self) -> str | None:
        """What the store called itself (``X-Store-Id``), or None where that is not known."""
        return self.source.store_id

    def __repr__(self) -> str:
        return f"<Snapshot of {self.date}: {self.completeness}>"


@dataclass(frozen=True)
class SnapshotProblem:
    """A path that is not a readable snapshot, and why.

    Attributes:
        path: The file or folder.
        reason: Why it is left out.
        date: The day whose snapshot is lost by it; None for a path that does not belong here.
    """

    path: Path
    reason: str
    date: date | None = None

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


def scan_folder(folder: Path) -> tuple[list[Snapshot], list[SnapshotProblem]]:
    """Read the footers of all snapshots, oldest first, and name everything else.

    Names that begin with a dot are skipped: they are the lock and half-written files.
    """
    snapshots: list[Snapshot] = []
    problems: list[SnapshotProblem] = []
    entries = sorted(folder.iterdir()) if folder.is_dir() else []
    for entry in entries:
        if entry.name.startswith("."):
            continue
        day = _day_of(entry)
        if day is None or not entry.is_dir():
            problems.append(SnapshotProblem(entry, "not part of this history; it is left alone"))
            continue
        for path in sorted(entry.iterdir()):
            found = _open(path, day)
            if isinstance(found, Snapshot):
                snapshots.append(found)
            else:
                problems.append(found)
    return snapshots, problems


def list_snapshots(snapshots: Sequence[Snapshot]) -> pd.DataFrame:
    """Return snapshots as a table, one row each; see ``History.snapshots``."""
    import pandas as pd

    listed = [
        (
            each.date, each.rows, str(each.completeness.verdict), each.completeness.status,
            str(each.completeness), each.fetched_at, each.base_url, each.size,
        )
        for each in snapshots
    ]  # fmt: skip
    return pd.DataFrame(listed, columns=list(_LISTED)).astype(_LISTED)


def write_snapshot(folder: Path, inventory: Inventory) -> Snapshot:
    """Write an inventory under a temporary name and rename it into place.

    The caller holds the folder's lock, so a temporary file found here has no living owner.
    """
    for orphan in folder.glob(f"{_WRITING}*"):
        orphan.unlink()
    day = inventory.fetched_at.astimezone(UTC).date()
    path = folder / f"date={day.isoformat()}" / FILE_NAME
    draft = folder / f"{_WRITING}{os.getpid()}"
    try:
        _write_rows(draft, inventory)
        sync(draft)
        path.parent.mkdir(exist_ok=True)
        draft.replace(path)
    except OSError as problem:
        raise HistoryError(
            f"{path} cannot be written ({problem}); nothing was changed"
        ) from problem
    finally:
        draft.unlink(missing_ok=True)
    sync(path.parent)
    sync(folder)
    written = _open(path, day)
    if isinstance(written, SnapshotProblem):
        raise HistoryError(f"{written}; the disk did not keep what was written")
    return written


def read_inventory(snapshot: Snapshot) -> Inventory:
    """Load a snapshot into memory with the dtypes of a fetched inventory.

    Raises:
        HistoryError: The file is damaged; names it.
    """
    table = read_table(snapshot.path, PET_COLUMNS)
    frame = table.to_pandas(categories=["status"], ignore_metadata=True)
    words = frame["status"].cat.categories.astype("str")
    statuses = frame["status"].cat.rename_categories(words).cat
    frame["status"] = statuses.set_categories(status_categories(words))
    frame = frame.astype({"id": "int64", "name": "str", "category_id": "int64"})
    return Inventory(seal(frame, snapshot.source), snapshot.source)


def read_table(path: Path, columns: tuple[str, ...]) -> Any:
    """Return columns of one file as a pyarrow Table, without the key of its folder.

    Raises:
        HistoryError: The file is damaged; names it.
    """
    parquet, arrow = _pyarrow()
    try:
        # A partition key would be read off the path and added as a column.
        return parquet.read_table(path, columns=list(columns), partitioning=None)
    except (arrow.ArrowInvalid, OSError) as problem:
        raise HistoryError(
            f"{path} is damaged ({_first_line(problem)}); move it away, or add that day again"
        ) from problem


def _day_of(entry: Path) -> date | None:
    found = _FOLDER_NAME.fullmatch(entry.name)
    try:
        return date.fromisoformat(found[1]) if found else None
    except ValueError:
        return None


def _open(path: Path, day: date) -> Snapshot | SnapshotProblem:
    """Read one file's footer."""
    parquet, arrow = _pyarrow()
    if path.name != FILE_NAME:
        return SnapshotProblem(path, f"not a file of this history, which writes {FILE_NAME} only")
    try:
        footer = parquet.read_metadata(path)
    except (arrow.ArrowInvalid, OSError) as problem:
        return SnapshotProblem(path, f"damaged: {_first_line(problem)}", day)
    record = (footer.metadata or {}).get(_KEY)
    if record is None:
        return SnapshotProblem(
            path, "holds no completeness record, so it was not written by a history"
        )
    try:
        known = json.loads(record)
        if known["format"] > _FORMAT:
            return SnapshotProblem(path, "written by a newer petstore_frame than this one", day)
        source = Source.from_dict(known)
        if source.fetched_at.date() != day:
            return SnapshotProblem(
                path, f"fetched on {source.fetched_at.date()}, but kept under another date"
            )
        return Snapshot(day, path, footer.num_rows, path.stat().st_size, source)
    except (KeyError, ValueError, TypeError) as problem:
        return SnapshotProblem(path, f"its completeness record cannot be read: {problem!r}", day)


def _write_rows(path: Path, inventory: Inventory) -> None:
    """Write the rows sorted by id, a group of rows at a time."""
    parquet, arrow = _pyarrow()
    known = {"format": _FORMAT, **inventory.source.to_dict()}
    types = {"id": arrow.int64(), "name": arrow.string(), "category_id": arrow.int64()}
    schema = arrow.schema(
        [(name, types.get(name, arrow.string())) for name in PET_COLUMNS],
        metadata={_KEY: json.dumps(known, ensure_ascii=False).encode()},
    )
    # Sorted ids differ by little: as differences they take a fifth of the room.
    with parquet.ParquetWriter(
        path, schema, compression="zstd", write_statistics=True,
        use_dictionary=["name", "category_id", "status"],
        column_encoding={"id": "DELTA_BINARY_PACKED"},
    ) as writer:  # fmt: skip
        for part in _parts_by_id(inventory.frame):
            columns = [
                arrow.Array.from_pandas(part[field.name]).cast(field.type) for field in schema
            ]
            writer.write_table(arrow.Table.from_arrays(columns, schema=schema), ROWS_PER_GROUP)


def _parts_by_id(frame: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Cut a frame into groups of rows in the order of id, one at a time to spare memory."""
    ids = frame["id"].to_numpy()
    order = ids.argsort(kind="stable")
    is_repeated = ids[order[1:]] == ids[order[:-1]]
    if is_repeated.any():
        twice = int(ids[order[1:]][is_repeated][0])
        raise HistoryError(f"id {twice} appears more than once; a snapshot holds each pet once")
    for start in range(0, max(len(order), 1), ROWS_PER_GROUP):
        yield frame.iloc[order[start : start + ROWS_PER_GROUP]]


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise MissingExtraError("a history", "history") from None
    return parquet, arrow


def _first_line(problem: Exception) -> str:
    return str(problem).splitlines()[0] if str(problem) else type(problem).__name__
