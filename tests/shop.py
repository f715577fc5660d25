"""A store, an office with its files and its journal, and colleagues: a story is a few lines."""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

import openpyxl
import pandas as pd

import petstore_frame as pf
from faults.flaky_store import FlakyStore
from petstore_frame.errors import LoadStoppedError
from petstore_frame.loader import view_of
from petstore_frame.loader.findings import Finding

Rows = list[list[str]]
F = TypeVar("F", bound=Finding)


class Shop:
    """One office, which loads its files into a store with a journal of its own.

    A header without a category column gets one, and each of its rows the category 1.
    """

    def __init__(self, folder: Path, client: pf.Client, store: FlakyStore | None = None) -> None:
        self.folder, self.client, self.store = folder, client, store
        self.journal = folder / "journal"
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def pets(self) -> list[dict[str, Any]]:
        """The pets of the store, whoever made them."""
        if self.store is not None:
            return list(self.store.pets.values())
        return pf.fetch_inventory(self.client).frame.to_dict("records")

    @property
    def names(self) -> list[str]:
        """The names of the pets of the store, sorted."""
        return sorted(pet["name"] for pet in self.pets)

    @property
    def ids(self) -> dict[str, int | None]:
        """Which pet each key is, as the journal knows it."""
        table = pf.read_ids(self.client, journal=self.journal)
        return dict(zip(table["key"], table["id"], strict=True))

    @property
    def colleague(self) -> Shop:
        """Another office with a folder and a journal of its own, before the same store."""
        return Shop(self.folder / "colleague", self.client, self.store)

    def write(self, name: str, header: str, *lines: str) -> Path:
        """Write a CSV file."""
        path = self.folder / name
        path.write_text("\n".join([*_with_category(header, lines), ""]), encoding="utf-8")
        return path

    def load(self, name: str, *rows: str, **options: Any) -> pf.LoadResult:
        """Load a CSV file of a header and rows, or without them the file that is there."""
        path = self.write(name, *rows) if rows else self.folder / name
        return self._run(pf.load, path, options)

    def excel(self, name: str, header: str, *lines: str, **options: Any) -> pf.LoadResult:
        """Load the rows as a spreadsheet saves them."""
        return self._run(pf.load, self.write_excel(name, header, *lines), options)

    def write_excel(self, name: str, header: str, *lines: str) -> Path:
        """Write rows as a spreadsheet saves them: ``007`` is a 7, ``2026-05-01`` a date."""
        book = openpyxl.Workbook()
        for number, row in enumerate(csv.reader(_with_category(header, lines))):
            book.active.append([_typed(cell) for cell in row] if number else row)
        book.save(self.folder / name)
        return self.folder / name

    def pandas(self, header: str, *lines: str, **options: Any) -> pf.LoadResult:
        """Load the rows as pandas reads them."""
        return self._run(pf.load, frame_of(header, *lines), options)

    def fix_file(self, result: pf.LoadResult) -> Rows:
        """Write the fix file of a result, and return its cells, the header first."""
        shutil.rmtree(self.folder / "results", ignore_errors=True)
        result.write(self.folder / "results")
        with (self.folder / "results" / "fix.csv").open(encoding="utf-8-sig", newline="") as file:
            return list(csv.reader(file))

    def fix(
        self, source: pf.LoadResult | Rows, changes: Mapping[str, str], **options: Any
    ) -> pf.LoadResult:
        """Load a fix file, that of a result as it is now or one from before, with cells changed."""
        header, *rows = source if isinstance(source, list) else self.fix_file(source)
        rows = [[changes.get(cell, cell) for cell in row] for row in rows]
        return self._run(pf.load, self.write_rows(header, *rows), options)

    def write_rows(self, *rows: list[str]) -> Path:
        """Write the rows of a fix file."""
        path = self.folder / "fixed.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
        return path

    def _run(self, load: Callable[..., Any], source: Any, options: Any) -> pf.LoadResult:
        arguments = {"journal": self.journal, "progress": False, "workers": 1} | options
        try:
            return load(source, self.client, **arguments)
        except LoadStoppedError as stopped:
            return stopped.result

    def resume(self, **options: Any) -> list[pf.LoadResult]:
        """Finish all loads that stopped."""
        self.store.fault_of = lambda number: None
        return pf.resume_loads(self.client, journal=self.journal, progress=False, **options)

    def copy_journal(self) -> None:
        """Make a backup of the journal's folder."""
        shutil.rmtree(self.folder / "backup", ignore_errors=True)
        shutil.copytree(self.journal, self.folder / "backup")

    def restore_journal(self) -> None:
        """Put the backup of the journal in the place of the journal."""
        self.lose_journal()
        shutil.copytree(self.folder / "backup", self.journal)

    def lose_journal(self) -> None:
        """Remove the journal's folder."""
        shutil.rmtree(self.journal, ignore_errors=True)


def held(result: pf.LoadResult) -> list[int]:
    """Return the lines of the possible duplicates, which were not sent."""
    return [int(line) for line in result.possible_duplicates["line"]]


def finding_of(result: pf.LoadResult, kind: type[F]) -> F | None:
    """Return what a result reports of one kind, or None."""
    for finding in view_of(result).facts.findings:
        if isinstance(finding, kind):
            return finding
    return None


def tagged(first: int, last: int, tag: str = "A") -> list[str]:
    """Return rows of a tag and a name, with numbers from ``first`` to before ``last``."""
    return [f"{tag}-{number},Pet {number}" for number in range(first, last)]


def frame_of(header: str, *lines: str) -> pd.DataFrame:
    """Return rows as pandas reads them beside an empty cell: ``007`` is 7.0."""
    frame = pd.read_csv(io.StringIO("\n".join(_with_category(header, lines))))
    whole = frame.drop(columns="categoryId").select_dtypes("integer").columns
    return frame.astype(dict.fromkeys(whole, "float64"))


def _with_category(header: str, lines: tuple[str, ...]) -> list[str]:
    if "categoryId" in header.split(","):
        return [header, *lines]
    return [f"{header},categoryId", *(f"{line},1" for line in lines)]


def _typed(cell: str) -> Any:
    if re.fullmatch(r"\d+", cell):
        return int(cell)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", cell):
        return date.fromisoformat(cell)
    return cell or None
