"""Prepares what every kind of report shows: checked rows, their counts, and what they cover."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.inventory import (
    Completeness,
    Inventory,
    Provenance,
    completeness,
    provenance_of,
)
from petstore_frame.pet_table import category_ids, pandas_frame, typed_frame
from petstore_frame.rendering import minute_text, palette, status_word
from petstore_frame.schema import FIELDS, Categories, Labels
from petstore_frame.summary import Summary

if TYPE_CHECKING:
    import pandas as pd

    from petstore_frame.history import Diff

LABELS = "category"  # the column of the categories' names, beside that of their ids
_CHUNK = 10_000  # pets read from the frame at a time


class PetColumn(NamedTuple):
    """A column of the list of pets, with its name in data files and its heading for people."""

    name: str
    label: str
    is_number: bool
    is_moment: bool = False


@dataclass(frozen=True)
class Content:
    """Everything that a report may show.

    Attributes:
        frame: One row per pet, with the columns of a pet, then those that a user added;
            ``category_id`` is Int64 where one is missing.
        completeness: What the rows cover.
        provenance: Where and when they were read, or None; also of rows that were changed since.
        labels: What a category is called, by its id.
        changes: What the sheet Changes shows, or None for no such sheet.
        attention: What needs a person, as sentences, or None where nobody asked.
    """

    frame: pd.DataFrame
    completeness: Completeness
    provenance: Provenance | None
    labels: Labels
    changes: Diff | None = None
    attention: Sequence[str] | None = None

    @property
    def as_of(self) -> str:
        """When the store was read, in the same words wherever the file is written."""
        known = self.provenance
        return (
            f"Data as of {minute_text(known.fetched_at)}" if known else "Data as of: not recorded"
        )

    @property
    def store(self) -> str:
        """The store's address, or that it is not known."""
        return self.provenance.base_url if self.provenance else "Store: not recorded"

    @property
    def title(self) -> str:
        """What the workbook and the page are called."""
        return "Pets of the store, a selection" if self.counts.is_selection else "Store inventory"

    @property
    def has_shares(self) -> bool:
        """Whether all pets that were asked for were read, so that a share has a whole."""
        return self.counts.total.is_exact and len(self.frame) > 0

    @property
    def sentence(self) -> str:
        """What the rows cover, in one sentence; or why nothing is known of them."""
        known = self.completeness
        is_other = known.reason and not known.requests
        return (
            f"{known}: {known.reason[:1].lower()}{known.reason[1:-1]}" if is_other else str(known)
        )

    @property
    def headline(self) -> str:
        """What the rows cover, in the first lines of a report."""
        text = self.sentence[:1].upper() + self.sentence[1:] + "."
        kind, contradictions = self.counts.total.bound, self.completeness.contradictions
        if kind == "at_least":
            text += " Counts marked ≥ are minimums: the store may hold more."
        elif kind == "about":
            text += " Counts marked ≈ are no minimums: pets left the store while it was read."
        return text + (f" Contradictions met: {len(contradictions)}." if contradictions else "")

    @property
    def coverage(self) -> list[tuple[str, str]]:
        """What is covered, line by line."""
        known = self.completeness
        lines = [
            ("Store", self.provenance.base_url if self.provenance else "not recorded"),
            ("Verdict", palette.verdict_badge(known.verdict).word),
            ("In one sentence", self.sentence),
            ("Pets read", f"{len(self.frame):,}"),
        ]
        if self.provenance is None:
            return lines
        asked_for = f"pets with status {known.status}" if known.status else "all pets"
        lines.append(("Asked for", asked_for))
        if known.part:
            lines.append(("Shown", f"those with {known.part}"))
        counts = self.counts.by_status.items()  # of a selection without what it leaves out
        return [*lines, *((status_word(status), str(count)) for status, count in counts)]

    @cached_property
    def counts(self) -> Summary:
        """Pets by category and status, each count exact or a minimum."""
        return Summary.of(self.frame, self.completeness, self.labels)

    @cached_property
    def colours(self) -> dict[str, str]:
        """The colour of each status: the interface's three, others seen, then "no status"."""
        return palette.status_colours(self.counts.statuses)

    @cached_property
    def columns(self) -> list[PetColumn]:
        """The columns of a list of pets: its fields, the categories' names if given, a user's."""
        import pandas as pd

        columns = [
            PetColumn(field.name, field.label, field.dtype in ("int64", "Int64", "Float64"))
            for field in FIELDS
        ]
        if self.labels:
            after = [column.name for column in columns].index("category_id") + 1
            columns.insert(after, PetColumn(LABELS, "Category", False))
        taken = {column.name for column in columns}
        known = {column.label.casefold() for column in columns}
        for name in self.frame.columns:
            if name in taken:
                continue
            label = name or "(no name)"
            while label.casefold() in known:  # a table of Excel ignores case
                label += " (yours)"
            known.add(label.casefold())
            dtype = self.frame[name].dtype
            is_number = pd.api.types.is_numeric_dtype(dtype) and dtype != "bool"
            columns.append(PetColumn(name, label, is_number, dtype.kind == "M"))
        return columns

    @cached_property
    def status_at(self) -> int:
        """The place of the column of the statuses."""
        return [column.name for column in self.columns].index("status")

    def rows(
        self, start: int = 0, stop: int | None = None, *, no_status: str | None = None
    ) -> Iterator[tuple[Any, ...]]:
        """Yield pets in the order of ``columns``; a missing status is as given, all else None."""
        end = len(self.frame) if stop is None else min(stop, len(self.frame))
        for at in range(start, end, _CHUNK):
            part = self.frame.iloc[at : min(at + _CHUNK, end)]
            columns = [self._values(part, column.name, no_status) for column in self.columns]
            yield from zip(*columns, strict=True)

    def category_names(self, pets: pd.DataFrame) -> list[str]:
        """Return what the category of each pet is called."""
        ids = category_ids(pets["category_id"])
        words = {one: self.labels[one] for one in set(ids)}
        return [words[one] for one in ids]

    def _values(self, part: pd.DataFrame, name: str, no_status: str | None) -> list[Any]:
        if name == LABELS:
            return self.category_names(part)
        column = part[name]
        if name == "status":
            statuses = [*map(str, column.cat.categories), no_status]
            return [statuses[code] for code in column.cat.codes.tolist()]
        if column.hasnans:
            column = column.astype("object").where(column.notna(), None)
        values = column.tolist()
        return values if name in FIELDS.names else [*map(_plain, values)]


def gather(pets: Any, categories: Categories = None, **more: Any) -> Content:
    """Check the pets that a report is asked to show; ``more`` are further fields of a Content.

    Raises:
        ArgumentError: ``pets`` is neither an Inventory nor a frame.
        InputError: A column is missing, or ids are not whole numbers.
    """
    labels = Labels(categories)
    given = pandas_frame(pets)
    provenance = pets.provenance if isinstance(pets, Inventory) else provenance_of(given)
    return Content(typed_frame(given), completeness(given), provenance, labels, **more)


def _plain(value: Any) -> Any:
    """Return a value of a user's own column as a cell of a workbook, without zones, can hold it."""
    is_local = isinstance(value, datetime) and value.tzinfo is None
    return value if is_local or isinstance(value, (int, float, str, NoneType)) else str(value)
