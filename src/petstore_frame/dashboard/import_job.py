"""What the Import tab does with a file: keep it, look into it, rehearse it, load it, settle it.

In: an upload or a path. Out: a preview, or a LoadResult of the same engine and journal that
``load_csv`` uses. It makes no widget.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from petstore_frame._internal.advice import FORM
from petstore_frame.client import Client
from petstore_frame.errors import ArgumentError, InputError, LoadInterrupted
from petstore_frame.loader.limits import GRACE_S
from petstore_frame.loader.load import load_csv, load_excel
from petstore_frame.loader.reading.kinds import is_workbook
from petstore_frame.loader.reading.options import Reading
from petstore_frame.loader.reading.read import open_source, read_header
from petstore_frame.loader.record import State
from petstore_frame.loader.results.folders import find_place
from petstore_frame.loader.results.results import LoadResult
from petstore_frame.loader.settling.reconcile import Reconciliation

# A browser's upload beyond 10 MiB breaks the websocket without an error.
LARGEST_UPLOAD = 8 * 1024 * 1024
PREVIEW_ROWS = 5
LONGEST_NAME, LONGEST_SUFFIX = 200, 10  # bytes that file systems and stems of results allow
Counts = Mapping[State, int]


@dataclass(frozen=True)
class Preview:
    """A first look into a file.

    Attributes:
        path: The file.
        header: Its column names, in order.
        mapping: The column of each field that was found.
        rows: Its first records, cells verbatim.
        problem: Why its columns could not be found, or an empty text.
    """

    path: Path
    header: tuple[str, ...]
    mapping: Mapping[str, str]
    rows: list[tuple[str, ...]]
    problem: str = ""


class ImportJob:
    """The files of one Import tab, and what is done with them.

    Args:
        client: The store.
        labels: What categories are called, by id, so that a file may say "Dog".
        journal: Folder of the journals; None is the user's state directory.
        results: Folder in which the result files get a folder each; None is the working directory.
        grace_s: Seconds in which a store may still act on a request whose answer was lost.
    """

    def __init__(
        self,
        client: Client,
        labels: Mapping[int, str],
        *,
        journal: Path | None = None,
        results: Path | None = None,
        grace_s: float = GRACE_S,
    ) -> None:
        self._client, self._labels = client, dict(labels)
        self._journal, self._results, self._grace_s = journal, results, grace_s
        self._uploads = tempfile.TemporaryDirectory(prefix="petstore-upload-")

    def keep(self, name: str, content: bytes) -> Path:
        """Keep an upload as a file of its own name.

        Raises:
            InputError: It is too large to have come whole.
        """
        if len(content) > LARGEST_UPLOAD:
            raise InputError(
                f"{name} has {len(content) / 1024**2:.0f} MiB; an upload carries 8 MiB",
                hint="put the file on the machine that runs this and give its path instead",
            )
        # A browser may send any name; only its last part may choose where the file goes.
        path = Path(self._uploads.name) / _safe_name(name)
        path.write_bytes(content)
        return path

    def as_known(self, words: str) -> str:
        """Return a text that names an upload without its folder, which the user does not know."""
        return words.replace(f"{self._uploads.name}{os.sep}", "")

    def look(self, path: Path, mapping: Mapping[str, str] | None = None) -> Preview:
        """Return the columns and the first records of a file.

        Raises:
            InputError: It cannot be read at all; one whose columns are unclear can be mapped.
        """
        try:
            with open_source(
                path, Reading(mapping=_whole(mapping), categories=self._labels)
            ) as source:
                rows = [record.cells for record in islice(source, PREVIEW_ROWS)]
                return Preview(path, source.columns, source.mapping, rows)
        except (ArgumentError, InputError) as problem:
            header = read_header(path)
            words = self.as_known(problem.phrased_by(FORM))
            return Preview(path, header, dict(mapping or {}), [], words)

    def rehearse(self, path: Path, mapping: Mapping[str, str]) -> LoadResult:
        """Read and check all records and send nothing."""
        return self._load(path, mapping, dry_run=True, progress=False)

    def load(
        self, path: Path, mapping: Mapping[str, str], progress: Callable[[Counts], None]
    ) -> LoadResult:
        """Load a file; an interrupt raised by ``progress`` ends it in order."""
        try:
            return self._load(path, mapping, dry_run=False, progress=progress)
        except LoadInterrupted as stopped:
            result: LoadResult = stopped.result
            return result

    def settle(self, result: LoadResult, pause: Callable[[float], None]) -> Reconciliation:
        """Look for the records in doubt in the store.

        Args:
            result: Has the records; it shows them settled afterwards.
            pause: Lets so many seconds pass, in which a late request may still be applied.
        """
        result.wait = pause
        return result.reconcile(self._client, grace_s=self._grace_s)

    def write(self, result: LoadResult) -> Path:
        """Write the result files and return their folder."""
        stem = Path(result.run.source_name).stem or "import"
        folder = (self._results or Path.cwd()) / f"import-{stem}-{result.run.run_id[:8]}"
        return result.write(find_place(folder, result.run).folder)[0].parent

    def close(self) -> None:
        """Remove the uploads."""
        self._uploads.cleanup()

    def _load(self, path: Path, mapping: Mapping[str, str], **options: Any) -> LoadResult:
        load = load_excel if is_workbook(path) else load_csv
        return load(
            path,
            self._client,
            mapping=_whole(mapping),
            categories=self._labels or None,
            journal=self._journal,
            **options,
        )


def _whole(mapping: Mapping[str, str] | None) -> dict[str, str | None] | None:
    """Return a choice of columns that says of each optional field whether it has one."""
    return {"status": None, **mapping} if mapping else None


def _safe_name(name: str) -> str:
    """Return the last part of a name as any file system takes it, its ending kept."""
    last = Path(name.replace("\\", "/").replace("\0", "")).name
    if not last.strip("."):
        return "upload"
    if len(last.encode(errors="replace")) <= LONGEST_NAME:
        return last
    suffix = Path(last).suffix
    return "upload" + (suffix if len(suffix) <= LONGEST_SUFFIX else "")


def share_done(counts: Counts, at_start: int) -> float:
    """Return how much of the sending is done, 0 to 1.

    Args:
        counts: Records in each state.
        at_start: Records that were to be sent when it began.
    """
    left = counts.get(State.PENDING, 0) + counts.get(State.IN_FLIGHT, 0)
    return min(1.0, max(0.0, 1 - left / at_start)) if at_start else 1.0
