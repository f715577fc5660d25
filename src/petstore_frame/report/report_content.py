"""Prepares what every kind of report shows: checked rows, their counts, and what they cover."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time, tzinfo
from enum import Enum, auto
from functools import cached_property
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
from petstore_frame.storage import common_zone
from petstore_frame.summary import Summary

if TYPE_CHECKING:
    import pandas as pd

    from petstore_frame.history import Diff

_LABELS = "category"  # the column of the categories' names, next to that of their ids
_STORE = " (store)"  # marks a column of ours if the user has one of this name
_CHUNK = 10_000  # pets read from the frame at a time


class ColumnKind(Enum):
    """What the values of a column are, and so how they are aligned and shown."""

    TEXT = auto()
    NUMBER = auto()
    DAY = auto()
    MOMENT = auto()


_KINDS = {
    "integer": ColumnKind.NUMBER,
    "floating": ColumnKind.NUMBER,
    "decimal": ColumnKind.NUMBER,
    "mixed-integer-float": ColumnKind.NUMBER,
    "date": ColumnKind.DAY,
    "datetime": ColumnKind.MOMENT,
    "datetime64": ColumnKind.MOMENT,
}


class PetColumn(NamedTuple):
    """A column of the list of pets, with its name in data files and its heading for people.

    ``zone`` is the time zone in which a workbook shows instants.
    """

    name: str
    label: str
    kind: ColumnKind
    is_own: bool = False  # the user's
    zone: tzinfo | None = None

    @property
    def is_number(self) -> bool:
        return self.kind is ColumnKind.NUMBER


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

    def as_inventory(self) -> Inventory | None:
        """Return the rows as an Inventory; None if it is not recorded where they are from."""
        if self.provenance is None:
            return None
        return Inventory.of_rows(self.frame, self.completeness, self.provenance)

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
    def labels_name(self) -> str | None:
        """The name of the column of the categories' names; None if no names were given.

        It steps aside for a column of the user.
        """
        if not self.labels:
            return None
        return _free_name(_LABELS, self._own_names)

    @cached_property
    def columns(self) -> list[PetColumn]:
        """The columns of a list of pets: its fields, the categories' names if given, a user's."""
        columns = []
        for field in FIELDS:
            is_number = field.dtype in ("int64", "Int64", "Float64")
            kind = ColumnKind.NUMBER if is_number else ColumnKind.TEXT
            label = _free_name(field.label, self._own_names)
            columns.append(PetColumn(field.name, label, kind))
            if field.name == "category_id" and self.labels_name is not None:
                label = _free_name(_LABELS.capitalize(), self._own_names)
                columns.append(PetColumn(self.labels_name, label, ColumnKind.TEXT))
        return columns + [_own_column(self.frame[name]) for name in self._own_names]

    @property
    def _own_names(self) -> list[str]:
        return [name for name in self.frame.columns if name not in FIELDS.names]

    @cached_property
    def status_at(self) -> int:
        """The place of the column of the statuses."""
        return [column.name for column in self.columns].index("status")

    def rows(
        self, start: int = 0, stop: int | None = None, *, no_status: str | None = None
    ) -> Iterator[tuple[Any, ...]]:
        """Yield pets in the order of ``columns``.

        A missing status is ``no_status``, any other missing value None.
        """
        end = len(self.frame) if stop is None else min(stop, len(self.frame))
        for at in range(start, end, _CHUNK):
            part = self.frame.iloc[at : min(at + _CHUNK, end)]
            columns = [self._values(part, column, no_status) for column in self.columns]
            yield from zip(*columns, strict=True)

    def category_names(self, pets: pd.DataFrame) -> list[str]:
        """Return the label of each pet's category."""
        ids = category_ids(pets["category_id"])
        names = {category_id: self.labels[category_id] for category_id in set(ids)}
        return [names[category_id] for category_id in ids]

    def _values(self, part: pd.DataFrame, column: PetColumn, no_status: str | None) -> list[Any]:
        if column.name == self.labels_name:
            return self.category_names(part)
        series = part[column.name]
        if column.name == "status":
            statuses = [*map(str, series.cat.categories), no_status]
            return [statuses[code] for code in series.cat.codes.tolist()]
        if series.hasnans:
            series = series.astype("object").where(series.notna(), None)
        values = series.tolist()
        if column.kind is ColumnKind.DAY:
            return [value.date() if isinstance(value, datetime) else value for value in values]
        return values


def _free_name(name: str, own_names: Sequence[str]) -> str:
    """Return a name for a column of ours that no column of the user has, in any case."""
    taken = {own_name.casefold() for own_name in own_names}
    while name.casefold() in taken:
        name += _STORE
    return name


def _own_column(series: pd.Series[Any]) -> PetColumn:
    """Describe a column of the user by its values."""
    import pandas as pd

    name = str(series.name)
    label, zone = name or "(no name)", None
    kind = _KINDS.get(pd.api.types.infer_dtype(series, skipna=True), ColumnKind.TEXT)
    if kind is ColumnKind.MOMENT:
        moments = series.dropna().tolist()
        zone = common_zone(moments)
        if zone is not None:
            label = f"{label} ({zone})"
        elif all(moment.time() == time.min for moment in moments):
            kind = ColumnKind.DAY
    return PetColumn(name, label, kind, is_own=True, zone=zone)


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
