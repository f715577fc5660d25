"""Prepares the content of a report in any format: the rows, their counts, and their coverage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time, tzinfo
from enum import Enum, auto
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.inventory import (
    Completeness,
    Coverage,
    Inventory,
    Provenance,
    coverage_facts,
    coverage_of,
    provenance_of,
    rows_fingerprint,
)
from petstore_frame.pet_table import category_ids, pandas_frame, typed_frame
from petstore_frame.rendering import palette
from petstore_frame.schema import FIELDS, count_text, minute_text, status_label
from petstore_frame.storage import common_zone
from petstore_frame.summary import Summary
from petstore_frame.tables import Categories, Labels

if TYPE_CHECKING:
    import pandas as pd

    from petstore_frame.history import Diff

_LABELS = "category"  # the column of category names, next to the category ids
_STORE = " (store)"  # added to a column of the report if the user has a column of that name
_CHUNK = 10_000  # pets read from the frame at a time


class ColumnKind(Enum):
    """The kind of values in a column, which decides alignment and number format."""

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
    is_own: bool = False  # added by the user
    zone: tzinfo | None = None

    @property
    def is_number(self) -> bool:
        return self.kind is ColumnKind.NUMBER


@dataclass(frozen=True)
class Content:
    """The content of a report.

    Attributes:
        frame: One row per pet, with the columns of a pet, then those that a user added;
            ``category_id`` is Int64 if a value is missing.
        rows_coverage: What the rows cover, and their fingerprint.
        provenance: Where and when the rows were read, even if they were changed since; or None.
        labels: Labels by category id.
        changes: The content of the sheet Changes; None omits the sheet.
        attention: Sentences about what needs attention; None omits the section.
    """

    frame: pd.DataFrame
    rows_coverage: Coverage
    provenance: Provenance | None
    labels: Labels
    changes: Diff | None = None
    attention: Sequence[str] | None = None

    @property
    def completeness(self) -> Completeness:
        """What the rows cover."""
        return self.rows_coverage.completeness

    @property
    def coverage_facts(self) -> dict[str, Any]:
        """The facts to store with the rows; empty if their source is not recorded."""
        if self.provenance is None:
            return {}
        return coverage_facts(self.rows_coverage, self.provenance)

    @property
    def as_of(self) -> str:
        """When the store was read, in the time zone of ``fetched_at``."""
        if self.provenance is None:
            return "Data as of: not recorded"
        return f"Data as of {minute_text(self.provenance.fetched_at)}"

    @property
    def store(self) -> str:
        """The address of the store, or a note that it is not recorded."""
        return self.provenance.base_url if self.provenance else "Store: not recorded"

    @property
    def title(self) -> str:
        """The title of the workbook and of the page."""
        return "Store inventory, filtered" if self.counts.is_selection else "Store inventory"

    @property
    def sentence(self) -> str:
        """What the rows cover, in one sentence, or why that is unknown."""
        completeness = self.completeness
        reason = completeness.reason
        has_no_requests = not completeness.requests
        if reason and has_no_requests:
            return f"{completeness}: {reason[:1].lower()}{reason[1:-1]}"
        return str(completeness)

    @property
    def headline(self) -> str:
        """What the rows cover, in the first lines of a report."""
        text = self.sentence[:1].upper() + self.sentence[1:] + "."
        bound = self.counts.total.bound
        if bound == "at_least":
            text += " Counts marked ≥ are minimums: the store may have more."
        elif bound == "about":
            text += " Counts marked ≈ may be too high or too low: the store changed during reading."
        contradictions = len(self.completeness.contradictions)
        if contradictions:
            text += f" The store contradicted itself {count_text(contradictions, 'time')}."
        return text

    @property
    def print_warning(self) -> str:
        """The warning on each printed page if the rows are not all pets of the store."""
        completeness = self.completeness
        if completeness.covers_all:
            return ""
        if self.counts.is_selection and completeness.is_complete:
            return self.counts.selection
        verdict = palette.verdict_badge(completeness.verdict).label
        return f"{verdict}: {len(self.frame):,} pets read"

    @property
    def coverage(self) -> list[tuple[str, str]]:
        """What the rows cover, as pairs of a term and a text."""
        completeness = self.completeness
        lines = [
            ("Store", self.provenance.base_url if self.provenance else "not recorded"),
            ("Verdict", palette.verdict_badge(completeness.verdict).label),
            ("In short", self.sentence),
            ("Pets read", f"{len(self.frame):,}"),
        ]
        if self.provenance is None:
            return lines
        status = completeness.status
        lines.append(("Requested", f"pets with status {status}" if status else "all pets"))
        if completeness.part:
            lines.append(("Shown", f"those with {completeness.part}"))
        for name, count in self.counts.by_status.items():
            lines.append((status_label(name), str(count)))
        return lines

    @cached_property
    def counts(self) -> Summary:
        """Pets by category and status, each count exact or a minimum."""
        return Summary.of(self.frame, self.completeness, self.labels)

    @cached_property
    def status_colors(self) -> dict[str, str]:
        """The color of each status: those of the interface, other statuses, then "no status"."""
        return palette.status_colors(self.counts.statuses)

    @cached_property
    def labels_name(self) -> str | None:
        """The name of the column of category names; None without names.

        The name changes if the user has a column of that name.
        """
        if not self.labels:
            return None
        return _free_name(_LABELS, self._own_names)

    @cached_property
    def columns(self) -> list[PetColumn]:
        """The columns of the list of pets: fields, category names if any, columns of the user."""
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
        """The position of the status column."""
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
            return [_as_day(value) for value in values]
        return values


def _as_day(value: Any) -> Any:
    """Convert a local midnight to its date; return any other value unchanged."""
    is_midnight = isinstance(value, datetime) and value.time() == time.min
    return value.date() if is_midnight and value.tzinfo is None else value


def _free_name(name: str, own_names: Sequence[str]) -> str:
    """Return a column name that no column of the user has, ignoring case."""
    used_names = {own_name.casefold() for own_name in own_names}
    while name.casefold() in used_names:
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
    """Check the pets of a report; ``more`` are further fields of the Content.

    Raises:
        ArgumentError: ``pets`` is neither an Inventory nor a frame.
        InputError: A column is missing, or ids are not whole numbers.
    """
    labels = Labels(categories)
    frame = pandas_frame(pets)
    is_inventory = isinstance(pets, Inventory)
    provenance = pets.provenance if is_inventory else provenance_of(frame)
    coverage, rows = coverage_of(pets if is_inventory else frame), typed_frame(frame)
    if coverage.fingerprint is None:  # the ids or the statuses had other dtypes
        coverage = coverage._replace(fingerprint=rows_fingerprint(rows))
    return Content(rows, coverage, provenance, labels, **more)
