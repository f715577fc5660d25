"""What a report shows, before it has a form: checked rows, their counts, and their claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from petstore_frame.counts.pet_table import (
    category_ids,
    pandas_frame,
    status_texts,
    whole_categories,
    whole_ids,
)
from petstore_frame.counts.tally import CodedPets, StatusCounts
from petstore_frame.html.palette import status_colours
from petstore_frame.inventory import Completeness, Inventory, Source, Verdict
from petstore_frame.inventory.source import SealState, read_seal
from petstore_frame.schema.categories import Categories, category_name, shown_labels
from petstore_frame.schema.models import FIELDS
from petstore_frame.schema.text import whole_text

if TYPE_CHECKING:
    import pandas as pd

Value = int | float | bool | str | None
LABELS = "category"  # the column of the categories' names, beside that of their ids


class PetColumn(NamedTuple):
    """A column of the list of pets.

    Attributes:
        name: Its name in data files.
        label: Its heading for people.
        is_number: Whether it holds numbers.
    """

    name: str
    label: str
    is_number: bool


@dataclass(frozen=True)
class Facts:
    """Everything that a report may show.

    Attributes:
        frame: One row per pet, with the columns of a pet; ``category_id`` is Int64 where one is
            missing.
        source: What is known of the listing that the rows are, or None for a frame without that.
        as_of: When the store was read, UTC, or None; also of rows that were changed since.
        base_url: The store's address, or None; also of rows that were changed since.
        labels: What a category is called, by its id.
        origin: Where rows without a claim come from, as text.
    """

    frame: pd.DataFrame
    source: Source | None
    as_of: datetime | None
    base_url: str | None
    labels: Mapping[int, str]
    origin: str = "from a table without a record of how it was read"

    @property
    def claim(self) -> Completeness | None:
        """What the frame covers, or None for a frame without a claim."""
        return None if self.source is None else self.source.completeness

    @cached_property
    def counts(self) -> StatusCounts:
        """Pets by category and status; without a claim every count is a minimum."""
        claim = self.claim
        if claim is None:
            claim = Completeness(Verdict.UNKNOWN, self.origin, len(self.frame), requests=0)
        return CodedPets(self.frame, self.labels, claim).everything

    @property
    def statuses(self) -> tuple[str, ...]:
        """The statuses as shown: the interface's three, others seen, then "no status"."""
        return self.counts.statuses

    @property
    def colours(self) -> dict[str, str]:
        """The colour of each status, in the order shown."""
        return status_colours(self.statuses)

    @property
    def columns(self) -> list[PetColumn]:
        """The columns of a list of pets: those of the frame, and the categories' names if given."""
        columns = [
            PetColumn(field.name, field.label, field.dtype in ("int64", "Int64", "Float64"))
            for field in FIELDS
        ]
        if self.labels:
            after = [column.name for column in columns].index("category_id") + 1
            columns.insert(after, PetColumn(LABELS, "Category", False))
        return columns

    def values(self, start: int, stop: int) -> list[list[Value]]:
        """Return the columns of some pets, in the order of ``columns``; None is missing."""
        part = self.frame.iloc[start:stop]
        return [self._values(part, column.name) for column in self.columns]

    def rows(self, start: int, stop: int) -> Iterator[tuple[Value, ...]]:
        """Yield the same pet by pet."""
        return zip(*self.values(start, stop), strict=True)

    def _values(self, part: pd.DataFrame, name: str) -> list[Any]:
        if name == LABELS:
            ids = category_ids(part["category_id"])
            words = {one: self.label(one) for one in set(ids)}
            return [words[one] for one in ids]
        column = part[name]
        if name == "status":
            statuses = [*map(str, column.cat.categories), None]
            return [statuses[code] for code in column.cat.codes.tolist()]
        if column.hasnans:
            return column.astype("object").where(column.notna(), None).tolist()
        return column.tolist()

    @property
    def covers_all(self) -> bool:
        """Whether every pet of the store is here, so that shares have a known denominator."""
        return self.claim is not None and self.claim.covers_all

    def label(self, category_id: int | None) -> str:
        """Return what a category is called; None is a missing one."""
        return category_name(category_id, self.labels)

    @property
    def claim_sentence(self) -> str:
        """The claim in one sentence, also where there is none."""
        if self.claim is None:
            pets = f"{len(self.frame):,} {'pet' if len(self.frame) == 1 else 'pets'}"
            return f"coverage not known: {pets}, {self.origin}"
        return str(self.claim)


def gather(pets: Any, categories: Categories = None) -> Facts:
    """Check what a report is asked to show.

    Args:
        pets: An Inventory, or a frame with the columns of ``PET_COLUMNS``.
        categories: Labels by category id, as everywhere.

    Raises:
        ArgumentError: ``pets`` is neither an Inventory nor a frame.
        InputError: A column is missing, or ids are not whole numbers.
    """
    labels = shown_labels(categories)
    given = pets.frame if isinstance(pets, Inventory) else pets
    frame, known = _checked_frame(given), read_seal(given)
    source = pets.source if isinstance(pets, Inventory) else known.source
    as_of = None if source is None else source.fetched_at
    base_url = None if source is None else source.base_url
    if known.state is SealState.CHANGED:
        rows = "rows were left out, added or changed after the store was read"
        return Facts(frame, None, as_of, base_url, labels, f"{rows} ({known.completeness})")
    return Facts(frame, source, as_of, base_url, labels)


def _checked_frame(pets: Any) -> pd.DataFrame:
    """Return the columns of the pets as pandas, with their dtypes."""
    import pandas as pd

    frame = pandas_frame(pets)
    checks = {
        "id": whole_ids,
        "name": _texts,
        "category_id": whole_categories,
        "status": status_texts,
    }
    columns = {field.name: frame[field.name] for field in FIELDS}
    return pd.DataFrame(
        {
            field.name: checks[field.name](columns[field.name]).array
            if field.name in checks
            else columns[field.name].astype(field.dtype).array
            for field in FIELDS
        }
    )


def _texts(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return names as text; a missing one is empty, as a store can send it."""
    texts = column.reset_index(drop=True)
    if texts.dtype == "object":
        texts = texts.map(whole_text, na_action="ignore")
    return texts.fillna("").astype("str")
